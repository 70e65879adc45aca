//! Error pages for customers.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::platform::error::Error;

use super::{
    render::{SCRIPT_PATH, STYLE_PATH, render_page},
    words::{PageText, text_for_browser},
};
use crate::error::{ApiError, ErrorCode};

/// An error page in the language of the browser, since no other is known.
pub(super) struct ErrorPage {
    pub status: StatusCode,
    pub words: &'static PageText,
    pub title: String,
    pub text: String,
    /// In seconds.
    pub retry_after: Option<i64>,
}

impl ErrorPage {
    pub fn invalid_link(words: &'static PageText) -> Self {
        Self::not_found(words, words.not_valid, words.not_valid_hint)
    }

    pub fn unknown_business(words: &'static PageText) -> Self {
        Self::not_found(words, words.unknown_business, words.unknown_business_hint)
    }

    fn not_found(words: &'static PageText, title: &str, text: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, words, title: title.to_owned(), text: text.to_owned(), retry_after: None }
    }

    pub fn from_error(error: ApiError, words: &'static PageText) -> Self {
        let status = error.code.status();
        let title = if status.is_server_error() { words.later } else { words.did_not_work };
        let text = words.translate(&error.detail_in(words.language));
        let retry_after = error.retry_after;
        // For the log line of the answer.
        drop(error.into_response());
        Self { status, words, title: title.to_owned(), text, retry_after }
    }
}

impl IntoResponse for ErrorPage {
    fn into_response(self) -> Response {
        let context = minijinja::context! {
            w => minijinja::value::Serde(self.words), title => self.title, text => self.text,
            style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        };
        let mut response = render_page("note.html", self.status, context);
        if let Some(seconds) = self.retry_after.and_then(|wait| HeaderValue::from_str(&wait.to_string()).ok()) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl From<Error> for ErrorPage {
    fn from(error: Error) -> Self {
        Self::from_error(error.into(), text_for_browser(None))
    }
}

/// Errors that the customer can correct are shown on the page itself; others get an error page.
pub(super) fn is_correctable(error: &ApiError) -> bool {
    matches!(error.code, ErrorCode::ValidationFailed | ErrorCode::Conflict)
}
