//! Rendering of a site page: templates, inline styles, and the Content-Security-Policy.

use std::sync::LazyLock;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::Datelike;
use minijinja::{Environment, Value, context};
use sha2::{Digest, Sha256};
use shared::platform::email_address::EmailAddress;

use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
    web,
};

/// Inlined in every page: a second request would cost a phone more than these bytes.
pub(super) const STYLE: &str = include_str!("pages/site.css");
const HTML: &str = "text/html; charset=utf-8";
/// Picture of a shared link: drawn by `web/tools/icons.mjs` (1200 by 630), if the app was built with it.
const CARD: &str = "icons/social-card.png";
/// Fallback picture.
const MARK: &str = "icons/icon-512.png";

/// Allows the styles by their hash, and no script, frame, form or other site. `connect-src 'self'` lets auditing tools
/// fetch `/robots.txt` from the page.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
});

/// Compiled once; a test checks that the templates are valid.
pub(super) static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    for (name, text) in [
        ("frame.html", include_str!("pages/frame.html")),
        ("icon.html", include_str!("pages/icon.html")),
        ("roof.html", include_str!("pages/roof.html")),
        ("scene.html", include_str!("pages/scene.html")),
        ("landing.html", include_str!("pages/landing.html")),
        ("faq.html", include_str!("pages/faq.html")),
        ("paper.html", include_str!("pages/paper.html")),
        ("sitemap.xml", include_str!("pages/sitemap.xml")),
    ] {
        if let Err(e) = env.add_template(name, text) {
            tracing::error!(error = %e, name, "a page of the site is broken");
        }
    }
    env
});

pub(super) struct PageHead<'a> {
    /// Path on this install.
    pub path: &'a str,
    pub title: &'a str,
    /// Description for search engines and shared links.
    pub description: &'a str,
    /// Structured data (`facts`), or undefined.
    pub facts: Value,
}

impl<'a> PageHead<'a> {
    pub fn without_facts(path: &'a str, title: &'a str, description: &'a str) -> Self {
        Self { path, title, description, facts: Value::UNDEFINED }
    }
}

/// Renders the page; 304 if the client has it.
pub(super) fn render_page(
    state: &AppState,
    asked: &HeaderMap,
    name: &str,
    sheet: &PageHead<'_>,
    page: Value,
) -> Response {
    let html = match render_template(name, context! { ..page, ..page_frame(state, sheet) }) {
        Ok(html) => html,
        Err(e) => return e.into_response(),
    };
    let mut response = respond_with_etag(asked, HTML, html);
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Values of every page: its head, and the operator.
fn page_frame(state: &AppState, sheet: &PageHead<'_>) -> Value {
    let url = &state.settings.public_url;
    let operator = &state.config.site.operator;
    let (picture, look) = if web::has_asset(CARD) { (CARD, "summary_large_image") } else { (MARK, "summary") };
    context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        path => sheet.path, title => sheet.title, description => sheet.description, facts => sheet.facts.clone(),
        canonical => url.join(sheet.path), picture => url.join(&format!("/{picture}")), look,
        owner => operator.name.as_deref().unwrap_or("Toolbox"), address => operator.address.as_deref(),
        phone => operator.phone.as_deref(), support => state.settings.support_email.as_ref().map(EmailAddress::as_str),
        year => state.origin.now().year(), has_demo => state.config.has_demo,
    }
}

/// Errors: 500 when the template cannot be rendered.
pub(super) fn render_template(name: &str, page: Value) -> ApiResult<String> {
    let drawn = TEMPLATES.get_template(name).and_then(|template| template.render(page));
    drawn.map_err(|e| ApiError::internal(format!("page {name}: {e:#}")))
}

pub(super) fn respond_with_etag(asked: &HeaderMap, kind: &'static str, text: String) -> Response {
    let tag = web::etag_of(&Sha256::digest(&text).into());
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(web::ASK_EACH_TIME));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, value);
    }
    if web::matches_etag(asked, &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    (headers, text).into_response()
}
