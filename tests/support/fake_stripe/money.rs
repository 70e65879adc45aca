//! Stripe's balance: charges, balance transactions and payouts, in paged lists. It is the reference of stories about
//! money, and shares no calculation with the product's code.

use std::collections::HashMap;

use axum::{
    extract::{Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::{Value, json};

use super::{
    Book, FakeStripe, Session,
    calls::{answer, ask, hidden, problem},
};

/// Stripe's fee for a charge: 2.9 % and 30 cents.
fn fee(amount: i64) -> i64 {
    amount * 29 / 1_000 + 30
}

#[derive(Clone, Debug)]
pub struct Charge {
    pub id: String,
    pub payment: String,
    pub amount: i64,
    pub currency: String,
    pub livemode: bool,
    pub disputed: bool,
    pub account: String,
    metadata: HashMap<String, String>,
    created: i64,
}

#[derive(Clone, Debug)]
pub struct Transaction {
    pub id: String,
    pub kind: &'static str,
    pub amount: i64,
    pub source: String,
    /// None for payouts.
    pub payment: Option<String>,
    pub account: String,
    fee: i64,
    created: i64,
    payout: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Payout {
    pub id: String,
    pub amount: i64,
    pub account: String,
    arrives: i64,
    created: i64,
    status: &'static str,
    /// Until then Stripe lists none of its lines (docs.stripe.com/payouts/reconciliation).
    is_reconciled: bool,
}

impl Book {
    pub(super) fn now(&self) -> i64 {
        self.clock.as_ref().map_or(1_789_650_000, |clock| clock.now().timestamp())
    }

    /// The account of a payment.
    pub(super) fn holder(&self, payment: &str) -> String {
        let charge = self.charges.iter().find(|one| one.payment == payment).expect("a charge of that payment");
        charge.account.clone()
    }

    fn moves(&mut self, kind: &'static str, amount: i64, source: &str, payment: &str) {
        let id = format!("txn_{}", self.transactions.len() + 1);
        let fee = if kind == "charge" { fee(amount) } else { 0 };
        let account = self.holder(payment);
        let (created, payment) = (self.now(), Some(payment.to_owned()));
        self.transactions.push(Transaction {
            id,
            kind,
            amount,
            source: source.into(),
            payment,
            account,
            fee,
            created,
            payout: None,
        });
    }

    pub(super) fn charged(&mut self, page: &Session) {
        let payment = page.payment.clone().expect("a payment");
        let id = format!("ch_{}", self.charges.len() + 1);
        let marks = page.fields.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix("payment_intent_data[metadata][")?.strip_suffix(']')?;
            Some((name.to_owned(), value.clone()))
        });
        self.charges.push(Charge {
            id: id.clone(),
            payment: payment.clone(),
            amount: page.amount,
            currency: page.currency.clone(),
            livemode: page.livemode,
            disputed: false,
            account: page.account.clone(),
            metadata: marks.collect(),
            created: self.now(),
        });
        self.moves("charge", page.amount, &id, &payment);
    }

    pub(super) fn refunded(&mut self, refund: &str, payment: &str, amount: i64) {
        self.moves("refund", -amount, refund, payment);
    }

    pub(super) fn refund_failed(&mut self, refund: &str, payment: &str, amount: i64) {
        self.moves("refund_failure", amount, refund, payment);
    }

    /// The bank takes money back, or returns it.
    pub(super) fn adjusted(&mut self, dispute: &str, payment: &str, amount: i64) {
        if let Some(charge) = self.charges.iter_mut().find(|charge| charge.payment == payment) {
            charge.disputed = true;
        }
        self.moves("adjustment", amount, dispute, payment);
    }

    /// The refunded part of a payment.
    pub(super) fn back(&self, payment: &str) -> i64 {
        let good =
            self.refunds.iter().filter(|one| one.payment == payment && !["failed", "canceled"].contains(&&*one.status));
        good.map(|one| one.amount).sum()
    }
}

impl FakeStripe {
    /// A payment's share of the balance, in cents.
    #[must_use]
    pub fn balance_of(&self, payment: &str) -> i64 {
        let book = self.book();
        book.transactions.iter().filter(|one| one.payment.as_deref() == Some(payment)).map(|one| one.amount).sum()
    }

    /// The part of a page's payment that was neither refunded nor taken by the bank; zero while disputed.
    #[must_use]
    pub fn left(&self, session: &str) -> i64 {
        let (payment, _) = self.paid_on(session);
        let is_disputed = self.book().charges.iter().any(|one| one.payment == payment && one.disputed);
        if is_disputed { 0 } else { self.balance_of(&payment) }
    }

    #[must_use]
    pub fn charges(&self) -> Vec<Charge> {
        self.book().charges.clone()
    }

    #[must_use]
    pub fn transactions(&self) -> Vec<Transaction> {
        self.book().transactions.clone()
    }

    /// Pays the balance out to the bank, with arrival on the next day. Returns the payout's id.
    #[must_use]
    pub fn pays_out(&self) -> String {
        self.pays_out_of("acct_own")
    }

    #[must_use]
    pub fn pays_out_of(&self, account: &str) -> String {
        let is_due = |one: &&mut Transaction| one.account == account && one.payout.is_none() && one.kind != "payout";
        let mut book = self.book();
        let (id, created) = (format!("po_{}", book.payouts.len() + 1), book.now());
        let mut amount = 0;
        for one in book.transactions.iter_mut().filter(is_due) {
            one.payout = Some(id.clone());
            amount += one.amount - one.fee;
        }
        let line = Transaction {
            id: format!("txn_{}", book.transactions.len() + 1),
            kind: "payout",
            amount: -amount,
            source: id.clone(),
            payment: None,
            account: account.to_owned(),
            fee: 0,
            created,
            payout: Some(id.clone()),
        };
        book.transactions.push(line);
        let (arrives, account) = (created + 86_400, account.to_owned());
        let is_reconciled = !book.has_unreconciled_payouts;
        book.payouts.push(Payout { id: id.clone(), amount, account, arrives, created, status: "paid", is_reconciled });
        id
    }

    /// Payouts from now on are put together later.
    pub fn reconciles_payouts_later(&self) {
        self.book().has_unreconciled_payouts = true;
    }

    pub fn reconciles_payouts(&self) {
        let mut book = self.book();
        book.has_unreconciled_payouts = false;
        for payout in &mut book.payouts {
            payout.is_reconciled = true;
        }
    }

    /// A charge that carries the id of a business but of no page of this install. Returns its payment.
    #[must_use]
    pub fn charges_for(&self, org: &str, amount: i64) -> String {
        self.charges_elsewhere(amount);
        let mut book = self.book();
        let charge = book.charges.last_mut().expect("the charge just made");
        charge.metadata.insert("org".to_owned(), org.to_owned());
        charge.payment.clone()
    }

    /// A payment was made in another currency.
    pub fn converts_payment(&self, payment: &str, currency: &str) {
        let mut book = self.book();
        let charge = book.charges.iter_mut().find(|one| one.payment == payment).expect("a charge of that payment");
        charge.currency = currency.into();
    }

    /// Refunds a payment that has no page here, on Stripe's own pages.
    pub fn refund_payment(&self, payment: &str, amount: i64) {
        self.book().refund_by_hand(payment, amount);
    }

    /// A charge in this account that is unrelated to the product.
    pub fn charges_elsewhere(&self, amount: i64) {
        let mut book = self.book();
        let (n, created) = (book.charges.len() + 1, book.now());
        let (id, payment) = (format!("ch_{n}"), format!("pi_else{n}"));
        book.charges.push(Charge {
            id: id.clone(),
            payment: payment.clone(),
            amount,
            currency: "usd".into(),
            livemode: true,
            disputed: false,
            account: "acct_own".into(),
            metadata: HashMap::new(),
            created,
        });
        book.moves("charge", amount, &id, &payment);
    }
}

/// A page of a list: newest first, ten by default and at most a hundred, after the named object.
pub(super) fn paged(url: &str, asked: &HashMap<String, String>, all: Vec<(i64, Value)>) -> Response {
    let bad = |param: &str| {
        let mut problem = problem(StatusCode::BAD_REQUEST, "invalid_request_error", "parameter_invalid_integer");
        problem.1["error"]["param"] = json!(param);
        answer(problem)
    };
    let limit = match asked.get("limit").map(|text| text.parse::<usize>()) {
        None => 10,
        Some(Ok(limit)) if (1..=100).contains(&limit) => limit,
        Some(_) => return bad("limit"),
    };
    let since = match asked.get("created[gte]").map(|text| text.parse::<i64>()) {
        None => i64::MIN,
        Some(Ok(since)) => since,
        Some(Err(_)) => return bad("created"),
    };
    let newest_first = all.into_iter().rev().filter(|(created, _)| *created >= since).map(|(_, one)| one);
    let mut rest: Vec<Value> = newest_first.collect();
    if let Some(after) = asked.get("starting_after") {
        let Some(at) = rest.iter().position(|one| one["id"] == json!(after)) else { return bad("starting_after") };
        rest.drain(..=at);
    }
    let has_more = rest.len() > limit;
    rest.truncate(limit);
    answer((StatusCode::OK, json!({"object": "list", "url": url, "data": rest, "has_more": has_more})))
}

pub(super) async fn charges(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        let of = asked.get("payment_intent");
        let drawn = |one: &Charge| {
            let back = book.back(&one.payment);
            let value = json!({"id": one.id, "object": "charge", "amount": one.amount, "amount_refunded": back,
                "currency": one.currency, "status": "succeeded", "paid": true, "captured": true,
                "refunded": back == one.amount, "disputed": one.disputed, "livemode": one.livemode,
                "description": "d".repeat(book.description_length),
                "created": one.created, "metadata": one.metadata, "payment_intent": one.payment});
            (one.created, value)
        };
        let is_asked = |one: &&Charge| one.account == account && of.is_none_or(|of| one.payment == *of);
        paged("/v1/charges", &asked, book.charges.iter().filter(is_asked).map(drawn).collect())
    })
}

pub(super) async fn transactions(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        if let Some(refused) = hidden(book, "balance_transactions") {
            return refused;
        }
        let of = asked.get("payout");
        let is_known = |of: &String| book.payouts.iter().any(|one| one.id == *of && one.account == account);
        if of.is_some_and(|of| !is_known(of)) {
            return answer(problem(StatusCode::BAD_REQUEST, "invalid_request_error", "resource_missing"));
        }
        let drawn = |one: &Transaction| {
            let value = json!({"id": one.id, "object": "balance_transaction", "amount": one.amount, "fee": one.fee,
                "net": one.amount - one.fee, "currency": "usd", "type": one.kind, "source": one.source,
                "created": one.created, "available_on": one.created + 172_800, "status": "available"});
            (one.created, value)
        };
        let is_reconciled = |of: &String| book.payouts.iter().any(|one| one.id == *of && one.is_reconciled);
        let is_line = |one: &Transaction, of: &String| one.payout.as_ref() == Some(of) && is_reconciled(of);
        let is_asked = |one: &&Transaction| one.account == account && of.is_none_or(|of| is_line(one, of));
        paged("/v1/balance_transactions", &asked, book.transactions.iter().filter(is_asked).map(drawn).collect())
    })
}

pub(super) async fn payouts(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        let drawn = |one: &Payout| {
            let value = json!({"id": one.id, "object": "payout", "amount": one.amount, "currency": "usd",
                "arrival_date": one.arrives, "automatic": true, "status": one.status, "livemode": true,
                "reconciliation_status": if one.is_reconciled { "completed" } else { "in_progress" },
                "created": one.created});
            (one.created, value)
        };
        let is_asked = |one: &&Payout| one.account == account;
        paged("/v1/payouts", &asked, book.payouts.iter().filter(is_asked).map(drawn).collect())
    })
}
