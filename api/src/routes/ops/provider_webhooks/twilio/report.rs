//! Delivery reports of sent texts.

use axum::{extract::State, http::StatusCode};
use shared::{
    domain::{
        messaging::message::delivery::{self, DeliveryReport},
        tenancy::provider_callbacks::CallbackEndpoint,
    },
    platform::id::MessageId,
};

use super::{SignedForm, with_outcome_recorded};
use crate::{
    error::{ApiError, ApiResult},
    extract::PathId,
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
pub async fn handle_message_status(
    State(state): State<AppState>,
    PathId(id): PathId,
    posted: SignedForm,
) -> ApiResult<StatusCode> {
    let work = apply_report(&state, Some(MessageId(id)), &posted);
    with_outcome_recorded(&state, CallbackEndpoint::Reports, &posted, work).await
}

/// Take a report, by Twilio's own id
///
/// The same for an address that was typed into Twilio: the text is found by Twilio's id for it.
#[utoipa::path(post, path = "/webhooks/twilio/message-status", operation_id = "twilioAnyMessageStatus", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::NotFound,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn handle_unnamed_message_status(State(state): State<AppState>, posted: SignedForm) -> ApiResult<StatusCode> {
    let work = apply_report(&state, None, &posted);
    with_outcome_recorded(&state, CallbackEndpoint::Reports, &posted, work).await
}

async fn apply_report(state: &AppState, message: Option<MessageId>, posted: &SignedForm) -> ApiResult<StatusCode> {
    let provider_id = posted.get_field("MessageSid").or_else(|| posted.get_field("SmsSid"));
    let provider_id = provider_id.ok_or_else(|| ApiError::invalid_field("MessageSid", "This is missing"))?;
    let status = posted.get_field("MessageStatus").or_else(|| posted.get_field("SmsStatus"));
    let status = status.ok_or_else(|| ApiError::invalid_field("MessageStatus", "This is missing"))?;
    let code = posted.get_field("ErrorCode").and_then(|code| code.parse().ok());
    let received_at = state.origin.now();
    let report = DeliveryReport { message, provider_id: &provider_id, status: &status, code, received_at };
    let mut tx = state.db()?.begin().await?;
    if let Some(org) = Box::pin(delivery::process_delivery_report(&mut tx, &state.origin, &report)).await? {
        posted.set_org(org);
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}
