//! A message's second try, because a person says so.

use axum::{extract::State, http::StatusCode};
use shared::{
    audit::{self, Action},
    id::MessageId,
    message::{self, MessageView},
};

use crate::{auth::OrgOffice, describe, error::ApiResult, extract::Id, state::AppState, who::Who};

/// Sends a message again
///
/// One that failed, was not sent, or of which it is not known whether it arrived.
#[utoipa::path(post, path = "/api/messages/{id}/retry", operation_id = "retryMessage", tag = "messages",
    security(("session" = ["owner", "office"])),
    params(("id" = uuid::Uuid, Path, description = "The message")),
    responses((status = 202, description = "Queued again", body = MessageView),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Conflict, describe::Unavailable))]
pub async fn retry_message(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
    who: Who,
    Id(id): Id,
) -> ApiResult<(StatusCode, axum::Json<MessageView>)> {
    let mut tx = state.db()?.begin().await?;
    let message = message::retry(&mut tx, &state.origin, member.org(), MessageId(id)).await?;
    audit::record(&mut tx, &state.origin, &who.actor(&member), member.org(), Action::MessageRetried, Some(id)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(message)))
}
