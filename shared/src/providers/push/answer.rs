//! What a push service's answer, or its silence, says about acceptance.
//!
//! Here no doubt has to stand. Twice the same alert is one alert: the tag replaces the first on the device, the topic
//! does while it waits at the push service. So whatever is not certain may be tried again, unlike a text or an email.

use std::time::Duration;

use chrono::DateTime;
use reqwest::{Response, StatusCode, header};

use super::guard::PublicOnly;
use crate::{
    clock::Clock,
    providers::{Accepted, Bill, Refusal, SendError},
};

/// Their answers are empty or a line of JSON; anything far larger is not theirs.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// No push service may hold an alert longer than this by a `Retry-After`.
const LONGEST_WAIT: Duration = Duration::from_hours(24);
/// Apple's word, in a 400, for a device that subscribed under another key.
const APPLES_OTHER_KEY: &[u8] = b"VapidPkHashMismatch";
const OTHER_KEY: &str = "the push service does not take our key for this device: turn alerts off and on again on it";

/// No answer came. A broken connection or a late answer is tried again: see the top of this file.
pub(super) fn none(error: &reqwest::Error) -> SendError {
    if error.is_builder() {
        SendError::refused(Refusal::Other, None, "the alert cannot be put into a request")
    } else if PublicOnly::stopped(error) {
        SendError::retry("the push service's name leads to an address that is not on the internet")
    } else if error.is_connect() {
        SendError::retry("the push service could not be reached")
    } else if error.is_timeout() {
        SendError::retry("the push service did not answer in time")
    } else {
        SendError::retry("the connection to the push service broke before its answer came")
    }
}

/// What an answer means.
pub(super) async fn read(answer: Response) -> Result<Accepted, SendError> {
    let status = answer.status();
    let refused = |kind, reason: &str| Err(SendError::refused(kind, Some(i32::from(status.as_u16())), reason));
    match status {
        _ if status.is_success() => Ok(accepted(&answer)),
        StatusCode::NOT_FOUND | StatusCode::GONE => refused(Refusal::BadAddress, "this device takes no more alerts"),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => refused(Refusal::SetUp, OTHER_KEY),
        StatusCode::PAYLOAD_TOO_LARGE => refused(Refusal::Other, "the alert is too long for the push service"),
        // Microsoft throttles with 406.
        StatusCode::NOT_ACCEPTABLE | StatusCode::TOO_MANY_REQUESTS => {
            Err(later("the push service takes no more alerts at this moment", &answer))
        }
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Err(later(&format!("the push service failed (HTTP {})", status.as_u16()), &answer))
        }
        _ if status.is_redirection() => {
            refused(Refusal::Other, &format!("the push service leads elsewhere (HTTP {})", status.as_u16()))
        }
        StatusCode::BAD_REQUEST if names_another_key(answer).await => refused(Refusal::SetUp, OTHER_KEY),
        _ => refused(Refusal::Other, &format!("the push service refused the alert (HTTP {})", status.as_u16())),
    }
}

/// The name the push service gave the alert: the last part of its address there, or Apple's header.
fn accepted(answer: &Response) -> Accepted {
    let text = |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok());
    let named = text("location").and_then(|l| l.rsplit('/').next()).filter(|id| !id.is_empty()).or(text("apns-id"));
    Accepted {
        provider_id: named.unwrap_or_default().chars().take(256).collect(),
        provider_status: Some(answer.status().to_string()),
        stored_as: None,
        bill: Bill::default(),
    }
}

fn later(reason: &str, answer: &Response) -> SendError {
    let text = |name| answer.headers().get(name).and_then(|v: &header::HeaderValue| v.to_str().ok());
    let after = text(header::RETRY_AFTER).and_then(|value| wait(value, text(header::DATE)));
    SendError::Retry { reason: reason.into(), after }
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

async fn names_another_key(answer: Response) -> bool {
    read_some(answer).await.windows(APPLES_OTHER_KEY.len()).any(|part| part == APPLES_OTHER_KEY)
}

/// The beginning of an answer. What breaks off has said enough by its status line.
async fn read_some(mut answer: Response) -> Vec<u8> {
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
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_read_as_seconds_or_as_a_date() {
        let date = Some("Wed, 21 Oct 2026 07:28:00 GMT");
        assert_eq!(wait("7", None), Some(Duration::from_secs(7)));
        assert_eq!(wait("Wed, 21 Oct 2026 07:29:30 GMT", date), Some(Duration::from_secs(90)));
        assert_eq!(wait("Wed, 21 Oct 2026 07:00:00 GMT", date), Some(Duration::ZERO));
        assert_eq!(wait("99999999", None), Some(LONGEST_WAIT));
        assert_eq!(wait("soon", date), None);
    }
}
