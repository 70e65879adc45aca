//! Proofs as they are stored, and what a new one sets aside.

use chrono::{DateTime, Utc};

use super::{ContactPointKind, ContactPointProof, proposal, sent_papers, set_aside::SetAsideContacts, typed_contacts};
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// Stores a stronger proof of a point. Points set aside by this are proposed to the office.
pub(crate) async fn record_proof(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    point: (ContactPointKind, &str),
    proof: ContactPointProof,
    at: DateTime<Utc>,
) -> Result<()> {
    if !store_proof(&mut *tx, org, customer, point, proof, at).await? {
        return Ok(());
    }
    if is_by_business(proof) {
        return propose_set_aside_contacts(tx, org, customer, at).await;
    }
    set_aside_after_answer(tx, org, customer, at).await
}

fn is_by_business(proof: ContactPointProof) -> bool {
    matches!(proof, ContactPointProof::Office | ContactPointProof::Imported)
}

/// Stores a stronger proof of a point; a link confirmation is the weakest. A point that only answered a form, or is set
/// aside, keeps its state until the office decides, or no proven point is beside it ([`super::restored_proof`]). A call or text proves nothing next to a point proven only by link
/// confirmation ([`typed_contacts::is_separate_caller`]). Returns whether the point is proven by this: other points may
/// be set aside then.
pub(super) async fn store_proof(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    (kind, value): (ContactPointKind, &str),
    proof: ContactPointProof,
    at: DateTime<Utc>,
) -> Result<bool> {
    if !proof.is_proven() {
        return Ok(false);
    }
    let is_used = matches!(proof, ContactPointProof::Called | ContactPointProof::Texted);
    if is_used && typed_contacts::is_separate_caller(&mut *tx, org, customer, value).await? {
        return Ok(false);
    }
    let by_the_business = is_by_business(proof);
    let before = SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?;
    let kept = q!(
        &mut *tx,
        fetch_optional scalar ContactPointProof,
        "UPDATE customer_key SET proved_at = $6, proof = CASE WHEN proof = 'form' AND $8 THEN 'answered' ELSE $5 END
         WHERE org_id = $1 AND kind = $3 AND value = $4 AND customer_id = $2
             AND (proof = 'form' OR (proof IN ('on_file', 'link_opened') AND NOT $9) OR (proof = 'answered' AND $7))
         RETURNING proof",
        org,
        customer,
        kind,
        value,
        proof,
        at,
        by_the_business,
        before.has_contact((kind, value)) && !by_the_business,
        proof == ContactPointProof::LinkOpened
    )?;
    if kept == Some(ContactPointProof::Answered) {
        proposal::mark_proposal_answered(tx, org, customer, (kind, value), at).await?;
        return Ok(false);
    }
    Ok(kept.is_some())
}

/// After a press, a call or a text: proposes what is set aside, and revokes the papers that were sent there. Also what a
/// later form had set aside: the person who gave that address may be another one.
pub(super) async fn set_aside_after_answer(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<()> {
    propose_set_aside_contacts(&mut *tx, org, customer, at).await?;
    for point in SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?.contact_points() {
        sent_papers::withdraw_sent_papers(&mut *tx, org, customer, point, at).await?;
    }
    Ok(())
}

pub(crate) async fn propose_set_aside_contacts(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    at: DateTime<Utc>,
) -> Result<()> {
    let aside = SetAsideContacts::load_for_customer(&mut *tx, org, customer).await?;
    proposal::propose_typed_contacts(tx, org, customer, aside.as_slice(), at).await
}
