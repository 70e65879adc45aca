//! Outbound calls to user-chosen addresses (push services, webhooks): allowed targets, time and size limits (trust
//! requirements 78 and 79, abuse A6).
//!
//! An address is checked as written ([`OutboundRules::check_address`]) when it is saved and before each call, and
//! as resolved ([`PublicResolver`]) at each connection, which also catches DNS rebinding. Redirects are not followed.

use std::{sync::Arc, time::Duration};

use chrono::DateTime;
use reqwest::{Client, Response, header, redirect};
use url::{Host, Url};

use crate::{clock::Clock, config::EnvVars, tls};

mod call;
mod guard;

pub use call::{OutboundClient, OutboundError, OutboundResponse};
pub use guard::{PublicResolver, is_public_ip};

/// From connecting to the last byte of the response.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// Response bytes read; expected ones are empty or a line of JSON.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Upper limit of an honoured `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);
const MAX_ADDRESS_LEN: usize = 2_048;
/// Names that are never public, whatever the local resolver returns.
const INNER_NAMES: [&str; 6] = ["localhost", "local", "internal", "home.arpa", "lan", "onion"];

/// Completes "This address …" beside the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("must be an address such as https://example.com/toolbox")]
    NoAddress,
    #[error("must not be longer than 2048 characters")]
    TooLong,
    #[error("must begin with https://")]
    NotHttps,
    #[error("must not name a port: only 443 is called")]
    Port,
    #[error("must not hold a name or a password")]
    Credentials,
    #[error("must lead to the internet, not into a network of its own")]
    Inside,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboundUrl(Url);

impl OutboundUrl {
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The only part that may be shown or logged: the path may hold a key.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    fn into_url(self) -> Url {
        self.0
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestOrigin(Option<String>);

impl TestOrigin {
    /// Reads the variable `name`. Only a literal loopback address is accepted, so that a variable left in production
    /// opens no other network.
    pub fn from_vars(vars: &mut EnvVars, name: &str) -> Self {
        let Some(given) = vars.get(name) else { return Self::default() };
        let test = Url::parse(&given).ok().filter(is_loopback_origin).map(|url| url.origin().ascii_serialization());
        if test.is_none() {
            vars.record_invalid(name, "is for tests and must be an address such as http://127.0.0.1:9000");
        }
        Self(test)
    }

    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    #[must_use]
    pub fn strip_origin<'a>(&self, given: &'a str) -> Option<&'a str> {
        let rest = given.strip_prefix(self.0.as_deref()?)?;
        rest.starts_with('/').then_some(rest)
    }
}

fn is_loopback_origin(url: &Url) -> bool {
    let loopback = match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        _ => false,
    };
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    loopback
        && bare
        && matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
}

#[derive(Debug, Clone, Default)]
pub struct OutboundRules {
    test: TestOrigin,
}

impl OutboundRules {
    /// `WEBHOOK_TEST_ENDPOINT`: origin of a test receiver.
    pub fn from_vars(vars: &mut EnvVars) -> Self {
        Self { test: TestOrigin::from_vars(vars, "WEBHOOK_TEST_ENDPOINT") }
    }

    /// Errors: why the address is refused.
    pub fn check_address(&self, given: &str) -> Result<OutboundUrl, AddressError> {
        if given.len() > MAX_ADDRESS_LEN {
            return Err(AddressError::TooLong);
        }
        let is_plain = given.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"'));
        let url =
            Url::parse(given).ok().filter(|url| is_plain && url.fragment().is_none()).ok_or(AddressError::NoAddress)?;
        if self.test.strip_origin(given).is_some() {
            return Ok(OutboundUrl(url));
        }
        if url.scheme() != "https" {
            return Err(AddressError::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Credentials);
        }
        // The parser drops the scheme's default port.
        if url.port().is_some() {
            return Err(AddressError::Port);
        }
        if is_internet_host(&url) { Ok(OutboundUrl(url)) } else { Err(AddressError::Inside) }
    }
}

/// Whether the parsed host can be public. Numeric hosts are IP addresses in any spelling (`2130706433` is 127.0.0.1).
/// No resolver is used for them, so this is their only check.
fn is_internet_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_public_ip(ip.into()),
        Some(Host::Ipv6(ip)) => is_public_ip(ip.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_inner =
                |inner: &str| name.strip_suffix(inner).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            name.contains('.') && !INNER_NAMES.iter().any(|inner| is_inner(inner))
        }
        None => false,
    }
}

/// HTTP client with its own connection rules: no proxy (it would resolve names for us), no redirects, https only
/// (except for a configured test address). Errors: when the client cannot be built.
pub fn build_client(lookup: PublicResolver, test: &TestOrigin) -> Result<Client, reqwest::Error> {
    Client::builder()
        .tls_backend_preconfigured(tls::client_config())
        .user_agent(concat!("Toolbox/", env!("CARGO_PKG_VERSION")))
        .https_only(!test.is_set())
        .redirect(redirect::Policy::none())
        .connect_timeout(Duration::from_secs(5))
        .pool_idle_timeout(Duration::from_secs(20))
        .http1_only()
        .no_proxy()
        .dns_resolver(Arc::new(lookup))
        .build()
}

/// At most a day.
#[must_use]
pub fn retry_after(answer: &Response) -> Option<Duration> {
    let text = |name| answer.headers().get(name).and_then(|v: &header::HeaderValue| v.to_str().ok());
    text(header::RETRY_AFTER).and_then(|value| parse_retry_after(value, text(header::DATE)))
}

/// `Retry-After` in seconds, or as a date relative to the response's own `Date`, so that clock errors do not matter.
fn parse_retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER));
    }
    let until = DateTime::parse_from_rfc2822(value.trim()).ok()?;
    let now = date.and_then(|d| DateTime::parse_from_rfc2822(d).ok());
    let wait = until - now.unwrap_or_else(|| Clock::System.now().fixed_offset());
    Some(wait.to_std().unwrap_or_default().min(MAX_RETRY_AFTER))
}

/// First bytes of a response. Read errors are ignored: the status line suffices.
pub async fn read_body_prefix(mut answer: Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        let room = MAX_ANSWER_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == MAX_ANSWER_BYTES {
            break;
        }
    }
    body
}

#[cfg(test)]
mod tests;
