//! A step whose time has come: claimed, decided by its rule, and said or skipped.

use chrono::{DateTime, Utc};

use super::{About, Decision, Due, House, estimate, plan::wakeup};
use crate::{
    domain::{
        growth::review,
        intake::lead::Intake,
        messaging::{
            automation,
            conversation::{self, Moved},
            message::Channel,
        },
        money::{checkout::payment_retry, invoice},
        tenancy::org,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            visit,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{EventId, FollowUpId, JobId},
        live::{self, Topic},
        tasks,
    },
};

/// Said of what nobody could say in time.
const TOO_LATE: &str = "its hour passed while nothing could be sent";

/// Carries out a step whose time has come. Run twice, also at once, it says nothing twice.
pub async fn run(tx: &mut Tx, house: House<'_>, id: FollowUpId) -> Result<()> {
    let now = house.origin.now();
    let Some(due) = claim(tx, id, now).await? else { return Ok(()) };
    let Some(business) = org::find(&mut *tx, due.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    let House { origin, secret, public_url, set_up } = house;
    let intake = Intake { origin, secret, public_url, profile: &profile, set_up };
    if due.about == About::Review {
        review::sequence::run(tx, &intake, &due).await?;
    } else {
        let decided =
            if now > due.give_up_at { Decision::Skip(TOO_LATE) } else { rule(&mut *tx, &intake, &due).await? };
        if due.about == About::Estimate {
            estimate::note(&mut *tx, &intake, &due, &decided).await?;
        }
        match decided {
            Decision::Skip(why) => skip(tx, &due, why).await?,
            Decision::Say(decisions) => say(tx, origin, &due, decisions).await?,
        }
    }
    live::announce(tx, origin, due.org_id, Topic::Lead, due.lead_id.0, None).await
}

/// The step, for the one who carries it out.
async fn claim(tx: &mut Tx, id: FollowUpId, now: DateTime<Utc>) -> Result<Option<Due>> {
    Ok(q!(
        tx,
        fetch_optional as Due,
        "UPDATE follow_up SET state = 'done' WHERE id = $1 AND state = 'waiting' AND due_at <= $2
         RETURNING org_id, id, lead_id, about, about_id, step, give_up_at, created_at",
        id,
        now
    )?)
}

/// The rule of each thing that is followed up.
pub(super) async fn rule(conn: &mut dyn AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    match due.about {
        _ if payment_retry::is_its(&due.step) => payment_retry::due(conn, intake, due).await,
        About::Estimate | About::ChangeOrder => estimate::due(conn, intake, due).await,
        About::Job => visit::due(conn, intake, due).await,
        About::Invoice => invoice::dunning::invoice_due(conn, intake, due).await,
        About::Review => review::sequence::foreseen(conn, intake, due).await,
    }
}

/// The event that the rule room notes with what is decided.
fn event_of(due: &Due) -> &'static str {
    match due.about {
        About::Job => visit::event_of(&due.step),
        _ if payment_retry::is_its(&due.step) => "payment_failed",
        About::Estimate => "estimate_due",
        About::ChangeOrder => "change_order_due",
        About::Invoice => "invoice_due",
        About::Review => "review_due",
    }
}

pub(crate) async fn skip(tx: &mut Tx, due: &Due, why: &str) -> Result<()> {
    let sql = "UPDATE follow_up SET state = 'skipped', reason = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, due.org_id, due.id, why)?;
    Ok(())
}

/// Puts a step that was claimed off until `at`, and says why.
pub(crate) async fn later(
    tx: &mut Tx,
    origin: &Origin,
    due: &Due,
    (at, give_up_at): (DateTime<Utc>, DateTime<Utc>),
    why: &str,
) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'waiting', due_at = $3, give_up_at = $4, reason = $5 WHERE org_id = $1 AND id = $2",
        due.org_id,
        due.id,
        at,
        give_up_at,
        why
    )?;
    let turn = format!("later:{}", at.timestamp_millis());
    tasks::enqueue(tx, origin, vec![wakeup(due.org_id, due.id, at, &turn)]).await.map(|_| ())
}

pub(crate) async fn say(
    tx: &mut Tx,
    origin: &Origin,
    due: &Due,
    mut decisions: Vec<automation::Decision>,
) -> Result<()> {
    let mut said = None;
    let mut channels = Vec::new();
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.about = Some(due.about_id);
        draft.give_up_at = Some(due.give_up_at);
        channels.push(draft.channel);
        said.get_or_insert_with(|| (draft.dedupe_key.clone(), draft.customer, draft.body.clone()));
    }
    if said.is_some() {
        let event = record(&mut *tx, origin, due, &channels).await?;
        // The history tells by them whether anything has left.
        for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
            draft.event = Some(event);
        }
    }
    automation::carry_out(tx, origin, due.org_id, due.lead_id, event_of(due), decisions).await?;
    let Some((key, customer, words)) = said else { return Ok(()) };
    if let Some(customer) = customer {
        conversation::note(tx, origin, due.org_id, customer, Some(due.lead_id), Moved::Out, &words).await?;
    }
    q!(
        tx,
        execute,
        "UPDATE follow_up SET message_id = (SELECT m.id FROM message m WHERE m.org_id = $1 AND m.dedupe_key = $3)
         WHERE org_id = $1 AND id = $2",
        due.org_id,
        due.id,
        key
    )?;
    Ok(())
}

async fn record(tx: &mut Tx, origin: &Origin, due: &Due, channels: &[Channel]) -> Result<EventId> {
    let kind = if due.about == About::Review { EventKind::ReviewAsked } else { EventKind::ReminderSent };
    let told = NewEvent {
        job: (due.about == About::Job).then_some(JobId(due.about_id)),
        subject: Some(due.about_id),
        detail: serde_json::json!({"about": due.about, "step": due.step, "channels": channels}),
        ..NewEvent::new(due.lead_id, kind, origin.now(), Doer::System)
    };
    activity::record(tx, origin, due.org_id, told).await
}
