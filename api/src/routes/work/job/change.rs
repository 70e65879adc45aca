//! The office's changes of a job: booking, edits, scheduling, crew; and undo.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use shared::{
    domain::{
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
        work::{
            activity::{UndoResult, UndoableEvent},
            job::{
                self, JobPatch, JobScope, JobSlot, NewJob, edit,
                schedule::{self, JobConflict},
                undo,
            },
        },
    },
    platform::id::{EventId, JobId},
    views::job::detail::JobDetail,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{load_job_view, load_profile};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// Books a job
///
/// Absent fields get the business's defaults for new jobs. With an `Idempotency-Key` a repeated request is not a second
/// job.
#[utoipa::path(post, path = "/api/jobs", operation_id = "createJob", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = NewJob,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Booked", body = JobDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn create_job(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(new): Json<NewJob>,
) -> ApiResult<(StatusCode, axum::Json<JobDetail>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("job", &headers, &format!("{new:?}"))?);
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    if let Some(id) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, load_job_view(&mut tx, &state, &profile, JobScope::Office, id).await?));
    }
    let id = job::create(&mut tx, &state.origin, &profile, &new, &ActivityActor::from_session(&member.session)).await?;
    once.store_response(&mut tx, org, &id).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::JobCreated, Some(id.0)).await?;
    let detail = load_job_view(&mut tx, &state, &profile, JobScope::Office, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, detail))
}

/// Changes what a job says
///
/// Its time, crew and status have ways of their own. Who looked at an older version is refused.
#[utoipa::path(patch, path = "/api/jobs/{id}", operation_id = "changeJob", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = JobPatch,
    params(("id" = Uuid, Path, description = "The job")),
    responses((status = 200, description = "The job as it is now", body = JobDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_job(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(patch): Json<JobPatch>,
) -> ApiResult<axum::Json<JobDetail>> {
    let mut tx = state.db()?.begin().await?;
    let (profile, by) = (load_profile(&mut tx, &member).await?, ActivityActor::from_session(&member.session));
    job::find_visible_scope(&mut tx, &member.session, JobId(id)).await?;
    edit::update_job(&mut tx, &state.origin, member.org(), JobId(id), &patch, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::JobChanged, Some(id))
        .await?;
    let detail = load_job_view(&mut tx, &state, &profile, JobScope::Office, JobId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(detail)
}

/// The job with its new time, and what overlaps with it.
#[derive(Serialize, ToSchema)]
#[schema(as = JobScheduled)]
pub struct ScheduledJob {
    job: JobDetail,
    /// Other jobs of the crew at that time: named, not refused.
    conflicts: Vec<JobConflict>,
    /// How to take it back; null when nothing changed.
    undo: Option<UndoableEvent>,
}

/// Gives a job its time and crew
///
/// Stored although it overlaps with others of the crew. You can undo it for a minute.
#[utoipa::path(post, path = "/api/jobs/{id}/schedule", operation_id = "scheduleJob", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = JobSlot,
    params(("id" = Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The job as it is now", body = ScheduledJob),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn schedule_job(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(slot): Json<JobSlot>,
) -> ApiResult<axum::Json<ScheduledJob>> {
    let (org, job) = (member.org(), JobId(id));
    let once = IdempotentOperation::new("job_schedule", &headers, &format!("{id} {slot:?}"))?;
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    job::find_visible_scope(&mut tx, &member.session, job).await?;
    if once.find_stored_response::<Uuid>(&mut tx, &state, org).await?.is_none() {
        schedule::schedule_job(
            &mut tx,
            &state.origin,
            &profile,
            job,
            &slot,
            &ActivityActor::from_session(&member.session),
        )
        .await?;
        once.store_response(&mut tx, org, &id).await?;
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::JobScheduled, Some(id))
            .await?;
    }
    let axum::Json(detail) = load_job_view(&mut tx, &state, &profile, JobScope::Office, job).await?;
    let time = detail.scheduled_at.zip(detail.ends_at);
    let conflicts = schedule::list_conflicts(&mut tx, org, job, detail.crew_id, time).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(ScheduledJob { undo: detail.undo, job: detail, conflicts }))
}

/// Takes a change back
///
/// Within a minute, if nothing was changed after it. Restores the former state and stops the effects of the change.
#[utoipa::path(post, path = "/api/work/{eventId}/undo", operation_id = "undoWork", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])),
    params(("eventId" = Uuid, Path, description = "The event")),
    responses((status = 200, description = "It was undone", body = UndoResult),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn undo_work(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<axum::Json<UndoResult>> {
    let mut tx = state.db()?.begin().await?;
    undo::check_can_undo(&mut tx, &member.session, EventId(id)).await?;
    let by = ActivityActor::from_session(&member.session);
    let undone = undo::undo_job_event(&mut tx, &state.origin, member.org(), EventId(id), &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::WorkUndone, Some(id))
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(undone))
}
