//! One try at sending: claim the message, say whether it may go, and record how it ended.
//!
//! Claim and record are each one transaction; the provider is called between them, with none open. The attempt's row
//! is committed before the first byte leaves, so a message found in `sending` without a worker is in doubt.

use std::sync::LazyLock;

use chrono::{DateTime, Duration, Utc};
use serde_json::Value;
use sqlx::{FromRow, types::Json};

use super::{
    Channel, Kind, Status, doubt,
    gate::{self, Facts, SetUp, Verdict},
    settled, spend, wakeup,
};
use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::{CustomerId, LeadId, MessageId, OrgId},
    opt_out::store as opt_out,
    org::{self, Switches, settings::Sending},
    providers::{Accepted, Refusal, SendError},
    quiet::{self, Class},
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
    /// Until when the recipient's hours last, for texts: what the provider may still queue must leave by then.
    #[sqlx(default)]
    pub leaves_by: Option<DateTime<Utc>>,
    customer_id: Option<CustomerId>,
    class: Class,
    timezone: String,
    lead_intake: Option<bool>,
    automated_communications: Option<bool>,
    sending: Option<Json<Sending>>,
    opted_out: Option<String>,
    is_blocked: Option<bool>,
    no_sms_since: Option<DateTime<Utc>>,
    zip: Option<String>,
    agreed_to_offers: Option<bool>,
    promotional_in_a_day: i64,
    last_in_at: Option<DateTime<Utc>>,
    last_by_person_at: Option<DateTime<Utc>>,
    paused_until: Option<DateTime<Utc>>,
}

impl Outgoing {
    /// The day in the org's zone that this message counts for.
    fn day(&self, now: DateTime<Utc>) -> String {
        spend::day(org::zone_named(&self.timezone), now)
    }

    fn facts(&self, texts_today: i64) -> Facts<'_> {
        static USUAL: LazyLock<Sending> = LazyLock::new(Sending::default);
        let on = |switch: Option<bool>| switch.unwrap_or(true);
        Facts {
            channel: self.channel,
            kind: self.kind,
            to: &self.to_address,
            class: self.class,
            created_at: self.created_at,
            deadline_at: self.deadline_at,
            switches: Switches {
                lead_intake: on(self.lead_intake),
                automated_communications: on(self.automated_communications),
                ..Switches::ALL_ON
            },
            sending: self.sending.as_ref().map_or(&*USUAL, |sending| &sending.0),
            opted_out: self.opted_out.as_deref(),
            is_blocked: self.is_blocked.unwrap_or_default(),
            cannot_be_texted: self.no_sms_since.is_some(),
            zip: self.zip.as_deref(),
            agreed_to_offers: self.agreed_to_offers.unwrap_or_default(),
            promotional_in_a_day: self.promotional_in_a_day,
            texts_today,
            last_in_at: self.last_in_at,
            last_by_person_at: self.last_by_person_at,
            paused_until: self.paused_until,
        }
    }

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

/// Takes a message for sending, in the open transaction. Found in `sending`, it was left by a worker that died or
/// stalled: it becomes `unknown`, and whoever held it can no longer record anything.
pub async fn claim(tx: &mut Tx, origin: &Origin, worker: &str, set_up: SetUp, id: MessageId) -> Result<Claim> {
    let Some(message) = load(tx, origin, id).await? else { return Ok(Claim::Settled) };
    let now = origin.now();
    match message.status {
        Status::Sending => {
            let why = "the program stopped while it was being sent";
            doubt::begin(tx, origin, &message, why).await?;
            return Ok(Claim::Settled);
        }
        Status::Queued | Status::Held if message.next_attempt_at <= now => {}
        _ => return Ok(Claim::Settled),
    }
    let (verdict, saw) = ask(tx, &message, set_up, now).await?;
    match verdict {
        Verdict::Yes { until } => begin_attempt(tx, origin, worker, message, until, &saw).await,
        other => {
            turn_back(tx, origin, &message, other, &saw).await?;
            Ok(Claim::Settled)
        }
    }
}

/// What the gate says of a message now.
async fn ask(
    conn: &mut impl AsConn,
    message: &Outgoing,
    set_up: SetUp,
    now: DateTime<Utc>,
) -> Result<(Verdict, Value)> {
    let texts_today = match message.channel {
        Channel::Sms => spend::texts_on(conn, message.org_id, &message.day(now)).await?,
        Channel::Email => 0,
    };
    Ok(gate::may_send(&message.facts(texts_today), set_up, now))
}

/// Looks once more, right before the provider is called: a STOP may have come between the claim and now. None when it
/// may still go.
pub async fn last_look(
    conn: &mut impl AsConn,
    origin: &Origin,
    set_up: SetUp,
    message: &Outgoing,
) -> Result<Option<(Verdict, Value)>> {
    let Some(fresh) = load(conn, origin, message.id).await? else { return Ok(Some((gone(), Value::Null))) };
    if fresh.status != Status::Sending || fresh.fence != message.fence {
        return Ok(Some((gone(), Value::Null)));
    }
    let (verdict, saw) = ask(conn, &fresh, set_up, origin.now()).await?;
    Ok(match verdict {
        Verdict::Yes { .. } => None,
        other => Some((other, saw)),
    })
}

fn gone() -> Verdict {
    Verdict::No("it was taken back".to_owned())
}

/// Ends an attempt that the last look stopped. Nothing was sent.
pub async fn withdraw(tx: &mut Tx, origin: &Origin, message: &Outgoing, verdict: Verdict, saw: &Value) -> Result<()> {
    let why = SendError::Retry { reason: "stopped before it was sent".to_owned(), after: None };
    let held = q!(
        &mut *tx,
        execute,
        "UPDATE message SET fence = fence WHERE org_id = $1 AND id = $2 AND status = 'sending' AND fence = $3",
        message.org_id,
        message.id,
        message.fence
    )?;
    if held == 0 {
        return Ok(());
    }
    end_attempt(tx, origin, message, &Err(why)).await?;
    turn_back(tx, origin, message, verdict, saw).await
}

/// Carries out a verdict other than yes.
async fn turn_back(tx: &mut Tx, origin: &Origin, message: &Outgoing, verdict: Verdict, saw: &Value) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET saw = $3 WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        Json(saw)
    )?;
    match verdict {
        Verdict::Yes { .. } => Ok(()),
        Verdict::No(why) => settle(tx, origin, message, Status::NotSent, Some(&why)).await,
        Verdict::TooLate => {
            settle(tx, origin, message, Status::Failed, Some("it could not be sent in time to be of use")).await
        }
        Verdict::Wait(until) => {
            let later = until + spread(origin);
            postpone(tx, origin, message, Status::Queued, later, "the provider asked us to wait").await
        }
        Verdict::Hold { until, why } => {
            let until = quiet::reschedule(until, &origin.entropy);
            postpone(tx, origin, message, Status::Held, until, &why).await
        }
    }
}

/// Up to two seconds, so that all who wait do not come back at the same instant.
fn spread(origin: &Origin) -> Duration {
    #[expect(clippy::cast_possible_truncation, reason = "below 2000")]
    Duration::milliseconds((origin.entropy.fraction() * 2000.0) as i64)
}

async fn load(conn: &mut impl AsConn, origin: &Origin, id: MessageId) -> Result<Option<Outgoing>> {
    Ok(q!(
        conn,
        fetch_optional as Outgoing,
        "SELECT m.org_id, m.id, m.lead_id, m.customer_id, m.channel, m.kind, m.class, m.to_address, m.subject, m.body, m.page,
             m.status, m.attempts, m.fence, m.next_attempt_at, m.deadline_at, m.created_at, o.name AS org_name,
             o.sms_number AS org_sms_number, o.timezone, s.lead_intake, s.automated_communications, g.value AS sending,
             u.state AS opted_out, c.is_blocked, c.no_sms_since, l.zip, t.last_in_at, t.last_by_person_at, p.until AS paused_until,
             (SELECT k.granted FROM consent k WHERE k.org_id = m.org_id AND k.customer_id = m.customer_id
                  AND k.class = 'promotional' ORDER BY k.at DESC LIMIT 1) AS agreed_to_offers,
             (SELECT COUNT(*) FROM message b WHERE b.org_id = m.org_id AND b.customer_id = m.customer_id AND b.id <> m.id
                  AND b.class = 'promotional' AND b.channel = 'sms' AND b.sent_at > $2) AS promotional_in_a_day
         FROM message m JOIN org o ON o.id = m.org_id
             LEFT JOIN automation_switch s ON s.org_id = m.org_id
             LEFT JOIN org_setting g ON g.org_id = m.org_id AND g.name = 'sending'
             LEFT JOIN opt_out u ON u.org_id = m.org_id AND u.channel = m.channel AND u.address = m.to_address AND u.state <> 'lifted'
             LEFT JOIN customer c ON c.org_id = m.org_id AND c.id = m.customer_id
             LEFT JOIN thread t ON t.org_id = m.org_id AND t.customer_id = m.customer_id
             LEFT JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
             LEFT JOIN channel_pause p ON p.channel = m.channel
         WHERE m.id = $1",
        id,
        origin.now() - Duration::hours(24)
    )?)
}

async fn begin_attempt(
    tx: &mut Tx,
    origin: &Origin,
    worker: &str,
    mut message: Outgoing,
    until: Option<DateTime<Utc>>,
    saw: &Value,
) -> Result<Claim> {
    let now = origin.now();
    let taken = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'sending', attempts = attempts + 1, fence = fence + 1, saw = $4
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') AND fence = $3",
        message.org_id,
        message.id,
        message.fence,
        Json(saw)
    )?;
    if taken == 0 {
        return Ok(Claim::Settled);
    }
    message.attempts += 1;
    message.fence += 1;
    message.status = Status::Sending;
    message.leaves_by = until;
    if message.channel == Channel::Sms && message.kind.is_for_customers() && message.attempts == 1 {
        spend::count(tx, message.org_id, &message.day(now), &message.body).await?;
    }
    q!(
        tx,
        execute,
        "INSERT INTO message_attempt (org_id, message_id, number, worker, started_at, outcome)
         VALUES ($1, $2, $3, $4, $5, 'started')",
        message.org_id,
        message.id,
        message.attempts,
        worker,
        now
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
        Err(SendError::Refused { reason, kind, .. }) => {
            learn(tx, origin, message, *kind).await?;
            settle(tx, origin, message, Status::Failed, Some(reason)).await?;
        }
        Err(SendError::Unknown { reason }) => doubt::begin(tx, origin, message, reason).await?,
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
    postpone(tx, origin, message, Status::Queued, next, reason).await
}

/// What a refusal teaches about the person's number.
async fn learn(tx: &mut Tx, origin: &Origin, message: &Outgoing, kind: Refusal) -> Result<()> {
    match (kind, message.customer_id) {
        (Refusal::OptedOut, _) => {
            let said = opt_out::Said { state: opt_out::State::Stopped, source: "provider", matched: None };
            opt_out::record(tx, origin, message.org_id, message.channel, &message.to_address, &said).await
        }
        (Refusal::BadNumber, Some(customer)) if message.channel == Channel::Sms => {
            let sql = "UPDATE customer SET no_sms_since = $3 WHERE org_id = $1 AND id = $2 AND no_sms_since IS NULL";
            q!(tx, execute, sql, message.org_id, customer, origin.now())?;
            Ok(())
        }
        _ => Ok(()),
    }
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

/// Back to waiting, with the task that will look again. What the gate holds stays worth sending for as long as it
/// would have been.
async fn postpone(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    status: Status,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    let deadline = match status {
        Status::Held => message.deadline_at.max(until + message.kind.worth_sending_for(message.channel)),
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
