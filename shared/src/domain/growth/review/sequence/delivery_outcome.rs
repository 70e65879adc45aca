//! Effects of a review request that left, failed or was cancelled.

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        growth::review::{
            request_lifecycle::{self, ReviewRequest},
            rule::{ReviewRequestReason, ReviewRequestState, ReviewSequenceStep, SEND_WINDOW},
        },
        messaging::{
            followup::{FollowUpStep, PlannedStep},
            message::{ClaimedMessage, MessageChannel},
        },
        tenancy::org,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{MessageId, OrgId, ReviewRequestId},
    },
};

#[derive(FromRow)]
struct SequenceMessageRow {
    about_id: Option<uuid::Uuid>,
    channel: MessageChannel,
    sent_at: Option<DateTime<Utc>>,
}

async fn find_message(
    conn: &mut dyn AsConn,
    org: OrgId,
    id: MessageId,
) -> Result<Option<(ReviewRequestId, SequenceMessageRow)>> {
    let sql = "SELECT about_id, channel, sent_at FROM message WHERE org_id = $1 AND id = $2";
    let found = q!(conn, fetch_optional as SequenceMessageRow, sql, org, id)?;
    Ok(found.and_then(|part| Some((ReviewRequestId(part.about_id?), part))))
}

/// The first request marks the ask and plans the next steps.
pub(crate) async fn on_request_sent(tx: &mut Tx, origin: &ClockRng, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, part)) = find_message(&mut *tx, org, message).await? else { return Ok(()) };
    let asked_at = part.sent_at.unwrap_or(origin.now());
    let asked = q!(
        &mut *tx,
        fetch_optional scalar ReviewRequestState,
        "UPDATE review_request SET asked_at = $3, channel = $4,
             state = CASE state WHEN 'waiting' THEN 'asked' WHEN 'not_asked' THEN 'stopped' ELSE state END
         WHERE org_id = $1 AND id = $2 AND asked_at IS NULL RETURNING state",
        org,
        id,
        asked_at,
        part.channel
    )?;
    let (Some(state), Some(ask)) = (asked, request_lifecycle::find_request(&mut *tx, org, id).await?) else {
        return Ok(());
    };
    if state == ReviewRequestState::Asked {
        schedule_follow_ups(&mut *tx, origin, org, &ask, asked_at).await?;
    }
    request_lifecycle::announce_request(tx, origin, org, &ask).await
}

async fn schedule_follow_ups(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    ask: &ReviewRequest,
    asked_at: DateTime<Utc>,
) -> Result<()> {
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    if !profile.settings.reviews.follow_ups {
        return Ok(());
    }
    let mut steps = Vec::new();
    for (turn, after) in ReviewSequenceStep::AFTER {
        let due_at = request_lifecycle::next_courtesy_hour(&mut *tx, &profile, ask, asked_at + after).await?;
        steps.push(PlannedStep { step: FollowUpStep::Named(turn.name()), due_at, expires_at: due_at + SEND_WINDOW });
    }
    request_lifecycle::insert_steps(tx, origin, org, ask, &steps, None).await
}

/// After a first text that failed, an email is tried; otherwise the customer counts as not asked.
pub(super) async fn on_request_failed(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    let org = message.org_id;
    let Some((id, _)) = find_message(&mut *tx, org, message.id).await? else { return Ok(()) };
    let Some(ask) = request_lifecycle::find_request(&mut *tx, org, id).await? else { return Ok(()) };
    if ask.state != ReviewRequestState::Waiting {
        return Ok(());
    }
    if message.to.is_email() {
        request_lifecycle::end_request(tx, origin, org, id, (ReviewRequestReason::NotSent, Some(reason)), None).await?;
        return Ok(());
    }
    let sql = "UPDATE review_request SET sms_stop_reason = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, id, reason)?;
    let Some(business) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, business).await?;
    request_lifecycle::schedule_first_step(tx, origin, &profile, id, origin.now(), None).await
}

/// A cancelled message ends the sequence.
pub(super) async fn on_request_cancelled(tx: &mut Tx, origin: &ClockRng, org: OrgId, message: MessageId) -> Result<()> {
    let Some((id, _)) = find_message(&mut *tx, org, message).await? else { return Ok(()) };
    request_lifecycle::end_request(tx, origin, org, id, (ReviewRequestReason::ByHand, None), None).await.map(|_| ())
}
