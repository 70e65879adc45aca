//! Stripe API client: checkout pages, refunds and disputes.
//!
//! Sources: docs.stripe.com/api (checkout/sessions, refunds, errors). Amounts are whole cents; bodies are forms.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use super::{
    DOLLARS, NewCheckoutSession, RequestOutcome, StripeCheckoutSession, StripeCheckoutStatus, StripeCredentials,
    StripeDispute, StripeError, StripeRefund, StripeRefundStatus, UNKNOWN_KEY,
    billing::StripeDownload,
    connect::is_live_key,
    records::{DisputeRecord, RefundRecord, StripeCharge},
};
use crate::platform::money::Cents;

/// API version, sent with every call because it determines the response format.
const VERSION: &str = "2024-06-20";
/// Limit far above any expected response.
const MAX_ANSWER_BYTES: usize = 512 * 1024;
const TIMEOUT: Duration = Duration::from_secs(10);
/// Header of a response that Stripe had stored for the idempotency key.
const REPLAYED: &str = "idempotent-replayed";

/// Each call names its account.
#[derive(Clone, Debug)]
pub struct Stripe {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    pub(super) platform: Option<SecretString>,
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
    livemode: Option<bool>,
    client_reference_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawPayment {
    Id(String),
    Whole { id: String, status: Option<String> },
}

#[derive(Deserialize)]
struct StripeErrorBody {
    error: StripeErrorDetail,
}

#[derive(Deserialize)]
pub(super) struct StripeErrorDetail {
    pub(super) code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    param: Option<String>,
}

enum OpenSessionError {
    Email,
    Else(StripeError),
}

impl Stripe {
    #[must_use]
    pub fn new(http: reqwest::Client, base: Url) -> Self {
        Self { http, base, platform: None }
    }

    /// `platform` is the install's key, used for connected accounts.
    #[must_use]
    pub fn with_platform(self, platform: Option<SecretString>) -> Self {
        Self { platform, ..self }
    }

    /// Checks that the key is valid and has the needed permissions. Errors: [`StripeError::Key`] when not.
    pub async fn verify_keys(&self, keys: &StripeCredentials) -> Result<(), StripeError> {
        let asked = self.http.get(self.endpoint_url("checkout/sessions")).query(&[("limit", "1")]);
        self.send_and_parse::<serde::de::IgnoredAny>(keys, asked).await.map(|_| ())
    }

    /// Opens a checkout page, or returns the one opened with this key. An email address that Stripe refuses is omitted:
    /// the customer enters another one there.
    pub async fn create_checkout_session(
        &self,
        keys: &StripeCredentials,
        new: &NewCheckoutSession<'_>,
    ) -> Result<StripeCheckoutSession, StripeError> {
        match self.try_create_session(keys, new).await {
            Ok(opened) => Ok(opened),
            Err(OpenSessionError::Email) if new.email.is_some() => {
                let key = format!("{}:no-email", new.key);
                let again = NewCheckoutSession { key: &key, email: None, ..*new };
                self.try_create_session(keys, &again).await.map_err(OpenSessionError::into_error)
            }
            Err(other) => Err(other.into_error()),
        }
    }

    async fn try_create_session(
        &self,
        keys: &StripeCredentials,
        new: &NewCheckoutSession<'_>,
    ) -> Result<StripeCheckoutSession, OpenSessionError> {
        let (amount, expires) = (new.amount.0.to_string(), new.expires_at.timestamp().to_string());
        let mut form = vec![
            ("mode", "payment"),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", DOLLARS),
            ("line_items[0][price_data][unit_amount]", &amount),
            ("line_items[0][price_data][product_data][name]", new.title),
            ("payment_intent_data[description]", new.title),
            // Metadata to identify the payment when its webhook is lost.
            ("payment_intent_data[metadata][checkout]", new.reference),
            ("payment_intent_data[metadata][org]", new.org),
            ("client_reference_id", new.reference),
            ("success_url", new.success_url),
            ("cancel_url", new.cancel_url),
            ("expires_at", &expires),
            ("locale", new.language),
            ("expand[0]", "payment_intent"),
        ];
        form.extend(new.email.map(|email| ("customer_email", email)));
        let asked =
            self.http.post(self.endpoint_url("checkout/sessions")).header("Idempotency-Key", new.key).form(&form);
        let response = self.send_request(keys, asked).await.map_err(OpenSessionError::Else)?;
        if response.status.is_client_error()
            && response.parse_error().is_some_and(|problem| problem.is_about_field("customer_email"))
        {
            return Err(OpenSessionError::Email);
        }
        response.parse_body().and_then(parse_session).map_err(OpenSessionError::Else)
    }

    /// The checkout page of a payment or with our reference, among those opened since `since`.
    pub async fn find_checkout_session(
        &self,
        keys: &StripeCredentials,
        reference: &str,
        since: i64,
    ) -> Result<Option<StripeCheckoutSession>, StripeError> {
        let query = [("created[gte]", since.to_string()), ("expand[0]", "data.payment_intent".to_owned())];
        let all: Vec<RawSession> =
            self.list_all(keys, "checkout/sessions", &query, |one: &RawSession| one.id.clone()).await?;
        all.into_iter().find(|one| one.client_reference_id.as_deref() == Some(reference)).map(parse_session).transpose()
    }

    pub async fn fetch_checkout_session(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeCheckoutSession, StripeError> {
        let asked = self
            .http
            .get(self.endpoint_url(&format!("checkout/sessions/{id}")))
            .query(&[("expand[0]", "payment_intent")]);
        parse_session(self.send_and_parse(keys, asked).await?)
    }

    /// Expires an open page, so that it cannot be paid any more. Other pages stay unchanged.
    pub async fn expire_checkout_session(
        &self,
        keys: &StripeCredentials,
        id: &str,
    ) -> Result<StripeCheckoutSession, StripeError> {
        let asked = self.http.post(self.endpoint_url(&format!("checkout/sessions/{id}/expire")));
        match self.send_and_parse::<RawSession>(keys, asked.header(header::CONTENT_LENGTH, 0)).await {
            Ok(closed) => parse_session(closed),
            // It was paid or expired a moment ago.
            Err(StripeError::Refused(_)) => self.fetch_checkout_session(keys, id).await,
            Err(e) => Err(e),
        }
    }

    /// Refunds part of a payment. `reference` is our id; `key` is the idempotency key. Errors: [`StripeError::Refused`]
    /// when Stripe refuses: amount too high, disputed, too old.
    pub async fn create_refund(
        &self,
        keys: &StripeCredentials,
        (payment, amount): (&str, Cents),
        reference: &str,
        key: &str,
    ) -> Result<StripeRefund, StripeError> {
        let cents = amount.0.to_string();
        let form = [("payment_intent", payment), ("amount", &cents), ("metadata[refund]", reference)];
        let asked = self.http.post(self.endpoint_url("refunds")).header("Idempotency-Key", key).form(&form);
        self.send_and_parse::<RefundRecord>(keys, asked).await.map(Into::into)
    }

    /// Refundable rest of a payment over `paid`: by its charge and disputes, or by the list of refunds when a
    /// restricted key may not read charges.
    pub async fn fetch_refundable_amount(
        &self,
        keys: &StripeCredentials,
        payment: &str,
        paid: Cents,
    ) -> Result<Cents, StripeError> {
        let query = [("payment_intent", payment.to_owned())];
        let charges = match self.list_all(keys, "charges", &query, |one: &StripeCharge| one.id.clone()).await {
            Err(StripeError::Key(_) | StripeError::Refused(_)) => Vec::new(),
            asked => asked?,
        };
        let taken: Vec<&StripeCharge> = charges.iter().filter(|charge| charge.is_succeeded()).collect();
        if !taken.is_empty() {
            let left: i64 = taken.iter().map(|charge| charge.unrefunded_amount().0).sum();
            let is_disputed = taken.iter().any(|charge| charge.disputed);
            let at_bank = if is_disputed { self.fetch_disputed_amount(keys, payment).await? } else { Cents::ZERO };
            return Ok(Cents((left - at_bank.0).max(0)));
        }
        let refunds = self.list_refunds(keys, payment).await?;
        let back = refunds.iter().filter(|one| one.status != StripeRefundStatus::Failed).map(|one| one.amount.0);
        Ok(Cents((paid.0 - back.sum::<i64>()).max(0)))
    }

    /// Disputed amount of a payment; zero when the key lacks the permission.
    async fn fetch_disputed_amount(&self, keys: &StripeCredentials, payment: &str) -> Result<Cents, StripeError> {
        match self.list_disputes(keys, payment).await {
            Ok(all) => Ok(all.iter().filter(|one| one.has_withdrawn_funds()).map(|one| one.amount).sum()),
            Err(StripeError::Key(_) | StripeError::Refused(_)) => Ok(Cents::ZERO),
            Err(e) => Err(e),
        }
    }

    /// All refunds of a payment, wherever they were made.
    pub async fn list_refunds(
        &self,
        keys: &StripeCredentials,
        payment: &str,
    ) -> Result<Vec<StripeRefund>, StripeError> {
        let query = [("payment_intent", payment.to_owned())];
        let found: Vec<RefundRecord> =
            self.list_all(keys, "refunds", &query, |one: &RefundRecord| one.id.clone()).await?;
        Ok(found.into_iter().map(Into::into).collect())
    }

    /// All disputes of a payment, open and closed. Errors: [`StripeError`]; a restricted key may lack only this
    /// permission.
    pub async fn list_disputes(
        &self,
        keys: &StripeCredentials,
        payment: &str,
    ) -> Result<Vec<StripeDispute>, StripeError> {
        let query = [("payment_intent", payment.to_owned())];
        let found: Vec<DisputeRecord> =
            self.list_all(keys, "disputes", &query, |one: &DisputeRecord| one.id.clone()).await?;
        Ok(found.into_iter().map(Into::into).collect())
    }

    pub(super) fn endpoint_url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let above = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{above}/v1/{path}"));
        url
    }

    pub(super) async fn send_and_parse<T: DeserializeOwned>(
        &self,
        keys: &StripeCredentials,
        request: RequestBuilder,
    ) -> Result<T, StripeError> {
        self.send_request(keys, request).await?.parse_body()
    }

    pub(super) async fn send_request(
        &self,
        keys: &StripeCredentials,
        request: RequestBuilder,
    ) -> Result<StripeResponse, StripeError> {
        let request = self.authenticate_request(keys, request)?.header("Stripe-Version", VERSION).timeout(TIMEOUT);
        let answer = request.send().await.map_err(|e| transport_error(&e))?;
        let (status, after) = (answer.status(), parse_retry_after(answer.headers()));
        let is_replayed = answer.headers().get(REPLAYED).is_some_and(|value| value.as_bytes() == b"true");
        let body = read_body(answer, MAX_ANSWER_BYTES).await?;
        Ok(StripeResponse { status, after, is_replayed, body })
    }

    /// Authorises with the account's own key, or with the install's key and the account's id.
    fn authenticate_request(
        &self,
        keys: &StripeCredentials,
        request: RequestBuilder,
    ) -> Result<RequestBuilder, StripeError> {
        match (&keys.connected, &self.platform) {
            (None, _) => Ok(request.bearer_auth(keys.secret.expose_secret())),
            (Some(connected), Some(platform)) if connected.is_live == is_live_key(platform) => {
                Ok(request.bearer_auth(platform.expose_secret()).header("Stripe-Account", &connected.id))
            }
            // The platform key is missing or of the other mode.
            (Some(_), _) => Err(StripeError::Key("is no longer connected to this install".into())),
        }
    }

    pub(super) async fn download_file(&self, url: Url, most: usize) -> Result<StripeDownload, StripeError> {
        let answer = self.http.get(url).timeout(TIMEOUT).send().await.map_err(|e| transport_error(&e))?;
        let status = answer.status();
        if status.is_redirection() {
            let next = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            return Ok(StripeDownload::Redirect(next.unwrap_or_default().to_owned()));
        }
        let after = parse_retry_after(answer.headers());
        let body = read_body(answer, most).await?;
        if status.is_success() {
            return Ok(StripeDownload::Body(body.into()));
        }
        Err(StripeResponse { status, after, is_replayed: false, body }.to_stripe_error())
    }
}

impl OpenSessionError {
    fn into_error(self) -> StripeError {
        match self {
            Self::Email => StripeError::Refused("does not take the customer's email address".into()),
            Self::Else(error) => error,
        }
    }
}

impl StripeErrorDetail {
    fn is_about_field(&self, field: &str) -> bool {
        self.param.as_deref() == Some(field)
    }
}

pub(super) struct StripeResponse {
    pub(super) status: StatusCode,
    after: Option<Duration>,
    is_replayed: bool,
    body: Vec<u8>,
}

impl StripeResponse {
    pub(super) fn parse_error(&self) -> Option<StripeErrorDetail> {
        serde_json::from_slice::<StripeErrorBody>(&self.body).ok().map(|problem| problem.error)
    }

    pub(super) fn parse_body<T: DeserializeOwned>(&self) -> Result<T, StripeError> {
        if !self.status.is_success() {
            return Err(self.to_stripe_error());
        }
        serde_json::from_slice(&self.body)
            .map_err(|_| retryable_error("answered with something that is not Stripe's", RequestOutcome::Unclear))
    }

    /// Classifies an error (docs.stripe.com/api/errors). Stripe's message may hold an address and is not repeated.
    fn to_stripe_error(&self) -> StripeError {
        let parsed = self.parse_error();
        let code = parsed.as_ref().and_then(|error| error.code.as_deref());
        let later = |reason: &str, doubt| StripeError::Retry { reason: reason.to_owned(), after: self.after, doubt };
        match self.status {
            StatusCode::UNAUTHORIZED => StripeError::Key(UNKNOWN_KEY.into()),
            StatusCode::FORBIDDEN => StripeError::Key("says that this key may not do that".into()),
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

/// The whole body, up to `most` bytes.
async fn read_body(mut answer: reqwest::Response, most: usize) -> Result<Vec<u8>, StripeError> {
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|e| transport_error(&e))? {
        if body.len() + chunk.len() > most {
            return Err(StripeError::Refused("answered with far too much".into()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

pub(super) fn retryable_error(reason: &str, doubt: RequestOutcome) -> StripeError {
    StripeError::Retry { reason: reason.to_owned(), after: None, doubt }
}

fn transport_error(error: &reqwest::Error) -> StripeError {
    if error.is_connect() {
        retryable_error("could not be reached", RequestOutcome::NotDone)
    } else if error.is_timeout() {
        retryable_error("did not answer in time", RequestOutcome::Unclear)
    } else {
        retryable_error("was cut off in the middle of its answer", RequestOutcome::Unclear)
    }
}

fn parse_retry_after(headers: &header::HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(Duration::from_hours(1)))
}

fn parse_session(raw: RawSession) -> Result<StripeCheckoutSession, StripeError> {
    let (payment, payment_status) = match raw.payment_intent {
        Some(RawPayment::Id(id)) => (Some(id), None),
        Some(RawPayment::Whole { id, status }) => (Some(id), status),
        None => (None, None),
    };
    let status = match (raw.status.as_deref(), raw.payment_status.as_deref(), payment_status.as_deref()) {
        (_, Some("paid"), _) => StripeCheckoutStatus::Paid,
        (Some("expired"), ..) => StripeCheckoutStatus::Expired,
        // Completed, but the bank refused; the payment waits for another method that the closed page cannot collect.
        (Some("complete"), _, Some("requires_payment_method" | "canceled")) => StripeCheckoutStatus::Failed,
        (Some("complete"), ..) => StripeCheckoutStatus::Processing,
        _ => StripeCheckoutStatus::Open,
    };
    let amount = raw
        .amount_total
        .map(Cents)
        .ok_or_else(|| retryable_error("did not say the amount", RequestOutcome::Unclear))?;
    let currency = raw.currency.unwrap_or_else(|| DOLLARS.to_owned());
    Ok(StripeCheckoutSession { id: raw.id, url: raw.url, status, amount, currency, payment, livemode: raw.livemode })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(text: &str) -> Result<StripeCheckoutSession, StripeError> {
        parse_session(serde_json::from_str(text).unwrap())
    }

    #[test]
    fn checkout_session_status_maps_to_standing() {
        let table = [
            (r#""status":"open","payment_status":"unpaid","payment_intent":null"#, StripeCheckoutStatus::Open),
            (r#""status":"complete","payment_status":"paid","payment_intent":"pi_1""#, StripeCheckoutStatus::Paid),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"processing"}"#,
                StripeCheckoutStatus::Processing,
            ),
            (
                r#""status":"complete","payment_status":"unpaid","payment_intent":{"id":"pi_1","status":"requires_payment_method"}"#,
                StripeCheckoutStatus::Failed,
            ),
            (r#""status":"expired","payment_status":"unpaid","payment_intent":null"#, StripeCheckoutStatus::Expired),
        ];
        for (said, wanted) in table {
            let text = format!(r#"{{"id":"cs_1","url":null,"amount_total":500,"currency":"usd",{said}}}"#);
            assert_eq!(stands(&text).unwrap().status, wanted, "{said}");
        }
        let euros = r#"{"id":"cs_1","url":null,"amount_total":500,"currency":"eur","status":"open","livemode":true}"#;
        let euros = stands(euros).unwrap();
        assert_eq!((euros.is_in_usd(), euros.livemode), (false, Some(true)));
    }

    #[test]
    fn refusal_uses_own_words_and_omits_the_stripe_message() {
        let body = br#"{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such x: mia@home.example"}}"#;
        let said = |status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            StripeResponse { status, after: None, is_replayed: false, body: body.to_vec() }.to_stripe_error()
        };
        assert_eq!(said(400), StripeError::Refused("refused it (resource_missing)".into()));
        assert!(matches!(said(401), StripeError::Key(_)) && matches!(said(403), StripeError::Key(_)));
        for status in [409, 429, 500, 503] {
            assert!(matches!(said(status), StripeError::Retry { .. }), "{status}");
        }
        let doubts =
            [409, 429, 500].map(|status| (said(status).has_unknown_outcome(), said(status).has_stored_error()));
        assert_eq!(doubts, [(true, false), (false, false), (true, true)]);
    }
}
