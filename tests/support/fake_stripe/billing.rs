//! Subscriptions at Stripe: customers, subscriptions, their invoices, and the portal.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};
use serde_json::json;

use super::{ENDPOINT, FakeStripe, price};

mod objects;
mod routes;

use objects::drawn;
pub(super) use routes::routes;

#[derive(Clone, Debug)]
pub struct Customer {
    pub id: String,
    pub fields: HashMap<String, String>,
}

#[derive(Clone, Debug)]
pub struct Subscription {
    pub id: String,
    pub customer: String,
    pub status: String,
    /// In cents.
    pub first: i64,
    pub fields: HashMap<String, String>,
    months: i64,
    period: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// In seconds since 1970.
    pub cancel_at: Option<i64>,
    /// Whether it was set as the end of the period.
    with_period: bool,
    /// Proration of the last end that was set.
    pub proration: Option<String>,
    ended_at: Option<i64>,
    reason: Option<&'static str>,
}

#[derive(Clone, Debug)]
struct Invoice {
    id: String,
    customer: String,
    subscription: String,
    status: &'static str,
    number: String,
    created: i64,
    total: i64,
}

#[derive(Debug, Default)]
pub(super) struct Books {
    customers: Vec<Customer>,
    subscriptions: Vec<Subscription>,
    invoices: Vec<Invoice>,
    portals: usize,
    pub(super) prices: price::Book,
    insists: bool,
}

impl Books {
    fn find_subscription(&self, id: &str) -> Option<&Subscription> {
        self.subscriptions.iter().find(|one| one.id == id)
    }

    fn subscription_mut(&mut self, id: &str) -> Option<&mut Subscription> {
        self.subscriptions.iter_mut().find(|one| one.id == id)
    }

    fn bill(
        &mut self,
        (subscription, customer): (&str, &str),
        at: DateTime<Utc>,
        (total, status): (i64, &'static str),
    ) {
        let count = self.invoices.len() + 1;
        self.invoices.push(Invoice {
            id: format!("in_{count}"),
            customer: customer.into(),
            subscription: subscription.into(),
            status,
            number: format!("TB-{count:04}"),
            created: at.timestamp(),
            total,
        });
    }
}

impl FakeStripe {
    #[must_use]
    pub fn customers(&self) -> Vec<Customer> {
        self.book().billing.customers.clone()
    }

    #[must_use]
    pub fn subscriptions(&self) -> Vec<Subscription> {
        self.book().billing.subscriptions.clone()
    }

    #[must_use]
    pub fn portals(&self) -> usize {
        self.book().billing.portals
    }

    fn with_subscription(&self, id: &str, change: impl FnOnce(&mut Subscription)) {
        let mut book = self.book();
        let found = book.billing.subscription_mut(id);
        change(found.expect("a subscription of that id"));
    }

    /// The first payment or a debt is paid: the subscription is active, with an invoice.
    pub fn is_paid(&self, id: &str, at: DateTime<Utc>) {
        let book = &mut self.book().billing;
        let found = book.subscription_mut(id).expect("a subscription of that id");
        let total = if found.status == "incomplete" { found.first } else { 35_000 };
        if found.status == "incomplete" {
            found.period = Some((at, at + Duration::days(30 * found.months)));
        }
        found.status = "active".into();
        let customer = found.customer.clone();
        let mut owes_nothing = true;
        for owed in book.invoices.iter_mut().filter(|one| one.subscription == id && one.status == "open") {
            (owed.status, owes_nothing) = ("paid", false);
        }
        if owes_nothing {
            book.bill((id, &customer), at, (total, "paid"));
        }
    }

    /// The next period has begun, and its payment failed: its invoice is open.
    pub fn renewal_fails(&self, id: &str, at: DateTime<Utc>) {
        let book = &mut self.book().billing;
        let found = book.subscription_mut(id).expect("a subscription of that id");
        found.status = "past_due".into();
        found.period = Some((at, at + Duration::days(30 * found.months)));
        let customer = found.customer.clone();
        book.bill((id, &customer), at, (35_000, "open"));
    }

    /// Cancellations can no longer be undone.
    pub fn insists_on_ends(&self) {
        self.book().billing.insists = true;
    }

    /// The payer set the end of the period on Stripe's own pages.
    pub fn ends_with_its_period(&self, id: &str) {
        self.with_subscription(id, |one| {
            one.with_period = true;
            one.cancel_at = one.period.map(|(_, to)| to.timestamp());
        });
    }

    /// A bank took back the payment, so Stripe ended it.
    pub fn is_disputed(&self, id: &str, at: DateTime<Utc>) {
        self.ends(id, at, false);
        self.with_subscription(id, |one| one.reason = Some("payment_disputed"));
    }

    /// It ends: on the set day, or because it was not paid.
    pub fn ends(&self, id: &str, at: DateTime<Utc>, is_unpaid: bool) {
        self.with_subscription(id, |one| {
            one.status = "canceled".into();
            one.ended_at = Some(at.timestamp());
            one.reason = Some(if is_unpaid { "payment_failed" } else { "cancellation_requested" });
        });
    }

    /// A subscription made on Stripe's own pages.
    pub fn add_subscription(&self, id: &str, customer: &str, at: DateTime<Utc>) {
        self.book().billing.subscriptions.push(Subscription {
            id: id.into(),
            customer: customer.into(),
            status: "active".into(),
            first: 0,
            fields: HashMap::new(),
            months: 1,
            period: Some((at, at + Duration::days(30))),
            cancel_at: None,
            with_period: false,
            proration: None,
            ended_at: None,
            reason: None,
        });
    }

    /// An event about a subscription in its present state, made at `at`: its body and its signature.
    #[must_use]
    pub fn subscription_event(&self, kind: &str, id: &str, at: DateTime<Utc>) -> (String, String) {
        let object = {
            let book = self.book();
            drawn(book.billing.subscriptions.iter().find(|one| one.id == id).expect("a subscription of that id"))
        };
        self.signed_with(ENDPOINT, (kind, &object), None, at)
    }

    /// An event about an invoice, which only names its subscription.
    #[must_use]
    pub fn invoice_event(&self, kind: &str, subscription: &str, at: DateTime<Utc>) -> (String, String) {
        let object = json!({"id": "in_9", "object": "invoice", "subscription": subscription});
        self.signed_with(ENDPOINT, (kind, &object), None, at)
    }
}
