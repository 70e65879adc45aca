//! External providers of messages and payments: common result and error types.
//!
//! Each provider is an enum of the real one, an in-memory one for tests, and a "not set up" state. An adapter makes
//! exactly one attempt; the owner of the message row decides on retries.

use std::time::Duration;

use platform::{money::Micros, tls};

pub mod mail;
pub mod memory;
pub mod payments;
pub mod push;
pub mod sms;
pub mod twiml;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedMessage {
    /// Twilio's message SID, or the `Message-ID` of an email.
    pub provider_id: String,
    /// First status reported ("queued", "250 2.0.0 Ok: queued as 4F9D").
    pub provider_status: Option<String>,
    /// File path of an email when no mail server is set up: `var/mail/<id>.eml`.
    pub stored_as: Option<String>,
    pub bill: SmsCost,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SmsCost {
    pub segments: Option<i64>,
    pub price: Option<Micros>,
}

impl SmsCost {
    /// From Twilio's fields: a segment count of 0 means "not known yet", and the price is negative.
    #[must_use]
    pub fn from_twilio(segments: Option<&str>, price: Option<&str>, unit: Option<&str>) -> Self {
        let segments = segments.and_then(|count| count.parse().ok()).filter(|count| *count > 0);
        let is_dollars = unit.is_some_and(|unit| unit.eq_ignore_ascii_case("USD"));
        let price = price.filter(|_| is_dollars).and_then(Micros::parse).map(|price| Micros(price.0.abs()));
        Self { segments, price }
    }
}

/// The message is not, or possibly not, accepted. The variants tell whether it may be repeated.
///
/// Every `reason` completes "not sent: …" for the owner. It holds no address, number, text or credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Certainly not accepted; may be retried, not before `after` if the provider named a time.
    #[error("not sent for now: {reason}")]
    Retry { reason: String, after: Option<Duration> },
    /// A provider limit with an error code; certainly not accepted, may be retried.
    #[error("not sent for now: {reason}")]
    Busy { code: i32, reason: String, after: Option<Duration> },
    /// Certainly not accepted; a retry will not help.
    #[error("not sent: {reason}")]
    Refused { code: Option<i32>, reason: String, kind: RefusalReason },
    /// Possibly accepted: never repeat it without evidence.
    #[error("possibly sent: {reason}")]
    Unknown { reason: String },
    #[error("not sent: {reason}")]
    NotSetUp { reason: String },
}

/// Only distinctions that change the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalReason {
    /// The number can never receive texts: use email instead.
    BadNumber,
    /// The address can never receive mail.
    BadAddress,
    /// Opted out (STOP): never text this person again.
    OptedOut,
    /// Our configuration must be corrected; then other messages will pass.
    SetUp,
    /// Nothing passes until the provider account works again: pause the channel and tell the owner.
    ChannelBroken,
    Other,
}

impl SendError {
    #[must_use]
    pub fn reason(&self) -> &str {
        match self {
            Self::Retry { reason, .. }
            | Self::Busy { reason, .. }
            | Self::Refused { reason, .. }
            | Self::Unknown { reason }
            | Self::NotSetUp { reason } => reason,
        }
    }

    pub(crate) fn retryable_error(reason: impl Into<String>) -> Self {
        Self::Retry { reason: reason.into(), after: None }
    }

    pub(crate) fn refused_error(kind: RefusalReason, code: Option<i32>, reason: impl Into<String>) -> Self {
        Self::Refused { code, reason: reason.into(), kind }
    }

    pub(crate) fn unknown_outcome(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }
}

/// The process-wide HTTP client for all providers.
///
/// No redirects (a redirected POST may run twice or lose its body); HTTP/1.1 only (so that a failure concerns one
/// request); proxy variables ignored (a configured address means that address); idle connections closed before a
/// provider's load balancer does so, because a request written to a closing connection ends in doubt. Errors: when the
/// client cannot be built.
pub fn http_client() -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls::client_config())
        .user_agent(concat!("Toolbox/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(20))
        .http1_only()
        .no_proxy()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bill_leaves_out_unknown_segments_and_non_dollar_price() {
        let cost = SmsCost::from_twilio(Some("2"), Some("-0.01660"), Some("USD"));
        assert_eq!(cost, SmsCost { segments: Some(2), price: Some(Micros(16_600)) });
        assert_eq!(SmsCost::from_twilio(Some("0"), None, Some("USD")), SmsCost::default());
        assert_eq!(SmsCost::from_twilio(None, Some("-0.0079"), Some("EUR")), SmsCost::default(), "not dollars");
    }
}
