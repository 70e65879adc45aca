//! One try at sending: claim the message, say whether it may go, and record how it ended.
//!
//! Claim and record are each one transaction; the provider is called between them, with none open. The attempt's row
//! is committed before the first byte leaves, so a message found in `sending` without a worker is in doubt.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use super::{Channel, Kind, Status, settled, wakeup};
use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{LeadId, MessageId, OrgId},
    org::{self, Switches},
    providers::{Accepted, SendError},
    tasks,
    template::{self, Page},
};

/// A provider that says "later" without saying when is left alone this long.
const PAUSE_WITHOUT_A_WORD: Duration = Duration::seconds(2);

/// A message in a worker's hands.
#[derive(Clone, Debug, FromRow)]
pub struct Outgoing {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: Option<LeadId>,
    pub channel: Channel,
    pub kind: Kind,
    pub to_address: String,
    pub subject: Option<String>,
    pub body: String,
    /// What the HTML of an email shows beside the text; none is plain text only.
    pub page: Option<Json<Page>>,
    pub status: Status,
    pub attempts: i64,
    pub fence: i64,
    pub next_attempt_at: DateTime<Utc>,
    pub deadline_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub org_name: String,
    pub org_sms_number: Option<String>,
    paused_until: Option<DateTime<Utc>>,
}

impl Outgoing {
    /// The HTML beside the text, drawn now.
    ///
    /// # Errors
    /// Only if the layout of emails were broken, which a test rules out.
    pub fn html(&self) -> Result<Option<String>> {
        let heading = self.subject.as_deref().unwrap_or_default();
        self.page.as_ref().map(|page| template::html(&self.org_name, heading, &self.body, page)).transpose()
    }
}

/// What the worker is to do with it.
#[derive(Debug)]
pub enum Claim {
    /// Call the provider, then [`record`].
    Send(Box<Outgoing>),
    /// Nothing is left to do.
    Settled,
}

/// Which channels can send at all.
#[derive(Clone, Copy, Debug)]
pub struct SetUp {
    pub sms: bool,
    /// Email always can: without SMTP it is written to a file.
    pub email: bool,
}

/// The answer of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Yes,
    /// A rule stops it; the reason is shown.
    No(&'static str),
    /// It is past its deadline.
    TooLate,
    /// The provider asked for quiet until then.
    Wait(DateTime<Utc>),
}

/// Whether a message may leave now. Asked again right before every provider call; no sender can go round it.
#[must_use]
pub fn may_send(message: &Outgoing, switches: Switches, set_up: SetUp, now: DateTime<Utc>) -> Verdict {
    let (is_on, why_not) = match message.kind {
        Kind::AutoReply => (switches.automated_communications, "automated communications are switched off"),
        Kind::OwnerNotice => (switches.lead_intake, "lead intake is switched off"),
        Kind::AccountNotice => (true, ""),
    };
    if !is_on {
        return Verdict::No(why_not);
    }
    match message.channel {
        Channel::Sms if !set_up.sms => return Verdict::No("SMS is not set up"),
        Channel::Email if !set_up.email => return Verdict::No("email is not set up"),
        Channel::Sms | Channel::Email => {}
    }
    if now > message.deadline_at {
        return Verdict::TooLate;
    }
    match message.paused_until {
        Some(until) if until > now => Verdict::Wait(until),
        _ => Verdict::Yes,
    }
}

/// Takes a message for sending, in the open transaction. Found in `sending`, it was left by a worker that died or
/// stalled: it becomes `unknown`, and whoever held it can no longer record anything.
pub async fn claim(tx: &mut Tx, origin: &Origin, worker: &str, set_up: SetUp, id: MessageId) -> Result<Claim> {
    let Some(message) = load(tx, id).await? else { return Ok(Claim::Settled) };
    let now = origin.now();
    match message.status {
        Status::Sending => {
            let why = "the program stopped while it was being sent";
            settle(tx, origin, &message, Status::Unknown, Some(why)).await?;
            return Ok(Claim::Settled);
        }
        Status::Queued if message.next_attempt_at <= now => {}
        _ => return Ok(Claim::Settled),
    }
    let switches = org::switches(tx, message.org_id).await?;
    match may_send(&message, switches, set_up, now) {
        Verdict::Yes => begin_attempt(tx, origin, worker, message).await,
        Verdict::No(why) => {
            settle(tx, origin, &message, Status::NotSent, Some(why)).await?;
            Ok(Claim::Settled)
        }
        Verdict::TooLate => {
            settle(tx, origin, &message, Status::Failed, Some("it could not be sent in time to be of use")).await?;
            Ok(Claim::Settled)
        }
        Verdict::Wait(until) => {
            let later = until + spread(origin);
            postpone(tx, origin, &message, later, "the provider asked us to wait").await?;
            Ok(Claim::Settled)
        }
    }
}

/// Up to two seconds, so that all who wait do not come back at the same instant.
fn spread(origin: &Origin) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "below 2000")]
    Duration::milliseconds((origin.entropy.fraction() * 2000.0) as i64)
}

async fn load(conn: &mut impl AsConn, id: MessageId) -> Result<Option<Outgoing>> {
    Ok(q!(
        conn,
        fetch_optional as Outgoing,
        "SELECT m.org_id, m.id, m.lead_id, m.channel, m.kind, m.to_address, m.subject, m.body, m.page, m.status, m.attempts,
             m.fence, m.next_attempt_at, m.deadline_at, m.created_at, o.name AS org_name, o.sms_number AS org_sms_number,
             p.until AS paused_until
         FROM message m JOIN org o ON o.id = m.org_id LEFT JOIN channel_pause p ON p.channel = m.channel WHERE m.id = $1",
        id
    )?)
}

async fn begin_attempt(tx: &mut Tx, origin: &Origin, worker: &str, mut message: Outgoing) -> Result<Claim> {
    let taken = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'sending', attempts = attempts + 1, fence = fence + 1
         WHERE org_id = $1 AND id = $2 AND status = 'queued' AND fence = $3",
        message.org_id,
        message.id,
        message.fence
    )?;
    if taken == 0 {
        return Ok(Claim::Settled);
    }
    message.attempts += 1;
    message.fence += 1;
    message.status = Status::Sending;
    q!(
        tx,
        execute,
        "INSERT INTO message_attempt (org_id, message_id, number, worker, started_at, outcome)
         VALUES ($1, $2, $3, $4, $5, 'started')",
        message.org_id,
        message.id,
        message.attempts,
        worker,
        origin.now()
    )?;
    Ok(Claim::Send(Box::new(message)))
}

/// Records how the provider call ended. Returns false, and writes nothing, when the message was taken away meanwhile.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    outcome: &Result<Accepted, SendError>,
) -> Result<bool> {
    let held = q!(
        &mut *tx,
        execute,
        "UPDATE message SET fence = fence WHERE org_id = $1 AND id = $2 AND status = 'sending' AND fence = $3",
        message.org_id,
        message.id,
        message.fence
    )?;
    if held == 0 {
        return Ok(false);
    }
    end_attempt(tx, origin, message, outcome).await?;
    match outcome {
        Ok(accepted) => accept(tx, origin, message, accepted).await?,
        Err(SendError::Retry { reason, after }) => try_again(tx, origin, message, reason, *after).await?,
        Err(SendError::Refused { reason, .. }) => settle(tx, origin, message, Status::Failed, Some(reason)).await?,
        Err(SendError::Unknown { reason }) => settle(tx, origin, message, Status::Unknown, Some(reason)).await?,
        Err(SendError::NotSetUp { reason }) => settle(tx, origin, message, Status::NotSent, Some(reason)).await?,
    }
    Ok(true)
}

async fn end_attempt(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    outcome: &Result<Accepted, SendError>,
) -> Result<()> {
    let (name, code, detail) = match outcome {
        Ok(a) => ("accepted", None, a.provider_status.as_deref()),
        Err(SendError::Retry { reason, .. }) => ("retry", None, Some(reason.as_str())),
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
    Ok(())
}

async fn accept(tx: &mut Tx, origin: &Origin, message: &Outgoing, accepted: &Accepted) -> Result<()> {
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
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

/// Surely not accepted: again after a pause, unless it would come too late to be of use.
async fn try_again(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    reason: &str,
    after: Option<std::time::Duration>,
) -> Result<()> {
    let now = origin.now();
    let asked = after.and_then(|a| Duration::from_std(a).ok());
    if let Some(wait) = asked {
        pause_channel(tx, message.channel, now + wait.max(PAUSE_WITHOUT_A_WORD)).await?;
    }
    let next = now
        + tasks::backoff(message.attempts, &origin.entropy).max(asked.map_or(Duration::zero(), |a| a + spread(origin)));
    if next > message.deadline_at {
        let why = format!("it could not be sent in time to be of use ({reason})");
        return settle(tx, origin, message, Status::Failed, Some(&why)).await;
    }
    postpone(tx, origin, message, next, reason).await
}

async fn pause_channel(tx: &mut Tx, channel: Channel, until: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO channel_pause (channel, until) VALUES ($1, $2)
         ON CONFLICT (channel) DO UPDATE SET until = excluded.until WHERE channel_pause.until < excluded.until",
        channel,
        until
    )?;
    Ok(())
}

/// Back to `queued`, with the task that will look again.
async fn postpone(tx: &mut Tx, origin: &Origin, message: &Outgoing, until: DateTime<Utc>, reason: &str) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'queued', reason = $3, next_attempt_at = $4, fence = fence + 1
         WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        reason,
        until
    )?;
    let turn = format!("{}:{}", message.attempts, origin.uuid());
    tasks::enqueue(tx, origin, vec![wakeup(message.org_id, message.id, until, &turn)]).await?;
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

/// Ends the message in `status`. The fence moves on, so that nobody who held it can write any more.
pub(super) async fn settle(
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
    settled(tx, origin, message.org_id, message.lead_id, message.id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: Kind, channel: Channel) -> Outgoing {
        let at = DateTime::UNIX_EPOCH + Duration::days(20_500);
        Outgoing {
            org_id: OrgId(uuid::Uuid::nil()),
            id: MessageId(uuid::Uuid::nil()),
            lead_id: None,
            channel,
            kind,
            to_address: String::new(),
            subject: None,
            body: String::new(),
            page: None,
            status: Status::Queued,
            attempts: 0,
            fence: 0,
            next_attempt_at: at,
            deadline_at: at + kind.worth_sending_for(channel),
            created_at: at,
            org_name: String::new(),
            org_sms_number: None,
            paused_until: None,
        }
    }

    #[test]
    fn the_gate_names_the_rule_that_stops_a_message() {
        let all = SetUp { sms: true, email: true };
        let off = Switches { automated_communications: false, lead_intake: false, ..Switches::ALL_ON };
        let reply = message(Kind::AutoReply, Channel::Sms);
        let now = reply.created_at;
        assert_eq!(may_send(&reply, Switches::ALL_ON, all, now), Verdict::Yes);
        assert_eq!(may_send(&reply, off, all, now), Verdict::No("automated communications are switched off"));
        let no_sms = SetUp { sms: false, email: true };
        assert_eq!(may_send(&reply, Switches::ALL_ON, no_sms, now), Verdict::No("SMS is not set up"));
        assert_eq!(may_send(&reply, Switches::ALL_ON, all, now + Duration::minutes(16)), Verdict::TooLate);
        let notice = message(Kind::OwnerNotice, Channel::Email);
        assert_eq!(may_send(&notice, off, all, now), Verdict::No("lead intake is switched off"));
        assert_eq!(may_send(&message(Kind::AccountNotice, Channel::Email), off, all, now), Verdict::Yes);
    }

    #[test]
    fn nobody_calls_a_provider_that_asked_us_to_wait() {
        let mut reply = message(Kind::AutoReply, Channel::Sms);
        let until = reply.created_at + Duration::seconds(30);
        reply.paused_until = Some(until);
        let all = SetUp { sms: true, email: true };
        assert_eq!(may_send(&reply, Switches::ALL_ON, all, reply.created_at), Verdict::Wait(until));
        assert_eq!(may_send(&reply, Switches::ALL_ON, all, until), Verdict::Yes);
    }
}
