//! The outside companies that carry our words: what every call to one of them can end as.
//!
//! Each provider is an enum of the real one, one that only remembers (for tests), and its "not set up" state.
//! An adapter makes exactly one attempt; when to try again is decided by whoever holds the message row.

use std::time::Duration;

use crate::platform::{money::Micros, tls::install_crypto};

pub mod mail;
pub mod memory;
pub mod payments;
pub mod push;
pub mod sms;
pub mod twiml;

/// The provider has the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// What the provider calls it: Twilio's message SID, the `Message-ID` of an email.
    pub provider_id: String,
    /// The provider's own first word on it ("queued", "250 2.0.0 Ok: queued as 4F9D").
    pub provider_status: Option<String>,
    /// Where an email stands as a file when no mail server is set up: `var/mail/<id>.eml`.
    pub stored_as: Option<String>,
    /// What it says about its bill.
    pub bill: Bill,
}

/// What a provider of texts says about what one cost, as far as it does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill {
    /// Parts, as it counts them.
    pub segments: Option<i64>,
    pub price: Option<Micros>,
}

impl Bill {
    /// From Twilio's fields: a count of 0 means "not known yet", and its price is what it takes, with a minus.
    #[must_use]
    pub fn from_twilio(segments: Option<&str>, price: Option<&str>, unit: Option<&str>) -> Self {
        let segments = segments.and_then(|count| count.parse().ok()).filter(|count| *count > 0);
        let is_dollars = unit.is_some_and(|unit| unit.eq_ignore_ascii_case("USD"));
        let price = price.filter(|_| is_dollars).and_then(Micros::parse).map(|price| Micros(price.0.abs()));
        Self { segments, price }
    }
}

/// The provider does not have the message, or may not have it. The variants answer one question: may it be repeated?
///
/// Every `reason` completes the words "not sent: …" for the owner. It holds no address, number, text or credential.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Certainly not accepted; it may be tried again, not before `after` if the provider said so.
    #[error("not sent for now: {reason}")]
    Retry { reason: String, after: Option<Duration> },
    /// The same, by a limit of the provider's that has a code of its own.
    #[error("not sent for now: {reason}")]
    Busy { code: i32, reason: String, after: Option<Duration> },
    /// Certainly not accepted, and trying the same again will not help.
    #[error("not sent: {reason}")]
    Refused { code: Option<i32>, reason: String, kind: Refusal },
    /// It may or may not have been accepted, so it is never repeated without evidence.
    #[error("possibly sent: {reason}")]
    Unknown { reason: String },
    /// Nobody has told us how to reach this provider.
    #[error("not sent: {reason}")]
    NotSetUp { reason: String },
}

/// Why a provider refused, as far as it changes what happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The number can never receive texts: use email instead.
    BadNumber,
    /// The address can never receive mail.
    BadAddress,
    /// The person said STOP: never text them again.
    OptedOut,
    /// A setting of ours must be corrected first, and then other messages will pass.
    SetUp,
    /// Nothing passes until the account with the provider works again: pause the channel and tell the owner.
    ChannelBroken,
    /// This one message is refused.
    Other,
}

impl SendError {
    /// The words behind "not sent: …".
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

    pub(crate) fn retry(reason: impl Into<String>) -> Self {
        Self::Retry { reason: reason.into(), after: None }
    }

    pub(crate) fn refused(kind: Refusal, code: Option<i32>, reason: impl Into<String>) -> Self {
        Self::Refused { code, reason: reason.into(), kind }
    }

    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown { reason: reason.into() }
    }
}

/// The one HTTP client of a process, for every provider spoken to over HTTP.
///
/// It follows no redirect (a POST that was redirected may run twice or lose its body), speaks HTTP/1.1 only (so that
/// a failure belongs to one request), ignores proxy variables (an address in the configuration means that address),
/// and lets go of idle connections before a provider's load balancer does: a request written to a connection that is
/// being closed ends in doubt.
///
/// # Errors
/// When the trusted certificates of this machine cannot be loaded.
pub fn http_client() -> Result<reqwest::Client, reqwest::Error> {
    install_crypto();
    reqwest::Client::builder()
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
    fn what_twilio_does_not_know_yet_is_no_bill() {
        let said = Bill::from_twilio(Some("2"), Some("-0.01660"), Some("USD"));
        assert_eq!(said, Bill { segments: Some(2), price: Some(Micros(16_600)) });
        assert_eq!(Bill::from_twilio(Some("0"), None, Some("USD")), Bill::default());
        assert_eq!(Bill::from_twilio(None, Some("-0.0079"), Some("EUR")), Bill::default(), "not dollars");
    }
}
