//! Subscriptions at Stripe: customers, subscriptions, their invoices, and the portal.

use std::collections::HashMap;

use axum::{
    Form, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use super::{
    ENDPOINT, FakeStripe, Fields,
    calls::{answer, change, problem, stranger},
    money::paged,
    price,
};

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

pub(super) fn routes() -> Router<FakeStripe> {
    Router::new()
        .route("/v1/customers", post(customer).get(customers))
        .route("/v1/subscriptions", post(subscribe).get(subscriptions))
        .route("/v1/subscriptions/{id}", get(look).post(update).delete(end_now))
        .route("/v1/prices/{id}", get(price::look))
        .route("/v1/billing_portal/sessions", post(portal))
        .route("/v1/invoices", get(invoices))
        .route("/pdf/{id}", get(pdf))
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
        let found = book.billing.subscriptions.iter_mut().find(|one| one.id == id);
        change(found.expect("a subscription of that id"));
    }

    /// The first payment or a debt is paid: the subscription is active, with an invoice.
    pub fn is_paid(&self, id: &str, at: DateTime<Utc>) {
        let book = &mut self.book().billing;
        let found = book.subscriptions.iter_mut().find(|one| one.id == id).expect("a subscription of that id");
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
        let found = book.subscriptions.iter_mut().find(|one| one.id == id).expect("a subscription of that id");
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

fn drawn(of: &Subscription) -> Value {
    let instant = |at: DateTime<Utc>| at.timestamp();
    let marks: serde_json::Map<String, Value> = of
        .fields
        .iter()
        .filter_map(|(name, value)| {
            let name = name.strip_prefix("metadata[")?.strip_suffix(']')?;
            Some((name.to_owned(), json!(value)))
        })
        .collect();
    json!({
        "id": of.id, "object": "subscription", "customer": of.customer, "status": of.status,
        "current_period_start": of.period.map(|(from, _)| instant(from)),
        "current_period_end": of.period.map(|(_, to)| instant(to)),
        "livemode": false,
        "cancel_at": of.cancel_at, "cancel_at_period_end": of.with_period, "ended_at": of.ended_at, "trial_end": null,
        "cancellation_details": {"reason": of.reason}, "metadata": marks,
        "items": {"object": "list", "data": [
            {"id": "si_1", "price": {"id": "price_x", "recurring": {"interval": "month", "interval_count": of.months}}},
        ]},
        "latest_invoice": "in_1", "default_payment_method": null,
    })
}

/// With card and first payment, as in an expanded response.
fn expanded(of: &Subscription) -> Value {
    let mut drawn = drawn(of);
    if of.status == "incomplete" {
        let secret = format!("pi_{}_secret_story", of.id);
        drawn["latest_invoice"] =
            json!({"id": "in_1", "payment_intent": {"id": format!("pi_{}", of.id), "client_secret": secret}});
    } else {
        let card = json!({"brand": "visa", "last4": "4242", "exp_month": 4, "exp_year": 2029});
        drawn["default_payment_method"] = json!({"id": "pm_1", "card": card});
    }
    drawn
}

fn missing() -> (StatusCode, Value) {
    problem(StatusCode::BAD_REQUEST, "invalid_request_error", "resource_missing")
}

async fn customer(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    change(&fake, &headers, fields, |book, named| {
        let id = format!("cus_{}", book.billing.customers.len() + 1);
        book.billing.customers.push(Customer { id: id.clone(), fields: named.clone() });
        (StatusCode::OK, json!({"id": id, "object": "customer"}))
    })
}

async fn subscribe(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    change(&fake, &headers, fields, |book, named| {
        let price = |name: &str| named.get(name).and_then(|id| book.billing.prices.find(id));
        let customer = named.get("customer").cloned().unwrap_or_default();
        let is_known = book.billing.customers.iter().any(|one| one.id == customer)
            || book.billing.subscriptions.iter().any(|one| one.customer == customer);
        let is_card = named.get("payment_settings[payment_method_types][0]").is_some_and(|kind| kind == "card");
        let (Some((every, Some(months))), true, true) = (price("items[0][price]"), is_known, is_card) else {
            return missing();
        };
        let setup = match named.get("add_invoice_items[0][price]").map(|id| book.billing.prices.find(id)) {
            None => 0,
            Some(Some((cents, None))) => cents,
            Some(_) => return missing(),
        };
        let made = Subscription {
            id: format!("sub_{}", book.billing.subscriptions.len() + 1),
            customer,
            status: "incomplete".into(),
            first: every + setup,
            fields: named.clone(),
            months,
            period: None,
            cancel_at: None,
            with_period: false,
            proration: None,
            ended_at: None,
            reason: None,
        };
        book.billing.subscriptions.push(made.clone());
        (StatusCode::OK, expanded(&made))
    })
}

fn marks(fields: &HashMap<String, String>) -> Value {
    let mark = |(name, value): (&String, &String)| {
        Some((name.strip_prefix("metadata[")?.strip_suffix(']')?.to_owned(), json!(value)))
    };
    Value::Object(fields.iter().filter_map(mark).collect())
}

async fn customers(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let of = asked.get("email");
    let found = book.billing.customers.iter().filter(|one| of.is_none_or(|of| one.fields.get("email") == Some(of)));
    let drawn = |one: &Customer| (0, json!({"id": one.id, "object": "customer", "metadata": marks(&one.fields)}));
    paged("/v1/customers", &asked, found.map(drawn).collect())
}

async fn subscriptions(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let (of, status) = (asked.get("customer"), asked.get("status"));
    let fits = |one: &&Subscription| {
        of.is_none_or(|of| one.customer == *of) && status.is_none_or(|status| status == "all" || one.status == *status)
    };
    paged(
        "/v1/subscriptions",
        &asked,
        book.billing.subscriptions.iter().filter(fits).map(|one| (0, drawn(one))).collect(),
    )
}

async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let book = fake.book();
    let found = book.billing.subscriptions.iter().find(|one| one.id == id);
    answer(found.map_or_else(
        || problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing"),
        |one| (StatusCode::OK, expanded(one)),
    ))
}

async fn update(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Form(fields): Form<Fields>,
) -> Response {
    change(&fake, &headers, fields, |book, named| {
        let insists = book.billing.insists;
        let Some(one) = book.billing.subscriptions.iter_mut().find(|one| one.id == id) else { return missing() };
        if insists {
            return (StatusCode::OK, expanded(one));
        }
        if one.status == "canceled" {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "resource_missing");
        }
        if named.contains_key("cancel_at") && named.contains_key("cancel_at_period_end") {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "parameter_invalid");
        }
        if named.get("cancel_at_period_end").is_some_and(|on| on == "false") {
            (one.with_period, one.cancel_at) = (false, None);
        }
        // An end that was set as the end of the period is removed as such.
        if let Some(at) = named.get("cancel_at").filter(|_| !one.with_period) {
            one.cancel_at = at.parse().ok();
            one.proration = named.get("proration_behavior").cloned();
        }
        (StatusCode::OK, expanded(one))
    })
}

async fn end_now(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    change(&fake, &headers, Vec::new(), |book, _| {
        let Some(one) = book.billing.subscriptions.iter_mut().find(|one| one.id == id) else { return missing() };
        one.status = match one.status.as_str() {
            "canceled" | "incomplete_expired" => return missing(),
            "incomplete" => "incomplete_expired",
            _ => "canceled",
        }
        .into();
        (StatusCode::OK, drawn(one))
    })
}

async fn portal(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    change(&fake, &headers, fields, |book, named| {
        let get = |name: &str| named.get(name).cloned().unwrap_or_default();
        if !get("customer").starts_with("cus_") || get("return_url").is_empty() {
            return missing();
        }
        book.billing.portals += 1;
        let url = format!("https://billing.stripe.example/p/session/{}", get("customer"));
        (StatusCode::OK, json!({"id": "bps_1", "object": "billing_portal.session", "url": url}))
    })
}

async fn invoices(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    if let Some(refused) = stranger(&headers) {
        return refused;
    }
    let is_asked = |one: &&Invoice| {
        let is = |name: &str, value: &str| asked.get(name).is_none_or(|wanted| wanted == value);
        is("customer", &one.customer) && is("subscription", &one.subscription) && is("status", one.status)
    };
    let base = fake.url();
    let draw = |one: &Invoice| {
        json!({"id": one.id, "object": "invoice", "number": one.number, "created": one.created, "status": one.status,
            "total": one.total, "currency": "usd", "invoice_pdf": format!("{base}/pdf/{}", one.id)})
    };
    let book = fake.book();
    let found: Vec<Value> = book.billing.invoices.iter().rev().filter(is_asked).map(draw).collect();
    answer((StatusCode::OK, json!({"object": "list", "data": found, "has_more": false})))
}

async fn pdf(Path(id): Path<String>) -> Response {
    format!("%PDF-1.4 {id}").into_response()
}
