//! Error answers: one error type, one closed list of codes, one shape (RFC 9457).

use std::{borrow::Cow, collections::BTreeMap};

use axum::http::{HeaderMap, header};
use shared::{
    conflicts::{ConflictCode, ConflictReason},
    documents::template::Language,
    domain::tenancy::org::editor::WordingFault,
    ops::subscription,
    platform::{
        error::{DEMO_READ_ONLY, Error, FieldErrors},
        request_id::current_request,
    },
};

mod code;
pub mod problem;

pub use code::ErrorCode;

#[derive(Clone, Debug)]
pub struct ApiError {
    pub code: ErrorCode,
    /// In English.
    pub detail: Cow<'static, str>,
    /// Boxed, as it is in every `Result`.
    reason: Option<Box<ConflictReason>>,
    pub errors: BTreeMap<String, String>,
    pub faults: Vec<WordingFault>,
    pub retry_after: Option<i64>,
    /// For the log only.
    cause: Option<Box<str>>,
}

pub type ApiResult<T> = Result<T, ApiError>;

tokio::task_local! {
    /// Preferred language of the current request.
    pub static REQUEST_LANGUAGE: Language;
}

/// Id of the current request; empty outside of one.
#[must_use]
pub fn request_id() -> String {
    current_request().map(|id| id.to_string()).unwrap_or_default()
}

/// English outside of a request.
#[must_use]
pub fn request_language() -> Language {
    REQUEST_LANGUAGE.try_with(|language| *language).unwrap_or_default()
}

/// First supported language in `Accept-Language`; English when there is none.
#[must_use]
pub fn preferred_language(headers: &HeaderMap) -> Language {
    let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|asked| asked.to_str().ok()).unwrap_or_default();
    let first = asked.split(',').map(|tag| tag.trim().to_ascii_lowercase()).find_map(|tag| match tag.get(..2) {
        Some("es") => Some(Language::Es),
        Some("en") => Some(Language::En),
        _ => None,
    });
    first.unwrap_or_default()
}

/// `Retry-After` of an unavailable server, in seconds.
const RETRY_UNAVAILABLE: i64 = 5;
/// `Retry-After` of a full disk, in seconds: space has to be freed first.
const RETRY_FULL: i64 = 60;

/// The page around it names the business's phone.
pub const BUSINESS_UNCONFIRMED: &str =
    "This business has not confirmed its email address yet, and takes no more requests today.";

impl ApiError {
    /// Not for [`ErrorCode::Conflict`], which is made from a [`ConflictReason`].
    pub fn new(code: ErrorCode, detail: impl Into<Cow<'static, str>>) -> Self {
        debug_assert!(code != ErrorCode::Conflict, "a conflict has a reason");
        Self::with_detail(code, detail)
    }

    fn with_detail(code: ErrorCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            reason: None,
            errors: BTreeMap::new(),
            faults: Vec::new(),
            retry_after: None,
            cause: None,
        }
    }

    /// The sentence for a person. Only the reason of a conflict has its words in both languages.
    #[must_use]
    pub fn detail_in(&self, language: Language) -> Cow<'_, str> {
        self.reason.as_ref().map_or(Cow::Borrowed(&*self.detail), |reason| reason.text_in(language).into())
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
        error.cause = Some(cause.into().into_boxed_str());
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
        error.cause = Some(cause.into().into_boxed_str());
        error
    }

    #[must_use]
    pub fn storage_full() -> Self {
        let words = "There is no room for this on our side right now. Please try again later.";
        let mut error = Self::new(ErrorCode::StorageFull, words);
        error.retry_after = Some(RETRY_FULL);
        error.cause = Some("the disk is full, or less is free than DISK_FLOOR_BYTES".into());
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

    /// A business with an unproven address has had its requests of the day.
    #[must_use]
    pub fn business_unconfirmed(retry_after_seconds: i64) -> Self {
        let mut error = Self::new(ErrorCode::BusinessUnconfirmed, BUSINESS_UNCONFIRMED);
        error.retry_after = Some(retry_after_seconds.max(1));
        error
    }

    /// Also answered for an unknown address, which is counted alike.
    #[must_use]
    pub fn sign_in_held(retry_after_seconds: i64) -> Self {
        let words =
            "Someone is trying passwords for this address. Sign in with your passkey, or use a link we email you.";
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

impl From<ConflictReason> for ApiError {
    fn from(reason: ConflictReason) -> Self {
        let detail = reason.to_string();
        Self { reason: Some(Box::new(reason)), ..Self::with_detail(ErrorCode::Conflict, detail) }
    }
}

impl From<ConflictCode> for ApiError {
    fn from(code: ConflictCode) -> Self {
        ConflictReason::from(code).into()
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::NotFound => Self::not_found(),
            Error::Invalid(fields) => fields.into(),
            Error::Conflict(reason) => reason.into(),
            Error::IdempotencyMismatch => {
                Self::new(ErrorCode::IdempotencyMismatch, "This Idempotency-Key was used for a different request.")
            }
            Error::RateLimited { retry_after_seconds } => Self::too_many_requests(retry_after_seconds),
            Error::SignInLocked { retry_after_seconds } => Self::sign_in_held(retry_after_seconds),
            Error::WrongCredentials => Self::new(ErrorCode::InvalidCredentials, "Invalid email or password"),
            Error::DemoReadOnly => Self::demo_read_only(),
            Error::TrustLimit(words) => Self::new(ErrorCode::TrustLimit, words),
            Error::RegistrationClosed(words) => Self::new(ErrorCode::RegistrationClosed, words),
            Error::RegistrationByInvitation(words) => Self::new(ErrorCode::RegistrationByInvitation, words),
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
            (ConflictCode::AlreadyUndone.into_error(), 409, ErrorCode::Conflict),
            (ConflictReason::job_not_done(1007).into(), 409, ErrorCode::Conflict),
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
            let error_text = format!("{error:?}");
            let answer = ApiError::from(error);
            assert_eq!((answer.code.status().as_u16(), answer.code), (status, code), "{error_text}");
        }
    }
}
