//! Stripe's API, as far as it is needed: open a page, look at it, close it, give money back, look at what went back.
//!
//! Facts: docs.stripe.com/api (checkout/sessions, refunds, errors). Amounts are whole cents; bodies are forms.

use std::time::Duration;

use reqwest::{RequestBuilder, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use super::{
    DOLLARS, Dispute, Doubt, Keys, NewSession, PayError, Refund, RefundStanding, Session, Standing, UNKNOWN_KEY,
    billing::Fetched,
    connect::is_live,
    records::{Charge, DisputeRecord, RefundRecord},
};
use crate::platform::money::Cents;

/// What answers look like changes with it, so it is said with every call.
const VERSION: &str = "2024-06-20";
/// Far above any answer that is asked for here.
const MAX_ANSWER_BYTES: usize = 512 * 1024;
const TIMEOUT: Duration = Duration::from_secs(10);
/// What Stripe says with an answer that it had stored for the idempotency key.
const REPLAYED: &str = "idempotent-replayed";

/// Stripe's API at its address. Whose account it is, each call says.
#[derive(Clone, Debug)]
pub struct Stripe {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    /// The install's own key, for accounts that businesses connected.
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
struct Problem {
    error: ProblemBody,
}

#[derive(Deserialize)]
pub(super) struct ProblemBody {
    pub(super) code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The field that it does not take.
    param: Option<String>,
}

/// Why a page was not opened.
enum Unopened {
    /// The customer's address is none that Stripe takes.
    Email,
    Else(PayError),
}

impl Stripe {
    #[must_use]
    pub fn new(http: reqwest::Client, base: Url) -> Self {
        Self { http, base, platform: None }
    }

    /// The same with the install's own key, by which connected accounts are reached.
    #[must_use]
    pub fn with_platform(self, platform: Option<SecretString>) -> Self {
        Self { platform, ..self }
    }

    /// Whether the key opens an account and may do what we need.
    ///
    /// # Errors
    /// [`PayError::Key`] when it may not.
    pub async fn check(&self, keys: &Keys) -> Result<(), PayError> {
        let asked = self.http.get(self.at("checkout/sessions")).query(&[("limit", "1")]);
        self.call::<serde::de::IgnoredAny>(keys, asked).await.map(|_| ())
    }

    /// Opens a page, or finds the one that this key opened before. An email address that Stripe does not take is left out:
    /// the customer types another one there.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn open(&self, keys: &Keys, new: &NewSession<'_>) -> Result<Session, PayError> {
        match self.try_open(keys, new).await {
            Ok(opened) => Ok(opened),
            Err(Unopened::Email) if new.email.is_some() => {
                let key = format!("{}:no-email", new.key);
                let again = NewSession { key: &key, email: None, ..*new };
                self.try_open(keys, &again).await.map_err(Unopened::into_error)
            }
            Err(other) => Err(other.into_error()),
        }
    }

    async fn try_open(&self, keys: &Keys, new: &NewSession<'_>) -> Result<Session, Unopened> {
        let (amount, expires) = (new.amount.0.to_string(), new.expires_at.timestamp().to_string());
        let mut form = vec![
            ("mode", "payment"),
            ("line_items[0][quantity]", "1"),
            ("line_items[0][price_data][currency]", DOLLARS),
            ("line_items[0][price_data][unit_amount]", &amount),
            ("line_items[0][price_data][product_data][name]", new.title),
            ("payment_intent_data[description]", new.title),
            // By these the payment is recognized when nobody told us of it.
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
        let asked = self.http.post(self.at("checkout/sessions")).header("Idempotency-Key", new.key).form(&form);
        let said = self.ask(keys, asked).await.map_err(Unopened::Else)?;
        if said.status.is_client_error() && said.problem().is_some_and(|problem| problem.is_of("customer_email")) {
            return Err(Unopened::Email);
        }
        said.read().and_then(session).map_err(Unopened::Else)
    }

    /// The page of ours that a payment was made on, or that bears our reference; looked for among those opened since.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn find_page(&self, keys: &Keys, reference: &str, since: i64) -> Result<Option<Session>, PayError> {
        let query = [("created[gte]", since.to_string()), ("expand[0]", "data.payment_intent".to_owned())];
        let all: Vec<RawSession> =
            self.all(keys, "checkout/sessions", &query, |one: &RawSession| one.id.clone()).await?;
        all.into_iter().find(|one| one.client_reference_id.as_deref() == Some(reference)).map(session).transpose()
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

    /// Gives money of a payment back. `reference` is our own id of it; `key` is its idempotency key.
    ///
    /// # Errors
    /// [`PayError::Refused`] when Stripe will not: too much, disputed, too long ago.
    pub async fn refund(
        &self,
        keys: &Keys,
        (payment, amount): (&str, Cents),
        reference: &str,
        key: &str,
    ) -> Result<Refund, PayError> {
        let cents = amount.0.to_string();
        let form = [("payment_intent", payment), ("amount", &cents), ("metadata[refund]", reference)];
        let asked = self.http.post(self.at("refunds")).header("Idempotency-Key", key).form(&form);
        self.call::<RefundRecord>(keys, asked).await.map(Into::into)
    }

    /// What Stripe says is left of a payment over `paid`, to be given back: by its charge and its disputes, or by what it
    /// lists as refunded where a restricted key may not read charges.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn left_of(&self, keys: &Keys, payment: &str, paid: Cents) -> Result<Cents, PayError> {
        let query = [("payment_intent", payment.to_owned())];
        let charges = match self.all(keys, "charges", &query, |one: &Charge| one.id.clone()).await {
            Err(PayError::Key(_) | PayError::Refused(_)) => Vec::new(),
            asked => asked?,
        };
        let taken: Vec<&Charge> = charges.iter().filter(|charge| charge.is_taken()).collect();
        if !taken.is_empty() {
            let left: i64 = taken.iter().map(|charge| charge.left().0).sum();
            let is_disputed = taken.iter().any(|charge| charge.disputed);
            let at_bank = if is_disputed { self.at_bank(keys, payment).await? } else { Cents::ZERO };
            return Ok(Cents((left - at_bank.0).max(0)));
        }
        let refunds = self.refunds(keys, payment).await?;
        let back = refunds.iter().filter(|one| one.standing != RefundStanding::Failed).map(|one| one.amount.0);
        Ok(Cents((paid.0 - back.sum::<i64>()).max(0)))
    }

    /// What the payer's bank has taken of a payment; nothing where the key may not ask.
    async fn at_bank(&self, keys: &Keys, payment: &str) -> Result<Cents, PayError> {
        match self.disputes(keys, payment).await {
            Ok(all) => Ok(all.iter().filter(|one| one.has_taken()).map(|one| one.amount).sum()),
            Err(PayError::Key(_) | PayError::Refused(_)) => Ok(Cents::ZERO),
            Err(e) => Err(e),
        }
    }

    /// Everything that went back of a payment, wherever it was asked for.
    ///
    /// # Errors
    /// [`PayError`].
    pub async fn refunds(&self, keys: &Keys, payment: &str) -> Result<Vec<Refund>, PayError> {
        let query = [("payment_intent", payment.to_owned())];
        let found: Vec<RefundRecord> = self.all(keys, "refunds", &query, |one: &RefundRecord| one.id.clone()).await?;
        Ok(found.into_iter().map(Into::into).collect())
    }

    /// Every dispute of a payment, over or not.
    ///
    /// # Errors
    /// [`PayError`]; a restricted key may be allowed everything else and not this.
    pub async fn disputes(&self, keys: &Keys, payment: &str) -> Result<Vec<Dispute>, PayError> {
        let query = [("payment_intent", payment.to_owned())];
        let found: Vec<DisputeRecord> =
            self.all(keys, "disputes", &query, |one: &DisputeRecord| one.id.clone()).await?;
        Ok(found.into_iter().map(Into::into).collect())
    }

    pub(super) fn at(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let above = self.base.path().trim_end_matches('/');
        url.set_path(&format!("{above}/v1/{path}"));
        url
    }

    pub(super) async fn call<T: DeserializeOwned>(&self, keys: &Keys, request: RequestBuilder) -> Result<T, PayError> {
        self.ask(keys, request).await?.read()
    }

    pub(super) async fn ask(&self, keys: &Keys, request: RequestBuilder) -> Result<Said, PayError> {
        let request = self.signed(keys, request)?.header("Stripe-Version", VERSION).timeout(TIMEOUT);
        let answer = request.send().await.map_err(|e| not_answered(&e))?;
        let (status, after) = (answer.status(), wait(answer.headers()));
        let is_replayed = answer.headers().get(REPLAYED).is_some_and(|value| value.as_bytes() == b"true");
        let body = read(answer, MAX_ANSWER_BYTES).await?;
        Ok(Said { status, after, is_replayed, body })
    }

    /// With the account's own key, or with the install's and the name of the account.
    fn signed(&self, keys: &Keys, request: RequestBuilder) -> Result<RequestBuilder, PayError> {
        match (&keys.connected, &self.platform) {
            (None, _) => Ok(request.bearer_auth(keys.secret.expose_secret())),
            (Some(connected), Some(platform)) if connected.is_live == is_live(platform) => {
                Ok(request.bearer_auth(platform.expose_secret()).header("Stripe-Account", &connected.id))
            }
            // Without the platform's key, or with one of Stripe's other mode.
            (Some(_), _) => Err(PayError::Key("is not connected to this install any more".into())),
        }
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
        if status.is_success() {
            return Ok(Fetched::Body(body.into()));
        }
        Err(Said { status, after, is_replayed: false, body }.refused())
    }
}

impl Unopened {
    fn into_error(self) -> PayError {
        match self {
            Self::Email => PayError::Refused("does not take the customer's email address".into()),
            Self::Else(error) => error,
        }
    }
}

impl ProblemBody {
    fn is_of(&self, field: &str) -> bool {
        self.param.as_deref() == Some(field)
    }
}

/// A whole answer.
pub(super) struct Said {
    pub(super) status: StatusCode,
    after: Option<Duration>,
    /// It was stored for the idempotency key before.
    is_replayed: bool,
    body: Vec<u8>,
}

impl Said {
    pub(super) fn problem(&self) -> Option<ProblemBody> {
        serde_json::from_slice::<Problem>(&self.body).ok().map(|problem| problem.error)
    }

    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, PayError> {
        if !self.status.is_success() {
            return Err(self.refused());
        }
        serde_json::from_slice(&self.body)
            .map_err(|_| again("answered with something that is not Stripe's", Doubt::Unclear))
    }

    /// What a refusal means (docs.stripe.com/api/errors). Stripe's own sentence may hold an address: it is not repeated.
    fn refused(&self) -> PayError {
        let said = self.problem();
        let code = said.as_ref().and_then(|error| error.code.as_deref());
        let later = |reason: &str, doubt| PayError::Retry { reason: reason.to_owned(), after: self.after, doubt };
        match self.status {
            StatusCode::UNAUTHORIZED => PayError::Key(UNKNOWN_KEY.into()),
            StatusCode::FORBIDDEN => PayError::Key("says that this key may not do that".into()),
            StatusCode::TOO_MANY_REQUESTS => later("takes no more at this moment", Doubt::NotDone),
            // The same key is being worked on by another call of ours.
            StatusCode::CONFLICT => later("is still busy with it", Doubt::Unclear),
            status if status.is_server_error() => {
                later("failed to answer", Doubt::Stored { is_replayed: self.is_replayed })
            }
            status if status.is_redirection() => PayError::Refused("is not at STRIPE_API_URL".into()),
            status => PayError::Refused(match (code, said.as_ref().and_then(|error| error.kind.as_deref())) {
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

pub(super) fn again(reason: &str, doubt: Doubt) -> PayError {
    PayError::Retry { reason: reason.to_owned(), after: None, doubt }
}

fn not_answered(error: &reqwest::Error) -> PayError {
    if error.is_connect() {
        again("could not be reached", Doubt::NotDone)
    } else if error.is_timeout() {
        again("did not answer in time", Doubt::Unclear)
    } else {
        again("was cut off in the middle of its answer", Doubt::Unclear)
    }
}

fn wait(headers: &header::HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(Duration::from_hours(1)))
}

fn session(raw: RawSession) -> Result<Session, PayError> {
    let (payment, payment_status) = match raw.payment_intent {
        Some(RawPayment::Id(id)) => (Some(id), None),
        Some(RawPayment::Whole { id, status }) => (Some(id), status),
        None => (None, None),
    };
    let standing = match (raw.status.as_deref(), raw.payment_status.as_deref(), payment_status.as_deref()) {
        (_, Some("paid"), _) => Standing::Paid,
        (Some("expired"), ..) => Standing::Expired,
        // The page was finished, and the bank said no: the payment waits for another means that nobody can give.
        (Some("complete"), _, Some("requires_payment_method" | "canceled")) => Standing::Failed,
        (Some("complete"), ..) => Standing::Underway,
        _ => Standing::Open,
    };
    let amount = raw.amount_total.map(Cents).ok_or_else(|| again("did not say the amount", Doubt::Unclear))?;
    let currency = raw.currency.unwrap_or_else(|| DOLLARS.to_owned());
    Ok(Session { id: raw.id, url: raw.url, standing, amount, currency, payment, livemode: raw.livemode })
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
        let euros = r#"{"id":"cs_1","url":null,"amount_total":500,"currency":"eur","status":"open","livemode":true}"#;
        let euros = stands(euros).unwrap();
        assert_eq!((euros.is_in_dollars(), euros.livemode), (false, Some(true)));
    }

    #[test]
    fn a_refusal_is_said_in_our_words_and_repeats_nothing() {
        let body = br#"{"error":{"type":"invalid_request_error","code":"resource_missing","message":"No such x: mia@home.example"}}"#;
        let said = |status: u16| {
            let status = StatusCode::from_u16(status).unwrap();
            Said { status, after: None, is_replayed: false, body: body.to_vec() }.refused()
        };
        assert_eq!(said(400), PayError::Refused("refused it (resource_missing)".into()));
        assert!(matches!(said(401), PayError::Key(_)) && matches!(said(403), PayError::Key(_)));
        for status in [409, 429, 500, 503] {
            assert!(matches!(said(status), PayError::Retry { .. }), "{status}");
        }
        let doubts = [409, 429, 500].map(|status| (said(status).is_in_doubt(), said(status).is_stored()));
        assert_eq!(doubts, [(true, false), (false, false), (true, true)]);
    }
}
