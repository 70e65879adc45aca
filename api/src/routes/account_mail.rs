//! What becomes of an email about an account: an answer that shows nothing else of it says so in a header.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use shared::domain::messaging::message::outlook::{self, Fate};

use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
    way,
};

const WAITING: HeaderName = HeaderName::from_static("x-waiting");

/// `X-Waiting`, where it does not leave now: "email: saved as a file: email is not set up".
pub async fn waiting(state: &AppState) -> ApiResult<HeaderMap> {
    let mut conn = state.db()?.read().await?;
    let outlook = outlook::of_account_mail(&mut conn, state.set_up(), state.origin.now()).await?;
    let mut headers = HeaderMap::new();
    if outlook.state != Fate::Leaves {
        let value = HeaderValue::from_str(&way::said("email", &outlook.text))
            .map_err(|e| ApiError::internal(format!("header: {e}")))?;
        headers.insert(WAITING, value);
    }
    Ok(headers)
}
