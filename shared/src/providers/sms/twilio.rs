//! An account at Twilio: one POST per text, and what each way it can end says about acceptance.
//!
//! Twilio takes no idempotency key for messages, so a POST whose answer was not read is in doubt and stays so until a
//! status callback or a look at Twilio's own list (`lookup.rs`) settles it. Nothing here repeats a request.

use std::{fmt, sync::Arc, time::Duration};

use chrono::DateTime;
use reqwest::{RequestBuilder, Response, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::{MAX_VALIDITY_SECONDS, Sender, Text, TwilioAccount, codes};
use crate::{
    platform::clock::Clock,
    providers::{Accepted, Bill, Refusal, SendError, sms::CALL_ENDS_WITHIN},
};

/// Twilio's messages are about 1 KB; anything far larger is not Twilio's.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// A page of a hundred long messages.
const MAX_LIST_BYTES: usize = 1024 * 1024;

/// No provider may hold a message longer than this by a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// One account at Twilio, ready to send.
#[derive(Clone)]
pub struct Twilio {
    pub(super) http: reqwest::Client,
    pub(super) access: Arc<Access>,
    pub(super) timeout: Duration,
}

/// The account, and what opens it.
pub(super) struct Access {
    /// Where the API is: the only place the credentials are sent to.
    pub(super) base: Url,
    pub(super) sid: String,
    pub(super) messages: Url,
    credentials: Credentials,
    pub(super) sends_by_key: bool,
    /// The account's own token, where texts are sent with a key instead.
    pub(super) owner: Option<Credentials>,
    pub(super) sender: Sender,
}

/// What a request signs in with.
#[derive(Clone)]
pub(super) struct Credentials {
    user: String,
    password: SecretString,
}

impl Credentials {
    pub(super) fn on(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(&self.user, Some(self.password.expose_secret()))
    }
}

impl fmt::Debug for Twilio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Twilio")
            .field("messages", &self.access.messages.as_str())
            .field("sender", &self.access.sender)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Created {
    sid: String,
    status: Option<String>,
    num_segments: Option<String>,
    price: Option<String>,
    price_unit: Option<String>,
}

#[derive(Deserialize)]
struct Problem {
    code: Option<i32>,
}

impl Twilio {
    pub(super) fn new(account: &TwilioAccount, http: reqwest::Client) -> Self {
        let base = account.api_url.clone();
        let with = |user: &str, password: &SecretString| Credentials { user: user.into(), password: password.clone() };
        let token = account.auth_token.clone().unwrap_or_default();
        let (credentials, owner) = match &account.api_key {
            Some((key, secret)) => {
                (with(key, secret), account.auth_token.as_ref().map(|token| with(&account.sid, token)))
            }
            None => (with(&account.sid, &token), None),
        };
        let sid = account.sid.clone();
        let messages = resource(&base, &format!("{sid}/Messages"));
        let (sender, sends_by_key) = (account.sender.clone(), account.api_key.is_some());
        let access = Access { base, sid, messages, credentials, sends_by_key, owner, sender };
        Self { http, access: Arc::new(access), timeout: CALL_ENDS_WITHIN }
    }

    pub(super) fn sender(&self) -> &Sender {
        &self.access.sender
    }

    /// The longest one attempt may take, from connecting to the last byte of the answer.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    pub(super) async fn send(&self, text: &Text<'_>) -> Result<Accepted, SendError> {
        let request = self.access.credentials.on(self.http.post(self.access.messages.clone()));
        let request = request.timeout(self.timeout).form(&self.form(text));
        let answer = request.send().await.map_err(|e| not_answered(&e))?;
        let status = answer.status();
        let wait = retry_after(&answer);
        let body = read(answer, MAX_ANSWER_BYTES).await;
        match status {
            _ if status.is_success() => created(&body?),
            // Broken off or not: a refusal's status line has already said that there is no message.
            _ if status.is_client_error() => Err(refused(status, wait, &body.unwrap_or_default())),
            _ if status.is_redirection() => Err(leads_elsewhere(status)),
            _ => Err(SendError::unknown(format!("Twilio failed while taking the text (HTTP {})", status.as_u16()))),
        }
    }

    /// Asks for `url`, which lies in the account. A question may be asked again, so none of its ends is in doubt.
    pub(super) async fn ask(&self, url: Url, credentials: Option<&Credentials>) -> Result<Vec<u8>, SendError> {
        let request = credentials.unwrap_or(&self.access.credentials).on(self.http.get(url)).timeout(self.timeout);
        let answer = request.send().await.map_err(|e| repeatable(not_answered(&e)))?;
        let status = answer.status();
        let wait = retry_after(&answer);
        let body = read(answer, MAX_LIST_BYTES).await.map_err(repeatable);
        match status {
            _ if status.is_success() => body,
            _ if status.is_redirection() => Err(leads_elsewhere(status)),
            _ => Err(unanswered(status, wait, &body.unwrap_or_default())),
        }
    }

    /// Asks for something to be done of which nothing is read back.
    pub(super) async fn post(&self, url: Url, form: &[(&str, &str)]) -> Result<(), SendError> {
        let request = self.access.credentials.on(self.http.post(url)).timeout(self.timeout).form(form);
        let answer = request.send().await.map_err(|e| not_answered(&e))?;
        let (status, wait) = (answer.status(), retry_after(&answer));
        let body = read(answer, MAX_ANSWER_BYTES).await;
        if status.is_success() { Ok(()) } else { Err(unanswered(status, wait, &body.unwrap_or_default())) }
    }

    /// Puts the credentials on a request to the API.
    pub(super) fn sign_in(&self, request: RequestBuilder) -> RequestBuilder {
        self.access.credentials.on(request)
    }

    fn form<'a>(&'a self, text: &Text<'a>) -> Vec<(&'static str, String)> {
        let from = match (text.from, &self.access.sender) {
            (Some(own), _) => ("From", own.to_owned()),
            (None, Sender::Number(number)) => ("From", number.clone()),
            (None, Sender::Service(sid)) => ("MessagingServiceSid", sid.clone()),
        };
        let mut form = vec![("To", text.to.to_owned()), from, ("Body", text.body.to_owned())];
        form.extend(text.status_callback.map(|url| ("StatusCallback", url.to_owned())));
        let validity = text.validity_seconds.map(|s| s.clamp(1, MAX_VALIDITY_SECONDS));
        form.extend(validity.map(|s| ("ValidityPeriod", s.to_string())));
        form
    }
}

/// `path` below the accounts of the API at `base`, as JSON.
pub(super) fn resource(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let above = base.path().trim_end_matches('/');
    url.set_path(&format!("{above}/2010-04-01/Accounts/{path}.json"));
    url
}

/// Without an answer the only certain case is a connection that never stood: then no byte of the text went out.
pub(super) fn not_answered(error: &reqwest::Error) -> SendError {
    if error.is_connect() {
        SendError::retry("Twilio could not be reached")
    } else if error.is_builder() {
        SendError::refused(Refusal::Other, None, "the text cannot be put into a request")
    } else if error.is_timeout() {
        SendError::unknown("Twilio did not answer in time")
    } else {
        SendError::unknown("the connection to Twilio broke before its answer came")
    }
}

pub(super) async fn read(mut answer: Response, most: usize) -> Result<Vec<u8>, SendError> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= most => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(SendError::unknown("Twilio's answer was far too long")),
            Ok(None) => return Ok(body),
            Err(e) if e.is_timeout() => return Err(SendError::unknown("Twilio did not finish its answer in time")),
            Err(_) => return Err(SendError::unknown("the connection to Twilio broke in the middle of its answer")),
        }
    }
}

fn created(body: &[u8]) -> Result<Accepted, SendError> {
    match serde_json::from_slice::<Created>(body) {
        Ok(made) if !made.sid.is_empty() => Ok(Accepted {
            bill: Bill::from_twilio(made.num_segments.as_deref(), made.price.as_deref(), made.price_unit.as_deref()),
            provider_id: made.sid,
            provider_status: made.status,
            stored_as: None,
        }),
        _ => Err(SendError::unknown("Twilio's answer could not be read")),
    }
}

fn refused(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> SendError {
    let code = serde_json::from_slice::<Problem>(body).ok().and_then(|p| p.code);
    match (code.and_then(codes::find), status) {
        (Some(row), _) => match row.next {
            codes::Next::Later { after, .. } => {
                SendError::Busy { code: row.code, reason: row.words.into(), after: after.max(wait) }
            }
            codes::Next::Never(kind) => SendError::refused(kind, code, row.words),
        },
        (None, StatusCode::TOO_MANY_REQUESTS) => {
            SendError::Retry { reason: "Twilio takes no more texts at this moment".into(), after: wait }
        }
        (None, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            SendError::refused(Refusal::ChannelBroken, code, "Twilio refused our credentials")
        }
        (None, StatusCode::NOT_FOUND) => {
            SendError::refused(Refusal::SetUp, code, "TWILIO_API_URL does not lead to the account at Twilio")
        }
        // Said by whatever stands in front of Twilio about a request it may have passed on.
        (None, StatusCode::REQUEST_TIMEOUT) => SendError::unknown("Twilio did not answer in time (HTTP 408)"),
        (None, _) => SendError::refused(Refusal::Other, code, other_refusal(status, code)),
    }
}

fn leads_elsewhere(status: StatusCode) -> SendError {
    SendError::refused(Refusal::SetUp, None, format!("TWILIO_API_URL leads elsewhere (HTTP {})", status.as_u16()))
}

/// What came instead of the answer to a question.
pub(super) fn unanswered(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> SendError {
    if status.is_server_error() {
        let reason = format!("Twilio failed to answer (HTTP {})", status.as_u16());
        return SendError::Retry { reason, after: wait };
    }
    match refused(status, wait, body) {
        SendError::Refused { kind: Refusal::Other, code, .. } => {
            let named = code.map_or(format!("HTTP {}", status.as_u16()), |code| format!("error {code}"));
            SendError::refused(Refusal::Other, code, format!("Twilio refused to answer ({named})"))
        }
        other => repeatable(other),
    }
}

/// Doubt is about what was changed; where nothing is, one asks again.
pub(super) fn repeatable(error: SendError) -> SendError {
    match error {
        SendError::Unknown { reason } => SendError::Retry { reason, after: None },
        SendError::Busy { reason, after, .. } => SendError::Retry { reason, after },
        other => other,
    }
}

fn other_refusal(status: StatusCode, code: Option<i32>) -> String {
    match code {
        Some(code) => format!("Twilio refused the text (error {code})"),
        None => format!("Twilio refused the text (HTTP {})", status.as_u16()),
    }
}

/// `Retry-After` as seconds or as a date. A date is measured against the answer's own `Date`, so that a wrong clock
/// on either side does not change the wait.
pub(super) fn retry_after(answer: &Response) -> Option<Duration> {
    let text = |name| answer.headers().get(name).and_then(|v: &header::HeaderValue| v.to_str().ok());
    wait_from(text(header::RETRY_AFTER)?, text(header::DATE))
}

fn wait_from(value: &str, date: Option<&str>) -> Option<Duration> {
    let wait = if let Ok(seconds) = value.trim().parse() {
        Duration::from_secs(seconds)
    } else {
        let until = DateTime::parse_from_rfc2822(value.trim()).ok()?;
        let now = date.and_then(|d| DateTime::parse_from_rfc2822(d).ok());
        (until - now.unwrap_or_else(|| Clock::System.now().fixed_offset())).to_std().unwrap_or_default()
    };
    Some(wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_as_seconds_or_as_a_date() {
        let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(wait_from("7", None), Some(Duration::from_secs(7)));
        assert_eq!(wait_from("Wed, 21 Oct 2026 07:29:30 GMT", date), Some(Duration::from_secs(90)));
        assert_eq!(wait_from("Wed, 21 Oct 2026 07:00:00 GMT", date), Some(Duration::ZERO));
        assert_eq!(wait_from("Wed, 21 Oct 2015 07:00:00 GMT", None), Some(Duration::ZERO));
        assert_eq!(wait_from("99999999", None), Some(LONGEST_WAIT));
        assert_eq!(wait_from("soon", date), None);
    }

    #[test]
    fn a_refusal_without_a_known_code_is_named_by_its_status() {
        for (status, kind, words) in [
            (401, Refusal::ChannelBroken, "Twilio refused our credentials"),
            (403, Refusal::ChannelBroken, "Twilio refused our credentials"),
            (404, Refusal::SetUp, "TWILIO_API_URL does not lead to the account at Twilio"),
            (400, Refusal::Other, "Twilio refused the text (HTTP 400)"),
        ] {
            let said = refused(StatusCode::from_u16(status).unwrap(), None, b"<html>");
            assert_eq!(said, SendError::refused(kind, None, words));
        }
        let said = refused(StatusCode::BAD_REQUEST, None, br#"{"code":29999,"message":"+15005550009 is odd"}"#);
        assert_eq!(said, SendError::refused(Refusal::Other, Some(29999), "Twilio refused the text (error 29999)"));
        let said = refused(StatusCode::REQUEST_TIMEOUT, None, b"");
        assert!(matches!(said, SendError::Unknown { .. }));
    }

    #[test]
    fn the_longer_of_two_waits_wins() {
        let body = br#"{"code":21611}"#;
        let said = |wait| refused(StatusCode::TOO_MANY_REQUESTS, wait, body);
        let SendError::Busy { after, .. } = said(Some(Duration::from_secs(5))) else { panic!() };
        assert_eq!(after, Some(Duration::from_mins(10)));
        let SendError::Busy { after, .. } = said(Some(Duration::from_secs(1000))) else { panic!() };
        assert_eq!(after, Some(Duration::from_secs(1000)));
    }
}
