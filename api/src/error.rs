//! Error answers: one error type, one closed list of codes, one shape (RFC 9457).

use std::{borrow::Cow, collections::BTreeMap};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use shared::{
    domain::tenancy::org::editor::WordingFault,
    ops::subscription,
    platform::error::{DEMO_READ_ONLY, Error, FieldErrors},
};
use utoipa::ToSchema;

/// What went wrong, for programs. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    ValidationFailed,
    BadRequest,
    Unauthenticated,
    InvalidCredentials,
    Forbidden,
    CsrfRefused,
    /// They may, once they have proved again who they are.
    ReauthenticationNeeded,
    /// It would change the demonstration, which nobody may.
    DemoReadOnly,
    /// The business does not pay any more, and only reads.
    SubscriptionEnded,
    /// A new business has used up what it may do; the detail says what opens more.
    TrustLimit,
    /// Nobody registers here without an invitation of the operator.
    RegistrationClosed,
    NotFound,
    MethodNotAllowed,
    Conflict,
    BusinessNotSetUp,
    IdempotencyMismatch,
    /// The body came too slowly.
    RequestTimeout,
    PayloadTooLarge,
    UnsupportedMediaType,
    PhotoRejected,
    TooManyRequests,
    /// Too many wrong passwords were tried for the address: a passkey or a mailed link lets its person in.
    SignInHeld,
    StorageFull,
    Unavailable,
    Internal,
}

impl ErrorCode {
    #[must_use]
    pub fn status(self) -> StatusCode {
        match self {
            Self::ValidationFailed | Self::IdempotencyMismatch | Self::PhotoRejected => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::Unauthenticated | Self::InvalidCredentials => StatusCode::UNAUTHORIZED,
            Self::Forbidden
            | Self::CsrfRefused
            | Self::ReauthenticationNeeded
            | Self::DemoReadOnly
            | Self::SubscriptionEnded
            | Self::TrustLimit
            | Self::RegistrationClosed => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict | Self::BusinessNotSetUp => StatusCode::CONFLICT,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooManyRequests | Self::SignInHeld => StatusCode::TOO_MANY_REQUESTS,
            Self::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// The body of every answer that is not a success (`application/problem+json`).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Always `about:blank`: `code` tells the kind.
    #[serde(rename = "type")]
    #[schema(rename = "type")]
    pub kind: &'static str,
    pub title: &'static str,
    pub status: u16,
    /// A sentence for a person.
    pub detail: String,
    pub code: ErrorCode,
    /// What is wrong with each field, by the request's own field names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub errors: BTreeMap<String, String>,
    /// Everything that is wrong with a wording, with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<WordingFault>>)]
    pub faults: Vec<WordingFault>,
    /// Names this request in the server's log.
    pub request_id: String,
}

#[derive(Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    pub detail: Cow<'static, str>,
    pub errors: BTreeMap<String, String>,
    pub faults: Vec<WordingFault>,
    pub retry_after: Option<i64>,
    /// For the log only.
    cause: Option<String>,
}

pub type ApiResult<T> = Result<T, ApiError>;

tokio::task_local! {
    /// Id of the current request: see `middleware.rs`.
    pub static REQUEST_ID: String;
}

/// Id of the current request; empty outside of one.
#[must_use]
pub fn request_id() -> String {
    REQUEST_ID.try_with(Clone::clone).unwrap_or_default()
}

/// `Retry-After` of an unavailable server, in seconds.
const RETRY_UNAVAILABLE: i64 = 5;
/// `Retry-After` of a full disk, in seconds: space has to be freed first.
const RETRY_FULL: i64 = 60;

impl ApiError {
    pub fn new(code: ErrorCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            errors: BTreeMap::new(),
            faults: Vec::new(),
            retry_after: None,
            cause: None,
        }
    }

    #[must_use]
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "There is nothing here.")
    }

    pub fn invalid_field(name: &str, message: impl Into<String>) -> Self {
        let mut error = Self::new(ErrorCode::ValidationFailed, "Please check the marked fields.");
        error.errors.insert(name.to_owned(), message.into());
        error
    }

    /// `cause` goes to the log, never to the client.
    pub fn internal(cause: impl Into<String>) -> Self {
        let mut error = Self::new(ErrorCode::Internal, "Something went wrong on our side. It has been noted.");
        error.cause = Some(cause.into());
        error
    }

    #[must_use]
    pub fn demo_read_only() -> Self {
        Self::new(ErrorCode::DemoReadOnly, DEMO_READ_ONLY)
    }

    /// The business is read-only until it subscribes again.
    #[must_use]
    pub fn subscription_ended() -> Self {
        Self::new(ErrorCode::SubscriptionEnded, subscription::READ_ONLY_MESSAGE)
    }

    /// `DEMO=off`: a 404, because waiting would not help.
    #[must_use]
    pub fn no_demo() -> Self {
        Self::new(ErrorCode::NotFound, "This server does not show the demonstration.")
    }

    /// The demonstration is not seeded yet; a worker will do it.
    #[must_use]
    pub fn demo_not_ready() -> Self {
        let mut error =
            Self::new(ErrorCode::Unavailable, "The demonstration is being set up. Please try again in a moment.");
        error.retry_after = Some(RETRY_UNAVAILABLE);
        error
    }

    pub fn unavailable(cause: impl Into<String>) -> Self {
        let mut error = Self::new(ErrorCode::Unavailable, "We cannot do this right now. Please try again in a moment.");
        error.retry_after = Some(RETRY_UNAVAILABLE);
        error.cause = Some(cause.into());
        error
    }

    #[must_use]
    pub fn storage_full() -> Self {
        let words = "There is no room for this on our side right now. Please try again later.";
        let mut error = Self::new(ErrorCode::StorageFull, words);
        error.retry_after = Some(RETRY_FULL);
        error.cause = Some("the disk is full, or less is free than DISK_FLOOR_BYTES".to_owned());
        error
    }

    /// For a request with photos: suggests sending it without them.
    #[must_use]
    pub fn suggest_without_photos(self) -> Self {
        if self.code != ErrorCode::StorageFull || self.retry_after.is_none() {
            return self;
        }
        let words = "There is no room for this on our side right now. Please try again later, or without photos.";
        Self { detail: words.into(), ..self }
    }

    /// The quota of the business is used up: only removing files helps, not waiting.
    #[must_use]
    pub fn quota_full() -> Self {
        Self::new(ErrorCode::StorageFull, "Your file space is full. Remove files you do not need.")
    }

    #[must_use]
    pub fn too_many_requests(retry_after_seconds: i64) -> Self {
        let mut error = Self::new(ErrorCode::TooManyRequests, "Too many tries. Please wait a moment and try again.");
        error.retry_after = Some(retry_after_seconds.max(1));
        error
    }

    /// Also answered for an unknown address, which is counted alike.
    #[must_use]
    pub fn sign_in_held(retry_after_seconds: i64) -> Self {
        let words = "Somebody is trying passwords for this address. Sign in with your passkey, or use the link that we can email you.";
        let mut error = Self::new(ErrorCode::SignInHeld, words);
        error.retry_after = Some(retry_after_seconds.max(1));
        error
    }
}

impl From<FieldErrors> for ApiError {
    fn from(fields: FieldErrors) -> Self {
        let mut error = Self::new(ErrorCode::ValidationFailed, "Please check the marked fields.");
        error.errors = fields.0.into_iter().map(|(name, message)| (name.into_owned(), message)).collect();
        error
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound => Self::not_found(),
            Error::Invalid(fields) => fields.into(),
            Error::Conflict(words) => Self::new(ErrorCode::Conflict, words),
            Error::ConflictDetail(words) => Self::new(ErrorCode::Conflict, words),
            Error::IdempotencyMismatch => {
                Self::new(ErrorCode::IdempotencyMismatch, "This Idempotency-Key was used for a different request.")
            }
            Error::RateLimited { retry_after_seconds } => Self::too_many_requests(retry_after_seconds),
            Error::SignInLocked { retry_after_seconds } => Self::sign_in_held(retry_after_seconds),
            Error::WrongCredentials => Self::new(ErrorCode::InvalidCredentials, "Invalid email or password"),
            Error::DemoReadOnly => Self::demo_read_only(),
            Error::TrustLimit(words) => Self::new(ErrorCode::TrustLimit, words),
            Error::RegistrationClosed(words) => Self::new(ErrorCode::RegistrationClosed, words),
            Error::NoBusiness => Self::new(ErrorCode::BusinessNotSetUp, "This business is not set up yet."),
            Error::Unavailable(cause) | Error::Refused(cause) => Self::unavailable(cause),
            Error::StorageFull => Self::storage_full(),
            Error::QuotaFull => Self::quota_full(),
            Error::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        Error::from(error).into()
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let request_id = request_id();
        match (&self.cause, self.code) {
            (Some(cause), ErrorCode::Internal) => tracing::error!(request_id, cause, "request failed"),
            (Some(cause), _) => tracing::warn!(request_id, cause, "request could not be served now"),
            (None, _) => {}
        }
        let problem = Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            detail: self.detail.into_owned(),
            code: self.code,
            errors: self.errors,
            faults: self.faults,
            request_id,
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_disk_mentions_photos_only_if_some_were_sent() {
        assert!(!ApiError::storage_full().detail.contains("photos"));
        assert!(ApiError::storage_full().suggest_without_photos().detail.contains("without photos"));
        let own = ApiError::quota_full().suggest_without_photos();
        assert!(!own.detail.contains("photos"), "the business's own space is another matter: {}", own.detail);
    }

    #[test]
    fn every_domain_error_maps_to_its_status_and_code() {
        let table = [
            (Error::NotFound, 404, ErrorCode::NotFound),
            (Error::Invalid(FieldErrors::default()), 422, ErrorCode::ValidationFailed),
            (Error::Conflict("x"), 409, ErrorCode::Conflict),
            (Error::ConflictDetail("x".into()), 409, ErrorCode::Conflict),
            (Error::IdempotencyMismatch, 422, ErrorCode::IdempotencyMismatch),
            (Error::RateLimited { retry_after_seconds: 3 }, 429, ErrorCode::TooManyRequests),
            (Error::SignInLocked { retry_after_seconds: 3 }, 429, ErrorCode::SignInHeld),
            (Error::WrongCredentials, 401, ErrorCode::InvalidCredentials),
            (Error::NoBusiness, 409, ErrorCode::BusinessNotSetUp),
            (Error::DemoReadOnly, 403, ErrorCode::DemoReadOnly),
            (Error::Unavailable("db".into()), 503, ErrorCode::Unavailable),
            (Error::Refused("newer".into()), 503, ErrorCode::Unavailable),
            (Error::StorageFull, 507, ErrorCode::StorageFull),
            (Error::QuotaFull, 507, ErrorCode::StorageFull),
            (Error::Internal("row".into()), 500, ErrorCode::Internal),
        ];
        for (error, status, code) in table {
            let said = format!("{error:?}");
            let answer = ApiError::from(error);
            assert_eq!((answer.code.status().as_u16(), answer.code), (status, code), "{said}");
        }
    }

    #[tokio::test]
    async fn internal_cause_is_never_sent_to_the_client() {
        let answer = ApiError::from(Error::Internal("column secret_thing".into())).into_response();
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "application/problem+json");
        let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
        assert!(!String::from_utf8_lossy(&body).contains("secret_thing"));
    }

    #[test]
    fn retry_after_header_is_set_on_retryable_errors() {
        for (error, seconds) in [
            (Error::Unavailable("x".into()), "5"),
            (Error::StorageFull, "60"),
            (Error::RateLimited { retry_after_seconds: 7 }, "7"),
            (Error::SignInLocked { retry_after_seconds: 8 }, "8"),
        ] {
            assert_eq!(ApiError::from(error).into_response().headers()[header::RETRY_AFTER], seconds);
        }
    }
}
