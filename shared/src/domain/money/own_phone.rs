//! Text of a document that somebody sent from their own phone: the document counts as sent from then on.

use uuid::Uuid;

use super::{estimate, invoice};
use crate::{
    domain::{
        intake::customer,
        messaging::message::{self, MessageChannel, MessageKind},
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::pipeline,
    },
    platform::{
        db::Tx,
        error::Result,
        id::{CustomerId, EstimateId, InvoiceId, LeadId, MessageId, OrgId},
    },
};

/// A document whose text has not left.
#[derive(Clone, Copy, Debug)]
pub struct UnsentDocument {
    kind: MessageKind,
    id: Uuid,
    lead: LeadId,
}

/// The document that these words hand over, with the lock of its lead. None for other words, and where the same text was
/// noted before.
pub async fn lock_unsent_document(
    tx: &mut Tx,
    org: OrgId,
    customer: CustomerId,
    words: &str,
) -> Result<Option<UnsentDocument>> {
    let customer = customer::resolve_merged(&mut *tx, org, customer).await?;
    let Some((_, _, lead)) = message::find_unsent_document_text(&mut *tx, org, customer, words).await? else {
        return Ok(None);
    };
    pipeline::lock_stage(tx, org, lead).await?;
    // It may have been noted while this waited for the lock.
    let found = message::find_unsent_document_text(&mut *tx, org, customer, words).await?;
    Ok(found.map(|(kind, id, lead)| UnsentDocument { kind, id, lead }))
}

/// Marks the document as sent now by this message, which somebody noted as sent from their own phone.
pub async fn mark_document_sent(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    document: UnsentDocument,
    message: MessageId,
    by: &ActivityActor,
) -> Result<()> {
    let UnsentDocument { kind, id, lead } = document;
    let event = match kind {
        MessageKind::Invoice => invoice::mark_sent_from_own_phone(tx, ctx, InvoiceId(id), by).await?,
        _ => estimate::mark_sent_from_own_phone(tx, ctx, EstimateId(id), by).await?,
    };
    let Some(event) = event else { return Ok(()) };
    let org = ctx.profile.org.id;
    message::link_own_phone_text(tx, org, message, (lead, id, event)).await?;
    message::replace_waiting_messages(tx, ctx.origin, (org, id), &[(MessageChannel::Sms, message)]).await
}
