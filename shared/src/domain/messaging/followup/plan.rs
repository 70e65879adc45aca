//! Plans as rows: made, ended by what makes them idle, and taken up again when that is taken back.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{About, Planned, State};
use crate::{
    domain::messaging::message,
    platform::{
        clock::Origin,
        db::{
            Tx,
            batch::{Insert, insert_all, values},
            q,
        },
        error::Result,
        id::{CustomerId, EventId, FollowUpId, LeadId, OrgId},
        tasks::{self, NewTask},
    },
};

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
pub(super) fn wakeup(org: OrgId, id: FollowUpId, run_at: DateTime<Utc>, turn: &str) -> NewTask {
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

/// Ends everything that is planned of a business.
pub(crate) async fn stop_all(tx: &mut Tx, org: OrgId, why: &str) -> Result<()> {
    let sql = "UPDATE follow_up SET state = 'stopped', reason = $2 WHERE org_id = $1 AND state = 'waiting'";
    q!(tx, execute, sql, org, why)?;
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
