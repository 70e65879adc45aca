//! Calls: which phones ring, who answered, and what counts as missed.
//!
//! A call is answered when a person of the business pressed 1. For voicemail that picks up the provider says
//! "completed" although no person spoke, so that word alone does not count (features 14).

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        intake::{
            contact_point::{self, ContactPointProof},
            customer,
            lead::{FormSender, NewLead},
        },
        messaging::{
            conversation::{self, ConversationEvent},
            lead_response, message,
        },
        tenancy::{audit::AuditActor, org::OrgContext},
    },
    platform::{
        db::{Tx, insert_row, q},
        error::Result,
        id::{CallId, CustomerId, LeadId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// A caller who hangs up sooner did not wait for an answer.
const WAITED: Duration = Duration::seconds(5);

#[derive(Clone, Debug)]
pub struct IncomingCall<'a> {
    pub provider_id: &'a str,
    /// As the provider writes it; `anonymous` and the like when the caller hides it.
    pub from: &'a str,
    pub to: &'a str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallRouting {
    /// Ring these phones together, each asking for a 1.
    Ring { phones: Vec<String>, seconds: i64, business: String },
    /// No phone is to ring: an apology is played. The caller is texted as after any missed call.
    Sorry { business: String },
}

#[derive(FromRow)]
struct PhoneCallRow {
    id: CallId,
    customer_id: Option<CustomerId>,
    from_address: Option<Phone>,
    status: String,
    started_at: DateTime<Utc>,
    accepted_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug)]
pub struct EndedCall<'a> {
    pub provider_id: &'a str,
    /// As in [`IncomingCall`]: a call that was never announced to us, because of downtime, was missed all the same.
    pub from: &'a str,
    pub to: &'a str,
    /// `completed`, `busy`, `no-answer`, `failed` or `canceled`.
    pub outcome: &'a str,
    /// Begin and end, if that was not just now.
    pub when: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

#[must_use]
pub fn is_final_status(outcome: &str) -> bool {
    ["completed", "busy", "no-answer", "failed", "canceled"].contains(&outcome)
}

/// The numbers that Twilio shows for a caller without one: the words on a telephone's keys
/// (help.twilio.com, "Why am I getting calls from these strange numbers?").
const HIDDEN: [&str; 6] = ["266696687", "7378742833", "2562533", "8656696", "86282452253", "464"];

/// None for a caller who hides the number.
fn parse_caller(from: &str) -> Option<Phone> {
    let digits = from.trim_start_matches('+');
    let is_hidden = HIDDEN.iter().any(|word| digits == *word || digits.strip_prefix('1') == Some(word));
    if is_hidden { None } else { Phone::parse(from) }
}

/// Handles a call that rings now. Idempotent.
pub async fn process_incoming_call(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    ringing: &IncomingCall<'_>,
) -> Result<CallRouting> {
    let profile = intake.profile;
    let caller = parse_caller(ringing.from);
    insert_call(tx, intake, ringing, caller.as_ref(), intake.origin.now()).await?;
    let calls = &profile.settings.calls;
    let business = profile.org.name.clone();
    // A call from one of the phones to ring is the business's own; ringing it back would be a loop.
    let phones: Vec<String> = calls
        .forward_to
        .iter()
        .filter(|phone| caller.as_ref().is_none_or(|c| c.as_e164() != *phone))
        .cloned()
        .collect();
    Ok(if phones.is_empty() {
        CallRouting::Sorry { business }
    } else {
        CallRouting::Ring { phones, seconds: calls.ring_seconds, business }
    })
}

async fn insert_call(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    ringing: &IncomingCall<'_>,
    caller: Option<&Phone>,
    started_at: DateTime<Utc>,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let customer = match caller {
        Some(phone) => customer::find_by_phone(&mut *tx, org, phone).await?,
        None => None,
    };
    insert_row!(
        tx,
        execute,
        call {
            org_id: org,
            id: CallId(origin.uuid_v7()),
            provider_id: ringing.provider_id,
            customer_id: customer.as_ref().map(|(id, _)| *id),
            from_address: caller.map(Phone::as_e164),
            to_address: ringing.to,
            status: "ringing",
            started_at,
        },
        "ON CONFLICT (org_id, provider_id) DO NOTHING"
    )?;
    Ok(())
}

/// A person of the business pressed 1: the call is answered, and a pending text is stopped, even if the call was
/// unknown until now.
pub async fn record_answered_call(tx: &mut Tx, intake: &OrgContext<'_>, ringing: &IncomingCall<'_>) -> Result<()> {
    let (origin, org, provider_id) = (intake.origin, intake.profile.org.id, ringing.provider_id);
    let now = origin.now();
    insert_call(tx, intake, ringing, parse_caller(ringing.from).as_ref(), now).await?;
    let answered = q!(
        &mut *tx,
        fetch_optional as (Option<CustomerId>, Option<LeadId>, Option<String>),
        "UPDATE call SET status = 'answered', accepted_at = $3 WHERE org_id = $1 AND provider_id = $2 AND accepted_at IS NULL
         RETURNING customer_id, lead_id, from_address",
        org,
        provider_id,
        now
    )?;
    if let Some((Some(customer), lead, from)) = answered {
        let from = from.unwrap_or_default();
        contact_point::record_proof(
            &mut *tx,
            org,
            customer,
            (contact_point::ContactPointKind::Phone, &from),
            ContactPointProof::Called,
            now,
        )
        .await?;
        // Any of their requests may have waited for an answer.
        tx.mark_dirty(org, customer);
        message::cancel_automatic_messages(tx, origin, org, customer, "you answered their call").await?;
        conversation::record_event(
            tx,
            origin,
            org,
            customer,
            lead,
            ConversationEvent::AnsweredCall,
            conversation::ANSWERED_CALL,
        )
        .await?;
    }
    Ok(())
}

/// Handles the end of a call. A missed one becomes a lead, or a touch of the caller's open lead, and the rules decide
/// about a text. Idempotent. True when a person of the business took the call.
pub async fn process_ended_call(tx: &mut Tx, intake: &OrgContext<'_>, ended: &EndedCall<'_>) -> Result<bool> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let ringing = IncomingCall { provider_id: ended.provider_id, from: ended.from, to: ended.to };
    let (started_at, now) = ended.when.unwrap_or_else(|| (origin.now(), origin.now()));
    insert_call(tx, intake, &ringing, parse_caller(ended.from).as_ref(), started_at).await?;
    let found = q!(
        &mut *tx,
        fetch_optional as PhoneCallRow,
        // Also locks the row, so that the call is not taken while its end is judged.
        "UPDATE call SET outcome = COALESCE(outcome, $3) WHERE org_id = $1 AND provider_id = $2
         RETURNING id, customer_id, from_address, status, started_at, accepted_at, ended_at",
        org,
        ended.provider_id,
        ended.outcome
    )?;
    let Some(call) = found else { return Ok(false) };
    let was_answered = call.accepted_at.is_some();
    if call.ended_at.is_some() {
        return Ok(was_answered);
    }
    let status = final_call_status(&call, ended.outcome, now);
    q!(
        &mut *tx,
        execute,
        "UPDATE call SET status = $3, ended_at = $4 WHERE org_id = $1 AND id = $2",
        org,
        call.id,
        status,
        now
    )?;
    if status == "answered" {
        return Ok(was_answered);
    }
    match call.from_address.clone() {
        phone if status == "missed" && phone.as_ref().is_none_or(|phone| !is_business_number(intake, phone)) => {
            process_missed_call(tx, intake, &call, phone).await?;
        }
        _ => {
            if let Some(customer) = call.customer_id {
                live::publish_event(tx, origin, org, Topic::Conversation, customer.0, None).await?;
            }
        }
    }
    Ok(was_answered)
}

/// Missed: a call that rang and that no person accepted, or that the caller gave up after having waited.
fn final_call_status(call: &PhoneCallRow, outcome: &str, now: DateTime<Utc>) -> &'static str {
    if call.accepted_at.is_some() || call.status == "answered" {
        "answered"
    } else if outcome == "canceled" && now - call.started_at < WAITED {
        "hung_up"
    } else {
        "missed"
    }
}

#[must_use]
pub fn is_business_number(intake: &OrgContext<'_>, phone: &Phone) -> bool {
    let profile = intake.profile;
    let e164 = phone.as_e164();
    let same = |typed: &str| Phone::parse(typed).is_some_and(|own| own.as_e164() == e164);
    profile.org.sms_number.as_deref().is_some_and(same)
        || profile.org.phone.as_deref().is_some_and(same)
        || profile.settings.calls.forward_to.iter().any(|own| own == e164)
        || profile.recipients.iter().any(|recipient| recipient.as_str() == e164)
}

/// Without a phone the caller hides it: no answer is possible, but the business is notified.
async fn process_missed_call(
    tx: &mut Tx,
    intake: &OrgContext<'_>,
    call: &PhoneCallRow,
    phone: Option<Phone>,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let new = match phone {
        Some(phone) => {
            let caller = customer::find_caller(&mut *tx, org, &phone, call.started_at).await?;
            NewLead::from_call(phone, caller.as_ref().map(|(_, name)| name.as_str()))
        }
        None => NewLead::from_hidden_call(),
    };
    let new = NewLead { happened_at: Some(call.started_at), ..new };
    let visitor = FormSender { is_exempt: true, ..FormSender::default() };
    let taken = lead_response::accept_lead(tx, intake, &new, &visitor, &[], &AuditActor::default()).await?;
    let sql = "SELECT customer_id FROM lead WHERE org_id = $1 AND id = $2";
    let customer = q!(&mut *tx, fetch_one scalar CustomerId, sql, org, taken.id)?;
    q!(
        &mut *tx,
        execute,
        "UPDATE call SET customer_id = $3, lead_id = $4 WHERE org_id = $1 AND id = $2",
        org,
        call.id,
        customer,
        taken.id
    )?;
    conversation::record_event(
        tx,
        origin,
        org,
        customer,
        Some(taken.id),
        ConversationEvent::MissedCall,
        conversation::MISSED_CALL,
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(accepted: bool) -> PhoneCallRow {
        let started_at = DateTime::UNIX_EPOCH + Duration::days(20_500);
        PhoneCallRow {
            id: CallId(uuid::Uuid::nil()),
            customer_id: None,
            from_address: None,
            status: if accepted { "answered" } else { "ringing" }.to_owned(),
            started_at,
            accepted_at: accepted.then_some(started_at),
            ended_at: None,
        }
    }

    #[test]
    fn hidden_caller_id_is_not_a_number() {
        for hidden in ["+266696687", "+7378742833", "266696687", "anonymous", "Restricted", "", "+86282452253"] {
            assert_eq!(parse_caller(hidden), None, "{hidden}");
        }
        assert!(parse_caller("+15125550142").is_some());
    }

    #[test]
    fn call_outcome_is_missed_answered_or_hung_up() {
        let after = |seconds| call(false).started_at + Duration::seconds(seconds);
        for outcome in ["no-answer", "busy", "failed"] {
            assert_eq!(final_call_status(&call(false), outcome, after(20)), "missed", "{outcome}");
        }
        assert_eq!(final_call_status(&call(false), "completed", after(25)), "missed", "voicemail picked up");
        assert_eq!(final_call_status(&call(true), "completed", after(90)), "answered");
        assert_eq!(final_call_status(&call(false), "canceled", after(2)), "hung_up");
        assert_eq!(final_call_status(&call(false), "canceled", after(5)), "missed", "they waited");
    }
}
