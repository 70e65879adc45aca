//! Recording how a try at sending ended, and what follows from it.

use chrono::{DateTime, Duration, Utc};

use super::Outgoing;
use crate::{
    domain::{
        growth::review,
        messaging::{
            alert::escalation,
            message::{Channel, Kind, Status, cost, delivery, reconcile, refusal, send_policy, settled, wakeup},
            response_sla,
            sending_number::contact,
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        tasks,
    },
    providers::{Accepted, SendError},
};

/// A provider that says "later" without saying when is left alone this long.
const PAUSE_WITHOUT_A_WORD: Duration = Duration::seconds(2);

/// Records how the provider call ended. Returns false, and writes nothing, when the message was taken away meanwhile.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    outcome: &Result<Accepted, SendError>,
) -> Result<bool> {
    let is_ours = is_still_held(tx, message).await? || (outcome.is_ok() && is_forgotten(tx, message).await?);
    if !is_ours {
        return Ok(false);
    }
    end_attempt(tx, origin, message, outcome).await?;
    match outcome {
        Ok(accepted) => accept(tx, origin, message, accepted).await?,
        Err(SendError::Retry { reason, after }) => {
            let asked = after.and_then(|after| Duration::from_std(after).ok());
            try_again(tx, origin, message, reason, asked).await?;
        }
        Err(SendError::Busy { code, reason, after }) => {
            refusal::busy(tx, origin, message, (*code, reason), *after).await?;
        }
        Err(SendError::Refused { code, reason, kind }) => {
            refusal::refused(tx, origin, message, *code, *kind, reason).await?;
        }
        Err(SendError::Unknown { reason }) => reconcile::begin(tx, origin, message, reason).await?,
        Err(SendError::NotSetUp { reason }) => settle(tx, origin, message, Status::NotSent, Some(reason)).await?,
    }
    Ok(true)
}

/// Whether the message is still in the hands that claimed it; its row is held until the transaction ends.
pub(super) async fn is_still_held(tx: &mut Tx, message: &Outgoing) -> Result<bool> {
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

/// Whether the database has lost the claim: it says that the message waits, as before. A server that crashed without its
/// last commits does, and a standby that took over too early. What the provider has taken must not leave again.
async fn is_forgotten(tx: &mut Tx, message: &Outgoing) -> Result<bool> {
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
    origin: &Origin,
    message: &Outgoing,
    outcome: &Result<Accepted, SendError>,
) -> Result<()> {
    let (name, code, detail) = match outcome {
        // A report that comes much later is known by this number again, whatever else was tried meanwhile.
        Ok(a) if message.channel == Channel::Sms => ("accepted", None, Some(a.provider_id.as_str())),
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
    match (message.channel, message.sender(), name) {
        (Channel::Sms, Some(sender), "retry" | "refused" | "not_set_up") => {
            let attempt = (message.org_id, message.id, message.attempts);
            contact::take_back(tx, attempt, sender, &message.to_address).await
        }
        _ => Ok(()),
    }
}

async fn accept(tx: &mut Tx, origin: &Origin, message: &Outgoing, accepted: &Accepted) -> Result<()> {
    if message.channel == Channel::Sms {
        let named = (message.org_id, message.id);
        cost::note(&mut *tx, message.org_id, message.id, &accepted.bill).await?;
        return delivery::accepted(tx, origin, named, &accepted.provider_id, origin.now()).await;
    }
    let status = if accepted.stored_as.is_some() { Status::Filed } else { Status::Sent };
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
    if status == Status::Sent && message.kind.may_promise() {
        response_sla::made(&mut *tx, origin, message.org_id, message.id).await?;
    }
    settled(&mut *tx, origin, message.org_id, message.lead_id, message.id).await?;
    match (message.kind, status) {
        (Kind::ReviewRequest, Status::Sent) => review::sequence::left(tx, origin, message.org_id, message.id).await,
        // It stands as a file, and nobody has read it.
        (Kind::ReviewRequest, _) => review::sequence::failed(tx, origin, message, "email is not set up").await,
        _ => Ok(()),
    }
}

/// Surely not accepted: again after a pause, unless it would come too late to be of use.
pub(in crate::domain::messaging::message) async fn try_again(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    reason: &str,
    asked: Option<Duration>,
) -> Result<()> {
    let now = origin.now();
    if let Some(wait) = asked {
        refusal::pause(tx, message.channel, now + wait.max(PAUSE_WITHOUT_A_WORD)).await?;
    }
    let next = now
        + tasks::backoff(message.attempts, &origin.entropy).max(asked.map_or(Duration::zero(), |a| a + spread(origin)));
    refusal::wait_or_give_up(tx, origin, message, next, reason).await
}

/// Back to waiting, with the task that will look again. What the gate holds stays worth sending for as long as it
/// would have been.
pub(in crate::domain::messaging::message) async fn postpone(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    status: Status,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    let deadline = match status {
        Status::Held => send_policy::deadline_when_held(message.kind, message.channel, message.deadline_at, until),
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
    let turn = format!("{}:{}", message.attempts, origin.uuid());
    tasks::enqueue(tx, origin, vec![wakeup(message.org_id, message.id, message.channel, until, &turn)]).await?;
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

/// Ends the message in `status`. The fence moves on, so that nobody who held it can write any more.
pub(in crate::domain::messaging::message) async fn settle(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    status: Status,
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
    settled(tx, origin, message.org_id, message.lead_id, message.id).await?;
    if message.kind == Kind::ReviewRequest {
        review::sequence::failed(&mut *tx, origin, message, reason.unwrap_or_default()).await?;
    }
    if matches!(status, Status::Failed | Status::NotSent) {
        escalation::not_texted(tx, origin, message, reason.unwrap_or_default()).await?;
    }
    Ok(())
}

/// Up to two seconds, so that all who wait do not come back at the same instant.
pub(in crate::domain::messaging::message) fn spread(origin: &Origin) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "below 2000")]
    Duration::milliseconds((origin.entropy.fraction() * 2000.0) as i64)
}
