//! Card payments through Stripe: accounts of businesses, whose customers pay on Stripe's pages, and the install's own
//! account, where businesses pay for the install ([`billing`]).
//!
//! Card numbers never reach us. Every change carries an idempotency key, so a call whose response was lost is repeated
//! safely (`docs.stripe.com/api/idempotent_requests`). When a response leaves the outcome open ([`RequestOutcome`]),
//! Stripe's lists decide.

use std::time::Duration;

use chrono::{DateTime, Utc};
use platform::{config::EnvVars, money::Cents};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

pub mod billing;
pub mod connect;
pub mod records;
pub mod signature;
mod stripe;
pub mod subscription_snapshot;

pub use stripe::Stripe;

const STRIPE: &str = "https://api.stripe.com";

/// `STRIPE_API_URL`: base address of Stripe's API, changed only for tests.
///
/// # Panics
/// Never: the default is a valid address.
#[must_use]
pub fn stripe_api_url(vars: &mut EnvVars) -> Url {
    #[expect(clippy::expect_used, reason = "a constant that a test reads")]
    let usual = Url::parse(STRIPE).expect("Stripe's address");
    vars.parse_or("STRIPE_API_URL", usual, "an address such as https://api.stripe.com")
}

/// Access to a business's account: its own keys, or an account connected to the install's.
#[derive(Clone, Debug)]
pub struct StripeCredentials {
    /// `sk_live_…`, or a restricted `rk_live_…`. Empty for a connected account, which uses the install's key.
    pub secret: SecretString,
    /// Account connected by the business (Stripe Connect); none with own keys.
    pub connected: Option<ConnectedStripeAccount>,
    /// `acct_…` of the secret key's account, if Stripe reported it.
    pub own_account: Option<String>,
    /// `whsec_…` of the endpoint, and its predecessor during a change. Without one no webhook is trusted, and payment
    /// results are polled.
    pub webhook: Vec<WebhookSecret>,
}

#[derive(Clone, Debug)]
pub struct WebhookSecret {
    pub secret: SecretString,
    /// End of its validity; none for the current one.
    pub until: Option<DateTime<Utc>>,
}

impl WebhookSecret {
    #[must_use]
    pub fn without_expiry(secret: SecretString) -> Self {
        Self { secret, until: None }
    }

    #[must_use]
    pub fn is_valid_at(&self, now: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Prefix of account names that Stripe did not report.
pub const UNNAMED_ACCOUNT_PREFIX: &str = "key_";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedStripeAccount {
    /// `acct_…`
    pub id: String,
    pub is_live: bool,
}

impl StripeCredentials {
    #[must_use]
    pub fn with_own_secret(secret: SecretString, webhook: Vec<WebhookSecret>) -> Self {
        Self { secret, connected: None, own_account: None, webhook }
    }

    /// A connected account: no pasted keys, and webhooks arrive at the install's own endpoint.
    #[must_use]
    pub fn for_connected_account(account: ConnectedStripeAccount) -> Self {
        Self { connected: Some(account), ..Self::with_own_secret(SecretString::default(), Vec::new()) }
    }

    #[must_use]
    pub fn is_same_key(&self, other: &Self) -> bool {
        self.connected == other.connected && self.secret.expose_secret() == other.secret.expose_secret()
    }

    /// Account and mode: `acct_…`, `acct_…:test`, or the key's fingerprint if Stripe did not report the account. Two
    /// keys of one account may differ in it; two accounts or modes never agree.
    #[must_use]
    pub fn account_key(&self) -> String {
        let named = |id: &String| if self.is_test_mode() { format!("{id}:test") } else { id.clone() };
        match (&self.connected, &self.own_account) {
            (Some(connected), _) => named(&connected.id),
            (None, Some(own)) => named(own),
            (None, None) => {
                let hash = Sha256::digest(self.secret.expose_secret().as_bytes());
                let short = hash.iter().take(12).fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
                format!("{UNNAMED_ACCOUNT_PREFIX}{short:024x}")
            }
        }
    }

    /// Signing secrets valid at `now`.
    #[must_use]
    pub fn valid_webhook_secrets(&self, now: DateTime<Utc>) -> Vec<SecretString> {
        self.webhook.iter().filter(|one| one.is_valid_at(now)).map(|one| one.secret.clone()).collect()
    }

    /// Masked for display: `sk_live_…4242`.
    #[must_use]
    pub fn masked_key(&self) -> String {
        if let Some(connected) = &self.connected {
            return connected.id.clone();
        }
        let key = self.secret.expose_secret();
        let kind: String = key.split('_').take(2).collect::<Vec<_>>().join("_");
        let end: String = key.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        format!("{kind}_…{end}")
    }

    #[must_use]
    pub fn is_test_mode(&self) -> bool {
        if let Some(connected) = &self.connected {
            return !connected.is_live;
        }
        self.secret.expose_secret().contains("_test_")
    }
}

#[derive(Clone, Copy, Debug)]
pub struct NewCheckoutSession<'a> {
    /// Idempotency key: repeated within a day, Stripe returns the same page.
    pub key: &'a str,
    pub amount: Cents,
    pub title: &'a str,
    pub email: Option<&'a str>,
    /// `en` or `es`.
    pub language: &'a str,
    /// Return addresses after payment and after leaving.
    pub success_url: &'a str,
    pub cancel_url: &'a str,
    /// Our id, shown by Stripe beside the payment.
    pub reference: &'a str,
    /// The business's id, which identifies the payment among others of the account.
    pub org: &'a str,
    /// Ids of the lead and of the paper that is paid. A backup older than the page knows them.
    pub lead: &'a str,
    pub paper: PaidPaper<'a>,
    /// 30 minutes to 24 hours after opening.
    pub expires_at: DateTime<Utc>,
}

/// A paper by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaidPaper<'a> {
    Invoice(&'a str),
    /// Its deposit is paid.
    Estimate(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripeCheckoutStatus {
    Open,
    Paid,
    /// The customer has finished; the bank has not answered yet.
    Processing,
    /// The bank refused after the page was closed.
    Failed,
    Expired,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripeCheckoutSession {
    pub id: String,
    pub url: Option<String>,
    pub status: StripeCheckoutStatus,
    pub amount: Cents,
    /// Always `usd`.
    pub currency: String,
    /// `pi_…`: the payment, which refunds refer to.
    pub payment: Option<String>,
    /// Live mode, as reported by Stripe.
    pub livemode: Option<bool>,
}

impl StripeCheckoutSession {
    #[must_use]
    pub fn is_in_usd(&self) -> bool {
        self.currency == DOLLARS
    }
}

/// Stripe's code of the only currency in use.
pub const DOLLARS: &str = "usd";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripeRefundStatus {
    Pending,
    Succeeded,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripeRefund {
    /// `re_…`
    pub id: String,
    pub amount: Cents,
    pub status: StripeRefundStatus,
    /// Our id; none when the refund was made on Stripe's pages.
    pub reference: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StripeDispute {
    /// `du_…`; `dp_…` for older ones.
    pub id: String,
    /// The disputed amount.
    pub amount: Cents,
    /// Stripe's status (docs.stripe.com/api/disputes/object, "status").
    pub status: String,
    /// What the dispute's own balance transactions took in sum; zero once it came back. None where Stripe lists none.
    pub withdrawn: Option<Cents>,
}

impl StripeDispute {
    /// Whether the money is gone: the bank holds it or returned it to the payer. The balance transactions decide; a
    /// prevented dispute may take money (Visa RDR). Without them the status decides, and unknown statuses count as yes.
    #[must_use]
    pub fn has_withdrawn_funds(&self) -> bool {
        self.withdrawn.map_or_else(|| self.has_withdrawing_status(), |withdrawn| withdrawn > Cents::ZERO)
    }

    fn has_withdrawing_status(&self) -> bool {
        !self.status.starts_with("warning_") && !["won", "prevented"].contains(&self.status.as_str())
    }

    /// Amount that is gone where [`Self::has_withdrawn_funds`], else the disputed amount.
    #[must_use]
    pub fn booked_amount(&self) -> Cents {
        self.withdrawn.filter(|withdrawn| *withdrawn > Cents::ZERO).unwrap_or(self.amount)
    }
}

pub const UNKNOWN_KEY: &str = "does not know this key";

/// Answer to a key that lacks a permission.
pub const KEY_NOT_ALLOWED: &str = "says that this key may not do that";

/// A connected account cannot be asked for: the platform's key is missing or of the other mode.
pub const NO_PLATFORM: &str = "is no longer connected to this install";

/// Whether the reason is a key that is refused, lacks a permission or is missing.
#[must_use]
pub fn is_about_key(why: &str) -> bool {
    [UNKNOWN_KEY, KEY_NOT_ALLOWED, NO_PLATFORM].contains(&why)
}

/// Whether Stripe accepts the key; none when the response does not tell.
#[must_use]
pub fn key_validity<T>(answer: &Result<T, StripeError>) -> Option<bool> {
    match answer {
        Ok(_) => Some(true),
        Err(error) => error.is_unknown_key().then_some(false),
    }
}

/// Each text completes "Stripe …" for the owner, and holds no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StripeError {
    /// Retryable.
    #[error("{reason}")]
    Retry { reason: String, after: Option<Duration>, doubt: RequestOutcome },
    /// The key is invalid or lacks a permission.
    #[error("{0}")]
    Key(String),
    /// Certainly not done; a retry will not help.
    #[error("{0}")]
    Refused(String),
}

/// Whether a change may have been made although the call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// Certainly not: the request was never sent, or was rejected unprocessed.
    NotDone,
    /// Possibly: the response was incomplete, or another call with the same key is in progress. The same key is used
    /// again, so nothing is done twice.
    Unclear,
    /// Possibly, and Stripe returned an error. It stores that response for 24 hours and repeats it for the same key
    /// (`docs.stripe.com/api/idempotent_requests`): after checking Stripe's records, a new key is needed.
    Stored { is_replayed: bool },
}

impl StripeError {
    #[must_use]
    pub fn has_unknown_outcome(&self) -> bool {
        matches!(self, Self::Retry { doubt: RequestOutcome::Unclear | RequestOutcome::Stored { .. }, .. })
    }

    /// Whether Stripe refuses the key itself, not only the request.
    #[must_use]
    pub fn is_unknown_key(&self) -> bool {
        matches!(self, Self::Key(why) if why == UNKNOWN_KEY)
    }

    /// Whether Stripe has stored an error under the idempotency key, so that it cannot be used again.
    #[must_use]
    pub fn has_stored_error(&self) -> bool {
        matches!(self, Self::Retry { doubt: RequestOutcome::Stored { .. }, .. })
    }
}

/// A webhook event, reduced to what tells where to look.
#[derive(Clone, Debug, Deserialize)]
pub struct StripeEvent {
    pub id: String,
    /// `acct_…` on events of connected accounts, which all come to one endpoint.
    #[serde(default)]
    pub account: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    /// Live mode: a live endpoint for connected accounts also gets their test events.
    #[serde(default)]
    pub livemode: Option<bool>,
    /// Unix time in seconds.
    pub created: i64,
    pub data: StripeEventData,
}

#[derive(Clone, Debug, Deserialize)]
pub struct StripeEventData {
    pub object: StripeEventObject,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct StripeEventObject {
    pub id: String,
    pub object: String,
    /// `pi_…`, as text or as an object with an id.
    pub payment_intent: Option<Expandable>,
}

/// A Stripe object, as its id or expanded.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Expandable {
    Id(String),
    Whole { id: String },
}

impl Expandable {
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Id(id) | Self::Whole { id } => id,
        }
    }
}

impl StripeEvent {
    #[must_use]
    pub fn payment_intent_id(&self) -> Option<&str> {
        self.data.object.payment_intent.as_ref().map(Expandable::id)
    }

    /// The checkout page's id, if the event is about one.
    #[must_use]
    pub fn checkout_session_id(&self) -> Option<&str> {
        (self.data.object.object == "checkout.session").then_some(self.data.object.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_key_is_shown_only_by_its_kind_and_last_four() {
        let keys = |text: &str| StripeCredentials::with_own_secret(SecretString::from(text.to_owned()), Vec::new());
        let live = keys("sk_live_51AbCdEfGhIjKl4242");
        assert_eq!((live.masked_key().as_str(), live.is_test_mode()), ("sk_live_…4242", false));
        assert!(keys("rk_test_51AbCd").is_test_mode());
        let of = |key: &str| StripeCredentials { own_account: Some("acct_1".into()), ..keys(key) }.account_key();
        assert_eq!(
            (of("sk_live_51AbCd"), of("rk_live_51Else"), of("sk_test_51AbCd")),
            ("acct_1".into(), "acct_1".into(), "acct_1:test".into())
        );
        assert_ne!(keys("sk_live_51AbCd").account_key(), keys("sk_live_51Else").account_key());
        assert!(!keys("sk_live_51AbCd").account_key().contains("51AbCd"));
        assert!(!format!("{live:?}").contains("51AbCd"), "a key prints itself nowhere");
    }

    #[test]
    fn balance_transactions_of_a_dispute_decide_whether_money_is_gone() {
        for (status, withdrawn, is_gone) in [
            ("prevented", None, false),
            ("prevented", Some(500), true),
            ("needs_response", None, true),
            ("warning_closed", Some(500), true),
            ("won", Some(500), true),
            ("won", Some(0), false),
            ("lost", Some(0), false),
            ("a word of next year", None, true),
        ] {
            let withdrawn = withdrawn.map(Cents);
            let dispute = StripeDispute { id: "du_1".into(), amount: Cents(700), status: status.into(), withdrawn };
            assert_eq!(dispute.has_withdrawn_funds(), is_gone, "{status} {withdrawn:?}");
            let amount = if withdrawn == Some(Cents(500)) { 500 } else { 700 };
            assert_eq!(dispute.booked_amount(), Cents(amount), "{status} {withdrawn:?}");
        }
    }

    #[test]
    fn event_names_its_session_and_payment() {
        let read = |text: &str| serde_json::from_str::<StripeEvent>(text).unwrap();
        let done = read(
            r#"{"id":"evt_1","type":"checkout.session.completed","created":1,"livemode":true,
                "data":{"object":{"id":"cs_1","object":"checkout.session","payment_intent":"pi_1","amount_total":5}}}"#,
        );
        assert_eq!((done.checkout_session_id(), done.payment_intent_id()), (Some("cs_1"), Some("pi_1")));
        let back = read(
            r#"{"id":"evt_2","type":"refund.updated","created":1,
                "data":{"object":{"id":"re_1","object":"refund","payment_intent":{"id":"pi_1","amount":5}}}}"#,
        );
        assert_eq!((back.checkout_session_id(), back.payment_intent_id()), (None, Some("pi_1")));
        let other = read(r#"{"id":"evt_3","type":"product.created","created":1,"data":{"object":{"id":"prod_1"}}}"#);
        assert_eq!((other.checkout_session_id(), other.payment_intent_id()), (None, None));
    }
}
