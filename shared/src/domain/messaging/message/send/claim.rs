//! Claim of a message for sending: the send policy is asked, and a message that may not go is turned back.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use super::{
    ALREADY_BOOKED, ClaimedMessage, inflight, load_message,
    record::{end_attempt, finish_message, is_claim_current, postpone_message, retry_jitter},
};
use crate::{
    domain::{
        messaging::{
            alert,
            message::{
                MessageKind, MessageStatus, email_fallback, provider_pause, reconcile, refusal,
                send_budget::{self, SendBudgetUsage},
                send_policy::{self, SendEvidence, SendVerdict, budget_limit},
                send_rate::{self, SendRateLimit, SendSlot, ServiceMemberCounts},
                sms_link,
            },
            sending_number::contact,
        },
        tenancy::{
            org::SendChannels,
            trust_level::{self, TrustContext, TrustSubject},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, for_update_clause, q, qb},
        email_address::EmailAddress,
        error::Result,
        id::MessageId,
        recipient::Recipient,
    },
    providers::SendError,
};

/// A busy provider asks for less than this.
const A_MOMENT: Duration = Duration::minutes(5);

/// When it is looked up again whether the receiver opted out.
const OPT_OUT_RECHECK_AFTER: Duration = Duration::minutes(15);
const STOP_UNKNOWN: &str = "it is not known whether they asked not to be texted";
const EMAIL_OPT_OUT_UNKNOWN: &str = "it is not known whether they asked not to be emailed";

/// Delay of a confirmation that would overtake a text.
const CONFIRMS_LATER: Duration = Duration::seconds(1);

#[derive(Debug)]
pub enum ClaimOutcome {
    /// Call the provider, then [`record_outcome`](super::record_outcome).
    Send(Box<ClaimedMessage>),
    Settled,
    /// The members of this service are not counted ([`ServiceMemberCounts`]): roll back, and claim again with them.
    Uncounted(String),
}

/// Claims a message in the open transaction. One found in `sending` was left by a worker that died or stalled: it
/// becomes `unknown`, and that worker can no longer record anything.
pub async fn claim_message(
    tx: &mut Tx,
    origin: &ClockRng,
    worker: &str,
    (set_up, pace): (SendChannels, SendRateLimit),
    members: &ServiceMemberCounts,
    id: MessageId,
) -> Result<ClaimOutcome> {
    lock_message(tx, id).await?;
    let Some(message) = load_message(tx, origin, id).await? else { return Ok(ClaimOutcome::Settled) };
    let now = origin.now();
    match message.status {
        MessageStatus::Sending => {
            let why = "the program stopped while it was being sent";
            reconcile::begin_reconciliation(tx, origin, &message, why).await?;
            return Ok(ClaimOutcome::Settled);
        }
        MessageStatus::Queued | MessageStatus::Held if message.next_attempt_at <= now => {}
        _ => return Ok(ClaimOutcome::Settled),
    }
    if must_delay_confirmation(tx, &message, now).await? {
        let why = "texts to them that were already leaving end first";
        postpone_message(tx, origin, &message, MessageStatus::Queued, now + CONFIRMS_LATER, why).await?;
        return Ok(ClaimOutcome::Settled);
    }
    let (verdict, evidence) = evaluate_policy(tx, &message, set_up, now).await?;
    match verdict {
        SendVerdict::Yes { until } => {
            let pace = match members.rate_limit_for(&message, pace) {
                Ok(pace) => pace,
                Err(service) => return Ok(ClaimOutcome::Uncounted(service)),
            };
            if !has_send_slot(tx, origin, &message, pace).await? {
                return Ok(ClaimOutcome::Settled);
            }
            // One time for the charges, the attempt and a refund: they belong to the same day.
            let (org, at) = (message.org_id, origin.now());
            let BudgetCharge::Made(charged) =
                charge_trust_budget(tx, origin, &message, set_up, (&evidence, at)).await?
            else {
                return Ok(ClaimOutcome::Settled);
            };
            let claim = begin_attempt(tx, origin, worker, message, until, (&evidence, at)).await?;
            if let (ClaimOutcome::Settled, Some(what)) = (&claim, charged) {
                trust_level::refund_budget(tx, (org, what), 1, at).await?;
            }
            Ok(claim)
        }
        other => {
            apply_refusal(tx, origin, &message, other, Some(&evidence)).await?;
            Ok(ClaimOutcome::Settled)
        }
    }
}

/// Holds a due message while it cannot be looked up whether its receiver opted out.
pub async fn hold_unchecked_message(tx: &mut Tx, origin: &ClockRng, id: MessageId) -> Result<()> {
    lock_message(tx, id).await?;
    let Some(message) = load_message(tx, origin, id).await? else { return Ok(()) };
    let now = origin.now();
    let is_waiting = matches!(message.status, MessageStatus::Queued | MessageStatus::Held);
    if is_waiting && message.next_attempt_at <= now {
        let why = if message.to.is_email() { EMAIL_OPT_OUT_UNKNOWN } else { STOP_UNKNOWN };
        refusal::hold_message(tx, origin, &message, now + OPT_OUT_RECHECK_AFTER, why).await?;
    }
    Ok(())
}

/// Locks the message's row until the transaction ends. Later writes do not check its state again: without the lock they
/// would overwrite a worker that records at the same time.
async fn lock_message(tx: &mut Tx, id: MessageId) -> Result<()> {
    let suffix = for_update_clause(tx);
    qb!(tx, fetch_optional scalar MessageId, |b| {
        b.push("SELECT id FROM message WHERE id = ").push_bind(id).push(suffix);
    })?;
    Ok(())
}

/// Whether it confirms a STOP while a text to the same number may still be leaving.
async fn must_delay_confirmation(conn: &mut dyn AsConn, message: &ClaimedMessage, now: DateTime<Utc>) -> Result<bool> {
    let bound = Duration::from_std(inflight::INFLIGHT_TIMEOUT).unwrap_or_default();
    if message.kind != MessageKind::StopConfirmation || now - message.created_at > bound {
        return Ok(false);
    }
    inflight::has_other_inflight(conn, message).await
}

async fn has_send_slot(tx: &mut Tx, origin: &ClockRng, message: &ClaimedMessage, pace: SendRateLimit) -> Result<bool> {
    if message.to.is_email() {
        return Ok(true);
    }
    match send_rate::claim_send_slot(tx, message, pace, origin.now()).await? {
        SendSlot::Now => return Ok(true),
        SendSlot::At(at, had) => {
            let sql = "UPDATE message SET rate_limit_stage = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, message.org_id, message.id, had)?;
            postpone_message(tx, origin, message, MessageStatus::Queued, at, "other texts leave first").await?;
        }
        SendSlot::Never => {
            let why = "too many texts were waiting before it to send it in time";
            refusal::fail_with_alert(tx, origin, message, why).await?;
        }
    }
    Ok(false)
}

async fn evaluate_policy(
    conn: &mut dyn AsConn,
    message: &ClaimedMessage,
    set_up: SendChannels,
    now: DateTime<Utc>,
) -> Result<(SendVerdict, SendEvidence)> {
    let spent = message.load_usage(&mut *conn, now).await?;
    let trust = message.load_trust(conn, set_up.takes_money, now).await?;
    Ok(send_policy::may_send(&message.send_context(spent, trust), set_up, now))
}

/// Check right before the provider call: a STOP may have come since the claim. None when it may still go.
pub async fn recheck_policy(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    set_up: SendChannels,
    message: &ClaimedMessage,
) -> Result<Option<(SendVerdict, Option<SendEvidence>)>> {
    let Some(fresh) = load_message(conn, origin, message.id).await? else {
        return Ok(Some((not_waiting_verdict(), None)));
    };
    if fresh.status != MessageStatus::Sending || fresh.fence != message.fence {
        return Ok(Some((not_waiting_verdict(), None)));
    }
    let (verdict, evidence) = evaluate_policy(conn, &fresh, set_up, origin.now()).await?;
    Ok(match verdict {
        // The number moved to another business, or the business to another number: it takes its turn there.
        SendVerdict::Yes { .. } if fresh.sender() != message.sender() => {
            Some((SendVerdict::Wait(origin.now()), Some(evidence)))
        }
        SendVerdict::Yes { .. } => None,
        other => Some((other, Some(evidence))),
    })
}

fn not_waiting_verdict() -> SendVerdict {
    SendVerdict::No("it was undone".to_owned())
}

/// Ends an attempt that the last check stopped. Nothing was sent.
pub async fn cancel_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    verdict: SendVerdict,
    evidence: Option<&SendEvidence>,
) -> Result<()> {
    let why = SendError::Retry { reason: "stopped before it was sent".to_owned(), after: None };
    if !is_claim_current(tx, message).await? {
        return Ok(());
    }
    end_attempt(tx, origin, message, &Err(why)).await?;
    apply_refusal(tx, origin, message, verdict, evidence).await
}

async fn apply_refusal(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    verdict: SendVerdict,
    evidence: Option<&SendEvidence>,
) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE message SET evidence = $3 WHERE org_id = $1 AND id = $2",
        message.org_id,
        message.id,
        Json(evidence)
    )?;
    match verdict {
        SendVerdict::Yes { .. } => Ok(()),
        SendVerdict::No(why) => {
            finish_message(&mut *tx, origin, message, MessageStatus::NotSent, Some(&why)).await?;
            if why == sms_link::NO_NUMBER {
                email_fallback::queue_email_fallback(&mut *tx, origin, message).await?;
            }
            let has_no_way =
                [sms_link::NOT_SET_UP, sms_link::NO_NUMBER, sms_link::NOT_REGISTERED].contains(&why.as_str());
            // The customer was not asked whether they keep their time: the office has to ask.
            let is_unasked = message.asks_to_confirm_booking() && why != ALREADY_BOOKED;
            if message.kind.is_automatic() && (has_no_way || is_unasked) {
                alert::alert_text_not_sent(&mut *tx, origin, message, &why).await?;
            }
            let limit = evidence.and_then(SendEvidence::budget_limit);
            alert::alert_budget_limit(tx, origin, message.org_id, limit).await
        }
        SendVerdict::TooLate => refusal::fail_with_alert(tx, origin, message, "it could not be sent in time").await,
        // A long wait: the account is out of order, and texts that wait for it are kept.
        SendVerdict::Wait(until) if until - origin.now() > A_MOMENT => {
            refusal::hold_message(tx, origin, message, until, provider_pause::PROVIDER_PAUSED).await
        }
        SendVerdict::Wait(until) => {
            let later = until + retry_jitter(origin);
            postpone_message(tx, origin, message, MessageStatus::Queued, later, "the provider asked us to wait").await
        }
        SendVerdict::HoldMessage { until, why } => {
            postpone_message(tx, origin, message, MessageStatus::Held, message.postponed_until(until), &why).await
        }
    }
}

enum BudgetCharge {
    /// Counted as this, or not subject to counting.
    Made(Option<TrustSubject>),
    /// The budget was used up meanwhile; the message was turned back.
    Refused,
}

/// Counts a message once, and once more each time a person sends it again, against the budgets of a business that is new
/// here.
async fn charge_trust_budget(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    set_up: SendChannels,
    (evidence, at): (&SendEvidence, DateTime<Utc>),
) -> Result<BudgetCharge> {
    let trust = message.load_trust(&mut *tx, set_up.takes_money, at).await?;
    let charge = trust.budget_charge(message.to.is_phone()).filter(|_| message.counted_at.is_none());
    let Some((what, budget)) = charge else { return Ok(BudgetCharge::Made(None)) };
    if trust_level::try_consume_budget(&mut *tx, (message.org_id, what), 1, budget, at).await? {
        return Ok(BudgetCharge::Made(Some(what)));
    }
    let why = trust_level::budget_exceeded_reason(trust.level, trust.takes_money, what, budget);
    apply_refusal(tx, origin, message, SendVerdict::No(why), Some(evidence)).await?;
    Ok(BudgetCharge::Refused)
}

/// Counts an email to an address known only from forms, or about a visit booked in its name. False: budget used up.
async fn charge_email_budget(
    tx: &mut Tx,
    origin: &ClockRng,
    (message, to): (&ClaimedMessage, &EmailAddress),
    (evidence, at): (&SendEvidence, DateTime<Utc>),
) -> Result<bool> {
    let facts = message.send_context(SendBudgetUsage::default(), TrustContext::FULL);
    if !budget_limit::is_email_capped(&facts) {
        return Ok(true);
    }
    let (org, day) = (message.org_id, message.budget_day(at));
    if send_budget::claim_email_slot(&mut *tx, org, (&day, at), to, budget_limit::EMAILS_TO_ADDRESS).await? {
        return Ok(true);
    }
    let limit = budget_limit::email_budget_limit(&facts);
    let (why, evidence) = (limit.limit_reason(facts.sending), evidence.clone().with_budget_limit(Some(limit)));
    apply_refusal(tx, origin, message, SendVerdict::No(why), Some(&evidence)).await?;
    Ok(false)
}

/// Counts a message about to leave. False when the budget was used up meanwhile.
async fn charge_send_budget(
    tx: &mut Tx,
    origin: &ClockRng,
    message: &ClaimedMessage,
    (evidence, at): (&SendEvidence, DateTime<Utc>),
) -> Result<bool> {
    let to = match &message.to {
        Recipient::Email(email) => return charge_email_budget(tx, origin, (message, email), (evidence, at)).await,
        Recipient::Phone(phone) => phone,
    };
    let (org, day) = (message.org_id, message.budget_day(at));
    let spent = send_budget::lock_budget_usage(&mut *tx, org, &day, to, at).await?;
    let facts = message.send_context(spent, TrustContext::FULL);
    if let Some(limit) = budget_limit::reached_budget_limit(&facts) {
        let (why, evidence) = (limit.limit_reason(facts.sending), evidence.clone().with_budget_limit(Some(limit)));
        apply_refusal(tx, origin, message, SendVerdict::No(why), Some(&evidence)).await?;
        return Ok(false);
    }
    send_budget::count_text(&mut *tx, org, &day, &message.body).await?;
    if budget_limit::is_capped(&facts) {
        send_budget::count_recipient(&mut *tx, org, (&day, at), to, budget_limit::is_form_request(&facts)).await?;
    }
    if facts.by_booking {
        send_budget::count_booking_recipient(&mut *tx, org, (&day, at), to).await?;
    }
    alert::alert_budget_usage(tx, origin, org, spent.texts + 1, facts.sending.daily_text_budget).await?;
    Ok(true)
}

async fn begin_attempt(
    tx: &mut Tx,
    origin: &ClockRng,
    worker: &str,
    mut message: ClaimedMessage,
    until: Option<DateTime<Utc>>,
    (evidence, at): (&SendEvidence, DateTime<Utc>),
) -> Result<ClaimOutcome> {
    if message.kind.is_for_customers()
        && message.counted_at.is_none()
        && !charge_send_budget(tx, origin, &message, (evidence, at)).await?
    {
        return Ok(ClaimOutcome::Settled);
    }
    let taken = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'sending', attempts = attempts + 1, fence = fence + 1, provider_id = NULL,
             rate_limit_stage = 0, evidence = $4
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') AND fence = $3",
        message.org_id,
        message.id,
        message.fence,
        Json(evidence)
    )?;
    if taken == 0 {
        return Ok(ClaimOutcome::Settled);
    }
    if let (Recipient::Phone(phone), Some(sender)) = (&message.to, message.sender()) {
        contact::record_outbound_contact(&mut *tx, message.org_id, sender, phone, at).await?;
    }
    message.counted_at = message.counted_at.or(Some(at));
    message.attempts += 1;
    message.fence += 1;
    message.status = MessageStatus::Sending;
    message.leaves_by = until;
    q!(
        tx,
        execute,
        "INSERT INTO message_attempt (org_id, message_id, number, worker, started_at, outcome)
         VALUES ($1, $2, $3, $4, $5, 'started')",
        message.org_id,
        message.id,
        message.attempts,
        worker,
        at
    )?;
    Ok(ClaimOutcome::Send(Box::new(message)))
}
