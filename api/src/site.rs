//! The public site: what somebody reads before they have an account. Each page is one document with its styles in it
//! and no script, so it is read at once on any phone, and by search engines.
//!
//! `/` is two things: a signed-in person gets the app, everybody else the front page. Only the server can tell without
//! a script, so it chooses here; the app's service worker leaves that address to it.

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
        session,
    },
    platform::{
        error::Result,
        id::{DEMO_ORG, OrgId},
    },
};

use crate::{
    auth::{cookie_name, token_of},
    error::{ApiResult, ErrorCode},
    extract::Query,
    routes::form::{named_in, resolve},
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

use legal::{House, Section};
use render::{Sheet, draw, send};

/// The pages that search engines are told of.
const LISTED: [&str; 6] = ["/", "/faq", "/demo", "/privacy", "/terms", "/sms-terms"];
const MAX_ORG_NAME: usize = 100;

/// The routes. None of them needs a database, but for who is signed in and for a business's own messaging terms.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/", get(front))
        .route("/lead", get(public_form))
        .route("/quote", get(public_form))
        .route("/quote-request", get(public_form))
        .route("/faq", get(questions))
        .route("/privacy", get(privacy))
        .route("/terms", get(terms))
        .route("/sms-terms", get(messaging))
        .route("/robots.txt", get(robots))
        .route("/sitemap.xml", get(sitemap))
}

/// The front page, or the app for who is signed in. No cache may give one person the other's.
/// The page of a public form: the app's, which says so itself, with 404 where the business it names does not exist.
async fn public_form(State(state): State<AppState>, asked: HeaderMap, query: Query) -> Response {
    let found = match named_in(&query) {
        Ok(name) => resolve(&state, name.as_deref()).await.map_err(|e| e.code),
        Err(e) => Err(e.code),
    };
    match found {
        Err(ErrorCode::NotFound) => web::missing(&asked),
        // While nobody can tell, the app asks again.
        _ => web::page(&asked),
    }
}

async fn front(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let mut page = if is_signed_in(&state, &asked).await { web::page(&asked) } else { landing(&state, &asked) };
    let headers = page.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.append(header::VARY, HeaderValue::from_static("cookie"));
    page
}

/// Whether this browser has a session that stands. While nobody can tell, the app is the better answer to who brings
/// one: it says that the server is away, and goes on by itself.
async fn is_signed_in(state: &AppState, asked: &HeaderMap) -> bool {
    let name = cookie_name(state.settings.public_url.is_https());
    let Some(token) = token_of(asked, name) else { return false };
    match session_stands(state, token).await {
        Ok(stands) => stands,
        Err(e) => {
            tracing::warn!(cause = %e, "nobody can tell who is signed in; the app asks again");
            true
        }
    }
}

async fn session_stands(state: &AppState, token: &str) -> Result<bool> {
    let Some(db) = state.db_if_ready() else { return Ok(true) };
    let found = session::find(&mut db.read().await?, state.origin.now(), token).await?;
    Ok(found.is_some())
}

fn landing(state: &AppState, asked: &HeaderMap) -> Response {
    let sheet = Sheet {
        path: "/",
        title: "Toolbox: 5 automation tools for plumbers, roofers and electricians",
        description: "Missed calls texted back, requests taken in, estimates and invoices followed up, reviews asked for, \
                      and your numbers in one report. One package, month-to-month.",
        facts: facts::product(state),
    };
    let page = context! {
        tools => Serde(words::TOOLS), included => Serde(words::INCLUDED), flow => Serde(words::FLOW),
        fits => Serde(words::FITS), promises => Serde(words::PROMISES), setup => words::dollars(words::SETUP_FEE),
        month => words::dollars(words::MONTHLY), saves => words::dollars(words::PREPAY_SAVES),
    };
    draw(state, asked, "landing.html", &sheet, page)
}

async fn questions(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let cards = faq::cards(&state.config.site);
    let sheet = Sheet {
        path: "/faq",
        title: "Questions and answers about Toolbox",
        description: "What Toolbox costs and why, what the setup covers, how long it takes, what if it does not work, and \
                      the contract terms.",
        facts: facts::questions(&cards),
    };
    draw(&state, &asked, "faq.html", &sheet, context! { cards => Serde(cards) })
}

/// The privacy page: of the business that `org` names, by slug or id, else of all.
async fn privacy(State(state): State<AppState>, asked: HeaderMap, query: Query) -> ApiResult<Response> {
    let (org, house) = (named(&state, &query).await?, house(&state));
    let (path, title) = of_business("/privacy", "Privacy", org.as_ref());
    let sheet = Sheet::of(&path, &title, "What is kept of whom, for what, and for how long.");
    Ok(paper(&state, &asked, &sheet, house.privacy(org.as_ref()), Some(house.since())))
}

async fn terms(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let house = house(&state);
    let sheet = Sheet::of("/terms", "Terms", "What a business that uses Toolbox agrees to.");
    paper(&state, &asked, &sheet, house.terms(), Some(house.since()))
}

/// The messaging terms, likewise.
async fn messaging(State(state): State<AppState>, asked: HeaderMap, query: Query) -> ApiResult<Response> {
    let org = named(&state, &query).await?;
    let (path, title) = of_business("/sms-terms", "Messaging terms", org.as_ref());
    let sheet = Sheet::of(&path, &title, "What texts are about, how to stop them, and what agreeing to them means.");
    // The wording names its own version.
    Ok(paper(&state, &asked, &sheet, house(&state).messaging(org.as_ref()), None))
}

/// The address and the title of a page that each business has as its own.
fn of_business(path: &str, title: &str, org: Option<&Org>) -> (String, String) {
    match org {
        Some(org) => (format!("{path}?org={}", org.slug), format!("{title}: {}", org.name)),
        None => (path.to_owned(), title.to_owned()),
    }
}

/// The business that the address names, if there is one.
async fn named(state: &AppState, query: &Query) -> ApiResult<Option<Org>> {
    // A name that no business can have is treated like one that none has.
    match query.text("org", MAX_ORG_NAME).unwrap_or_default() {
        Some(name) => business(state, &name.to_lowercase()).await,
        None => Ok(None),
    }
}

/// The demonstration is nobody's business.
async fn business(state: &AppState, name: &str) -> ApiResult<Option<Org>> {
    let mut conn = state.db()?.read().await?;
    let found = match name.parse() {
        Ok(id) => org::find(&mut conn, OrgId(id)).await?,
        Err(_) => org::find_by_slug(&mut conn, name).await?,
    };
    Ok(found.filter(|org| org.id != DEMO_ORG))
}

fn house(state: &AppState) -> House<'_> {
    House { settings: &state.settings, config: &state.config.site }
}

fn paper(
    state: &AppState,
    asked: &HeaderMap,
    sheet: &Sheet<'_>,
    sections: Vec<Section>,
    since: Option<String>,
) -> Response {
    draw(state, asked, "paper.html", sheet, context! { sections => Serde(sections), since })
}

async fn robots(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let sitemap = state.settings.public_url.join("/sitemap.xml");
    let text = format!("User-agent: *\nAllow: /\nDisallow: /api/\nDisallow: /app\n\nSitemap: {sitemap}\n");
    send(&asked, "text/plain; charset=utf-8", text)
}

async fn sitemap(State(state): State<AppState>, asked: HeaderMap) -> Response {
    let is_shown = |path: &&&str| state.config.has_demo || **path != "/demo";
    let pages: Vec<_> = LISTED.iter().filter(is_shown).map(|path| state.settings.public_url.join(path)).collect();
    match render::fill("sitemap.xml", context! { pages => Serde(pages) }) {
        Ok(text) => send(&asked, "application/xml", text),
        Err(e) => e.into_response(),
    }
}

#[cfg(test)]
mod tests;
