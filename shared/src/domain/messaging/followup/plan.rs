//! Plan rows: creation, cancellation, and resumption when the cause of a cancellation is undone.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{FollowUpState, FollowUpSubject, PlannedStep};
use crate::{
    domain::messaging::message,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all, batch_rows, q},
        error::Result,
        id::{CustomerId, EventId, FollowUpId, LeadId, MessageId, OrgId},
        tasks::{self, NewTask},
    },
};

/// `generation` tells the plan from earlier ones; `event` is its cause. Steps past their time are left out.
#[expect(clippy::too_many_arguments, reason = "a plan is all of these")]
pub async fn schedule_plan(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    about: FollowUpSubject,
    about_id: Uuid,
    generation: i64,
    steps: &[PlannedStep],
    event: Option<EventId>,
) -> Result<()> {
    let now = origin.now();
    let steps: Vec<(FollowUpId, &PlannedStep)> =
        steps.iter().filter(|step| step.expires_at > now).map(|step| (FollowUpId(origin.uuid_v7()), step)).collect();
    let rows = batch_rows!(steps.iter(), |(id, step)| follow_up {
        org_id: org,
        id: *id,
        lead_id: lead,
        about,
        about_id,
        step: step.step.name(),
        generation,
        due_at: step.due_at,
        expires_at: step.expires_at,
        state: FollowUpState::Waiting,
        event_id: event,
        created_at: now,
    })
    .on_conflict_do_nothing("org_id, about_id, step, generation");
    insert_all(tx, &[rows]).await?;
    // A step that existed already has another id: its new task finds nothing.
    let tasks = steps.iter().map(|(id, step)| build_step_task(org, *id, step.due_at, "0")).collect();
    tasks::enqueue(tx, origin, tasks).await?;
    Ok(())
}

/// `turn` distinguishes the wake-ups of one step.
pub(super) fn build_step_task(org: OrgId, id: FollowUpId, run_at: DateTime<Utc>, turn: &str) -> NewTask {
    NewTask {
        org: Some(org),
        kind: tasks::TaskKind::FollowUp,
        subject: Some(id.0),
        run_at,
        unique_key: format!("follow:{id}:{turn}"),
    }
}

/// Ends the plans about a subject and cancels their unsent messages. Returns the number of stopped steps.
pub async fn cancel_plans(
    tx: &mut Tx,
    origin: &ClockRng,
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
    message::cancel_automatic_about(tx, origin, org, about_id, why).await?;
    Ok(stopped)
}

pub async fn cancel_plans_for_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    about: FollowUpSubject,
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
        cancel_plans(tx, origin, org, thing, why, by).await?;
    }
    Ok(())
}

pub(crate) async fn cancel_all_plans(tx: &mut Tx, org: OrgId, why: &str) -> Result<()> {
    let sql = "UPDATE follow_up SET state = 'stopped', reason = $2 WHERE org_id = $1 AND state = 'waiting'";
    q!(tx, execute, sql, org, why)?;
    Ok(())
}

/// Ends a customer's plans about estimates and change orders, once people talk. Visits and invoices are unaffected.
pub async fn cancel_on_conversation(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    customer: CustomerId,
    why: &str,
) -> Result<()> {
    let leads = q!(
        &mut *tx,
        fetch_all scalar LeadId,
        "SELECT DISTINCT f.lead_id FROM follow_up f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
         WHERE f.org_id = $1 AND l.customer_id = $2 AND f.about IN ($3, $4) AND f.state IN ('waiting', 'done')",
        org,
        customer,
        FollowUpSubject::Estimate,
        FollowUpSubject::ChangeOrder
    )?;
    for lead in leads {
        for about in [FollowUpSubject::Estimate, FollowUpSubject::ChangeOrder] {
            cancel_plans_for_lead(tx, origin, org, lead, about, why, None).await?;
        }
    }
    Ok(())
}

/// A change was undone: what it planned ends, and what it stopped resumes if its time has not passed.
pub async fn revert_event(tx: &mut Tx, origin: &ClockRng, org: OrgId, event: EventId, why: &str) -> Result<()> {
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
    let tasks =
        again.into_iter().map(|(id, due_at)| build_step_task(org, id, due_at, &format!("undone:{event}"))).collect();
    tasks::enqueue(tx, origin, tasks).await?;
    Ok(())
}

/// Skips the next waiting step, if it is due by `until`.
pub(crate) async fn skip_next_step(
    tx: &mut Tx,
    org: OrgId,
    about: Uuid,
    why: &str,
    until: DateTime<Utc>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE follow_up SET state = 'skipped', reason = $3 WHERE org_id = $1 AND due_at <= $4 AND id = (
             SELECT f.id FROM follow_up f WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'waiting'
             ORDER BY f.due_at, f.id LIMIT 1)",
        org,
        about,
        why,
        until
    )?;
    Ok(())
}

/// The step and the visit time that a message tells. An email in place of a text tells what the text told.
pub(crate) async fn find_told_visit(
    conn: &mut dyn AsConn,
    org: OrgId,
    about: Uuid,
    message: MessageId,
) -> Result<Option<(String, DateTime<Utc>)>> {
    Ok(q!(
        conn,
        fetch_optional as (String, DateTime<Utc>),
        "SELECT step, visit_at FROM follow_up
         WHERE org_id = $1 AND about_id = $2 AND visit_at IS NOT NULL AND message_id IN (
             SELECT o.id FROM message m JOIN message o ON o.org_id = m.org_id AND o.event_id = m.event_id
             WHERE m.org_id = $1 AND m.id = $3) LIMIT 1",
        org,
        about,
        message
    )?)
}

/// The visit that the steps of a plan are about.
pub(crate) async fn store_visit_time(
    tx: &mut Tx,
    org: OrgId,
    (about, generation): (Uuid, i64),
    visit_at: DateTime<Utc>,
) -> Result<()> {
    let sql = "UPDATE follow_up SET visit_at = $4 WHERE org_id = $1 AND about_id = $2 AND generation = $3";
    q!(tx, execute, sql, org, about, generation, visit_at)?;
    Ok(())
}
