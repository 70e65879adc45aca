//! Customer keys of a request, and their owners.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::UnknownContacts;
use crate::{
    domain::intake::{
        contact_point::{
            self, ContactPointKind, ContactPointProof,
            typed_contacts::{self, NamedContacts},
        },
        lead::{LeadFormKind, NewLead, active_job},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, qb},
        email_address::EmailAddress,
        error::Result,
        id::{CustomerId, OrgId},
        live::{self, Topic},
        phone::Phone,
    },
};

#[derive(FromRow)]
pub(super) struct LockedContactKey {
    kind: ContactPointKind,
    value: String,
    pub(super) customer_id: CustomerId,
    proof: ContactPointProof,
}

/// Locks the keys of these requests by one upsert on their unique rows, phones before emails, so that two concurrent
/// requests of one person wait for each other instead of creating two customers. Each request has a customer id of its
/// own, and no key that another of them has.
pub(super) async fn lock_contact_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    requests: &[(&NewLead, CustomerId)],
) -> Result<Vec<Vec<LockedContactKey>>> {
    let mut keys: Vec<RequestKey<'_>> = requests
        .iter()
        .enumerate()
        .flat_map(|(nth, (new, fresh))| RequestKey::list(origin, nth, new, *fresh))
        .collect();
    let mut locked: Vec<Vec<LockedContactKey>> = requests.iter().map(|_| Vec::new()).collect();
    if keys.is_empty() {
        return Ok(locked);
    }
    // One order in every transaction.
    keys.sort_by_key(|key| (key.rank, key.value));
    let rows = qb!(tx, fetch_all as LockedContactKey, |b| {
        b.push("INSERT INTO customer_key (org_id, kind, value, customer_id, last_used_at, proof, proved_at) ");
        b.push_values(&keys, |mut row, key| {
            row.push_bind(org).push_bind(key.kind).push_bind(key.value).push_bind(key.fresh).push_bind(key.at);
            row.push_bind(key.proof).push_bind(key.proof.is_proven().then_some(key.at));
        });
        b.push(" ON CONFLICT (org_id, kind, value) DO UPDATE SET value = excluded.value");
        b.push(" RETURNING kind, value, customer_id, proof");
    })?;
    for row in rows {
        let of = keys.iter().find(|key| key.kind == row.kind && key.value == row.value).map(|key| key.nth);
        if let Some(of) = of.and_then(|nth| locked.get_mut(nth)) {
            of.push(row);
        }
    }
    Ok(locked)
}

/// A key of the `nth` request.
struct RequestKey<'a> {
    nth: usize,
    rank: u8,
    kind: ContactPointKind,
    value: &'a str,
    fresh: CustomerId,
    at: DateTime<Utc>,
    proof: ContactPointProof,
}

impl<'a> RequestKey<'a> {
    fn list(origin: &ClockRng, nth: usize, new: &'a NewLead, fresh: CustomerId) -> Vec<Self> {
        let (at, proof) = (new.happened_at.unwrap_or(origin.now()), ContactPointProof::from_form(new.form));
        let keys = contact_keys(new).into_iter().map(|(kind, value)| {
            let rank = u8::from(kind == ContactPointKind::Email);
            Self { nth, rank, kind, value, fresh, at, proof }
        });
        keys.collect()
    }
}

/// The customer of a request. Addresses in a form, a list or an office entry count only where they identify one.
pub(super) async fn find_identified_customer(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
    (locked, fresh): (&[LockedContactKey], CustomerId),
) -> Result<Option<CustomerId>> {
    let at = new.happened_at.unwrap_or(origin.now());
    for kind in [ContactPointKind::Phone, ContactPointKind::Email] {
        let Some(key) = locked.iter().find(|key| key.kind == kind && key.customer_id != fresh) else { continue };
        let is_theirs = match new.form {
            LeadFormKind::Call | LeadFormKind::Text => {
                belongs_to_conversation(&mut *conn, org, key.customer_id, &key.value, at).await?
            }
            _ => names_customer(&mut *conn, org, new, key).await?,
        };
        if is_theirs {
            return Ok(Some(key.customer_id));
        }
    }
    if new.is_public() && !locked.is_empty() && locked.iter().all(|key| is_foreign_key(key, fresh)) {
        return typed_contacts::find_keyless_customer(conn, org, named_contacts(new)).await;
    }
    Ok(None)
}

/// Whether a call or text from a customer's number joins their conversation. Yes for any proof, unless another person
/// may have typed the number ([`typed_contacts::is_separate_caller`]); then only during current work.
pub(super) async fn belongs_to_conversation(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    number: &str,
    at: DateTime<Utc>,
) -> Result<bool> {
    Ok(!typed_contacts::is_separate_caller(&mut *conn, org, customer, number).await?
        || active_job::has_active_job(conn, org, customer, at).await?)
}

/// Whether a call or text from a number that a form named for this customer joins their conversation: a stranger may
/// have typed both and confirmed a link.
pub(super) async fn accepts_proposed_phone(
    conn: &mut dyn AsConn,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<bool> {
    Ok(typed_contacts::has_stronger_proof(&mut *conn, org, customer).await?
        || active_job::has_active_job(conn, org, customer, at).await?)
}

/// Whether a request that names this key is its customer's. A public form must name everything typed or link-confirmed;
/// where more is proven, everything that is another record's key by now.
async fn names_customer(conn: &mut dyn AsConn, org: OrgId, new: &NewLead, key: &LockedContactKey) -> Result<bool> {
    if !contact_point::identifies_customer(&mut *conn, org, key.customer_id, key.proof).await? {
        return Ok(false);
    }
    if !new.is_public() {
        return Ok(true);
    }
    if key.proof.is_proven() && typed_contacts::has_stronger_proof(&mut *conn, org, key.customer_id).await? {
        return Ok(!typed_contacts::omits_transferred_contact(conn, org, key.customer_id, named_contacts(new)).await?);
    }
    Ok(typed_contacts::names_all_contacts(&mut *conn, org, key.customer_id, named_contacts(new)).await?
        || typed_contacts::names_merged_request(conn, org, key.customer_id, named_contacts(new)).await?)
}

pub(super) fn named_contacts(new: &NewLead) -> NamedContacts<'_> {
    (new.phone_e164.as_ref().map(Phone::as_e164), new.email.as_ref().map(EmailAddress::as_str))
}

/// Moves keys to the new customer: those that identify no one, and the number called or texted from. Other proven keys
/// stay. Returns whether any key was another customer's.
pub(super) async fn transfer_unproven_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    new: &NewLead,
    (locked, fresh): (&[LockedContactKey], CustomerId),
) -> Result<bool> {
    let (at, proof) = (new.happened_at.unwrap_or(origin.now()), ContactPointProof::from_form(new.form));
    let is_used = matches!(proof, ContactPointProof::Called | ContactPointProof::Texted);
    let mut has_taken = false;
    for key in locked.iter().filter(|key| key.customer_id != fresh && (is_used || !key.proof.is_proven())) {
        has_taken = true;
        let point = (key.kind, key.value.as_str());
        contact_point::transfer_contact_point(&mut *tx, org, (key.customer_id, fresh), point, (proof, at)).await?;
        live::publish_event(&mut *tx, origin, org, Topic::Customer, key.customer_id.0, None).await?;
    }
    Ok(has_taken)
}

pub(super) fn find_foreign_contacts(
    new: &NewLead,
    (locked, fresh): (&[LockedContactKey], CustomerId),
) -> UnknownContacts {
    let is_elsewhere = |kind: ContactPointKind| locked.iter().any(|key| key.kind == kind && is_foreign_key(key, fresh));
    if new.is_public() {
        UnknownContacts { phone: is_elsewhere(ContactPointKind::Phone), email: is_elsewhere(ContactPointKind::Email) }
    } else {
        UnknownContacts::default()
    }
}

fn is_foreign_key(key: &LockedContactKey, fresh: CustomerId) -> bool {
    key.customer_id != fresh && key.proof.is_proven()
}

/// Keys to recognise a person, the stronger first.
fn contact_keys(new: &NewLead) -> Vec<(ContactPointKind, &str)> {
    let phone = new.phone_e164.as_ref().map(|phone| (ContactPointKind::Phone, phone.as_e164()));
    // Callers with a hidden number cannot be distinguished: they share one record and one conversation.
    let hidden = new.is_anonymous_call().then_some(HIDDEN);
    let email = new.email.as_ref().map(|email| (ContactPointKind::Email, email.as_str()));
    phone.into_iter().chain(email).chain(hidden).collect()
}

const HIDDEN: (ContactPointKind, &str) = (ContactPointKind::Phone, "hidden");
