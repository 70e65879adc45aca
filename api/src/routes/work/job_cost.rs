//! Cost and margin of a job.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde_json::Value;
use shared::{
    domain::{
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
        work::job::cost::{self, JobCostForm, JobCosts},
    },
    platform::{
        db::AsConn,
        id::{CostId, JobId},
    },
};

use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId, PathIdPair},
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::load_profile,
    state::AppState,
};

async fn load_costs(conn: &mut dyn AsConn, member: &OrgMember, job: JobId) -> ApiResult<JobCosts> {
    let profile = load_profile(conn, member).await?;
    Ok(cost::load_job_costs(conn, member.org(), job, profile.settings.figures.margin_percent).await?)
}

/// What a job has cost
#[utoipa::path(get, path = "/api/jobs/{id}/costs", operation_id = "getJobCosts", tag = "jobs",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The job")),
    responses((status = 200, description = "Its costs, and what is left of its price", body = JobCosts),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_job_costs(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<JobCosts>> {
    Ok(axum::Json(load_costs(&mut state.db()?.acquire_reader().await?, &member, JobId(id)).await?))
}

/// Notes what a job has cost
///
/// An amount, or a quantity at a rate: hours of labor at what an hour costs.
#[utoipa::path(post, path = "/api/jobs/{id}/costs", operation_id = "addJobCost", tag = "jobs",
    security(("session" = ["owner", "office"])), request_body = JobCostForm,
    params(("id" = Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "All its costs, and what is left of its price", body = JobCosts),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_job_cost(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<JobCostForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let (org, job) = (member.org(), JobId(id));
    let once = IdempotentOperation::new("job_cost", &headers, &format!("{id} {form:?}"))?;
    let new = form.validate()?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let noted =
        cost::add_cost(&mut tx, &state.origin, org, job, &new, &ActivityActor::from_session(&member.session)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::CostNoted, Some(noted.0)).await?;
    let costs = load_costs(&mut tx, &member, job).await?;
    let answer = once.store_response(&mut tx, org, &costs).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Takes a cost of a job away
#[utoipa::path(delete, path = "/api/jobs/{id}/costs/{costId}", operation_id = "removeJobCost", tag = "jobs",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The job"), ("costId" = Uuid, Path, description = "The cost")),
    responses((status = 200, description = "What is left of its costs, and of its price", body = JobCosts),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_job_cost(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathIdPair(id, cost): PathIdPair,
) -> ApiResult<axum::Json<JobCosts>> {
    let (org, job) = (member.org(), JobId(id));
    let mut tx = state.db()?.begin().await?;
    cost::remove_cost(&mut tx, &state.origin, org, job, CostId(cost)).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), org, AuditAction::CostRemoved, Some(cost)).await?;
    let left = load_costs(&mut tx, &member, job).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(left))
}
