//! Undo of a change within a minute: restores the prior state and stops the effects.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;

use super::UNDO_WINDOW;
use crate::{
    conflicts::ConflictCode,
    domain::{
        intake::lead::{self, PipelineStage},
        messaging::{followup, message},
        tenancy::activity_log::{ActivityActor, read_detail},
        work::{
            crew,
            job::JobState,
            listener::{JobEvent, notify_job_listeners},
            pipeline::{self, StageBefore, StageMove},
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        error::{Error, Result},
        id::{CrewId, EventId, JobId, LeadId, OrgId},
        live::{self, Topic},
    },
};

/// State of a job before a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromRow)]
#[serde(rename_all = "camelCase")]
pub struct JobSnapshot {
    pub(in crate::domain::work) starts_at: Option<DateTime<Utc>>,
    pub(in crate::domain::work) ends_at: Option<DateTime<Utc>>,
    pub(in crate::domain::work) crew_id: Option<CrewId>,
    pub(in crate::domain::work) status: JobState,
    on_my_way_at: Option<DateTime<Utc>>,
    eta_at: Option<DateTime<Utc>>,
    started_at: Option<DateTime<Utc>>,
    completed_at: Option<DateTime<Utc>>,
    cancelled_at: Option<DateTime<Utc>>,
    cancel_reason: Option<String>,
    confirmed_at: Option<DateTime<Utc>>,
    /// Orders two changes at one instant.
    #[serde(default)]
    pub(in crate::domain::work) version: i64,
}

/// The `was` of an event that can be undone.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum PriorState {
    Job(Box<JobSnapshot>),
    Lead(StageBefore),
}

/// State of a job for the `was` of an event. Read it before the change.
pub async fn snapshot_job(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<JobSnapshot> {
    let found = q!(
        conn,
        fetch_optional as JobSnapshot,
        "SELECT starts_at, ends_at, crew_id, status, on_my_way_at, eta_at, started_at, completed_at, cancelled_at,
             cancel_reason, confirmed_at, version
         FROM job WHERE org_id = $1 AND id = $2",
        org,
        job
    )?;
    found.ok_or(Error::NotFound)
}

/// Actions that can be undone, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Undoable)]
pub struct UndoableEvent {
    pub event_id: EventId,
    pub until: DateTime<Utc>,
}

/// The undone action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Undone)]
pub struct UndoResult {
    pub job_id: Option<JobId>,
    pub lead_id: LeadId,
    /// What the customer already knows, if a message was sent: "Bo Best was already told about 9:21 AM."
    pub note: Option<String>,
}

#[derive(Clone, Debug, FromRow)]
struct UndoableChange {
    id: EventId,
    lead_id: LeadId,
    job_id: Option<JobId>,
    recorded_at: DateTime<Utc>,
    was: Option<Json<PriorState>>,
    detail: Json<Value>,
    undone_at: Option<DateTime<Utc>>,
}

impl UndoableChange {
    /// By time; two changes of a job at one instant by the version they found.
    fn sort_key(&self) -> (DateTime<Utc>, i64) {
        let version = match self.was.as_deref() {
            Some(PriorState::Job(job)) => job.version,
            Some(PriorState::Lead(_)) | None => 0,
        };
        (self.recorded_at, version)
    }
}

const COLUMNS: &str = "SELECT id, lead_id, job_id, recorded_at, was, detail, undone_at FROM work_event WHERE org_id = ";

async fn find_newest_change(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
) -> Result<Option<UndoableChange>> {
    let changes = qb!(&mut *conn, fetch_all as UndoableChange, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND lead_id = ").push_bind(lead);
        match job {
            Some(job) => b.push(" AND job_id = ").push_bind(job),
            None => b.push(" AND job_id IS NULL"),
        };
        b.push(" AND was IS NOT NULL AND undone_at IS NULL ORDER BY recorded_at DESC, id DESC LIMIT 20");
    })?;
    let last = changes.iter().map(UndoableChange::sort_key).max();
    let mut last: Vec<UndoableChange> = changes.into_iter().filter(|change| Some(change.sort_key()) == last).collect();
    if last.len() > 1 && job.is_none() {
        // Of two moves at one instant the later one led to the current stage.
        let sql = "SELECT stage FROM lead WHERE org_id = $1 AND id = $2";
        let stage = q!(conn, fetch_optional scalar PipelineStage, sql, org, lead)?;
        last.sort_by_key(|change| read_detail(&change.detail).map(|moved: StageMove| moved.to) == stage);
    }
    Ok(last.pop())
}

pub async fn find_undoable(
    conn: &mut dyn AsConn,
    org: OrgId,
    lead: LeadId,
    job: Option<JobId>,
    now: DateTime<Utc>,
) -> Result<Option<UndoableEvent>> {
    let last = find_newest_change(conn, org, lead, job).await?;
    let last = last.map(|change| UndoableEvent { event_id: change.id, until: change.recorded_at + UNDO_WINDOW });
    Ok(last.filter(|last| last.until >= now))
}

/// Undoes a change: the columns it wrote, its unsent messages, the plans it made and those it stopped. The caller
/// writes the audit line.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is too late or something was changed after it.
pub async fn undo_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: EventId,
    by: &ActivityActor,
) -> Result<UndoResult> {
    let found = qb!(&mut *tx, fetch_optional as UndoableChange, |b| {
        b.push(COLUMNS).push_bind(org).push(" AND id = ").push_bind(event);
    })?;
    let change = found.ok_or(Error::NotFound)?;
    let stage = pipeline::lock_stage(tx, org, change.lead_id).await?;
    let was = check_undoable(tx, origin, org, &change).await?;
    if !mark_undone(tx, origin, org, event).await? {
        return Err(ConflictCode::AlreadyUndone.into_error());
    }
    match (change.job_id, was) {
        (Some(job), PriorState::Job(before)) => restore_job(tx, origin, org, job, *before).await?,
        (None, PriorState::Lead(before)) => restore_stage(tx, org, &change, stage, before).await?,
        _ => return Err(Error::Internal(format!("event {event} holds the prior state of something else"))),
    }
    let why = format!("undone by {}", by.display_name());
    message::cancel_by_event(tx, origin, org, event, &why).await?;
    followup::revert_event(tx, origin, org, event, &why).await?;
    notify_job_listeners(tx, origin, org, JobEvent::ChangeUndone(event)).await?;
    if let Some(job) = change.job_id {
        crew::cancel_notices(tx, origin, org, job, change.recorded_at).await?;
        live::publish_event(tx, origin, org, Topic::Job, job.0, Some(change.lead_id.0)).await?;
    }
    live::publish_event(tx, origin, org, Topic::Lead, change.lead_id.0, None).await?;
    Ok(UndoResult { job_id: change.job_id, lead_id: change.lead_id, note: None })
}

async fn check_undoable(tx: &mut Tx, origin: &ClockRng, org: OrgId, change: &UndoableChange) -> Result<PriorState> {
    if change.undone_at.is_some() {
        return Err(ConflictCode::AlreadyUndone.into_error());
    }
    let Some(was) = &change.was else { return Err(ConflictCode::NotUndoable.into_error()) };
    if origin.now() - change.recorded_at > UNDO_WINDOW {
        return Err(ConflictCode::UndoTooLate.into_error());
    }
    let last = find_newest_change(tx, org, change.lead_id, change.job_id).await?;
    if last.is_some_and(|last| last.id != change.id) {
        return Err(ConflictCode::NewerChangeExists.into_error());
    }
    Ok(was.0.clone())
}

/// True for the caller that undoes it.
async fn mark_undone(tx: &mut Tx, origin: &ClockRng, org: OrgId, event: EventId) -> Result<bool> {
    let sql = "UPDATE work_event SET undone_at = $3 WHERE org_id = $1 AND id = $2 AND undone_at IS NULL";
    Ok(q!(tx, execute, sql, org, event, origin.now())? == 1)
}

async fn restore_job(tx: &mut Tx, origin: &ClockRng, org: OrgId, job: JobId, before: JobSnapshot) -> Result<()> {
    let now = origin.now();
    q!(
        tx,
        execute,
        "UPDATE job SET starts_at = $3, ends_at = $4, crew_id = $5, status = $6, on_my_way_at = $7, eta_at = $8,
             started_at = $9, completed_at = $10, cancelled_at = $11, cancel_reason = $12, confirmed_at = $13,
             listed_at = COALESCE($3, created_at), version = version + 1, updated_at = $14
         WHERE org_id = $1 AND id = $2",
        org,
        job,
        before.starts_at,
        before.ends_at,
        before.crew_id,
        before.status,
        before.on_my_way_at,
        before.eta_at,
        before.started_at,
        before.completed_at,
        before.cancelled_at,
        before.cancel_reason,
        before.confirmed_at,
        now
    )?;
    Ok(())
}

async fn restore_stage(
    tx: &mut Tx,
    org: OrgId,
    change: &UndoableChange,
    current_stage: PipelineStage,
    before: StageBefore,
) -> Result<()> {
    let moved: StageMove = read_detail(&change.detail)
        .ok_or_else(|| Error::Internal(format!("event {} does not say where the lead was moved", change.id)))?;
    if moved.to != current_stage {
        return Err(ConflictCode::NewerChangeExists.into_error());
    }
    lead::store_stage(tx, org, change.lead_id, before.stage).await
}
