//! Pay pages: opened, listed, looked at and expired.

use std::collections::HashMap;

use axum::{
    Form,
    extract::{Path, Query, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::{Value, json};

use super::{
    FakeStripe, Fields, LEAST, Left, Session,
    calls::{account_of, answer, ask, change, key_of, problem},
    money,
};

pub(super) async fn open(State(fake): State<FakeStripe>, headers: HeaderMap, Form(fields): Form<Fields>) -> Response {
    let (livemode, account) = (key_of(&headers).contains("_live_"), account_of(&headers));
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
        if !book.may_charge(&account) {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "testmode_charges_only");
        }
        if let Some(email) = named.get("customer_email").filter(|email| email.ends_with(".refused.example")) {
            let mut refused = problem(StatusCode::BAD_REQUEST, "invalid_request_error", "email_invalid");
            if !email.ends_with("@unnamed.refused.example") {
                refused.1["error"]["param"] = json!("customer_email");
            }
            return refused;
        }
        let id = format!("cs_{}_{}", if livemode { "live" } else { "test" }, book.sessions.len() + 1);
        let page = Session {
            id,
            amount,
            currency: get("line_items[0][price_data][currency]"),
            livemode,
            account,
            created: book.now(),
            fields: named.clone(),
            left: None,
            payment: None,
        };
        book.sessions.push(page.clone());
        (StatusCode::OK, drawn(&page))
    })
}

pub(super) fn drawn(page: &Session) -> Value {
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
        "amount_total": page.amount, "currency": page.currency, "payment_intent": payment, "livemode": page.livemode,
        "client_reference_id": page.fields.get("client_reference_id"), "created": page.created,
    })
}

pub(super) async fn list(
    State(fake): State<FakeStripe>,
    headers: HeaderMap,
    Query(asked): Query<HashMap<String, String>>,
) -> Response {
    ask(&fake, &headers, |book, account| {
        let of = asked.get("payment_intent");
        let fits = |page: &&Session| page.account == account && of.is_none_or(|of| page.payment.as_ref() == Some(of));
        let found = book.sessions.iter().filter(fits).map(|page| (page.created, drawn(page))).collect();
        money::paged("/v1/checkout/sessions", &asked, found)
    })
}

pub(super) async fn look(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    ask(&fake, &headers, |book, account| {
        let found = book.sessions.iter().find(|page| page.id == id && page.account == account);
        answer(found.map_or_else(
            || problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing"),
            |page| (StatusCode::OK, drawn(page)),
        ))
    })
}

pub(super) async fn expire(State(fake): State<FakeStripe>, headers: HeaderMap, Path(id): Path<String>) -> Response {
    let account = account_of(&headers);
    change(&fake, &headers, Vec::new(), |book, _| {
        let keeps_pages = book.keeps_pages;
        let Some(page) = book.sessions.iter_mut().find(|page| page.id == id && page.account == account) else {
            return problem(StatusCode::NOT_FOUND, "invalid_request_error", "resource_missing");
        };
        if page.left.is_some() || keeps_pages {
            return problem(StatusCode::BAD_REQUEST, "invalid_request_error", "");
        }
        page.left = Some(Left::Expired);
        (StatusCode::OK, drawn(page))
    })
}
