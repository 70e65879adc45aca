//! Confirmation page of a requested visit. Opening it books nothing, because mail scanners follow links; only the
//! button does.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use minijinja::{context, value::Serde};
use serde::Serialize;
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::form::localized_service,
        tenancy::audit::Action,
        work::{
            booking::{
                request::{self, BookingConfirmation, ConfirmationSource},
                take,
            },
            visit,
        },
    },
    platform::access_link::LinkKind,
};

use super::{ErrorPage, LinkSession, LinkVisitor, PageResult, answer, letterhead, render_page, words::PageText};
use crate::{error::ErrorCode, state::AppState};

#[derive(Debug, Serialize)]
struct HeldBookingPageText {
    title: &'static str,
    keep: &'static str,
    held_until: &'static str,
    over: &'static str,
    not_you: &'static str,
    gone: &'static str,
    gone_hint: &'static str,
    other_time: &'static str,
    with_office: &'static str,
    with_office_hint: &'static str,
}

static ENGLISH: HeldBookingPageText = HeldBookingPageText {
    title: "Keep this time?",
    keep: "Yes, keep this time",
    held_until: "We hold it for you until",
    over: "It is no longer held for you. You can still book it while it is free.",
    not_you: "Not you? Do nothing. The time is free again by itself.",
    gone: "This time is taken now",
    gone_hint: "We still have your request and get back to you. Or choose another time.",
    other_time: "Choose another time",
    with_office: "Thank you. We have your request.",
    with_office_hint: "Many people ask for this day, so we confirm the time with you. You need not do anything.",
};

static SPANISH: HeldBookingPageText = HeldBookingPageText {
    title: "¿Confirmar esta hora?",
    keep: "Sí, confirmar esta hora",
    held_until: "La guardamos para usted hasta las",
    over: "Ya no está guardada. Todavía la obtiene mientras esté libre.",
    not_you: "¿No fue usted? No haga nada. La hora queda libre por sí sola.",
    gone: "Esta hora ya está ocupada",
    gone_hint: "Tenemos su solicitud y le respondemos. O elija otra hora.",
    other_time: "Elegir otra hora",
    with_office: "Gracias. Tenemos su solicitud.",
    with_office_hint: "Muchas personas piden este día, así que le confirmaremos la hora. No tiene que hacer nada.",
};

/// What the page says of the held time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeldBookingState {
    Offered,
    Taken,
    WithOffice,
}

/// Before the confirmation the offered visit, after it the booked one.
pub(super) async fn show_held_booking(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    words: &'static PageText,
) -> PageResult {
    render_held_booking(state, session, token, words, HeldBookingState::Offered).await
}

async fn render_held_booking(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    words: &'static PageText,
    shown_as: HeldBookingState,
) -> PageResult {
    let failed = |e| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let asked = request::load_request(&mut conn, session.org(), session.link.subject_id).await?;
    drop(conn);
    if let Some(job) = asked.job {
        let mut tx = state.db().map_err(failed)?.begin().await?;
        let path = take::visit_page_path(&mut tx, &session.org_context(state), job).await?;
        tx.commit().await?;
        return Ok(Redirect::to(&path).into_response());
    }
    let (zone, now) = (session.profile.org.zone(), state.origin.now());
    let (frame, v) = match asked.language {
        Language::En => (PageText::for_language(Language::En), &ENGLISH),
        Language::Es => (PageText::for_language(Language::Es), &SPANISH),
    };
    let gone = shown_as == HeldBookingState::Taken || asked.starts_at <= now;
    let with_office = shown_as == HeldBookingState::WithOffice;
    let shown = context! {
        v => Serde(v), gone, with_office, service => localized_service(asked.language, &asked.service),
        when => visit::words::format_arrival_window(asked.starts_at, session.profile.settings.jobs.arrival_minutes, zone, asked.language),
        held_until => (asked.expires_at > now).then(|| shared::documents::date_format::format_time(&asked.expires_at.with_timezone(&zone))),
        book_again => session.profile.accepts_bookings().then(|| format!("/book/{}", session.profile.org.slug)),
        ..letterhead::link_head(session, token, frame)
    };
    let status = if shown_as == HeldBookingState::Taken { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(render_page("keep.html", status, shown))
}

pub(super) async fn confirm_held_booking(visitor: LinkVisitor) -> PageResult {
    let session = visitor.open_session(&[LinkKind::Booking]).await?;
    let LinkVisitor { state, who, words, token } = &visitor;
    let shown_as = match book_held_slot(state, who, &session).await {
        Ok(Some(response)) => return Ok(response),
        Ok(None) => HeldBookingState::WithOffice,
        Err(e) if e.code == ErrorCode::Conflict => HeldBookingState::Taken,
        Err(e) => return Err(visitor.to_error_page(e)),
    };
    render_held_booking(state, &session, token, words, shown_as).await
}

/// The way to the booked visit; `None` where the office confirms it.
async fn book_held_slot(
    state: &AppState,
    who: &crate::client_info::RequestContext,
    session: &LinkSession,
) -> crate::error::ApiResult<Option<Response>> {
    let mut tx = answer::begin_answer(state, session).await?;
    let ctx = session.org_context(state);
    let job = match request::confirm_request(&mut tx, &ctx, ConfirmationSource::Link(&session.link)).await? {
        BookingConfirmation::Booked(job) => job,
        BookingConfirmation::WithOffice(lead) => {
            answer::finish_answer(state, (who, session), tx, (Action::LeadSubmitted, lead.0)).await?;
            return Ok(None);
        }
    };
    let path = take::visit_page_path(&mut tx, &ctx, job).await?;
    answer::finish_answer(state, (who, session), tx, (Action::VisitBooked, job.0)).await?;
    Ok(Some(Redirect::to(&format!("{path}?booked=1")).into_response()))
}
