//! Changes of a job by the crew on site or the office: status, notes, checklist.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
        work::job::{
            self, StatusChange,
            check::{self, ChecklistTick},
            dispatch_notice,
            note::{self, JobNote, NewJobNote},
        },
    },
    platform::id::{CheckId, JobId},
    views::job::detail::JobDetail,
};
use uuid::Uuid;

use super::{load_job_view, load_profile};
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId, PathIdPair},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// Starts, ends, reopens, cancels or restores a job
///
/// An existing one is returned unchanged. `errors.photos` says which photo is missing before it can be done. You can
/// undo it for a minute.
#[utoipa::path(post, path = "/api/jobs/{id}/status", operation_id = "changeJobStatus", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = StatusChange,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 200, description = "The job as it is now", body = JobDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn change_job_status(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(change): Json<StatusChange>,
) -> ApiResult<axum::Json<JobDetail>> {
    let (org, job) = (member.org(), JobId(id));
    let once = IdempotentOperation::new("job_status", &headers, &format!("{id} {change:?}"))?;
    let mut tx = state.db()?.begin().await?;
    let sight = job::find_visible_scope(&mut tx, &member.session, job).await?;
    let profile = load_profile(&mut tx, &member).await?;
    if once.find_stored_response::<Uuid>(&mut tx, &state, org).await?.is_none() {
        let by = ActivityActor::from_session(&member.session);
        let event = job::change_status(&mut tx, &state.origin, &profile, (job, sight), &change, &by).await?;
        dispatch_notice::notify_completed(&mut tx, &state.org_context(&profile), job, &change, event).await?;
        once.store_response(&mut tx, org, &id).await?;
        audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::JobStatusChanged, Some(id))
            .await?;
    }
    let detail = load_job_view(&mut tx, &state, &profile, sight, job).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(detail)
}

/// Adds a note to a job
///
/// Whatever became of the job.
#[utoipa::path(post, path = "/api/jobs/{id}/notes", operation_id = "addJobNote", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = NewJobNote,
    params(("id" = uuid::Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Kept", body = JobNote),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_job_note(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(new): Json<NewJobNote>,
) -> ApiResult<(StatusCode, axum::Json<JobNote>)> {
    let org = member.org();
    let once = IdempotentOperation::new("job_note", &headers, &format!("{id} {new:?}"))?;
    let mut tx = state.db()?.begin().await?;
    job::find_visible_scope(&mut tx, &member.session, JobId(id)).await?;
    if let Some(earlier) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(note::get(&mut tx, org, earlier).await?)));
    }
    let note =
        note::add_note(&mut tx, &state.origin, org, JobId(id), &new, &ActivityActor::from_session(&member.session))
            .await?;
    once.store_response(&mut tx, org, &note.id).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::NoteAdded, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(note)))
}

/// Ticks a line of the checklist
#[utoipa::path(patch, path = "/api/jobs/{id}/checklist/{checkId}", operation_id = "tickJobCheck", tag = "jobs",
    security(("session" = ["owner", "office", "crew"])), request_body = ChecklistTick,
    params(("id" = uuid::Uuid, Path, description = "The job"), ("checkId" = uuid::Uuid, Path, description = "The line")),
    responses((status = 200, description = "The job as it is now", body = JobDetail),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn tick_job_check(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathIdPair(id, line): PathIdPair,
    Json(tick): Json<ChecklistTick>,
) -> ApiResult<axum::Json<JobDetail>> {
    let (org, job) = (member.org(), JobId(id));
    let mut tx = state.db()?.begin().await?;
    let sight = job::find_visible_scope(&mut tx, &member.session, job).await?;
    let (profile, by) = (load_profile(&mut tx, &member).await?, ActivityActor::from_session(&member.session));
    check::set_check_done(&mut tx, &state.origin, org, (job, CheckId(line)), tick, &by).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::ChecklistChanged, Some(id))
        .await?;
    let detail = load_job_view(&mut tx, &state, &profile, sight, job).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(detail)
}
