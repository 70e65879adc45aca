//! The public site, read without an account. Each page is one document with inline styles and no script: fast on any
//! phone, readable by search engines.
//!
//! `/` is the app for a signed-in person, else the front page; caches must not mix them up. Without a script only the
//! server can choose; the app's service worker leaves that address to it.

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
    routing::get,
};
use minijinja::{context, value::Serde};
use shared::{
    domain::tenancy::{
        org::{self, Org},
        registration::{self, RegistrationMode},
        session,
    },
    platform::{
        error::Result,
        id::{DEMO_ORG, OrgId},
    },
};

use crate::{
    auth::{cookie_name, cookie_token},
    error::{ApiResult, ErrorCode},
    extract::QueryParams,
    routes::intake::public_form::{requested_org_name, resolve_org},
    state::AppState,
    web,
};

mod config;
mod facts;
mod faq;
mod legal;
mod render;
mod words;

pub use config::SiteConfig;

use legal::{LegalContext, LegalSection};
use render::{PageHead, render_page, respond_with_etag};

/// Pages in the sitemap.
const LISTED: [&str; 6] = ["/", "/faq", "/demo", "/privacy", "/terms", "/sms-terms"];
const MAX_ORG_NAME: usize = 100;

/// Only the sign-in check, the offer to register and a business's own messaging terms need a database.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(front_page))
        .route("/lead", get(public_form_page))
        .route("/quote", get(public_form_page))
        .route("/quote-request", get(public_form_page))
        .route("/faq", get(faq_page))
        .route("/privacy", get(privacy_page))
        .route("/terms", get(terms_page))
        .route("/sms-terms", get(messaging_terms_page))
        .route("/robots.txt", get(robots_txt))
        .route("/sitemap.xml", get(sitemap_xml))
}

/// Page of a public form: the app's, with 404 where the named business does not exist.
async fn public_form_page(State(state): State<AppState>, asked: HeaderMap, query: QueryParams) -> Response {
    let found = match requested_org_name(&query) {
        Ok(name) => resolve_org(&state, name.as_deref()).await.map_err(|e| e.code),
        Err(e) => Err(e.code),
    };
    match found {
        Err(ErrorCode::NotFound) => web::not_found_page(&asked),
        // With the database away the app asks again.
        _ => web::app_page(&asked),
    }
}

async fn front_page(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let mut page =
        if is_signed_in(&state, &asked).await { web::app_page(&asked) } else { landing_page(&state, &asked).await };
    let headers = page.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.append(header::VARY, HeaderValue::from_static("cookie"));
    page
}

/// Whether the browser has a valid session. With the database away a browser with a cookie gets the app: it shows that
/// the server is away and retries.
async fn is_signed_in(state: &AppState, asked: &HeaderMap) -> bool {
    let name = cookie_name(state.settings.public_url.is_https());
    let Some(token) = cookie_token(asked, name) else { return false };
    match has_live_session(state, token).await {
        Ok(is_live) => is_live,
        Err(e) => {
            tracing::warn!(cause = %e, "it is not known who is signed in; the app asks again");
            true
        }
    }
}

async fn has_live_session(state: &AppState, token: &str) -> Result<bool> {
    let Some(db) = state.db_if_ready() else { return Ok(true) };
    let found = session::find_by_token(&mut db.acquire_reader().await?, state.origin.now(), token).await?;
    Ok(found.is_some())
}

/// Who may register; `None` while the database that decides it is away.
async fn offered_registration(state: &AppState) -> Option<RegistrationMode> {
    let (set, takes_money) = (state.settings.registration, state.settings.billing.is_some());
    if let Some(mode) = registration::configured_mode(set, takes_money) {
        return Some(mode);
    }
    let mut conn = state.db_if_ready()?.acquire_reader().await.ok()?;
    registration::effective_mode(&mut conn, set, takes_money).await.ok()
}

async fn landing_page(state: &AppState, asked: &HeaderMap) -> Response {
    let registration = offered_registration(state).await;
    let sheet = PageHead {
        path: "/",
        title: "Toolbox: 5 automation tools for plumbers, roofers and electricians",
        description: "Missed calls texted back, requests taken in, estimates and invoices followed up, reviews asked for, \
                      and your numbers in one report. One package, month-to-month.",
        facts: facts::product_json_ld(state),
    };
    let page = context! {
        can_register => registration == Some(RegistrationMode::Open),
        invitation_note => registration.filter(|mode| *mode == RegistrationMode::Invite).and_then(RegistrationMode::refusal_message),
        tools => Serde(words::TOOLS), included => Serde(words::INCLUDED), flow => Serde(words::FLOW),
        fits => Serde(words::FITS), promises => Serde(words::PROMISES), setup => words::format_dollars(words::SETUP_FEE),
        month => words::format_dollars(words::MONTHLY), saves => words::format_dollars(words::PREPAY_SAVES),
    };
    render_page(state, asked, "landing.html", &sheet, page)
}

async fn faq_page(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let cards = faq::faq_cards(&state.config.site);
    let sheet = PageHead {
        path: "/faq",
        title: "Questions and answers about Toolbox",
        description: "What Toolbox costs and why, what the setup covers, how long it takes, what if it does not work, and \
                      the contract terms.",
        facts: facts::faq_json_ld(&cards),
    };
    render_page(&state, &asked, "faq.html", &sheet, context! { cards => Serde(cards) })
}

/// Privacy page of the business that `org` names by slug or id, else of the whole install.
async fn privacy_page(State(state): State<AppState>, asked: HeaderMap, query: QueryParams) -> ApiResult<Response> {
    let (org, ctx) = (named_business(&state, &query).await?, legal_context(&state));
    let (path, title) = business_page_meta("/privacy", "Privacy", org.as_ref());
    let sheet = PageHead::without_facts(&path, &title, "What is kept about whom, what for, and for how long.");
    Ok(render_legal_page(&state, &asked, &sheet, ctx.privacy_sections(org.as_ref()), Some(ctx.effective_date())))
}

async fn terms_page(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let ctx = legal_context(&state);
    let sheet = PageHead::without_facts("/terms", "Terms", "What a business that uses Toolbox agrees to.");
    render_legal_page(&state, &asked, &sheet, ctx.terms_sections(), Some(ctx.effective_date()))
}

async fn messaging_terms_page(
    State(state): State<AppState>,
    asked: HeaderMap,
    query: QueryParams,
) -> ApiResult<Response> {
    let org = named_business(&state, &query).await?;
    let (path, title) = business_page_meta("/sms-terms", "Messaging terms", org.as_ref());
    let sheet = PageHead::without_facts(
        &path,
        &title,
        "What texts are about, how to stop them, and what agreeing to them means.",
    );
    // The consent wording carries its own version.
    Ok(render_legal_page(&state, &asked, &sheet, legal_context(&state).messaging_sections(org.as_ref()), None))
}

fn business_page_meta(path: &str, title: &str, org: Option<&Org>) -> (String, String) {
    match org {
        Some(org) => (format!("{path}?org={}", org.slug), format!("{title}: {}", org.name)),
        None => (path.to_owned(), title.to_owned()),
    }
}

async fn named_business(state: &AppState, query: &QueryParams) -> ApiResult<Option<Org>> {
    // A name that no business can have is treated as unknown.
    match query.parse_text("org", MAX_ORG_NAME).unwrap_or_default() {
        Some(name) => find_business(state, &name.to_lowercase()).await,
        None => Ok(None),
    }
}

/// The demonstration does not count as a business.
async fn find_business(state: &AppState, name: &str) -> ApiResult<Option<Org>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let found = match name.parse() {
        Ok(id) => org::find(&mut conn, OrgId(id)).await?,
        Err(_) => org::find_by_slug(&mut conn, name).await?,
    };
    Ok(found.filter(|org| org.id != DEMO_ORG))
}

fn legal_context(state: &AppState) -> LegalContext<'_> {
    LegalContext { settings: &state.settings, config: &state.config.site }
}

fn render_legal_page(
    state: &AppState,
    asked: &HeaderMap,
    sheet: &PageHead<'_>,
    sections: Vec<LegalSection>,
    since: Option<String>,
) -> Response {
    render_page(state, asked, "paper.html", sheet, context! { sections => Serde(sections), since })
}

async fn robots_txt(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let sitemap = state.settings.public_url.join("/sitemap.xml");
    let text = format!("User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /app\n\nSitemap: {sitemap}\n");
    respond_with_etag(&asked, "text/plain; charset=utf-8", text)
}

async fn sitemap_xml(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let is_shown = |path: &&&str| state.config.has_demo || **path != "/demo";
    let pages: Vec<_> = LISTED.iter().filter(is_shown).map(|path| state.settings.public_url.join(path)).collect();
    match render::render_template("sitemap.xml", context! { pages => Serde(pages) }) {
        Ok(text) => respond_with_etag(&asked, "application/xml", text),
        Err(e) => e.into_response(),
    }
}

#[cfg(test)]
mod tests;
