//! The page of a request for a review: stars and words for the business, and the public site beside them, for everybody
//! alike, before and after. It needs no script. Only a person's press counts as going on to the public site: programs that
//! follow links press nothing.

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::get,
};
use minijinja::value::Serde;
use shared::{
    documents::template::Language,
    domain::{
        growth::review::page::{self, ReviewPage, Typed},
        tenancy::audit::{self, Action},
    },
    platform::{access_link::Kind, id::ReviewAskId},
};

use super::{
    Door, Page, Refusal, SCRIPT_PATH, STYLE_PATH, answer, draw,
    field_error::Fault,
    form::Pairs,
    is_answerable, letterhead, open,
    words::{Words, of_browser},
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::ReviewWords;

const ONLY: [Kind; 1] = [Kind::Review];

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/r/{token}", get(show).post(give))
        .route("/r/{token}/go", get(leave).post(go))
        .route("/r/{token}/stop", get(ask_to_stop).post(stop))
}

fn id(door: &Door) -> ReviewAskId {
    ReviewAskId(door.link.subject_id)
}

async fn opened(state: &AppState, who: &Who, headers: &HeaderMap, token: &str) -> Result<Door, Refusal> {
    open(state, who, of_browser(Some(headers)), token, &ONLY).await
}

async fn found(state: &AppState, door: &Door) -> ApiResult<ReviewPage> {
    let mut conn = state.db()?.read().await?;
    Ok(page::get(&mut conn, &door.house(state), id(door)).await?)
}

/// Shows the page. Nothing is counted.
async fn show(State(state): State<AppState>, who: Who, headers: HeaderMap, Path(token): Path<String>) -> Page {
    let door = opened(&state, &who, &headers, &token).await?;
    drawn(&state, &door, &token, StatusCode::OK, (&Pairs::default(), None)).await
}

/// The page, with what was sent and what did not fit of it.
async fn drawn(
    state: &AppState,
    door: &Door,
    token: &str,
    status: StatusCode,
    (sent, error): (&Pairs, Option<&ApiError>),
) -> Page {
    let page = found(state, door).await.map_err(|e| Refusal::of(e, of_browser(None)))?;
    let words = ReviewWords::of(page.language);
    let error = error.map(|error| Fault::of(error, |sentence| words.say(sentence)));
    let given = page.given.as_ref();
    // What was sent and did not fit comes before what stands.
    let typed = |name: &str| error.as_ref().and_then(|_| sent.one(name)).map(ToOwned::to_owned);
    let chosen = typed("stars").and_then(|stars| stars.parse().ok()).or(given.map(|given| given.stars / 10));
    let name = given.and_then(|given| given.customer_name.clone()).unwrap_or_else(|| page.customer.clone());
    let context = minijinja::context! {
        v => Serde(words), at => format!("/r/{token}"), is_given => given.is_some(),
        site => page.site.as_ref().map(|site| site.name.as_str()),
        stars => Serde(words.stars(chosen)),
        words => typed("words").or_else(|| given.and_then(|given| given.body.clone())),
        name => typed("name").unwrap_or(name), error => Serde(&error),
        ..letterhead::of(&door.profile, Words::of(page.language))
    };
    Ok(draw("review.html", status, context))
}

/// Takes a review, or what they changed about it.
async fn give(
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Path(token): Path<String>,
    sent: Pairs,
) -> Page {
    let door = opened(&state, &who, &headers, &token).await?;
    match take(&state, &who, &door, &sent).await {
        Ok(()) => Ok(Redirect::to(&format!("/r/{token}")).into_response()),
        Err(e) if is_answerable(&e) => drawn(&state, &door, &token, e.code.status(), (&sent, Some(&e))).await,
        Err(e) => Err(Refusal::of(e, of_browser(Some(&headers)))),
    }
}

async fn take(state: &AppState, who: &Who, door: &Door, sent: &Pairs) -> ApiResult<()> {
    let mut tx = answer::begin(state, door).await?;
    let typed = Typed { stars: sent.one("stars"), words: sent.one("words"), name: sent.one("name") };
    let review = page::give(&mut tx, &door.house(state), id(door), typed).await?;
    answer::finish(state, (who, door), tx, (Action::ReviewGiven, review.0)).await
}

/// A person pressed the button that leads to the public site.
async fn go(State(state): State<AppState>, who: Who, headers: HeaderMap, Path(token): Path<String>) -> Page {
    let words = of_browser(Some(&headers));
    let door = opened(&state, &who, &headers, &token).await?;
    let leads = click(&state, &who, &door).await.map_err(|e| Refusal::of(e, words))?;
    let next = if leads { format!("/r/{token}/go") } else { format!("/r/{token}") };
    Ok(Redirect::to(&next).into_response())
}

/// Whether there is a site to go on to.
async fn click(state: &AppState, who: &Who, door: &Door) -> ApiResult<bool> {
    let mut tx = answer::begin(state, door).await?;
    let site = page::click(&mut tx, &door.house(state), id(door)).await?;
    answer::finish(state, (who, door), tx, (Action::ReviewOpened, id(door).0)).await?;
    Ok(site.is_some())
}

/// Forwards to the public site: a form may lead only to pages of our own. Nothing is counted.
async fn leave(State(state): State<AppState>, who: Who, headers: HeaderMap, Path(token): Path<String>) -> Page {
    let door = opened(&state, &who, &headers, &token).await?;
    let page = found(&state, &door).await.map_err(|e| Refusal::of(e, of_browser(Some(&headers))))?;
    let Some(site) = page.site else { return Ok(Redirect::to(&format!("/r/{token}")).into_response()) };
    let (frame, words) = (Words::of(page.language), ReviewWords::of(page.language));
    let context = minijinja::context! {
        w => Serde(frame), title => words.leaving(&site.name), text => words.leaving_hint(),
        href => site.url.as_str(), link => site.name.as_str(),
        style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
    };
    let mut response = draw("note.html", StatusCode::OK, context);
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={}", site.url)) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    Ok(response)
}

/// Asks whether they want no more of it: programs that follow links change nothing.
async fn ask_to_stop(State(state): State<AppState>, who: Who, headers: HeaderMap, Path(token): Path<String>) -> Page {
    let door = opened(&state, &who, &headers, &token).await?;
    let page = found(&state, &door).await.map_err(|e| Refusal::of(e, of_browser(Some(&headers))))?;
    Ok(stopping(&door, &token, page.language, false))
}

/// They want no more of it: from the page, or by one press of a mail program (RFC 8058), which has no cookie and follows
/// no redirect. It is not counted against any limit, and the same again changes nothing.
async fn stop(State(state): State<AppState>, who: Who, headers: HeaderMap, Path(token): Path<String>) -> Page {
    let door = opened(&state, &who, &headers, &token).await?;
    let failed = |e: ApiError| Refusal::of(e, of_browser(Some(&headers)));
    refuse(&state, &who, &door).await.map_err(failed)?;
    let page = found(&state, &door).await.map_err(failed)?;
    Ok(stopping(&door, &token, page.language, true))
}

async fn refuse(state: &AppState, who: &Who, door: &Door) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    page::refuse(&mut tx, &door.house(state), id(door), &who.sender()).await?;
    let subject = Some(id(door).0);
    audit::record(&mut tx, &state.origin, &who.visitor(), door.org(), Action::ReviewsRefused, subject).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

fn stopping(door: &Door, token: &str, language: Language, is_done: bool) -> Response {
    let context = minijinja::context! {
        v => Serde(ReviewWords::of(language)), at => format!("/r/{token}"), is_done,
        ..letterhead::of(&door.profile, Words::of(language))
    };
    draw("stop.html", StatusCode::OK, context)
}
