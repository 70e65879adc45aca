//! Changes of reviews: manual entry, import, deletion, assignment to customers, replies.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Deserialize;
use serde_json::Value;
use shared::{
    domain::{
        growth::review::{
            import::{self, ReviewImport},
            intake::{self, ReviewForm},
            list::{self, ReviewView},
            matching::{self, ReviewMatchForm},
            reply,
        },
        tenancy::{
            activity_log::ActivityActor,
            audit::{self, AuditAction},
            org::{OrgContext, OrgProfile},
        },
    },
    platform::id::ReviewId,
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{BooleanParam, CsvBody, Json, PathId, QueryParams},
    idempotency::IdempotentOperation,
    openapi::{self, fields},
    routes::tenancy::org::load_profile,
    state::AppState,
};

/// Types a review in
///
/// With an `Idempotency-Key` a repeated request adds nothing twice.
#[utoipa::path(post, path = "/api/reviews", operation_id = "addReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewForm,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = ReviewView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn add_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(form): Json<ReviewForm>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let once = IdempotentOperation::new("review", &headers, &format!("{form:?}"))?;
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, member.org()).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let profile = load_profile(&mut tx, &member).await?;
    let id = intake::create_manual(&mut tx, &state.org_context(&profile), &form).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::ReviewAdded, Some(id.0)).await?;
    let review = list::get_review(&mut tx, org, id).await?;
    let answer = once.store_response(&mut tx, org, &review).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Takes away a review that was typed in or imported
///
/// Reviews from the page or from another program cannot be removed.
#[utoipa::path(delete, path = "/api/reviews/{id}", operation_id = "removeReview", tag = "reviews",
    security(("session" = ["owner", "office"])),
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 204, description = "Removed"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn remove_review(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    intake::delete_review(&mut tx, &state.org_context(&profile), ReviewId(id)).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::ReviewRemoved, Some(id)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Takes reviews over from a spreadsheet
///
/// A CSV file of at most 2 MB and 5,000 rows whose first row names the columns: Rating, and if there are any Date,
/// Customer, Review, Source, Phone and Email. A row that does not fit is left out and named in `errors`. The same file
/// again changes nothing.
#[utoipa::path(post, path = "/api/reviews/import", operation_id = "importReviews", tag = "reviews",
    security(("session" = ["owner", "office"])),
    request_body(content = String, content_type = "text/csv"),
    params(("dryRun" = inline(Option<BooleanParam>), Query, description = "Only say what the file would bring in")),
    responses((status = 200, description = "What it brought in, or would", body = ReviewImport),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn import_reviews(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
    file: CsvBody,
) -> ApiResult<axum::Json<ReviewImport>> {
    if query.parse_choice::<BooleanParam>("dryRun")?.is_some_and(BooleanParam::is_true) {
        let mut conn = state.db()?.acquire_reader().await?;
        let profile = load_profile(&mut conn, &member).await?;
        return Ok(axum::Json(import::preview_import(&mut conn, &state.org_context(&profile), file.as_bytes()).await?));
    }
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, &member).await?;
    let done = import::import_reviews(&mut tx, &state.org_context(&profile), file.as_bytes()).await?;
    audit::record(&mut tx, &state.origin, &who.actor_for(&member), member.org(), AuditAction::ReviewsImported, None)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(done))
}

async fn apply_review_change<F>(
    state: &AppState,
    office: OrgOffice,
    who: &RequestContext,
    id: ReviewId,
    change: F,
) -> ApiResult<ReviewView>
where
    F: AsyncFnOnce(
        &mut shared::platform::db::Tx,
        &OrgContext<'_>,
        &ActivityActor,
    ) -> shared::platform::error::Result<()>,
{
    let OrgOffice(member) = office;
    let mut tx = state.db()?.begin().await?;
    let profile: OrgProfile = load_profile(&mut tx, &member).await?;
    change(&mut tx, &state.org_context(&profile), &ActivityActor::from_session(&member.session)).await?;
    let (actor, org) = (who.actor_for(&member), member.org());
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::ReviewChanged, Some(id.0)).await?;
    let review = list::get_review(&mut tx, org, id).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(review)
}

/// Assigns a review to a customer
///
/// With a customer it is theirs, without one it is from none of ours.
#[utoipa::path(post, path = "/api/reviews/{id}/match", operation_id = "matchReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReviewMatchForm,
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review as it is now", body = ReviewView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn match_review(
    office: OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<ReviewMatchForm>,
) -> ApiResult<axum::Json<ReviewView>> {
    let id = ReviewId(id);
    let decide = async |tx: &mut shared::platform::db::Tx, ctx: &OrgContext<'_>, _: &ActivityActor| {
        matching::assign_customer(tx, ctx, id, &form).await
    };
    apply_review_change(&state, office, &who, id, decide).await.map(axum::Json)
}

/// The answer to a review.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = ReviewReplyRequest)]
pub struct ReplyForm {
    /// Null takes it away.
    #[schema(schema_with = fields::nullable_text::<4000>)]
    text: Option<String>,
}

/// Keeps the answer to a review
///
/// With who wrote it and when. It is posted nowhere.
#[utoipa::path(post, path = "/api/reviews/{id}/reply", operation_id = "replyToReview", tag = "reviews",
    security(("session" = ["owner", "office"])), request_body = ReplyForm,
    params(("id" = Uuid, Path, description = "The review")),
    responses((status = 200, description = "The review as it is now", body = ReviewView),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn reply_to_review(
    office: OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
    Json(form): Json<ReplyForm>,
) -> ApiResult<axum::Json<ReviewView>> {
    let id = ReviewId(id);
    let keep = async |tx: &mut shared::platform::db::Tx, ctx: &OrgContext<'_>, by: &ActivityActor| {
        reply::save_reply(tx, ctx, id, form.text.as_deref(), by).await
    };
    apply_review_change(&state, office, &who, id, keep).await.map(axum::Json)
}
