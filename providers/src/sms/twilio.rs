//! Twilio client: one POST per text, and classification of its outcome.
//!
//! Twilio has no idempotency keys for messages, so a POST without a response is in doubt until a status callback or
//! Twilio's list (`lookup.rs`) settles it. Requests are never repeated here.

use std::{fmt, sync::Arc, time::Duration};

use chrono::DateTime;
use platform::{clock::Clock, spans};
use reqwest::{RequestBuilder, Response, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use url::Url;

use super::{MAX_VALIDITY_SECONDS, SmsMessage, SmsSender, TwilioAccount, codes};
use crate::{AcceptedMessage, RefusalReason, SendError, SmsCost, sms::PROVIDER_CALL_TIMEOUT};

/// Name in spans.
pub(super) const PROVIDER: &str = "twilio";

/// Twilio's responses have about 1 KB.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Enough for a page of a hundred long messages.
const MAX_LIST_BYTES: usize = 1024 * 1024;

/// Upper limit of an honoured `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

#[derive(Clone)]
pub struct Twilio {
    pub(super) http: reqwest::Client,
    pub(super) access: Arc<TwilioAccess>,
    pub(super) timeout: Duration,
}

pub(super) struct TwilioAccess {
    /// API base address, the only place the credentials are sent to.
    pub(super) base: Url,
    pub(super) sid: String,
    pub(super) messages: Url,
    credentials: TwilioCredentials,
    pub(super) sends_by_key: bool,
    /// The account's own token, when texts are sent with an API key.
    pub(super) owner: Option<TwilioCredentials>,
    pub(super) sender: SmsSender,
    pub(super) primary_profile: Option<String>,
}

#[derive(Clone)]
pub(super) struct TwilioCredentials {
    user: String,
    password: SecretString,
}

impl TwilioCredentials {
    pub(super) fn apply_to(&self, request: RequestBuilder) -> RequestBuilder {
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
struct TwilioMessageCreated {
    sid: String,
    status: Option<String>,
    num_segments: Option<String>,
    price: Option<String>,
    price_unit: Option<String>,
}

#[derive(Deserialize)]
struct TwilioErrorBody {
    code: Option<i32>,
}

impl Twilio {
    pub(super) fn new(account: &TwilioAccount, http: reqwest::Client) -> Self {
        let base = account.api_url.clone();
        let with =
            |user: &str, password: &SecretString| TwilioCredentials { user: user.into(), password: password.clone() };
        let token = account.auth_token.clone().unwrap_or_default();
        let (credentials, owner) = match &account.api_key {
            Some((key, secret)) => {
                (with(key, secret), account.auth_token.as_ref().map(|token| with(&account.sid, token)))
            }
            None => (with(&account.sid, &token), None),
        };
        let sid = account.sid.clone();
        let messages = resource_url(&base, &format!("{sid}/Messages"));
        let (sender, sends_by_key) = (account.sender.clone(), account.api_key.is_some());
        let primary_profile = account.primary_profile.clone();
        let access = TwilioAccess { base, sid, messages, credentials, sends_by_key, owner, sender, primary_profile };
        Self { http, access: Arc::new(access), timeout: PROVIDER_CALL_TIMEOUT }
    }

    pub(super) fn sender(&self) -> &SmsSender {
        &self.access.sender
    }

    /// Time limit of one attempt, from connecting to the last byte of the response.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    pub(super) async fn send(&self, text: &SmsMessage<'_>) -> Result<AcceptedMessage, SendError> {
        let request = self.access.credentials.apply_to(self.http.post(self.access.messages.clone()));
        let request = request.timeout(self.timeout).form(&self.message_form(text));
        let answer =
            spans::send_to_provider(request, PROVIDER, "create message").await.map_err(|e| transport_error(&e))?;
        let status = answer.status();
        let wait = retry_after(&answer);
        let body = read_body(answer, MAX_ANSWER_BYTES).await;
        match status {
            _ if status.is_success() => parse_created(&body?),
            // The body may be incomplete: a client error's status line alone proves that there is no message.
            _ if status.is_client_error() => Err(refusal_error(status, wait, &body.unwrap_or_default())),
            _ if status.is_redirection() => Err(redirect_error(status)),
            _ => Err(SendError::unknown_outcome(format!(
                "Twilio failed while taking the text (HTTP {})",
                status.as_u16()
            ))),
        }
    }

    /// GET below the account. Repeatable, so no outcome is in doubt.
    pub(super) async fn fetch_body(
        &self,
        url: Url,
        credentials: Option<&TwilioCredentials>,
    ) -> Result<Vec<u8>, SendError> {
        let request =
            credentials.unwrap_or(&self.access.credentials).apply_to(self.http.get(url)).timeout(self.timeout);
        let answer = spans::send_to_provider(request, PROVIDER, "read").await;
        let answer = answer.map_err(|e| into_retryable(transport_error(&e)))?;
        let status = answer.status();
        let wait = retry_after(&answer);
        let body = read_body(answer, MAX_LIST_BYTES).await.map_err(into_retryable);
        match status {
            _ if status.is_success() => body,
            _ if status.is_redirection() => Err(redirect_error(status)),
            _ => Err(failed_query_error(status, wait, &body.unwrap_or_default())),
        }
    }

    /// POST whose response body is ignored.
    pub(super) async fn post_form(&self, url: Url, form: &[(&str, &str)]) -> Result<(), SendError> {
        let request = self.access.credentials.apply_to(self.http.post(url)).timeout(self.timeout).form(form);
        let answer =
            spans::send_to_provider(request, PROVIDER, "create call").await.map_err(|e| transport_error(&e))?;
        let (status, wait) = (answer.status(), retry_after(&answer));
        let body = read_body(answer, MAX_ANSWER_BYTES).await;
        if status.is_success() { Ok(()) } else { Err(failed_query_error(status, wait, &body.unwrap_or_default())) }
    }

    /// POST that changes something at Twilio. An error of its server leaves the outcome in doubt.
    pub(super) async fn post_change(&self, url: Url, form: &[(&str, &str)]) -> Result<Vec<u8>, SendError> {
        let request = self.access.credentials.apply_to(self.http.post(url)).timeout(self.timeout).form(form);
        let answer = spans::send_to_provider(request, PROVIDER, "change").await.map_err(|e| transport_error(&e))?;
        let (status, wait) = (answer.status(), retry_after(&answer));
        let body = read_body(answer, MAX_ANSWER_BYTES).await;
        match status {
            _ if status.is_success() => body,
            // The status line alone proves that nothing was changed.
            _ if status.is_client_error() => Err(refusal_error(status, wait, &body.unwrap_or_default())),
            _ if status.is_redirection() => Err(redirect_error(status)),
            _ => Err(SendError::unknown_outcome(format!("Twilio failed during the change (HTTP {})", status.as_u16()))),
        }
    }

    pub(super) fn with_credentials(&self, request: RequestBuilder) -> RequestBuilder {
        self.access.credentials.apply_to(request)
    }

    fn message_form<'a>(&'a self, text: &SmsMessage<'a>) -> Vec<(&'static str, String)> {
        let from = match (text.from, &self.access.sender) {
            (Some(own), _) => ("From", own.to_string()),
            (None, SmsSender::Number(number)) => ("From", number.clone()),
            (None, SmsSender::Service(sid)) => ("MessagingServiceSid", sid.clone()),
        };
        let mut form = vec![("To", text.to.to_string()), from, ("Body", text.body.to_owned())];
        form.extend(text.status_callback.map(|url| ("StatusCallback", url.to_owned())));
        let validity = text.validity_seconds.map(|s| s.clamp(1, MAX_VALIDITY_SECONDS));
        form.extend(validity.map(|s| ("ValidityPeriod", s.to_string())));
        form
    }
}

/// JSON resource `path` below the accounts of the API at `base`.
pub(super) fn resource_url(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let above = base.path().trim_end_matches('/');
    url.set_path(&format!("{above}/2010-04-01/Accounts/{path}.json"));
    url
}

/// Without a response only a failed connection is certain: no byte of the text was sent.
pub(super) fn transport_error(error: &reqwest::Error) -> SendError {
    if error.is_connect() {
        SendError::retryable_error("Twilio could not be reached")
    } else if error.is_builder() {
        SendError::refused_error(RefusalReason::Other, None, "the text cannot be put into a request")
    } else if error.is_timeout() {
        SendError::unknown_outcome("Twilio did not answer in time")
    } else {
        SendError::unknown_outcome("the connection to Twilio broke before its answer came")
    }
}

pub(super) async fn read_body(mut answer: Response, most: usize) -> Result<Vec<u8>, SendError> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= most => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(SendError::unknown_outcome("Twilio's answer was far too long")),
            Ok(None) => return Ok(body),
            Err(e) if e.is_timeout() => {
                return Err(SendError::unknown_outcome("Twilio did not finish its answer in time"));
            }
            Err(_) => {
                return Err(SendError::unknown_outcome("the connection to Twilio broke in the middle of its answer"));
            }
        }
    }
}

fn parse_created(body: &[u8]) -> Result<AcceptedMessage, SendError> {
    match serde_json::from_slice::<TwilioMessageCreated>(body) {
        Ok(made) if !made.sid.is_empty() => Ok(AcceptedMessage {
            bill: SmsCost::from_twilio(made.num_segments.as_deref(), made.price.as_deref(), made.price_unit.as_deref()),
            provider_id: made.sid,
            provider_status: made.status,
            stored_as: None,
        }),
        _ => Err(SendError::unknown_outcome("Twilio's answer could not be read")),
    }
}

fn refusal_error(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> SendError {
    let code = serde_json::from_slice::<TwilioErrorBody>(body).ok().and_then(|p| p.code);
    match (code.and_then(codes::find_error_code), status) {
        (Some(row), _) => match row.next {
            codes::TwilioErrorAction::Later { after, .. } => {
                SendError::Busy { code: row.code, reason: row.words.into(), after: after.max(wait) }
            }
            codes::TwilioErrorAction::Never(kind) => SendError::refused_error(kind, code, row.words),
        },
        (None, StatusCode::TOO_MANY_REQUESTS) => {
            SendError::Retry { reason: "Twilio takes no more texts at this moment".into(), after: wait }
        }
        (None, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            SendError::refused_error(RefusalReason::ChannelBroken, code, "Twilio refused our credentials")
        }
        (None, StatusCode::NOT_FOUND) => SendError::refused_error(
            RefusalReason::SetUp,
            code,
            "TWILIO_API_URL does not lead to the account at Twilio",
        ),
        // From a proxy in front of Twilio, which may have passed the request on.
        (None, StatusCode::REQUEST_TIMEOUT) => SendError::unknown_outcome("Twilio did not answer in time (HTTP 408)"),
        (None, _) => SendError::refused_error(RefusalReason::Other, code, describe_refusal(status, code)),
    }
}

fn redirect_error(status: StatusCode) -> SendError {
    SendError::refused_error(
        RefusalReason::SetUp,
        None,
        format!("TWILIO_API_URL leads elsewhere (HTTP {})", status.as_u16()),
    )
}

/// Error of a read request.
pub(super) fn failed_query_error(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> SendError {
    if status.is_server_error() {
        let reason = format!("Twilio failed to answer (HTTP {})", status.as_u16());
        return SendError::Retry { reason, after: wait };
    }
    match refusal_error(status, wait, body) {
        SendError::Refused { kind: RefusalReason::Other, code, .. } => {
            let named = code.map_or(format!("HTTP {}", status.as_u16()), |code| format!("error {code}"));
            SendError::refused_error(RefusalReason::Other, code, format!("Twilio refused to answer ({named})"))
        }
        other => into_retryable(other),
    }
}

/// Read requests change nothing, so doubt becomes a retry.
pub(super) fn into_retryable(error: SendError) -> SendError {
    match error {
        SendError::Unknown { reason } => SendError::Retry { reason, after: None },
        SendError::Busy { reason, after, .. } => SendError::Retry { reason, after },
        other => other,
    }
}

fn describe_refusal(status: StatusCode, code: Option<i32>) -> String {
    match code {
        Some(code) => format!("Twilio refused the text (error {code})"),
        None => format!("Twilio refused the text (HTTP {})", status.as_u16()),
    }
}

/// `Retry-After` in seconds, or as a date relative to the response's own `Date`, so that clock errors do not matter.
pub(super) fn retry_after(answer: &Response) -> Option<Duration> {
    let text = |name| answer.headers().get(name).and_then(|v: &header::HeaderValue| v.to_str().ok());
    parse_retry_after(text(header::RETRY_AFTER)?, text(header::DATE))
}

fn parse_retry_after(value: &str, date: Option<&str>) -> Option<Duration> {
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
    fn retry_after_is_read_as_seconds_or_date_and_capped() {
        let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(parse_retry_after("7", None), Some(Duration::from_secs(7)));
        assert_eq!(parse_retry_after("Wed, 21 Oct 2026 07:29:30 GMT", date), Some(Duration::from_secs(90)));
        assert_eq!(parse_retry_after("Wed, 21 Oct 2026 07:00:00 GMT", date), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("Wed, 21 Oct 2015 07:00:00 GMT", None), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("99999999", None), Some(LONGEST_WAIT));
        assert_eq!(parse_retry_after("soon", date), None);
    }

    #[test]
    fn refusal_without_known_code_is_named_by_its_http_status() {
        for (status, kind, words) in [
            (401, RefusalReason::ChannelBroken, "Twilio refused our credentials"),
            (403, RefusalReason::ChannelBroken, "Twilio refused our credentials"),
            (404, RefusalReason::SetUp, "TWILIO_API_URL does not lead to the account at Twilio"),
            (400, RefusalReason::Other, "Twilio refused the text (HTTP 400)"),
        ] {
            let error = refusal_error(StatusCode::from_u16(status).unwrap(), None, b"<html>");
            assert_eq!(error, SendError::refused_error(kind, None, words));
        }
        let error = refusal_error(StatusCode::BAD_REQUEST, None, br#"{"code":29999,"message":"+15005550009 is odd"}"#);
        assert_eq!(
            error,
            SendError::refused_error(RefusalReason::Other, Some(29999), "Twilio refused the text (error 29999)")
        );
        let error = refusal_error(StatusCode::REQUEST_TIMEOUT, None, b"");
        assert!(matches!(error, SendError::Unknown { .. }));
    }

    #[test]
    fn longer_of_retry_after_and_table_wait_wins() {
        let body = br#"{"code":21611}"#;
        let busy_error = |wait| refusal_error(StatusCode::TOO_MANY_REQUESTS, wait, body);
        let SendError::Busy { after, .. } = busy_error(Some(Duration::from_secs(5))) else { panic!() };
        assert_eq!(after, Some(Duration::from_mins(10)));
        let SendError::Busy { after, .. } = busy_error(Some(Duration::from_secs(1000))) else { panic!() };
        assert_eq!(after, Some(Duration::from_secs(1000)));
    }
}
