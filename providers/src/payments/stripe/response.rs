//! Responses of Stripe: their body, their size, and what an error means.

use std::time::Duration;

use reqwest::{StatusCode, header};
use serde::{Deserialize, de::DeserializeOwned};

use crate::payments::{KEY_NOT_ALLOWED, RequestOutcome, StripeError, UNKNOWN_KEY};

/// Limit far above any expected response about one object.
pub(super) const MAX_ANSWER_BYTES: usize = 512 * 1024;
/// Limit of a page of a list.
pub(in crate::payments) const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
pub(in crate::payments) const ANSWER_TOO_LONG: &str = "answered with far too much";

#[derive(Deserialize)]
struct StripeErrorBody {
    error: StripeErrorDetail,
}

#[derive(Deserialize)]
pub(in crate::payments) struct StripeErrorDetail {
    pub(in crate::payments) code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    param: Option<String>,
}

impl StripeErrorDetail {
    /// The customer's email address is refused. Stripe does not always name the parameter.
    pub(super) fn is_about_email(&self) -> bool {
        match self.param.as_deref() {
            Some(param) => param == "customer_email",
            None => self.code.as_deref() == Some("email_invalid"),
        }
    }
}

pub(in crate::payments) struct StripeResponse {
    pub(in crate::payments) status: StatusCode,
    pub(super) after: Option<Duration>,
    pub(super) is_replayed: bool,
    pub(super) body: Vec<u8>,
}

impl StripeResponse {
    pub(in crate::payments) fn parse_error(&self) -> Option<StripeErrorDetail> {
        serde_json::from_slice::<StripeErrorBody>(&self.body).ok().map(|problem| problem.error)
    }

    pub(in crate::payments) fn parse_body<T: DeserializeOwned>(&self) -> Result<T, StripeError> {
        if !self.status.is_success() {
            return Err(self.to_stripe_error());
        }
        serde_json::from_slice(&self.body)
            .map_err(|_| retryable_error("answered with something that is not Stripe's", RequestOutcome::Unclear))
    }

    /// Classifies an error (docs.stripe.com/api/errors). Stripe's message may hold an address and is not repeated.
    pub(super) fn to_stripe_error(&self) -> StripeError {
        let parsed = self.parse_error();
        let code = parsed.as_ref().and_then(|error| error.code.as_deref());
        let later = |reason: &str, doubt| StripeError::Retry { reason: reason.to_owned(), after: self.after, doubt };
        match self.status {
            StatusCode::UNAUTHORIZED => StripeError::Key(UNKNOWN_KEY.into()),
            StatusCode::FORBIDDEN => StripeError::Key(KEY_NOT_ALLOWED.into()),
            StatusCode::TOO_MANY_REQUESTS => later("takes no more at this moment", RequestOutcome::NotDone),
            // Another call with the same key is in progress.
            StatusCode::CONFLICT => later("is still busy with it", RequestOutcome::Unclear),
            status if status.is_server_error() => {
                later("failed to answer", RequestOutcome::Stored { is_replayed: self.is_replayed })
            }
            status if status.is_redirection() => StripeError::Refused("is not at STRIPE_API_URL".into()),
            status => StripeError::Refused(match (code, parsed.as_ref().and_then(|error| error.kind.as_deref())) {
                (Some("charge_already_refunded"), _) => "says that it was refunded already".into(),
                (Some("charge_disputed"), _) => "refunds nothing of a payment that is disputed".into(),
                (Some("amount_too_small"), _) => "takes no amount so small".into(),
                (Some("amount_too_large"), _) => "takes no amount so large".into(),
                (Some(code), _) => format!("refused it ({code})"),
                (None, Some(kind)) => format!("refused it ({kind})"),
                (None, None) => format!("refused it (HTTP {})", status.as_u16()),
            }),
        }
    }
}

/// The whole body; none where it is longer than `most` bytes.
pub(super) async fn read_body(mut answer: reqwest::Response, most: usize) -> Result<Option<Vec<u8>>, StripeError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|e| transport_error(&e))? {
        if body.len() + chunk.len() > most {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

pub(in crate::payments) fn retryable_error(reason: &str, doubt: RequestOutcome) -> StripeError {
    StripeError::Retry { reason: reason.to_owned(), after: None, doubt }
}

pub(super) fn transport_error(error: &reqwest::Error) -> StripeError {
    if error.is_connect() {
        retryable_error("could not be reached", RequestOutcome::NotDone)
    } else if error.is_timeout() {
        retryable_error("did not answer in time", RequestOutcome::Unclear)
    } else {
        retryable_error("was cut off in the middle of its answer", RequestOutcome::Unclear)
    }
}

pub(super) fn parse_retry_after(headers: &header::HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(Duration::from_hours(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_uses_own_words_and_omits_the_stripe_message() {
        let body = br#"{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such x: mia@home.example"}}"#;
        let error_for = |status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            StripeResponse { status, after: None, is_replayed: false, body: body.to_vec() }.to_stripe_error()
        };
        assert_eq!(error_for(400), StripeError::Refused("refused it (resource_missing)".into()));
        assert!(matches!(error_for(401), StripeError::Key(_)) && matches!(error_for(403), StripeError::Key(_)));
        for status in [409, 429, 500, 503] {
            assert!(matches!(error_for(status), StripeError::Retry { .. }), "{status}");
        }
        let doubts = [409, 429, 500]
            .map(|status| (error_for(status).has_unknown_outcome(), error_for(status).has_stored_error()));
        assert_eq!(doubts, [(true, false), (false, false), (true, true)]);
    }
}
