//! Classification of push service responses and failures.
//!
//! Uncertain outcomes may be retried, unlike a text or email: a duplicate alert replaces the first, by its tag on the
//! device and by its topic at the push service.

use platform::outbound::{self, PublicResolver};
use reqwest::{Response, StatusCode};

use crate::{AcceptedMessage, RefusalReason, SendError, SmsCost};

/// Apple's error, in a 400, for a device subscribed under another key.
const APPLES_OTHER_KEY: &[u8] = b"VapidPkHashMismatch";
const OTHER_KEY: &str = "the push service does not take our key for this device: turn alerts off and on again on it";

/// No response. Retryable after a broken connection or timeout: see the top of this file.
pub(super) fn no_response_error(error: &reqwest::Error) -> SendError {
    if error.is_builder() {
        SendError::refused_error(RefusalReason::Other, None, "the alert cannot be put into a request")
    } else if PublicResolver::is_blocked(error) {
        SendError::retryable_error("the push service's name leads to an address that is not on the internet")
    } else if error.is_connect() {
        SendError::retryable_error("the push service could not be reached")
    } else if error.is_timeout() {
        SendError::retryable_error("the push service did not answer in time")
    } else {
        SendError::retryable_error("the connection to the push service broke before its answer came")
    }
}

pub(super) async fn parse_response(answer: Response) -> Result<AcceptedMessage, SendError> {
    let status = answer.status();
    let refused = |kind, reason: &str| Err(SendError::refused_error(kind, Some(i32::from(status.as_u16())), reason));
    match status {
        _ if status.is_success() => Ok(parse_accepted(&answer)),
        StatusCode::NOT_FOUND | StatusCode::GONE => {
            refused(RefusalReason::BadAddress, "this device takes no more alerts")
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => refused(RefusalReason::SetUp, OTHER_KEY),
        StatusCode::PAYLOAD_TOO_LARGE => refused(RefusalReason::Other, "the alert is too long for the push service"),
        // Microsoft throttles with 406.
        StatusCode::NOT_ACCEPTABLE | StatusCode::TOO_MANY_REQUESTS => {
            Err(retry_later_error("the push service takes no more alerts at this moment", &answer))
        }
        _ if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => {
            Err(retry_later_error(&format!("the push service failed (HTTP {})", status.as_u16()), &answer))
        }
        _ if status.is_redirection() => {
            refused(RefusalReason::Other, &format!("the push service leads elsewhere (HTTP {})", status.as_u16()))
        }
        StatusCode::BAD_REQUEST if is_vapid_key_mismatch(answer).await => refused(RefusalReason::SetUp, OTHER_KEY),
        _ => refused(RefusalReason::Other, &format!("the push service refused the alert (HTTP {})", status.as_u16())),
    }
}

/// Id given by the push service: the last part of the `Location` header, or Apple's header.
fn parse_accepted(answer: &Response) -> AcceptedMessage {
    let text = |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok());
    let named = text("location").and_then(|l| l.rsplit('/').next()).filter(|id| !id.is_empty()).or(text("apns-id"));
    AcceptedMessage {
        provider_id: named.unwrap_or_default().chars().take(256).collect(),
        provider_status: Some(answer.status().to_string()),
        stored_as: None,
        bill: SmsCost::default(),
    }
}

fn retry_later_error(reason: &str, answer: &Response) -> SendError {
    SendError::Retry { reason: reason.into(), after: outbound::retry_after(answer) }
}

async fn is_vapid_key_mismatch(answer: Response) -> bool {
    outbound::read_body_prefix(answer).await.windows(APPLES_OTHER_KEY.len()).any(|part| part == APPLES_OTHER_KEY)
}
