//! A visit that was asked for and waits for one tap. Looking at the page keeps nothing: programs that scan mail follow
//! links; the button does.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Redirect, Response},
};
use minijinja::{context, value::Serde};
use serde::Serialize;
use shared::{
    documents::template::Language,
    domain::{
        intake::lead::form::service_in,
        tenancy::audit::Action,
        work::{
            booking::{
                request::{self, Tap},
                take,
            },
            visit,
        },
    },
    platform::access_link::Kind,
};

use super::{Door, Knock, Page, Refusal, answer, draw, letterhead, words::Words};
use crate::{error::ErrorCode, state::AppState};

#[derive(Debug, Serialize)]
struct KeepWords {
    title: &'static str,
    keep: &'static str,
    held_until: &'static str,
    over: &'static str,
    not_you: &'static str,
    gone: &'static str,
    gone_hint: &'static str,
    other_time: &'static str,
}

static ENGLISH: KeepWords = KeepWords {
    title: "Keep this time?",
    keep: "Yes, keep this time",
    held_until: "We hold it for you until",
    over: "We do not hold it any more. You still get it while it is free.",
    not_you: "Not you? Do nothing. The time is free again by itself.",
    gone: "This time is taken now",
    gone_hint: "We still have your request and get back to you. Or choose another time.",
    other_time: "Choose another time",
};

static SPANISH: KeepWords = KeepWords {
    title: "¿Confirmar esta hora?",
    keep: "Sí, confirmar esta hora",
    held_until: "La guardamos para usted hasta las",
    over: "Ya no está guardada. Todavía la obtiene mientras esté libre.",
    not_you: "¿No fue usted? No haga nada. La hora queda libre por sí sola.",
    gone: "Esta hora ya está ocupada",
    gone_hint: "Tenemos su solicitud y le respondemos. O elija otra hora.",
    other_time: "Elegir otra hora",
};

/// Shows what would be kept; once it is booked, the visit.
pub(super) async fn show(state: &AppState, door: &Door, token: &str, words: &'static Words) -> Page {
    page(state, door, token, words, false).await
}

async fn page(state: &AppState, door: &Door, token: &str, words: &'static Words, is_gone: bool) -> Page {
    let failed = |e| Refusal::of(e, words);
    let mut conn = state.db().map_err(failed)?.read().await?;
    let asked = request::get(&mut conn, door.org(), door.link.subject_id).await?;
    drop(conn);
    if let Some(job) = asked.job {
        let mut tx = state.db().map_err(failed)?.begin().await?;
        let path = take::path(&mut tx, &door.house(state), job).await?;
        tx.commit().await?;
        return Ok(Redirect::to(&path).into_response());
    }
    let (zone, now) = (door.profile.org.zone(), state.origin.now());
    let (frame, v) = match asked.language {
        Language::En => (Words::of(Language::En), &ENGLISH),
        Language::Es => (Words::of(Language::Es), &SPANISH),
    };
    let gone = is_gone || asked.starts_at <= now;
    let shown = context! {
        v => Serde(v), gone, service => service_in(asked.language, &asked.service),
        when => visit::words::window(asked.starts_at, door.profile.settings.jobs.arrival_minutes, zone, asked.language),
        held_until => (asked.expires_at > now).then(|| shared::documents::date_format::hour(&asked.expires_at.with_timezone(&zone))),
        book_again => door.profile.takes_bookings().then(|| format!("/book/{}", door.profile.org.slug)),
        ..letterhead::at(door, token, frame)
    };
    let status = if is_gone { StatusCode::CONFLICT } else { StatusCode::OK };
    Ok(draw("keep.html", status, shown))
}

/// The tap: the visit is booked, and its own page shows it.
pub(super) async fn keep(knock: Knock) -> Page {
    let door = knock.open(&[Kind::Booking]).await?;
    let Knock { state, who, words, token } = &knock;
    match take_it(state, who, &door).await {
        Ok(response) => Ok(response),
        Err(e) if e.code == ErrorCode::Conflict => page(state, &door, token, words, true).await,
        Err(e) => Err(knock.failed(e)),
    }
}

async fn take_it(state: &AppState, who: &crate::client_info::Who, door: &Door) -> crate::error::ApiResult<Response> {
    let mut tx = answer::begin(state, door).await?;
    let house = door.house(state);
    let job = request::confirm(&mut tx, &house, Tap::Link(&door.link)).await?;
    let path = take::path(&mut tx, &house, job).await?;
    answer::finish(state, (who, door), tx, (Action::VisitBooked, job.0)).await?;
    Ok(Redirect::to(&format!("{path}?booked=1")).into_response())
}
