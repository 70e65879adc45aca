//! Tests of the whole router for every request, without a database.

use axum::{
    body::{Body, to_bytes},
    http::{Method, Request, Response},
};
use shared::{
    ops::settings::InstallSettings,
    platform::{clock::ClockRng, config::EnvVars},
};
use tower::ServiceExt;

use super::*;

mod operations;

/// Method, path, content type, body; status and code.
type Case = (Method, &'static str, &'static str, Vec<u8>, u16, &'static str);

struct TestInstall {
    state: AppState,
    _folder: tempfile::TempDir,
}

fn test_install(public_url: &str) -> TestInstall {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap().to_owned();
    let mut vars = EnvVars::from_pairs([("DATA_DIR", data.as_str()), ("PUBLIC_URL", public_url)]);
    let origin = ClockRng::system();
    let settings = InstallSettings::from_vars(&mut vars, &origin.entropy);
    vars.into_result().unwrap();
    TestInstall { state: AppState::new(settings, ApiConfig::default(), origin, None).unwrap(), _folder: folder }
}

async fn ask(app: Router, method: Method, path: &str, kind: &str, body: Vec<u8>) -> (Response<()>, serde_json::Value) {
    let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, kind);
    let response = app.oneshot(request.body(Body::from(body)).unwrap()).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, 1 << 20).await.unwrap();
    (Response::from_parts(parts, ()), serde_json::from_slice(&bytes).unwrap_or_default())
}

#[tokio::test]
async fn every_error_is_a_problem_document_with_its_code() {
    let install = test_install("http://localhost:8080");
    let json = "application/json";
    let table: [Case; 9] = [
        (Method::GET, "/api/none", json, vec![], 404, "not_found"),
        (Method::GET, "/assets/none.js", json, vec![], 404, "not_found"),
        (Method::DELETE, "/api/auth/me", json, vec![], 405, "method_not_allowed"),
        (Method::POST, "/login", json, vec![], 405, "method_not_allowed"),
        (Method::POST, "/api/auth/login", "text/plain", b"{}".to_vec(), 415, "unsupported_media_type"),
        (Method::POST, "/api/auth/login", json, b"{".to_vec(), 400, "bad_request"),
        (Method::POST, "/api/auth/login", json, vec![b' '; JSON_LIMIT + 1], 413, "payload_too_large"),
        (Method::POST, "/api/leads/create", json, b"{}".to_vec(), 415, "unsupported_media_type"),
        (Method::GET, "/api/public/form", json, vec![], 503, "unavailable"),
    ];
    for (method, path, kind, body, status, code) in table {
        let (response, problem) = ask(build_router(install.state.clone()), method.clone(), path, kind, body).await;
        assert_eq!((response.status().as_u16(), problem["code"].as_str()), (status, Some(code)), "{method} {path}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json", "{path}");
        assert_eq!(problem["requestId"].as_str(), response.headers()["x-request-id"].to_str().ok(), "{path}");
    }
}

#[tokio::test]
async fn process_without_database_is_alive_but_not_ready() {
    let install = test_install("http://localhost:8080");
    let (alive, _) = ask(build_router(install.state.clone()), Method::GET, "/healthz", "", vec![]).await;
    assert_eq!(alive.status(), 200);
    let (ready, _) = ask(build_router(install.state.clone()), Method::GET, "/readyz", "", vec![]).await;
    assert_eq!((ready.status().as_u16(), &ready.headers()[header::RETRY_AFTER]), (503, &HeaderValue::from(5)));
}

#[tokio::test]
async fn every_response_carries_the_security_headers() {
    let install = test_install("https://toolbox.example.com");
    for path in
        ["/", "/healthz", "/metrics", "/docs/api", "/p/none", "/api/none", "/api/auth/me", "/assets/none.js", "/sw.js"]
    {
        let (response, _) = ask(build_router(install.state.clone()), Method::GET, path, "", vec![]).await;
        for name in PROTECTING {
            assert!(response.headers().contains_key(name), "{path} lacks {name}");
        }
    }
}

/// Policy of the page of the first payment, with and without payments set up.
async fn policy(state: AppState, path: &str) -> (String, String) {
    let (response, _) = ask(build_router(state), Method::GET, path, "", vec![]).await;
    let header_text = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    (header_text("content-security-policy"), header_text("permissions-policy"))
}

#[tokio::test]
async fn stripe_is_allowed_by_csp_only_on_checkout_with_payments_configured() {
    let bare = test_install("https://toolbox.example.com");
    let folder = tempfile::tempdir().unwrap();
    let mut vars = EnvVars::from_pairs([
        ("DATA_DIR", folder.path().to_str().unwrap()),
        ("STRIPE_SECRET_KEY", "sk_test_1"),
        ("STRIPE_PUBLISHABLE_KEY", "pk_test_1"),
        ("STRIPE_PRICE_MONTHLY", "price_1"),
        ("STRIPE_PRICE_SETUP", "price_2"),
    ]);
    let origin = ClockRng::system();
    let settings = InstallSettings::from_vars(&mut vars, &origin.entropy);
    vars.into_result().unwrap();
    let paid = AppState::new(settings, ApiConfig::default(), origin, None).unwrap();
    for (state, path, is_let_in) in [
        (&paid, "/checkout", true),
        (&paid, "/", false),
        (&paid, "/checkout/x", false),
        (&paid, "/app/billing", false),
        (&bare.state, "/checkout", false),
    ] {
        let (content, permissions) = policy(state.clone(), path).await;
        assert_eq!(content.contains("js.stripe.com"), is_let_in, "{path}: {content}");
        assert_eq!(permissions.contains("js.stripe.com"), is_let_in, "{path}: {permissions}");
        assert!(!content.contains("unsafe") && content.contains("frame-ancestors 'none'"), "{path}: {content}");
    }
}

/// Headers of every answer on an https install.
const PROTECTING: [&str; 9] = [
    "content-security-policy",
    "x-frame-options",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "permissions-policy",
    "strict-transport-security",
    "cache-control",
    "x-request-id",
];

async fn boom() -> &'static str {
    panic!("a secret")
}

#[tokio::test]
async fn panic_is_a_plain_500_without_its_message() {
    let install = test_install("http://localhost:8080");
    let app: Router = Router::new()
        .route("/boom", get(boom))
        .layer(from_fn_with_state(install.state.clone(), middleware::trace_request));
    let (response, problem) = ask(app, Method::GET, "/boom", "", vec![]).await;
    assert_eq!((response.status().as_u16(), problem["code"].as_str()), (500, Some("internal")));
    assert!(!problem.to_string().contains("a secret"));
}
