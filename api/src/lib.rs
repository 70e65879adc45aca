//! The HTTP side of the house: routes, who may call them, answers, live events, the public site, and the web app's files.

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
mod client_info;
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
mod way;
mod web;
mod webhook_health;
pub mod worker_watchdog;

pub use config::ApiConfig;
pub use serve::serve;
pub use site::SiteConfig;
pub use state::AppState;

use error::{ApiError, ErrorCode};

/// The body of a JSON request.
const JSON_LIMIT: usize = 64 * 1024;

/// The description of the API (OpenAPI 3.1).
#[must_use]
pub fn openapi() -> OpenApi {
    scopes::told(router::description())
}

/// The same as it is served.
static DESCRIPTION: LazyLock<String> =
    LazyLock::new(|| openapi().to_json().unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}")));

async fn description() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], DESCRIPTION.as_str())
}

/// The whole server as one router.
pub fn router(state: AppState) -> Router {
    let api = router::TABLE.router.clone();
    let routes = api
        .route("/api/openapi.json", get(description))
        .route("/metrics", get(metrics::metrics))
        .route("/f/{token}", get(routes::file::get_by_address))
        .route("/feeds/crew/{name}", get(routes::feed::crew_calendar))
        .merge(pages::routes())
        .merge(site::routes())
        .route("/api", get(nothing_here))
        .route("/api/{*rest}", axum::routing::any(nothing_here))
        .fallback(web::serve)
        .method_not_allowed_fallback(|| async {
            ApiError::new(ErrorCode::MethodNotAllowed, "This address does not take this kind of request.")
        });
    layered(routes, state)
}

/// Puts before routes what every request passes.
pub fn layered(routes: Router<AppState>, state: AppState) -> Router {
    routes
        .layer(DefaultBodyLimit::max(JSON_LIMIT))
        .layer(from_fn_with_state(state.clone(), enumeration_guard::guard))
        .layer(from_fn_with_state(state.clone(), maintenance_mode::guard))
        .layer(from_fn_with_state(state.clone(), csrf::guard))
        .layer(from_fn(demo::guard))
        .layer(CompressionLayer::new().compress_when(pays_to_compress()))
        .layer(from_fn(problems_only))
        .layer(from_fn(middleware::one_business))
        .layer(from_fn_with_state(state.clone(), middleware::trace))
        .layer(from_fn_with_state(state.clone(), middleware::secure))
        .with_state(state)
}

/// What is compressed already gains nothing by it.
fn pays_to_compress() -> impl Predicate {
    let stored = NotForContentType::const_new("application/zip").and(NotForContentType::const_new("application/pdf"));
    DefaultPredicate::new().and(stored)
}

async fn nothing_here() -> ApiError {
    ApiError::not_found()
}

/// The framework's own short refusals become problem documents too.
async fn problems_only(request: axum::extract::Request, next: axum::middleware::Next) -> axum::response::Response {
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE).map(|v| v.as_bytes().to_vec()).unwrap_or_default();
    let is_told = kind == b"application/problem+json" || kind.starts_with(b"text/html");
    if !response.status().is_client_error() || is_told {
        return response;
    }
    let problem = match response.status() {
        StatusCode::PAYLOAD_TOO_LARGE => extract::too_large(),
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
