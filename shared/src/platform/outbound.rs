//! Calls to addresses that somebody else has chosen (a browser's push service, a business's webhook): where they may
//! lead, and how long and how much of an answer is listened to (trust requirements 78 and 79, abuse A6).
//!
//! An address is looked at as it is written ([`Rules::target`]), when it is taken and again before each call, and as its
//! name resolves ([`PublicOnly`]), at each connection: a name that changes its mind is caught too. No redirect is
//! followed, so there is no third place.

use std::{sync::Arc, time::Duration};

use chrono::DateTime;
use reqwest::{Client, Response, header, redirect};
use url::{Host, Url};

use crate::platform::{clock::Clock, config::Vars, tls::install_crypto};

mod call;
mod guard;

pub use call::{Answered, Caller, NotAnswered};
pub use guard::{PublicOnly, is_public};

/// From connecting to the last byte of the answer.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// What is read of an answer: those we expect are empty or a line of JSON.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Nobody may hold a call back longer than this by a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_hours(24);
const LONGEST_ADDRESS: usize = 2_048;
/// Names that lead nowhere on the internet, whatever the machine's resolver makes of them.
const INNER_NAMES: [&str; 6] = ["localhost", "local", "internal", "home.arpa", "lan", "onion"];

/// Why an address is not called. It completes the words "This address …" beside the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
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

/// An address that may be called, in the spelling in which it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(Url);

impl Target {
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// By which it may be named to people and in logs: what follows may hold a key.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    fn into_url(self) -> Url {
        self.0
    }
}

/// The one address on this machine that tests may call, if there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestOrigin(Option<String>);

impl TestOrigin {
    /// Reads the variable `name`. Only a literal loopback address is taken, so that a variable left behind in production
    /// opens no way into anybody's network.
    pub fn from_vars(vars: &mut Vars, name: &str) -> Self {
        let Some(given) = vars.get(name) else { return Self::default() };
        let test = Url::parse(&given).ok().filter(is_loopback_origin).map(|url| url.origin().ascii_serialization());
        if test.is_none() {
            vars.fault(name, "is for tests and must be an address such as http://127.0.0.1:9000");
        }
        Self(test)
    }

    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// What follows the origin of an address below it.
    pub(crate) fn after<'a>(&self, given: &'a str) -> Option<&'a str> {
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

/// Which addresses of a business's choice are called.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    test: TestOrigin,
}

impl Rules {
    /// Reads `WEBHOOK_TEST_ENDPOINT`, the origin of a receiver for tests.
    pub fn from_vars(vars: &mut Vars) -> Self {
        Self { test: TestOrigin::from_vars(vars, "WEBHOOK_TEST_ENDPOINT") }
    }

    /// The address, if it may be called.
    ///
    /// # Errors
    /// Why not.
    pub fn target(&self, given: &str) -> Result<Target, Fault> {
        if given.len() > LONGEST_ADDRESS {
            return Err(Fault::TooLong);
        }
        let is_plain = given.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"'));
        let url = Url::parse(given).ok().filter(|url| is_plain && url.fragment().is_none()).ok_or(Fault::NoAddress)?;
        if self.test.after(given).is_some() {
            return Ok(Target(url));
        }
        if url.scheme() != "https" {
            return Err(Fault::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Fault::Credentials);
        }
        // The parser leaves out the port that belongs to the scheme.
        if url.port().is_some() {
            return Err(Fault::Port);
        }
        if is_outside(&url) { Ok(Target(url)) } else { Err(Fault::Inside) }
    }
}

/// Whether the host, as the parser understood it, can lie on the internet. A number in any spelling is an address here
/// (`2130706433` is 127.0.0.1), and for an address no resolver is asked: this is its only guard.
fn is_outside(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_public(ip.into()),
        Some(Host::Ipv6(ip)) => is_public(ip.into()),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            let is_inner =
                |inner: &str| name.strip_suffix(inner).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
            name.contains('.') && !INNER_NAMES.iter().any(|inner| is_inner(inner))
        }
        None => false,
    }
}

/// A client of its own, because what it may connect to is decided in it: no proxy that would look names up for us, no
/// redirect, no scheme but https (unless a test's own address is named).
///
/// # Errors
/// When the trusted certificates of this machine cannot be loaded.
pub fn client(lookup: PublicOnly, test: &TestOrigin) -> Result<Client, reqwest::Error> {
    install_crypto();
    Client::builder()
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

/// How long an answer asks us to wait: at most a day.
#[must_use]
pub fn retry_after(answer: &Response) -> Option<Duration> {
    let text = |name| answer.headers().get(name).and_then(|v: &header::HeaderValue| v.to_str().ok());
    text(header::RETRY_AFTER).and_then(|value| wait(value, text(header::DATE)))
}

/// `Retry-After` in seconds, or as a date measured against the answer's own `Date`, so that no wrong clock counts.
fn wait(value: &str, date: Option<&str>) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds).min(LONGEST_WAIT));
    }
    let until = DateTime::parse_from_rfc2822(value.trim()).ok()?;
    let now = date.and_then(|d| DateTime::parse_from_rfc2822(d).ok());
    let wait = until - now.unwrap_or_else(|| Clock::System.now().fixed_offset());
    Some(wait.to_std().unwrap_or_default().min(LONGEST_WAIT))
}

/// The beginning of an answer. What breaks off has said enough by its status line.
pub async fn read_some(mut answer: Response) -> Vec<u8> {
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
