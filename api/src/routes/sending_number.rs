//! Sending numbers: what the business sends from, how its owner proves a number, and what the operator assigns.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::{
        messaging::{
            message::sms_link,
            sending_number::{
                self, AssignedBy,
                claim::{self, Claim, Typed, Way},
            },
        },
        tenancy::{
            audit::{self, Action},
            org,
        },
    },
    platform::{db::tenant_scope::across_businesses, error::Error, id::OrgId, phone::Phone},
    providers::SendError,
};
use utoipa::ToSchema;

use super::org::noted;
use crate::{
    auth::{OrgMember, OrgOffice, OrgOwner},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi::{self, fields},
    state::AppState,
};

pub mod operator;

const NOT_IN_ACCOUNT: &str = "This number is not in the server's account at Twilio, so it cannot send texts. Ask whoever runs this server to add it first.";
const CANNOT_TEXT: &str = "This number cannot send texts at Twilio. Choose another one.";
const OF_THE_SERVER: &str = "This is the server's own number. Whoever runs this server assigns it.";

/// What the business sends texts from.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingNumber {
    /// Why no text leaves, if none does.
    why: Option<&'static str>,
    /// The number it sends from, E.164.
    number: Option<String>,
    assigned_by: Option<AssignedBy>,
    #[schema(value_type = Option<DateTime<Utc>>)]
    assigned_at: Option<DateTime<Utc>>,
    /// Other numbers that are its alone: what comes in there is its own.
    others: Vec<String>,
    /// Whether it shares the server's Messaging Service with other businesses.
    shares_service: bool,
    claim: Option<Claim>,
}

/// What the business sends texts from
#[utoipa::path(get, path = "/api/sending-number", operation_id = "getSendingNumber", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "Its number, or why it has none", body = SendingNumber),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_sending_number(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SendingNumber>> {
    shown(&state, &member).await.map(axum::Json)
}

async fn shown(state: &AppState, member: &OrgMember) -> ApiResult<SendingNumber> {
    let mut conn = state.db()?.read().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let all = sending_number::of(&mut conn, org.id).await?;
    let claim = claim::newest(&mut conn, org.id).await?;
    let now = all.iter().find(|one| Some(&one.sender) == org.sms_number.as_ref());
    let why = match org.has_sender() {
        _ if !state.settings.sms.is_set_up() => Some(sms_link::NOT_SET_UP),
        false => Some(sms_link::NO_NUMBER),
        true => None,
    };
    Ok(SendingNumber {
        why,
        assigned_by: now.map(|one| one.assigned_by),
        assigned_at: now.map(|one| one.assigned_at),
        others: all
            .iter()
            .filter(|one| Some(&one.sender) != org.sms_number.as_ref())
            .map(|one| one.sender.clone())
            .collect(),
        number: org.sms_number,
        shares_service: org.messaging_service.is_some(),
        claim,
    })
}

/// A number that an owner says is theirs.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberClaimRequest {
    #[schema(schema_with = fields::phone)]
    number: String,
    way: Way,
}

/// Claims a number
///
/// A code is texted to it or read to it in a call. Only a number of the server's account at Twilio can be claimed. Asks
/// for a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/claim", operation_id = "claimSendingNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberClaimRequest,
    responses((status = 202, description = "The code is on its way", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn claim_sending_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Json(wanted): Json<NumberClaimRequest>,
) -> ApiResult<(StatusCode, axum::Json<SendingNumber>)> {
    member.is_fresh(state.origin.now())?;
    let number = Phone::parse(&wanted.number).filter(Phone::is_of_a_business);
    let number = number
        .ok_or_else(|| ApiError::field("number", "Please enter a phone number of the United States or Canada"))?;
    let mut tx = state.db()?.begin().await?;
    claim::count(&mut tx, &state.origin, &state.settings.secret, member.org(), &number).await?;
    tx.commit().await?;
    may_be_claimed(&state, &member, &number, wanted.way).await?;
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    let by = (member.org(), member.account());
    claim::begin(&mut tx, &state.origin, by, &number, wanted.way).await?;
    noted(&mut tx, &state, &who, &member, (Action::NumberClaimed, member.org().0)).await?;
    tx.commit().await?;
    state.wake();
    Ok((StatusCode::ACCEPTED, axum::Json(shown(&state, &member).await?)))
}

/// Whether this number can be theirs: nobody's so far, and one that this server can send from.
async fn may_be_claimed(state: &AppState, member: &OrgMember, number: &Phone, way: Way) -> ApiResult<()> {
    let sms = &state.settings.sms;
    if !sms.is_set_up() {
        return Err(Error::Conflict("SMS is not set up on this server yet.").into());
    }
    if way == Way::Call && sms.service().is_some() {
        return Err(Error::Conflict("This server cannot place calls. Choose a text.").into());
    }
    let held = sending_number::holder(&mut across_businesses(state.db()?.read()).await?, number.as_e164()).await?;
    match held {
        Some(held) if held.org_id == member.org() => {
            return Err(Error::Conflict("This number is your business's already.").into());
        }
        Some(_) => return Err(ApiError::field("number", claim::TAKEN)),
        None if sms.sender().and_then(|sender| sender.number()) == Some(number.as_e164()) => {
            return Err(ApiError::field("number", OF_THE_SERVER));
        }
        None => {}
    }
    let found = state.sms.account_numbers(Some(number.as_e164())).await.map_err(|e| not_told(&e))?;
    match found.first() {
        None => Err(ApiError::field("number", NOT_IN_ACCOUNT)),
        Some(one) if !one.can_text => Err(ApiError::field("number", CANNOT_TEXT)),
        Some(_) => Ok(()),
    }
}

fn not_told(error: &SendError) -> ApiError {
    tracing::warn!(%error, "Twilio's list of numbers could not be read");
    ApiError::unavailable("Twilio's list of numbers could not be read. Please try again.")
}

/// The code that was received.
#[derive(Deserialize, ToSchema)]
pub struct NumberCode {
    #[schema(pattern = "^[0-9]{6}$")]
    code: String,
}

/// Proves a claimed number by its code
///
/// Five guesses, ten minutes. From then on the business sends from it.
#[utoipa::path(post, path = "/api/sending-number/confirm", operation_id = "confirmSendingNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberCode,
    responses((status = 200, description = "The number is the business's", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn confirm_sending_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Json(typed): Json<NumberCode>,
) -> ApiResult<axum::Json<SendingNumber>> {
    if typed.code.len() > 20 {
        return Err(ApiError::field("code", "This is not the code."));
    }
    let mut tx = across_businesses(state.db()?.begin()).await?;
    org::lock(&mut tx, member.org()).await?;
    let by = (member.org(), member.account());
    let outcome = claim::confirm(&mut tx, &state.origin, &state.settings.secret, by, &typed.code).await?;
    if outcome == Typed::Right {
        noted(&mut tx, &state, &who, &member, (Action::NumberAssigned, member.org().0)).await?;
    }
    tx.commit().await?;
    state.wake();
    match outcome {
        Typed::Right => Ok(axum::Json(shown(&state, &member).await?)),
        Typed::Wrong(1) => Err(ApiError::field("code", "This is not the code. You have 1 try left.")),
        Typed::Wrong(0) => Err(ApiError::field("code", "This is not the code. Ask for a new one.")),
        Typed::Wrong(left) => {
            Err(ApiError::field("code", format!("This is not the code. You have {left} tries left.")))
        }
    }
}

/// A number that an owner gives up.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberGivenUp {
    #[schema(schema_with = fields::phone)]
    number: String,
}

/// Gives up a number
///
/// Texts leave from the business's next number, if it has one; calls and texts to the number that is given up are nobody's
/// until the operator assigns it. Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/give-up", operation_id = "giveUpSendingNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberGivenUp,
    responses((status = 200, description = "What the business sends from now", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn give_up_sending_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: Who,
    Json(wanted): Json<NumberGivenUp>,
) -> ApiResult<axum::Json<SendingNumber>> {
    member.is_fresh(state.origin.now())?;
    // The server's own may be a short code.
    let parsed = Phone::parse(&wanted.number).map(|phone| phone.as_e164().to_owned());
    let number = parsed.unwrap_or(wanted.number);
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    if !sending_number::give_up(&mut tx, &state.origin, member.org(), &number).await? {
        return Err(ApiError::field("number", "This is not one of your numbers."));
    }
    noted(&mut tx, &state, &who, &member, (Action::NumberGivenUp, member.org().0)).await?;
    tx.commit().await?;
    state.wake();
    shown(&state, &member).await.map(axum::Json)
}

/// Notes in the log of a business what was done about its number.
fn written(
    tx: &mut shared::platform::db::Tx,
    state: &AppState,
    (who, member): (&Who, &OrgMember),
    org: OrgId,
    action: Action,
) {
    audit::note(tx, &state.origin, &who.actor(member), org, action, Some(org.0));
}
