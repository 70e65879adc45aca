//! The HTTP server: routes, authorization, answers, live events, the public site, and the web app's files.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderValue, StatusCode, header},
    middleware::{from_fn, from_fn_with_state},
    response::IntoResponse,
    routing::get,
};
use tower_http::compression::{
    CompressionLayer,
    predicate::{DefaultPredicate, NotForContentType, Predicate},
};
use utoipa::openapi::OpenApi;

mod api_key_auth;
pub mod audit;
pub mod auth;
mod channel_reason;
pub mod cli;
mod client_info;
pub mod clock_watch;
pub mod commands;
mod concurrency_limit;
pub mod config;
mod csp;
mod csrf;
mod demo;
mod disposition;
mod enumeration_guard;
pub mod error;
mod extract;
mod form_queue;
mod form_subject;
pub mod healthcheck;
mod idempotency;
mod live;
mod maintenance_mode;
mod metrics;
mod middleware;
mod min_response_time;
mod notifier;
mod openapi;
mod pages;
mod pagination;
mod probes;
mod readiness;
mod report_export;
mod rls_log;
pub mod rotate_key;
mod router;
mod routes;
mod scopes;
mod serve;
mod single_flight;
mod site;
pub mod spool;
mod state;
mod subscription_guard;
mod web;
mod webhook_health;
pub mod worker_watchdog;

pub use config::ApiConfig;
pub use serve::{ConnectionLimits, serve_http};
pub use site::SiteConfig;
pub use state::AppState;

use error::{ApiError, ErrorCode};

/// Limit of a JSON body, in bytes.
const JSON_LIMIT: usize = 64 * 1024;

#[must_use]
pub fn build_openapi() -> OpenApi {
    openapi::with_shared_components(scopes::document_scopes(router::openapi_document()))
}

static DESCRIPTION: LazyLock<String> =
    LazyLock::new(|| build_openapi().to_json().unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}")));

async fn serve_openapi() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], DESCRIPTION.as_str())
}

pub fn build_router(state: AppState) -> Router {
    let api = router::ROUTER.clone();
    let routes = api
        .route("/api/openapi.json", get(serve_openapi))
        .route("/metrics", get(metrics::serve_metrics))
        .route("/f/{token}", get(routes::work::file::get_by_address))
        .route("/feeds/crew/{name}", get(routes::work::crew_calendar_feed::crew_calendar))
        .merge(pages::routes())
        .merge(site::routes())
        .route("/api", get(not_found_fallback))
        .route("/api/{*rest}", axum::routing::any(not_found_fallback))
        .fallback(web::serve_app)
        .method_not_allowed_fallback(|| async {
            ApiError::new(ErrorCode::MethodNotAllowed, "This address does not take this kind of request.")
        });
    with_layers(routes, state)
}

/// Wraps routes in the layers that every request passes.
pub fn with_layers(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .layer(DefaultBodyLimit::max(JSON_LIMIT))
        .layer(from_fn_with_state(state.clone(), enumeration_guard::detect_enumeration))
        .layer(from_fn_with_state(state.clone(), maintenance_mode::reject_writes_after_move))
        .layer(from_fn_with_state(state.clone(), csrf::verify_csrf))
        .layer(from_fn(demo::reject_demo_writes))
        .layer(CompressionLayer::new().compress_when(should_compress()))
        .layer(from_fn(convert_to_problems))
        .layer(from_fn(middleware::scope_to_tenant))
        .layer(from_fn_with_state(state.clone(), middleware::trace_request))
        .layer(from_fn_with_state(state.clone(), middleware::set_security_headers))
        .with_state(state)
}

/// Skips types that are compressed already.
fn should_compress() -> impl Predicate {
    let stored = NotForContentType::const_new("application/zip").and(NotForContentType::const_new("application/pdf"));
    DefaultPredicate::new().and(stored)
}

async fn not_found_fallback() -> ApiError {
    ApiError::not_found()
}

/// Turns axum's own short refusals into problem documents.
async fn convert_to_problems(
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> axum::response::Response {
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE).map(|v| v.as_bytes().to_vec()).unwrap_or_default();
    let is_told = kind == b"application/problem+json" || kind.starts_with(b"text/html");
    if !response.status().is_client_error() || is_told {
        return response;
    }
    let problem = match response.status() {
        StatusCode::PAYLOAD_TOO_LARGE => extract::too_large(JSON_LIMIT),
        StatusCode::NOT_FOUND => ApiError::not_found(),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ApiError::new(ErrorCode::UnsupportedMediaType, "This kind of content is not taken here.")
        }
        _ => extract::bad_request("This request does not fit."),
    };
    problem.into_response()
}

#[cfg(test)]
mod tests;
