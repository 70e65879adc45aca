//! What follows when a provider refuses a text, limits us, or reports that a text was not delivered: for the message,
//! for what we know of the person, for the business, and for whoever must be told (trust table 2.9).

use std::time::Duration as StdDuration;

use chrono::{DateTime, Duration, Utc};

use super::{
    Channel, Status, account, email_fallback,
    send::{Outgoing, load, postpone, settle, spread, try_again},
    send_rate,
    sms_health::{self, Trouble},
    stop_all_to,
};
use crate::{
    domain::{
        intake::lead::customer,
        messaging::{alert, opt_out::store as opt_out, sending_number::reach},
        tenancy::{
            audit::{self, Action, Actor},
            org::{
                self,
                settings::{Registration, SendingPatch, SettingsPatch},
            },
        },
    },
    platform::{
        clock::Origin,
        contact_hours::Class,
        db::{Tx, q},
        error::Result,
        id::{MessageId, OrgId},
        live::{self, Topic},
    },
    providers::{
        Refusal,
        sms::codes::{self, Next},
    },
};

/// The sending number is not registered with the US carriers.
const UNREGISTERED: i32 = 30034;
/// The carrier lost it and does not say why: repeated only where a second one would do no harm.
const NO_REASON: i32 = 30008;
/// The account's daily limit.
const DAILY_LIMIT: i32 = 63038;
/// Too many texts wait at the provider for one sending number.
const QUEUE_FULL: [i32; 2] = [21611, 30001];
/// Blocked or filtered: a few in a day point at the content or the registration.
const FILTERED: [i32; 2] = [30004, 30007];
const FILTERED_A_DAY: i64 = 3;
/// What waits for an account that works is handed to a person after this time.
const HELD_AT_MOST: Duration = Duration::hours(24);
/// A text that is repeated much later by rule is worth sending for this long then.
const WORTH_AGAIN: Duration = Duration::minutes(15);
/// Tries of one message, whatever the reasons.
const MOST_TRIES: i64 = 12;

/// The provider will not take it, now or ever.
pub(super) async fn refused(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    code: Option<i32>,
    kind: Refusal,
    reason: &str,
) -> Result<()> {
    if let Some(trouble) = Trouble::of(code, kind).filter(|_| message.channel == Channel::Sms) {
        sms_health::tell(tx, origin, message.org_id, trouble, reason).await?;
    }
    match kind {
        Refusal::OptedOut => opted_out(tx, origin, message, reason).await,
        Refusal::ChannelBroken if code == Some(UNREGISTERED) => {
            await_registration(tx, origin, message.org_id).await?;
            failed(tx, origin, message, reason).await
        }
        Refusal::ChannelBroken if message.channel == Channel::Sms => {
            let until = origin.now() + account::BROKEN_FOR;
            account::pause(tx, until).await?;
            hold(tx, origin, message, until, reason).await
        }
        Refusal::BadNumber => {
            cannot_be_texted(tx, origin, message).await?;
            settle(tx, origin, message, Status::Failed, Some(reason)).await?;
            email_fallback::by_email(tx, origin, message).await?;
            alert::note_bad_number(tx, origin, message, reason).await
        }
        Refusal::SetUp | Refusal::Other | Refusal::BadAddress | Refusal::ChannelBroken => {
            failed(tx, origin, message, reason).await?;
            if code.is_some_and(|code| FILTERED.contains(&code)) {
                count_filtered(tx, origin, message.org_id, reason).await?;
            }
            Ok(())
        }
    }
}

/// The provider takes nothing more for a while, by a limit of its own.
pub(super) async fn busy(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    (code, reason): (i32, &str),
    after: Option<StdDuration>,
) -> Result<()> {
    if message.attempts >= MOST_TRIES {
        return failed(tx, origin, message, reason).await;
    }
    let wait = after.and_then(|after| Duration::from_std(after).ok());
    if code == DAILY_LIMIT {
        let until = origin.now() + wait.unwrap_or(Duration::hours(1));
        sms_health::tell(tx, origin, message.org_id, Trouble::DailyLimit, reason).await?;
        pause(tx, message.channel, until).await?;
        return hold(tx, origin, message, until, reason).await;
    }
    if QUEUE_FULL.contains(&code) {
        // Too much waits at one number; the others may go on.
        let next = origin.now() + wait.unwrap_or(Duration::minutes(10)) + spread(origin);
        send_rate::rest(tx, message, next).await?;
        return wait_or_give_up(tx, origin, message, next, reason).await;
    }
    try_again(tx, origin, message, reason, wait).await
}

/// Again at `next`, unless that is too late to be of use.
pub(super) async fn wait_or_give_up(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    next: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    if next > message.deadline_at {
        let why = format!("it could not be sent in time to be of use ({reason})");
        return failed(tx, origin, message, &why).await;
    }
    postpone(tx, origin, message, Status::Queued, next, reason).await
}

/// It will not go, and whoever it was for may still be texted by hand.
pub(super) async fn failed(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    settle(&mut *tx, origin, message, Status::Failed, Some(reason)).await?;
    alert::note_unsent(tx, origin, message, reason).await
}

/// A text that the provider had taken did not arrive. Its row says `failed` already.
pub(super) async fn not_delivered(tx: &mut Tx, origin: &Origin, id: MessageId, code: Option<i32>) -> Result<()> {
    let Some(mut message) = load(&mut *tx, origin, id).await? else { return Ok(()) };
    if let Some(code) = code {
        q!(
            &mut *tx,
            execute,
            "UPDATE message_attempt SET code = $4 WHERE org_id = $1 AND message_id = $2 AND number = $3",
            message.org_id,
            message.id,
            message.attempts,
            i64::from(code)
        )?;
    }
    let Some(row) = code.and_then(codes::find) else {
        return failed(tx, origin, &message, "the phone network did not deliver it").await;
    };
    match row.next {
        Next::Never(kind) => refused(tx, origin, &message, code, kind, row.words).await,
        Next::Later { after, times: None } => {
            not_sent_yet(tx, &message).await?;
            busy(tx, origin, &message, (row.code, row.words), after).await
        }
        Next::Later { after, times: Some(times) } => {
            let tried = times_reported(tx, &message, row.code).await?;
            let harmless = row.code != NO_REASON || message.class == Class::Informational;
            if tried > i64::from(times) || !harmless {
                return failed(tx, origin, &message, row.words).await;
            }
            not_sent_yet(tx, &message).await?;
            let wait = after.and_then(|after| Duration::from_std(after).ok()).unwrap_or_default();
            let next = origin.now() + wait + spread(origin);
            message.deadline_at = message.deadline_at.max(next + WORTH_AGAIN);
            postpone(tx, origin, &message, Status::Queued, next, row.words).await
        }
    }
}

async fn not_sent_yet(tx: &mut Tx, message: &Outgoing) -> Result<()> {
    let sql = "UPDATE message SET sent_at = NULL WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, message.org_id, message.id)?;
    Ok(())
}

/// How often this message met this code.
async fn times_reported(tx: &mut Tx, message: &Outgoing, code: i32) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND code = $3";
    Ok(q!(tx, fetch_one scalar i64, sql, message.org_id, message.id, i64::from(code))?)
}

/// The person told the provider to stop, and the provider told us: it holds here too, for everything that waits.
/// They said STOP to the number itself, which the provider remembers: no business texts them from it any more.
async fn opted_out(tx: &mut Tx, origin: &Origin, message: &Outgoing, reason: &str) -> Result<()> {
    if let Some(sender) = message.sender().filter(|_| message.channel == Channel::Sms) {
        reach::refused(tx, origin, (message.org_id, sender), &message.to_address, reason).await?;
    } else {
        let said = opt_out::Said { state: opt_out::State::Stopped, source: "provider", matched: None };
        opt_out::record(tx, origin, message.org_id, message.channel, &message.to_address, &said).await?;
    }
    settle(tx, origin, message, Status::NotSent, Some(reason)).await?;
    stop_all_to(tx, origin, message.org_id, &message.to_address, reason).await
}

/// A landline, or nobody's number: no text is tried there for some months.
async fn cannot_be_texted(tx: &mut Tx, origin: &Origin, message: &Outgoing) -> Result<()> {
    if message.customer_id.is_none() || message.channel != Channel::Sms {
        return Ok(());
    }
    customer::refuses_texts(tx, message.org_id, &message.to_address, origin.now()).await
}

/// The carriers drop what an unregistered business sends: nothing more is tried until somebody says that it is
/// registered, and the screens offer the person's own phone meanwhile.
async fn await_registration(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    org::lock(tx, org).await?;
    let sending = SendingPatch { registration: Some(Registration::Pending), ..SendingPatch::default() };
    let patch = SettingsPatch { sending: Some(sending), ..SettingsPatch::default() };
    org::change_settings(tx, origin, org, &patch).await?;
    audit::record(tx, origin, &Actor::default(), org, Action::SettingsChanged, Some(org.0)).await?;
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}

/// Tells the business when carriers block or filter its texts again and again.
async fn count_filtered(tx: &mut Tx, origin: &Origin, org: OrgId, reason: &str) -> Result<()> {
    let since = origin.now() - Duration::hours(24);
    let seen = q!(
        &mut *tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM message m JOIN message_attempt a ON a.org_id = m.org_id AND a.message_id = m.id
         WHERE m.org_id = $1 AND m.id >= $2 AND a.started_at >= $3 AND a.code IN (30004, 30007)",
        org,
        // Ids sort by time: what is older than two days was not sent within the last one.
        live::floor(since - Duration::hours(24)),
        since
    )?;
    if seen >= FILTERED_A_DAY {
        sms_health::tell(tx, origin, org, Trouble::Filtered, reason).await?;
    }
    Ok(())
}

/// Kept until the account may work again; a person decides about what waits too long.
pub(super) async fn hold(
    tx: &mut Tx,
    origin: &Origin,
    message: &Outgoing,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    if until > message.created_at + HELD_AT_MOST {
        return failed(tx, origin, message, reason).await;
    }
    postpone(tx, origin, message, Status::Held, until + spread(origin), reason).await?;
    alert::escalation::not_texted(tx, origin, message, reason).await
}

/// Nobody calls the provider on this channel before `until`.
pub(super) async fn pause(tx: &mut Tx, channel: Channel, until: DateTime<Utc>) -> Result<()> {
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
