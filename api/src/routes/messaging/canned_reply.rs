//! Canned replies.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde_json::Value;
use shared::{
    domain::{
        messaging::canned_reply::{self, CannedReply, NewCannedReply},
        tenancy::audit::{self, AuditAction},
    },
    platform::id::CannedReplyId,
};

use crate::{
    auth::OrgOffice,
    client_info::RequestContext,
    error::ApiResult,
    extract::{Json, PathId},
    idempotency::IdempotentOperation,
    openapi,
    state::AppState,
};

/// The business's canned replies
#[utoipa::path(get, path = "/api/canned-replies", operation_id = "listCannedReplies", tag = "inbox",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "All of them, by title", body = Vec<CannedReply>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::Unavailable))]
pub async fn list_canned_replies(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<CannedReply>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(canned_reply::list(&mut conn, member.org()).await?))
}

/// Keep a canned reply
///
/// With an `Idempotency-Key` a repeated request keeps nothing twice.
#[utoipa::path(post, path = "/api/canned-replies", operation_id = "addCannedReply", tag = "inbox",
    security(("session" = ["owner", "office"])), request_body = NewCannedReply,
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Kept", body = CannedReply),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn add_canned_reply(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(new): Json<NewCannedReply>,
) -> ApiResult<(StatusCode, axum::Json<Value>)> {
    let (org, once) = (member.org(), IdempotentOperation::new("canned_reply", &headers, &format!("{new:?}"))?);
    let mut tx = state.db()?.begin().await?;
    if let Some(answer) = once.find_stored_response(&mut tx, &state, org).await? {
        return Ok((StatusCode::CREATED, axum::Json(answer)));
    }
    let reply = canned_reply::create(&mut tx, &state.origin, org, &new).await?;
    let answer = once.store_response(&mut tx, org, &reply).await?;
    let (actor, id) = (who.actor_for(&member), Some(reply.id.0));
    audit::record(&mut tx, &state.origin, &actor, org, AuditAction::CannedReplyAdded, id).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, axum::Json(answer)))
}

/// Remove a canned reply
#[utoipa::path(delete, path = "/api/canned-replies/{id}", operation_id = "removeCannedReply", tag = "inbox",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The reply")),
    responses((status = 204, description = "Removed"),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn remove_canned_reply(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: RequestContext,
    PathId(id): PathId,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    canned_reply::delete(&mut tx, member.org(), CannedReplyId(id)).await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::CannedReplyRemoved, Some(id)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
