//! A contact point that goes to another record, or leaves its own.

use chrono::{DateTime, Utc};

use super::{ContactPointKind, ContactPointProof, proposal, set_aside::SetAsideContacts};
use crate::{
    domain::intake::lead,
    platform::{
        db::{Tx, q},
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Moves a non-identifying point to another record as its key. The previous record keeps it as a proposal; if it was
/// set aside there, it is also removed from that record and its requests.
pub(crate) async fn transfer_contact_point(
    tx: &mut Tx,
    org: OrgId,
    (from, to): (CustomerId, CustomerId),
    (kind, value): (ContactPointKind, &str),
    (proof, at): (ContactPointProof, DateTime<Utc>),
) -> Result<()> {
    let was_aside = SetAsideContacts::load_for_customer(&mut *tx, org, from).await?.has_contact((kind, value));
    proposal::propose_typed_contact(&mut *tx, org, from, (kind, value), at).await?;
    q!(
        &mut *tx,
        execute,
        "UPDATE customer_key SET customer_id = $5, proof = $6, proved_at = $7, last_used_at = $8,
             request_confirmed_at = NULL
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4",
        org,
        from,
        kind,
        value,
        to,
        proof,
        proof.is_proven().then_some(at),
        at
    )?;
    if was_aside && !SetAsideContacts::load_for_customer(&mut *tx, org, from).await?.has_contact((kind, value)) {
        remove_contact_point(tx, org, from, (kind, value)).await?;
    }
    Ok(())
}

/// Before `records`, all of one person, are erased: a key of theirs that a request of another customer names goes back
/// to that customer, of several to the one that asked last. Only the form of that request proves it there.
pub(crate) async fn return_named_keys(tx: &mut Tx, org: OrgId, records: &[CustomerId]) -> Result<()> {
    // Lock order: the phones before the emails.
    let keys = "SELECT kind, value FROM customer_key WHERE org_id = $1 AND customer_id = $2 ORDER BY kind DESC, value";
    let back = "UPDATE customer_key SET customer_id = $5, proof = 'form', proved_at = NULL, last_used_at = NULL,
             request_confirmed_at = NULL
         WHERE org_id = $1 AND customer_id = $2 AND kind = $3 AND value = $4";
    for &record in records {
        for (kind, value) in q!(&mut *tx, fetch_all as (ContactPointKind, String), keys, org, record)? {
            let named = match kind {
                ContactPointKind::Phone => {
                    "SELECT customer_id FROM lead WHERE org_id = $1 AND phone_e164 = $2 ORDER BY created_at DESC, id DESC"
                }
                ContactPointKind::Email => {
                    "SELECT customer_id FROM lead WHERE org_id = $1 AND email = $2 ORDER BY created_at DESC, id DESC"
                }
            };
            let named = q!(&mut *tx, fetch_all scalar CustomerId, named, org, value.as_str())?;
            if let Some(other) = named.into_iter().find(|other| !records.contains(other)) {
                q!(&mut *tx, execute, back, org, record, kind, value.as_str(), other)?;
            }
        }
    }
    Ok(())
}

/// Clears the requests too: a point without its key would count as the customer's again.
pub(super) async fn remove_contact_point(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
) -> Result<()> {
    let of_leads = match kind {
        ContactPointKind::Phone => {
            "UPDATE lead SET phone = '', phone_e164 = NULL WHERE org_id = $1 AND customer_id = $2 AND phone_e164 = $3"
        }
        ContactPointKind::Email => "UPDATE lead SET email = NULL WHERE org_id = $1 AND customer_id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_leads, org, customer, value)?;
    let of_record = match kind {
        ContactPointKind::Phone => {
            "UPDATE customer SET phone_e164 = NULL WHERE org_id = $1 AND id = $2 AND phone_e164 = $3"
        }
        ContactPointKind::Email => "UPDATE customer SET email = NULL WHERE org_id = $1 AND id = $2 AND email = $3",
    };
    q!(&mut *tx, execute, of_record, org, customer, value)?;
    lead::customer::update_search_index(tx, org, customer).await
}
