//! What went wrong, as a page.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use shared::platform::error::Error;

use super::{
    render::{SCRIPT_PATH, STYLE_PATH, draw},
    words::{Words, of_browser},
};
use crate::error::{ApiError, ErrorCode};

/// What went wrong, as a page: in the language of the browser, since nothing else is known.
pub(super) struct Refusal {
    pub status: StatusCode,
    pub words: &'static Words,
    pub title: String,
    pub text: String,
    /// In seconds.
    pub retry_after: Option<i64>,
}

impl Refusal {
    pub fn gone(words: &'static Words) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            words,
            title: words.not_valid.to_owned(),
            text: words.not_valid_hint.to_owned(),
            retry_after: None,
        }
    }

    pub fn of(error: ApiError, words: &'static Words) -> Self {
        let status = error.code.status();
        let title = if status.is_server_error() { words.later } else { words.did_not_work };
        let text = words.say(&error.detail);
        let retry_after = error.retry_after;
        // Logged as any other answer of this kind.
        drop(error.into_response());
        Self { status, words, title: title.to_owned(), text, retry_after }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let context = minijinja::context! {
            w => minijinja::value::Serde(self.words), title => self.title, text => self.text,
            style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        };
        let mut response = draw("note.html", self.status, context);
        if let Some(seconds) = self.retry_after.and_then(|wait| HeaderValue::from_str(&wait.to_string()).ok()) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::of(error.into(), of_browser(None))
    }
}

/// What a customer may do about a failed answer is on the page; what nobody can do is a page of its own.
pub(super) fn is_answerable(error: &ApiError) -> bool {
    matches!(error.code, ErrorCode::ValidationFailed | ErrorCode::Conflict)
}
