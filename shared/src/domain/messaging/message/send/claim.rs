//! Taking a message for sending: the gate is asked, and what may not go is turned back.

use chrono::{DateTime, Duration, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::types::Json;

use super::{
    Outgoing, ended, leaving, load,
    record::{end_attempt, is_still_held, postpone, settle, spread},
};
use crate::{
    domain::{
        messaging::{
            alert,
            message::{
                Channel, Kind, Status, account, email_fallback, reconcile, refusal,
                send_budget::{self, Spent},
                send_policy::{self, Brake, SetUp, Verdict},
                send_rate::{self, Counts, Pace, Turn},
                sms_link,
            },
            sending_number::contact,
        },
        tenancy::trust_level::{self, Trust, What, usage},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb, row_lock},
        error::Result,
        id::MessageId,
    },
    providers::SendError,
};

/// A provider that is busy asks for less.
const A_MOMENT: Duration = Duration::minutes(5);

/// A confirmation that would overtake a text waits this long.
const CONFIRMS_LATER: Duration = Duration::seconds(1);

/// What the worker is to do with it.
#[derive(Debug)]
pub enum Claim {
    /// Call the provider, then [`record`].
    Send(Box<Outgoing>),
    /// Nothing is left to do.
    Settled,
    /// The members of this service are not counted ([`send_rate::Members`]): to be rolled back, and claimed again with them.
    Uncounted(String),
}

/// Takes a message for sending, in the open transaction. Found in `sending`, it was left by a worker that died or
/// stalled: it becomes `unknown`, and whoever held it can no longer record anything.
pub async fn claim(
    tx: &mut Tx,
    origin: &Origin,
    worker: &str,
    (set_up, pace): (SetUp, Pace),
    members: &Counts,
    id: MessageId,
) -> Result<Claim> {
    lock(tx, id).await?;
    let Some(message) = load(tx, origin, id).await? else { return Ok(Claim::Settled) };
    let now = origin.now();
    match message.status {
        Status::Sending => {
            let why = "the program stopped while it was being sent";
            reconcile::begin(tx, origin, &message, why).await?;
            return Ok(Claim::Settled);
        }
        Status::Queued | Status::Held if message.next_attempt_at <= now => {}
        _ => return Ok(Claim::Settled),
    }
    if confirms_too_soon(tx, &message, now).await? {
        let why = "texts to them that were already leaving end first";
        postpone(tx, origin, &message, Status::Queued, now + CONFIRMS_LATER, why).await?;
        return Ok(Claim::Settled);
    }
    let (verdict, saw) = ask(tx, &message, set_up, now).await?;
    match verdict {
        Verdict::Yes { until } => {
            let pace = match members.pace(&message, pace) {
                Ok(pace) => pace,
                Err(service) => return Ok(Claim::Uncounted(service)),
            };
            if !is_its_turn(tx, origin, &message, pace).await? {
                return Ok(Claim::Settled);
            }
            let Charge::Made(charged) = charge(tx, origin, &message, set_up, &saw).await? else {
                return Ok(Claim::Settled);
            };
            let org = message.org_id;
            let claim = begin_attempt(tx, origin, worker, message, until, &saw).await?;
            if let (Claim::Settled, Some(what)) = (&claim, charged) {
                usage::give_back(tx, (org, what), 1, now).await?;
            }
            Ok(claim)
        }
        other => {
            turn_back(tx, origin, &message, other, &saw).await?;
            Ok(Claim::Settled)
        }
    }
}

/// Holds the message's row until the transaction ends. What follows from how it stands is written without asking again:
/// unlocked, a worker that records at the same time would be overwritten.
async fn lock(tx: &mut Tx, id: MessageId) -> Result<()> {
    let suffix = row_lock(tx);
    qb!(tx, fetch_optional scalar MessageId, |b| {
        b.push("SELECT id FROM message WHERE id = ").push_bind(id).push(suffix);
    })?;
    Ok(())
}

/// Whether it confirms a STOP while a text to the same number may still be leaving.
async fn confirms_too_soon(conn: &mut dyn AsConn, message: &Outgoing, now: DateTime<Utc>) -> Result<bool> {
    let bound = Duration::from_std(leaving::NONE_LEAVES_AFTER).unwrap_or_default();
    if message.kind != Kind::StopConfirmation || now - message.created_at > bound {
        return Ok(false);
    }
    leaving::is_another(conn, message).await
}

/// Whether its number may send it now. If not, it waits for its turn.
async fn is_its_turn(tx: &mut Tx, origin: &Origin, message: &Outgoing, pace: Pace) -> Result<bool> {
    if message.channel != Channel::Sms {
        return Ok(true);
    }
    match send_rate::turn(tx, message, pace, origin.now()).await? {
        Turn::Now => return Ok(true),
        Turn::At(at, had) => {
            let sql = "UPDATE message SET paced = $3 WHERE org_id = $1 AND id = $2";
            q!(&mut *tx, execute, sql, message.org_id, message.id, had)?;
            postpone(tx, origin, message, Status::Queued, at, "others leave first, one a second").await?;
        }
        Turn::Never => {
            let why = "too many texts were waiting before it for it to be of use in time";
            refusal::failed(tx, origin, message, why).await?;
        }
    }
    Ok(false)
}

/// What the gate says of a message now.
async fn ask(conn: &mut dyn AsConn, message: &Outgoing, set_up: SetUp, now: DateTime<Utc>) -> Result<(Verdict, Value)> {
    let spent = message.spent(&mut *conn, now).await?;
    let trust = message.trust(conn, set_up.takes_money, now).await?;
    Ok(send_policy::may_send(&message.facts(spent, trust), set_up, now))
}

/// Looks once more, right before the provider is called: a STOP may have come between the claim and now. None when it
/// may still go.
pub async fn last_look(
    conn: &mut dyn AsConn,
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
        // Its number was given to another business, or another one to it: it takes its turn there.
        Verdict::Yes { .. } if fresh.sender() != message.sender() => Some((Verdict::Wait(origin.now()), saw)),
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
    if !is_still_held(tx, message).await? {
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
        Verdict::No(why) => {
            settle(&mut *tx, origin, message, Status::NotSent, Some(&why)).await?;
            if why == sms_link::NO_NUMBER {
                email_fallback::by_email(&mut *tx, origin, message).await?;
            }
            let has_no_way =
                [sms_link::NOT_SET_UP, sms_link::NO_NUMBER, sms_link::NOT_REGISTERED].contains(&why.as_str());
            // Nobody asked them whether they keep their time: the office has to.
            let is_unasked = message.asks_to_book() && why != ended::BOOKED;
            if message.kind.is_automatic() && (has_no_way || is_unasked) {
                alert::note_unsent(&mut *tx, origin, message, &why).await?;
            }
            let braked = Brake::deserialize(&saw[send_policy::BRAKE]).ok();
            alert::note_brake(tx, origin, message.org_id, braked).await
        }
        Verdict::TooLate => refusal::failed(tx, origin, message, "it could not be sent in time to be of use").await,
        // Not an ordinary "later": the account is out of order, and what waits for it is kept.
        Verdict::Wait(until) if until - origin.now() > A_MOMENT => {
            refusal::hold(tx, origin, message, until, account::PAUSED).await
        }
        Verdict::Wait(until) => {
            let later = until + spread(origin);
            postpone(tx, origin, message, Status::Queued, later, "the provider asked us to wait").await
        }
        Verdict::Hold { until, why } => postpone(tx, origin, message, Status::Held, message.put_off(until), &why).await,
    }
}

/// What became of counting a message.
enum Charge {
    /// It was counted as this, or nothing is counted.
    Made(Option<What>),
    /// Others used up meanwhile what it would have needed; it was turned back.
    Refused,
}

/// Counts a message against the budgets of a business that is new here, once.
async fn charge(tx: &mut Tx, origin: &Origin, message: &Outgoing, set_up: SetUp, saw: &Value) -> Result<Charge> {
    let (is_text, now) = (message.channel == Channel::Sms, origin.now());
    let trust = message.trust(&mut *tx, set_up.takes_money, now).await?;
    let Some((what, budget)) = trust.charge(is_text).filter(|_| message.attempts == 0) else {
        return Ok(Charge::Made(None));
    };
    if usage::take(&mut *tx, (message.org_id, what), 1, budget, now).await? {
        return Ok(Charge::Made(Some(what)));
    }
    let why = trust_level::why_not(trust.level, trust.takes_money, what, budget);
    turn_back(tx, origin, message, Verdict::No(why), saw).await?;
    Ok(Charge::Refused)
}

/// Counts an email that is about to leave to an address that nothing but forms names, or about a visit that was booked in
/// its name. False when others have used up
/// meanwhile what it would have needed.
async fn pays_by_email(tx: &mut Tx, origin: &Origin, message: &Outgoing, saw: &Value) -> Result<bool> {
    let (now, facts) = (origin.now(), message.facts(Spent::default(), Trust::FULL));
    if !send_policy::is_email_capped(&facts) {
        return Ok(true);
    }
    let (org, day, to) = (message.org_id, message.day(now), message.to_address.as_str());
    if send_budget::reach_by_email(&mut *tx, org, (&day, now), to, send_policy::EMAILS_TO_ADDRESS).await? {
        return Ok(true);
    }
    let (mut saw, brake) = (saw.clone(), send_policy::email_brake(&facts));
    saw[send_policy::BRAKE] = json!(brake);
    turn_back(tx, origin, message, Verdict::No(brake.why(facts.sending)), &saw).await?;
    Ok(false)
}

/// Counts a message that is about to leave. False when others have used up meanwhile what it would have needed.
async fn pays(tx: &mut Tx, origin: &Origin, message: &Outgoing, saw: &Value) -> Result<bool> {
    if message.channel == Channel::Email {
        return pays_by_email(tx, origin, message, saw).await;
    }
    let (org, now) = (message.org_id, origin.now());
    let (day, to) = (message.day(now), message.to_address.as_str());
    let spent = send_budget::hold(&mut *tx, org, &day, to, now).await?;
    let facts = message.facts(spent, Trust::FULL);
    if let Some(brake) = send_policy::brake(&facts) {
        let mut saw = saw.clone();
        saw[send_policy::BRAKE] = json!(brake);
        turn_back(tx, origin, message, Verdict::No(brake.why(facts.sending)), &saw).await?;
        return Ok(false);
    }
    send_budget::take(&mut *tx, org, &day, &message.body).await?;
    if send_policy::is_capped(&facts) {
        send_budget::reach(&mut *tx, org, (&day, now), to, send_policy::is_by_form(&facts)).await?;
    }
    if facts.by_booking {
        send_budget::reach_by_booking(&mut *tx, org, (&day, now), to).await?;
    }
    alert::note_spent(tx, origin, org, spent.texts + 1, facts.sending.daily_text_budget).await?;
    Ok(true)
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
    if message.kind.is_for_customers() && message.attempts == 0 && !pays(tx, origin, &message, saw).await? {
        return Ok(Claim::Settled);
    }
    let taken = q!(
        &mut *tx,
        execute,
        "UPDATE message SET status = 'sending', attempts = attempts + 1, fence = fence + 1, provider_id = NULL,
             paced = 0, saw = $4
         WHERE org_id = $1 AND id = $2 AND status IN ('queued', 'held') AND fence = $3",
        message.org_id,
        message.id,
        message.fence,
        Json(saw)
    )?;
    if taken == 0 {
        return Ok(Claim::Settled);
    }
    if let (Channel::Sms, Some(sender)) = (message.channel, message.sender()) {
        contact::begin(&mut *tx, message.org_id, sender, &message.to_address, now).await?;
    }
    message.attempts += 1;
    message.fence += 1;
    message.status = Status::Sending;
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
        now
    )?;
    Ok(Claim::Send(Box::new(message)))
}
