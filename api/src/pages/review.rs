//! Review request page: stars and a text for the business, and the public site beside them, shown to every customer
//! alike, before and after. No script. Only a button press counts as a click through, because programs that follow
//! links press nothing.

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
        growth::review::page::{self, CustomerReviewPage, ReviewInput},
        tenancy::audit::{self, AuditAction},
    },
    platform::{access_link::LinkKind, id::ReviewRequestId},
};

use super::{
    ErrorPage, LinkSession, PageResult, answer,
    field_error::FormErrors,
    form::FormFields,
    is_correctable, letterhead, open_link, render_page,
    words::{PageText, text_for_browser},
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::ReviewPageText;

const ONLY: [LinkKind; 1] = [LinkKind::Review];

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/r/{token}", get(show_review_page).post(submit_review))
        .route("/r/{token}/go", get(forward_to_public_site).post(go_to_public_site))
        .route("/r/{token}/stop", get(show_opt_out).post(opt_out))
}

fn review_ask_id(session: &LinkSession) -> ReviewRequestId {
    ReviewRequestId(session.link.subject_id)
}

async fn open_review_link(
    state: &AppState,
    who: &RequestContext,
    headers: &HeaderMap,
    token: &str,
) -> Result<LinkSession, ErrorPage> {
    open_link(state, who, text_for_browser(Some(headers)), token, &ONLY).await
}

async fn load_review_page(state: &AppState, session: &LinkSession) -> ApiResult<CustomerReviewPage> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(page::load_page(&mut conn, &session.org_context(state), review_ask_id(session)).await?)
}

/// Shows the page. Nothing is counted.
async fn show_review_page(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> PageResult {
    let session = open_review_link(&state, &who, &headers, &token).await?;
    render_review_page(&state, &session, &token, StatusCode::OK, (&FormFields::default(), None)).await
}

async fn render_review_page(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    status: StatusCode,
    (sent, error): (&FormFields, Option<&ApiError>),
) -> PageResult {
    let page = load_review_page(state, session).await.map_err(|e| ErrorPage::from_error(e, text_for_browser(None)))?;
    let words = ReviewPageText::for_language(page.language);
    let error = error.map(|error| FormErrors::from_error(error, page.language, |sentence| words.translate(sentence)));
    let given = page.given.as_ref();
    // Refused input takes precedence over the stored review.
    let typed = |name: &str| error.as_ref().and_then(|_| sent.first_value(name)).map(ToOwned::to_owned);
    let chosen = typed("stars").and_then(|stars| stars.parse().ok()).or(given.map(|given| given.stars / 10));
    let name = given.and_then(|given| given.customer_name.clone()).unwrap_or_else(|| page.customer.clone());
    let context = minijinja::context! {
        v => Serde(words), at => format!("/r/{token}"), is_given => given.is_some(),
        site => page.site.as_ref().map(|site| site.name.as_str()),
        stars => Serde(words.star_options(chosen)),
        words => typed("words").or_else(|| given.and_then(|given| given.body.clone())),
        name => typed("name").unwrap_or(name), error => Serde(&error),
        ..letterhead::business_head(&session.profile, PageText::for_language(page.language))
    };
    Ok(render_page("review.html", status, context))
}

/// Takes a new or changed review.
async fn submit_review(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
    sent: FormFields,
) -> PageResult {
    let session = open_review_link(&state, &who, &headers, &token).await?;
    match record_review(&state, &who, &session, &sent).await {
        Ok(()) => Ok(Redirect::to(&format!("/r/{token}")).into_response()),
        Err(e) if is_correctable(&e) => {
            render_review_page(&state, &session, &token, e.code.status(), (&sent, Some(&e))).await
        }
        Err(e) => Err(ErrorPage::from_error(e, text_for_browser(Some(&headers)))),
    }
}

async fn record_review(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    sent: &FormFields,
) -> ApiResult<()> {
    let mut tx = answer::begin_answer(state, session).await?;
    let typed = ReviewInput {
        stars: sent.first_value("stars"),
        words: sent.first_value("words"),
        name: sent.first_value("name"),
    };
    let review = page::submit_review(&mut tx, &session.org_context(state), review_ask_id(session), typed).await?;
    answer::finish_answer(state, (who, session), tx, (AuditAction::ReviewGiven, review.0)).await
}

async fn go_to_public_site(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> PageResult {
    let words = text_for_browser(Some(&headers));
    let session = open_review_link(&state, &who, &headers, &token).await?;
    let leads = record_click(&state, &who, &session).await.map_err(|e| ErrorPage::from_error(e, words))?;
    let next = if leads { format!("/r/{token}/go") } else { format!("/r/{token}") };
    Ok(Redirect::to(&next).into_response())
}

/// Records the click. Returns whether there is a public site.
async fn record_click(state: &AppState, who: &RequestContext, session: &LinkSession) -> ApiResult<bool> {
    let mut tx = answer::begin_answer(state, session).await?;
    let site = page::record_click(&mut tx, &session.org_context(state), review_ask_id(session)).await?;
    answer::finish_answer(state, (who, session), tx, (AuditAction::ReviewOpened, review_ask_id(session).0)).await?;
    Ok(site.is_some())
}

/// Forwards to the public site: the pages' policy allows forms to lead only to our own pages. Nothing is counted.
async fn forward_to_public_site(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> PageResult {
    let session = open_review_link(&state, &who, &headers, &token).await?;
    let page = load_review_page(&state, &session)
        .await
        .map_err(|e| ErrorPage::from_error(e, text_for_browser(Some(&headers))))?;
    let Some(site) = page.site else { return Ok(Redirect::to(&format!("/r/{token}")).into_response()) };
    let (frame, words) = (PageText::for_language(page.language), ReviewPageText::for_language(page.language));
    let context = minijinja::context! {
        title => words.leaving_text(&site.name), text => words.leaving_hint(),
        href => site.url.as_str(), link => site.name.as_str(),
        ..letterhead::business_head(&session.profile, frame)
    };
    let mut response = render_page("note.html", StatusCode::OK, context);
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={}", site.url)) {
        response.headers_mut().insert(header::REFRESH, value);
    }
    Ok(response)
}

/// Confirmation page of the opt-out: programs that follow links must change nothing.
async fn show_opt_out(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> PageResult {
    let session = open_review_link(&state, &who, &headers, &token).await?;
    let page = load_review_page(&state, &session)
        .await
        .map_err(|e| ErrorPage::from_error(e, text_for_browser(Some(&headers))))?;
    Ok(render_opt_out(&session, &token, page.language, false))
}

/// Opts out, from the page or by one-click of a mail program (RFC 8058), which sends no cookie and follows no redirect.
/// Not rate-limited; repeats change nothing.
async fn opt_out(
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> PageResult {
    let session = open_review_link(&state, &who, &headers, &token).await?;
    let failed = |e: ApiError| ErrorPage::from_error(e, text_for_browser(Some(&headers)));
    record_opt_out(&state, &who, &session).await.map_err(failed)?;
    let page = load_review_page(&state, &session).await.map_err(failed)?;
    Ok(render_opt_out(&session, &token, page.language, true))
}

async fn record_opt_out(state: &AppState, who: &RequestContext, session: &LinkSession) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let (ctx, id) = (session.org_context(state), review_ask_id(session));
    if !page::unsubscribe_customer(&mut tx, &ctx, id, &who.form_sender()).await? {
        // Nothing changed, so nothing is recorded again.
        return Ok(());
    }
    let (actor, subject) = (who.anonymous_actor(), Some(id.0));
    audit::record(&mut tx, &state.origin, &actor, session.org(), AuditAction::ReviewsRefused, subject).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}

fn render_opt_out(session: &LinkSession, token: &str, language: Language, is_done: bool) -> Response {
    let context = minijinja::context! {
        v => Serde(ReviewPageText::for_language(language)), at => format!("/r/{token}"), is_done,
        ..letterhead::business_head(&session.profile, PageText::for_language(language))
    };
    render_page("stop.html", StatusCode::OK, context)
}
