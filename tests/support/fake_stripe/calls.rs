//! How a call is received: its key, its account, its idempotency key and its fault.

use std::collections::HashMap;

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{Book, FakeStripe, Fault, Fields, KEY, LIVE, LIVE_NEW, OTHER, OTHER_PLATFORM, PLATFORM, accounts};

pub(super) fn problem(status: StatusCode, kind: &str, code: &str) -> (StatusCode, Value) {
    (status, json!({"error": {"type": kind, "code": code, "message": "a sentence with mia@home.example in it"}}))
}

pub(super) fn answer((status, body): (StatusCode, Value)) -> Response {
    (status, axum::Json(body)).into_response()
}

/// Refuses a call without one of the account's keys.
pub(super) fn stranger(headers: &HeaderMap) -> Option<Response> {
    let is_known = [KEY, LIVE, LIVE_NEW, OTHER, PLATFORM, OTHER_PLATFORM].contains(&key_of(headers).as_str())
        && headers.contains_key("stripe-version");
    (!is_known).then(|| answer(problem(StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_invalid")))
}

pub(super) fn key_of(headers: &HeaderMap) -> String {
    let brought = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    brought.strip_prefix("Bearer ").unwrap_or_default().to_owned()
}

/// The account of a call: the one it names, or the key's own. Test and live mode share one account.
pub(super) fn account_of(headers: &HeaderMap) -> String {
    if let Some(named) = named_account(headers) {
        return named.to_owned();
    }
    match key_of(headers).as_str() {
        OTHER => "acct_other".to_owned(),
        PLATFORM => "acct_platform".to_owned(),
        OTHER_PLATFORM => "acct_other_platform".to_owned(),
        _ => "acct_own".to_owned(),
    }
}

fn named_account(headers: &HeaderMap) -> Option<&str> {
    headers.get("stripe-account").and_then(|value| value.to_str().ok())
}

fn revoked(fake: &FakeStripe, headers: &HeaderMap) -> Option<Response> {
    let is_revoked = fake.book().revoked.contains(key_of(headers).as_str());
    is_revoked.then(|| answer(problem(StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_expired")))
}

/// Refuses a call without a Stripe key, or with an account that the key does not reach.
pub(super) fn refused(fake: &FakeStripe, headers: &HeaderMap) -> Option<Response> {
    let is_out_of_reach = |account: &str| key_of(headers) != PLATFORM || !fake.book().reaches(account);
    stranger(headers)
        .or_else(|| revoked(fake, headers))
        .or_else(|| named_account(headers).filter(|one| is_out_of_reach(one)).map(|_| accounts::out_of_reach()))
}

/// A call that only reads, in its account.
pub(super) fn ask(fake: &FakeStripe, headers: &HeaderMap, act: impl FnOnce(&Book, &str) -> Response) -> Response {
    if let Some(refused) = refused(fake, headers).or_else(|| read_fault(fake)) {
        return refused;
    }
    act(&fake.book(), &account_of(headers))
}

fn cut() -> Response {
    let broken =
        futures::stream::iter([Ok(axum::body::Bytes::from_static(b"{\"id\":")), Err(std::io::Error::other("cut"))]);
    (StatusCode::OK, Body::from_stream(broken)).into_response()
}

/// The answer to a key that may not read a list.
pub(super) fn hidden(book: &Book, list: &str) -> Option<Response> {
    let refused = || answer(problem(StatusCode::FORBIDDEN, "invalid_request_error", "more_permissions_required"));
    book.hidden.contains(list).then(refused)
}

/// Faults before the request is processed, which are stored for no key.
fn turned_away(fault: Fault) -> Option<Response> {
    let (status, kind, code) = match fault {
        Fault::TooManyRequests => (StatusCode::TOO_MANY_REQUESTS, "rate_limit_error", "rate_limit"),
        Fault::Conflict => (StatusCode::CONFLICT, "idempotency_error", "idempotency_key_in_use"),
        Fault::KeyReused => (StatusCode::BAD_REQUEST, "idempotency_error", ""),
        Fault::Unauthorized => (StatusCode::UNAUTHORIZED, "invalid_request_error", "api_key_expired"),
        Fault::Forbidden => (StatusCode::FORBIDDEN, "invalid_request_error", "more_permissions_required"),
        Fault::Cut => return Some(cut()),
        Fault::DoneThen500 | Fault::Error500 | Fault::DoneThenCut | Fault::None => return None,
    };
    Some(answer(problem(status, kind, code)))
}

pub(super) fn read_fault(fake: &FakeStripe) -> Option<Response> {
    match fake.book().read_script.pop_front()? {
        Fault::Error500 | Fault::DoneThen500 => Some(answer(failure())),
        Fault::DoneThenCut => Some(cut()),
        other => turned_away(other),
    }
}

fn failure() -> (StatusCode, Value) {
    problem(StatusCode::INTERNAL_SERVER_ERROR, "api_error", "")
}

/// A call that changes something: once per idempotency key, with the same answer for a day, Stripe's own errors
/// included (Stripe, "Idempotent requests"). A request refused before processing is stored for no key.
pub(super) fn change(
    fake: &FakeStripe,
    headers: &HeaderMap,
    fields: Fields,
    act: impl FnOnce(&mut Book, &HashMap<String, String>) -> (StatusCode, Value),
) -> Response {
    if let Some(refused) = refused(fake, headers) {
        return refused;
    }
    let mut book = fake.book();
    let brought = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let key = brought.map(|key| format!("{}:{key}", account_of(headers)));
    let fault = book.script.pop_front().unwrap_or(Fault::None);
    if let Some(refused) = turned_away(fault) {
        return refused;
    }
    if let Some((asked, status, stored_response)) = key.as_ref().and_then(|key| book.answered.get(key)) {
        if *asked != fields {
            return answer(problem(StatusCode::BAD_REQUEST, "idempotency_error", ""));
        }
        let mut replayed = answer((*status, stored_response.clone()));
        replayed.headers_mut().insert("idempotent-replayed", axum::http::HeaderValue::from_static("true"));
        return replayed;
    }
    let named = fields.iter().cloned().collect();
    let (status, body) = match fault {
        Fault::Error500 => failure(),
        _ => act(&mut book, &named),
    };
    let response = if fault == Fault::DoneThen500 && status.is_success() { failure() } else { (status, body) };
    if let Some(key) = key.filter(|_| !response.0.is_client_error()) {
        book.answered.insert(key, (fields, response.0, response.1.clone()));
    }
    if fault == Fault::DoneThenCut { cut() } else { answer(response) }
}
