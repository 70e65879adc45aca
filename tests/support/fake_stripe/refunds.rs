//! What went back to cards: refunds by the API and by hand, what becomes of them, and events about them.

use std::collections::HashMap;

use axum::{
    Form,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{FakeStripe, Fields, answer, change, problem, stranger};

#[derive(Clone, Debug)]
pub struct Refund {
    pub id: String,
    pub payment: String,
    pub amount: i64,
    pub status: String,
    reference: Option<String>,
}

impl FakeStripe {
    /// Refunds take their time from now on, as with a bank.
    pub fn refunds_take_days(&self) {
        self.book().is_pending = true;
    }

    #[must_use]
    pub fn refunds(&self) -> Vec<Refund> {
        self.book().refunds.clone()
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
}

pub(super) async fn make(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
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
        (StatusCode::OK, drawn(&made))
    })
}

fn drawn(refund: &Refund) -> Value {
    let metadata = refund.reference.as_ref().map_or_else(|| json!({}), |own| json!({"refund": own}));
    json!({"id": refund.id, "object": "refund", "amount": refund.amount, "status": refund.status,
        "payment_intent": refund.payment, "metadata": metadata})
}

pub(super) async fn list(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let of = asked.get("payment_intent").cloned().unwrap_or_default();
    let found: Vec<Value> = book.refunds.iter().rev().filter(|refund| refund.payment == of).map(drawn).collect();
    answer((StatusCode::OK, json!({"object": "list", "data": found, "has_more": false})))
}
