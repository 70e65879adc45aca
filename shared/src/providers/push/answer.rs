//! What a push service's answer, or its silence, says about acceptance.
//!
//! Here no doubt has to stand. Twice the same alert is one alert: the tag replaces the first on the device, the topic
//! does while it waits at the push service. So whatever is not certain may be tried again, unlike a text or an email.

use reqwest::{Response, StatusCode};

use crate::{
    platform::outbound::{self, PublicOnly},
    providers::{Accepted, Bill, Refusal, SendError},
};

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
    SendError::Retry { reason: reason.into(), after: outbound::retry_after(answer) }
}

async fn names_another_key(answer: Response) -> bool {
    outbound::read_some(answer).await.windows(APPLES_OTHER_KEY.len()).any(|part| part == APPLES_OTHER_KEY)
}
