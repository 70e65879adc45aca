//! Recording the outcome of an attempt at sending, and its consequences.

use chrono::{DateTime, Duration, Utc};

use super::ClaimedMessage;
use crate::{
    domain::messaging::{
        alert::escalation,
        message::{
            MessageStatus, build_repeat_task, cost, delivery, reconcile, refresh_after_change, refusal, send_policy,
            subject::MessageSubjects,
        },
        response_sla,
        sending_number::contact,
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        recipient::Recipient,
        tasks,
    },
    providers::{AcceptedMessage, SendError},
};

/// Pause when a provider says "later" without a time.
const PAUSE_WITHOUT_A_WORD: Duration = Duration::seconds(2);

/// Records the outcome of the provider call. Returns false, and writes nothing, when the claim was lost meanwhile.
pub async fn record_outcome(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    outcome: &Result<AcceptedMessage, SendError>,
) -> Result<bool> {
    let is_ours = is_claim_current(tx, message).await? || (outcome.is_ok() && has_lost_claim(tx, message).await?);
    if !is_ours {
        return Ok(false);
    }
    end_attempt(tx, origin, message, outcome).await?;
    match outcome {
        Ok(accepted) => mark_accepted(tx, origin, message, accepted).await?,
        Err(SendError::Retry { reason, after }) => {
            let asked = after.and_then(|after| Duration::from_std(after).ok());
            schedule_retry(tx, origin, message, reason, asked).await?;
        }
        Err(SendError::Busy { code, reason, after }) => {
            refusal::process_rate_limited(tx, origin, message, (*code, reason), *after).await?;
        }
        Err(SendError::Refused { code, reason, kind }) => {
            refusal::process_refusal(tx, origin, message, *code, *kind, reason).await?;
        }
        Err(SendError::Unknown { reason }) => reconcile::begin_reconciliation(tx, origin, message, reason).await?,
        Err(SendError::NotSetUp { reason }) => {
            finish_message(tx, origin, message, MessageStatus::NotSent, Some(reason)).await?;
        }
    }
    Ok(true)
}

/// Whether the claim still holds. The row is locked until the transaction ends.
pub(super) async fn is_claim_current(tx: &mut Tx, message: &ClaimedMessage) -> Result<bool> {
    let held = q!(
        tx,
        execute,
        "UPDATE message SET fence = fence WHERE org_id = $1 AND id = $2 AND status = 'sending' AND fence = $3",
        message.org_id,
        message.id,
        message.fence
    )?;
    Ok(held == 1)
}

/// Whether the database lost the claim and shows the message as waiting: after a server crash without its last commits,
/// or a standby that took over too early. A text that the provider took must not leave again.
async fn has_lost_claim(tx: &mut Tx, message: &ClaimedMessage) -> Result<bool> {
    let found = q!(
        tx,
        execute,
        "UPDATE message SET status = 'sending', attempts = $4, fence = $3
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') AND fence < $3",
        message.org_id,
        message.id,
        message.fence,
        message.attempts
    )?;
    Ok(found == 1)
}

pub(super) async fn end_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    outcome: &Result<AcceptedMessage, SendError>,
) -> Result<()> {
    let (name, code, detail) = match outcome {
        // Matches a report that comes much later, after other attempts.
        Ok(a) if message.to.is_phone() => ("accepted", None, Some(a.provider_id.as_str())),
        Ok(a) => ("accepted", None, a.provider_status.as_deref()),
        Err(SendError::Retry { reason, .. }) => ("retry", None, Some(reason.as_str())),
        Err(SendError::Busy { code, reason, .. }) => ("retry", Some(i64::from(*code)), Some(reason.as_str())),
        Err(SendError::Refused { code, reason, .. }) => ("refused", code.map(i64::from), Some(reason.as_str())),
        Err(SendError::Unknown { reason }) => ("unknown", None, Some(reason.as_str())),
        Err(SendError::NotSetUp { reason }) => ("not_set_up", None, Some(reason.as_str())),
    };
    q!(
        tx,
        execute,
        "UPDATE message_attempt SET ended_at = $4, outcome = $5, code = $6, detail = $7
         WHERE org_id = $1 AND message_id = $2 AND number = $3",
        message.org_id,
        message.id,
        message.attempts,
        origin.now(),
        name,
        code,
        detail
    )?;
    match (&message.to, message.sender(), name) {
        (Recipient::Phone(phone), Some(sender), "retry" | "refused" | "not_set_up") => {
            let attempt = (message.org_id, message.id, message.attempts);
            contact::undo_outbound_contact(tx, attempt, sender, phone).await
        }
        _ => Ok(()),
    }
}

async fn mark_accepted(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    accepted: &AcceptedMessage,
) -> Result<()> {
    if message.to.is_phone() {
        let named = (message.org_id, message.id);
        cost::record_bill(&mut *tx, message.org_id, message.id, &accepted.bill).await?;
        return delivery::record_provider_acceptance(tx, origin, named, &accepted.provider_id, origin.now()).await;
    }
    let status = if accepted.stored_as.is_some() { MessageStatus::Filed } else { MessageStatus::Sent };
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = $3, reason = NULL, provider_id = $4, stored_as = $5, sent_at = $6
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        status,
        &accepted.provider_id,
        accepted.stored_as.as_deref(),
        origin.now()
    )?;
    if status == MessageStatus::Sent && message.kind.can_promise_reply() {
        response_sla::record_sent_promise(&mut *tx, origin, message.org_id, message.id).await?;
    }
    refresh_after_change(&mut *tx, origin, message.org_id, message.lead_id, message.id).await?;
    let Some(subject) = MessageSubjects::find_by_kind(&*tx, message.kind)? else { return Ok(()) };
    match status {
        MessageStatus::Sent => subject.on_accepted(tx, origin, message.org_id, message.id).await,
        // Saved as a file, so the customer has not read it.
        _ => subject.on_failed(tx, origin, message, "email is not set up").await,
    }
}

/// Surely not accepted: retries after a pause, unless that is too late.
pub(in crate::domain::messaging::message) async fn schedule_retry(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
    asked: Option<Duration>,
) -> Result<()> {
    let now = origin.now();
    if let Some(wait) = asked {
        refusal::pause_channel(tx, message.channel(), now + wait.max(PAUSE_WITHOUT_A_WORD)).await?;
    }
    let next = now
        + tasks::retry_delay(message.attempts, &origin.entropy)
            .max(asked.map_or(Duration::zero(), |a| a + retry_jitter(origin)));
    refusal::retry_or_fail(tx, origin, message, next, reason).await
}

/// Back to waiting, with a task that checks again. What the send policy holds keeps its time of being worth sending.
pub(in crate::domain::messaging::message) async fn postpone_message(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    status: MessageStatus,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    let deadline = match status {
        MessageStatus::Held => {
            send_policy::held_message_deadline(message.kind, message.channel(), message.deadline_at, until)
        }
        _ => message.deadline_at,
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = $3, reason = $4, next_attempt_at = $5, deadline_at = $6, fence = fence + 1
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        status,
        reason,
        until,
        deadline
    )?;
    let turn = format!("{}:{}", message.attempts, origin.uuid_v7());
    let task = build_repeat_task(&mut *tx, (message.org_id, message.id), message.channel(), until, &turn).await?;
    tasks::enqueue(tx, origin, vec![task]).await?;
    refresh_after_change(tx, origin, message.org_id, message.lead_id, message.id).await
}

/// Ends the message in `status`. The fence is raised, so that earlier holders cannot write any more.
pub(in crate::domain::messaging::message) async fn finish_message(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    status: MessageStatus,
    reason: Option<&str>,
) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = $3, reason = $4, fence = fence + 1 WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        status,
        reason
    )?;
    refresh_after_change(tx, origin, message.org_id, message.lead_id, message.id).await?;
    if let Some(subject) = MessageSubjects::find_by_kind(&*tx, message.kind)? {
        subject.on_failed(&mut *tx, origin, message, reason.unwrap_or_default()).await?;
    }
    if matches!(status, MessageStatus::Failed | MessageStatus::NotSent) {
        escalation::escalate_by_email(tx, origin, message, reason.unwrap_or_default()).await?;
    }
    Ok(())
}

/// Up to two seconds, so that waiting messages do not retry at the same instant.
pub(in crate::domain::messaging::message) fn retry_jitter(origin: &ClockRng) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "below 2000")]
    Duration::milliseconds((origin.entropy.random_fraction() * 2000.0) as i64)
}
