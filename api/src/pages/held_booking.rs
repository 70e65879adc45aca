//! Confirmation page of a requested visit. Opening it books nothing, because mail scanners follow links; only the
//! button does.

use axum::{
    extract::Request,
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use chrono::{DateTime, Utc};
use minijinja::{context, value::Serde};
use serde::Serialize;
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::form::localized_service,
        tenancy::audit::AuditAction,
        work::{
            booking::{
                request::{self, BookingConfirmation, BookingRequest, ConfirmationSource},
                take,
            },
            visit,
        },
    },
    platform::access_link::LinkKind,
};

use super::{
    ErrorPage, LinkSession, LinkVisitor, PageResult, answer, is_own_business, letterhead, render_page, words::PageText,
};
use crate::{error::ErrorCode, state::AppState};

#[derive(Debug, Serialize)]
struct HeldBookingPageText {
    held: &'static str,
    held_until: &'static str,
    keep: &'static str,
    not_you: &'static str,
    free: &'static str,
    free_hint: &'static str,
    book: &'static str,
    not_booked: &'static str,
    taken: &'static str,
    past: &'static str,
    gone_hint: &'static str,
    other_time: &'static str,
    with_office: &'static str,
    with_office_hint: &'static str,
    book_from_phone_hint: &'static str,
    book_from_phone: &'static str,
    denied: &'static str,
    denied_hint: &'static str,
    office_copy: &'static str,
    office_copy_hint: &'static str,
}

static ENGLISH: HeldBookingPageText = HeldBookingPageText {
    held: "Keep this time?",
    held_until: "We hold it for you until",
    keep: "Yes, keep this time",
    not_you: "Not you? Do nothing. The time is free again by itself.",
    free: "This time is still free",
    free_hint: "It is not booked yet, and we no longer hold it for you.",
    book: "Book this time",
    not_booked: "Not you? Do nothing. Nothing is booked.",
    taken: "This time is taken now",
    past: "This time has passed",
    gone_hint: "Nothing is booked. We have your request and will get back to you.",
    other_time: "Choose another time",
    with_office: "Thank you. We have your request.",
    with_office_hint: "We will confirm the time with you. You do not have to do anything.",
    book_from_phone_hint: "We will confirm the time with you. To get it right away, book it now from this phone.",
    book_from_phone: "Book it now from this phone",
    denied: "Nothing is booked",
    denied_hint: "We got a text that this request was a mistake. If you want a visit, choose another time.",
    office_copy: "This is your copy of the customer's link",
    office_copy_hint: "Only the customer can keep this time, with the link in their message. To book it for them, use your schedule.",
};

static SPANISH: HeldBookingPageText = HeldBookingPageText {
    held: "¿Confirmar esta hora?",
    held_until: "La guardamos para usted hasta las",
    keep: "Sí, confirmar esta hora",
    not_you: "¿No fue usted? No haga nada. La hora queda libre por sí sola.",
    free: "Esta hora sigue libre",
    free_hint: "Todavía no está reservada, y ya no se la guardamos.",
    book: "Reservar esta hora",
    not_booked: "¿No fue usted? No haga nada. No hay nada reservado.",
    taken: "Esta hora ya está ocupada",
    past: "Esta hora ya pasó",
    gone_hint: "No hay nada reservado. Tenemos su solicitud y le responderemos.",
    other_time: "Elegir otra hora",
    with_office: "Gracias. Tenemos su solicitud.",
    with_office_hint: "Le confirmaremos la hora. No tiene que hacer nada.",
    book_from_phone_hint: "Le confirmaremos la hora. Para tenerla ya, resérvela ahora desde este teléfono.",
    book_from_phone: "Reservar ahora desde este teléfono",
    denied: "No hay nada reservado",
    denied_hint: "Recibimos un mensaje de que esta solicitud fue un error. Si quiere una visita, elija otra hora.",
    office_copy: "Esta es su copia del enlace del cliente",
    office_copy_hint: "Solo el cliente puede confirmar esta hora, con el enlace de su mensaje. Para reservarla por él, use su agenda.",
};

/// A press that booked nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConfirmedTime {
    Refused,
    WithOffice,
}

/// What is true of a time that is not booked; a booked one has the page of its visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnconfirmedTime {
    Held,
    /// No longer held, but still free.
    Free,
    Taken,
    Past,
    /// The office confirms it.
    WithOffice,
    /// The office confirms it, and a press behind this texted link books it at once.
    WithOfficeOrPhone,
    /// The phone that was asked wrote that the request is not theirs.
    Denied,
}

impl UnconfirmedTime {
    fn at(asked: &BookingRequest, now: DateTime<Utc>) -> Self {
        if asked.starts_at <= now {
            Self::Past
        } else if asked.denied_at.is_some() {
            Self::Denied
        } else if asked.is_with_office {
            if asked.is_texted && asked.is_free { Self::WithOfficeOrPhone } else { Self::WithOffice }
        } else if !asked.is_free {
            Self::Taken
        } else if asked.expires_at > now {
            Self::Held
        } else {
            Self::Free
        }
    }

    /// After a press that booked nothing.
    fn after_press(pressed: ConfirmedTime, asked: &BookingRequest, now: DateTime<Utc>) -> Self {
        match pressed {
            _ if asked.starts_at <= now => Self::Past,
            ConfirmedTime::WithOffice => Self::WithOffice,
            ConfirmedTime::Refused if asked.denied_at.is_some() => Self::Denied,
            ConfirmedTime::Refused => Self::Taken,
        }
    }

    fn heading(self, words: &HeldBookingPageText) -> &'static str {
        match self {
            Self::Held => words.held,
            Self::Free => words.free,
            Self::Taken => words.taken,
            Self::Past => words.past,
            Self::WithOffice | Self::WithOfficeOrPhone => words.with_office,
            Self::Denied => words.denied,
        }
    }

    fn hint(self, words: &HeldBookingPageText) -> &'static str {
        match self {
            Self::WithOffice => words.with_office_hint,
            Self::WithOfficeOrPhone => words.book_from_phone_hint,
            Self::Denied => words.denied_hint,
            Self::Free => words.free_hint,
            Self::Held => words.held_until,
            Self::Taken | Self::Past => words.gone_hint,
        }
    }
}

/// Before the confirmation the offered visit, after it the booked one.
pub(super) async fn show_held_booking(visitor: &LinkVisitor, session: &LinkSession, request: Request) -> PageResult {
    if is_office_copy(visitor, session, request).await? {
        return render_office_copy(visitor, session, StatusCode::OK).await;
    }
    render_held_booking(&visitor.state, session, &visitor.token, visitor.words, None).await
}

/// Whether a member of the business opens the link of its own conversation, which was sent to no address.
pub(super) async fn is_office_copy(
    visitor: &LinkVisitor,
    session: &LinkSession,
    request: Request,
) -> Result<bool, ErrorPage> {
    if session.link.sent_to().is_some() || session.link.is_form_copy() {
        return Ok(false);
    }
    is_own_business(&visitor.state, session, request).await.map_err(|e| visitor.to_error_page(e))
}

/// The request without a button; a booked one still leads to its visit.
async fn render_office_copy(visitor: &LinkVisitor, session: &LinkSession, status: StatusCode) -> PageResult {
    let LinkVisitor { state, words, token, .. } = visitor;
    let failed = |e| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let asked = request::load_request(&mut conn, &session.org_context(state), &session.link).await?;
    drop(conn);
    if asked.job.is_some() && status == StatusCode::OK {
        return render_held_booking(state, session, token, words, None).await;
    }
    let v = match words.language {
        Language::En => &ENGLISH,
        Language::Es => &SPANISH,
    };
    let arrival = session.profile.settings.jobs.arrival_minutes;
    let zone = session.profile.org.zone();
    let shown = context! {
        v => Serde(v), heading => v.office_copy, hint => v.office_copy_hint, is_with_office => true,
        service => localized_service(words.language, &asked.service),
        when => visit::words::format_arrival_window(asked.starts_at, arrival, zone, words.language),
        ..letterhead::link_head(session, token, words)
    };
    Ok(render_page("held_booking.html", status, shown))
}

async fn render_held_booking(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    words: &'static PageText,
    pressed: Option<ConfirmedTime>,
) -> PageResult {
    let failed = |e| ErrorPage::from_error(e, words);
    let mut conn = state.db().map_err(failed)?.acquire_reader().await?;
    let asked = request::load_request(&mut conn, &session.org_context(state), &session.link).await?;
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
    let time = match pressed {
        Some(pressed) => UnconfirmedTime::after_press(pressed, &asked, now),
        None => UnconfirmedTime::at(&asked, now),
    };
    let shown = context! {
        v => Serde(v), heading => time.heading(v), is_held => time == UnconfirmedTime::Held,
        is_free => time == UnconfirmedTime::Free, hint => time.hint(v),
        is_with_office => matches!(time, UnconfirmedTime::WithOffice | UnconfirmedTime::WithOfficeOrPhone),
        books_from_phone => time == UnconfirmedTime::WithOfficeOrPhone,
        service => localized_service(asked.language, &asked.service),
        when => visit::words::format_arrival_window(asked.starts_at, session.profile.settings.jobs.arrival_minutes, zone, asked.language),
        held_until => shared::documents::date_format::format_time(&asked.expires_at.with_timezone(&zone)),
        book_again => session.profile.accepts_bookings().then(|| format!("/book/{}", session.profile.org.slug)),
        ..letterhead::link_head(session, token, frame)
    };
    let is_refused = pressed == Some(ConfirmedTime::Refused);
    let status = if is_refused { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(render_page("held_booking.html", status, shown))
}

pub(super) async fn confirm_held_booking(visitor: LinkVisitor, request: Request) -> PageResult {
    let session = visitor.open_session(&[LinkKind::Booking]).await?;
    if is_office_copy(&visitor, &session, request).await? {
        return render_office_copy(&visitor, &session, StatusCode::FORBIDDEN).await;
    }
    let LinkVisitor { state, who, words, token } = &visitor;
    let pressed = match book_held_slot(state, who, &session).await {
        Ok(Some(response)) => return Ok(response),
        Ok(None) => ConfirmedTime::WithOffice,
        Err(e) if e.code == ErrorCode::Conflict => ConfirmedTime::Refused,
        Err(e) => return Err(visitor.to_error_page(e)),
    };
    render_held_booking(state, &session, token, words, Some(pressed)).await
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
            answer::finish_answer(state, (who, session), tx, (AuditAction::LeadSubmitted, lead.0)).await?;
            return Ok(None);
        }
        BookingConfirmation::AlreadyWithOffice => return Ok(None),
    };
    let path = take::visit_page_path(&mut tx, &ctx, job).await?;
    answer::finish_answer(state, (who, session), tx, (AuditAction::VisitBooked, job.0)).await?;
    Ok(Some(Redirect::to(&format!("{path}?booked=1")).into_response()))
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    #[test]
    fn unconfirmed_time_has_one_true_heading_in_each_state() {
        let now = DateTime::UNIX_EPOCH;
        let asked = |starts: i64, expires: i64, is_free| BookingRequest {
            starts_at: now + Duration::minutes(starts),
            service: "plumbing".to_owned(),
            language: Language::En,
            expires_at: now + Duration::minutes(expires),
            job: None,
            is_free,
            is_with_office: false,
            is_texted: true,
            denied_at: None,
        };
        let heading = |asked: BookingRequest| UnconfirmedTime::at(&asked, now).heading(&ENGLISH);
        assert_eq!(heading(asked(60, 5, true)), "Keep this time?");
        assert_eq!(heading(asked(60, 5, false)), "This time is taken now");
        assert_eq!(heading(asked(60, -5, true)), "This time is still free");
        assert_eq!(heading(asked(60, -5, false)), "This time is taken now");
        assert_eq!(heading(asked(0, -5, false)), "This time has passed");
        let pressed = |of, asked: BookingRequest| UnconfirmedTime::after_press(of, &asked, now).heading(&ENGLISH);
        assert_eq!(pressed(ConfirmedTime::Refused, asked(60, -5, true)), "This time is taken now");
        assert_eq!(pressed(ConfirmedTime::Refused, asked(0, -5, true)), "This time has passed");
        assert_eq!(pressed(ConfirmedTime::WithOffice, asked(60, -5, true)), "Thank you. We have your request.");
        let denied = BookingRequest { denied_at: Some(now), ..asked(60, -5, true) };
        assert_eq!(pressed(ConfirmedTime::Refused, denied.clone()), "Nothing is booked");
        assert_eq!(heading(denied), "Nothing is booked", "also where the time is free");
        let texted = BookingRequest { is_with_office: true, ..asked(60, -5, true) };
        assert_eq!(UnconfirmedTime::at(&texted, now), UnconfirmedTime::WithOfficeOrPhone);
        let mailed = BookingRequest { is_texted: false, ..texted };
        assert_eq!(UnconfirmedTime::at(&mailed, now), UnconfirmedTime::WithOffice);
        let handed_over = |starts| BookingRequest { is_with_office: true, ..asked(starts, -5, false) };
        assert_eq!(heading(handed_over(60)), "Thank you. We have your request.", "also where the office has booked it");
        assert_eq!(heading(handed_over(0)), "This time has passed");
    }
}
