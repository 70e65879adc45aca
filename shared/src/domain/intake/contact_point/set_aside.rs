//! What of a customer's stays on file and gets nothing about their matter: whoever typed it may have been a stranger. The
//! office uses it or does not (`proposal`). Nor do the rules take what comes from there for the customer's own word.

use chrono::{DateTime, Utc};

use super::{Kind, typed::Named};
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// The addresses of one customer that are set aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetAside(Vec<(Kind, String)>);

/// When a customer was last heard from an address that is theirs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    pub(crate) wrote_at: Option<DateTime<Utc>>,
    rang_at: Option<DateTime<Utc>>,
}

impl Heard {
    /// Whichever way.
    pub(crate) fn last(self) -> Option<DateTime<Utc>> {
        self.wrote_at.max(self.rang_at)
    }
}

impl SetAside {
    /// What only answered a form ([`super::Proof::Answered`]); where the customer called or texted, what was only typed
    /// into the form with which they became known; where anything is proven, what was only typed and a later form left out
    /// ([`super::typed::set_aside_unnamed`]); and where more than a press proves something, what is proposed and no key of
    /// theirs.
    pub(crate) async fn of(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Self> {
        let sql = "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id = $2
                 AND (k.proof = 'answered' OR (k.proof = 'form' AND EXISTS (
                     SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                         AND (p.proof IN ('called', 'texted') OR (p.proof NOT IN ('form', 'answered') AND EXISTS (
                             SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id = $2
                                 AND o.kind = k.kind AND o.value = k.value AND o.state <> 'used'))))))
             UNION SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id = $2 AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id = $2)
                 AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id = $2
                     AND p.proof NOT IN ('form', 'answered', 'link_opened'))";
        Ok(Self(q!(conn, fetch_all as (Kind, String), sql, org, customer)?))
    }

    /// The same for what forms said in the customer's name: also what was set aside and has left the record and its
    /// requests since (`super::take_off`).
    pub(crate) async fn of_forms(conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Self> {
        let mut aside = Self::of(&mut *conn, org, customer).await?;
        let sql = "SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id = $2 AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id = $2)
                 AND NOT EXISTS (SELECT 1 FROM customer c WHERE c.org_id = $1 AND c.id = $2
                     AND CASE WHEN g.kind = 'phone' THEN c.phone_e164 ELSE c.email END = g.value)
                 AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.org_id = $1 AND l.customer_id = $2
                     AND CASE WHEN g.kind = 'phone' THEN l.phone_e164 ELSE l.email END = g.value)";
        aside.0.extend(q!(conn, fetch_all as (Kind, String), sql, org, customer)?);
        Ok(aside)
    }

    /// The same of two records, as if they were one.
    pub(super) async fn of_both(conn: &mut dyn AsConn, org: OrgId, [one, other]: [CustomerId; 2]) -> Result<Self> {
        let sql = "SELECT k.kind, k.value FROM customer_key k WHERE k.org_id = $1 AND k.customer_id IN ($2, $3)
                 AND (k.proof = 'answered' OR (k.proof = 'form' AND EXISTS (
                     SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                         AND (p.proof IN ('called', 'texted') OR (p.proof NOT IN ('form', 'answered') AND EXISTS (
                             SELECT 1 FROM contact_proposal o WHERE o.org_id = $1 AND o.customer_id IN ($2, $3)
                                 AND o.kind = k.kind AND o.value = k.value AND o.state <> 'used'))))))
             UNION SELECT g.kind, g.value FROM contact_proposal g
             WHERE g.org_id = $1 AND g.customer_id IN ($2, $3) AND g.state <> 'used'
                 AND NOT EXISTS (SELECT 1 FROM customer_key k WHERE k.org_id = $1 AND k.kind = g.kind
                     AND k.value = g.value AND k.customer_id IN ($2, $3))
                 AND EXISTS (SELECT 1 FROM customer_key p WHERE p.org_id = $1 AND p.customer_id IN ($2, $3)
                     AND p.proof NOT IN ('form', 'answered', 'link_opened'))
             ORDER BY 1 DESC, 2";
        Ok(Self(q!(conn, fetch_all as (Kind, String), sql, org, one, other)?))
    }

    /// Leaves out what stays.
    pub(super) fn without(mut self, staying: &[(Kind, String)]) -> Self {
        self.0.retain(|point| !staying.contains(point));
        self
    }

    pub(crate) fn has(&self, (kind, value): (Kind, &str)) -> bool {
        self.0.iter().any(|(k, v)| *k == kind && v == value)
    }

    /// Whether one of these is: a form named them, phone and email.
    pub(crate) fn has_any(&self, (phone, email): Named<'_>) -> bool {
        phone.is_some_and(|phone| self.has((Kind::Phone, phone)))
            || email.is_some_and(|email| self.has((Kind::Email, email)))
    }

    pub(super) fn points(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.0.iter().map(|(kind, value)| (*kind, value.as_str()))
    }

    /// When the customer was last heard, without what came from a number that is set aside. None where no number is:
    /// then everything that came counts.
    pub(crate) async fn heard(&self, conn: &mut dyn AsConn, org: OrgId, customer: CustomerId) -> Result<Option<Heard>> {
        if self.points().all(|(kind, _)| kind != Kind::Phone) {
            return Ok(None);
        }
        let wrote = "SELECT from_address, MAX(created_at) FROM message
             WHERE org_id = $1 AND customer_id = $2 AND direction = 'in' GROUP BY from_address";
        let wrote = q!(&mut *conn, fetch_all as (Option<String>, DateTime<Utc>), wrote, org, customer)?;
        let rang = "SELECT from_address, MAX(started_at) FROM call
             WHERE org_id = $1 AND customer_id = $2 AND status IN ('answered', 'missed') GROUP BY from_address";
        let rang = q!(conn, fetch_all as (Option<String>, DateTime<Utc>), rang, org, customer)?;
        let theirs = |heard: Vec<(Option<String>, DateTime<Utc>)>| {
            let is_theirs = |from: &Option<String>| from.as_ref().is_none_or(|from| !self.has((Kind::Phone, from)));
            heard.into_iter().filter(|(from, _)| is_theirs(from)).map(|(_, at)| at).max()
        };
        Ok(Some(Heard { wrote_at: theirs(wrote), rang_at: theirs(rang) }))
    }
}
