//! To whom a report goes, and the end of its row: its messages are stored in the same transaction, or why there are none.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use super::{Due, Letter, Outcome, Receiver, Report, outcome};
use crate::{
    domain::{
        growth::metrics::figures::Period,
        messaging::message::{self, Channel, Draft, Kind, NewMessage, outlook, send_policy::SetUp},
        tenancy::org::{Profile, Recipient, test_send},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, MessageId, OrgId, PulseId},
        live::{self, Topic},
        public_url::PublicUrl,
    },
};

/// More than this in an hour are somebody's toy.
const MOST_AN_HOUR: i64 = 20;

/// What is to become of a report now.
///
/// # Errors
/// Why it is left out.
pub fn decide(profile: &Profile, due: &Due, now: DateTime<Utc>) -> Result<Outcome, &'static str> {
    let day = due.due_at.with_timezone(&profile.org.zone()).date_naive();
    outcome(&profile.settings.pulse, profile.switches.kpi_reporting, day, now - due.due_at)
}

/// Ends the row of a report that is not sent.
pub async fn leave_out(tx: &mut Tx, origin: &Origin, due: &Due, why: &str) -> Result<()> {
    end(tx, origin, due, Outcome::LeftOut, (Some(why), None, &[])).await.map(|_| ())
}

/// Sends a report whose time has come. Run twice, also at once, it sends nothing twice.
pub async fn send(tx: &mut Tx, origin: &Origin, letter: Letter<'_>) -> Result<()> {
    let to = receivers(&mut *tx, letter.profile).await?;
    if to.is_empty() {
        return leave_out(tx, origin, letter.due, "nobody is there to send it to").await;
    }
    let messages = written(origin, letter, &to, None);
    let sent = told(&messages);
    let period = letter.report.of.period;
    if end(&mut *tx, origin, letter.due, letter.outcome, (None, Some(period), &sent)).await? {
        message::queue(tx, origin, letter.profile.org.id, &messages).await?;
    }
    Ok(())
}

/// True for the one who ends it.
async fn end(
    tx: &mut Tx,
    origin: &Origin,
    due: &Due,
    outcome: Outcome,
    (why, period, sent): (Option<&str>, Option<Period>, &[Receiver]),
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

/// The people on the list, by the ways that the business chose; where no email is on it, the owners.
pub(super) async fn receivers(conn: &mut dyn AsConn, profile: &Profile) -> Result<Vec<Recipient>> {
    let set = &profile.settings.pulse;
    let is_wanted = |to: &&Recipient| match to.channel {
        Channel::Email => set.by_email,
        Channel::Sms => set.by_text,
    };
    let mut to: Vec<Recipient> = profile.recipients.iter().filter(is_wanted).cloned().collect();
    if set.by_email && to.iter().all(|to| to.channel != Channel::Email) {
        let sql = "SELECT email FROM account WHERE org_id = $1 AND role = 'owner' AND is_active = TRUE ORDER BY created_at, id";
        let owners = q!(conn, fetch_all scalar String, sql, profile.org.id)?;
        to.extend(owners.into_iter().map(|address| Recipient { channel: Channel::Email, address }));
    }
    Ok(to)
}

fn written(origin: &Origin, letter: Letter<'_>, to: &[Recipient], by: Option<AccountId>) -> Vec<NewMessage> {
    let message = |Recipient { channel, address }: &Recipient| {
        let (way, body) = match channel {
            Channel::Sms => ("sms", letter.brief()),
            Channel::Email => ("email", letter.text()),
        };
        let key = format!("pulse:{}:{way}:{address}", letter.due.id);
        let plain = Draft::new(*channel, Kind::Pulse, address.clone(), body, key);
        let draft = match channel {
            Channel::Sms => plain,
            Channel::Email => Draft { subject: Some(letter.subject()), page: Some(letter.page()), ..plain },
        };
        NewMessage { author: by, ..draft.under(MessageId(origin.uuid())) }
    };
    to.iter().map(message).collect()
}

fn told(messages: &[NewMessage]) -> Vec<Receiver> {
    let one = |message: &NewMessage| Receiver {
        channel: message.draft.channel,
        to: message.draft.to.clone(),
        message_id: message.id,
        outlook: None,
    };
    messages.iter().map(one).collect()
}

/// Who pressed for a report, and what can leave at all.
#[derive(Clone, Debug)]
pub struct Asked {
    pub by: AccountId,
    /// To whom it goes where nobody is on the list.
    pub email: String,
    pub set_up: SetUp,
}

/// One who was not sent a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseNotSent)]
pub struct NotSent {
    pub channel: Channel,
    pub to: String,
    /// What is missing.
    pub reason: String,
}

/// A report that somebody pressed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PulseSent)]
pub struct Sent {
    pub id: PulseId,
    pub sent_to: Vec<Receiver>,
    /// Those on the list whom it cannot reach.
    pub not_sent: Vec<NotSent>,
}

impl Sent {
    /// The same with what becomes of each message.
    pub async fn foreseen(mut self, conn: &mut dyn AsConn, origin: &Origin, set_up: SetUp, org: OrgId) -> Result<Self> {
        for sent in &mut self.sent_to {
            sent.outlook = outlook::of(&mut *conn, origin, set_up, org, sent.message_id).await?;
        }
        Ok(self)
    }
}

/// Sends a report at once because somebody pressed for it. The caller holds the org.
///
/// # Errors
/// [`Error::Conflict`] when the switch is off or nobody can be reached, with what is missing; [`Error::TooMany`].
pub async fn by_hand(
    tx: &mut Tx,
    origin: &Origin,
    (profile, url, report): (&Profile, &PublicUrl, &Report),
    asked: &Asked,
) -> Result<Sent> {
    if !profile.switches.kpi_reporting {
        return Err(Error::Conflict("KPI reporting is switched off. Turn it on in Automation first."));
    }
    is_no_toy(&mut *tx, origin, profile.org.id).await?;
    let (to, not_sent) = reachable(&mut *tx, profile, asked).await?;
    let due =
        Due { org_id: profile.org.id, id: PulseId(origin.uuid()), due_at: origin.now(), account_id: Some(asked.by) };
    let letter = Letter { profile, url, report, outcome: Outcome::Sent, due: &due };
    let messages = written(origin, letter, &to, Some(asked.by));
    let sent_to = told(&messages);
    store(&mut *tx, origin, &due, report.of.period, &sent_to).await?;
    message::queue(&mut *tx, origin, profile.org.id, &messages).await?;
    live::announce(tx, origin, profile.org.id, Topic::Settings, profile.org.id.0, None).await?;
    Ok(Sent { id: due.id, sent_to, not_sent })
}

/// The people on the list, else whoever asks; those whom nothing can reach apart.
async fn reachable(tx: &mut Tx, profile: &Profile, asked: &Asked) -> Result<(Vec<Recipient>, Vec<NotSent>)> {
    let mut wanted = receivers(&mut *tx, profile).await?;
    if profile.recipients.is_empty() {
        wanted = vec![Recipient { channel: Channel::Email, address: asked.email.clone() }];
    }
    let (mut to, mut not_sent, mut first) = (Vec::new(), Vec::new(), None);
    for one in wanted {
        match test_send::is_possible(&mut *tx, asked.set_up, &profile.org, &one).await {
            Ok(()) => to.push(one),
            Err(Error::Conflict(why)) => {
                first.get_or_insert(why);
                not_sent.push(NotSent { channel: one.channel, to: one.address, reason: why.to_owned() });
            }
            Err(e) => return Err(e),
        }
    }
    if to.is_empty() {
        return Err(Error::Conflict(
            first.unwrap_or("Nobody is there to send it to: choose email or texts in Automation."),
        ));
    }
    Ok((to, not_sent))
}

async fn is_no_toy(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    let hour = Duration::hours(1);
    let since = live::floor(origin.now() - hour + Duration::milliseconds(1));
    let sql = "SELECT COUNT(*) FROM pulse WHERE org_id = $1 AND id >= $2 AND account_id IS NOT NULL";
    let lately = q!(tx, fetch_one scalar i64, sql, org, since)?;
    if lately >= MOST_AN_HOUR { Err(Error::TooMany { retry_after_seconds: hour.num_seconds() }) } else { Ok(()) }
}

async fn store(tx: &mut Tx, origin: &Origin, due: &Due, period: Period, sent_to: &[Receiver]) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO pulse (org_id, id, period_key, due_at, outcome, made_at, from_day, to_day, sent_to, account_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        due.org_id,
        due.id,
        format!("manual:{}", due.id),
        due.due_at,
        Outcome::Sent,
        origin.now(),
        period.from,
        period.to,
        Json(sent_to),
        due.account_id
    )?;
    Ok(())
}
