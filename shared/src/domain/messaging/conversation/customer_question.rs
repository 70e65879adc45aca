//! Questions that customers send from our pages, stored in their conversation.

use super::{ConversationEvent, record_event};
use crate::{
    domain::{
        messaging::message::{self, MessageChannel, MessageDirection, MessageKind},
        tenancy::org::OrgContext,
    },
    platform::{
        contact_hours::ContactClass,
        db::{Tx, insert_row, q},
        error::Result,
        id::{CustomerId, LeadId, MessageId},
        live::{self, Topic},
    },
};

const SHOWN_IN_ALERT: usize = 200;

#[derive(Clone, Copy, Debug)]
pub struct CustomerQuestion<'a> {
    pub lead: LeadId,
    pub customer: CustomerId,
    pub name: &'a str,
    pub email: Option<&'a str>,
    /// What it is about: "Question about EST-1001".
    pub subject: &'a str,
    /// As shown in the conversation: "EST-1001: is the permit included?".
    pub words: &'a str,
}

/// Stores it and stops pending nudges. None for the same words within the hour (double tap, resubmitted page).
pub async fn record_question(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    question: CustomerQuestion<'_>,
) -> Result<Option<MessageId>> {
    if is_duplicate_question(tx, ctx, question).await? {
        return Ok(None);
    }
    let (origin, org, CustomerQuestion { lead, customer, words, .. }) = (ctx.origin, ctx.profile.org.id, question);
    let id = insert_question(tx, ctx, question).await?;
    record_event(tx, origin, org, customer, Some(lead), ConversationEvent::In, words).await?;
    message::cancel_nudges(tx, origin, org, customer).await?;
    live::publish_event(tx, origin, org, Topic::Message, id.0, Some(lead.0)).await?;
    Ok(Some(id))
}

#[must_use]
pub fn truncate_for_alert(words: &str) -> String {
    words.chars().take(SHOWN_IN_ALERT).collect()
}

async fn is_duplicate_question(tx: &mut Tx, ctx: &OrgContext<'_>, question: CustomerQuestion<'_>) -> Result<bool> {
    Ok(q!(
        tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message WHERE org_id = $1 AND customer_id = $2 AND direction = 'in' AND body = $3
             AND created_at > $4)",
        ctx.profile.org.id,
        question.customer,
        question.words,
        ctx.origin.now() - chrono::Duration::hours(1)
    )?)
}

async fn insert_question(tx: &mut Tx, ctx: &OrgContext<'_>, question: CustomerQuestion<'_>) -> Result<MessageId> {
    let (id, now) = (MessageId(ctx.origin.uuid_v7()), ctx.origin.now());
    insert_row!(
        tx,
        execute,
        message {
            org_id: ctx.profile.org.id,
            id,
            direction: MessageDirection::In,
            channel: MessageChannel::Email,
            kind: MessageKind::Incoming,
            class: ContactClass::Conversational,
            lead_id: question.lead,
            customer_id: question.customer,
            from_address: question.email.unwrap_or(question.name),
            to_address: &ctx.profile.org.name,
            subject: question.subject,
            body: question.words,
            status: message::MessageStatus::Received,
            dedupe_key: format!("asked:{id}"),
            attempts: 0_i64,
            fence: 1_i64,
            next_attempt_at: now,
            deadline_at: now,
            reconcile_checks: 0_i64,
            created_at: now,
        }
    )?;
    Ok(id)
}
