//! Sending of reports: a row ends in the transaction that stores its messages, or the reason for none.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{DuePulse, PulseMessage, PulseOutcome, PulseRecipient, PulseReport, outcome_after_delay};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::message::{self, MessageChannel, MessageDraft, MessageKind, NewMessage},
        tenancy::org::{OrgProfile, SendChannels},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId, PulseId},
        live::{self, Topic},
        period::Period,
        public_url::PublicUrl,
        recipient::Recipient,
    },
};

/// Hourly limit of reports requested by people.
const MOST_AN_HOUR: i64 = 20;

/// `Err` is the reason it is left out.
pub fn decide_outcome(profile: &OrgProfile, due: &DuePulse, now: DateTime<Utc>) -> Result<PulseOutcome, &'static str> {
    let day = due.due_at.with_timezone(&profile.org.zone()).date_naive();
    outcome_after_delay(&profile.settings.pulse, profile.switches.kpi_reporting, day, now - due.due_at)
}

pub async fn mark_left_out(tx: &mut Tx, origin: &ClockRng, due: &DuePulse, why: &str) -> Result<()> {
    finish_pulse(tx, origin, due, PulseOutcome::LeftOut, (Some(why), None, &[])).await.map(|_| ())
}

/// Idempotent, also when run concurrently.
pub async fn send_report(tx: &mut Tx, origin: &ClockRng, letter: PulseMessage<'_>) -> Result<()> {
    let to = list_recipients(&mut *tx, letter.profile).await?;
    if to.is_empty() {
        return mark_left_out(tx, origin, letter.due, "there is no one to send it to").await;
    }
    let messages = build_messages(origin, letter, &to, None);
    let sent = to_pulse_recipients(&messages);
    let period = letter.report.of.period;
    if finish_pulse(&mut *tx, origin, letter.due, letter.outcome, (None, Some(period), &sent)).await? {
        message::queue_messages(tx, origin, letter.profile.org.id, &messages).await?;
    }
    Ok(())
}

/// True for the caller that ended it.
async fn finish_pulse(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DuePulse,
    outcome: PulseOutcome,
    (why, period, sent): (Option<&str>, Option<Period>, &[PulseRecipient]),
) -> Result<bool> {
    let ended = q!(
        tx,
        execute,
        "UPDATE pulse SET outcome = $3, reason = $4, made_at = $5, from_day = $6, to_day = $7, sent_to = $8
         WHERE org_id = $1 AND id = $2 AND outcome = 'waiting'",
        due.org_id,
        due.id,
        outcome,
        why,
        origin.now(),
        period.map(|period| period.from),
        period.map(|period| period.to),
        Json(sent)
    )?;
    Ok(ended > 0)
}

/// People on the list, by the channels that the business chose; the owners if the list has no email.
pub(super) async fn list_recipients(conn: &mut dyn AsConn, profile: &OrgProfile) -> Result<Vec<Recipient>> {
    let set = &profile.settings.pulse;
    let is_wanted = |to: &&Recipient| match to {
        Recipient::Email(_) => set.by_email,
        Recipient::Phone(_) => set.by_text,
    };
    let mut to: Vec<Recipient> = profile.recipients.iter().filter(is_wanted).cloned().collect();
    if set.by_email && !to.iter().any(Recipient::is_email) {
        let sql = "SELECT email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY created_at, id";
        let owners = q!(conn, fetch_all scalar EmailAddress, sql, profile.org.id)?;
        to.extend(owners.into_iter().map(Recipient::Email));
    }
    Ok(to)
}

fn build_messages(
    origin: &ClockRng,
    letter: PulseMessage<'_>,
    to: &[Recipient],
    by: Option<AccountId>,
) -> Vec<NewMessage> {
    let message = |to: &Recipient| {
        let body = match to {
            Recipient::Phone(_) => letter.render_sms(),
            Recipient::Email(_) => letter.render_text(),
        };
        let key = format!("pulse:{}:{}:{to}", letter.due.id, to.channel());
        let plain = MessageDraft::new(MessageKind::Pulse, to.clone(), body, key);
        let draft = match to {
            Recipient::Phone(_) => plain,
            Recipient::Email(_) => {
                MessageDraft { subject: Some(letter.subject()), page: Some(letter.render_page()), ..plain }
            }
        };
        NewMessage { author: by, ..draft.with_id(MessageId(origin.uuid_v7())) }
    };
    to.iter().map(message).collect()
}

fn to_pulse_recipients(messages: &[NewMessage]) -> Vec<PulseRecipient> {
    let one = |message: &NewMessage| PulseRecipient {
        channel: message.draft.channel(),
        to: message.draft.to.to_string(),
        message_id: message.id,
        outlook: None,
    };
    messages.iter().map(one).collect()
}

#[derive(Clone, Debug)]
pub struct ManualSendRequest {
    pub by: AccountId,
    /// Receiver when the list is empty.
    pub email: EmailAddress,
    pub set_up: SendChannels,
}

/// One who was not sent a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseNotSent)]
pub struct UnsentPulse {
    pub channel: MessageChannel,
    pub to: String,
    /// What is missing.
    pub reason: String,
}

/// A report requested by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseSent)]
pub struct SentPulse {
    pub id: PulseId,
    pub sent_to: Vec<PulseRecipient>,
    /// Those on the list whom it cannot reach.
    pub not_sent: Vec<UnsentPulse>,
}

impl SentPulse {
    pub async fn with_outlooks(
        mut self,
        conn: &mut dyn AsConn,
        origin: &ClockRng,
        set_up: SendChannels,
        org: OrgId,
    ) -> Result<Self> {
        for sent in &mut self.sent_to {
            sent.outlook = message::load_outlook(&mut *conn, origin, set_up, org, sent.message_id).await?;
        }
        Ok(self)
    }
}

/// Sends a report at once, requested by a person. The caller holds the org.
///
/// # Errors
/// [`Error::Conflict`] when the switch is off or no receiver can be reached, with what is missing;
/// [`Error::RateLimited`].
pub async fn send_manual(
    tx: &mut Tx,
    origin: &ClockRng,
    (profile, url, report): (&OrgProfile, &PublicUrl, &PulseReport),
    asked: &ManualSendRequest,
) -> Result<SentPulse> {
    if !profile.switches.kpi_reporting {
        return Err(ConflictCode::KpiReportingOff.into_error());
    }
    check_hourly_limit(&mut *tx, origin, profile.org.id).await?;
    let (to, not_sent) = split_reachable(&mut *tx, profile, asked).await?;
    let due = DuePulse {
        org_id: profile.org.id,
        id: PulseId(origin.uuid_v7()),
        due_at: origin.now(),
        account_id: Some(asked.by),
    };
    let letter = PulseMessage { profile, url, report, outcome: PulseOutcome::Sent, due: &due };
    let messages = build_messages(origin, letter, &to, Some(asked.by));
    let sent_to = to_pulse_recipients(&messages);
    insert_manual_pulse(&mut *tx, origin, &due, report.of.period, &sent_to).await?;
    message::queue_messages(&mut *tx, origin, profile.org.id, &messages).await?;
    live::publish_event(tx, origin, profile.org.id, Topic::Settings, profile.org.id.0, None).await?;
    Ok(SentPulse { id: due.id, sent_to, not_sent })
}

/// People on the list, else the one who asks; unreachable ones are returned separately.
async fn split_reachable(
    tx: &mut Tx,
    profile: &OrgProfile,
    asked: &ManualSendRequest,
) -> Result<(Vec<Recipient>, Vec<UnsentPulse>)> {
    let mut wanted = list_recipients(&mut *tx, profile).await?;
    if profile.recipients.is_empty() {
        wanted = vec![Recipient::Email(asked.email.clone())];
    }
    let (mut to, mut not_sent, mut first) = (Vec::new(), Vec::new(), None);
    for one in wanted {
        match message::check_deliverable(&mut *tx, asked.set_up, &profile.org, &one).await {
            Ok(()) => to.push(one),
            Err(Error::Conflict(why)) => {
                not_sent.push(UnsentPulse { channel: one.channel(), to: one.into_string(), reason: why.to_string() });
                first.get_or_insert(why);
            }
            Err(e) => return Err(e),
        }
    }
    if to.is_empty() {
        return Err(first.map_or(ConflictCode::NoReportRecipient.into(), Error::Conflict));
    }
    Ok((to, not_sent))
}

async fn check_hourly_limit(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    let hour = Duration::hours(1);
    let since = live::min_id_at(origin.now() - hour + Duration::milliseconds(1));
    let sql = "SELECT COUNT(*) FROM pulse WHERE org_id = $1 AND id >= $2 AND account_id IS NOT NULL";
    let lately = q!(tx, fetch_one scalar i64, sql, org, since)?;
    if lately >= MOST_AN_HOUR { Err(Error::RateLimited { retry_after_seconds: hour.num_seconds() }) } else { Ok(()) }
}

async fn insert_manual_pulse(
    tx: &mut Tx,
    origin: &ClockRng,
    due: &DuePulse,
    period: Period,
    sent_to: &[PulseRecipient],
) -> Result<()> {
    insert_row!(
        tx,
        execute,
        pulse {
            org_id: due.org_id,
            id: due.id,
            period_key: format!("manual:{}", due.id),
            due_at: due.due_at,
            outcome: PulseOutcome::Sent,
            made_at: origin.now(),
            from_day: period.from,
            to_day: period.to,
            sent_to: Json(sent_to),
            account_id: due.account_id,
        }
    )?;
    Ok(())
}
