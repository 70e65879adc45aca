//! Customer pages, rendered on the server: readable and answerable by link on any phone, without scripts or an account.
//!
//! A page is one document, one stylesheet and one script of our own. Only the token decides what a link opens; forged,
//! truncated, foreign and revoked links all get the same answer.

use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use shared::platform::access_link::LinkKind;

use crate::state::AppState;

mod answer;
mod booking;
mod card_payment;
mod customer_link;
mod document_lines;
mod error_page;
mod estimate;
mod field_error;
mod form;
mod free_times;
mod held_booking;
mod invoice;
pub(crate) mod letterhead;
mod reference;
mod render;
mod review;
mod visit;
mod words;

use customer_link::{LinkCaller, LinkSession, LinkVisitor, count_answer, is_own_business, open_link};
use error_page::{ErrorPage, is_correctable};
use form::FormFields;
use render::{SCRIPT_PATH, STYLE_PATH, render_page, serve_asset};

const SHOWN: [LinkKind; 5] =
    [LinkKind::Estimate, LinkKind::Invoice, LinkKind::Visit, LinkKind::Booking, LinkKind::FreeTimes];

/// None looks at a session, except to leave the business's own views uncounted and its own copy of a link without the
/// buttons that book, approve or decline.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/p/{token}", get(show_link))
        .route("/p/{token}/pdf", get(link_pdf))
        .route("/p/{token}/seen", post(record_view))
        .route("/p/{token}/approve", post(estimate::approve_estimate))
        .route("/p/{token}/decline", post(estimate::decline_estimate))
        .route("/p/{token}/ask", post(ask_question))
        .route("/p/{token}/receipt/{payment}", get(invoice::receipt_pdf))
        .route("/p/{token}/keep", post(held_booking::confirm_held_booking))
        .route("/p/{token}/time", post(free_times::choose_time))
        .route("/p/{token}/confirm", post(visit::confirm_visit))
        .route("/p/{token}/cancel", post(visit::cancel_visit))
        .route("/p/{token}/move", post(visit::move_visit))
        .route("/p/{token}/message", post(visit::request_other_time))
        .route("/p/{token}/visit.ics", get(visit::visit_calendar))
        .route("/p/{token}/pay", post(card_payment::start_payment))
        .route("/p/{token}/pay/{visit}", get(card_payment::forward_to_stripe))
        .route("/book/{slug}", get(booking::show_booking_page).post(booking::book_held_time))
        .route("/book/{slug}/hold", post(booking::choose_time))
        .route("/p-assets/{file}", get(serve_asset))
        .route("/docs/api", get(reference::show_api_reference))
        .merge(review::routes())
}

type PageResult = Result<Response, ErrorPage>;

async fn show_link(visitor: LinkVisitor, caller: LinkCaller, request: Request) -> PageResult {
    let session = visitor.open_session(&SHOWN).await?;
    let LinkVisitor { state, words, token, .. } = &visitor;
    let query = FormFields::parse(request.uri().query().unwrap_or_default().as_bytes());
    if let Some(visit) = query.first_value("paid") {
        card_payment::refresh_checkout(state, &session, visit).await.map_err(|e| visitor.to_error_page(e))?;
        return Ok(Redirect::to(&format!("/p/{token}")).into_response());
    }
    match session.link.kind {
        LinkKind::Estimate => {
            estimate::show_estimate(state, &session, token, query, caller.has_office_copy(&session)).await
        }
        LinkKind::Invoice => invoice::show_invoice(state, &session, token, words, &query).await,
        LinkKind::Visit => visit::show_visit(state, &session, token, words, &query).await,
        LinkKind::Booking => held_booking::show_held_booking(&visitor, &session, request).await,
        LinkKind::FreeTimes => free_times::show_lead_times(&visitor, &session, &query, request).await,
        LinkKind::Invite | LinkKind::CrewFeed | LinkKind::Review => Err(ErrorPage::invalid_link(words)),
    }
}

/// PDF behind the link. Downloads by the business are not counted.
async fn link_pdf(visitor: LinkVisitor, request: Request) -> PageResult {
    let session = visitor.open_session(&SHOWN).await?;
    let LinkVisitor { state, words, .. } = &visitor;
    let query = FormFields::parse(request.uri().query().unwrap_or_default().as_bytes());
    let is_own = is_own_business(state, &session, request).await.map_err(|e| visitor.to_error_page(e))?;
    match session.link.kind {
        LinkKind::Estimate => estimate::estimate_pdf(state, &session, words, &query, is_own).await,
        LinkKind::Invoice => invoice::invoice_pdf(state, &session, words, is_own).await,
        LinkKind::Visit
        | LinkKind::Booking
        | LinkKind::FreeTimes
        | LinkKind::Invite
        | LinkKind::CrewFeed
        | LinkKind::Review => Err(ErrorPage::invalid_link(words)),
    }
}

async fn ask_question(visitor: LinkVisitor, typed: FormFields) -> PageResult {
    let session = visitor.open_session(&[LinkKind::Estimate, LinkKind::Invoice]).await?;
    let LinkVisitor { state, who, token, .. } = &visitor;
    match session.link.kind {
        LinkKind::Invoice => invoice::ask_about_invoice(state, who, &session, token, &typed).await,
        _ => estimate::ask_about_estimate(state, who, &session, token, typed).await,
    }
}

/// Records a view. The page itself reports it after a moment, which programs that only follow links do not. Views by
/// the business are not counted.
async fn record_view(visitor: LinkVisitor, request: Request) -> PageResult {
    let session = visitor.open_session(&SHOWN).await?;
    let (state, failed) = (&visitor.state, |e| visitor.to_error_page(e));
    if is_own_business(state, &session, request).await.map_err(failed)? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    match session.link.kind {
        LinkKind::Estimate => estimate::record_estimate_view(state, &session).await.map_err(failed)?,
        LinkKind::Visit => visit::record_visit_view(state, &session).await.map_err(failed)?,
        LinkKind::Invoice => invoice::record_invoice_view(state, &session).await.map_err(failed)?,
        LinkKind::Booking | LinkKind::FreeTimes | LinkKind::Invite | LinkKind::CrewFeed | LinkKind::Review => {}
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests;
