//! Review requests: list, stop, and "Request Review" on a lead or a job.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        growth::review::{
            ReviewRequestState as AskState,
            request::{self, QueuedReviewRequest, ReviewRequestPreview, ReviewTarget},
            request_list::{self, ReviewRequestFilter, ReviewRequestView},
        },
        tenancy::{
            account::Role,
            activity_log::ActivityActor,
            audit::{self, AuditAction},
        },
    },
    platform::{
        count_cache::ListTotal,
        id::{CustomerId, JobId, LeadId, ReviewRequestId},
    },
};
use utoipa::ToSchema;

use super::{MOST, parse_span};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi, pagination,
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Who was asked, and why not, the newest first
#[utoipa::path(get, path = "/api/reviews/asks", operation_id = "listReviewAsks", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("state" = Option<AskState>, Query, description = "Only these"),
        ("customerId" = Option<Uuid>, Query, description = "Only of this customer"),
        ("jobId" = Option<Uuid>, Query, description = "Only of this job"),
        ("q" = Option<String>, Query, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f\ufffd]*$",
            description = "Words to look for in the customer's name, phone and email"),
        ("from" = Option<String>, Query, description = "Only who was asked on this date or later"),
        ("to" = Option<String>, Query, description = "Only who was asked on this date or earlier"),
        ("limit" = Option<i64>, Query, minimum = 1, maximum = 500, description = "At most so many; 100 when absent"),
        ("cursor" = Option<String>, Query, pattern = "^([0-9]{1,13}_[0-9a-f]{32})?$",
            description = "Where to go on, from the Link header")),
    responses((status = 200, description = "One page", body = Vec<ReviewRequestView>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_review_requests(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<(HeaderMap, axum::Json<Vec<ReviewRequestView>>)> {
    let (from, to) = parse_span(&member, &query)?;
    let filter = ReviewRequestFilter {
        state: query.parse_choice::<AskState>("state")?,
        customer: query.parse_id::<CustomerId>("customerId")?,
        job: query.parse_id::<JobId>("jobId")?,
        q: query.parse_text("q", 200)?,
        from,
        to,
        limit: query.parse_number("limit", 1..=MOST, 100)?,
        cursor: query.parse_text("cursor", 200)?,
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let page = request_list::list_requests(&mut conn, member.org(), &filter).await?;
    let what = format!("review asks {:?}", ReviewRequestFilter { limit: 0, cursor: None, ..filter.clone() });
    let whole = pagination::total_if_complete(filter.cursor.as_deref(), page.next.as_deref(), page.asks.len());
    let total = match whole {
        Some(total) => total,
        None => {
            pagination::load_total(&state, &mut conn, member.org(), what, async |conn| {
                Ok(ListTotal::from_row_count(request_list::count_requests(conn, member.org(), &filter).await?))
            })
            .await?
        }
    };
    let names = ["state", "customerId", "jobId", "q", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::next_page_link("/api/reviews/asks", &query, &names, &next));
    Ok((pagination::pagination_headers(total, next), axum::Json(page.asks)))
}

/// How an ask is stopped.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ReviewAskStop)]
pub struct ReviewRequestStopForm {
    /// A complaint: no review is requested from this customer while it is open.
    problem: bool,
}

/// Stops asking a customer
#[utoipa::path(post, path = "/api/reviews/asks/{id}/stop", operation_id = "stopReviewAsk", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewRequestStopForm,
    params(("id" = Uuid, Path, description = "The ask")),
    responses((status = 200, description = "The ask as it is now", body = ReviewRequestView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn stop_review_request(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<ReviewRequestStopForm>,
) -> ApiResult<axum::Json<ReviewRequestView>> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    request_list::stop_request(&mut tx, &state.org_context(&profile), ReviewRequestId(id), form.problem).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::ReviewAskStopped, Some(id)).await?;
    let ask = request_list::get_request(&mut tx, org, ReviewRequestId(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(ask))
}

async fn preview_request(
    state: &AppState,
    member: &OrgMember,
    about: ReviewTarget,
) -> ApiResult<axum::Json<ReviewRequestPreview>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let profile = load_profile(&mut conn, member).await?;
    Ok(axum::Json(request::preview_request(&mut conn, &state.org_context(&profile), about).await?))
}

/// The request for a review that would go out now
///
/// Its words, its way and its hour, or why there is none. Nothing is sent.
#[utoipa::path(get, path = "/api/leads/{id}/review", operation_id = "previewLeadReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "What pressing would do", body = ReviewRequestPreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_lead_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<ReviewRequestPreview>> {
    preview_request(&state, &member, ReviewTarget::Lead(LeadId(id))).await
}

/// The request for a review of a job that would go out now
///
/// Its words, its way and its hour, or why there is none. Nothing is sent.
#[utoipa::path(get, path = "/api/jobs/{id}/review", operation_id = "previewJobReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The job")),
    responses((status = 200, description = "What pressing would do", body = ReviewRequestPreview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_job_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    PathId(id): PathId,
) -> ApiResult<axum::Json<ReviewRequestPreview>> {
    preview_request(&state, &member, ReviewTarget::Job(JobId(id))).await
}

/// A manual review request.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ReviewAskRequest)]
pub struct ReviewRequestForm {
    /// Although they were asked within half a year. An owner only.
    #[serde(rename = "override")]
    is_override: bool,
}

/// Requests a review, once per idempotency key.
async fn request_once(
    state: &AppState,
    (member, who): (&OrgMember, &RequestContext),
    headers: &HeaderMap,
    about: ReviewTarget,
    form: ReviewRequestForm,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    if form.is_override && member.session.role != Role::Owner {
        let why = "Only an owner has a customer asked again within 180 days.";
        return Err(ApiError::new(ErrorCode::Forbidden, why));
    }
    let once = IdempotentOperation::new("review_request", headers, &format!("{about:?} {form:?}"))?;
    let org = member.org();
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, state, org).await? {
        return Ok((StatusCode::ACCEPTED, axum::Json(answer)));
    }
    let (profile, by) = (load_profile(&mut tx, member).await?, ActivityActor::from_session(&member.session));
    let sent: QueuedReviewRequest =
        request::request_review(&mut tx, &state.org_context(&profile), about, form.is_override, &by).await?;
    let subject = Some(sent.ask_id.0);
    audit::record(&mut tx, &state.origin, &who.actor_for(member), org, AuditAction::ReviewRequested, subject).await?;
    let answer = once.store_response(&mut tx, org, &sent).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(answer)))
}

/// Has the customer of a lead asked for a review
///
/// At once, or at the next hour at which they may be asked. Within 180 days only an owner may, with `override`. With an
/// `Idempotency-Key` a repeated request sends nothing twice.
#[utoipa::path(post, path = "/api/leads/{id}/review", operation_id = "requestLeadReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewRequestForm,
    params(("id" = Uuid, Path, description = "The lead"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "What is on its way, to whom and when", body = QueuedReviewRequest),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn request_lead_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<ReviewRequestForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    request_once(&state, (&member, &who), &headers, ReviewTarget::Lead(LeadId(id)), form).await
}

/// Has the customer of a job asked for a review
///
/// As for a lead.
#[utoipa::path(post, path = "/api/jobs/{id}/review", operation_id = "requestJobReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewRequestForm,
    params(("id" = Uuid, Path, description = "The job"),
        openapi::IdempotencyKey),
    responses((status = 202, description = "What is on its way, to whom and when", body = QueuedReviewRequest),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn request_job_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    headers: HeaderMap,
    Json(form): Json<ReviewRequestForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    request_once(&state, (&member, &who), &headers, ReviewTarget::Job(JobId(id)), form).await
}
