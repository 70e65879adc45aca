//! What becomes of a message that was just queued, in words for whoever had it sent. Nothing that waits is called sent.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Channel, MessageView, Status,
    send::{self, Outgoing},
    send_policy::{self, Facts, SetUp, Verdict},
};
use crate::{
    documents::{date_format, template::Language},
    domain::{
        intake::lead::Intake,
        tenancy::{
            org,
            trust_level::{self, Addressed, Trust},
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, q},
        error::Result,
        id::{EventId, MessageId, OrgId},
    },
};

/// A worker that gave no sign of life for so long sends nothing, nor does one that was stopped in order.
const WORKER_SILENT: Duration = Duration::minutes(2);
/// What is due within this time leaves at once, as people see it.
const AT_ONCE: Duration = Duration::seconds(90);

/// Said of what waits while no worker is there.
pub(super) const STOPPED: &str = "sending is stopped right now";

/// How a message fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = OutlookState)]
pub enum Fate {
    /// It leaves at once, or has left.
    Leaves,
    /// It is kept until its hour.
    Held,
    /// It waits for something that nobody can time: the worker, or the provider.
    Waits,
    /// It stands as a file: email is not set up.
    Filed,
    /// A rule stops it.
    NotSent,
}

/// What becomes of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Outlook {
    pub state: Fate,
    /// A clause: "held until 8:00 AM: it is night there". Of what leaves: "on its way".
    pub text: String,
    pub until: Option<DateTime<Utc>>,
}

impl Outlook {
    fn new(state: Fate, text: impl Into<String>) -> Self {
        Self { state, text: text.into(), until: None }
    }

    fn held(until: DateTime<Utc>, why: Option<&str>, zone: Tz, now: DateTime<Utc>) -> Self {
        let when = shown(until, zone, now);
        let text = why.map_or_else(|| format!("held until {when}"), |why| format!("held until {when}: {why}"));
        Self { until: Some(until), ..Self::new(Fate::Held, text) }
    }
}

/// "8:00 AM", "Tue, Nov 24 8:00 AM".
pub(super) fn shown(at: DateTime<Utc>, zone: Tz, now: DateTime<Utc>) -> String {
    let (at, today) = (at.with_timezone(&zone), now.with_timezone(&zone).date_naive());
    let (day, hour) = (at.date_naive(), date_format::hour(&at));
    if day == today {
        return hour;
    }
    format!("{}, {} {hour}", date_format::short_weekday(day, Language::En), date_format::spoken(day, Language::En))
}

/// What becomes of a message of this business; none when it has no such message.
pub async fn of(
    conn: &mut dyn AsConn,
    origin: &Origin,
    set_up: SetUp,
    org: OrgId,
    id: MessageId,
) -> Result<Option<Outlook>> {
    let Some(message) = send::load(&mut *conn, origin, id).await?.filter(|message| message.org_id == org) else {
        return Ok(None);
    };
    let now = origin.now();
    Ok(Some(match message.status {
        Status::Queued | Status::Held => {
            let verdict = ask(&mut *conn, &message, set_up, message.deadline_at, now).await?;
            let stalled = is_worker_silent(conn, now).await?;
            foretell(&message, verdict, (set_up, stalled), now)
        }
        status => as_it_stands(status, message.channel, set_up),
    }))
}

/// What becomes of one that waits no more.
fn as_it_stands(status: Status, channel: Channel, set_up: SetUp) -> Outlook {
    match status {
        Status::NotSent | Status::Failed | Status::Unknown => Outlook::new(Fate::NotSent, "it did not go out"),
        Status::Filed => filed(),
        // The worker has it in hand, to write it into a file.
        Status::Sending if channel == Channel::Email && !set_up.email => filed(),
        _ => on_its_way(),
    }
}

/// What becomes of the message that an event had sent; none where it had none sent.
pub async fn of_event(
    conn: &mut dyn AsConn,
    origin: &Origin,
    set_up: SetUp,
    org: OrgId,
    event: EventId,
) -> Result<Option<Outlook>> {
    let sql = "SELECT id FROM message WHERE org_id = $1 AND event_id = $2";
    match q!(&mut *conn, fetch_optional scalar MessageId, sql, org, event)? {
        Some(id) => of(conn, origin, set_up, org, id).await,
        None => Ok(None),
    }
}

/// What becomes of an email about an account, which no rule stops.
pub async fn of_account_mail(conn: &mut dyn AsConn, set_up: SetUp, now: DateTime<Utc>) -> Result<Outlook> {
    if !set_up.email {
        return Ok(filed());
    }
    Ok(if is_worker_silent(conn, now).await? { stalled() } else { on_its_way() })
}

/// What becomes of a message that a rule words later, by this way at `at`, as the business stands now.
pub async fn planned(
    conn: &mut dyn AsConn,
    intake: &Intake<'_>,
    (channel, to): (Channel, &str),
    at: DateTime<Utc>,
) -> Result<Outlook> {
    let (org, set_up, now) = (&intake.profile.org, intake.set_up, intake.origin.now());
    let addressed = match channel {
        Channel::Sms => Addressed::Text,
        Channel::Email => Addressed::Email { address: to, is_about_account: false },
    };
    let trust = Trust::of(&mut *conn, (org.id, set_up.takes_money), addressed, false, now).await?;
    let is_silent = is_worker_silent(conn, now).await?;
    Ok(match trust_level::refusal(trust, channel == Channel::Sms) {
        Some(why) => Outlook::new(Fate::NotSent, why),
        None if at > now + AT_ONCE => Outlook::held(at, None, org.zone(), now),
        None if channel == Channel::Email && !set_up.email => filed(),
        None if is_silent => stalled(),
        None => on_its_way(),
    })
}

/// What the gate says of a message at the time it is due, should it be worth sending until `deadline`.
pub(super) async fn ask(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    set_up: SetUp,
    deadline: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Verdict> {
    let at = if message.status == Status::Queued { message.next_attempt_at.max(now) } else { now };
    let spent = message.spent(&mut *conn, at).await?;
    let trust = message.trust(&mut *conn, set_up.takes_money, at).await?;
    let facts = Facts { deadline_at: deadline.max(at), ..message.facts(spent, trust) };
    // Without a mail server an email stands as a file: that is no refusal.
    Ok(send_policy::may_send(&facts, SetUp { email: true, ..set_up }, at).0)
}

/// What becomes of one that is to go again.
pub(super) async fn again(
    conn: &mut dyn AsConn,
    message: &Outgoing,
    verdict: Verdict,
    set_up: SetUp,
    now: DateTime<Utc>,
) -> Result<Outlook> {
    let stalled = is_worker_silent(conn, now).await?;
    Ok(foretell(message, verdict, (set_up, stalled), now))
}

fn foretell(message: &Outgoing, verdict: Verdict, (set_up, is_silent): (SetUp, bool), now: DateTime<Utc>) -> Outlook {
    let zone = org::zone_named(message.zone_name());
    match verdict {
        Verdict::No(why) => Outlook::new(Fate::NotSent, why),
        Verdict::TooLate => Outlook::new(Fate::NotSent, "it is too late for it to be of use"),
        Verdict::Hold { until, why } => Outlook::held(held_until(message, until), Some(&why), zone, now),
        Verdict::Wait(_) => Outlook::new(Fate::Waits, "waiting: the provider takes nothing from us at the moment"),
        Verdict::Yes { .. } if message.next_attempt_at > now + AT_ONCE => {
            Outlook::held(message.next_attempt_at, None, zone, now)
        }
        Verdict::Yes { .. } if message.channel == Channel::Email && !set_up.email => filed(),
        Verdict::Yes { .. } if is_silent => stalled(),
        Verdict::Yes { .. } => on_its_way(),
    }
}

/// When one leaves that the gate holds until `opens`: what is held already has its time.
fn held_until(message: &Outgoing, opens: DateTime<Utc>) -> DateTime<Utc> {
    let is_set = message.status == Status::Held && message.next_attempt_at >= opens;
    if is_set { message.next_attempt_at } else { message.put_off(opens) }
}

fn filed() -> Outlook {
    Outlook::new(Fate::Filed, "saved as a file: email is not set up")
}

fn stalled() -> Outlook {
    Outlook::new(Fate::Waits, format!("waiting: {STOPPED}"))
}

fn on_its_way() -> Outlook {
    Outlook::new(Fate::Leaves, "on its way")
}

/// Says of messages that should have left by now that no worker is there to send them, where that is so.
pub async fn note_stalled(conn: &mut dyn AsConn, messages: Vec<&mut MessageView>, now: DateTime<Utc>) -> Result<()> {
    let due: Vec<&mut MessageView> = messages.into_iter().filter(|message| is_due(message, now)).collect();
    if due.is_empty() || !is_worker_silent(conn, now).await? {
        return Ok(());
    }
    for message in due {
        message.stall();
    }
    Ok(())
}

fn is_due(message: &MessageView, now: DateTime<Utc>) -> bool {
    match message.status {
        Status::Sending => true,
        Status::Queued => message.next_attempt_at.is_none_or(|at| at <= now + AT_ONCE),
        _ => false,
    }
}

/// Whether workers have been here, and each is stopped or gave no sign for too long.
pub(super) async fn is_worker_silent(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT COUNT(*), COUNT(CASE WHEN stopped_at IS NULL AND seen_at >= $1 THEN 1 END) FROM worker_sign";
    let (known, awake) = q!(conn, fetch_one as (i64, i64), sql, now - WORKER_SILENT)?;
    Ok(known > 0 && awake == 0)
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn an_email_in_hand_is_not_called_sent_where_email_is_not_set_up() {
        let no_mail = SetUp { email: false, ..SetUp::ALL };
        let of = |channel, set_up| as_it_stands(Status::Sending, channel, set_up).state;
        assert_eq!(of(Channel::Email, no_mail), Fate::Filed);
        assert_eq!(of(Channel::Email, SetUp::ALL), Fate::Leaves);
        assert_eq!(of(Channel::Sms, no_mail), Fate::Leaves);
    }

    #[test]
    fn what_is_held_until_another_day_names_it() {
        let now = Utc.with_ymd_and_hms(2026, 11, 24, 4, 0, 0).unwrap();
        let zone = chrono_tz::America::Chicago;
        let held = |hours| Outlook::held(now + Duration::hours(hours), Some("it is night there"), zone, now).text;
        assert_eq!(held(1), "held until 11:00 PM: it is night there");
        assert_eq!(held(10), "held until Tue, Nov 24 8:00 AM: it is night there");
    }
}
