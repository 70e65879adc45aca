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
    Book, FakeStripe,
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
    let is_reopened = ["lost", "under_review"].contains(&status);
    ["lost", "warning_closed", "prevented"].contains(&before) || before == "won" && !is_reopened || goes_back
}

impl Book {
    /// What the bank holds by a dispute.
    fn held_by_bank(&self, dispute: &str) -> i64 {
        -self.transactions.iter().filter(|one| one.source == dispute).map(|one| one.amount).sum::<i64>()
    }

    fn add_dispute(&mut self, payment: &str, amount: i64, status: &str) -> String {
        let (id, created) = (format!("du_{}", self.disputes.len() + 1), self.now());
        if takes(status) {
            self.adjusted(&id, payment, -amount);
        }
        let (payment, status) = (payment.to_owned(), status.to_owned());
        self.disputes.push(Dispute { id: id.clone(), payment, amount, status, created });
        id
    }

    fn change_dispute(&mut self, id: &str, status: &str) {
        let known = self.disputes.iter_mut().find(|dispute| dispute.id == id).expect("a dispute of that id");
        if is_over(&known.status, status) {
            return;
        }
        let before = std::mem::replace(&mut known.status, status.into());
        let (payment, amount) = (known.payment.clone(), known.amount);
        let held = self.held_by_bank(id);
        let wanted = match (takes(&before), takes(status)) {
            (false, true) => amount,
            (true, false) => 0,
            _ => held,
        };
        if wanted != held {
            self.adjusted(id, &payment, held - wanted);
        }
    }
}

impl FakeStripe {
    /// The payment of a page is disputed, with this status. A closed one keeps its status, except a won one: the bank
    /// may decide otherwise in another round. Panics when nothing was paid.
    pub fn disputes(&self, session: &str, status: &str) {
        let (payment, amount) = self.paid_on(session);
        let first = self.disputes_of(session).into_iter().next();
        match first {
            Some(id) => self.dispute_becomes(&id, status),
            None => drop(self.book().add_dispute(&payment, amount, status)),
        }
    }

    /// One more dispute, over a part of the payment. Returns its id.
    #[must_use]
    pub fn disputes_part(&self, session: &str, amount: i64) -> String {
        let (payment, paid) = self.paid_on(session);
        self.book().add_dispute(&payment, amount.min(paid), "needs_response")
    }

    /// The ids of a payment's disputes, the oldest first.
    #[must_use]
    pub fn disputes_of(&self, session: &str) -> Vec<String> {
        let (payment, _) = self.paid_on(session);
        self.book().disputes.iter().filter(|one| one.payment == payment).map(|one| one.id.clone()).collect()
    }

    pub fn dispute_becomes(&self, id: &str, status: &str) {
        self.book().change_dispute(id, status);
    }

    /// The bank returns a part of what it holds, whatever the status. Less than that is left as it is.
    pub fn returns_disputed_part(&self, id: &str, amount: i64) {
        let mut book = self.book();
        let of = book.disputes.iter().find(|one| one.id == id).map(|one| one.payment.clone());
        let payment = of.expect("a dispute of that id");
        if book.held_by_bank(id) >= amount {
            book.adjusted(id, &payment, amount);
        }
    }

    /// A part of the payment goes back before it is disputed, and the account is debited (Visa RDR).
    pub fn prevents_dispute(&self, session: &str, amount: i64) {
        let (payment, _) = self.paid_on(session);
        let mut book = self.book();
        let id = book.add_dispute(&payment, amount, "prevented");
        book.adjusted(&id, &payment, -amount);
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
