//! Payments that their customers dispute with the bank: how each stands, and events about them.

use std::collections::HashMap;

use axum::{
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{FakeStripe, answer, problem, stranger};

#[derive(Debug)]
pub(super) struct Dispute {
    id: String,
    payment: String,
    amount: i64,
    status: String,
}

impl FakeStripe {
    /// The account's key may not read disputes from now on.
    pub fn hides_disputes(&self) {
        self.book().hides_disputes = true;
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
        let object = drawn(&Dispute { id: "du_1".into(), payment, amount, status: status.into() });
        self.signed(kind, &object, at)
    }
}

fn drawn(dispute: &Dispute) -> Value {
    json!({"id": dispute.id, "object": "dispute", "amount": dispute.amount, "currency": "usd",
        "payment_intent": dispute.payment, "status": dispute.status, "reason": "fraudulent", "livemode": false})
}

/// All disputes, or those of a payment. One that nothing is known of has none.
pub(super) async fn list(
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
    let found: Vec<Value> = book.disputes.iter().rev().filter(is_asked).map(drawn).collect();
    answer((StatusCode::OK, json!({"object": "list", "url": "/v1/disputes", "data": found, "has_more": false})))
}
