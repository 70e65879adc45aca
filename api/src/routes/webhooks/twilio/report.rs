//! What became of a text that Twilio took.

use axum::{extract::State, http::StatusCode};
use shared::{
    domain::{
        messaging::message::delivery::{self, Report},
        tenancy::provider_callbacks::Address,
    },
    platform::id::MessageId,
};

use super::{Posted, noted};
use crate::{
    error::{ApiError, ApiResult},
    extract::Id,
    openapi,
    state::AppState,
};

/// Take a report about a text
///
/// Twilio's status callback for one message of ours. Reports may come late, twice and in any order.
#[utoipa::path(post, path = "/webhooks/twilio/message-status/{id}", operation_id = "twilioMessageStatus", tag = "webhooks",
    params(("id" = uuid::Uuid, Path, description = "The message")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::NotFound,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn message_status(State(state): State<AppState>, Id(id): Id, posted: Posted) -> ApiResult<StatusCode> {
    noted(&state, Address::Reports, take(&state, Some(MessageId(id)), &posted)).await
}

/// Take a report, by Twilio's own id
///
/// The same for an address that was typed into Twilio: the text is found by Twilio's id for it.
#[utoipa::path(post, path = "/webhooks/twilio/message-status", operation_id = "twilioAnyMessageStatus", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::NotFound,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn any_message_status(State(state): State<AppState>, posted: Posted) -> ApiResult<StatusCode> {
    noted(&state, Address::Reports, take(&state, None, &posted)).await
}

async fn take(state: &AppState, message: Option<MessageId>, posted: &Posted) -> ApiResult<StatusCode> {
    let provider_id = posted.get("MessageSid").or_else(|| posted.get("SmsSid"));
    let provider_id = provider_id.ok_or_else(|| ApiError::field("MessageSid", "This is missing"))?;
    let status = posted.get("MessageStatus").or_else(|| posted.get("SmsStatus"));
    let status = status.ok_or_else(|| ApiError::field("MessageStatus", "This is missing"))?;
    let code = posted.get("ErrorCode").and_then(|code| code.parse().ok());
    let received_at = state.origin.now();
    let report = Report { message, provider_id: &provider_id, status: &status, code, received_at };
    let mut tx = state.db()?.begin().await?;
    delivery::report(&mut tx, &state.origin, &report).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}
