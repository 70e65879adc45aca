//! Stripe, as far as a client can tell: pay pages, payments, refunds, its idempotency keys, its errors, and the events
//! that it signs and sends.
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
    extract::{Path, Query, State},
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
mod price;

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

#[derive(Clone, Debug)]
pub struct Refund {
    pub id: String,
    pub payment: String,
    pub amount: i64,
    pub status: String,
    reference: Option<String>,
}

#[derive(Debug)]
struct Dispute {
    id: String,
    payment: String,
    amount: i64,
    status: String,
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
            .route("/v1/refunds", post(refund).get(refunds))
            .route("/v1/disputes", get(disputes))
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

    /// Refunds take their time from now on, as with a bank.
    pub fn refunds_take_days(&self) {
        self.book().is_pending = true;
    }

    /// The account's key may not read disputes from now on.
    pub fn hides_disputes(&self) {
        self.book().hides_disputes = true;
    }

    /// Every page that was opened.
    #[must_use]
    pub fn sessions(&self) -> Vec<Session> {
        self.book().sessions.clone()
    }

    #[must_use]
    pub fn refunds(&self) -> Vec<Refund> {
        self.book().refunds.clone()
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

    /// Somebody gives money back on Stripe's own pages.
    ///
    /// # Panics
    /// When nothing was paid there.
    pub fn refund_by_hand(&self, session: &str, amount: i64) {
        let mut book = self.book();
        let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
        let payment = page.payment.clone().expect("a payment");
        let id = format!("re_hand{}", book.refunds.len());
        book.refunds.push(Refund { id, payment, amount, status: "succeeded".into(), reference: None });
    }

    /// What became of a refund.
    ///
    /// # Panics
    /// When there is no such refund.
    pub fn refund_ends(&self, id: &str, status: &str) {
        let mut book = self.book();
        book.refunds.iter_mut().find(|refund| refund.id == id).expect("a refund of that id").status = status.into();
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

    /// What was paid on a page is disputed, and stands like this. One that is over stays as it ended.
    ///
    /// # Panics
    /// When nothing was paid there.
    pub fn disputes(&self, session: &str, status: &str) {
        let (payment, amount) = self.paid_on(session);
        let mut book = self.book();
        match book.disputes.iter_mut().find(|dispute| dispute.payment == payment) {
            Some(known) if ["won", "lost", "warning_closed"].contains(&known.status.as_str()) => {}
            Some(known) => status.clone_into(&mut known.status),
            None => {
                let id = format!("du_{}", book.disputes.len() + 1);
                book.disputes.push(Dispute { id, payment, amount, status: status.into() });
            }
        }
    }

    /// An event about a dispute of what was paid on a page, whether there is one or not.
    ///
    /// # Panics
    /// When nothing was paid there.
    #[must_use]
    pub fn dispute_event(&self, kind: &str, status: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let (payment, amount) = self.paid_on(session);
        let object = dispute_drawn(&Dispute { id: "du_1".into(), payment, amount, status: status.into() });
        self.signed(kind, &object, at)
    }

    /// The payment of a page, and how much it was.
    fn paid_on(&self, session: &str) -> (String, i64) {
        let book = self.book();
        let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
        (page.payment.clone().expect("a payment"), page.amount)
    }

    /// An event about the payment of a page: a refund.
    ///
    /// # Panics
    /// When nothing was paid there.
    #[must_use]
    pub fn payment_event(&self, kind: &str, object: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let (payment, _) = self.paid_on(session);
        let id = format!("{}_1", &object[..2]);
        self.signed(kind, &json!({"id": id, "object": object, "payment_intent": payment}), at)
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

async fn refund(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    change(&fake, &headers, fields, |book, named| {
        let payment = named.get("payment_intent").cloned().unwrap_or_default();
        let amount: i64 = named.get("amount").and_then(|text| text.parse().ok()).unwrap_or_default();
        let Some(page) = book.sessions.iter().find(|page| page.payment.as_deref() == Some(&payment)) else {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "resource_missing");
        };
        let back: i64 =
            book.refunds.iter().filter(|r| r.payment == payment && r.status != "failed").map(|r| r.amount).sum();
        if amount <= 0 || back + amount > page.amount {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "charge_already_refunded");
        }
        let status = if book.is_pending { "pending" } else { "succeeded" };
        let reference = named.get("metadata[refund]").cloned();
        let made =
            Refund { id: format!("re_{}", book.refunds.len() + 1), payment, amount, status: status.into(), reference };
        book.refunds.push(made.clone());
        (StatusCode::OK, refund_drawn(&made))
    })
}

fn refund_drawn(refund: &Refund) -> Value {
    let metadata = refund.reference.as_ref().map_or_else(|| json!({}), |own| json!({"refund": own}));
    json!({"id": refund.id, "object": "refund", "amount": refund.amount, "status": refund.status,
        "payment_intent": refund.payment, "metadata": metadata})
}

async fn refunds(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let of = asked.get("payment_intent").cloned().unwrap_or_default();
    let found: Vec<Value> = book.refunds.iter().rev().filter(|refund| refund.payment == of).map(refund_drawn).collect();
    answer((StatusCode::OK, json!({"object": "list", "data": found, "has_more": false})))
}

fn dispute_drawn(dispute: &Dispute) -> Value {
    json!({"id": dispute.id, "object": "dispute", "amount": dispute.amount, "currency": "usd",
        "payment_intent": dispute.payment, "status": dispute.status, "reason": "fraudulent", "livemode": false})
}

/// All disputes, or those of a payment. One that nothing is known of has none.
async fn disputes(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    if book.hides_disputes {
        return answer(problem(StatusCode::FORBIDDEN, "invalid_request_error", "more_permissions_required"));
    }
    let of = asked.get("payment_intent");
    let is_asked = |dispute: &&Dispute| of.is_none_or(|payment| dispute.payment == *payment);
    let found: Vec<Value> = book.disputes.iter().rev().filter(is_asked).map(dispute_drawn).collect();
    answer((StatusCode::OK, json!({"object": "list", "url": "/v1/disputes", "data": found, "has_more": false})))
}
