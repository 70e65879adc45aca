//! Cancellation of waiting messages: after STOP, a reply or a conversation, or when the reason is gone.

use uuid::Uuid;

use super::{MessageKind, refresh_after_change};
use crate::{
    domain::{
        intake::customer::{CustomerEvent, notify_customer_listeners},
        messaging::{alert, followup},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{CustomerId, EventId, LeadId, MessageId, OrgId},
    },
};

/// Cancels what rules still wanted to send to this customer: a person is talking to them.
pub async fn cancel_automatic_messages(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    why: &str,
) -> Result<()> {
    cancel_auto_replies(&mut *tx, origin, org, customer, why).await?;
    followup::cancel_on_conversation(tx, origin, org, customer, why).await
}

/// Cancels automatic answers to this customer's last message. Follow-ups about documents go on.
pub async fn cancel_auto_replies(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    why: &str,
) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held')
             AND kind IN ('nudge', 'missed_call', 'text_reply')
         RETURNING id, lead_id",
        org,
        customer,
        why
    )?;
    refresh_all_after_change(tx, origin, org, stopped).await
}

/// Cancels the answers to the forms of a lead that have not left. Questions about a time have a subject, and leave.
pub(crate) async fn cancel_form_answers(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    why: &str,
) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND lead_id = $2 AND direction = 'out' AND status IN ('queued', 'held')
             AND kind = 'auto_reply' AND about_id IS NULL
         RETURNING id, lead_id",
        org,
        lead,
        why
    )?;
    refresh_all_after_change(tx, origin, org, stopped).await
}

pub async fn cancel_nudges(tx: &mut Tx, origin: &ClockRng, org: OrgId, customer: CustomerId) -> Result<()> {
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = 'they wrote back', fence = fence + 1
         WHERE org_id = $1 AND customer_id = $2 AND direction = 'out' AND status IN ('queued', 'held') AND kind = 'nudge'
         RETURNING id, lead_id",
        org,
        customer
    )?;
    refresh_all_after_change(tx, origin, org, stopped).await
}

/// STOP: cancels all waiting texts to `address`, of rules and persons, and ends review requests on every channel.
pub async fn cancel_texts_to_address(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    address: &str,
    why: &str,
) -> Result<()> {
    notify_customer_listeners(&mut *tx, origin, org, CustomerEvent::OptedOut(address)).await?;
    let stopped = q!(
        &mut *tx,
        fetch_all as (MessageId, Option<LeadId>),
        "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND to_address = $2 AND channel = 'sms' AND direction = 'out' AND status IN ('queued', 'held')
         RETURNING id, lead_id",
        org,
        address,
        why
    )?;
    alert::remove_text_links(tx, origin, org, address).await?;
    refresh_all_after_change(tx, origin, org, stopped).await
}

/// Cancels all waiting messages of a business, except emails about its accounts.
pub(crate) async fn cancel_all_waiting(tx: &mut Tx, org: OrgId, why: &str) -> Result<()> {
    let sql = "UPDATE message SET status = 'not_sent', reason = $2, fence = fence + 1
         WHERE org_id = $1 AND direction = 'out' AND status IN ('queued', 'held') AND kind <> 'account_notice'";
    q!(tx, execute, sql, org, why)?;
    Ok(())
}

/// Cancels rule messages about a subject that have a fixed hour. Messages sent by a person and confirmations leave.
pub(crate) async fn cancel_automatic_about(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    about: Uuid,
    why: &str,
) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all as (MessageId, MessageKind),
        "SELECT id, kind FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')
             AND direction = 'out'",
        org,
        about
    )?;
    let stopped =
        waiting.into_iter().filter(|(_, kind)| kind.expires_after_contact_hours()).map(|(id, _)| id).collect();
    cancel_each(tx, origin, org, stopped, why).await
}

/// Cancels all waiting messages about an ended subject (paid or answered), of rules and persons. Confirmations leave.
pub(crate) async fn cancel_all_about(tx: &mut Tx, origin: &ClockRng, org: OrgId, about: Uuid, why: &str) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT id FROM message WHERE org_id = $1 AND about_id = $2 AND status IN ('queued', 'held')
             AND direction = 'out' AND kind NOT IN ('receipt', 'signed')",
        org,
        about
    )?;
    cancel_each(tx, origin, org, waiting, why).await
}

pub(crate) async fn cancel_by_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: EventId,
    why: &str,
) -> Result<()> {
    let waiting = q!(
        &mut *tx,
        fetch_all scalar MessageId,
        "SELECT id FROM message WHERE org_id = $1 AND event_id = $2 AND status IN ('queued', 'held')",
        org,
        event
    )?;
    cancel_each(tx, origin, org, waiting, why).await
}

async fn cancel_each(tx: &mut Tx, origin: &ClockRng, org: OrgId, waiting: Vec<MessageId>, why: &str) -> Result<()> {
    for id in waiting {
        let stopped = q!(
            &mut *tx,
            fetch_all as (MessageId, Option<LeadId>),
            "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
             WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') RETURNING id, lead_id",
            org,
            id,
            why
        )?;
        refresh_all_after_change(tx, origin, org, stopped).await?;
    }
    Ok(())
}

async fn refresh_all_after_change(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    stopped: Vec<(MessageId, Option<LeadId>)>,
) -> Result<()> {
    for (id, lead) in stopped {
        refresh_after_change(tx, origin, org, lead, id).await?;
    }
    Ok(())
}
