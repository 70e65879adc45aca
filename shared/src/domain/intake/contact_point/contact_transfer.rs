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
