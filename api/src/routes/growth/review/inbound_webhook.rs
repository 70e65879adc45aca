//! Review intake by another program, and its key.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use shared::{
    domain::{
        growth::review::{
            intake::{self, IncomingReview},
            key::{self, NewReviewWebhookKey, ReviewWebhook},
        },
        tenancy::{
            audit::{self, AuditAction},
            org,
        },
    },
    platform::{
        access_link::{self, LinkKind, LinkLookup},
        db::tenant_scope,
        error::Error,
        id::{OrgId, ReviewId, ReviewRequestId},
        throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgOwner, RecentlyVerified, Visitor},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json as Typed, PathWord},
    openapi,
    routes::tenancy::org::{OwnOrgAccess, record_change},
    state::AppState,
};

/// Unknown keys per network and hour. Typing mistakes do not reach this.
const MISSES: i64 = 60;

fn webhook_url(state: &AppState) -> String {
    state.settings.public_url.join(key::PATH)
}

/// Whether another program may bring reviews
#[utoipa::path(get, path = "/api/org/{orgId}/review-webhook", operation_id = "getReviewWebhook", tag = "settings",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Its state, without the key", body = ReviewWebhook),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_webhook(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<Json<ReviewWebhook>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(Json(key::load_webhook(&mut conn, member.org(), webhook_url(&state)).await?))
}

/// Makes the key with which another program brings reviews
///
/// It is shown this once. The one before it is dead from now on.
#[utoipa::path(post, path = "/api/org/{orgId}/review-webhook", operation_id = "makeReviewWebhookKey", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 201, description = "The key", body = NewReviewWebhookKey), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn create_key(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<(StatusCode, Json<NewReviewWebhookKey>)> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let made = key::rotate_key(&mut tx, &state.origin, member.org(), &webhook_url(&state)).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::ReviewKeyChanged, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, Json(made)))
}

/// Takes the key away: no other program brings reviews any more
#[utoipa::path(delete, path = "/api/org/{orgId}/review-webhook", operation_id = "removeReviewWebhookKey",
    tag = "settings", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Taken away", body = ReviewWebhook), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_key(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Json<ReviewWebhook>> {
    let mut tx = state.db()?.begin().await?;
    if key::revoke_key(&mut tx, member.org()).await? {
        record_change(&mut tx, &state, &who, &member, (AuditAction::ReviewKeyChanged, member.org().0)).await?;
    }
    let webhook = key::load_webhook(&mut tx, member.org(), webhook_url(&state)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(webhook))
}

/// What became of it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewTaken)]
pub struct AcceptedReview {
    id: ReviewId,
    is_new: bool,
}

/// Takes a review that another program brings
///
/// The key in the address is the business's own. A repeated review changes nothing, or updates the one with the same
/// `id`.
#[utoipa::path(post, path = "/api/webhooks/reviews/{key}", operation_id = "bringReview", tag = "webhooks",
    params(("key" = String, Path, min_length = 1, description = "Made in the settings")), request_body = IncomingReview,
    responses((status = 200, description = "Taken", body = AcceptedReview), openapi::BadRequest, openapi::NotFound,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn receive_review(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(word): PathWord,
    Typed(sent): Typed<IncomingReview>,
) -> ApiResult<Json<AcceptedReview>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let owner = key::find_org_by_key(&mut conn, &word).await?;
    drop(conn);
    let Some(org) = owner else {
        count_miss(&state, &who).await?;
        return Err(ApiError::not_found());
    };
    tenant_scope::set_tenant(org);
    let mut tx = state.db()?.begin().await?;
    let ask = find_review_request(&mut tx, &state, org, sent.request.as_deref()).await?;
    let business = org::find(&mut tx, org).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut tx, business).await?;
    let (id, is_new) = intake::receive_webhook(&mut tx, &state.org_context(&profile), &sent.into(), ask).await?;
    key::record_key_use(&mut tx, &state.origin, org).await?;
    audit::record(&mut tx, &state.origin, &who.anonymous_actor(), org, AuditAction::ReviewBrought, Some(id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(Json(AcceptedReview { id, is_new }))
}

/// Review request of a token, if it belongs to this business.
async fn find_review_request(
    tx: &mut shared::platform::db::Tx,
    state: &AppState,
    org: OrgId,
    token: Option<&str>,
) -> ApiResult<Option<ReviewRequestId>> {
    let Some(token) = token else { return Ok(None) };
    let now = state.origin.now();
    let opened = access_link::resolve_token(tx, &state.settings.secret, now, token, &[LinkKind::Review]).await?;
    Ok(match opened {
        LinkLookup::Active(link) | LinkLookup::Expired(link) if link.org_id == org => {
            Some(ReviewRequestId(link.subject_id))
        }
        _ => None,
    })
}

async fn count_miss(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "review key", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}
