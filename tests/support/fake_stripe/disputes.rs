//! Payments that customers dispute with their bank: states and events.

use std::collections::HashMap;

use axum::{
    extract::{Query, State},
    http::HeaderMap,
    response::Response,
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{
    FakeStripe,
    calls::{ask, hidden},
    money::{Transaction, paged},
};

#[derive(Debug)]
pub(super) struct Dispute {
    id: String,
    payment: String,
    amount: i64,
    status: String,
    created: i64,
}

/// Whether the bank holds the money. A prevented dispute that took money is made by `prevents_dispute`.
fn takes(status: &str) -> bool {
    !status.starts_with("warning_") && !["won", "prevented"].contains(&status)
}

fn is_over(before: &str, status: &str) -> bool {
    let goes_back = takes(before) && status.starts_with("warning_");
    ["lost", "warning_closed", "prevented"].contains(&before) || before == "won" && status != "lost" || goes_back
}

impl FakeStripe {
    /// The payment of a page is disputed, with this status. A closed one keeps its status, except a won one: the bank
    /// may decide otherwise in another round. Panics when nothing was paid.
    pub fn disputes(&self, session: &str, status: &str) {
        let (payment, amount) = self.paid_on(session);
        let mut book = self.book();
        match book.disputes.iter_mut().find(|dispute| dispute.payment == payment) {
            Some(known) if is_over(&known.status, status) => {}
            Some(known) => {
                let (before, id) = (std::mem::replace(&mut known.status, status.into()), known.id.clone());
                match (takes(&before), takes(status)) {
                    (false, true) => book.adjusted(&id, &payment, -amount),
                    (true, false) => book.adjusted(&id, &payment, amount),
                    _ => {}
                }
            }
            None => {
                let (id, created) = (format!("du_{}", book.disputes.len() + 1), book.now());
                if takes(status) {
                    book.adjusted(&id, &payment, -amount);
                }
                book.disputes.push(Dispute { id, payment, amount, status: status.into(), created });
            }
        }
    }

    /// A part of the payment goes back before it is disputed, and the account is debited (Visa RDR).
    pub fn prevents_dispute(&self, session: &str, amount: i64) {
        let (payment, _) = self.paid_on(session);
        let mut book = self.book();
        let (id, created) = (format!("du_{}", book.disputes.len() + 1), book.now());
        book.adjusted(&id, &payment, -amount);
        book.disputes.push(Dispute { id, payment, amount, status: "prevented".into(), created });
    }

    /// An event about a dispute of a page's payment, whether there is one or not. Panics when nothing was paid.
    #[must_use]
    pub fn dispute_event(&self, kind: &str, status: &str, session: &str, at: DateTime<Utc>) -> (String, String) {
        let (payment, amount) = self.paid_on(session);
        let object =
            drawn(&Dispute { id: "du_1".into(), payment, amount, status: status.into(), created: at.timestamp() }, &[]);
        self.signed(session, (kind, &object), at)
    }
}

fn drawn(dispute: &Dispute, transactions: &[Transaction]) -> Value {
    let own = transactions.iter().filter(|one| one.source == dispute.id);
    let moved: Vec<Value> =
        own.map(|one| json!({"id": one.id, "amount": one.amount, "currency": "usd", "type": one.kind})).collect();
    json!({"balance_transactions": moved, "id": dispute.id, "object": "dispute", "amount": dispute.amount, "currency": "usd",
        "payment_intent": dispute.payment, "status": dispute.status, "reason": "fraudulent", "livemode": true,
        "created": dispute.created})
}

/// All disputes, or those of a payment.
pub(super) async fn list(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        if let Some(refused) = hidden(book, "disputes") {
            return refused;
        }
        let of = asked.get("payment_intent");
        let is_asked =
            |one: &&Dispute| book.holder(&one.payment) == account && of.is_none_or(|payment| one.payment == *payment);
        let found =
            book.disputes.iter().filter(is_asked).map(|one| (one.created, drawn(one, &book.transactions))).collect();
        paged("/v1/disputes", &asked, found)
    })
}
