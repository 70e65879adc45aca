//! What Twilio tells us: what became of a text it took.

use axum::{
    Form,
    extract::{State, rejection::FormRejection},
    http::{HeaderMap, StatusCode},
};
use shared::{
    id::MessageId,
    message::delivery::{self, Report},
    providers::sms::{SmsConfig, signature},
};

use crate::{
    describe,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, bad_request},
    state::AppState,
};

/// Take a report about a text
///
/// Twilio's status callback. Signed over the public address (`X-Twilio-Signature`); reports may come late, twice and
/// in any order.
#[utoipa::path(post, path = "/webhooks/twilio/message-status/{id}", operation_id = "twilioMessageStatus", tag = "webhooks",
    params(("id" = uuid::Uuid, Path, description = "The message")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 204, description = "Taken"), describe::BadRequest, describe::Forbidden, describe::NotFound,
        describe::TooLarge, describe::WrongMedia, describe::Unavailable))]
pub async fn message_status(
    State(state): State<AppState>,
    Id(id): Id,
    headers: HeaderMap,
    form: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> ApiResult<StatusCode> {
    let fields = read_form(form)?;
    let address = state.settings.public_url.join(&format!("/webhooks/twilio/message-status/{id}"));
    if !is_signed(&state, &headers, &address, &fields) {
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    }
    let field = |name: &str| fields.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
    let report = Report {
        message: MessageId(id),
        provider_id: field("MessageSid").or(field("SmsSid")).unwrap_or_default(),
        status: field("MessageStatus").or(field("SmsStatus")).unwrap_or_default(),
        code: field("ErrorCode").and_then(|code| code.parse().ok()),
    };
    let mut tx = state.db()?.begin().await?;
    delivery::take_report(&mut tx, &state.origin, &report).await?;
    tx.commit().await?;
    state.wake();
    Ok(StatusCode::NO_CONTENT)
}

fn read_form(form: Result<Form<Vec<(String, String)>>, FormRejection>) -> ApiResult<Vec<(String, String)>> {
    match form {
        Ok(Form(fields)) => Ok(fields),
        Err(FormRejection::InvalidFormContentType(_)) => {
            Err(ApiError::new(ErrorCode::UnsupportedMediaType, "This address takes a posted form."))
        }
        Err(_) => Err(bad_request("The form cannot be read.")),
    }
}

fn is_signed(state: &AppState, headers: &HeaderMap, address: &str, fields: &[(String, String)]) -> bool {
    let SmsConfig::Twilio(account) = &state.settings.sms else { return false };
    let Some(token) = &account.auth_token else { return false };
    let given = headers.get("x-twilio-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    signature::is_from_twilio(token, address, fields, given)
}
