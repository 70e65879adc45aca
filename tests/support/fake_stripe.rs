//! A fake Stripe: pay pages, payments, idempotency keys, errors, and the signed events that it sends.
//!
//! Its charges and refunds are the reference in stories about money that was taken twice or lost.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Form, Router,
    body::Body,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::{Value, json};
use shared::{platform::clock::ClockRng, providers::payments::signature};
use tokio::net::TcpListener;

mod accounts;
pub mod billing;
mod disputes;
mod money;
mod price;
mod refunds;

pub use accounts::{Account, AccountLink, CONNECT_ENDPOINT, PLATFORM};
pub use money::{Charge, Payout, Transaction};
pub use refunds::Refund;

use disputes::Dispute;

/// The account's key in Stripe's test mode: no real money moves.
pub const KEY: &str = "sk_test_51FakeStripeAccount4242";
/// The same account's key in live mode.
pub const LIVE: &str = "sk_live_51FakeStripeLiveMode4242";
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
    /// Pages are not expired on request.
    keeps_pages: bool,
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
            .route("/v1/checkout/sessions", post(open).get(list))
            .route("/v1/checkout/sessions/{id}", get(look))
            .route("/v1/checkout/sessions/{id}/expire", post(expire))
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

    pub fn hides(&self, list: &'static str) {
        self.book().hidden.insert(list);
    }

    pub fn hides_nothing(&self) {
        self.book().hidden.clear();
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

fn problem(status: StatusCode, kind: &str, code: &str) -> (StatusCode, Value) {
    (status, json!({"error": {"type": kind, "code": code, "message": "a sentence with mia@home.example in it"}}))
}

fn answer((status, body): (StatusCode, Value)) -> Response {
    (status, axum::Json(body)).into_response()
}

/// Refuses a call without one of the account's keys.
fn stranger(headers: &HeaderMap) -> Option<Response> {
    let is_known =
        [KEY, LIVE, OTHER, PLATFORM].contains(&key_of(headers).as_str()) && headers.contains_key("stripe-version");
    (!is_known).then(|| answer(problem(StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_invalid")))
}

fn key_of(headers: &HeaderMap) -> String {
    let brought = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    brought.strip_prefix("Bearer ").unwrap_or_default().to_owned()
}

/// The account of a call: the one it names, or the key's own. Test and live mode share one account.
fn account_of(headers: &HeaderMap) -> String {
    if let Some(named) = named_account(headers) {
        return named.to_owned();
    }
    match key_of(headers).as_str() {
        OTHER => "acct_other".to_owned(),
        PLATFORM => "acct_platform".to_owned(),
        _ => "acct_own".to_owned(),
    }
}

fn named_account(headers: &HeaderMap) -> Option<&str> {
    headers.get("stripe-account").and_then(|value| value.to_str().ok())
}

/// Refuses a call without a Stripe key, or with an account that the key does not reach.
fn refused(fake: &FakeStripe, headers: &HeaderMap) -> Option<Response> {
    let is_out_of_reach = |account: &str| key_of(headers) != PLATFORM || !fake.book().reaches(account);
    stranger(headers)
        .or_else(|| named_account(headers).filter(|one| is_out_of_reach(one)).map(|_| accounts::out_of_reach()))
}

/// A call that only reads, in its account.
fn ask(fake: &FakeStripe, headers: &HeaderMap, act: impl FnOnce(&Book, &str) -> Response) -> Response {
    if let Some(refused) = refused(fake, headers).or_else(|| read_fault(fake)) {
        return refused;
    }
    act(&fake.book(), &account_of(headers))
}

fn cut() -> Response {
    let broken =
        futures::stream::iter([Ok(axum::body::Bytes::from_static(b"{\"id\":")), Err(std::io::Error::other("cut"))]);
    (StatusCode::OK, Body::from_stream(broken)).into_response()
}

/// The answer to a key that may not read a list.
fn hidden(book: &Book, list: &str) -> Option<Response> {
    let refused = || answer(problem(StatusCode::FORBIDDEN, "invalid_request_error", "more_permissions_required"));
    book.hidden.contains(list).then(refused)
}

/// Faults before the request is processed, which are stored for no key.
fn turned_away(fault: Fault) -> Option<Response> {
    let (status, kind, code) = match fault {
        Fault::TooManyRequests => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "rate_limit"),
        Fault::Conflict => (StatusCode::CONFLICT, "idempotency_error", "idempotency_key_in_use"),
        Fault::KeyReused => (StatusCode::BAD_REQUEST, "idempotency_error", ""),
        Fault::Unauthorized => (StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_expired"),
        Fault::Forbidden => (StatusCode::FORBIDDEN, "invalid_request_error", "more_permissions_required"),
        Fault::Cut => return Some(cut()),
        Fault::DoneThen500 | Fault::Error500 | Fault::DoneThenCut | Fault::None => return None,
    };
    Some(answer(problem(status, kind, code)))
}

fn read_fault(fake: &FakeStripe) -> Option<Response> {
    match fake.book().read_script.pop_front()? {
        Fault::Error500 | Fault::DoneThen500 => Some(answer(failure())),
        Fault::DoneThenCut => Some(cut()),
        other => turned_away(other),
    }
}

fn failure() -> (StatusCode, Value) {
    problem(StatusCode::INTERNAL_SERVER_ERROR, "api_error", "")
}

/// A call that changes something: once per idempotency key, with the same answer for a day, Stripe's own errors
/// included (Stripe, "Idempotent requests"). A request refused before processing is stored for no key.
fn change(
    fake: &FakeStripe,
    headers: &HeaderMap,
    fields: Fields,
    act: impl FnOnce(&mut Book, &HashMap<String, String>) -> (StatusCode, Value),
) -> Response {
    if let Some(refused) = refused(fake, headers) {
        return refused;
    }
    let mut book = fake.book();
    let brought = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let key = brought.map(|key| format!("{}:{key}", account_of(headers)));
    let fault = book.script.pop_front().unwrap_or(Fault::None);
    if let Some(refused) = turned_away(fault) {
        return refused;
    }
    if let Some((asked, status, said)) = key.as_ref().and_then(|key| book.answered.get(key)) {
        if *asked != fields {
            return answer(problem(StatusCode::BAD_REQUEST, "idempotency_error", ""));
        }
        let mut replayed = answer((*status, said.clone()));
        replayed.headers_mut().insert("idempotent-replayed", axum::http::HeaderValue::from_static("true"));
        return replayed;
    }
    let named = fields.iter().cloned().collect();
    let (status, said) = match fault {
        Fault::Error500 => failure(),
        _ => act(&mut book, &named),
    };
    let said = if fault == Fault::DoneThen500 && status.is_success() { failure() } else { (status, said) };
    if let Some(key) = key.filter(|_| !said.0.is_client_error()) {
        book.answered.insert(key, (fields, said.0, said.1.clone()));
    }
    if fault == Fault::DoneThenCut { cut() } else { answer(said) }
}

async fn open(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let (livemode, account) = (key_of(&headers).contains("_live_"), account_of(&headers));
    change(&fake, &headers, fields, |book, named| {
        let get = |name: &str| named.get(name).cloned().unwrap_or_default();
        let amount: i64 = get("line_items[0][price_data][unit_amount]").parse().unwrap_or_default();
        if amount < LEAST {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "amount_too_small");
        }
        let needed = ["line_items[0][price_data][product_data][name]", "success_url", "cancel_url", "expires_at"];
        if get("mode") != "payment" || needed.iter().any(|name| get(name).is_empty()) {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "parameter_missing");
        }
        if !book.may_charge(&account) {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "testmode_charges_only");
        }
        if named.get("customer_email").is_some_and(|email| email.ends_with(".refused.example")) {
            let mut refused = problem(StatusCode::BAD_REQUEST, "invalid_request_error", "email_invalid");
            refused.1["error"]["param"] = json!("customer_email");
            return refused;
        }
        let id = format!("cs_{}_{}", if livemode { "live" } else { "test" }, book.sessions.len() + 1);
        let page = Session {
            id,
            amount,
            currency: get("line_items[0][price_data][currency]"),
            livemode,
            account,
            created: book.now(),
            fields: named.clone(),
            left: None,
            payment: None,
        };
        book.sessions.push(page.clone());
        (StatusCode::OK, drawn(&page))
    })
}

fn drawn(page: &Session) -> Value {
    let (status, payment_status, payment) = match page.left {
        None => ("open", "unpaid", None),
        Some(Left::Paid) => ("complete", "paid", Some("succeeded")),
        Some(Left::Underway) => ("complete", "unpaid", Some("processing")),
        Some(Left::Refused) => ("complete", "unpaid", Some("requires_payment_method")),
        Some(Left::Expired) => ("expired", "unpaid", None),
    };
    let payment = page.payment.as_ref().map(|id| json!({"id": id, "status": payment}));
    let url = page.left.is_none().then(|| format!("https://checkout.stripe.example/c/pay/{}", page.id));
    json!({
        "id": page.id, "object": "checkout.session", "url": url, "status": status, "payment_status": payment_status,
        "amount_total": page.amount, "currency": page.currency, "payment_intent": payment, "livemode": page.livemode,
        "client_reference_id": page.fields.get("client_reference_id"), "created": page.created,
    })
}

async fn own_account(headers: HeaderMap) -> Response {
    let drawn =
        || json!({"id": account_of(&headers), "object": "account", "type": "standard", "charges_enabled": true});
    stranger(&headers).unwrap_or_else(|| answer((StatusCode::OK, drawn())))
}

async fn list(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        let of = asked.get("payment_intent");
        let fits = |page: &&Session| page.account == account && of.is_none_or(|of| page.payment.as_ref() == Some(of));
        let found = book.sessions.iter().filter(fits).map(|page| (page.created, drawn(page))).collect();
        money::paged("/v1/checkout/sessions", &asked, found)
    })
}

async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    ask(&fake, &headers, |book, account| {
        let found = book.sessions.iter().find(|page| page.id == id && page.account == account);
        answer(found.map_or_else(
            || problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing"),
            |page| (StatusCode::OK, drawn(page)),
        ))
    })
}

async fn expire(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    let account = account_of(&headers);
    change(&fake, &headers, Vec::new(), |book, _| {
        let keeps_pages = book.keeps_pages;
        let Some(page) = book.sessions.iter_mut().find(|page| page.id == id && page.account == account) else {
            return problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing");
        };
        if page.left.is_some() || keeps_pages {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "");
        }
        page.left = Some(Left::Expired);
        (StatusCode::OK, drawn(page))
    })
}
