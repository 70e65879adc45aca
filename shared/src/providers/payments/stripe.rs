//! Stripe's API, as far as it is needed: open a page, look at it, close it, give money back, look at what went back.
//!
//! Facts: docs.stripe.com/api (checkout/sessions, refunds, errors). Amounts are whole cents; bodies are forms.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode, header};
use secrecy::ExposeSecret;
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use super::{Dispute, Keys, NewSession, PayError, Refund, RefundStanding, Session, Standing, billing::Fetched};
use crate::money::Cents;

/// What answers look like changes with it, so it is said with every call.
const VERSION: &str = "2024-06-20";
/// Far above any answer that is asked for here.
const MAX_ANSWER_BYTES: usize = 512 * 1024;
const TIMEOUT: Duration = Duration::from_secs(10);
/// The most refunds or disputes that one payment can have listed; Stripe's own limit of a page.
const MOST: &str = "100";

/// Stripe's API at its address. Whose account it is, each call says.
#[derive(Clone, Debug)]
pub struct Stripe {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
}

#[derive(Deserialize)]
struct RawSession {
    id: String,
    url: Option<String>,
    /// open, complete or expired.
    status: Option<String>,
    /// paid, unpaid or `no_payment_required`.
    payment_status: Option<String>,
    amount_total: Option<i64>,
    currency: Option<String>,
    payment_intent: Option<RawPayment>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawPayment {
    Id(String),
    Whole { id: String, status: Option<String> },
}

#[derive(Deserialize)]
struct RawRefund {
    id: String,
    amount: i64,
    /// pending, `requires_action`, succeeded, failed or canceled.
    status: Option<String>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct RawDispute {
    id: String,
    amount: i64,
    status: String,
}

#[derive(Default, Deserialize)]
struct Metadata {
    refund: Option<String>,
}

#[derive(Deserialize)]
struct Page<T> {
    data: Vec<T>,
}

#[derive(Deserialize)]
struct Problem {
    error: ProblemBody,
}

#[derive(Deserialize)]
struct ProblemBody {
    code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

impl Stripe {
    #[must_use]
    pub fn new(http: reqwest::Client, base: Url) -> Self {
        Self { http, base }
    }

    /// Whether the key opens an account and may do what we need.
    ///
    /// # Errors
    /// [`PayError::Key`] when it may not.
    pub async fn check(&self, keys: &Keys) -> Result<(), PayError> {
        let asked = self.http.get(self.at("checkout/sessions")).query(&[("limit", "1")]);
        self.call::<serde::de::IgnoredAny>(keys, asked).await.map(|_| ())
    }

    /// Opens a page, or finds the one that this key opened before.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn open(&self, keys: &Keys, new: &NewSession<'_>) -> Result<Session, PayError> {
        let (amount, expires) = (new.amount.0.to_string(), new.expires_at.timestamp().to_string());
        let mut form = vec![
            ("mode", "payment"),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", "usd"),
            ("line_items[0][price_data][unit_amount]", &amount),
            ("line_items[0][price_data][product_data][name]", new.title),
            ("payment_intent_data[description]", new.title),
            ("client_reference_id", new.reference),
            ("success_url", new.success_url),
            ("cancel_url", new.cancel_url),
            ("expires_at", &expires),
            ("locale", new.language),
            ("expand[0]", "payment_intent"),
        ];
        form.extend(new.email.map(|email| ("customer_email", email)));
        let asked = self.http.post(self.at("checkout/sessions")).header("Idempotency-Key", new.key).form(&form);
        session(self.call(keys, asked).await?)
    }

    /// How a page stands.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn session(&self, keys: &Keys, id: &str) -> Result<Session, PayError> {
        let asked =
            self.http.get(self.at(&format!("checkout/sessions/{id}"))).query(&[("expand[0]", "payment_intent")]);
        session(self.call(keys, asked).await?)
    }

    /// Closes a page that is open: nothing can be paid there any more. One that is not open any more stays as it is.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn close(&self, keys: &Keys, id: &str) -> Result<Session, PayError> {
        let asked = self.http.post(self.at(&format!("checkout/sessions/{id}/expire")));
        match self.call::<RawSession>(keys, asked.header(header::CONTENT_LENGTH, 0)).await {
            Ok(closed) => session(closed),
            // It was paid, or ran out, a moment ago.
            Err(PayError::Refused(_)) => self.session(keys, id).await,
            Err(e) => Err(e),
        }
    }

    /// Gives money of a payment back. `reference` is our own id of it, and its idempotency key.
    ///
    /// # Errors
    /// [`PayError::Refused`] when Stripe will not: too much, disputed, too long ago.
    pub async fn refund(&self, keys: &Keys, payment: &str, amount: Cents, reference: &str) -> Result<Refund, PayError> {
        let cents = amount.0.to_string();
        let form = [("payment_intent", payment), ("amount", &cents), ("metadata[refund]", reference)];
        let key = format!("refund:{reference}");
        let asked = self.http.post(self.at("refunds")).header("Idempotency-Key", key).form(&form);
        self.call::<RawRefund>(keys, asked).await.map(Into::into)
    }

    /// Everything that went back of a payment, wherever it was asked for.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn refunds(&self, keys: &Keys, payment: &str) -> Result<Vec<Refund>, PayError> {
        let asked = self.http.get(self.at("refunds")).query(&[("payment_intent", payment), ("limit", MOST)]);
        let found: Page<RawRefund> = self.call(keys, asked).await?;
        Ok(found.data.into_iter().map(Into::into).collect())
    }

    /// Every dispute of a payment, over or not.
    ///
    /// # Errors
    /// [`PayError`]; a restricted key may be allowed everything else and not this.
    pub async fn disputes(&self, keys: &Keys, payment: &str) -> Result<Vec<Dispute>, PayError> {
        let asked = self.http.get(self.at("disputes")).query(&[("payment_intent", payment), ("limit", MOST)]);
        let found: Page<RawDispute> = self.call(keys, asked).await?;
        Ok(found.data.into_iter().map(Into::into).collect())
    }

    pub(super) fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let above = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{above}/v1/{path}"));
        url
    }

    pub(super) async fn call<T: DeserializeOwned>(&self, keys: &Keys, request: RequestBuilder) -> Result<T, PayError> {
        let request =
            request.bearer_auth(keys.secret.expose_secret()).header("Stripe-Version", VERSION).timeout(TIMEOUT);
        let answer = request.send().await.map_err(|e| not_answered(&e))?;
        let status = answer.status();
        let after = wait(answer.headers());
        let body = read(answer, MAX_ANSWER_BYTES).await?;
        if status.is_success() {
            return serde_json::from_slice(&body)
                .map_err(|_| again("answered with something that is not Stripe's", None));
        }
        Err(refused(status, after, &body))
    }

    /// What lies at an address, without our key.
    pub(super) async fn fetch(&self, url: Url, most: usize) -> Result<Fetched, PayError> {
        let answer = self.http.get(url).timeout(TIMEOUT).send().await.map_err(|e| not_answered(&e))?;
        let status = answer.status();
        if status.is_redirection() {
            let next = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            return Ok(Fetched::Elsewhere(next.unwrap_or_default().to_owned()));
        }
        let after = wait(answer.headers());
        let body = read(answer, most).await?;
        if status.is_success() { Ok(Fetched::Body(body.into())) } else { Err(refused(status, after, &body)) }
    }
}

/// The whole body, as long as it is no longer than anything that is asked for.
async fn read(mut answer: reqwest::Response, most: usize) -> Result<Vec<u8>, PayError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|e| not_answered(&e))? {
        if body.len() + chunk.len() > most {
            return Err(PayError::Refused("answered with far too much".into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

pub(super) fn again(reason: &str, after: Option<Duration>) -> PayError {
    PayError::Retry { reason: reason.to_owned(), after }
}

fn not_answered(error: &reqwest::Error) -> PayError {
    if error.is_connect() {
        again("could not be reached", None)
    } else if error.is_timeout() {
        again("did not answer in time", None)
    } else {
        again("was cut off in the middle of its answer", None)
    }
}

fn wait(headers: &header::HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(Duration::from_hours(1)))
}

/// What a refusal means (docs.stripe.com/api/errors). Stripe's own sentence may hold an address: it is not repeated.
fn refused(status: StatusCode, after: Option<Duration>, body: &[u8]) -> PayError {
    let said = serde_json::from_slice::<Problem>(body).ok().map(|problem| problem.error);
    let code = said.as_ref().and_then(|error| error.code.as_deref());
    match status {
        StatusCode::UNAUTHORIZED => PayError::Key("does not know this key".into()),
        StatusCode::FORBIDDEN => PayError::Key("says that this key may not do that".into()),
        StatusCode::TOO_MANY_REQUESTS => again("takes no more at this moment", after),
        // The same key is being worked on by another call of ours.
        StatusCode::CONFLICT => again("is still busy with it", after),
        _ if status.is_server_error() => again("failed to answer", after),
        _ if status.is_redirection() => PayError::Refused("is not at STRIPE_API_URL".into()),
        _ => PayError::Refused(match (code, said.as_ref().and_then(|error| error.kind.as_deref())) {
            (Some("charge_already_refunded"), _) => "says that it was refunded already".into(),
            (Some("amount_too_small"), _) => "takes no amount so small".into(),
            (Some("amount_too_large"), _) => "takes no amount so large".into(),
            (Some(code), _) => format!("refused it ({code})"),
            (None, Some(kind)) => format!("refused it ({kind})"),
            (None, None) => format!("refused it (HTTP {})", status.as_u16()),
        }),
    }
}

fn session(raw: RawSession) -> Result<Session, PayError> {
    let (payment, payment_status) = match raw.payment_intent {
        Some(RawPayment::Id(id)) => (Some(id), None),
        Some(RawPayment::Whole { id, status }) => (Some(id), status),
        None => (None, None),
    };
    if raw.currency.as_deref().is_some_and(|currency| currency != "usd") {
        return Err(PayError::Refused("names another currency than dollars".into()));
    }
    let standing = match (raw.status.as_deref(), raw.payment_status.as_deref(), payment_status.as_deref()) {
        (_, Some("paid"), _) => Standing::Paid,
        (Some("expired"), ..) => Standing::Expired,
        // The page was finished, and the bank said no: the payment waits for another means that nobody can give.
        (Some("complete"), _, Some("requires_payment_method" | "canceled")) => Standing::Failed,
        (Some("complete"), ..) => Standing::Underway,
        _ => Standing::Open,
    };
    let amount = raw.amount_total.map(Cents).ok_or_else(|| again("did not say the amount", None))?;
    Ok(Session { id: raw.id, url: raw.url, standing, amount, payment })
}

impl From<RawDispute> for Dispute {
    fn from(raw: RawDispute) -> Self {
        Self { id: raw.id, amount: Cents(raw.amount), status: raw.status }
    }
}

impl From<RawRefund> for Refund {
    fn from(raw: RawRefund) -> Self {
        let standing = match raw.status.as_deref() {
            Some("succeeded") => RefundStanding::Succeeded,
            Some("failed" | "canceled") => RefundStanding::Failed,
            _ => RefundStanding::Pending,
        };
        Self { id: raw.id, amount: Cents(raw.amount), standing, reference: raw.metadata.refund }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(text: &str) -> Result<Session, PayError> {
        session(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn a_page_stands_as_stripe_says() {
        let table = [
            (r#""status":"open","payment_status":"unpaid","payment_intent":null"#, Standing::Open),
            (r#""status":"complete","payment_status":"paid","payment_intent":"pi_1""#, Standing::Paid),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"processing"}"#,
                Standing::Underway,
            ),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"requires_payment_method"}"#,
                Standing::Failed,
            ),
            (r#""status":"expired","payment_status":"unpaid","payment_intent":null"#, Standing::Expired),
        ];
        for (said, wanted) in table {
            let text = format!(r#"{{"id":"cs_1","url":null,"amount_total":500,"currency":"usd",{said}}}"#);
            assert_eq!(stands(&text).unwrap().standing, wanted, "{said}");
        }
        let euros = r#"{"id":"cs_1","url":null,"amount_total":500,"currency":"eur","status":"open"}"#;
        assert!(matches!(stands(euros), Err(PayError::Refused(_))));
    }

    #[test]
    fn a_refusal_is_said_in_our_words_and_repeats_nothing() {
        let body = br#"{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such x: mia@home.example"}}"#;
        let said = |status: u16| refused(StatusCode::from_u16(status).unwrap(), None, body);
        assert_eq!(said(400), PayError::Refused("refused it (resource_missing)".into()));
        assert!(matches!(said(401), PayError::Key(_)) && matches!(said(403), PayError::Key(_)));
        for status in [409, 429, 500, 503] {
            assert!(matches!(said(status), PayError::Retry { .. }), "{status}");
        }
    }
}
