//! Customer page of a visit: view, confirm, cancel, calendar file, reschedule.

use axum::{
    http::{StatusCode, header},
    response::IntoResponse,
};
use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use minijinja::value::Serde;
use shared::{
    documents::date_format,
    domain::{
        intake::lead::form::localized_service,
        tenancy::audit::AuditAction,
        work::{
            booking::change,
            visit::{self, VisitPage, VisitStatus},
        },
    },
    platform::{access_link::LinkKind, id::JobId},
};

use super::{
    ErrorPage, LinkSession, LinkVisitor, PageResult, answer,
    field_error::FormErrors,
    form::FormFields,
    is_correctable, letterhead, render_page,
    words::{PageText, text_for_browser},
};
use crate::{
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::VisitPageText;

fn job_id(session: &LinkSession) -> JobId {
    JobId(session.link.subject_id)
}

const ONLY: [LinkKind; 1] = [LinkKind::Visit];
/// Value of `booked` after the choice of another time than that of the visit.
pub(super) const BOOKED_BEFORE: &str = "before";

pub(super) async fn show_visit(
    state: &AppState,
    session: &LinkSession,
    token: &str,
    browser: &'static PageText,
    query: &FormFields,
) -> PageResult {
    render_visit(state, (session, browser), token, StatusCode::OK, (query, None)).await
}

async fn render_visit(
    state: &AppState,
    (session, browser): (&LinkSession, &'static PageText),
    token: &str,
    status: StatusCode,
    (fields, error): (&FormFields, Option<&ApiError>),
) -> PageResult {
    let mut conn = state.db().map_err(|e| ErrorPage::from_error(e, text_for_browser(None)))?.acquire_reader().await?;
    let ctx = session.org_context(state);
    let visit = visit::page::load_visit_page(&mut conn, &ctx, &session.link, browser.language).await?;
    let may_move = visit.may_cancel && session.profile.accepts_bookings();
    let from = fields.first_value("from").and_then(|day| day.parse().ok());
    let moves = match fields.first_value("move").or(fields.first_value("startsAt")) {
        Some(_) if may_move => change::offer_new_times(&mut conn, &ctx, job_id(session), from, visit.language).await?,
        _ => None,
    };
    drop(conn);
    let (frame, words) = (PageText::for_language(visit.language), VisitPageText::for_language(visit.language));
    let zone = session.profile.org.zone();
    let error = error.map(|error| FormErrors::from_error(error, visit.language, |sentence| words.translate(sentence)));
    let later = moves.as_ref().and_then(|offer| offer.next.map(|day| format!("/p/{token}?move=1&from={day}#move")));
    let context = minijinja::context! {
        v => Serde(words),
        state => status_name(visit.status), service => localized_service(visit.language, &visit.service), customer => visit.customer.as_str(),
        crew => visit.crew.as_deref(), address => visit.address.as_deref(),
        when => format_arrival(&visit, zone), shown_at => visit.starts_at.map(|at| at.to_rfc3339()),
        eta => visit.eta_at.map(|at| date_format::format_time(&at.with_timezone(&zone))),
        confirmed => visit.confirmed_at.map(|at| frame.format_moment(at, zone)),
        moves => moves.as_ref().map(|offer| super::booking::day_values(offer, visit.language)),
        later,
        book_again => session.profile.accepts_bookings().then(|| format!("/book/{}", session.profile.org.slug)),
        is_booked => fields.first_value("booked").is_some_and(|booked| booked != BOOKED_BEFORE),
        has_visit => fields.first_value("booked") == Some(BOOKED_BEFORE), is_moved => fields.first_value("moved").is_some(), may_move,
        may_change => visit.may_change,
        may_cancel => visit.may_cancel, is_asked => fields.first_value("asked").is_some() && error.is_none(),
        question => error.as_ref().and_then(|_| fields.first_value("question")),
        reason => error.as_ref().and_then(|_| fields.first_value("reason")), error => Serde(&error),
        ..letterhead::link_head(session, token, frame)
    };
    Ok(render_page("visit.html", status, context))
}

/// Day and time window, or the arrival time that the crew gave since.
fn format_arrival(visit: &VisitPage, zone: Tz) -> Option<String> {
    let (at, minutes) = match visit.eta_at.filter(|_| visit.status == VisitStatus::Planned) {
        Some(eta) => (Some(eta), 0),
        None => (visit.starts_at, visit.arrival_minutes),
    };
    at.map(|at| visit::words::format_arrival_window(at, minutes, zone, visit.language))
}

fn status_name(status: VisitStatus) -> &'static str {
    match status {
        VisitStatus::Planned => "planned",
        VisitStatus::Unscheduled => "unplanned",
        VisitStatus::OnTheWay => "on_the_way",
        VisitStatus::InProgress => "begun",
        VisitStatus::Done => "done",
        VisitStatus::Cancelled => "cancelled",
        VisitStatus::Past => "past",
    }
}

pub(super) async fn visit_calendar(visitor: LinkVisitor) -> PageResult {
    let session = visitor.open_session(&ONLY).await?;
    let ctx = session.org_context(&visitor.state);
    let mut conn = visitor.state.db().map_err(|e| visitor.to_error_page(e))?.acquire_reader().await?;
    let visit: VisitPage = visit::page::load_visit_page(&mut conn, &ctx, &session.link, visitor.words.language).await?;
    let Some(file) = visit.render_calendar_file(&ctx) else { return Err(ErrorPage::invalid_link(visitor.words)) };
    let headers = [
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"visit.ics\""),
        (header::CACHE_CONTROL, "private, no-store"),
    ];
    Ok((headers, file).into_response())
}

#[derive(Clone, Copy)]
enum VisitAnswer {
    Confirm,
    Cancel,
    Ask,
    Move,
}

pub(super) async fn confirm_visit(visitor: LinkVisitor, typed: FormFields) -> PageResult {
    handle_answer(&visitor, &typed, VisitAnswer::Confirm).await
}

pub(super) async fn cancel_visit(visitor: LinkVisitor, typed: FormFields) -> PageResult {
    handle_answer(&visitor, &typed, VisitAnswer::Cancel).await
}

pub(super) async fn request_other_time(visitor: LinkVisitor, typed: FormFields) -> PageResult {
    handle_answer(&visitor, &typed, VisitAnswer::Ask).await
}

pub(super) async fn move_visit(visitor: LinkVisitor, typed: FormFields) -> PageResult {
    handle_answer(&visitor, &typed, VisitAnswer::Move).await
}

async fn handle_answer(visitor: &LinkVisitor, typed: &FormFields, answer: VisitAnswer) -> PageResult {
    let session = visitor.open_session(&ONLY).await?;
    let LinkVisitor { state, who, token, words } = visitor;
    match apply_answer(state, who, &session, typed, answer).await {
        Ok(()) => {
            let asked = match answer {
                VisitAnswer::Ask => "?asked=1#ask",
                VisitAnswer::Move => "?moved=1",
                VisitAnswer::Confirm | VisitAnswer::Cancel => "",
            };
            Ok(answer::redirect_to_page(token, asked))
        }
        Err(e) if is_correctable(&e) => {
            render_visit(state, (&session, *words), token, e.code.status(), (typed, Some(&e))).await
        }
        Err(e) => Err(visitor.to_error_page(e)),
    }
}

/// The visit's time on the page of which a button was pressed; the office may have moved it since.
fn shown_time(typed: &FormFields) -> Option<DateTime<Utc>> {
    typed.first_value("shownAt")?.parse().ok()
}

async fn apply_answer(
    state: &AppState,
    who: &RequestContext,
    session: &LinkSession,
    typed: &FormFields,
    answer: VisitAnswer,
) -> ApiResult<()> {
    let mut tx = answer::begin_answer(state, session).await?;
    let (ctx, id) = (session.org_context(state), job_id(session));
    let action = match answer {
        VisitAnswer::Confirm => {
            visit::answer::confirm_visit(&mut tx, &ctx, id, shown_time(typed)).await?;
            AuditAction::JobChanged
        }
        VisitAnswer::Cancel => {
            let (reason, shown_at) = (typed.first_value("reason"), shown_time(typed));
            if !visit::answer::cancel_visit(&mut tx, &ctx, &session.link, reason, shown_at).await? {
                // Nothing changed, so nothing is recorded again.
                return Ok(());
            }
            let done = (AuditAction::VisitCancelledByCustomer, id.0);
            return answer::finish_refused_answer(state, (who, session), tx, done).await;
        }
        VisitAnswer::Move => {
            let starts_at = typed.first_value("startsAt").and_then(|at| at.parse().ok());
            let starts_at = starts_at.ok_or_else(|| ApiError::invalid_field("startsAt", "Please choose a time"))?;
            change::reschedule_visit(&mut tx, &ctx, &session.link, starts_at).await?;
            AuditAction::VisitMovedByCustomer
        }
        VisitAnswer::Ask => {
            visit::answer::request_other_time(&mut tx, &ctx, &session.link, typed.first_value("question")).await?;
            AuditAction::JobChanged
        }
    };
    answer::finish_answer(state, (who, session), tx, (action, id.0)).await
}

pub(super) async fn record_visit_view(state: &AppState, session: &LinkSession) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    visit::answer::record_visit_seen(&mut tx, &session.org_context(state), &session.link).await?;
    tx.commit().await?;
    Ok(())
}
