//! Set-aside addresses: on file, but a stranger may have typed them, so they get nothing about the customer's work
//! until the office accepts the `proposal`. The rules do not treat messages from them as the customer's.

use chrono::{DateTime, Utc};

use super::{ContactPointKind, typed_contacts::NamedContacts};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, OrgId},
};

#[derive(Clone, Debug, Default)]
pub(crate) struct SetAsideContacts(Vec<(ContactPointKind, String)>);

/// Numbers, each with the time of the last contact from it.
pub(super) type InboundTimes = Vec<(Option<String>, DateTime<Utc>)>;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastInboundContact {
    pub(crate) wrote_at: Option<DateTime<Utc>>,
    rang_at: Option<DateTime<Utc>>,
}

impl LastInboundContact {
    pub(crate) fn latest_at(self) -> Option<DateTime<Utc>> {
        self.wrote_at.max(self.rang_at)
    }
}

impl SetAsideContacts {
    /// Set aside are: keys that only answered a form ([`super::ContactPointProof::Answered`]); if the customer called or texted,
    /// keys only typed into their first form, unless that text said yes to the form ([`super::confirmed_emails`]); if anything
    /// is proven, or a person pressed at an address here that is another record's key, keys only typed that are
    /// proposed: a later form, the office or a list left them out ([`super::typed_contacts::set_aside_omitted_contacts`]) or the press was
    /// elsewhere ([`super::typed_contacts::set_aside_counterparts`]); and if more than a link confirmation proves
    /// something, proposed addresses that are not keys. A proposed address that the business itself made another
    /// record's key (the office, a list) is set aside in any case. Where nothing is proven, an answered address of a
    /// request sets keys aside that were only typed.
    pub(crate) async fn load_for_customer(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Self> {
        let sql = "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2
                 AND (k.proof = 'answered' OR (k.proof = 'form' AND EXISTS (
                     SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                         AND ((p.proof IN ('called', 'texted') AND k.request_confirmed_at IS NULL) OR (p.proof NOT IN ('form', 'answered') AND EXISTS (
                             SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id = $2
                                 AND o.kind = k.kind AND o.value = k.value AND o.state <> 'used')))))
                     OR (k.proof = 'form' AND EXISTS (SELECT 1 FROM contact_proposal o WHERE o.org_id = $1
                             AND o.customer_id = $2 AND o.kind = k.kind AND o.value = k.value AND o.state <> 'used')
                         AND EXISTS (SELECT 1 FROM contact_proposal a
                             JOIN customer_key q ON q.org_id = a.org_id AND q.kind = a.kind AND q.value = a.value
                             WHERE a.org_id = $1 AND a.customer_id = $2 AND a.answered_at IS NOT NULL
                                 AND a.state <> 'dismissed' AND q.customer_id <> a.customer_id))
                     OR (k.proof = 'form' AND k.request_confirmed_at IS NULL
                         AND NOT EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                             AND p.proof NOT IN ('form', 'answered'))
                         AND EXISTS (SELECT 1 FROM customer_key w JOIN lead l ON l.org_id = w.org_id
                                 AND l.customer_id = w.customer_id
                             WHERE w.org_id = $1 AND w.customer_id = $2 AND w.proof = 'answered'
                                 AND CASE WHEN w.kind = 'phone' THEN l.phone_e164 ELSE l.email END = w.value)))
             UNION SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id = $2 AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id = $2)
                 AND (EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                         AND p.proof NOT IN ('form', 'answered', 'link_opened'))
                     OR EXISTS (SELECT 1 FROM customer_key o WHERE o.org_id = $1 AND o.kind = g.kind
                         AND o.value = g.value AND o.proof IN ('office', 'imported')))";
        Ok(Self(q!(conn, fetch_all as (ContactPointKind, String), sql, org, customer)?))
    }

    /// The same for what forms said in the customer's name, including set-aside addresses since removed from the record
    /// and its requests (`super::contact_transfer`).
    pub(crate) async fn load_for_forms(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Self> {
        let mut aside = Self::load_for_customer(&mut *conn, org, customer).await?;
        let sql = "SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id = $2 AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id = $2)
                 AND NOT EXISTS (SELECT 1 FROM customer c WHERE c.org_id = $1 AND c.id = $2
                     AND CASE WHEN g.kind = 'phone' THEN c.phone_e164 ELSE c.email END = g.value)
                 AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2
                     AND CASE WHEN g.kind = 'phone' THEN l.phone_e164 ELSE l.email END = g.value)";
        aside.0.extend(q!(conn, fetch_all as (ContactPointKind, String), sql, org, customer)?);
        Ok(aside)
    }

    /// After a merge of the two. Beside what [`Self::load_for_customer`] sets aside on either: keys that only a form
    /// proves, where the office or a list proves an address of the other record. The merge proposes them.
    pub(super) async fn load_for_pair(
        conn: &mut dyn AsConn,
        org: OrgId,
        [one, other]: [CustomerId; 2],
    ) -> Result<Self> {
        let sql = "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id IN ($2, $3)
                 AND (k.proof = 'answered' OR (k.proof = 'form' AND EXISTS (
                     SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                         AND ((p.proof IN ('called', 'texted') AND k.request_confirmed_at IS NULL)
                             OR (p.proof IN ('office', 'imported') AND p.customer_id <> k.customer_id
                                 AND k.request_confirmed_at IS NULL AND NOT EXISTS (
                                 SELECT 1 FROM contact_proposal u WHERE u.org_id = $1 AND u.customer_id IN ($2, $3)
                                     AND u.kind = k.kind AND u.value = k.value AND u.state = 'used'))
                             OR (p.proof NOT IN ('form', 'answered') AND EXISTS (
                             SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id IN ($2, $3)
                                 AND o.kind = k.kind AND o.value = k.value AND o.state <> 'used')))))
                     OR (k.proof = 'form' AND EXISTS (SELECT 1 FROM contact_proposal o WHERE o.org_id = $1
                             AND o.customer_id IN ($2, $3) AND o.kind = k.kind AND o.value = k.value
                             AND o.state <> 'used')
                         AND EXISTS (SELECT 1 FROM contact_proposal a
                             JOIN customer_key q ON q.org_id = a.org_id AND q.kind = a.kind AND q.value = a.value
                             WHERE a.org_id = $1 AND a.customer_id IN ($2, $3) AND a.answered_at IS NOT NULL
                                 AND a.state <> 'dismissed' AND q.customer_id NOT IN ($2, $3))))
             UNION SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id IN ($2, $3) AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id IN ($2, $3))
                 AND (EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                         AND p.proof NOT IN ('form', 'answered', 'link_opened'))
                     OR EXISTS (SELECT 1 FROM customer_key o WHERE o.org_id = $1 AND o.kind = g.kind
                         AND o.value = g.value AND o.proof IN ('office', 'imported')))
             ORDER BY 1 DESC, 2";
        Ok(Self(q!(conn, fetch_all as (ContactPointKind, String), sql, org, one, other)?))
    }

    pub(super) fn excluding_contacts(mut self, staying: &[(ContactPointKind, String)]) -> Self {
        self.0.retain(|point| !staying.contains(point));
        self
    }

    /// The phones first, as [`Self::load_for_pair`] lists them.
    pub(super) fn including_contacts(mut self, more: Vec<(ContactPointKind, String)>) -> Self {
        for point in more {
            if !self.0.contains(&point) {
                self.0.push(point);
            }
        }
        self.0.sort_by_key(|(kind, value)| (*kind == ContactPointKind::Email, value.clone()));
        self
    }

    pub(crate) fn has_contact(&self, (kind, value): (ContactPointKind, &str)) -> bool {
        self.0.iter().any(|(k, v)| *k == kind && v == value)
    }

    pub(crate) fn has_any(&self, (phone, email): NamedContacts<'_>) -> bool {
        phone.is_some_and(|phone| self.has_contact((ContactPointKind::Phone, phone)))
            || email.is_some_and(|email| self.has_contact((ContactPointKind::Email, email)))
    }

    pub(crate) fn has_all(&self, (phone, email): NamedContacts<'_>) -> bool {
        let is_usable = |kind, value: Option<&str>| value.is_some_and(|value| !self.has_contact((kind, value)));
        (phone.is_some() || email.is_some())
            && !is_usable(ContactPointKind::Phone, phone)
            && !is_usable(ContactPointKind::Email, email)
    }

    pub(super) fn as_slice(&self) -> &[(ContactPointKind, String)] {
        &self.0
    }

    pub(crate) fn contact_points(&self) -> impl Iterator<Item = (ContactPointKind, &str)> {
        self.0.iter().map(|(kind, value)| (*kind, value.as_str()))
    }

    /// The last contact, without numbers that are set aside. None when no number is: then all contact counts.
    pub(crate) async fn load_last_inbound(
        &self,
        conn: &mut dyn AsConn,
        org: OrgId,
        customer: CustomerId,
    ) -> Result<Option<LastInboundContact>> {
        if self.contact_points().all(|(kind, _)| kind != ContactPointKind::Phone) {
            return Ok(None);
        }
        let (wrote, rang) = list_last_inbound(conn, org, customer).await?;
        let theirs = |contacts: InboundTimes| {
            let is_theirs = |from: &Option<String>| {
                from.as_ref().is_none_or(|from| !self.has_contact((ContactPointKind::Phone, from)))
            };
            contacts.into_iter().filter(|(from, _)| is_theirs(from)).map(|(_, at)| at).max()
        };
        Ok(Some(LastInboundContact { wrote_at: theirs(wrote), rang_at: theirs(rang) }))
    }
}

/// The last text and the last call from each number, in the customer's conversation.
pub(super) async fn list_last_inbound(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
) -> Result<(InboundTimes, InboundTimes)> {
    let wrote = "SELECT from_address, MAX(created_at) FROM message
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'in' GROUP BY from_address";
    let wrote = q!(&mut *conn, fetch_all as (Option<String>, DateTime<Utc>), wrote, org, customer)?;
    let rang = "SELECT from_address, MAX(started_at) FROM call
         WHERE org_id = $1 AND customer_id = $2 AND status IN ('answered', 'missed') GROUP BY from_address";
    let rang = q!(conn, fetch_all as (Option<String>, DateTime<Utc>), rang, org, customer)?;
    Ok((wrote, rang))
}
