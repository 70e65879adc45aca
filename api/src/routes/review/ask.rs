//! Who is asked for a review: the list of asks, one of them stopped, and "Request Review" on a lead or a job.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        growth::review::{
            State as AskState,
            request::{self, About, Preview, Requested},
            standing::{self, AskView, Filter},
        },
        tenancy::{
            account::Role,
            audit::{self, Action},
        },
        work::activity::Doer,
    },
    platform::{
        count_cache::Total,
        id::{CustomerId, JobId, LeadId, ReviewAskId},
    },
};
use utoipa::ToSchema;

use super::{MOST, span};
use crate::{
    auth::{OrgMember, OrgOffice},
    client_info::Who,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, Json, Query},
    idempotency::Once,
    openapi, pagination,
    routes::org::profile_of,
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
    responses((status = 200, description = "One page", body = Vec<AskView>,
            headers(("X-Total-Count" = i64, description = "How many match in all"),
                ("Link" = String, description = "The next page, rel=\"next\""))),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Invalid, openapi::Unavailable))]
pub async fn list_asks(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    query: Query,
) -> ApiResult<(HeaderMap, axum::Json<Vec<AskView>>)> {
    let (from, to) = span(&member, &query)?;
    let filter = Filter {
        state: query.choice::<AskState>("state")?,
        customer: query.id::<CustomerId>("customerId")?,
        job: query.id::<JobId>("jobId")?,
        q: query.text("q", 200)?,
        from,
        to,
        limit: query.number("limit", 1..=MOST, 100)?,
        cursor: query.text("cursor", 200)?,
    };
    let mut conn = state.db()?.read().await?;
    let page = standing::list(&mut conn, member.org(), &filter).await?;
    let what = format!("review asks {:?}", Filter { limit: 0, cursor: None, ..filter.clone() });
    let whole = pagination::whole(filter.cursor.as_deref(), page.next.as_deref(), page.asks.len());
    let total = match whole {
        Some(total) => total,
        None => {
            pagination::total(&state, &mut conn, member.org(), what, async |conn| {
                Ok(Total::of(standing::count(conn, member.org(), &filter).await?))
            })
            .await?
        }
    };
    let names = ["state", "customerId", "jobId", "q", "from", "to", "limit"];
    let next = page.next.map(|next| pagination::link("/api/reviews/asks", &query, &names, &next));
    Ok((pagination::headers(total, next), axum::Json(page.asks)))
}

/// How an ask is stopped.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ReviewAskStop)]
pub struct StopForm {
    /// There is a problem: nobody asks this customer for a review while it stands.
    problem: bool,
}

/// Stops asking a customer
#[utoipa::path(post, path = "/api/reviews/asks/{id}/stop", operation_id = "stopReviewAsk", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = StopForm,
    params(("id" = Uuid, Path, description = "The ask")),
    responses((status = 200, description = "The ask as it is now", body = AskView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn stop_ask(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    Json(form): Json<StopForm>,
) -> ApiResult<axum::Json<AskView>> {
    let mut tx = state.db()?.begin().await?;
    let profile = profile_of(&mut tx, &member).await?;
    standing::stop(&mut tx, &state.intake(&profile), ReviewAskId(id), form.problem).await?;
    let (actor, org) = (who.actor(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, Action::ReviewAskStopped, Some(id)).await?;
    let ask = standing::get(&mut tx, org, ReviewAskId(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok(axum::Json(ask))
}

async fn previewed(state: &AppState, member: &OrgMember, about: About) -> ApiResult<axum::Json<Preview>> {
    let mut conn = state.db()?.read().await?;
    let profile = profile_of(&mut conn, member).await?;
    Ok(axum::Json(request::preview(&mut conn, &state.intake(&profile), about).await?))
}

/// The request for a review that would go out now
///
/// Its words, its way and its hour, or why there is none. Nothing is sent.
#[utoipa::path(get, path = "/api/leads/{id}/review", operation_id = "previewLeadReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The lead")),
    responses((status = 200, description = "What pressing would do", body = Preview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_lead_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Preview>> {
    previewed(&state, &member, About::Lead(LeadId(id))).await
}

/// The request for a review of a job that would go out now
///
/// Its words, its way and its hour, or why there is none. Nothing is sent.
#[utoipa::path(get, path = "/api/jobs/{id}/review", operation_id = "previewJobReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The job")),
    responses((status = 200, description = "What pressing would do", body = Preview),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn preview_job_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    Id(id): Id,
) -> ApiResult<axum::Json<Preview>> {
    previewed(&state, &member, About::Job(JobId(id))).await
}

/// How somebody has a customer asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ReviewAskRequest)]
pub struct RequestForm {
    /// Although they were asked within half a year. An owner only.
    #[serde(rename = "override")]
    is_override: bool,
}

/// Has them asked, once for each key.
async fn asked(
    state: &AppState,
    (member, who): (&OrgMember, &Who),
    headers: &HeaderMap,
    about: About,
    form: RequestForm,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    if form.is_override && member.session.role != Role::Owner {
        let why = "Only an owner has a customer asked again within 180 days.";
        return Err(ApiError::new(ErrorCode::Forbidden, why));
    }
    let once = Once::new("review_request", headers, &format!("{about:?} {form:?}"))?;
    let org = member.org();
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.earlier(&mut tx, state, org).await? {
        return Ok((StatusCode::ACCEPTED, axum::Json(answer)));
    }
    let (profile, by) = (profile_of(&mut tx, member).await?, Doer::of(&member.session));
    let sent: Requested = request::request(&mut tx, &state.intake(&profile), about, form.is_override, &by).await?;
    let subject = Some(sent.ask_id.0);
    audit::record(&mut tx, &state.origin, &who.actor(member), org, Action::ReviewRequested, subject).await?;
    let answer = once.keep(&mut tx, org, &sent).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(answer)))
}

/// Has the customer of a lead asked for a review
///
/// At once, or at the next hour at which they may be asked. Within 180 days only an owner may, with `override`. With an
/// `Idempotency-Key` a repeated request asks nobody twice.
#[utoipa::path(post, path = "/api/leads/{id}/review", operation_id = "requestLeadReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = RequestForm,
    params(("id" = Uuid, Path, description = "The lead"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key gets the first answer again")),
    responses((status = 202, description = "What is on its way, to whom and when", body = Requested),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn request_lead_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<RequestForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    asked(&state, (&member, &who), &headers, About::Lead(LeadId(id)), form).await
}

/// Has the customer of a job asked for a review
///
/// As for a lead.
#[utoipa::path(post, path = "/api/jobs/{id}/review", operation_id = "requestJobReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = RequestForm,
    params(("id" = Uuid, Path, description = "The job"),
        ("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
            description = "The same key gets the first answer again")),
    responses((status = 202, description = "What is on its way, to whom and when", body = Requested),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn request_job_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
    headers: HeaderMap,
    Json(form): Json<RequestForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    asked(&state, (&member, &who), &headers, About::Job(JobId(id)), form).await
}
