//! Delivery status of an account email, as a header of answers that show nothing else of it.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use shared::domain::messaging::message::outlook::{self, OutlookState};

use crate::{
    channel_reason,
    error::{ApiError, ApiResult},
    state::AppState,
};

const WAITING: HeaderName = HeaderName::from_static("x-waiting");

/// `X-Waiting` when the mail does not leave now: "email: saved as a file: email is not set up".
pub async fn waiting_headers(state: &AppState) -> ApiResult<HeaderMap> {
    let mut conn = state.db()?.acquire_reader().await?;
    let outlook = outlook::account_mail_outlook(&mut conn, state.send_channels(), state.origin.now()).await?;
    let mut headers = HeaderMap::new();
    if outlook.state != OutlookState::Leaves {
        let value = HeaderValue::from_str(&channel_reason::encode_channel_reason("email", &outlook.text))
            .map_err(|e| ApiError::internal(format!("header: {e}")))?;
        headers.insert(WAITING, value);
    }
    Ok(headers)
}
