//! Proof by a button press behind a link that was sent to the address.

use super::{
    ContactPointKind, ContactPointProof, is_usable_contact,
    key_locks::lock_customer_keys,
    proof_record::{self, set_aside_after_answer},
    proposal,
    typed_contacts::{self, NamedContacts},
};
use crate::{
    domain::intake::lead::consent::confirm_by_link,
    platform::{
        access_link::{self, AccessLink, copy::LinkCopyChannel},
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{CustomerId, LeadId, OrgId},
    },
};

/// Locks the keys that [`record_link_answer`] changes, before what the press changes: an edit by the office locks them
/// before the leads.
pub async fn lock_link_contacts(tx: &mut Tx, link: &AccessLink) -> Result<()> {
    let Some(point) = link_address(link) else { return Ok(()) };
    let Some((customer, _)) = find_link_lead(&mut *tx, link).await? else { return Ok(()) };
    lock_customer_keys(tx, link.org_id, customer, to_named_contacts(point)).await?;
    Ok(())
}

/// Records a button press behind one of our links that declines nothing. It proves the address the link was sent to. A
/// link copied by the business, or returned as a form's answer, proves nothing.
pub async fn record_link_answer(tx: &mut Tx, origin: &ClockRng, link: &AccessLink) -> Result<()> {
    let Some(point) = link_address(link) else { return Ok(()) };
    let Some((customer, lead)) = find_link_lead(&mut *tx, link).await? else { return Ok(()) };
    record_link_proof(&mut *tx, origin, (link.org_id, customer), point).await?;
    match point {
        (ContactPointKind::Phone, number) => {
            confirm_by_link(tx, link.org_id, (customer, lead), number, origin.now()).await
        }
        (ContactPointKind::Email, _) => Ok(()),
    }
}

/// The address that the link was sent to by us.
pub(crate) fn link_address(link: &AccessLink) -> Option<(ContactPointKind, &str)> {
    match link.sent_to()? {
        (LinkCopyChannel::Phone, phone) => Some((ContactPointKind::Phone, phone)),
        (LinkCopyChannel::Email, email) => Some((ContactPointKind::Email, email)),
        (LinkCopyChannel::Form, _) => None,
    }
}

async fn record_link_proof(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, customer): (OrgId, CustomerId),
    point: (ContactPointKind, &str),
) -> Result<()> {
    lock_contact_points(&mut *tx, org, customer, point).await?;
    let is_usable = is_usable_contact(&mut *tx, org, customer, point).await?;
    typed_contacts::reclaim_contact_point(&mut *tx, origin, org, customer, point).await?;
    let proof = ContactPointProof::LinkOpened;
    proof_record::store_proof(&mut *tx, org, customer, point, proof, origin.now()).await?;
    proposal::record_proposal_link_opened(&mut *tx, origin, org, customer, point).await?;
    if !is_usable {
        // The first press decided: a press at an address that is set aside is for the office to judge.
        return Ok(());
    }
    typed_contacts::set_aside_counterparts(&mut *tx, org, customer, point, origin.now()).await?;
    set_aside_after_answer(tx, org, customer, origin.now()).await
}

fn to_named_contacts((kind, value): (ContactPointKind, &str)) -> NamedContacts<'_> {
    match kind {
        ContactPointKind::Phone => (Some(value), None),
        ContactPointKind::Email => (None, Some(value)),
    }
}

/// Two presses at once wait for each other, so that only the first decides. The customer's own row comes after keys and
/// leads elsewhere, so it is locked only without keys.
async fn lock_contact_points(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    point: (ContactPointKind, &str),
) -> Result<()> {
    if !lock_customer_keys(&mut *tx, org, customer, to_named_contacts(point)).await? {
        q!(tx, execute, "UPDATE customer SET name = name WHERE org_id = $1 AND id = $2", org, customer)?;
    }
    Ok(())
}

async fn find_link_lead(conn: &mut dyn AsConn, link: &AccessLink) -> Result<Option<(CustomerId, LeadId)>> {
    let sql = match link.kind {
        access_link::LinkKind::Estimate => {
            "SELECT l.customer_id, l.id FROM estimate s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Invoice => {
            "SELECT l.customer_id, l.id FROM invoice s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Visit => {
            "SELECT l.customer_id, l.id FROM job s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Booking => {
            "SELECT l.customer_id, l.id FROM booking_request s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND (s.id = $2 OR s.email_ref = $2)"
        }
        access_link::LinkKind::FreeTimes => {
            "SELECT l.customer_id, l.id FROM lead_inquiry s JOIN lead l ON l.org_id = s.org_id AND l.id = s.lead_id
             WHERE s.org_id = $1 AND s.id = $2"
        }
        access_link::LinkKind::Review => {
            "SELECT customer_id, lead_id FROM review_request WHERE org_id = $1 AND id = $2"
        }
        access_link::LinkKind::Invite | access_link::LinkKind::CrewFeed => return Ok(None),
    };
    Ok(q!(conn, fetch_optional as (CustomerId, LeadId), sql, link.org_id, link.subject_id)?)
}
