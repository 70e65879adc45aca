//! HTTP routes of customers, subscriptions, their invoices, and the portal.

use std::collections::HashMap;

use axum::{
    Form, Router,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde_json::{Value, json};

use super::{
    Customer, Invoice, Subscription,
    objects::{drawn, expanded, marks},
};
use crate::fake_stripe::{
    FakeStripe, Fields,
    calls::{answer, change, problem, stranger},
    money::paged,
    price,
};

pub(in crate::fake_stripe) fn routes() -> Router<FakeStripe> {
    Router::new()
        .route("/v1/customers", post(customer).get(customers))
        .route("/v1/subscriptions", post(subscribe).get(subscriptions))
        .route("/v1/subscriptions/{id}", get(look).post(update).delete(end_now))
        .route("/v1/prices/{id}", get(price::look))
        .route("/v1/billing_portal/sessions", post(portal))
        .route("/v1/invoices", get(invoices))
        .route("/pdf/{id}", get(pdf))
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
    answer(book.billing.find_subscription(&id).map_or_else(
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
        let Some(one) = book.billing.subscription_mut(&id) else { return missing() };
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
        let Some(one) = book.billing.subscription_mut(&id) else { return missing() };
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
