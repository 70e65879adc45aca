//! Canned replies.

use axum::{extract::State, http::StatusCode};
use shared::{
    audit::{self, Action},
    canned::{self, CannedReply, NewCannedReply},
    id::CannedReplyId,
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    describe::{self, fields},
    error::ApiResult,
    extract::{Id, Json},
    state::AppState,
    who::Who,
};

/// The business's canned replies
#[utoipa::path(get, path = "/api/canned-replies", operation_id = "listCannedReplies", tag = "inbox",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "All of them, by title", body = Vec<CannedReply>),
        describe::Unauthenticated, describe::Forbidden, describe::Unavailable))]
pub async fn list_canned_replies(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<CannedReply>>> {
    let mut conn = state.db()?.read().await?;
    Ok(axum::Json(canned::list(&mut conn, member.org()).await?))
}

#[derive(ToSchema)]
#[schema(as = CannedReplyRequest)]
#[expect(dead_code, reason = "only described; `NewCannedReply` is what is read")]
pub struct CannedReplyDoc {
    #[schema(schema_with = fields::filled::<60>)]
    title: String,
    #[schema(schema_with = fields::filled_lines::<1530>)]
    body: String,
}

/// Keep a canned reply
#[utoipa::path(post, path = "/api/canned-replies", operation_id = "addCannedReply", tag = "inbox",
    security(("session" = ["owner", "office"])), request_body = CannedReplyDoc,
    responses((status = 201, description = "Kept", body = CannedReply),
        describe::BadRequest, describe::Unauthenticated, describe::Forbidden, describe::Conflict, describe::TooLarge,
        describe::WrongMedia, describe::Invalid, describe::Unavailable))]
pub async fn add_canned_reply(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Json(new): Json<NewCannedReply>,
) -> ApiResult<(StatusCode, axum::Json<CannedReply>)> {
    let mut tx = state.db()?.begin().await?;
    let reply = canned::add(&mut tx, &state.origin, member.org(), &new).await?;
    let (actor, id) = (who.actor(&member), Some(reply.id.0));
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::CannedReplyAdded, id).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, axum::Json(reply)))
}

/// Remove a canned reply
#[utoipa::path(delete, path = "/api/canned-replies/{id}", operation_id = "removeCannedReply", tag = "inbox",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The reply")),
    responses((status = 204, description = "Removed"),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
pub async fn remove_canned_reply(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    canned::remove(&mut tx, member.org(), CannedReplyId(id)).await?;
    let actor = who.actor(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::CannedReplyRemoved, Some(id)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
