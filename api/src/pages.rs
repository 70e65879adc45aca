//! Pages for customers, drawn here and not in the app: whoever holds the link reads and answers, on any phone, with or
//! without scripts, and without an account.
//!
//! A page is one document, one stylesheet and one script of our own. What a link opens is decided by its token alone;
//! forged, cut off, foreign and taken back links all get the same answer.

use axum::{
    Router,
    extract::{OptionalFromRequestParts, Path, RawQuery, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{get, post},
};
use minijinja::{Environment, Value};
use sha2::{Digest, Sha256};
use shared::{
    error::Error,
    id::OrgId,
    lead::Intake,
    link::{self, Kind, Link, Opened},
    org::{self, Profile},
    throttle,
};
use std::sync::LazyLock;

use crate::{
    auth::OrgMember,
    error::{ApiError, ApiResult, ErrorCode},
    state::AppState,
    who::Who,
};

mod answer;
mod book;
mod estimate;
mod fault;
mod form;
mod head;
mod invoice;
mod paper;
mod pay;
mod visit;
mod words;

use form::Pairs;
use words::{Words, of_browser};

/// Looks at links that open nothing, per network and hour: nobody mistypes that often.
const MISSES: i64 = 60;
/// Answers sent in, per link and hour.
const POSTS: i64 = 20;
/// The pages take nothing from elsewhere and run nothing that is written into them.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// What has a page at its link.
const SHOWN: [Kind; 3] = [Kind::Estimate, Kind::Invoice, Kind::Visit];
const FOR_GOOD: &str = "public, max-age=31536000, immutable";
const STYLE: &str = include_str!("pages/public.css");
const SCRIPT: &str = include_str!("pages/public.js");

/// An address that changes with what is behind it.
fn asset(name: &str, text: &str, ending: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let short = hash.iter().take(6).fold(0_u64, |short, byte| (short << 8) | u64::from(*byte));
    format!("/p-assets/{name}-{short:012x}.{ending}")
}

static STYLE_PATH: LazyLock<String> = LazyLock::new(|| asset("page", STYLE, "css"));
static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| asset("page", SCRIPT, "js"));

/// Compiled once. That the templates are sound is held by a test.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    for (name, text) in [
        ("frame.html", include_str!("pages/frame.html")),
        ("head.html", include_str!("pages/head.html")),
        ("lines.html", include_str!("pages/lines.html")),
        ("ask.html", include_str!("pages/ask.html")),
        ("estimate.html", include_str!("pages/estimate.html")),
        ("invoice.html", include_str!("pages/invoice.html")),
        ("visit.html", include_str!("pages/visit.html")),
        ("book.html", include_str!("pages/book.html")),
        ("note.html", include_str!("pages/note.html")),
        ("pay.html", include_str!("pages/pay.html")),
    ] {
        if let Err(e) = env.add_template(name, text) {
            tracing::error!(error = %e, name, "a page is broken");
        }
    }
    env
});

/// The routes. None of them looks at a session, except to leave the looks of the business itself uncounted.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/p/{token}", get(show))
        .route("/p/{token}/pdf", get(pdf))
        .route("/p/{token}/seen", post(seen))
        .route("/p/{token}/approve", post(estimate::approve))
        .route("/p/{token}/decline", post(estimate::decline))
        .route("/p/{token}/ask", post(ask))
        .route("/p/{token}/receipt/{payment}", get(invoice::receipt))
        .route("/p/{token}/confirm", post(visit::confirm))
        .route("/p/{token}/cancel", post(visit::cancel))
        .route("/p/{token}/move", post(visit::change))
        .route("/p/{token}/message", post(visit::ask))
        .route("/p/{token}/visit.ics", get(visit::calendar))
        .route("/p/{token}/pay", post(pay::go))
        .route("/p/{token}/pay/{visit}", get(pay::leave))
        .route("/book/{slug}", get(book::show).post(book::take))
        .route("/book/{slug}/hold", post(book::choose))
        .route("/p-assets/{file}", get(assets))
}

/// A page, or why there is none.
type Page = Result<Response, Refusal>;

/// Shows what the link opens: each kind has its room.
async fn show(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    RawQuery(query): RawQuery,
) -> Page {
    let words = of_browser(Some(&headers));
    let door = open(&state, &who, words, &token, &SHOWN).await?;
    let query = Pairs::parse(query.unwrap_or_default().as_bytes());
    if let Some(visit) = query.one("paid") {
        pay::back(&state, &door, visit).await.map_err(|e| Refusal::of(e, words))?;
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    }
    match door.link.kind {
        Kind::Estimate => estimate::show(&state, &door, &token, query).await,
        Kind::Invoice => invoice::show(&state, &door, &token, words, &query).await,
        Kind::Visit => visit::show(&state, &door, &token, &query).await,
        Kind::Invite | Kind::CrewFeed => Err(Refusal::gone(words)),
    }
}

/// The paper behind the link. That the business takes it is not counted.
async fn pdf(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    request: Request,
) -> Page {
    let words = of_browser(Some(&headers));
    let door = open(&state, &who, words, &token, &SHOWN).await?;
    let query = Pairs::parse(request.uri().query().unwrap_or_default().as_bytes());
    let is_own = is_own(&state, &door, request).await.map_err(|e| Refusal::of(e, words))?;
    match door.link.kind {
        Kind::Estimate => estimate::pdf(&state, &door, words, &query, is_own).await,
        Kind::Invoice => invoice::pdf(&state, &door, words, is_own).await,
        Kind::Visit | Kind::Invite | Kind::CrewFeed => Err(Refusal::gone(words)),
    }
}

/// Whether somebody of the business itself asks.
async fn is_own(state: &AppState, door: &Door, request: Request) -> ApiResult<bool> {
    let (mut parts, _) = request.into_parts();
    let member = <OrgMember as OptionalFromRequestParts<AppState>>::from_request_parts(&mut parts, state).await?;
    Ok(member.is_some_and(|member| member.org() == door.org()))
}

/// A question about the paper behind the link.
async fn ask(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    typed: Pairs,
) -> Page {
    let door = open(&state, &who, of_browser(Some(&headers)), &token, &[Kind::Estimate, Kind::Invoice]).await?;
    match door.link.kind {
        Kind::Invoice => invoice::ask(&state, &who, &door, &token, &typed).await,
        _ => estimate::ask(&state, &who, &door, &token, typed).await,
    }
}

/// A person has looked at it: the page says so itself after a moment, which programs that only follow links do not.
/// The looks of the business are not counted.
async fn seen(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    request: Request,
) -> Page {
    let words = of_browser(Some(&headers));
    let failed = |e: ApiError| Refusal::of(e, words);
    let door = open(&state, &who, words, &token, &SHOWN).await?;
    if is_own(&state, &door, request).await.map_err(failed)? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    match door.link.kind {
        Kind::Estimate => estimate::seen(&state, &door).await.map_err(failed)?,
        Kind::Visit => visit::seen(&state, &door).await.map_err(failed)?,
        Kind::Invoice => invoice::seen(&state, &door).await.map_err(failed)?,
        Kind::Invite | Kind::CrewFeed => {}
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn assets(Path(file): Path<String>) -> Response {
    let asked = format!("/p-assets/{file}");
    let (kind, text) = match asked {
        _ if asked == *STYLE_PATH => ("text/css; charset=utf-8", STYLE),
        _ if asked == *SCRIPT_PATH => ("text/javascript; charset=utf-8", SCRIPT),
        _ => return ApiError::not_found().into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, FOR_GOOD)], text).into_response()
}

/// What went wrong, as a page: in the language of the browser, since nothing else is known.
struct Refusal {
    status: StatusCode,
    words: &'static Words,
    title: String,
    text: String,
    retry_after: Option<i64>,
}

impl Refusal {
    fn gone(words: &'static Words) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            words,
            title: words.not_valid.to_owned(),
            text: words.not_valid_hint.to_owned(),
            retry_after: None,
        }
    }

    fn of(error: ApiError, words: &'static Words) -> Self {
        let status = error.code.status();
        let title = if status.is_server_error() { words.later } else { words.did_not_work };
        let text = words.say(&error.detail);
        let retry_after = error.retry_after;
        // Logged as any other answer of this kind.
        drop(error.into_response());
        Self { status, words, title: title.to_owned(), text, retry_after }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let context = minijinja::context! {
            w => minijinja::value::Serde(self.words), title => self.title, text => self.text,
            style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
        };
        let mut response = draw("note.html", self.status, context);
        if let Some(seconds) = self.retry_after.and_then(|wait| HeaderValue::from_str(&wait.to_string()).ok()) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// A page with the headers that every page has.
fn draw(name: &str, status: StatusCode, context: Value) -> Response {
    let drawn = TEMPLATES.get_template(name).and_then(|template| template.render(context));
    let html = match drawn {
        Ok(html) => html,
        Err(e) => return ApiError::internal(format!("page {name}: {e:#}")).into_response(),
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        // Not `no-referrer`: a form without scripts would then name no origin, and be refused as another site's.
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, Html(html)).into_response()
}

/// A link that opened, with everything about the business behind it.
struct Door {
    link: Link,
    profile: Profile,
}

impl Door {
    fn house<'a>(&'a self, state: &'a AppState) -> Intake<'a> {
        state.intake(&self.profile)
    }

    fn org(&self) -> OrgId {
        self.profile.org.id
    }
}

/// Opens a link of one of these kinds, or says that it opens nothing.
async fn open(
    state: &AppState,
    who: &Who,
    words: &'static Words,
    token: &str,
    kinds: &[Kind],
) -> Result<Door, Refusal> {
    let failed = |e: ApiError| Refusal::of(e, words);
    if let Some(door) = find(state, token, kinds).await.map_err(failed)? {
        return Ok(door);
    }
    count_miss(state, who).await.map_err(failed)?;
    Err(Refusal::gone(words))
}

async fn find(state: &AppState, token: &str, kinds: &[Kind]) -> ApiResult<Option<Door>> {
    let now = state.origin.now();
    let mut conn = state.db()?.read().await?;
    // An expired estimate says so itself; its link ends long after nothing more could come of it.
    let Opened::Here(link) = link::open(&mut conn, &state.settings.secret, now, token, kinds).await? else {
        return Ok(None);
    };
    let Some(org) = org::find(&mut conn, link.org_id).await? else { return Ok(None) };
    let profile = org::profile(&mut conn, org).await?;
    Ok(Some(Door { link, profile }))
}

async fn count_miss(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let place = throttle::network(who.ip);
    let counted = throttle::count(&mut tx, &state.origin, &state.settings.secret, "page", &place, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}

/// Counts an answer before it is taken.
async fn count_post(state: &AppState, link: &Link) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let place = link.id.to_string();
    let counted = throttle::count(&mut tx, &state.origin, &state.settings.secret, "page post", &place, POSTS).await;
    tx.commit().await?;
    Ok(counted?)
}

/// What a customer may do about a failed answer is on the page; what nobody can do is a page of its own.
fn is_answerable(error: &ApiError) -> bool {
    matches!(error.code, ErrorCode::ValidationFailed | ErrorCode::Conflict)
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::of(error.into(), of_browser(None))
    }
}

#[cfg(test)]
mod tests;
