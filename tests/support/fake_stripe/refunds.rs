//! Refunds to cards: by the API and by hand, their results, and events.

use std::collections::HashMap;

use axum::{
    Form,
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    Book, FakeStripe, Fields,
    calls::{account_of, ask, change, hidden, problem},
    money::paged,
};

#[derive(Clone, Debug)]
pub struct Refund {
    pub id: String,
    pub payment: String,
    pub amount: i64,
    pub status: String,
    pub reference: Option<String>,
    created: i64,
}

impl Book {
    pub(super) fn refund_by_hand(&mut self, payment: &str, amount: i64) {
        let (id, created) = (format!("re_hand{}", self.refunds.len()), self.now());
        self.refunded(&id, payment, amount);
        let (payment, status) = (payment.to_owned(), "succeeded".to_owned());
        self.refunds.push(Refund { id, payment, amount, status, reference: None, created });
    }
}

impl FakeStripe {
    /// Refunds stay pending from now on, as with a bank.
    pub fn refunds_take_days(&self) {
        self.book().is_pending = true;
    }

    pub fn refunds_arrive(&self) {
        self.book().is_pending = false;
    }

    #[must_use]
    pub fn refunds(&self) -> Vec<Refund> {
        self.book().refunds.clone()
    }

    /// A refund on Stripe's own pages.
    pub fn refund_by_hand(&self, session: &str, amount: i64) {
        let mut book = self.book();
        let page = book.sessions.iter().find(|page| page.id == session).expect("a page of that id");
        let payment = page.payment.clone().expect("a payment");
        book.refund_by_hand(&payment, amount);
    }

    pub fn refund_ends(&self, id: &str, status: &str) {
        let mut book = self.book();
        let refund = book.refunds.iter_mut().find(|refund| refund.id == id).expect("a refund of that id");
        let before = std::mem::replace(&mut refund.status, status.into());
        let refund = refund.clone();
        if status == "failed" && before != "failed" {
            book.refund_failed(id, &refund.payment, refund.amount);
        }
    }

    /// An event about the payment of a page: a refund.
    #[must_use]
    pub fn payment_event(&self, kind: &str, object: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let (payment, _) = self.paid_on(session);
        let id = format!("{}_1", &object[..2]);
        self.signed(session, (kind, &json!({"id": id, "object": object, "payment_intent": payment})), at)
    }
}

pub(super) async fn make(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let account = account_of(&headers);
    change(&fake, &headers, fields, |book, named| {
        let payment = named.get("payment_intent").cloned().unwrap_or_default();
        let amount: i64 = named.get("amount").and_then(|text| text.parse().ok()).unwrap_or_default();
        let Some(charge) = book.charges.iter().find(|one| one.payment == payment && one.account == account) else {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "resource_missing");
        };
        if charge.disputed {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "charge_disputed");
        }
        let left = charge.amount - book.back(&payment);
        if left == 0 {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "charge_already_refunded");
        }
        if amount <= 0 || amount > left {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "");
        }
        let status = if book.is_pending { "pending" } else { "succeeded" };
        let reference = named.get("metadata[refund]").cloned();
        let (id, created) = (format!("re_{}", book.refunds.len() + 1), book.now());
        book.refunded(&id, &payment, amount);
        let made = Refund { id, payment, amount, status: status.into(), reference, created };
        book.refunds.push(made.clone());
        (StatusCode::OK, drawn(&made))
    })
}

fn drawn(refund: &Refund) -> Value {
    let metadata = refund.reference.as_ref().map_or_else(|| json!({}), |own| json!({"refund": own}));
    json!({"id": refund.id, "object": "refund", "amount": refund.amount, "status": refund.status,
        "payment_intent": refund.payment, "metadata": metadata, "currency": "usd", "created": refund.created})
}

pub(super) async fn list(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        if let Some(refused) = hidden(book, "refunds") {
            return refused;
        }
        let of = asked.get("payment_intent");
        let is_asked = |one: &&Refund| book.holder(&one.payment) == account && of.is_none_or(|of| one.payment == *of);
        let found = book.refunds.iter().filter(is_asked).map(|one| (one.created, drawn(one)));
        paged("/v1/refunds", &asked, found.collect())
    })
}
