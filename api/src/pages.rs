//! Pages for customers, drawn here and not in the app: whoever holds the link reads and answers, on any phone, with or
//! without scripts, and without an account.
//!
//! A page is one document, one stylesheet and one script of our own. What a link opens is decided by its token alone;
//! forged, cut off, foreign and taken back links all get the same answer.

use axum::{
    Router,
    extract::{RawQuery, Request},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use shared::platform::access_link::Kind;

use crate::state::AppState;

mod answer;
mod book;
mod customer_link;
mod error_page;
mod estimate;
mod field_error;
mod form;
mod invoice;
mod keep;
pub(crate) mod letterhead;
mod paper;
mod pay;
mod reference;
mod render;
mod review;
mod visit;
mod words;

use customer_link::{Door, Knock, count_post, is_own, open};
use error_page::{Refusal, is_answerable};
use form::Pairs;
use render::{SCRIPT_PATH, STYLE_PATH, assets, draw};

/// What has a page at its link.
const SHOWN: [Kind; 4] = [Kind::Estimate, Kind::Invoice, Kind::Visit, Kind::Booking];

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
        .route("/p/{token}/keep", post(keep::keep))
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
        .route("/docs/api", get(reference::show))
        .merge(review::routes())
}

/// A page, or why there is none.
type Page = Result<Response, Refusal>;

/// Shows what the link opens: each kind has its room.
async fn show(knock: Knock, RawQuery(query): RawQuery) -> Page {
    let door = knock.open(&SHOWN).await?;
    let Knock { state, words, token, .. } = &knock;
    let query = Pairs::parse(query.unwrap_or_default().as_bytes());
    if let Some(visit) = query.one("paid") {
        pay::back(state, &door, visit).await.map_err(|e| knock.failed(e))?;
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    }
    match door.link.kind {
        Kind::Estimate => estimate::show(state, &door, token, query).await,
        Kind::Invoice => invoice::show(state, &door, token, words, &query).await,
        Kind::Visit => visit::show(state, &door, token, words, &query).await,
        Kind::Booking => keep::show(state, &door, token, words).await,
        Kind::Invite | Kind::CrewFeed | Kind::Review => Err(Refusal::gone(words)),
    }
}

/// The paper behind the link. That the business takes it is not counted.
async fn pdf(knock: Knock, request: Request) -> Page {
    let door = knock.open(&SHOWN).await?;
    let Knock { state, words, .. } = &knock;
    let query = Pairs::parse(request.uri().query().unwrap_or_default().as_bytes());
    let is_own = is_own(state, &door, request).await.map_err(|e| knock.failed(e))?;
    match door.link.kind {
        Kind::Estimate => estimate::pdf(state, &door, words, &query, is_own).await,
        Kind::Invoice => invoice::pdf(state, &door, words, is_own).await,
        Kind::Visit | Kind::Booking | Kind::Invite | Kind::CrewFeed | Kind::Review => Err(Refusal::gone(words)),
    }
}

/// A question about the paper behind the link.
async fn ask(knock: Knock, typed: Pairs) -> Page {
    let door = knock.open(&[Kind::Estimate, Kind::Invoice]).await?;
    let Knock { state, who, token, .. } = &knock;
    match door.link.kind {
        Kind::Invoice => invoice::ask(state, who, &door, token, &typed).await,
        _ => estimate::ask(state, who, &door, token, typed).await,
    }
}

/// A person has looked at it: the page says so itself after a moment, which programs that only follow links do not.
/// The looks of the business are not counted.
async fn seen(knock: Knock, request: Request) -> Page {
    let door = knock.open(&SHOWN).await?;
    let (state, failed) = (&knock.state, |e| knock.failed(e));
    if is_own(state, &door, request).await.map_err(failed)? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    match door.link.kind {
        Kind::Estimate => estimate::seen(state, &door).await.map_err(failed)?,
        Kind::Visit => visit::seen(state, &door).await.map_err(failed)?,
        Kind::Invoice => invoice::seen(state, &door).await.map_err(failed)?,
        Kind::Booking | Kind::Invite | Kind::CrewFeed | Kind::Review => {}
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests;
