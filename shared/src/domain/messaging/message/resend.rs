//! Decisions of a person about one message: send it again, or cancel it.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    MessageChannel, MessageKind, MessageStatus, MessageView, build_repeat_task, document_send, get_message,
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
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{MessageId, OrgId},
        tasks,
    },
};

mod first_answer;

/// The rule of the answers to keywords themselves.
const ONLY_AT_ONCE: &str = "it answers a keyword, and leaves within five minutes or not at all";

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
    if let Some(why) = find_lasting_refusal(&mut message, set_up) {
        return Ok(ResendCheck::not_allowed(why));
    }
    // It would be counted once more.
    message.counted_at = None;
    let now = origin.now();
    let deadline = new_deadline(message.kind, message.channel(), now).unwrap_or(message.deadline_at);
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

/// What no change of its subject overrides.
fn find_lasting_refusal(message: &mut ClaimedMessage, set_up: SendChannels) -> Option<String> {
    if message.kind.answers_keyword() {
        return Some(ONLY_AT_ONCE.to_owned());
    }
    if message.status == MessageStatus::Filed && !set_up.email {
        return Some("email is not set up".to_owned());
    }
    // A person may override an ended subject, as far as `find_obstacle` allows; the send policy does not stop it then.
    let ended = message.ended.take();
    ended.filter(|_| message.kind == MessageKind::AutoReply)
}

/// Until when it is worth sending, from now. None where it stays of use as long as before.
fn new_deadline(kind: MessageKind, channel: MessageChannel, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    (!kind.keeps_deadline()).then(|| now + kind.max_age(channel))
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
        None if message.kind.can_promise_reply() => {
            first_answer::find_request_obstacle(&mut *conn, message, now).await?
        }
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

/// Resends because a person says so: the only way out of `unknown` that may repeat a text.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it may not be repeated.
pub async fn retry_message(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: MessageId) -> Result<MessageView> {
    let before = get_message(&mut *tx, org, id).await?;
    if before.kind.answers_keyword() {
        return Err(ConflictReason::message_not_resendable(ONLY_AT_ONCE).into());
    }
    let now = origin.now();
    let changed = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = NULL, fence = fence + 1, next_attempt_at = $3,
             deadline_at = COALESCE($4, deadline_at), sent_at = NULL, delivered_at = NULL, resent_at = $3
         WHERE org_id = $1 AND id = $2 AND status IN ('failed', 'unknown', 'not_sent', 'filed')",
        org,
        id,
        now,
        new_deadline(before.kind, before.channel, now)
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
