//! Stripe API client: checkout pages, refunds and disputes.
//!
//! Sources: docs.stripe.com/api (checkout/sessions, refunds, errors). Amounts are whole cents; bodies are forms.

use std::time::Duration;

use platform::{money::Cents, spans};
use reqwest::{Request, RequestBuilder, header};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use url::Url;

use super::{
    NO_PLATFORM, RequestOutcome, StripeCredentials, StripeDispute, StripeError, StripeRefund, StripeRefundStatus,
    billing::StripeDownload,
    connect::is_live_key,
    records::{DisputeRecord, RefundRecord, StripeCharge},
};

mod checkout_session;
pub(super) mod response;

use response::{
    ANSWER_TOO_LONG, MAX_ANSWER_BYTES, StripeResponse, parse_retry_after, read_body, retryable_error, transport_error,
};

/// API version, sent with every call because it determines the response format.
const VERSION: &str = "2024-06-20";
const TIMEOUT: Duration = Duration::from_secs(10);
/// Name in spans.
const PROVIDER: &str = "stripe";
/// Header of a response that Stripe had stored for the idempotency key.
const REPLAYED: &str = "idempotent-replayed";

/// Each call names its account.
#[derive(Clone, Debug)]
pub struct Stripe {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    pub(super) platform: Option<SecretString>,
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
            Ok(all) => Ok(all.iter().filter(|one| one.has_withdrawn_funds()).map(StripeDispute::booked_amount).sum()),
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
        let answer = self.send_within(keys, request, MAX_ANSWER_BYTES).await?;
        answer.ok_or_else(|| retryable_error(ANSWER_TOO_LONG, RequestOutcome::Unclear))
    }

    /// None where the answer is longer than `most` bytes.
    pub(super) async fn send_within(
        &self,
        keys: &StripeCredentials,
        request: RequestBuilder,
        most: usize,
    ) -> Result<Option<StripeResponse>, StripeError> {
        let request = self.authenticate_request(keys, request)?.header("Stripe-Version", VERSION).timeout(TIMEOUT);
        let (client, request) = request.build_split();
        let request = request.map_err(|e| transport_error(&e))?;
        let operation = describe_operation(&request);
        let answer = spans::execute_at_provider(&client, request, PROVIDER, &operation).await;
        let answer = answer.map_err(|e| transport_error(&e))?;
        let (status, after) = (answer.status(), parse_retry_after(answer.headers()));
        let is_replayed = answer.headers().get(REPLAYED).is_some_and(|value| value.as_bytes() == b"true");
        let body = read_body(answer, most).await?;
        Ok(body.map(|body| StripeResponse { status, after, is_replayed, body }))
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
            (Some(_), _) => Err(StripeError::Key(NO_PLATFORM.into())),
        }
    }

    pub(super) async fn download_file(&self, url: Url, most: usize) -> Result<StripeDownload, StripeError> {
        let request = self.http.get(url).timeout(TIMEOUT);
        let answer = spans::send_to_provider(request, PROVIDER, "download file").await;
        let answer = answer.map_err(|e| transport_error(&e))?;
        let status = answer.status();
        if status.is_redirection() {
            let next = answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            return Ok(StripeDownload::Redirect(next.unwrap_or_default().to_owned()));
        }
        let after = parse_retry_after(answer.headers());
        let body = read_body(answer, most).await?.ok_or_else(|| StripeError::Refused(ANSWER_TOO_LONG.into()))?;
        if status.is_success() {
            return Ok(StripeDownload::Body(body.into()));
        }
        Err(StripeResponse { status, after, is_replayed: false, body }.to_stripe_error())
    }
}

/// Method and kind of resource, such as `POST refunds`: what follows in the path are ids.
fn describe_operation(request: &Request) -> String {
    let (_, resource) = request.url().path().split_once("/v1/").unwrap_or_default();
    format!("{} {}", request.method(), resource.split('/').next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operation_names_method_and_resource_without_ids() {
        let request =
            |path: &str| Request::new(reqwest::Method::POST, format!("https://api.stripe.com{path}").parse().unwrap());
        for (path, operation) in [
            ("/v1/refunds", "POST refunds"),
            ("/v1/checkout/sessions/cs_test_a1b2/expire", "POST checkout"),
            ("/v1/subscriptions/sub_123?expand=latest", "POST subscriptions"),
            ("/elsewhere", "POST "),
        ] {
            assert_eq!(describe_operation(&request(path)), operation);
        }
    }
}
