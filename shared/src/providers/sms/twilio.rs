//! Twilio's Messages resource: one POST per text, and what each way it can end says about acceptance.
//!
//! Twilio takes no idempotency key for messages, so a POST whose answer was not read is in doubt and stays so until a
//! status callback or a look at Twilio's own list settles it. Nothing here repeats a request.

use std::{fmt, time::Duration};

use chrono::DateTime;
use reqwest::{Response, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::{MAX_VALIDITY_SECONDS, Sender, Text, TwilioAccount, codes};
use crate::{
    clock::Clock,
    providers::{Accepted, Refusal, SendError},
};

/// Twilio's messages are about 1 KB; anything far larger is not Twilio's.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// No provider may hold a message longer than this by a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// One account at Twilio, ready to send.
#[derive(Clone)]
pub struct Twilio {
    http: reqwest::Client,
    messages: Url,
    user: String,
    password: SecretString,
    sender: Sender,
    timeout: Duration,
}

impl fmt::Debug for Twilio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Twilio")
            .field("messages", &self.messages.as_str())
            .field("sender", &self.sender)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize)]
struct Created {
    sid: String,
    status: Option<String>,
}

#[derive(Deserialize)]
struct Problem {
    code: Option<i32>,
}

impl Twilio {
    pub(super) fn new(account: &TwilioAccount, http: reqwest::Client) -> Self {
        let mut messages = account.api_url.clone();
        let base = messages.path().trim_end_matches('/').to_owned();
        messages.set_path(&format!("{base}/2010-04-01/Accounts/{}/Messages.json", account.sid));
        let (user, password) = match (&account.api_key, &account.auth_token) {
            (Some((key, secret)), _) => (key.clone(), secret.clone()),
            (None, token) => (account.sid.clone(), token.clone().unwrap_or_default()),
        };
        Self { http, messages, user, password, sender: account.sender.clone(), timeout: Duration::from_secs(10) }
    }

    /// The longest one attempt may take, from connecting to the last byte of the answer.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    pub(super) async fn send(&self, text: &Text<'_>) -> Result<Accepted, SendError> {
        let answer = self
            .http
            .post(self.messages.clone())
            .basic_auth(&self.user, Some(self.password.expose_secret()))
            .timeout(self.timeout)
            .form(&self.form(text))
            .send()
            .await
            .map_err(|e| not_answered(&e))?;
        let status = answer.status();
        let wait = retry_after(&answer);
        let body = read(answer).await;
        match status {
            _ if status.is_success() => created(&body?),
            // Broken off or not: a refusal's status line has already said that there is no message.
            _ if status.is_client_error() => Err(refused(status, wait, &body.unwrap_or_default())),
            _ if status.is_redirection() => Err(SendError::refused(
                Refusal::SetUp,
                None,
                format!("TWILIO_API_URL leads elsewhere (HTTP {})", status.as_u16()),
            )),
            _ => Err(SendError::unknown(format!("Twilio failed while taking the text (HTTP {})", status.as_u16()))),
        }
    }

    fn form<'a>(&'a self, text: &Text<'a>) -> Vec<(&'static str, String)> {
        let from = match (text.from, &self.sender) {
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

/// Without an answer the only certain case is a connection that never stood: then no byte of the text went out.
fn not_answered(error: &reqwest::Error) -> SendError {
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

async fn read(mut answer: Response) -> Result<Vec<u8>, SendError> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER_BYTES => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(SendError::unknown("Twilio's answer was far too long")),
            Ok(None) => return Ok(body),
            Err(e) if e.is_timeout() => return Err(SendError::unknown("Twilio did not finish its answer in time")),
            Err(_) => return Err(SendError::unknown("the connection to Twilio broke in the middle of its answer")),
        }
    }
}

fn created(body: &[u8]) -> Result<Accepted, SendError> {
    match serde_json::from_slice::<Created>(body) {
        Ok(Created { sid, status }) if !sid.is_empty() => {
            Ok(Accepted { provider_id: sid, provider_status: status, stored_as: None })
        }
        _ => Err(SendError::unknown("Twilio's answer could not be read")),
    }
}

fn refused(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> SendError {
    let code = serde_json::from_slice::<Problem>(body).ok().and_then(|p| p.code);
    match (code.and_then(codes::find), status) {
        (Some(row), _) => match row.next {
            codes::Next::Later { after, .. } => SendError::Retry { reason: row.words.into(), after: after.max(wait) },
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

fn other_refusal(status: StatusCode, code: Option<i32>) -> String {
    match code {
        Some(code) => format!("Twilio refused the text (error {code})"),
        None => format!("Twilio refused the text (HTTP {})", status.as_u16()),
    }
}

/// `Retry-After` as seconds or as a date. A date is measured against the answer's own `Date`, so that a wrong clock
/// on either side does not change the wait.
fn retry_after(answer: &Response) -> Option<Duration> {
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
        let SendError::Retry { after, .. } = said(Some(Duration::from_secs(5))) else { panic!() };
        assert_eq!(after, Some(Duration::from_mins(10)));
        let SendError::Retry { after, .. } = said(Some(Duration::from_secs(1000))) else { panic!() };
        assert_eq!(after, Some(Duration::from_secs(1000)));
    }
}
