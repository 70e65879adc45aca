//! Prediction for a queued message, in words for the person who sent it. A waiting message is never called sent.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    MessageChannel, MessageStatus, MessageView,
    send::{self, ClaimedMessage},
    send_policy::{self, SendContext, SendVerdict},
    send_readiness::SendReadiness,
};
use crate::{
    conflicts::reword_stored_reason,
    documents::{date_format, template::Language},
    domain::tenancy::{
        org::{self, OrgContext, SendChannels},
        trust_level::{self, MessageAddress, TrustContext},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, q},
        error::Result,
        id::{EventId, MessageId, OrgId},
        recipient::Recipient,
    },
};

/// A worker without a sign of life for this long sends nothing, nor does one that was stopped in order.
pub(super) const WORKER_SILENT: Duration = Duration::minutes(2);
/// A message due within this time is shown as leaving at once.
const AT_ONCE: Duration = Duration::seconds(90);

pub(super) const SENDING_STOPPED: &str = "sending is stopped right now";

/// How a message fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutlookState {
    /// It leaves at once, or has left.
    Leaves,
    /// It is kept until its hour.
    Held,
    /// It waits for the worker or the provider, without a known time.
    Waits,
    /// It is saved as a file: email is not set up.
    Filed,
    /// A rule stops it.
    NotSent,
}

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Outlook)]
pub struct SendOutlook {
    pub state: OutlookState,
    /// A clause: "held until 8:00 AM: it is night there". Of what leaves: "on its way".
    pub text: String,
    pub until: Option<DateTime<Utc>>,
}

impl SendOutlook {
    fn new(state: OutlookState, text: impl Into<String>) -> Self {
        Self { state, text: text.into(), until: None }
    }

    fn held_outlook(until: DateTime<Utc>, why: Option<&str>, zone: Tz, now: DateTime<Utc>) -> Self {
        let when = format_time(until, zone, now, Language::En);
        let text = why.map_or_else(|| format!("held until {when}"), |why| format!("held until {when}: {why}"));
        Self { until: Some(until), ..Self::new(OutlookState::Held, text) }
    }
}

/// "8:00 AM", "Tue, Nov 24 8:00 AM", "mar, el 24 nov 8:00 AM".
pub(super) fn format_time(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>, language: Language) -> String {
    let (at, today) = (at.with_timezone(&zone), now.with_timezone(&zone).date_naive());
    let (day, hour) = (at.date_naive(), date_format::format_time(&at));
    if day == today {
        return hour;
    }
    format!(
        "{}, {} {hour}",
        date_format::short_weekday_name(day, language),
        date_format::format_month_day(day, language)
    )
}

pub async fn load_outlook(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    set_up: SendChannels,
    org: OrgId,
    id: MessageId,
) -> Result<Option<SendOutlook>> {
    let Some(message) = send::load_message(&mut *conn, origin, id).await?.filter(|message| message.org_id == org)
    else {
        return Ok(None);
    };
    let now = origin.now();
    Ok(Some(match message.status {
        MessageStatus::Queued | MessageStatus::Held => {
            let verdict = evaluate_policy(&mut *conn, &message, set_up, message.deadline_at, now).await?;
            let stalled = is_worker_silent(conn, now).await?;
            outlook_of_verdict(&message, verdict, (set_up, stalled), now)
        }
        status => settled_outlook((status, message.reason.as_deref()), message.channel(), set_up),
    }))
}

fn settled_outlook(
    (status, reason): (MessageStatus, Option<&str>),
    channel: MessageChannel,
    set_up: SendChannels,
) -> SendOutlook {
    match status {
        MessageStatus::NotSent | MessageStatus::Failed | MessageStatus::Unknown => {
            let why = reason.map_or("it did not go out".into(), reword_stored_reason);
            SendOutlook::new(OutlookState::NotSent, why)
        }
        MessageStatus::Filed => filed_outlook(),
        // The worker is writing it into a file.
        MessageStatus::Sending if channel == MessageChannel::Email && !set_up.email => filed_outlook(),
        _ => leaving_outlook(),
    }
}

pub async fn load_event_outlook(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    set_up: SendChannels,
    org: OrgId,
    event: EventId,
) -> Result<Option<SendOutlook>> {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND event_id = $2";
    match q!(&mut *conn, fetch_optional scalar MessageId, sql, org, event)? {
        Some(id) => load_outlook(conn, origin, set_up, org, id).await,
        None => Ok(None),
    }
}

/// No rule stops an email about an account.
pub async fn account_mail_outlook(
    conn: &mut dyn AsConn,
    set_up: SendChannels,
    now: DateTime<Utc>,
) -> Result<SendOutlook> {
    if !set_up.email {
        return Ok(filed_outlook());
    }
    Ok(if is_worker_silent(conn, now).await? { stalled_outlook() } else { leaving_outlook() })
}

/// For a message that a rule words later: by this channel at `at`, with the business's current state.
pub async fn planned_message_outlook(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    to: &Recipient,
    at: DateTime<Utc>,
) -> Result<SendOutlook> {
    let readiness = SendReadiness::load_for_org(&mut *conn, intake.profile.org.id, intake.origin.now()).await?;
    planned_outlook_at(conn, intake, &readiness, to, at).await
}

/// As [`planned_message_outlook`], with what was read before.
pub(crate) async fn planned_outlook_at(
    conn: &mut dyn AsConn,
    intake: &OrgContext<'_>,
    readiness: &SendReadiness,
    to: &Recipient,
    at: DateTime<Utc>,
) -> Result<SendOutlook> {
    let (org, now) = (&intake.profile.org, intake.origin.now());
    let (addressed, money) = (MessageAddress::of_recipient(to, false), (org.id, intake.set_up.takes_money));
    let trust = TrustContext::load_at_level(conn, readiness.level, money, addressed, None, now).await?;
    Ok(outlook_in_trust(intake, readiness, trust, to, at))
}

/// As [`planned_outlook_at`] for now, of a trusted business: there is no budget to be read. None of any other.
pub(crate) fn planned_outlook_of_trusted(
    intake: &OrgContext<'_>,
    readiness: &SendReadiness,
    to: &Recipient,
) -> Option<SendOutlook> {
    let trust = TrustContext { takes_money: intake.set_up.takes_money, ..TrustContext::FULL };
    let is_trusted = readiness.level == trust.level;
    is_trusted.then(|| outlook_in_trust(intake, readiness, trust, to, intake.origin.now()))
}

fn outlook_in_trust(
    intake: &OrgContext<'_>,
    readiness: &SendReadiness,
    trust: TrustContext,
    to: &Recipient,
    at: DateTime<Utc>,
) -> SendOutlook {
    let (org, set_up, now) = (&intake.profile.org, intake.set_up, intake.origin.now());
    match trust_level::refusal_reason(trust, to.is_phone()) {
        Some(why) => SendOutlook::new(OutlookState::NotSent, why),
        None if at > now + AT_ONCE => SendOutlook::held_outlook(at, None, org.zone(), now),
        None if to.is_email() && !set_up.email => filed_outlook(),
        None if readiness.is_worker_silent => stalled_outlook(),
        None => leaving_outlook(),
    }
}

/// Send-policy verdict at the time it is due, if it is worth sending until `deadline`.
pub(super) async fn evaluate_policy(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    set_up: SendChannels,
    deadline: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<SendVerdict> {
    let at = if message.status == MessageStatus::Queued { message.next_attempt_at.max(now) } else { now };
    let spent = message.load_usage(&mut *conn, at).await?;
    let trust = message.load_trust(&mut *conn, set_up.takes_money, at).await?;
    let facts = SendContext { deadline_at: deadline.max(at), ..message.send_context(spent, trust) };
    // Without a mail server an email is saved as a file, which is no refusal.
    Ok(send_policy::may_send(&facts, SendChannels { email: true, ..set_up }, at).0)
}

pub(super) async fn resend_outlook(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    verdict: SendVerdict,
    set_up: SendChannels,
    now: DateTime<Utc>,
) -> Result<SendOutlook> {
    let stalled = is_worker_silent(conn, now).await?;
    Ok(outlook_of_verdict(message, verdict, (set_up, stalled), now))
}

fn outlook_of_verdict(
    message: &ClaimedMessage,
    verdict: SendVerdict,
    (set_up, is_silent): (SendChannels, bool),
    now: DateTime<Utc>,
) -> SendOutlook {
    let zone = org::zone_named(message.zone_name());
    match verdict {
        SendVerdict::No(why) => SendOutlook::new(OutlookState::NotSent, why),
        SendVerdict::TooLate => SendOutlook::new(OutlookState::NotSent, "it is too late to send it"),
        SendVerdict::HoldMessage { until, why } => {
            SendOutlook::held_outlook(held_message_send_time(message, until), Some(&why), zone, now)
        }
        SendVerdict::Wait(_) => {
            SendOutlook::new(OutlookState::Waits, "waiting: the provider takes nothing from us at the moment")
        }
        SendVerdict::Yes { .. } if message.next_attempt_at > now + AT_ONCE => {
            SendOutlook::held_outlook(message.next_attempt_at, None, zone, now)
        }
        SendVerdict::Yes { .. } if message.to.is_email() && !set_up.email => filed_outlook(),
        SendVerdict::Yes { .. } if is_silent => stalled_outlook(),
        SendVerdict::Yes { .. } => leaving_outlook(),
    }
}

/// Send time of a message held until `opens`; one that is held already keeps its time.
fn held_message_send_time(message: &ClaimedMessage, opens: DateTime<Utc>) -> DateTime<Utc> {
    let is_set = message.status == MessageStatus::Held && message.next_attempt_at >= opens;
    if is_set { message.next_attempt_at } else { message.postponed_until(opens) }
}

fn filed_outlook() -> SendOutlook {
    SendOutlook::new(OutlookState::Filed, "saved as a file: email is not set up")
}

fn stalled_outlook() -> SendOutlook {
    SendOutlook::new(OutlookState::Waits, format!("waiting: {SENDING_STOPPED}"))
}

fn leaving_outlook() -> SendOutlook {
    SendOutlook::new(OutlookState::Leaves, "on its way")
}

/// Marks messages that are overdue because no worker is running.
pub async fn mark_stalled_messages(
    conn: &mut dyn AsConn,
    messages: Vec<&mut MessageView>,
    now: DateTime<Utc>,
) -> Result<()> {
    let due: Vec<&mut MessageView> = messages.into_iter().filter(|message| is_due(message, now)).collect();
    if due.is_empty() || !is_worker_silent(conn, now).await? {
        return Ok(());
    }
    for message in due {
        message.mark_stalled();
    }
    Ok(())
}

fn is_due(message: &MessageView, now: DateTime<Utc>) -> bool {
    match message.status {
        MessageStatus::Sending => true,
        MessageStatus::Queued => message.next_attempt_at.is_none_or(|at| at <= now + AT_ONCE),
        _ => false,
    }
}

/// True when no worker ran yet, or each is stopped or gave no sign of life for too long.
pub(super) async fn is_worker_silent(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM worker_heartbeat WHERE stopped_at IS NULL AND seen_at >= $1)";
    Ok(q!(conn, fetch_one scalar bool, sql, now - WORKER_SILENT)?)
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn email_in_hand_is_filed_when_email_is_not_set_up() {
        let no_mail = SendChannels { email: false, ..SendChannels::ALL };
        let of = |channel, set_up| settled_outlook((MessageStatus::Sending, None), channel, set_up).state;
        assert_eq!(of(MessageChannel::Email, no_mail), OutlookState::Filed);
        assert_eq!(of(MessageChannel::Email, SendChannels::ALL), OutlookState::Leaves);
        assert_eq!(of(MessageChannel::Sms, no_mail), OutlookState::Leaves);
    }

    #[test]
    fn outlook_of_message_that_was_not_sent_is_its_stored_reason() {
        let of = |status, reason| settled_outlook((status, reason), MessageChannel::Email, SendChannels::ALL);
        for (stored, shown) in [
            (Some("they said STOP"), "they said STOP"),
            (Some("the visit was planned anew"), "the visit was planned again"),
            (None, "it did not go out"),
        ] {
            let outlook = of(MessageStatus::NotSent, stored);
            assert_eq!((outlook.state, outlook.text.as_str()), (OutlookState::NotSent, shown));
        }
        assert_eq!(of(MessageStatus::Sent, Some("from somebody's own phone")).state, OutlookState::Leaves);
    }

    #[test]
    fn message_held_until_another_day_names_that_day() {
        let now = Utc.with_ymd_and_hms(2026, 11, 24, 4, 0, 0).unwrap();
        let zone = chrono_tz::America::Chicago;
        let held =
            |hours| SendOutlook::held_outlook(now + Duration::hours(hours), Some("it is night there"), zone, now).text;
        assert_eq!(held(1), "held until 11:00 PM: it is night there");
        assert_eq!(held(10), "held until Tue, Nov 24 8:00 AM: it is night there");
    }
}
