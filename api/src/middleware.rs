//! What every request passes: a request id, one log line without personal data, a net under panics, and the headers
//! that every answer carries.

use std::{panic::AssertUnwindSafe, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use shared::platform::db::tenant_scope;

use crate::{
    csp,
    error::{ApiError, REQUEST_ID},
    state::AppState,
};

const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The page that shows Stripe's form.
const CHECKOUT: &str = "/checkout";
const PERMISSIONS: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()";
/// The same, and wallets in Stripe's form.
const CHECKOUT_PERMISSIONS: &str =
    "camera=(), microphone=(), geolocation=(), payment=(self \"https://js.stripe.com\"), usb=(), browsing-topics=()";
const HSTS: &str = "max-age=31536000; includeSubDomains";

/// Gives the request its id (never one from outside), logs its path's template, status and duration, and counts them.
pub async fn trace(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let id = state.origin.uuid().simple().to_string();
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().map_or("(unmatched)", MatchedPath::as_str).to_owned();
    let began = Instant::now();
    let work = AssertUnwindSafe(next.run(request)).catch_unwind();
    let mut response = REQUEST_ID
        .scope(id.clone(), async {
            work.await.unwrap_or_else(|panic| ApiError::internal(panic_words(panic.as_ref())).into_response())
        })
        .await;
    let status = response.status().as_u16();
    let took = began.elapsed();
    tracing::info!(request_id = id, %method, path, status, ms = took.as_millis(), "request");
    state.meter.note(&method, &path, status, took);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID_HEADER, value);
    }
    response
}

fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let words =
        panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", words.unwrap_or_default())
}

/// Remembers for the rest of a request whose it is, once that is found out ([`crate::auth`]): the database is told so, and
/// shows no other business's rows. What answers on after the handler has returned, as a stream does, is not within.
pub async fn one_business(request: Request, next: Next) -> Response {
    tenant_scope::unknown_yet(next.run(request)).await
}

/// Puts the protecting headers on every answer; one that a handler has set more strictly stays.
pub async fn secure(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let takes_cards = request.uri().path() == CHECKOUT && state.settings.billing.is_some();
    let (content, permissions) =
        if takes_cards { (csp::CHECKOUT, CHECKOUT_PERMISSIONS) } else { (csp::APP, PERMISSIONS) };
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut always = vec![
        (header::CONTENT_SECURITY_POLICY, content),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The policy says so already: this is for who looks only here, and for browsers from before it.
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), permissions),
        // What an answer does not say about caching, no cache may guess: most hold somebody's data.
        (header::CACHE_CONTROL, "no-store"),
    ];
    if state.settings.public_url.is_https() {
        always.push((header::STRICT_TRANSPORT_SECURITY, HSTS));
    }
    for (name, value) in always {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
