//! The closed list of error codes, with the status of each.

use axum::http::StatusCode;
use serde::Serialize;
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
    /// It would change the demonstration, which is read-only.
    DemoReadOnly,
    /// The business does not pay any more, and only reads.
    SubscriptionEnded,
    /// A new business has used up what it may do; the detail says what opens more.
    TrustLimit,
    /// The install takes no new businesses.
    RegistrationClosed,
    /// Nobody registers here without an invitation of the operator.
    RegistrationByInvitation,
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
    /// The business has not confirmed its email address, and has had its requests of the day.
    BusinessUnconfirmed,
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
            | Self::RegistrationClosed
            | Self::RegistrationByInvitation => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict | Self::BusinessNotSetUp => StatusCode::CONFLICT,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooManyRequests | Self::BusinessUnconfirmed | Self::SignInHeld => StatusCode::TOO_MANY_REQUESTS,
            Self::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}
