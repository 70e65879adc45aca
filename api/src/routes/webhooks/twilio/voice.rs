//! A call: which phones ring, how one of them takes it, and how it ended.
//!
//! A machine can pick up, so whoever does is asked for a 1 before being put through.

use axum::{extract::State, http::Uri};
use shared::{
    domain::{
        messaging::phone_call::{self, Ended, Plan, Ringing},
        tenancy::provider_callbacks::Address,
    },
    providers::twiml::{Dial, Gather, Number, Response, Say},
};

use super::{Came, Posted, Xml, business, noted};
use crate::{
    error::{ApiError, ApiResult},
    extract::Query,
    openapi,
    state::AppState,
};

/// How long whoever picked up may think before the call counts as not taken.
const TO_PRESS: u16 = 7;
/// The longest id of a call that is read back from our own address.
const MAX_ID: usize = 64;

/// Answer a call
///
/// Twilio's webhook for calls that come in. Rings the phones of the business together; each is asked for a 1.
#[utoipa::path(post, path = "/webhooks/twilio/voice", operation_id = "twilioCall", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn call(State(state): State<AppState>, posted: Posted) -> ApiResult<Xml> {
    noted(&state, Address::Calls, ring(&state, &posted)).await
}

async fn ring(state: &AppState, posted: &Posted) -> ApiResult<Xml> {
    let (id, to) = (posted.needs("CallSid")?, posted.needs("To")?);
    let from = posted.get("From").unwrap_or_default();
    let Some(profile) = business(state, Came { from: &from, to: &to, call: Some(&id), words: None }).await? else {
        // A call is not left to an error message: it is not taken, which costs the caller nothing.
        return Ok(Xml(Response::new().reject(None)));
    };
    let mut tx = state.db()?.begin().await?;
    let ringing = Ringing { provider_id: &id, from: &from, to: &to };
    let plan = phone_call::ring(&mut tx, &state.intake(&profile), &ringing).await?;
    if matches!(plan, Plan::Sorry { .. }) {
        // Nobody is rung, so it is missed now; that Twilio tells us of its end depends on how the number is set up.
        let ended = Ended { provider_id: &id, from: &from, to: &to, outcome: "no-answer", when: None };
        phone_call::end(&mut tx, &state.intake(&profile), &ended).await?;
    }
    tx.commit().await?;
    state.wake();
    Ok(Xml(match plan {
        Plan::Ring { phones, seconds, .. } => Response::new().dial(dial(state, &ringing, &phones, seconds)),
        Plan::Sorry { business } => sorry(&business),
    }))
}

fn dial(state: &AppState, ringing: &Ringing<'_>, phones: &[String], seconds: i64) -> Dial {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    // What is posted for a rung phone names that phone, so the call and the number that was called go along.
    query.append_pair("call", ringing.provider_id).append_pair("to", ringing.to);
    let whisper = state.settings.public_url.join(&format!("/webhooks/twilio/voice/whisper?{}", query.finish()));
    let numbers =
        phones.iter().map(|phone| Number { number: phone.clone(), url: Some(whisper.clone()), ..Number::default() });
    Dial {
        timeout: u16::try_from(seconds).ok(),
        action: Some(state.settings.public_url.join("/webhooks/twilio/voice/status")),
        // The caller hears ringing until a person has pressed 1, and not the silence of somebody being asked.
        answer_on_bridge: true,
        numbers: numbers.collect(),
        ..Dial::default()
    }
}

fn sorry(business: &str) -> Response {
    let words = format!("Thanks for calling {business}. Nobody can take your call right now. We will get back to you.");
    Response::new().say(Say { text: words, ..Say::default() }).hangup()
}

/// Ask whoever picked up
///
/// Said to the phone that picked up, before the caller is put through.
#[utoipa::path(post, path = "/webhooks/twilio/voice/whisper", operation_id = "twilioCallWhisper", tag = "webhooks",
    params(("call" = String, Query, description = "The caller's call"),
        ("to" = String, Query, description = "The number that was called")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn whisper(State(state): State<AppState>, uri: Uri, query: Query, posted: Posted) -> ApiResult<Xml> {
    noted(&state, Address::Calls, ask(&state, &uri, &query, &posted)).await
}

async fn ask(state: &AppState, uri: &Uri, query: &Query, posted: &Posted) -> ApiResult<Xml> {
    let (id, to) = parent(query, posted)?;
    let from = posted.get("From").unwrap_or_default();
    let Some(profile) = business(state, Came { from: &from, to: &to, call: Some(&id), words: None }).await? else {
        return Ok(Xml(Response::new().hangup()));
    };
    let accept = format!("/webhooks/twilio/voice/accept?{}", uri.query().unwrap_or_default());
    let words = format!("A customer is calling {}. Press 1 to take the call.", profile.org.name);
    let gather = Gather {
        digits: 1,
        action: state.settings.public_url.join(&accept),
        timeout: Some(TO_PRESS),
        prompts: vec![Say { text: words, ..Say::default() }],
    };
    // Whoever presses nothing is a machine, or has no time.
    Ok(Xml(Response::new().gather(gather).hangup()))
}

/// The caller's call, of which this phone's is a part, and the number that was called.
fn parent(query: &Query, posted: &Posted) -> ApiResult<(String, String)> {
    let call = query.text("call", MAX_ID)?.or_else(|| posted.get("ParentCallSid"));
    let call = call.ok_or_else(|| ApiError::field("call", "This is missing"))?;
    let to = query.text("to", MAX_ID)?.ok_or_else(|| ApiError::field("to", "This is missing"))?;
    Ok((call, to))
}

/// Take a call by pressing 1
///
/// The caller is put through, and no text about a missed call is sent.
#[utoipa::path(post, path = "/webhooks/twilio/voice/accept", operation_id = "twilioCallAccept", tag = "webhooks",
    params(("call" = String, Query, description = "The caller's call"),
        ("to" = String, Query, description = "The number that was called")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn accept(State(state): State<AppState>, query: Query, posted: Posted) -> ApiResult<Xml> {
    noted(&state, Address::Calls, take(&state, &query, &posted)).await
}

async fn take(state: &AppState, query: &Query, posted: &Posted) -> ApiResult<Xml> {
    let (id, to) = parent(query, posted)?;
    if posted.get("Digits").as_deref() != Some("1") {
        return Ok(Xml(Response::new().hangup()));
    }
    let from = posted.get("From").unwrap_or_default();
    let came = Came { from: &from, to: &to, call: Some(&id), words: None };
    let Some(profile) = business(state, came).await? else { return Ok(Xml(Response::new().hangup())) };
    let mut tx = state.db()?.begin().await?;
    let ringing = Ringing { provider_id: &id, from: &from, to: &to };
    phone_call::accept(&mut tx, &state.intake(&profile), &ringing).await?;
    tx.commit().await?;
    state.wake();
    // A document that is at its end puts the two through.
    Ok(Xml(Response::new()))
}

/// Take the end of a call
///
/// Both the outcome of the ringing and the end of the whole call come here; whichever is first decides.
#[utoipa::path(post, path = "/webhooks/twilio/voice/status", operation_id = "twilioCallStatus", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn status(State(state): State<AppState>, posted: Posted) -> ApiResult<Xml> {
    noted(&state, Address::Calls, end(&state, &posted)).await
}

async fn end(state: &AppState, posted: &Posted) -> ApiResult<Xml> {
    let (id, to) = (posted.needs("CallSid")?, posted.needs("To")?);
    let (from, rung) = (posted.get("From").unwrap_or_default(), posted.get("DialCallStatus"));
    let outcome = match &rung {
        Some(outcome) => outcome.clone(),
        None => posted.needs("CallStatus")?,
    };
    if !phone_call::is_over(&outcome) {
        return Ok(Xml(Response::new()));
    }
    let came = Came { from: &from, to: &to, call: Some(&id), words: None };
    let Some(profile) = business(state, came).await? else { return Ok(Xml(Response::new())) };
    let ended = Ended { provider_id: &id, from: &from, to: &to, outcome: &outcome, when: None };
    let mut tx = state.db()?.begin().await?;
    let was_answered = phone_call::end(&mut tx, &state.intake(&profile), &ended).await?;
    tx.commit().await?;
    state.wake();
    // Somebody who is still on the line after all phones have rung is not left with silence.
    let is_waiting = rung.is_some() && !was_answered && outcome != "canceled";
    Ok(Xml(if is_waiting { sorry(&profile.org.name) } else { Response::new() }))
}
