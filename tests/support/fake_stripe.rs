//! Stripe, as far as a client can tell: pay pages, payments, its idempotency keys, its errors, and the events that it
//! signs and sends.
//!
//! What a card was charged and what went back to it stands here, and is the only witness in a story about money that
//! was taken twice or lost.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Form, Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::{Value, json};
use shared::providers::payments::signature;
use tokio::net::TcpListener;

pub mod billing;
mod disputes;
mod price;
mod refunds;

pub use refunds::Refund;

use disputes::Dispute;

/// The key of the account the fake knows.
pub const KEY: &str = "sk_test_51FakeStripeAccount4242";
/// The secret of the account's endpoint.
pub const ENDPOINT: &str = "whsec_fakeendpointsecret";
/// Stripe takes no less, in cents of a dollar.
const LEAST: i64 = 50;

type Fields = Vec<(String, String)>;

/// What goes wrong with the next call that changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is done, and the answer is an error of Stripe's own.
    DoneThen500,
    /// Nothing is done, and the answer is an error of Stripe's own.
    Error500,
    TooManyRequests,
    /// The same key is being worked on.
    Conflict,
    /// The same key was used for another request.
    KeyReused,
}

/// How a page was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Paid,
    /// A bank transfer that takes days.
    Underway,
    /// The bank said no afterwards.
    Refused,
    Expired,
}

#[derive(Clone, Debug)]
pub struct Session {
    pub id: String,
    pub amount: i64,
    pub fields: HashMap<String, String>,
    left: Option<Left>,
    payment: Option<String>,
}

#[derive(Debug, Default)]
struct Book {
    sessions: Vec<Session>,
    refunds: Vec<Refund>,
    disputes: Vec<Dispute>,
    /// The key is a restricted one that may not read disputes.
    hides_disputes: bool,
    /// The answer that a key got, and what it was asked with.
    answered: HashMap<String, (Fields, StatusCode, Value)>,
    script: VecDeque<Fault>,
    is_pending: bool,
    events: u64,
    /// What is known of those who subscribe.
    billing: billing::Books,
}

/// A running fake. Clones are the same one.
#[derive(Clone, Debug)]
pub struct FakeStripe {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

impl FakeStripe {
    /// Starts on a free port of this machine.
    ///
    /// # Panics
    /// When no port can be had.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port for the fake Stripe");
        let fake = Self { book: Arc::default(), address: listener.local_addr().expect("the address just bound") };
        let router = Router::new()
            .route("/v1/checkout/sessions", post(open).get(list))
            .route("/v1/checkout/sessions/{id}", get(look))
            .route("/v1/checkout/sessions/{id}/expire", post(expire))
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

    /// The next calls that change something go wrong like this.
    pub fn script(&self, faults: &[Fault]) {
        self.book().script.extend(faults);
    }

    /// Every page that was opened.
    #[must_use]
    pub fn sessions(&self) -> Vec<Session> {
        self.book().sessions.clone()
    }

    /// What cards were charged, less what went back, in cents.
    #[must_use]
    pub fn held(&self) -> i64 {
        let book = self.book();
        let paid = book.sessions.iter().filter(|page| page.left == Some(Left::Paid)).map(|page| page.amount);
        let back = book.refunds.iter().filter(|refund| refund.status != "failed").map(|refund| refund.amount);
        paid.sum::<i64>() - back.sum::<i64>()
    }

    /// A customer leaves a page.
    ///
    /// # Panics
    /// When there is no such page, or it was left for good before.
    pub fn leave(&self, session: &str, how: Left) {
        let mut book = self.book();
        let payment = format!("pi_{}", book.sessions.len() + 100);
        let page = book.sessions.iter_mut().find(|page| page.id == session).expect("a page of that id");
        assert!(matches!(page.left, None | Some(Left::Underway)), "a page that was left is not left again");
        page.left = Some(how);
        if how != Left::Expired {
            page.payment.get_or_insert(payment);
        }
    }

    /// An event about a page, as Stripe writes it: its body and its signature.
    ///
    /// # Panics
    /// When there is no such page.
    #[must_use]
    pub fn event(&self, kind: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let object = {
            let book = self.book();
            drawn(book.sessions.iter().find(|page| page.id == session).expect("a page of that id"))
        };
        self.signed(kind, &object, at)
    }

    /// The payment of a page, and how much it was.
    fn paid_on(&self, session: &str) -> (String, i64) {
        let book = self.book();
        let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
        (page.payment.clone().expect("a payment"), page.amount)
    }

    fn signed(&self, kind: &str, object: &Value, at: DateTime<Utc>) -> (String, String) {
        let mut book = self.book();
        book.events += 1;
        let body = json!({
            "id": format!("evt_{}", book.events), "object": "event", "type": kind, "created": at.timestamp(),
            "livemode": false, "api_version": "2024-06-20", "data": {"object": object},
        })
        .to_string();
        let header = signature::sign(&SecretString::from(ENDPOINT.to_owned()), body.as_bytes(), at);
        (body, header)
    }
}

fn problem(status: StatusCode, kind: &str, code: &str) -> (StatusCode, Value) {
    (status, json!({"error": {"type": kind, "code": code, "message": "a sentence with mia@home.example in it"}}))
}

fn answer((status, body): (StatusCode, Value)) -> Response {
    (status, axum::Json(body)).into_response()
}

/// Whoever does not bring the account's key gets nowhere.
fn stranger(headers: &HeaderMap) -> Option<Response> {
    let brought = headers.get("authorization").and_then(|value| value.to_str().ok());
    let is_known = brought == Some(&format!("Bearer {KEY}")) && headers.contains_key("stripe-version");
    (!is_known).then(|| answer(problem(StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_invalid")))
}

/// A call that changes something: once for each key, and the same answer for ever after.
fn change(
    fake: &FakeStripe,
    headers: &HeaderMap,
    fields: Fields,
    act: impl FnOnce(&mut Book, &HashMap<String, String>) -> (StatusCode, Value),
) -> Response {
    if let Some(refused) = stranger(headers) {
        return refused;
    }
    let mut book = fake.book();
    let key = headers.get("idempotency-key").and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    let fault = book.script.pop_front();
    match fault {
        Some(Fault::Error500) => return answer(problem(StatusCode::INTERNAL_SERVER_ERROR, "api_error", "")),
        Some(Fault::TooManyRequests) => {
            return answer(problem(StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "rate_limit"));
        }
        Some(Fault::Conflict) => return answer(problem(StatusCode::CONFLICT, "idempotency_error", "")),
        Some(Fault::KeyReused) => return answer(problem(StatusCode::BAD_REQUEST, "idempotency_error", "")),
        Some(Fault::DoneThen500) | None => {}
    }
    if let Some((asked, status, said)) = key.as_ref().and_then(|key| book.answered.get(key)) {
        if *asked != fields {
            return answer(problem(StatusCode::BAD_REQUEST, "idempotency_error", ""));
        }
        return answer((*status, said.clone()));
    }
    let named = fields.iter().cloned().collect();
    let (status, said) = act(&mut book, &named);
    if let Some(key) = key {
        book.answered.insert(key, (fields, status, said.clone()));
    }
    match fault {
        Some(_) => answer(problem(StatusCode::INTERNAL_SERVER_ERROR, "api_error", "")),
        None => answer((status, said)),
    }
}

async fn open(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
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
        let id = format!("cs_test_{}", book.sessions.len() + 1);
        let page = Session { id, amount, fields: named.clone(), left: None, payment: None };
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
        "amount_total": page.amount, "currency": "usd", "payment_intent": payment,
    })
}

async fn list(headers: HeaderMap) -> Response {
    stranger(&headers).unwrap_or_else(|| answer((StatusCode::OK, json!({"object": "list", "data": []}))))
}

async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let found = book.sessions.iter().find(|page| page.id == id);
    answer(found.map_or_else(
        || problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing"),
        |page| (StatusCode::OK, drawn(page)),
    ))
}

async fn expire(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    change(&fake, &headers, Vec::new(), |book, _| {
        let Some(page) = book.sessions.iter_mut().find(|page| page.id == id) else {
            return problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing");
        };
        if page.left.is_some() {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "");
        }
        page.left = Some(Left::Expired);
        (StatusCode::OK, drawn(page))
    })
}
