//! A fake Stripe: pay pages, payments, idempotency keys, errors, and the signed events that it sends.
//!
//! Its charges and refunds are the reference in stories about money that was taken twice or lost.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::{Value, json};
use shared::{platform::clock::ClockRng, providers::payments::signature};
use tokio::net::TcpListener;

mod accounts;
pub mod billing;
mod calls;
mod checkout;
mod disputes;
mod money;
mod price;
mod refunds;

pub use accounts::{Account, AccountLink, CONNECT_ENDPOINT, OTHER_PLATFORM, PLATFORM};
use calls::{account_of, answer, hidden, refused};
use checkout::drawn;
use disputes::Dispute;
pub use money::{Charge, Payout, Transaction};
pub use refunds::Refund;

/// The account's key in Stripe's test mode: no real money moves.
pub const KEY: &str = "sk_test_51FakeStripeAccount4242";
/// The same account's key in live mode.
pub const LIVE: &str = "sk_live_51FakeStripeLiveMode4242";
/// Another live key of the same account.
pub const LIVE_NEW: &str = "sk_live_51FakeStripeNewLiveKey4242";
/// The key of another account, which knows nothing made with the others.
pub const OTHER: &str = "sk_live_51FakeOtherAccount4242";
pub const ENDPOINT: &str = "whsec_fakeendpointsecret";
/// Stripe's minimum amount, in cents of a dollar.
const LEAST: i64 = 50;

type Fields = Vec<(String, String)>;

/// Faults of the next call that changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is done, and the answer is Stripe's own error, which it stores for the key and repeats for a day.
    DoneThen500,
    /// Nothing is done, and the answer is Stripe's own error, stored in the same way.
    Error500,
    /// It is done, and the connection ends in the middle of the answer.
    DoneThenCut,
    /// The connection ends before anything is done.
    Cut,
    /// The key is revoked.
    Unauthorized,
    /// The key lacks the permission.
    Forbidden,
    None,
    TooManyRequests,
    /// A request with the same idempotency key is in progress.
    Conflict,
    /// The same idempotency key was used for another request.
    KeyReused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Paid,
    /// A bank transfer that takes days.
    Underway,
    /// The bank refused afterwards.
    Refused,
    Expired,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub amount: i64,
    pub currency: String,
    pub livemode: bool,
    pub account: String,
    created: i64,
    pub fields: HashMap<String, String>,
    pub left: Option<Left>,
    payment: Option<String>,
}

#[derive(Debug, Default)]
struct Book {
    sessions: Vec<Session>,
    refunds: Vec<Refund>,
    disputes: Vec<Dispute>,
    charges: Vec<Charge>,
    transactions: Vec<Transaction>,
    payouts: Vec<Payout>,
    /// Accounts made by the platform, and pages for their owners.
    accounts: Vec<Account>,
    links: Vec<AccountLink>,
    clock: Option<ClockRng>,
    /// Lists that the key, a restricted one, may not read.
    hidden: BTreeSet<&'static str>,
    /// Keys that were deleted in Stripe.
    revoked: BTreeSet<&'static str>,
    /// New payouts are not reconciled yet.
    has_unreconciled_payouts: bool,
    /// Pages are not expired on request.
    keeps_pages: bool,
    /// Length of the description of each charge.
    description_length: usize,
    /// The answer of each idempotency key, with its request.
    answered: HashMap<String, (Fields, StatusCode, Value)>,
    script: VecDeque<Fault>,
    /// Faults of calls that only read.
    read_script: VecDeque<Fault>,
    is_pending: bool,
    events: u64,
    /// Customers and subscriptions.
    billing: billing::Books,
}

/// Clones share their state.
#[derive(Clone, Debug)]
pub struct FakeStripe {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

impl FakeStripe {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port for the fake Stripe");
        let fake = Self { book: Arc::default(), address: listener.local_addr().expect("the address just bound") };
        let router = Router::new()
            .route("/v1/checkout/sessions", post(checkout::open).get(checkout::list))
            .route("/v1/checkout/sessions/{id}", get(checkout::look))
            .route("/v1/checkout/sessions/{id}/expire", post(checkout::expire))
            .route("/v1/account", get(own_account))
            .route("/v1/accounts", post(accounts::make))
            .route("/v1/accounts/{id}", get(accounts::look))
            .route("/v1/account_links", post(accounts::link))
            .route("/v1/charges", get(money::charges))
            .route("/v1/balance_transactions", get(money::transactions))
            .route("/v1/payouts", get(money::payouts))
            .route("/v1/refunds", post(refunds::make).get(refunds::list))
            .route("/v1/disputes", get(disputes::list))
            .merge(billing::routes())
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn script(&self, faults: &[Fault]) {
        self.book().script.extend(faults);
    }

    pub fn script_reads(&self, faults: &[Fault]) {
        self.book().read_script.extend(faults);
    }

    pub fn is_well(&self) {
        let mut book = self.book();
        book.script.clear();
        book.read_script.clear();
    }

    /// `account`: a restricted key may not read whose key it is.
    pub fn hides(&self, list: &'static str) {
        self.book().hidden.insert(list);
    }

    /// The key is deleted in Stripe.
    pub fn revokes(&self, key: &'static str) {
        self.book().revoked.insert(key);
    }

    pub fn hides_nothing(&self) {
        self.book().hidden.clear();
    }

    /// Charges are described at this length from now on, as by another program of the account.
    pub fn describes_charges(&self, length: usize) {
        self.book().description_length = length;
    }

    pub fn keeps_pages(&self) {
        self.book().keeps_pages = true;
    }

    /// Dates follow this clock from now on.
    pub fn keeps_time(&self, clock: ClockRng) {
        self.book().clock = Some(clock);
    }

    /// Changes a page's currency after it was opened.
    pub fn converts(&self, session: &str, currency: &str) {
        let mut book = self.book();
        let page = book.sessions.iter_mut().find(|page| page.id == session).expect("a page of that id");
        page.currency = currency.into();
    }

    #[must_use]
    pub fn sessions(&self) -> Vec<Session> {
        self.book().sessions.clone()
    }

    /// Card payments in the balance that were not returned, in cents.
    #[must_use]
    pub fn held(&self) -> i64 {
        let book = self.book();
        book.transactions.iter().filter(|one| one.payment.is_some()).map(|one| one.amount).sum()
    }

    /// A customer leaves a page. Panics when it was left for good before.
    pub fn leave(&self, session: &str, how: Left) {
        let mut book = self.book();
        let payment = format!("pi_{session}");
        let page = book.sessions.iter_mut().find(|page| page.id == session).expect("a page of that id");
        assert!(matches!(page.left, None | Some(Left::Underway)), "a page that was left is not left again");
        page.left = Some(how);
        if how != Left::Expired {
            page.payment.get_or_insert(payment);
        }
        let page = page.clone();
        if how == Left::Paid {
            book.charged(&page);
        }
    }

    /// An event about a page: its body and its signature.
    #[must_use]
    pub fn event(&self, kind: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let object = self.page(session);
        self.signed(session, (kind, &object), at)
    }

    /// A page as in events.
    #[must_use]
    pub fn page(&self, session: &str) -> Value {
        let book = self.book();
        drawn(book.sessions.iter().find(|page| page.id == session).expect("a page of that id"))
    }

    /// The payment of a page, and its amount.
    fn paid_on(&self, session: &str) -> (String, i64) {
        let book = self.book();
        let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
        (page.payment.clone().expect("a payment"), page.amount)
    }

    /// An event of the page's account: for its own endpoint, or the platform's.
    fn signed(&self, session: &str, event: (&str, &Value), at: DateTime<Utc>) -> (String, String) {
        let account = {
            let book = self.book();
            let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
            Some(page.account.clone()).filter(|account| book.is_connected(account))
        };
        let secret = if account.is_some() { CONNECT_ENDPOINT } else { ENDPOINT };
        self.signed_with(secret, event, account.as_deref(), at)
    }

    fn signed_with(
        &self,
        secret: &str,
        (kind, object): (&str, &Value),
        account: Option<&str>,
        at: DateTime<Utc>,
    ) -> (String, String) {
        let mut book = self.book();
        book.events += 1;
        let mut event = json!({
            "id": format!("evt_{}", book.events), "object": "event", "type": kind, "created": at.timestamp(),
            "livemode": object["livemode"].as_bool().unwrap_or(account.is_some()), "api_version": "2024-06-20",
            "data": {"object": object},
        });
        if let Some(account) = account {
            event["account"] = json!(account);
        }
        let body = event.to_string();
        let header = signature::sign_payload(&SecretString::from(secret.to_owned()), body.as_bytes(), at);
        (body, header)
    }
}

async fn own_account(State(fake): State<FakeStripe>, headers: HeaderMap) -> Response {
    let drawn =
        || json!({"id": account_of(&headers), "object": "account", "type": "standard", "charges_enabled": true});
    let denied = refused(&fake, &headers).or_else(|| hidden(&fake.book(), "account"));
    denied.unwrap_or_else(|| answer((StatusCode::OK, drawn())))
}
