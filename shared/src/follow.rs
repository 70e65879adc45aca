//! What is to be said later, unless something happens first.
//!
//! A plan is made in the transaction of what it follows from, and ended in the transaction of what makes it idle. When
//! the time of a step comes, the rule of what it is about looks once more and words it; the gate decides like for any
//! other message whether it leaves. One plan, one try at each step.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    automation::{self, Draft},
    checkout::chase,
    clock::Origin,
    db::{
        AsConn, Tx,
        batch::{Insert, insert_all, values},
        q,
    },
    error::Result,
    id::{CustomerId, EventId, FollowUpId, JobId, LeadId, OrgId},
    invoice,
    lead::Intake,
    live::{self, Topic},
    message, org,
    secret::SecretKey,
    settings::PublicUrl,
    tasks::{self, NewTask},
    thread::{self, Moved},
    visit,
    work::{self, Doer, EventKind, NewEvent},
};

pub(crate) mod estimate;
pub mod say;
pub mod sweep;

/// More than this nobody reads.
const MOST_FORESEEN: i64 = 500;
/// Said of what nobody could say in time.
const TOO_LATE: &str = "its hour passed while nothing could be sent";

/// What is followed up. Each has its rule in [`rule`]; what has none cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type, Serialize, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FollowUpAbout)]
pub enum About {
    /// An estimate that waits for an answer.
    Estimate,
    /// An invoice that waits for payment.
    Invoice,
    /// A visit that is coming.
    Job,
    /// A change order that waits for an answer.
    ChangeOrder,
}

/// Which step of a plan: its name is kept for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// So many days after it was sent.
    Day(i64),
    /// So many days after it is due; before it when below 0.
    Due(i64),
    /// So many days after the bank refused a card.
    Card(u64),
    /// What is told of a visit.
    Visit(visit::Said),
}

impl Step {
    /// `day_2`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Visit(said) => said.name().to_owned(),
            Self::Day(days) => format!("day_{days}"),
            Self::Due(days) => format!("due_{days}"),
            Self::Card(days) => format!("card_{days}"),
        }
    }
}

/// One step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    pub step: Step,
    pub due_at: DateTime<Utc>,
    /// Said later than this, it would be of no use.
    pub give_up_at: DateTime<Utc>,
}

/// How a step stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FollowUpState)]
pub enum State {
    Waiting,
    /// The rule has decided; whether a message left stands with the message.
    Done,
    /// Something happened first.
    Stopped,
    /// When its time came there was nothing to say any more.
    Skipped,
}

/// A step as people read it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FollowUp)]
pub struct StepView {
    /// `day_2`.
    pub step: String,
    pub due_at: DateTime<Utc>,
    pub state: State,
    /// Why it was stopped or skipped.
    pub reason: Option<String>,
}

/// A step whose time has come.
#[derive(Clone, Debug, FromRow)]
pub struct Due {
    pub org_id: OrgId,
    pub id: FollowUpId,
    pub lead_id: LeadId,
    pub about: About,
    pub about_id: Uuid,
    pub step: String,
    pub give_up_at: DateTime<Utc>,
    /// When its plan was made.
    pub created_at: DateTime<Utc>,
}

/// What a rule makes of a step whose time has come.
#[derive(Debug)]
pub enum Decision {
    /// By the rule room: said, or not said for a reason that may change until the next step.
    Say(Vec<automation::Decision>),
    /// There is nothing to say any more.
    Skip(&'static str),
}

/// What carrying out a step needs to know about the install.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    /// Whether this install can send texts.
    pub texts_leave: bool,
}

/// Makes a plan: `generation` tells it from the ones before, `event` is what it follows from. Steps whose hour is over
/// are left out.
#[expect(clippy::too_many_arguments, reason = "a plan is all of these")]
pub async fn plan(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    about: About,
    about_id: Uuid,
    generation: i64,
    steps: &[Planned],
    event: Option<EventId>,
) -> Result<()> {
    let now = origin.now();
    let steps: Vec<(FollowUpId, &Planned)> =
        steps.iter().filter(|step| step.give_up_at > now).map(|step| (FollowUpId(origin.uuid()), step)).collect();
    let rows = Insert::into(
        "follow_up (org_id, id, lead_id, about, about_id, step, generation, due_at, give_up_at, state, event_id, created_at)",
    )
    .unless_there("org_id, about_id, step, generation")
    .rows(steps.iter().map(|(id, step)| {
        values![
            org,
            *id,
            lead,
            about,
            about_id,
            step.step.name(),
            generation,
            step.due_at,
            step.give_up_at,
            State::Waiting,
            event,
            now
        ]
    }));
    insert_all(tx, &[rows]).await?;
    // A step that was there already has another id: its task finds nothing.
    let tasks = steps.iter().map(|(id, step)| wakeup(org, *id, step.due_at, "0")).collect();
    tasks::enqueue(tx, origin, tasks).await?;
    Ok(())
}

/// The task that carries a step; `turn` tells apart the wake-ups of one step.
fn wakeup(org: OrgId, id: FollowUpId, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::Kind::FollowUp,
        subject: Some(id.0),
        run_at,
        unique_key: format!("follow:{id}:{turn}"),
    }
}

/// Ends what is planned about a thing, and takes back what was worded of it and has not left. Returns how many steps
/// were stopped.
pub async fn stop(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    about_id: Uuid,
    why: &str,
    by: Option<EventId>,
) -> Result<u64> {
    let stopped = q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'stopped', reason = $3, stopped_by = $4
         WHERE org_id = $1 AND about_id = $2 AND state = 'waiting'",
        org,
        about_id,
        why,
        by
    )?;
    message::stop_about(tx, origin, org, about_id, why).await?;
    Ok(stopped)
}

/// Ends what is planned about things of one kind that belong to a lead.
pub async fn stop_for_lead(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    about: About,
    why: &str,
    by: Option<EventId>,
) -> Result<()> {
    let things = q!(
        &mut *tx,
        fetch_all scalar Uuid,
        "SELECT DISTINCT about_id FROM follow_up WHERE org_id = $1 AND lead_id = $2 AND about = $3
             AND state IN ('waiting', 'done')",
        org,
        lead,
        about
    )?;
    for thing in things {
        stop(tx, origin, org, thing, why, by).await?;
    }
    Ok(())
}

/// People are talking: estimates and change orders of this customer are not asked about any more. Visits and invoices are
/// none of it.
pub async fn stop_talk(tx: &mut Tx, origin: &Origin, org: OrgId, customer: CustomerId, why: &str) -> Result<()> {
    let leads = q!(
        &mut *tx,
        fetch_all scalar LeadId,
        "SELECT DISTINCT f.lead_id FROM follow_up f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
         WHERE f.org_id = $1 AND l.customer_id = $2 AND f.about IN ($3, $4) AND f.state IN ('waiting', 'done')",
        org,
        customer,
        About::Estimate,
        About::ChangeOrder
    )?;
    for lead in leads {
        for about in [About::Estimate, About::ChangeOrder] {
            stop_for_lead(tx, origin, org, lead, about, why, None).await?;
        }
    }
    Ok(())
}

/// A change was taken back: what it planned ends, and what it stopped goes on if its time has not passed.
pub async fn undone(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId, why: &str) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET state = 'stopped', reason = $3 WHERE org_id = $1 AND event_id = $2 AND state = 'waiting'",
        org,
        event,
        why
    )?;
    let again = q!(
        &mut *tx,
        fetch_all as (FollowUpId, DateTime<Utc>),
        "UPDATE follow_up SET state = 'waiting', reason = NULL, stopped_by = NULL
         WHERE org_id = $1 AND stopped_by = $2 AND state = 'stopped' AND due_at > $3 RETURNING id, due_at",
        org,
        event,
        origin.now()
    )?;
    let tasks = again.into_iter().map(|(id, due_at)| wakeup(org, id, due_at, &format!("undone:{event}"))).collect();
    tasks::enqueue(tx, origin, tasks).await?;
    Ok(())
}

/// Carries out a step whose time has come. Run twice, also at once, it says nothing twice.
pub async fn run(tx: &mut Tx, house: House<'_>, id: FollowUpId) -> Result<()> {
    let now = house.origin.now();
    let Some(due) = claim(tx, id, now).await? else { return Ok(()) };
    let Some(business) = org::find(&mut *tx, due.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, business).await?;
    let House { origin, secret, public_url, texts_leave } = house;
    let intake = Intake { origin, secret, public_url, profile: &profile, texts_leave };
    let decided = if now > due.give_up_at { Decision::Skip(TOO_LATE) } else { rule(&mut *tx, &intake, &due).await? };
    match decided {
        Decision::Skip(why) => skip(tx, &due, why).await?,
        Decision::Say(decisions) => say(tx, origin, &due, decisions).await?,
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
async fn rule(conn: &mut impl AsConn, intake: &Intake<'_>, due: &Due) -> Result<Decision> {
    match due.about {
        _ if chase::is_its(&due.step) => chase::due(conn, intake, due).await,
        About::Estimate | About::ChangeOrder => estimate::due(conn, intake, due).await,
        About::Job => visit::due(conn, intake, due).await,
        About::Invoice => invoice::dunning::invoice_due(conn, intake, due).await,
    }
}

/// A step that waits, worded as it would be now.
#[derive(Clone, Debug)]
pub struct Foreseen {
    pub lead: LeadId,
    pub due_at: DateTime<Utc>,
    pub draft: Draft,
}

/// What would be said until then if nothing happened, in the order of its time.
pub async fn preview(conn: &mut impl AsConn, intake: &Intake<'_>, until: DateTime<Utc>) -> Result<Vec<Foreseen>> {
    let waiting = q!(
        &mut *conn,
        fetch_all as Waiting,
        "SELECT org_id, id, lead_id, about, about_id, step, give_up_at, created_at, due_at FROM follow_up
         WHERE org_id = $1 AND state = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3",
        intake.profile.org.id,
        until,
        MOST_FORESEEN
    )?;
    let mut foreseen = Vec::new();
    for Waiting { due, due_at } in waiting {
        let Decision::Say(decisions) = rule(&mut *conn, intake, &due).await? else { continue };
        foreseen.extend(decisions.into_iter().filter_map(|decision| decision.message).map(|draft| {
            let draft = Draft { about: Some(due.about_id), give_up_at: Some(due.give_up_at), ..draft };
            Foreseen { lead: due.lead_id, due_at, draft }
        }));
    }
    Ok(foreseen)
}

#[derive(FromRow)]
struct Waiting {
    #[sqlx(flatten)]
    due: Due,
    due_at: DateTime<Utc>,
}

/// The event that the rule room notes with what is decided.
fn event_of(due: &Due) -> &'static str {
    match due.about {
        About::Job => visit::event_of(&due.step),
        _ if chase::is_its(&due.step) => "payment_failed",
        About::Estimate => "estimate_due",
        About::ChangeOrder => "change_order_due",
        About::Invoice => "invoice_due",
    }
}

async fn skip(tx: &mut Tx, due: &Due, why: &str) -> Result<()> {
    let sql = "UPDATE follow_up SET state = 'skipped', reason = $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, due.org_id, due.id, why)?;
    Ok(())
}

async fn say(tx: &mut Tx, origin: &Origin, due: &Due, mut decisions: Vec<automation::Decision>) -> Result<()> {
    let mut said = None;
    let mut channels = Vec::new();
    for draft in decisions.iter_mut().filter_map(|decision| decision.message.as_mut()) {
        draft.about = Some(due.about_id);
        draft.give_up_at = Some(due.give_up_at);
        channels.push(draft.channel);
        said.get_or_insert_with(|| (draft.dedupe_key.clone(), draft.customer, draft.body.clone()));
    }
    automation::carry_out(tx, origin, due.org_id, due.lead_id, event_of(due), decisions).await?;
    let Some((key, customer, words)) = said else { return Ok(()) };
    if let Some(customer) = customer {
        thread::note(tx, origin, due.org_id, customer, Some(due.lead_id), Moved::Out, &words).await?;
    }
    q!(
        &mut *tx,
        execute,
        "UPDATE follow_up SET message_id = (SELECT m.id FROM message m WHERE m.org_id = $1 AND m.dedupe_key = $3)
         WHERE org_id = $1 AND id = $2",
        due.org_id,
        due.id,
        key
    )?;
    let told = NewEvent {
        job: (due.about == About::Job).then_some(JobId(due.about_id)),
        subject: Some(due.about_id),
        detail: serde_json::json!({"about": due.about, "step": due.step, "channels": channels}),
        ..NewEvent::new(due.lead_id, EventKind::ReminderSent, origin.now(), Doer::System)
    };
    work::record(tx, origin, due.org_id, told).await.map(|_| ())
}

/// The steps of a thing, in the order of their time, the newest plan last.
pub async fn of(conn: &mut impl AsConn, org: OrgId, about_id: Uuid) -> Result<Vec<StepView>> {
    Ok(q!(
        conn,
        fetch_all as StepView,
        "SELECT step, due_at, state, reason FROM follow_up WHERE org_id = $1 AND about_id = $2
         ORDER BY generation, due_at, id",
        org,
        about_id
    )?)
}
