//! Drawing a page of the site: the templates, the styles that stand in it, and a policy that lets nothing else in.

use std::sync::LazyLock;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::Datelike;
use minijinja::{Environment, Value, context};
use sha2::{Digest, Sha256};

use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
    web,
};

/// All of it stands in every page: a second request would cost a phone more than these bytes.
pub(super) const STYLE: &str = include_str!("pages/site.css");
const HTML: &str = "text/html; charset=utf-8";
/// What a shared link shows: the card that `web/tools/icons.mjs` draws (1200 by 630), where the app was built with it.
const CARD: &str = "icons/social-card.png";
/// Else the mark alone.
const MARK: &str = "icons/icon-512.png";

/// The styles are let in by their hash, and nothing else: no script, no frame, no form, nothing of another site. What asks
/// for `/robots.txt` out of a page, as those do who measure it, may: it is this site's own.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
});

/// Compiled once. That the templates are sound is held by a test.
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

/// What is said about a page in its head.
pub(super) struct Sheet<'a> {
    /// Where it stands, from the root of this install.
    pub path: &'a str,
    pub title: &'a str,
    /// What search engines and shared links show below the title.
    pub description: &'a str,
    /// Structured data (`facts`), or undefined.
    pub facts: Value,
}

impl<'a> Sheet<'a> {
    /// Of a page without structured data.
    pub fn of(path: &'a str, title: &'a str, description: &'a str) -> Self {
        Self { path, title, description, facts: Value::UNDEFINED }
    }
}

/// The page, for who may have it already.
pub(super) fn draw(state: &AppState, asked: &HeaderMap, name: &str, sheet: &Sheet<'_>, page: Value) -> Response {
    let html = match fill(name, context! { ..page, ..frame(state, sheet) }) {
        Ok(html) => html,
        Err(e) => return e.into_response(),
    };
    let mut response = send(asked, HTML, html);
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What every page has: its head, and who runs this install.
fn frame(state: &AppState, sheet: &Sheet<'_>) -> Value {
    let url = &state.settings.public_url;
    let operator = &state.config.site.operator;
    let (picture, look) = if web::has(CARD) { (CARD, "summary_large_image") } else { (MARK, "summary") };
    context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        path => sheet.path, title => sheet.title, description => sheet.description, facts => sheet.facts.clone(),
        canonical => url.join(sheet.path), picture => url.join(&format!("/{picture}")), look,
        owner => operator.name.as_deref().unwrap_or("Toolbox"), address => operator.address.as_deref(),
        phone => operator.phone.as_deref(), support => state.settings.support_email.as_deref(),
        year => state.origin.now().year(), has_demo => state.config.has_demo,
    }
}

/// The template with its values.
///
/// # Errors
/// 500 when it cannot be drawn.
pub(super) fn fill(name: &str, page: Value) -> ApiResult<String> {
    let drawn = TEMPLATES.get_template(name).and_then(|template| template.render(page));
    drawn.map_err(|e| ApiError::internal(format!("page {name}: {e:#}")))
}

/// The text, or that it is still the same.
pub(super) fn send(asked: &HeaderMap, kind: &'static str, text: String) -> Response {
    let tag = web::tag_of(&Sha256::digest(&text).into());
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(web::ASK_EACH_TIME));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, value);
    }
    if web::is_same(asked, &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    (headers, text).into_response()
}
