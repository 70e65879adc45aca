//! Layers of every request: request id, one log line without personal data, panic handling, security headers.

use std::{panic::AssertUnwindSafe, time::Instant};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use shared::platform::{
    db::tenant_scope,
    request_id::{RequestId, with_request},
    spans::{record_response_status, request_span},
};
use tracing::Instrument;

use crate::{
    csp,
    error::{ApiError, REQUEST_LANGUAGE, preferred_language},
    state::AppState,
};

const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The page with Stripe's form.
const CHECKOUT: &str = "/checkout";
const PERMISSIONS: &str = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()";
/// The same, with wallets in Stripe's form.
const CHECKOUT_PERMISSIONS: &str =
    "camera=(), microphone=(), geolocation=(), payment=(self \"https://js.stripe.com\"), usb=(), browsing-topics=()";
const HSTS: &str = "max-age=31536000; includeSubDomains";

/// Assigns the request id (never one from outside); logs and counts route template, status and duration.
pub async fn trace_request(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let id = RequestId(state.origin.uuid_v7());
    let method = request.method().clone();
    let path = request.extensions().get::<MatchedPath>().map_or("(unmatched)", MatchedPath::as_str).to_owned();
    let language = preferred_language(request.headers());
    let (began, span) = (Instant::now(), request_span(id, method.as_str(), &path));
    let work = AssertUnwindSafe(next.run(request)).catch_unwind();
    let answer =
        async { work.await.unwrap_or_else(|panic| ApiError::internal(panic_message(panic.as_ref())).into_response()) };
    let answer = REQUEST_LANGUAGE.scope(language, answer).instrument(span.clone());
    let mut response = with_request(id, answer).await;
    let status = response.status().as_u16();
    let took = began.elapsed();
    record_response_status(&span, status);
    tracing::info!(request_id = %id, %method, path, status, ms = took.as_millis(), "request");
    state.meter.record_response(&method, &path, status, took);
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID_HEADER, value);
    }
    response
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let words =
        panic.downcast_ref::<&str>().map(ToString::to_string).or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", words.unwrap_or_default())
}

/// Scope that holds the business of the request once it is known ([`crate::auth`]): the database then shows no other
/// rows. A stream that goes on after the handler has returned is outside.
pub async fn scope_to_tenant(request: Request, next: Next) -> Response {
    tenant_scope::with_unresolved_tenant(next.run(request)).await
}

/// Sets security headers on every answer; a stricter one set by a handler stays.
pub async fn set_security_headers(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let takes_cards = request.uri().path() == CHECKOUT && state.settings.billing.is_some();
    let (content, permissions) =
        if takes_cards { (csp::CHECKOUT, CHECKOUT_PERMISSIONS) } else { (csp::APP, PERMISSIONS) };
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let mut always = vec![
        (header::CONTENT_SECURITY_POLICY, content),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Stated by the policy too: for scanners and old browsers that read only this header.
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), permissions),
        // No cache may guess: most answers hold personal data.
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
