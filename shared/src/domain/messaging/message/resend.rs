//! Decisions of a person about one message: send it again, or cancel it.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    MessageKind, MessageStatus, MessageView, build_repeat_task, document_send, get_message,
    outlook::{self, OutlookState, SendOutlook},
    refresh_after_change,
    send::{self, ClaimedMessage},
    send_policy::SendVerdict,
    sms_link,
    subject::{MessageSubjects, ResendObstacle},
};
use crate::{
    conflicts::{ConflictCode, ConflictReason, reword_stored_reason},
    domain::{
        messaging::response_sla,
        tenancy::org::{self, SendChannels},
    },
    platform::{
        business_hours::OpenState,
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{MessageId, OrgId},
        tasks,
    },
};

/// Whether a message may go once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AgainMay)]
pub enum ResendPermission {
    /// It goes.
    Go,
    /// What it is about has changed: a person may send it all the same.
    GoAnyway,
    /// A rule stops it, without an override.
    No,
}

/// What sending a message again would do now.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SendAgain)]
pub struct ResendCheck {
    pub may: ResendPermission,
    /// A clause: "this estimate was approved on May 3". None when it goes as it is.
    pub reason: Option<String>,
    /// What becomes of it once it is queued.
    pub outlook: Option<SendOutlook>,
}

impl ResendCheck {
    fn not_allowed(reason: String) -> Self {
        Self { may: ResendPermission::No, reason: Some(reason), outlook: None }
    }
}

/// Checks again with what is known now: the subject, the send policy, the hours. Changes nothing.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it may not be repeated.
pub async fn check_resend(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    set_up: SendChannels,
    org: OrgId,
    id: MessageId,
) -> Result<ResendCheck> {
    let found = send::load_message(&mut *conn, origin, id).await?.filter(|message| message.org_id == org);
    let mut message = found.ok_or(Error::NotFound)?;
    if !message.status.is_retryable() {
        return Err(why_not_resendable(conn, origin.now(), org, id).await?);
    }
    if message.status == MessageStatus::Filed && !set_up.email {
        return Ok(ResendCheck::not_allowed("email is not set up".to_owned()));
    }
    // A person may override an ended subject, as far as `find_obstacle` allows; the send policy does not stop it then.
    let ended = message.ended.take();
    if let Some(why) = ended.filter(|_| message.kind == MessageKind::AutoReply) {
        return Ok(ResendCheck::not_allowed(why));
    }
    // It would be counted once more.
    message.counted_at = None;
    let now = origin.now();
    let deadline = now + message.kind.max_age(message.channel());
    let outlook = match outlook::evaluate_policy(&mut *conn, &message, set_up, deadline, now).await? {
        SendVerdict::No(why) => return Ok(ResendCheck::not_allowed(why)),
        verdict => outlook::resend_outlook(&mut *conn, &message, verdict, set_up, now).await?,
    };
    if outlook.state == OutlookState::NotSent {
        return Ok(ResendCheck::not_allowed(outlook.text));
    }
    Ok(match find_obstacle(conn, &message, now).await? {
        None => ResendCheck { may: ResendPermission::Go, reason: None, outlook: Some(outlook) },
        Some(ResendObstacle { why, may_override: true }) => {
            ResendCheck { may: ResendPermission::GoAnyway, reason: Some(why), outlook: Some(outlook) }
        }
        Some(ResendObstacle { why, .. }) => ResendCheck::not_allowed(why),
    })
}

/// Why a message may not be repeated. A held message leaves by itself.
async fn why_not_resendable(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, id: MessageId) -> Result<Error> {
    let message = get_message(&mut *conn, org, id).await?;
    let Some(until) = message.held_until else {
        return Ok(ConflictCode::MessageAlreadySent.into_error());
    };
    let org = org::find(conn, org).await?.ok_or(Error::NotFound)?;
    let when = |language| outlook::format_time(until, org.zone(), now, language);
    let why = message.status_text.strip_prefix("held: ").unwrap_or(&message.status_text);
    Ok(ConflictReason::message_held(when, why).into())
}

async fn find_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    let obstacle = match message.about_id {
        Some(about) => match MessageSubjects::find_by_kind(&*conn, message.kind)? {
            Some(subject) => subject.find_resend_obstacle(&mut *conn, message, about, now).await?,
            None => None,
        },
        None if message.kind.can_promise_reply() => find_hours_obstacle(&mut *conn, message, now).await?,
        None => None,
    };
    if obstacle.is_none() && has_newer_send(&mut *conn, message).await? {
        return Ok(Some(ResendObstacle::with_reason(document_send::REPLACED_BY_RESEND, false)));
    }
    let spoken =
        || message.is_handled_by_person().then(|| ResendObstacle::with_reason("you have written to them since", true));
    match obstacle.or_else(spoken) {
        Some(changed) => Ok(Some(changed)),
        None => find_cancellation_obstacle(conn, message).await,
    }
}

/// Cancelled rule messages: the reason may still hold, so a person decides. A replaced message is never sent.
async fn find_cancellation_obstacle(conn: &mut dyn AsConn, message: &ClaimedMessage) -> Result<Option<ResendObstacle>> {
    if message.status != MessageStatus::NotSent || !message.kind.is_for_customers() {
        return Ok(None);
    }
    let sql = "SELECT reason FROM message WHERE org_id = $1 AND id = $2";
    let reason = q!(conn, fetch_optional scalar Option<String>, sql, message.org_id, message.id)?.flatten();
    Ok(match reason.map(|why| reword_stored_reason(&why).into_owned()) {
        Some(why) if document_send::REPLACED.contains(&why.as_str()) => Some(ResendObstacle::with_reason(why, false)),
        // The send policy was just asked whether it can be sent at all.
        Some(why) if sms_link::is_setup_reason(&why) => None,
        Some(why) if message.kind.is_automatic() => Some(ResendObstacle::with_reason(why, true)),
        _ => None,
    })
}

/// Whether its document was sent again by the same channel since: the newer message replaces it, sent or not.
async fn has_newer_send(conn: &mut dyn AsConn, message: &ClaimedMessage) -> Result<bool> {
    if !matches!(message.kind, MessageKind::Estimate | MessageKind::ChangeOrder | MessageKind::Invoice) {
        return Ok(false);
    }
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message o JOIN message m ON m.org_id = o.org_id AND m.lead_id = o.lead_id
             AND m.about_id = o.about_id AND m.channel = o.channel AND m.kind = o.kind
             WHERE o.org_id = $1 AND o.id = $2 AND o.dedupe_key NOT LIKE 'reminder:%' AND m.direction = 'out'
                 AND m.created_at > o.created_at AND m.status NOT IN ('failed', 'not_sent')
                 AND m.dedupe_key NOT LIKE 'reminder:%')",
        message.org_id,
        message.id
    )?)
}

/// The opening named by an answer out of hours is true only until then.
async fn find_hours_obstacle(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    now: DateTime<Utc>,
) -> Result<Option<ResendObstacle>> {
    let Some(business) = org::find(&mut *conn, message.org_id).await? else { return Ok(None) };
    let profile = org::load_profile(&mut *conn, business).await?;
    let (hours, zone) = (&profile.settings.hours, profile.org.zone());
    let is_open = |at| hours.state_at(zone, at) == OpenState::Open;
    Ok(match (is_open(message.created_at), is_open(now)) {
        (true, _) if names_past_reading_time(conn, message, now).await? => {
            Some(ResendObstacle::with_reason("it names a time that is past; write a new one", false))
        }
        (true, _) => None,
        (false, true) => Some(ResendObstacle::with_reason(
            "it says that you are closed, and you are open now; write a new one",
            false,
        )),
        (false, false) if hours.next_open_at(zone, message.created_at) == hours.next_open_at(zone, now) => None,
        (false, false) => Some(ResendObstacle::with_reason("it names an opening that is past; write a new one", false)),
    })
}

/// Whether its promise named when the request is read, and that is over.
async fn names_past_reading_time(conn: &mut dyn AsConn, message: &ClaimedMessage, now: DateTime<Utc>) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message
             WHERE org_id = $1 AND id = $2 AND sla_text LIKE 'after %' AND sla_starts_at <= $3)",
        message.org_id,
        message.id,
        now
    )?)
}

/// Resends because a person says so: the only way out of `unknown` that may repeat a text.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it may not be repeated.
pub async fn retry_message(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MessageId) -> Result<MessageView> {
    let before = get_message(&mut *tx, org, id).await?;
    let now = origin.now();
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = NULL, fence = fence + 1, next_attempt_at = $3, deadline_at = $4,
             sent_at = NULL, delivered_at = NULL, resent_at = $3
         WHERE org_id = $1 AND id = $2 AND status IN ('failed', 'unknown', 'not_sent', 'filed')",
        org,
        id,
        now,
        now + before.kind.max_age(before.channel)
    )?;
    if changed == 0 {
        return Err(why_not_resendable(tx, now, org, id).await?);
    }
    keep_attempts_before(tx, (org, id), now).await?;
    // Its promise counts from the new arrival, not from when it was lost.
    response_sla::delete_message_promise(&mut *tx, org, id).await?;
    let turn = format!("person:{}", origin.uuid_v7());
    let task = build_repeat_task(&mut *tx, (org, id), before.channel, now, &turn).await?;
    tasks::enqueue(tx, origin, vec![task]).await?;
    refresh_after_change(tx, origin, org, before.lead_id, id).await?;
    get_message(tx, org, id).await
}

/// A message that is sent again is counted again: its budgets count the first attempt from `resent_at` on
/// ([`ClaimedMessage::counted_at`]). After a clock was set back, an earlier attempt must not be taken for that one.
async fn keep_attempts_before(tx: &mut Tx, (org, id): (OrgId, MessageId), now: DateTime<Utc>) -> Result<()> {
    let sql = "UPDATE message_attempt SET started_at = $4 WHERE org_id = $1 AND message_id = $2 AND started_at >= $3";
    q!(tx, execute, sql, org, id, now, now - Duration::milliseconds(1))?;
    Ok(())
}

/// Cancels an unsent message that has become pointless. `why` is a clause without a name: "a newer version was made".
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn cancel_unsent(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: MessageId,
    why: &str,
) -> Result<MessageView> {
    cancel_waiting(tx, origin, org, id, why).await
}

/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it has left or is leaving.
pub async fn cancel_message(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    id: MessageId,
    who: &str,
) -> Result<MessageView> {
    cancel_waiting(tx, origin, org, id, &format!("cancelled by {who}")).await
}

async fn cancel_waiting(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MessageId, why: &str) -> Result<MessageView> {
    let before = get_message(&mut *tx, org, id).await?;
    let sql = "UPDATE message SET status = 'not_sent', reason = $3, fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND direction = 'out' AND status IN ('queued', 'held')";
    if q!(&mut *tx, execute, sql, org, id, why)? == 0 {
        return Err(ConflictCode::MessageAlreadyLeft.into_error());
    }
    refresh_after_change(tx, origin, org, before.lead_id, id).await?;
    if let Some(subject) = MessageSubjects::find_by_kind(&*tx, before.kind)? {
        subject.on_cancelled(&mut *tx, origin, org, id).await?;
    }
    get_message(tx, org, id).await
}
