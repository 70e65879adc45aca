//! A visit at its customer's address: seen, confirmed, cancelled, put into a calendar, or asked to be moved.

use axum::{
    http::{StatusCode, header},
    response::IntoResponse,
};
use chrono_tz::Tz;
use minijinja::value::Serde;
use shared::{
    documents::date_format,
    domain::{
        intake::lead::form::service_in,
        tenancy::audit::Action,
        work::{
            booking::change,
            visit::{self, Standing, VisitPage},
        },
    },
    platform::{access_link::Kind, id::JobId},
};

use super::{
    Door, Knock, Page, Refusal, answer, draw,
    field_error::Fault,
    form::Pairs,
    is_answerable, letterhead,
    words::{Words, of_browser},
};
use crate::{
    client_info::Who,
    error::{ApiError, ApiResult},
    state::AppState,
};

mod words;

use words::VisitWords;

fn id(door: &Door) -> JobId {
    JobId(door.link.subject_id)
}

/// What is confirmed, cancelled or asked about.
const ONLY: [Kind; 1] = [Kind::Visit];

/// Shows the visit.
pub(super) async fn show(state: &AppState, door: &Door, token: &str, browser: &'static Words, query: &Pairs) -> Page {
    page(state, (door, browser), token, StatusCode::OK, (query, None)).await
}

/// The page, with what was sent and what did not fit of it.
async fn page(
    state: &AppState,
    (door, browser): (&Door, &'static Words),
    token: &str,
    status: StatusCode,
    (said, error): (&Pairs, Option<&ApiError>),
) -> Page {
    let mut conn = state.db().map_err(|e| Refusal::of(e, of_browser(None)))?.read().await?;
    let visit = visit::page::get(&mut conn, &door.house(state), &door.link, browser.language).await?;
    let may_move = visit.may_cancel && door.profile.takes_bookings();
    let from = said.one("from").and_then(|day| day.parse().ok());
    let moves = match said.one("move").or(said.one("startsAt")) {
        Some(_) if may_move => change::offer(&mut conn, &door.house(state), id(door), from, visit.language).await?,
        _ => None,
    };
    drop(conn);
    let (frame, words) = (Words::of(visit.language), VisitWords::of(visit.language));
    let zone = door.profile.org.zone();
    let error = error.map(|error| Fault::of(error, |sentence| words.say(sentence)));
    let later = moves.as_ref().and_then(|offer| offer.next.map(|day| format!("/p/{token}?move=1&from={day}#move")));
    let context = minijinja::context! {
        v => Serde(words),
        state => standing(visit.standing), service => service_in(visit.language, &visit.service), customer => visit.customer.as_str(),
        crew => visit.crew.as_deref(), address => visit.address.as_deref(),
        when => when(&visit, zone),
        eta => visit.eta_at.map(|at| date_format::hour(&at.with_timezone(&zone))),
        confirmed => visit.confirmed_at.map(|at| frame.moment(at, zone)),
        moves => moves.as_ref().map(|offer| super::book::days(offer, visit.language)),
        later,
        book_again => door.profile.takes_bookings().then(|| format!("/book/{}", door.profile.org.slug)),
        is_booked => said.one("booked").is_some(), is_moved => said.one("moved").is_some(), may_move,
        may_cancel => visit.may_cancel, is_asked => said.one("asked").is_some() && error.is_none(),
        question => error.as_ref().and_then(|_| said.one("question")),
        reason => error.as_ref().and_then(|_| said.one("reason")), error => Serde(&error),
        ..letterhead::at(door, token, frame)
    };
    Ok(draw("visit.html", status, context))
}

/// The day and the window, or the hour that the crew named since.
fn when(visit: &VisitPage, zone: Tz) -> Option<String> {
    let (at, minutes) = match visit.eta_at.filter(|_| visit.standing == Standing::Planned) {
        Some(eta) => (Some(eta), 0),
        None => (visit.starts_at, visit.arrival_minutes),
    };
    at.map(|at| visit::words::window(at, minutes, zone, visit.language))
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Planned => "planned",
        Standing::Unplanned => "unplanned",
        Standing::OnTheWay => "on_the_way",
        Standing::Begun => "begun",
        Standing::Done => "done",
        Standing::Cancelled => "cancelled",
        Standing::Past => "past",
    }
}

/// The visit as a file for a calendar.
pub(super) async fn calendar(knock: Knock) -> Page {
    let door = knock.open(&ONLY).await?;
    let house = door.house(&knock.state);
    let mut conn = knock.state.db().map_err(|e| knock.failed(e))?.read().await?;
    let visit: VisitPage = visit::page::get(&mut conn, &house, &door.link, knock.words.language).await?;
    let Some(file) = visit.calendar(&house) else { return Err(Refusal::gone(knock.words)) };
    let headers = [
        (header::CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"visit.ics\""),
        (header::CACHE_CONTROL, "private, no-store"),
    ];
    Ok((headers, file).into_response())
}

/// One answer of the customer.
#[derive(Clone, Copy)]
enum Answer {
    Confirm,
    Cancel,
    Ask,
    Move,
}

/// The customer will be there.
pub(super) async fn confirm(knock: Knock, typed: Pairs) -> Page {
    respond(&knock, &typed, Answer::Confirm).await
}

/// The customer does not want it.
pub(super) async fn cancel(knock: Knock, typed: Pairs) -> Page {
    respond(&knock, &typed, Answer::Cancel).await
}

/// The customer asks for another time.
pub(super) async fn ask(knock: Knock, typed: Pairs) -> Page {
    respond(&knock, &typed, Answer::Ask).await
}

/// The customer chose another time.
pub(super) async fn change(knock: Knock, typed: Pairs) -> Page {
    respond(&knock, &typed, Answer::Move).await
}

/// Takes an answer and shows the page anew, or shows it with what did not fit.
async fn respond(knock: &Knock, typed: &Pairs, answer: Answer) -> Page {
    let door = knock.open(&ONLY).await?;
    let Knock { state, who, token, words } = knock;
    match take(state, who, &door, typed, answer).await {
        Ok(()) => {
            let asked = match answer {
                Answer::Ask => "?asked=1#ask",
                Answer::Move => "?moved=1",
                Answer::Confirm | Answer::Cancel => "",
            };
            Ok(answer::back(token, asked))
        }
        Err(e) if is_answerable(&e) => page(state, (&door, *words), token, e.code.status(), (typed, Some(&e))).await,
        Err(e) => Err(knock.failed(e)),
    }
}

async fn take(state: &AppState, who: &Who, door: &Door, typed: &Pairs, answer: Answer) -> ApiResult<()> {
    let mut tx = answer::begin(state, door).await?;
    let (house, id) = (door.house(state), id(door));
    let action = match answer {
        Answer::Confirm => {
            visit::answer::confirm(&mut tx, &house, id).await?;
            Action::JobChanged
        }
        Answer::Cancel => {
            visit::answer::cancel(&mut tx, &house, &door.link, typed.one("reason")).await?;
            let done = (Action::VisitCancelledByCustomer, id.0);
            return answer::finish_refusal(state, (who, door), tx, done).await;
        }
        Answer::Move => {
            let starts_at = typed.one("startsAt").and_then(|at| at.parse().ok());
            let starts_at = starts_at.ok_or_else(|| ApiError::field("startsAt", "Please choose a time"))?;
            change::change(&mut tx, &house, &door.link, starts_at).await?;
            Action::VisitMovedByCustomer
        }
        Answer::Ask => {
            visit::answer::ask(&mut tx, &house, &door.link, typed.one("question")).await?;
            Action::JobChanged
        }
    };
    answer::finish(state, (who, door), tx, (action, id.0)).await
}

/// A person has looked at it.
pub(super) async fn seen(state: &AppState, door: &Door) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    visit::answer::seen(&mut tx, &door.house(state), &door.link).await?;
    tx.commit().await?;
    Ok(())
}
