//! Consequences when a provider refuses a text, limits us, or reports a failed delivery: for the message, the customer
//! record, the business, and the alerts (trust table 2.9).

use std::time::Duration as StdDuration;

use chrono::{DateTime, Duration, Utc};

use super::{
    MessageChannel, MessageStatus, cancel_texts_to_address, email_fallback, provider_pause,
    provider_trouble::{self, TroubleCause},
    send::{ClaimedMessage, finish_message, load_message, postpone_message, retry_jitter, schedule_retry},
    send_rate,
    sms_health::{self, SmsHealthProblem},
};
use crate::{
    domain::{
        intake::customer,
        messaging::{
            alert,
            opt_out::store as opt_out,
            sending_number::{contact, opt_out_scope},
        },
        tenancy::{
            audit::{self, AuditAction, AuditActor},
            org::{self, CarrierRegistration, SendingPatch, SettingsPatch},
        },
    },
    platform::{
        clock::ClockRng,
        contact_hours::ContactClass,
        db::{Tx, q},
        error::Result,
        id::{MessageId, OrgId},
        live::{self, Topic},
        recipient::Recipient,
    },
    providers::{
        RefusalReason,
        sms::codes::{self, TwilioErrorAction},
    },
};

/// The sending number is not registered with the US carriers.
const UNREGISTERED: [i32; 2] = [30032, 30034];
/// Lost by the carrier for no stated reason: repeated only where a second text would do no harm.
const NO_REASON: i32 = 30008;
const DAILY_LIMIT: i32 = 63038;
/// Too many texts wait at the provider for one sending number.
const QUEUE_FULL: [i32; 2] = [21611, 30001];
/// Blocked or filtered: a few in a day point at the content or the registration.
const FILTERED: [i32; 2] = [30004, 30007];
const FILTERED_A_DAY: i64 = 3;
/// A text that waits for the account is handed to a person after this time.
const HELD_AT_MOST: Duration = Duration::hours(24);
/// Lifetime of a text that a rule repeats much later.
const WORTH_AGAIN: Duration = Duration::minutes(15);
const MOST_TRIES: i64 = 12;

pub(super) async fn process_refusal(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    code: Option<i32>,
    kind: RefusalReason,
    reason: &str,
) -> Result<()> {
    if code.is_some_and(|code| UNREGISTERED.contains(&code)) && is_of_former_number(&mut *tx, message).await? {
        // It says nothing of the number that the business sends from now.
        return fail_with_alert(tx, origin, message, reason).await;
    }
    let trouble = SmsHealthProblem::from_refusal(code, kind).filter(|_| message.to.is_phone());
    let Some(trouble) = trouble else { return settle_refused(tx, origin, message, code, kind, reason).await };
    let cause = sms_health::find_install_cause(&mut *tx, message, (trouble, code)).await?;
    sms_health::notify_owners(tx, origin, message.org_id, (trouble, cause), reason).await?;
    settle_refused(tx, origin, message, code, kind, reason).await?;
    record_install_trouble(tx, origin, cause, reason).await
}

/// Whether the text left from a number that the business no longer sends from.
async fn is_of_former_number(tx: &mut Tx, message: &ClaimedMessage) -> Result<bool> {
    let business = org::find(&mut *tx, message.org_id).await?;
    match (&message.to, business.as_ref().and_then(org::Org::sender)) {
        (Recipient::Phone(_), present) if present != message.sender() => Ok(true),
        (Recipient::Phone(phone), Some(sender)) => {
            let attempt = (message.org_id, message.id, message.attempts);
            contact::is_of_former_sender(tx, attempt, sender, phone).await
        }
        _ => Ok(false),
    }
}

/// Last in its transaction: all businesses share the row.
async fn record_install_trouble(
    tx: &mut Tx,
    origin: &ClockRng,
    cause: Option<TroubleCause>,
    reason: &str,
) -> Result<()> {
    let Some(cause) = cause else { return Ok(()) };
    provider_trouble::record_trouble(tx, origin.now(), (MessageChannel::Sms, cause), reason).await
}

async fn settle_refused(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    code: Option<i32>,
    kind: RefusalReason,
    reason: &str,
) -> Result<()> {
    match kind {
        RefusalReason::OptedOut => record_provider_opt_out(tx, origin, message, reason).await,
        RefusalReason::ChannelBroken if code.is_some_and(|code| UNREGISTERED.contains(&code)) => {
            mark_unregistered(tx, origin, message.org_id).await?;
            fail_with_alert(tx, origin, message, reason).await
        }
        RefusalReason::ChannelBroken if message.to.is_phone() => {
            let until = origin.now() + provider_pause::ACCOUNT_RETRY_AFTER;
            provider_pause::pause_account(tx, until).await?;
            hold_message(tx, origin, message, until, reason).await
        }
        RefusalReason::BadNumber => {
            mark_sms_undeliverable(tx, origin, message).await?;
            finish_message(tx, origin, message, MessageStatus::Failed, Some(reason)).await?;
            email_fallback::queue_email_fallback(tx, origin, message).await?;
            alert::alert_unreachable_number(tx, origin, message, reason).await
        }
        RefusalReason::SetUp | RefusalReason::Other | RefusalReason::BadAddress | RefusalReason::ChannelBroken => {
            fail_with_alert(tx, origin, message, reason).await?;
            if code.is_some_and(|code| FILTERED.contains(&code)) {
                notify_if_often_filtered(tx, origin, message.org_id, reason).await?;
            }
            Ok(())
        }
    }
}

pub(super) async fn process_rate_limited(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    (code, reason): (i32, &str),
    after: Option<StdDuration>,
) -> Result<()> {
    if message.attempts >= MOST_TRIES {
        return fail_with_alert(tx, origin, message, reason).await;
    }
    let wait = after.and_then(|after| Duration::from_std(after).ok());
    if code == DAILY_LIMIT {
        let until = origin.now() + wait.unwrap_or(Duration::hours(1));
        let trouble = SmsHealthProblem::DailyLimit;
        let cause = sms_health::find_install_cause(&mut *tx, message, (trouble, Some(code))).await?;
        sms_health::notify_owners(tx, origin, message.org_id, (trouble, cause), reason).await?;
        pause_channel(tx, message.channel(), until).await?;
        hold_message(tx, origin, message, until, reason).await?;
        return record_install_trouble(tx, origin, cause, reason).await;
    }
    if QUEUE_FULL.contains(&code) {
        // Only this number's queue is full; other numbers may go on.
        let next = origin.now() + wait.unwrap_or(Duration::minutes(10)) + retry_jitter(origin);
        send_rate::pause_sender(tx, message, next).await?;
        return retry_or_fail(tx, origin, message, next, reason).await;
    }
    schedule_retry(tx, origin, message, reason, wait).await
}

/// Retries at `next`, unless that is too late.
pub(super) async fn retry_or_fail(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    next: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    if next > message.deadline_at {
        let why = format!("it could not be sent in time ({reason})");
        return fail_with_alert(tx, origin, message, &why).await;
    }
    postpone_message(tx, origin, message, MessageStatus::Queued, next, reason).await
}

/// Final failure. The customer may still be texted by hand.
pub(super) async fn fail_with_alert(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    reason: &str,
) -> Result<()> {
    finish_message(&mut *tx, origin, message, MessageStatus::Failed, Some(reason)).await?;
    alert::alert_text_not_sent(tx, origin, message, reason).await
}

/// A text that the provider had taken did not arrive. Its row is `fail_with_alert` already.
pub(super) async fn process_undelivered(
    tx: &mut Tx,
    origin: &ClockRng,
    id: MessageId,
    code: Option<i32>,
) -> Result<()> {
    let Some(message) = load_message(&mut *tx, origin, id).await? else { return Ok(()) };
    let (to, attempt) = (message.to.clone(), (message.org_id, message.id, message.attempts));
    settle_undelivered(&mut *tx, origin, message, code).await?;
    // Last: what the failure means depends on the sender that the attempt left from.
    match to {
        Recipient::Phone(phone) => contact::undo_undelivered_contact(tx, attempt, &phone).await,
        Recipient::Email(_) => Ok(()),
    }
}

async fn settle_undelivered(
    tx: &mut Tx,
    origin: &ClockRng,
    mut message: ClaimedMessage,
    code: Option<i32>,
) -> Result<()> {
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
    let Some(row) = code.and_then(codes::find_error_code) else {
        return fail_with_alert(tx, origin, &message, "the phone network did not deliver it").await;
    };
    match row.next {
        TwilioErrorAction::Never(kind) => process_refusal(tx, origin, &message, code, kind, row.words).await,
        TwilioErrorAction::Later { after, times: None } => {
            clear_sent_at(tx, &message).await?;
            process_rate_limited(tx, origin, &message, (row.code, row.words), after).await
        }
        TwilioErrorAction::Later { after, times: Some(times) } => {
            let tried = count_error_reports(tx, &message, row.code).await?;
            let harmless = row.code != NO_REASON || message.class == ContactClass::Informational;
            if tried > i64::from(times) || !harmless {
                return fail_with_alert(tx, origin, &message, row.words).await;
            }
            clear_sent_at(tx, &message).await?;
            let wait = after.and_then(|after| Duration::from_std(after).ok()).unwrap_or_default();
            let next = origin.now() + wait + retry_jitter(origin);
            message.deadline_at = message.deadline_at.max(next + WORTH_AGAIN);
            postpone_message(tx, origin, &message, MessageStatus::Queued, next, row.words).await
        }
    }
}

async fn clear_sent_at(tx: &mut Tx, message: &ClaimedMessage) -> Result<()> {
    let sql = "UPDATE message SET sent_at = NULL WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, message.org_id, message.id)?;
    Ok(())
}

async fn count_error_reports(tx: &mut Tx, message: &ClaimedMessage, code: i32) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM message_attempt WHERE org_id = $1 AND message_id = $2 AND code = $3";
    Ok(q!(tx, fetch_one scalar i64, sql, message.org_id, message.id, i64::from(code))?)
}

/// The provider stores an opt-out per sending number: no business may text them from it, and everything waiting stops.
async fn record_provider_opt_out(tx: &mut Tx, origin: &ClockRng, message: &ClaimedMessage, reason: &str) -> Result<()> {
    let former = find_former_sender(&mut *tx, message).await?;
    match (&message.to, former.as_deref().or(message.sender())) {
        (Recipient::Phone(phone), Some(sender)) => {
            opt_out_scope::record_provider_stop(tx, origin, (message.org_id, sender), phone.as_e164(), reason).await?;
        }
        (to, _) => {
            let state = opt_out::OptOutState::Stopped;
            let record = opt_out::OptOutRecord { state, source: "provider", matched: None };
            opt_out::record_opt_out(tx, origin, message.org_id, to.channel(), to.as_str(), &record).await?;
        }
    }
    finish_message(tx, origin, message, MessageStatus::NotSent, Some(reason)).await?;
    cancel_texts_to_address(tx, origin, message.org_id, message.to.as_str(), reason).await
}

/// The sender of the attempt, where it is known: a report may come when the business sends from another one.
async fn find_former_sender(tx: &mut Tx, message: &ClaimedMessage) -> Result<Option<String>> {
    let Recipient::Phone(phone) = &message.to else { return Ok(None) };
    contact::find_sender_of_attempt(tx, (message.org_id, message.id, message.attempts), phone).await
}

/// A landline or an unassigned number: no text is tried there for some months.
async fn mark_sms_undeliverable(tx: &mut Tx, origin: &ClockRng, message: &ClaimedMessage) -> Result<()> {
    match &message.to {
        Recipient::Phone(phone) if message.customer_id.is_some() => {
            customer::mark_sms_undeliverable(tx, message.org_id, phone, origin.now()).await
        }
        _ => Ok(()),
    }
}

/// Carriers drop the texts of an unregistered business: nothing more is tried until it is set as registered, and the
/// screens offer a personal phone meanwhile.
async fn mark_unregistered(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    org::lock(tx, org).await?;
    let sending = SendingPatch { registration: Some(CarrierRegistration::Pending), ..SendingPatch::default() };
    let patch = SettingsPatch { sending: Some(sending), ..SettingsPatch::default() };
    org::change_settings(tx, origin, org, &patch).await?;
    audit::record(tx, origin, &AuditActor::default(), org, AuditAction::SettingsChanged, Some(org.0)).await?;
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

async fn notify_if_often_filtered(tx: &mut Tx, origin: &ClockRng, org: OrgId, reason: &str) -> Result<()> {
    let since = origin.now() - Duration::hours(24);
    let seen = q!(
        &mut *tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM message m JOIN message_attempt a ON a.org_id = m.org_id AND a.message_id = m.id
         WHERE m.org_id = $1 AND m.id >= $2 AND a.started_at >= $3 AND a.code IN (30004, 30007)",
        org,
        // Ids sort by time: messages older than two days were not sent within the last one.
        live::min_id_at(since - Duration::hours(24)),
        since
    )?;
    if seen >= FILTERED_A_DAY {
        sms_health::notify_owners(tx, origin, org, (SmsHealthProblem::Filtered, None), reason).await?;
    }
    Ok(())
}

/// Held until the account may work again; after too long a wait a person decides.
pub(super) async fn hold_message(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    until: DateTime<Utc>,
    reason: &str,
) -> Result<()> {
    if until > message.created_at + HELD_AT_MOST {
        return fail_with_alert(tx, origin, message, reason).await;
    }
    postpone_message(tx, origin, message, MessageStatus::Held, until + retry_jitter(origin), reason).await?;
    alert::escalation::escalate_by_email(tx, origin, message, reason).await
}

pub(super) async fn pause_channel(tx: &mut Tx, channel: MessageChannel, until: DateTime<Utc>) -> Result<()> {
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
