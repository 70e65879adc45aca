//! Calls: what rings, who answered, and what counts as missed.
//!
//! A call is answered when a person of the business pressed 1. Voicemail that picks up makes the provider say
//! "completed" although nobody spoke, so its word alone is not believed (features 14).

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::{
        intake::{
            contact_point::{self, Proof},
            lead::{self, Intake, NewLead, Sender, customer},
        },
        messaging::{
            conversation::{self, Moved},
            message,
        },
        tenancy::audit::Actor,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{CallId, CustomerId, LeadId},
        live::{self, Topic},
        phone::Phone,
    },
};

/// A caller who hangs up sooner did not wait for an answer.
const WAITED: Duration = Duration::seconds(5);

/// A call as the provider announces it.
#[derive(Clone, Debug)]
pub struct Ringing<'a> {
    /// The provider's own id of the call.
    pub provider_id: &'a str,
    /// As the provider writes it; `anonymous` and the like when the caller hides it.
    pub from: &'a str,
    pub to: &'a str,
}

/// What the provider is told to do with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Ring these phones together, each asking for a 1.
    Ring { phones: Vec<String>, seconds: i64, business: String },
    /// Nobody is to be rung: say so kindly. The caller is texted as after any missed call.
    Sorry { business: String },
}

#[derive(FromRow)]
struct Stored {
    id: CallId,
    customer_id: Option<CustomerId>,
    from_address: Option<String>,
    status: String,
    started_at: DateTime<Utc>,
    accepted_at: Option<DateTime<Utc>>,
    ended_at: Option<DateTime<Utc>>,
}

/// How a call ended, as the provider says.
#[derive(Clone, Debug)]
pub struct Ended<'a> {
    pub provider_id: &'a str,
    /// As in [`Ringing`]: a call that was never announced to us, because we were away, was missed all the same.
    pub from: &'a str,
    pub to: &'a str,
    /// `completed`, `busy`, `no-answer`, `failed` or `canceled`.
    pub outcome: &'a str,
    /// From when until when, if that was not just now.
    pub when: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// Whether a call with this state at the provider is at its end.
#[must_use]
pub fn is_over(outcome: &str) -> bool {
    ["completed", "busy", "no-answer", "failed", "canceled"].contains(&outcome)
}

/// The numbers that Twilio shows for a caller without one: the words on a telephone's keys
/// (help.twilio.com, "Why am I getting calls from these strange numbers?").
const HIDDEN: [&str; 6] = ["266696687", "7378742833", "2562533", "8656696", "86282452253", "464"];

/// The number of a caller who shows it.
fn caller(from: &str) -> Option<Phone> {
    let digits = from.trim_start_matches('+');
    let is_hidden = HIDDEN.iter().any(|word| digits == *word || digits.strip_prefix('1') == Some(word));
    if is_hidden { None } else { Phone::parse(from) }
}

/// Takes in a call that rings now. The same announcement again changes nothing.
pub async fn ring(tx: &mut Tx, intake: &Intake<'_>, ringing: &Ringing<'_>) -> Result<Plan> {
    let profile = intake.profile;
    let caller = caller(ringing.from);
    announce(tx, intake, ringing, caller.as_ref(), intake.origin.now()).await?;
    let calls = &profile.settings.calls;
    let business = profile.org.name.clone();
    // A call from one of the phones that would ring is somebody of the business; ringing them back would be a loop.
    let phones: Vec<String> = calls
        .forward_to
        .iter()
        .filter(|phone| caller.as_ref().is_none_or(|c| c.as_e164() != *phone))
        .cloned()
        .collect();
    Ok(if phones.is_empty() {
        Plan::Sorry { business }
    } else {
        Plan::Ring { phones, seconds: calls.ring_seconds, business }
    })
}

/// Stores a call that is not known yet.
async fn announce(
    tx: &mut Tx,
    intake: &Intake<'_>,
    ringing: &Ringing<'_>,
    caller: Option<&Phone>,
    started_at: DateTime<Utc>,
) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let known = match caller {
        Some(phone) => customer::by_phone(&mut *tx, org, phone).await?,
        None => None,
    };
    q!(
        tx,
        execute,
        "INSERT INTO call (org_id, id, provider_id, customer_id, from_address, to_address, status, started_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'ringing', $7) ON CONFLICT (provider_id) DO NOTHING",
        org,
        CallId(origin.uuid()),
        ringing.provider_id,
        known.as_ref().map(|(id, _)| *id),
        caller.map(Phone::as_e164),
        ringing.to,
        started_at
    )?;
    Ok(())
}

/// Somebody of the business pressed 1: the call is answered, and a text that was about to go is stopped. Even if this is
/// the first thing we hear of the call.
pub async fn accept(tx: &mut Tx, intake: &Intake<'_>, ringing: &Ringing<'_>) -> Result<()> {
    let (origin, org, provider_id) = (intake.origin, intake.profile.org.id, ringing.provider_id);
    let now = origin.now();
    announce(tx, intake, ringing, caller(ringing.from).as_ref(), now).await?;
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
        contact_point::prove(&mut *tx, org, customer, (contact_point::Kind::Phone, &from), Proof::Called, now).await?;
        // Whichever of their requests waited for a word of the business.
        tx.mark_dirty(org, customer);
        message::stop_rules(tx, origin, org, customer, "you answered their call").await?;
        conversation::note(tx, origin, org, customer, lead, Moved::AnsweredCall, conversation::ANSWERED_CALL).await?;
    }
    Ok(())
}

/// Takes in how a call ended. A missed one becomes a lead, or a touch of the caller's open lead, and the rules decide
/// about a text. The same end again changes nothing. True when a person of the business took the call.
pub async fn end(tx: &mut Tx, intake: &Intake<'_>, ended: &Ended<'_>) -> Result<bool> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let ringing = Ringing { provider_id: ended.provider_id, from: ended.from, to: ended.to };
    let (started_at, now) = ended.when.unwrap_or_else(|| (origin.now(), origin.now()));
    announce(tx, intake, &ringing, caller(ended.from).as_ref(), started_at).await?;
    let found = q!(
        &mut *tx,
        fetch_optional as Stored,
        // Also holds the row, so that nobody takes the call while its end is judged.
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
    let status = judge(&call, ended.outcome, now);
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
    let phone = call.from_address.as_deref().and_then(Phone::parse);
    match phone {
        phone if status == "missed" && phone.as_ref().is_none_or(|phone| !is_own(intake, phone)) => {
            missed(tx, intake, &call, phone).await?;
        }
        _ => {
            if let Some(customer) = call.customer_id {
                live::announce(tx, origin, org, Topic::Thread, customer.0, None).await?;
            }
        }
    }
    Ok(was_answered)
}

/// Missed is what rang and was not accepted by a person, and what the caller gave up after having waited.
fn judge(call: &Stored, outcome: &str, now: DateTime<Utc>) -> &'static str {
    if call.accepted_at.is_some() || call.status == "answered" {
        "answered"
    } else if outcome == "canceled" && now - call.started_at < WAITED {
        "hung_up"
    } else {
        "missed"
    }
}

/// Whether a number belongs to the business itself.
#[must_use]
pub fn is_own(intake: &Intake<'_>, phone: &Phone) -> bool {
    let profile = intake.profile;
    let e164 = phone.as_e164();
    let same = |typed: &str| Phone::parse(typed).is_some_and(|own| own.as_e164() == e164);
    profile.org.sms_number.as_deref().is_some_and(same)
        || profile.org.phone.as_deref().is_some_and(same)
        || profile.settings.calls.forward_to.iter().any(|own| own == e164)
        || profile.recipients.iter().any(|recipient| recipient.address == e164)
}

/// Without a phone the caller hides it: nobody can be answered, but the business is told.
async fn missed(tx: &mut Tx, intake: &Intake<'_>, call: &Stored, phone: Option<Phone>) -> Result<()> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    let new = match phone {
        Some(phone) => {
            let known = customer::caller(&mut *tx, org, &phone, call.started_at).await?;
            NewLead::from_call(phone, known.as_ref().map(|(_, name)| name.as_str()))
        }
        None => NewLead::from_hidden_call(),
    };
    let new = NewLead { happened_at: Some(call.started_at), ..new };
    let visitor = Sender { is_exempt: true, ..Sender::default() };
    let taken = lead::accept(tx, intake, &new, &visitor, &[], &Actor::default()).await?;
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
    conversation::note(tx, origin, org, customer, Some(taken.id), Moved::MissedCall, conversation::MISSED_CALL).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(accepted: bool) -> Stored {
        let started_at = DateTime::UNIX_EPOCH + Duration::days(20_500);
        Stored {
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
    fn the_words_on_the_keys_are_nobodys_number() {
        for hidden in ["+266696687", "+7378742833", "266696687", "anonymous", "Restricted", "", "+86282452253"] {
            assert_eq!(caller(hidden), None, "{hidden}");
        }
        assert!(caller("+15125550142").is_some());
    }

    #[test]
    fn what_counts_as_missed() {
        let after = |seconds| call(false).started_at + Duration::seconds(seconds);
        for outcome in ["no-answer", "busy", "failed"] {
            assert_eq!(judge(&call(false), outcome, after(20)), "missed", "{outcome}");
        }
        assert_eq!(judge(&call(false), "completed", after(25)), "missed", "voicemail picked up");
        assert_eq!(judge(&call(true), "completed", after(90)), "answered");
        assert_eq!(judge(&call(false), "canceled", after(2)), "hung_up");
        assert_eq!(judge(&call(false), "canceled", after(5)), "missed", "they waited");
    }
}
