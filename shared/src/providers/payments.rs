//! Card payments: a business's own account at Stripe, where its customers pay on a page of Stripe's; and the install's
//! own account, where businesses pay for the install ([`billing`]).
//!
//! No card number ever reaches us. Every change carries an idempotency key, so a call whose answer was lost is made
//! again and changes nothing twice (`docs.stripe.com/api/idempotent_requests`). Where an answer leaves it open whether
//! something was done ([`Doubt`]), Stripe's own lists decide.

use std::time::Duration;

use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use url::Url;

use crate::platform::{config::Vars, money::Cents};

pub mod billing;
pub mod connect;
pub mod records;
pub mod signature;
mod stripe;
pub mod subscription_fact;

pub use stripe::Stripe;

const STRIPE: &str = "https://api.stripe.com";

/// `STRIPE_API_URL`: where Stripe's API is; another address for tests.
///
/// # Panics
/// Never: the usual address is an address.
#[must_use]
pub fn api_url(vars: &mut Vars) -> Url {
    #[expect(clippy::expect_used, reason = "a constant that a test reads")]
    let usual = Url::parse(STRIPE).expect("Stripe's address");
    vars.parsed("STRIPE_API_URL", usual, "an address such as https://api.stripe.com")
}

/// How one business reaches its account: its own keys, or an account that it connected to the install's.
#[derive(Clone, Debug)]
pub struct Keys {
    /// `sk_live_…`, or a restricted `rk_live_…`. Empty for a connected account: the install's own key is used.
    pub secret: SecretString,
    /// The account that the business connected (Stripe Connect); none with keys of its own.
    pub connected: Option<Connected>,
    /// `acct_…` of the account that the secret key opens, where Stripe said it.
    pub own_account: Option<String>,
    /// `whsec_…` of the endpoint, and the one before it while it is changed. Without any, nobody is believed who says
    /// that they are Stripe, and what became of a payment is asked for.
    pub webhook: Vec<Signing>,
}

/// A secret that an endpoint's calls are signed with.
#[derive(Clone, Debug)]
pub struct Signing {
    pub secret: SecretString,
    /// From when on it is not believed any more; none for the one in force.
    pub until: Option<DateTime<Utc>>,
}

impl Signing {
    /// The one in force.
    #[must_use]
    pub fn in_force(secret: SecretString) -> Self {
        Self { secret, until: None }
    }

    #[must_use]
    pub fn is_good(&self, now: DateTime<Utc>) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// How the name of an account begins that Stripe did not name.
pub const UNNAMED: &str = "key_";

/// A Standard account that a business connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// `acct_…`
    pub id: String,
    /// Whether real money moves there.
    pub is_live: bool,
}

impl Keys {
    /// Keys of an account's own.
    #[must_use]
    pub fn own(secret: SecretString, webhook: Vec<Signing>) -> Self {
        Self { secret, connected: None, own_account: None, webhook }
    }

    /// A connected account: nothing is pasted, and its webhooks come to the install's own endpoint.
    #[must_use]
    pub fn connected(account: Connected) -> Self {
        Self { connected: Some(account), ..Self::own(SecretString::default(), Vec::new()) }
    }

    /// Whether it is the very same secret key.
    #[must_use]
    pub fn is_same_key(&self, other: &Self) -> bool {
        self.connected == other.connected && self.secret.expose_secret() == other.secret.expose_secret()
    }

    /// Whose account it is, and in which mode: `acct_…`, `acct_…:test`, or where Stripe did not say it the fingerprint of
    /// the key. Two keys of one account may differ in it, two accounts or modes never agree.
    #[must_use]
    pub fn account(&self) -> String {
        let named = |id: &String| if self.is_test() { format!("{id}:test") } else { id.clone() };
        match (&self.connected, &self.own_account) {
            (Some(connected), _) => named(&connected.id),
            (None, Some(own)) => named(own),
            (None, None) => {
                let hash = Sha256::digest(self.secret.expose_secret().as_bytes());
                let short = hash.iter().take(12).fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
                format!("{UNNAMED}{short:024x}")
            }
        }
    }

    /// The secrets whose signatures are believed now.
    #[must_use]
    pub fn signing(&self, now: DateTime<Utc>) -> Vec<SecretString> {
        self.webhook.iter().filter(|one| one.is_good(now)).map(|one| one.secret.clone()).collect()
    }

    /// The key as it may be shown: `sk_live_…4242`.
    #[must_use]
    pub fn hint(&self) -> String {
        if let Some(connected) = &self.connected {
            return connected.id.clone();
        }
        let key = self.secret.expose_secret();
        let kind: String = key.split('_').take(2).collect::<Vec<_>>().join("_");
        let end: String = key.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        format!("{kind}_…{end}")
    }

    /// Whether no real money moves with it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        if let Some(connected) = &self.connected {
            return !connected.is_live;
        }
        self.secret.expose_secret().contains("_test_")
    }
}

/// A page of Stripe's to be opened for one payment.
#[derive(Clone, Copy, Debug)]
pub struct NewSession<'a> {
    /// One intent, one key: repeated within a day, Stripe answers with the same page.
    pub key: &'a str,
    pub amount: Cents,
    /// What is paid: "Invoice INV-1001".
    pub title: &'a str,
    pub email: Option<&'a str>,
    /// `en` or `es`.
    pub language: &'a str,
    /// Where the customer comes back to, paid or not.
    pub success_url: &'a str,
    pub cancel_url: &'a str,
    /// Our id of it, which Stripe shows beside the payment.
    pub reference: &'a str,
    /// The business, by which the payment is recognized among others of the account.
    pub org: &'a str,
    /// 30 minutes to 24 hours after it was opened.
    pub expires_at: DateTime<Utc>,
}

/// How a page stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Open,
    Paid,
    /// The customer did their part; the bank has not answered yet.
    Underway,
    /// The bank said no after the page was closed.
    Failed,
    Expired,
}

/// A page as Stripe describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    /// Where the customer pays; none once it is closed.
    pub url: Option<String>,
    pub standing: Standing,
    pub amount: Cents,
    /// `usd`, and nothing else is ever asked for.
    pub currency: String,
    /// `pi_…`: the payment itself, which refunds name.
    pub payment: Option<String>,
    /// Whether real money moves, in Stripe's word.
    pub livemode: Option<bool>,
}

impl Session {
    #[must_use]
    pub fn is_in_dollars(&self) -> bool {
        self.currency == DOLLARS
    }
}

/// What everything is reckoned in, as Stripe writes it.
pub const DOLLARS: &str = "usd";

/// How far money that goes back has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundStanding {
    Pending,
    Succeeded,
    Failed,
}

/// Money that goes back, as Stripe describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refund {
    /// `re_…`
    pub id: String,
    pub amount: Cents,
    pub standing: RefundStanding,
    /// Our own id of it, when it was made here and not on Stripe's pages.
    pub reference: Option<String>,
}

/// A payment that its payer disputes with their bank, as Stripe describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispute {
    /// `du_…`, of older ones `dp_…`.
    pub id: String,
    /// What the bank takes back.
    pub amount: Cents,
    /// Stripe's word for how it stands (docs.stripe.com/api/disputes/object, "status").
    pub status: String,
}

impl Dispute {
    /// Whether the bank holds the money, or gave it to the payer. A word that is not known counts as that.
    #[must_use]
    pub fn has_taken(&self) -> bool {
        !self.status.starts_with("warning_") && !["won", "prevented"].contains(&self.status.as_str())
    }
}

/// Said of a key that is none of an account's.
pub const UNKNOWN_KEY: &str = "does not know this key";

/// Whether Stripe takes the key, by its answer; none when that says nothing of it.
#[must_use]
pub fn takes_key<T>(answer: &Result<T, PayError>) -> Option<bool> {
    match answer {
        Ok(_) => Some(true),
        Err(error) => error.is_unknown_key().then_some(false),
    }
}

/// Why a call brought nothing. Each text completes "Stripe …" for the owner, and holds no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayError {
    /// To be tried again.
    #[error("{reason}")]
    Retry { reason: String, after: Option<Duration>, doubt: Doubt },
    /// The key is none of an account's, or may not do this.
    #[error("{0}")]
    Key(String),
    /// Certainly not done, and trying the same again will not help.
    #[error("{0}")]
    Refused(String),
}

/// Whether a change may have been made although its answer was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Certainly not: the request never left, or was turned away before it was looked at.
    NotDone,
    /// It may have been: there was no whole answer, or another call with the same key is being worked on. The same key is
    /// used again, so nothing is done twice.
    Unclear,
    /// It may have been, and Stripe answered with an error of its own. It stores that answer for 24 hours and repeats it
    /// for the same key (`docs.stripe.com/api/idempotent_requests`): after a look at what is there, another key is used.
    Stored { is_replayed: bool },
}

impl PayError {
    /// Whether the change may have been made.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Retry { doubt: Doubt::Unclear | Doubt::Stored { .. }, .. })
    }

    /// Whether Stripe refuses the key altogether, not only what was asked with it.
    #[must_use]
    pub fn is_unknown_key(&self) -> bool {
        matches!(self, Self::Key(why) if why == UNKNOWN_KEY)
    }

    /// Whether the idempotency key is used up: Stripe has stored an error under it.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self, Self::Retry { doubt: Doubt::Stored { .. }, .. })
    }
}

/// What Stripe tells us of, as far as we read it: where to look.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    pub id: String,
    /// `acct_…`: of news of connected accounts, which all come to one endpoint.
    #[serde(default)]
    pub account: Option<String>,
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it is of live mode: an endpoint for connected accounts in live mode hears of their test mode too.
    #[serde(default)]
    pub livemode: Option<bool>,
    /// In seconds.
    pub created: i64,
    pub data: EventData,
}

#[derive(Clone, Debug, Deserialize)]
pub struct EventData {
    pub object: EventObject,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct EventObject {
    pub id: String,
    pub object: String,
    /// `pi_…`, as text or as an object with an id.
    pub payment_intent: Option<Named>,
}

/// A thing of Stripe's, by its id or in full.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Named {
    Id(String),
    Whole { id: String },
}

impl Named {
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Id(id) | Self::Whole { id } => id,
        }
    }
}

impl Event {
    /// The payment it is about, if it names one.
    #[must_use]
    pub fn payment(&self) -> Option<&str> {
        self.data.object.payment_intent.as_ref().map(Named::id)
    }

    /// The page it is about, if it is about one.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        (self.data.object.object == "checkout.session").then_some(self.data.object.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_its_kind_and_its_end() {
        let keys = |text: &str| Keys::own(SecretString::from(text.to_owned()), Vec::new());
        let live = keys("sk_live_51AbCdEfGhIjKl4242");
        assert_eq!((live.hint().as_str(), live.is_test()), ("sk_live_…4242", false));
        assert!(keys("rk_test_51AbCd").is_test());
        let of = |key: &str| Keys { own_account: Some("acct_1".into()), ..keys(key) }.account();
        assert_eq!(
            (of("sk_live_51AbCd"), of("rk_live_51Else"), of("sk_test_51AbCd")),
            ("acct_1".into(), "acct_1".into(), "acct_1:test".into())
        );
        assert_ne!(keys("sk_live_51AbCd").account(), keys("sk_live_51Else").account());
        assert!(!keys("sk_live_51AbCd").account().contains("51AbCd"));
        assert!(!format!("{live:?}").contains("51AbCd"), "a key prints itself nowhere");
    }

    #[test]
    fn an_event_says_where_to_look() {
        let read = |text: &str| serde_json::from_str::<Event>(text).unwrap();
        let done = read(
            r#"{"id":"evt_1","type":"checkout.session.completed","created":1,"livemode":true,
                "data":{"object":{"id":"cs_1","object":"checkout.session","payment_intent":"pi_1","amount_total":5}}}"#,
        );
        assert_eq!((done.session(), done.payment()), (Some("cs_1"), Some("pi_1")));
        let back = read(
            r#"{"id":"evt_2","type":"refund.updated","created":1,
                "data":{"object":{"id":"re_1","object":"refund","payment_intent":{"id":"pi_1","amount":5}}}}"#,
        );
        assert_eq!((back.session(), back.payment()), (None, Some("pi_1")));
        let other = read(r#"{"id":"evt_3","type":"product.created","created":1,"data":{"object":{"id":"prod_1"}}}"#);
        assert_eq!((other.session(), other.payment()), (None, None));
    }
}
