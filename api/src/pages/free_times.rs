//! Free times behind a link: after a request, and for the work of an approved estimate. Plain forms; a time is a button.

use axum::{
    body::Body,
    extract::{FromRequest as _, Request},
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use chrono::{DateTime, NaiveDate, Utc};
use minijinja::{Value, context, value::Serde};
use shared::{
    documents::template::Language,
    domain::{
        money::estimate::approved_visit,
        tenancy::{audit::AuditAction, org::OrgProfile},
        work::{
            booking::{self, BookingResult, ChosenTime, TimeChoice, TimesOffer, WorkChoice, take},
            visit,
        },
    },
    platform::{
        access_link::LinkKind,
        id::{EstimateId, JobId},
    },
};

use super::{
    LinkCaller, LinkSession, LinkVisitor, PageResult, answer,
    booking::{day_values, waiting_page_path},
    estimate,
    field_error::FormErrors,
    form::FormFields,
    held_booking::is_office_copy,
    is_correctable, letterhead, render_page,
    visit::BOOKED_BEFORE,
    words::PageText,
};
use crate::{
    error::{ApiError, ApiResult, ErrorCode},
    routes::work::booking::{AskedVisit, BookingReceipt, count_booking},
    state::AppState,
};

mod words;

use words::FreeTimesText;

const CHOOSABLE: [LinkKind; 2] = [LinkKind::FreeTimes, LinkKind::Estimate];

/// The day from which other times are shown.
fn first_day(fields: &FormFields) -> Option<NaiveDate> {
    fields.first_value("from")?.parse().ok()
}

/// What `times.html` shows.
fn offer_values(
    profile: &OrgProfile,
    offer: &TimesOffer,
    language: Language,
    (fields, error): (&FormFields, Option<&FormErrors>),
    at: &str,
) -> Value {
    let (zone, arrival) = (profile.org.zone(), profile.settings.jobs.arrival_minutes);
    let is_later = first_day(fields).is_some();
    let shown: &[booking::NextTime] = if is_later { &[] } else { &offer.next };
    let next: Vec<Value> = shown
        .iter()
        .map(|time| {
            let window = visit::words::format_arrival_window(time.starts_at, arrival, zone, language);
            let day = window.rsplit_once(", ").map_or(window.as_str(), |(day, _)| day);
            context! { at => time.starts_at.to_rfc3339(), day, label => time.label.as_str() }
        })
        .collect();
    context! {
        next, is_later, days => day_values(&offer.by_day, language), needs_address => offer.needs_address,
        address => fields.first_value("address"), fault => error.and_then(|error| error.field_fault("address")),
        later => offer.by_day.next.map(|day| format!("{at}?from={day}#times")),
        first => is_later.then(|| format!("{at}#times")),
    }
}

/// The reason above the times; a time that is gone gives way to the next ones.
fn describe_refusal(error: Option<&ApiError>, has_times: bool, words: &'static PageText) -> Option<FormErrors> {
    let error = error?;
    let shown = FormErrors::from_error(error, words.language, |sentence| words.translate(sentence));
    if error.code == ErrorCode::Conflict && has_times {
        return Some(shown.with_text(FreeTimesText::for_language(words.language).taken));
    }
    Some(shown)
}

pub(super) async fn show_lead_times(
    visitor: &LinkVisitor,
    session: &LinkSession,
    query: &FormFields,
    request: Request,
) -> PageResult {
    let is_office = is_office_copy(visitor, session, request).await?;
    render_lead_times(visitor, session, StatusCode::OK, (query, None), is_office).await
}

async fn render_lead_times(
    visitor: &LinkVisitor,
    session: &LinkSession,
    status: StatusCode,
    (fields, error): (&FormFields, Option<&ApiError>),
    is_office: bool,
) -> PageResult {
    let LinkVisitor { state, words, token, .. } = visitor;
    let db = state.db().map_err(|e| visitor.to_error_page(e))?;
    let (ctx, language) = (session.org_context(state), words.language);
    let mut conn = db.acquire_reader().await?;
    let offer = booking::offer_lead_times(&mut conn, &ctx, &session.link, first_day(fields), language).await?;
    drop(conn);
    let error = describe_refusal(error, offer.is_some(), words);
    let at = format!("/p/{token}");
    let times = offer
        .filter(|_| !is_office)
        .map(|offer| offer_values(&session.profile, &offer, language, (fields, error.as_ref()), &at));
    let org = &session.profile.org;
    let shown = context! {
        t => Serde(FreeTimesText::for_language(language)), times, is_office, error => Serde(&error),
        write => format!("/lead?org={}", org.slug),
        ..letterhead::link_head(session, token, words)
    };
    Ok(render_page("free_times.html", status, shown))
}

/// Books the chosen time. The office's own copy of the customer's link books nothing.
pub(super) async fn choose_time(visitor: LinkVisitor, who: LinkCaller, request: Request) -> PageResult {
    let session = visitor.open_session(&CHOOSABLE).await?;
    let (parts, body) = request.into_parts();
    let caller = Request::from_parts(parts.clone(), Body::empty());
    let sent = FormFields::from_request(Request::from_parts(parts, body), &visitor.state).await;
    let fields = sent.map_err(|e| visitor.to_error_page(e))?;
    if session.link.kind == LinkKind::Estimate {
        return choose_work_time(&visitor, &session, fields, who.has_office_copy(&session)).await;
    }
    if is_office_copy(&visitor, &session, caller).await? {
        return render_lead_times(&visitor, &session, StatusCode::FORBIDDEN, (&fields, None), true).await;
    }
    let Some(starts_at) = chosen_start(&fields) else {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        return render_lead_times(&visitor, &session, status, (&fields, None), false).await;
    };
    match book_lead_time(&visitor, &session, &fields, starts_at).await {
        Ok((booked, is_other)) => Ok(follow_receipt(&session, &booked, is_other)),
        Err(e) if is_correctable(&e) => {
            render_lead_times(&visitor, &session, e.code.status(), (&fields, Some(&e)), false).await
        }
        Err(e) => Err(visitor.to_error_page(e)),
    }
}

fn chosen_start(fields: &FormFields) -> Option<DateTime<Utc>> {
    fields.first_value("startsAt")?.parse().ok()
}

/// What the choice came to, and whether an earlier one at another time stands.
async fn book_lead_time(
    visitor: &LinkVisitor,
    session: &LinkSession,
    fields: &FormFields,
    starts_at: DateTime<Utc>,
) -> ApiResult<(BookingReceipt, bool)> {
    let LinkVisitor { state, who, words, .. } = visitor;
    count_booking(state, who, session.org()).await?;
    let mut tx = answer::begin_answer(state, session).await?;
    let (ctx, sender) = (session.org_context(state), who.form_sender());
    let chosen =
        ChosenTime { starts_at, address: fields.first_value("address"), language: words.language, sender: &sender };
    match booking::choose_lead_time(&mut tx, &ctx, &session.link, &chosen).await? {
        TimeChoice::Made(done) => {
            let recorded = match &done {
                BookingResult::Booked { job, .. } => (AuditAction::VisitBooked, job.0),
                BookingResult::Waiting { .. } | BookingResult::Asked { .. } => {
                    (AuditAction::LeadSubmitted, session.link.subject_id)
                }
            };
            answer::finish_answer(state, (who, session), tx, recorded).await?;
            Ok((build_receipt(done), false))
        }
        TimeChoice::Repeated(done, at) => {
            answer::finish_repeated_answer(state, session, tx).await?;
            Ok((build_receipt(done), at != starts_at))
        }
    }
}

fn build_receipt(done: BookingResult) -> BookingReceipt {
    match done {
        BookingResult::Booked { reference, path, .. } => {
            BookingReceipt { reference, path: Some(path), confirm_until: None, asked: None }
        }
        BookingResult::Waiting { reference } => {
            BookingReceipt { reference, path: None, confirm_until: None, asked: None }
        }
        BookingResult::Asked { reference, until, starts_at, sent } => {
            let asked = until.map(|_| AskedVisit { starts_at, by_text: sent.by_text, by_email: sent.by_email });
            BookingReceipt { reference, path: None, confirm_until: until, asked }
        }
    }
}

/// The page of the visit, or the one that says what is still needed. Of a visit at another time than the chosen one the
/// page says so.
fn follow_receipt(session: &LinkSession, booked: &BookingReceipt, is_other: bool) -> Response {
    let to = match &booked.path {
        Some(path) if is_other => format!("{path}?booked={BOOKED_BEFORE}"),
        Some(path) => format!("{path}?booked=1"),
        None => waiting_page_path(&session.profile.org.slug, booked),
    };
    Redirect::to(&to).into_response()
}

async fn choose_work_time(
    visitor: &LinkVisitor,
    session: &LinkSession,
    fields: FormFields,
    is_office: bool,
) -> PageResult {
    let LinkVisitor { state, token, .. } = visitor;
    if is_office {
        return estimate::render_office_copy(state, session, token, fields).await;
    }
    let done = match chosen_start(&fields) {
        Some(starts_at) => plan_work(visitor, session, &fields, starts_at).await,
        None => Err(ApiError::invalid_field("startsAt", "Please choose a time")),
    };
    match done {
        Ok(None) => Ok(answer::redirect_to_page(token, "#times")),
        Ok(Some(path)) => Ok(Redirect::to(&format!("{path}?booked={BOOKED_BEFORE}")).into_response()),
        Err(e) => estimate::render_refusal(state, session, token, fields, e).await,
    }
}

/// The page of the visit, where the work is planned at another time than the chosen one.
async fn plan_work(
    visitor: &LinkVisitor,
    session: &LinkSession,
    fields: &FormFields,
    starts_at: DateTime<Utc>,
) -> ApiResult<Option<String>> {
    let LinkVisitor { state, who, words, .. } = visitor;
    count_booking(state, who, session.org()).await?;
    let mut tx = answer::begin_answer(state, session).await?;
    let (ctx, sender) = (session.org_context(state), who.form_sender());
    let chosen =
        ChosenTime { starts_at, address: fields.first_value("address"), language: words.language, sender: &sender };
    let id = EstimateId(session.link.subject_id);
    let (job, planned_at) = match approved_visit::choose_visit_time(&mut tx, &ctx, id, &chosen).await? {
        WorkChoice::Made(JobId(job)) => {
            answer::finish_answer(state, (who, session), tx, (AuditAction::VisitBooked, job)).await?;
            return Ok(None);
        }
        WorkChoice::Repeated { job, starts_at } => (job, starts_at),
    };
    // The page of a visit closes some time after it.
    let is_shown = planned_at != starts_at && planned_at > state.origin.now();
    let path =
        if is_shown { Some(take::customer_visit_page_path(&mut tx, &ctx, job, &session.link).await?) } else { None };
    answer::finish_repeated_answer(state, session, tx).await?;
    Ok(path)
}

/// The work of an approved estimate on its page: planned, or to be planned by the customer.
pub(super) async fn work_values(
    state: &AppState,
    session: &LinkSession,
    words: &'static PageText,
    (fields, error): (&FormFields, Option<&ApiError>),
    at: &str,
) -> ApiResult<(Option<Value>, Option<FormErrors>)> {
    let (ctx, language) = (session.org_context(state), words.language);
    let (id, from) = (EstimateId(session.link.subject_id), first_day(fields));
    let mut conn = state.db()?.acquire_reader().await?;
    let choice = approved_visit::load_visit_choice(&mut conn, &ctx, id, from, language).await?;
    drop(conn);
    let Some(choice) = choice.filter(|choice| choice.plan != booking::WorkPlan::Closed) else {
        return Ok((None, None));
    };
    let text = FreeTimesText::for_language(language);
    let deposit = choice.deposit_due();
    let offer = match &choice.plan {
        booking::WorkPlan::Open(offer) if !choice.waits_for_deposit() => Some(offer),
        _ => None,
    };
    let error = describe_refusal(error, offer.is_some(), words);
    let times = offer.map(|offer| offer_values(&session.profile, offer, language, (fields, error.as_ref()), at));
    let zone = session.profile.org.zone();
    let when = match &choice.plan {
        booking::WorkPlan::Planned { starts_at, arrival_minutes, .. } => {
            Some(visit::words::format_arrival_window(*starts_at, *arrival_minutes, zone, language))
        }
        _ => None,
    };
    let shown = context! {
        t => Serde(text), visit_when => when, times, waits_for_deposit => choice.waits_for_deposit(),
        deposit_first => deposit.map(|amount| text.deposit_first(&amount.format_usd())),
        deposit_after => deposit.map(|amount| text.deposit_after(&amount.format_usd())),
        deposit_beside => deposit.map(|amount| text.deposit_beside(&amount.format_usd())),
    };
    Ok((Some(shown), error))
}
