//! Calls: ringing phones, acceptance, outcome. A machine can pick up, so the call is connected only after a 1 is
//! pressed.

use axum::{extract::State, http::Uri};
use shared::{
    domain::{
        messaging::phone_call::{self, CallRouting, EndedCall, IncomingCall},
        tenancy::provider_callbacks::CallbackEndpoint,
    },
    providers::twiml::{Dial, DialNumber, Gather, Say, TwimlResponse},
};

use super::{InboundSource, SignedForm, TwimlBody, find_profile, with_outcome_recorded};
use crate::{
    error::{ApiError, ApiResult},
    extract::QueryParams,
    openapi,
    state::AppState,
};

/// Seconds to press 1 before the call counts as not taken.
const TO_PRESS: u16 = 7;
/// Longest call id that is read back from our own address.
const MAX_ID: usize = 64;

/// Answer a call
///
/// Twilio's webhook for calls that come in. Rings the phones of the business together; each is asked for a 1.
#[utoipa::path(post, path = "/webhooks/twilio/voice", operation_id = "twilioCall", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn handle_inbound_call(State(state): State<AppState>, posted: SignedForm) -> ApiResult<TwimlBody> {
    with_outcome_recorded(&state, CallbackEndpoint::Calls, &posted, answer_call(&state, &posted)).await
}

async fn answer_call(state: &AppState, posted: &SignedForm) -> ApiResult<TwimlBody> {
    let (id, to) = (posted.require_field("CallSid")?, posted.require_field("To")?);
    let from = posted.get_field("From").unwrap_or_default();
    let Some(profile) =
        find_profile(state, posted, InboundSource { from: &from, to: &to, call: Some(&id), text: None, words: None })
            .await?
    else {
        // An error would be played to the caller as a fault; a rejected call costs the caller nothing.
        return Ok(TwimlBody(TwimlResponse::new().reject(None)));
    };
    let mut tx = state.db()?.begin().await?;
    let ringing = IncomingCall { provider_id: &id, from: &from, to: &to };
    let plan = phone_call::process_incoming_call(&mut tx, &state.org_context(&profile), &ringing).await?;
    if matches!(plan, CallRouting::Sorry { .. }) {
        // No phone rings, so the call is missed now: a later report of its end depends on the setup of the number.
        let ended = EndedCall { provider_id: &id, from: &from, to: &to, outcome: "no-answer", when: None };
        phone_call::process_ended_call(&mut tx, &state.org_context(&profile), &ended).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok(TwimlBody(match plan {
        CallRouting::Ring { phones, seconds, .. } => {
            TwimlResponse::new().dial(build_dial(state, &ringing, &phones, seconds))
        }
        CallRouting::Sorry { business } => unavailable_response(&business),
    }))
}

fn build_dial(state: &AppState, ringing: &IncomingCall<'_>, phones: &[String], seconds: i64) -> Dial {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    // A callback for a rung phone names only that phone, so the call id and the called number are passed along.
    query.append_pair("call", ringing.provider_id).append_pair("to", ringing.to);
    let whisper = state.settings.public_url.join(&format!("/webhooks/twilio/voice/whisper?{}", query.finish()));
    let numbers = phones.iter().map(|phone| DialNumber {
        number: phone.clone(),
        url: Some(whisper.clone()),
        ..DialNumber::default()
    });
    Dial {
        timeout: u16::try_from(seconds).ok(),
        action: Some(state.settings.public_url.join("/webhooks/twilio/voice/status")),
        // The caller hears ringing, not silence, until 1 is pressed.
        answer_on_bridge: true,
        numbers: numbers.collect(),
        ..Dial::default()
    }
}

fn unavailable_response(business: &str) -> TwimlResponse {
    let words = format!("Thanks for calling {business}. No one can take your call right now. We will get back to you.");
    TwimlResponse::new().say(Say { text: words, ..Say::default() }).hangup()
}

/// Ask the person who picked up
///
/// Spoken to the phone that picked up, before the caller is connected.
#[utoipa::path(post, path = "/webhooks/twilio/voice/whisper", operation_id = "twilioCallWhisper", tag = "webhooks",
    params(("call" = String, Query, description = "The caller's call"),
        ("to" = String, Query, description = "The number that was called")),
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn handle_whisper(
    State(state): State<AppState>,
    uri: Uri,
    query: QueryParams,
    posted: SignedForm,
) -> ApiResult<TwimlBody> {
    with_outcome_recorded(&state, CallbackEndpoint::Calls, &posted, build_whisper(&state, &uri, &query, &posted)).await
}

async fn build_whisper(state: &AppState, uri: &Uri, query: &QueryParams, posted: &SignedForm) -> ApiResult<TwimlBody> {
    let (id, to) = parse_parent_call(query, posted)?;
    let from = posted.get_field("From").unwrap_or_default();
    let Some(profile) =
        find_profile(state, posted, InboundSource { from: &from, to: &to, call: Some(&id), text: None, words: None })
            .await?
    else {
        return Ok(TwimlBody(TwimlResponse::new().hangup()));
    };
    let accept = format!("/webhooks/twilio/voice/accept?{}", uri.query().unwrap_or_default());
    let words = format!("A customer is calling {}. Press 1 to take the call.", profile.org.name);
    let gather = Gather {
        digits: 1,
        action: state.settings.public_url.join(&accept),
        timeout: Some(TO_PRESS),
        prompts: vec![Say { text: words, ..Say::default() }],
    };
    // No key pressed: a machine, or nobody free.
    Ok(TwimlBody(TwimlResponse::new().gather(gather).hangup()))
}

/// The caller's call id and the called number, from a rung phone's request.
fn parse_parent_call(query: &QueryParams, posted: &SignedForm) -> ApiResult<(String, String)> {
    let call = query.parse_text("call", MAX_ID)?.or_else(|| posted.get_field("ParentCallSid"));
    let call = call.ok_or_else(|| ApiError::invalid_field("call", "This is missing"))?;
    let to = query.parse_text("to", MAX_ID)?.ok_or_else(|| ApiError::invalid_field("to", "This is missing"))?;
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
pub async fn handle_call_accept(
    State(state): State<AppState>,
    query: QueryParams,
    posted: SignedForm,
) -> ApiResult<TwimlBody> {
    with_outcome_recorded(&state, CallbackEndpoint::Calls, &posted, accept_call(&state, &query, &posted)).await
}

async fn accept_call(state: &AppState, query: &QueryParams, posted: &SignedForm) -> ApiResult<TwimlBody> {
    let (id, to) = parse_parent_call(query, posted)?;
    if posted.get_field("Digits").as_deref() != Some("1") {
        return Ok(TwimlBody(TwimlResponse::new().hangup()));
    }
    let from = posted.get_field("From").unwrap_or_default();
    let came = InboundSource { from: &from, to: &to, call: Some(&id), text: None, words: None };
    let Some(profile) = find_profile(state, posted, came).await? else {
        return Ok(TwimlBody(TwimlResponse::new().hangup()));
    };
    let mut tx = state.db()?.begin().await?;
    let ringing = IncomingCall { provider_id: &id, from: &from, to: &to };
    phone_call::record_answered_call(&mut tx, &state.org_context(&profile), &ringing).await?;
    tx.commit().await?;
    state.notify_committed();
    // An ended document connects the two.
    Ok(TwimlBody(TwimlResponse::new()))
}

/// Take the end of a call
///
/// Both the outcome of the ringing and the end of the whole call come here; whichever is first decides.
#[utoipa::path(post, path = "/webhooks/twilio/voice/status", operation_id = "twilioCallStatus", tag = "webhooks",
    request_body(content = String, content_type = "application/x-www-form-urlencoded"),
    responses((status = 200, description = "What Twilio is to do", body = String, content_type = "text/xml"),
        openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn handle_call_status(State(state): State<AppState>, posted: SignedForm) -> ApiResult<TwimlBody> {
    with_outcome_recorded(&state, CallbackEndpoint::Calls, &posted, finish_call(&state, &posted)).await
}

async fn finish_call(state: &AppState, posted: &SignedForm) -> ApiResult<TwimlBody> {
    let (id, to) = (posted.require_field("CallSid")?, posted.require_field("To")?);
    let (from, rung) = (posted.get_field("From").unwrap_or_default(), posted.get_field("DialCallStatus"));
    let outcome = match &rung {
        Some(outcome) => outcome.clone(),
        None => posted.require_field("CallStatus")?,
    };
    if !phone_call::is_final_status(&outcome) {
        return Ok(TwimlBody(TwimlResponse::new()));
    }
    let came = InboundSource { from: &from, to: &to, call: Some(&id), text: None, words: None };
    let Some(profile) = find_profile(state, posted, came).await? else { return Ok(TwimlBody(TwimlResponse::new())) };
    let ended = EndedCall { provider_id: &id, from: &from, to: &to, outcome: &outcome, when: None };
    let mut tx = state.db()?.begin().await?;
    let was_answered = phone_call::process_ended_call(&mut tx, &state.org_context(&profile), &ended).await?;
    tx.commit().await?;
    state.notify_committed();
    // A caller who is still on the line after all phones have rung must hear something.
    let is_waiting = rung.is_some() && !was_answered && outcome != "canceled";
    Ok(TwimlBody(if is_waiting { unavailable_response(&profile.org.name) } else { TwimlResponse::new() }))
}
