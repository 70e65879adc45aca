//! Provider reports about a text that it took: on its way, delivered, or not.
//!
//! Reports come late, twice, in any order, and before the response to their request. A report never moves a message
//! back; one for a message in doubt is the evidence that it was accepted (trust requirements 1.1 and 76). An unmatched
//! report is kept, and joined when the provider's id of the text is known.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use super::{MessageKind, MessageStatus, refresh_after_change, refusal, subject::MessageSubjects};
use crate::{
    domain::messaging::response_sla,
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{LeadId, MessageId, OrgId},
    },
};

mod early_reports;
mod report_effect;

pub(super) use early_reports::prune_early_reports;

use early_reports::{apply_early_reports, store_early_report};
use report_effect::{ReportedAttempt, ReportedState, next_status, parse_twilio_status};

/// One report of Twilio's status callback (twilio.com/docs/messaging/guides/track-outbound-message-status).
#[derive(Clone, Debug)]
pub struct DeliveryReport<'a> {
    /// Our id, if it is in the address that Twilio called.
    pub message: Option<MessageId>,
    pub provider_id: &'a str,
    /// `queued`, `sent`, `delivered`, `undelivered`, `failed`, …
    pub status: &'a str,
    pub code: Option<i32>,
    pub received_at: DateTime<Utc>,
}

#[derive(Clone, Debug, FromRow)]
struct ReportedMessage {
    org_id: OrgId,
    id: MessageId,
    kind: MessageKind,
    lead_id: Option<LeadId>,
    status: MessageStatus,
    attempts: i64,
    provider_id: Option<String>,
}

/// Applies a report in the open transaction, and returns the business of its message. Idempotent.
pub async fn process_delivery_report(
    tx: &mut Tx,
    origin: &ClockRng,
    report: &DeliveryReport<'_>,
) -> Result<Option<OrgId>> {
    let Some(says) = parse_twilio_status(report.status) else { return Ok(None) };
    let Some(message) = lock_reported_message(tx, report).await? else {
        store_early_report(tx, report).await?;
        return Ok(None);
    };
    // Its worker holds a message that is being sent, and will read what was kept.
    if message.status == MessageStatus::Sending {
        record_early_report(tx, &message, report).await?;
    } else {
        apply_report(tx, origin, &message, says, report).await?;
    }
    Ok(Some(message.org_id))
}

/// Finds the message and locks its row, so that reports and the recording worker come one after the other.
async fn lock_reported_message(tx: &mut Tx, report: &DeliveryReport<'_>) -> Result<Option<ReportedMessage>> {
    if let Some(id) = report.message {
        let found = q!(
            &mut *tx,
            fetch_optional as ReportedMessage,
            "UPDATE message SET fence = fence WHERE id = $1 AND channel = 'sms' AND direction = 'out'
             RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
            id
        )?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(q!(
        tx,
        fetch_optional as ReportedMessage,
        "UPDATE message SET fence = fence WHERE provider_id = $1 AND channel = 'sms' AND direction = 'out'
         RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
        report.provider_id
    )?)
}

/// The report came before the response: its provider id is stored, so there is no doubt if the response never comes.
async fn record_early_report(tx: &mut Tx, message: &ReportedMessage, report: &DeliveryReport<'_>) -> Result<()> {
    if is_earlier_attempt(tx, message, report.provider_id).await? {
        return Ok(());
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET provider_id = $3 WHERE org_id = $1 AND id = $2 AND provider_id IS NULL",
        message.org_id,
        message.id,
        report.provider_id
    )?;
    store_early_report(tx, report).await
}

async fn is_earlier_attempt(tx: &mut Tx, message: &ReportedMessage, provider_id: &str) -> Result<bool> {
    Ok(q!(
        tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND detail = $3)",
        message.org_id,
        message.id,
        provider_id
    )?)
}

async fn apply_report(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ReportedMessage,
    says: ReportedState,
    report: &DeliveryReport<'_>,
) -> Result<()> {
    if message.attempts == 0 {
        return Ok(());
    }
    let about = if message.provider_id.as_deref() == Some(report.provider_id) {
        ReportedAttempt::This
    } else if is_earlier_attempt(tx, message, report.provider_id).await? {
        ReportedAttempt::Earlier
    } else {
        ReportedAttempt::Unheard
    };
    let Some(then) = next_status(message.status, says, about) else { return Ok(()) };
    if about == ReportedAttempt::Unheard {
        record_provider_id(tx, message.org_id, message.id, message.attempts, report.provider_id).await?;
    }
    update_status(tx, message, then, report).await?;
    if then == MessageStatus::Failed {
        return refusal::process_undelivered(tx, origin, message.id, report.code).await;
    }
    after_accepted(tx, origin, message).await
}

async fn after_accepted(tx: &mut Tx, origin: &ClockRng, message: &ReportedMessage) -> Result<()> {
    if message.kind.can_promise_reply() {
        response_sla::record_sent_promise(&mut *tx, origin, message.org_id, message.id).await?;
    }
    refresh_after_change(&mut *tx, origin, message.org_id, message.lead_id, message.id).await?;
    if let Some(subject) = MessageSubjects::find_by_kind(&*tx, message.kind)? {
        subject.on_accepted(tx, origin, message.org_id, message.id).await?;
    }
    Ok(())
}

async fn update_status(
    tx: &mut Tx,
    message: &ReportedMessage,
    then: MessageStatus,
    report: &DeliveryReport<'_>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message SET status = $3, reason = NULL, provider_id = $4, delivered_at = $5, unconfirmed_since = NULL,
             fence = fence + 1, sent_at = COALESCE(sent_at, $6)
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        then,
        report.provider_id,
        (then == MessageStatus::Delivered).then_some(report.received_at),
        report.received_at
    )?;
    Ok(())
}

/// Stores the provider id with the attempt, so that later reports match it.
async fn record_provider_id(tx: &mut Tx, org: OrgId, id: MessageId, number: i64, provider_id: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE message_attempt SET outcome = 'accepted', detail = $4
         WHERE org_id = $1 AND message_id = $2 AND number = $3",
        org,
        id,
        number,
        provider_id
    )?;
    Ok(())
}

/// The provider has the message under this id: from its response, list or report. Joins earlier reports.
pub(super) async fn record_provider_acceptance(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, id): (OrgId, MessageId),
    provider_id: &str,
    at: DateTime<Utc>,
) -> Result<()> {
    let message = q!(
        &mut *tx,
        fetch_optional as ReportedMessage,
        "UPDATE message SET status = 'sent', reason = NULL, provider_id = $3, sent_at = COALESCE(sent_at, $4),
             unconfirmed_since = NULL, fence = fence + 1
         WHERE org_id = $1 AND id = $2 RETURNING org_id, id, kind, lead_id, status, attempts, provider_id",
        org,
        id,
        provider_id,
        at
    )?;
    let Some(message) = message else { return Ok(()) };
    record_provider_id(tx, org, id, message.attempts, provider_id).await?;
    after_accepted(tx, origin, &message).await?;
    apply_early_reports(tx, origin, provider_id).await
}

/// Provider id that was reported while the message was being sent.
pub(super) async fn find_provider_id(tx: &mut Tx, org: OrgId, id: MessageId) -> Result<Option<String>> {
    let sql = "SELECT provider_id FROM message WHERE org_id = $1 AND id = $2 AND channel = 'sms'";
    Ok(q!(tx, fetch_optional scalar Option<String>, sql, org, id)?.flatten())
}
