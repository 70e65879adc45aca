//! Sending numbers: list, verification by the owner, and assignment by the operator.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::{
            message::sms_link,
            sending_number::{
                self, NumberAssignedBy,
                claim::{self, CodeCheckResult, NumberClaim, NumberClaimMethod},
                pool::{self, ServicePool},
            },
        },
        tenancy::{
            audit::{self, AuditAction},
            org,
            trust_level::usage,
        },
    },
    platform::{db::tenant_scope::across_tenants, id::OrgId, phone::Phone},
    providers::SendError,
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOffice, OrgOwner},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    openapi::{self, fields},
    routes::tenancy::org::record_change,
    state::AppState,
};

pub mod operator;
pub mod purchase;
pub mod takeover;

const NOT_IN_ACCOUNT: &str = "This number is not in your Toolbox's account at Twilio, so it cannot send texts. Ask the person who runs your Toolbox to add it first.";
const CANNOT_TEXT: &str = "This number cannot send texts at Twilio. Choose another one.";
const OF_THE_SERVER: &str = "This number belongs to the whole Toolbox. The person who runs your Toolbox assigns it.";

/// What the business sends texts from.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingNumber {
    /// Whether the operator has set up texting. No number can be had or proven before.
    is_set_up: bool,
    /// Why no text leaves, if none does.
    why: Option<&'static str>,
    /// The number it sends from, E.164.
    number: Option<String>,
    assigned_by: Option<NumberAssignedBy>,
    #[schema(value_type = Option<DateTime<Utc>>)]
    assigned_at: Option<DateTime<Utc>>,
    /// Other numbers that are its alone: what comes in there is its own.
    others: Vec<String>,
    /// Whether it shares the server's Messaging Service with other businesses.
    shares_service: bool,
    /// Texts to customers of the last two weeks that a pending registration stopped and that still can be sent again:
    /// the customer has got nothing since.
    unsent_texts: i64,
    claim: Option<NumberClaim>,
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
    load_sending_number(&state, &member).await.map(axum::Json)
}

async fn load_sending_number(state: &AppState, member: &OrgMember) -> ApiResult<SendingNumber> {
    let mut conn = state.db()?.acquire_reader().await?;
    let org = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    let all = sending_number::list_senders_of_org(&mut conn, org.id).await?;
    let claim = claim::find_newest_claim(&mut conn, org.id).await?;
    let unsent_texts = if org.has_sender() {
        sms_link::count_unregistered_texts(&mut conn, org.id, state.origin.now()).await?
    } else {
        0
    };
    let now = all.iter().find(|one| Some(&one.sender) == org.sms_number.as_ref());
    let is_set_up = state.settings.sms.is_set_up();
    let why = match org.has_sender() {
        _ if !is_set_up => Some(sms_link::NOT_SET_UP),
        false => Some(sms_link::NO_NUMBER),
        true => None,
    };
    Ok(SendingNumber {
        is_set_up,
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
        unsent_texts,
        claim,
    })
}

/// A number claimed by an owner.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberClaimRequest {
    #[schema(schema_with = fields::phone_number)]
    number: String,
    way: NumberClaimMethod,
}

/// Claims a number
///
/// A code is texted to it or read to it in a call. Only a number of the server's account at Twilio can be claimed. Asks
/// for a confirmed email address and a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/claim", operation_id = "claimSendingNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberClaimRequest,
    responses((status = 202, description = "The code is on its way", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn claim_sending_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wanted): Json<NumberClaimRequest>,
) -> ApiResult<(StatusCode, axum::Json<SendingNumber>)> {
    member.require_fresh(state.origin.now())?;
    let number = Phone::parse(&wanted.number).filter(Phone::is_business_line);
    let number = number.ok_or_else(|| {
        ApiError::invalid_field("number", "Please enter a phone number of the United States or Canada")
    })?;
    let mut tx = state.db()?.begin().await?;
    usage::require_proven_address(&mut tx, member.org()).await?;
    claim::count_claim_attempt(&mut tx, &state.origin, &state.settings.secret, member.org()).await?;
    tx.commit().await?;
    check_claimable(&state, &member, &number, wanted.way).await?;
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    claim::count_code_request(&mut tx, &state.origin, &state.settings.secret, member.org(), &number).await?;
    let by = (member.org(), member.account());
    claim::create_claim(&mut tx, &state.origin, by, &number, wanted.way).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::NumberClaimed, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(load_sending_number(&state, &member).await?)))
}

/// Whether the number is unclaimed and this server can send from it.
async fn check_claimable(
    state: &AppState,
    member: &OrgMember,
    number: &Phone,
    way: NumberClaimMethod,
) -> ApiResult<()> {
    let sms = &state.settings.sms;
    if !sms.is_set_up() {
        return Err(ConflictCode::SmsNotOnServer.into());
    }
    if way == NumberClaimMethod::Call && sms.service_sid().is_some() {
        return Err(ConflictCode::CallsNotOnServer.into());
    }
    let held =
        sending_number::find_holder(&mut across_tenants(state.db()?.acquire_reader()).await?, number.as_e164()).await?;
    match held {
        Some(held) if held.org_id == member.org() => {
            return Err(ConflictCode::SendingNumberOwned.into());
        }
        Some(_) => return Err(ApiError::invalid_field("number", ConflictCode::SendingNumberTaken.english_text())),
        None if sms.sender().and_then(|sender| sender.phone_number()) == Some(number.as_e164()) => {
            return Err(ApiError::invalid_field("number", OF_THE_SERVER));
        }
        None => {}
    }
    let found = state.sms.list_account_numbers(Some(number.as_e164())).await.map_err(|e| provider_list_error(&e))?;
    match found.first() {
        None => Err(ApiError::invalid_field("number", NOT_IN_ACCOUNT)),
        Some(one) if !one.can_text => Err(ApiError::invalid_field("number", CANNOT_TEXT)),
        Some(_) => check_pool_number(state, member, number.as_e164()).await,
    }
}

async fn check_pool_number(state: &AppState, member: &OrgMember, number: &str) -> ApiResult<()> {
    let Some(pool) = load_service_pool(state).await else { return Ok(()) };
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    Ok(pool::check_number_unpooled(&mut conn, member.org(), number, &pool).await?)
}

/// Sender pool of the server's Messaging Service; none without a service. Read before a transaction opens.
async fn load_service_pool(state: &AppState) -> Option<ServicePool<'_>> {
    let service = state.settings.sms.service_sid()?;
    let numbers = state.sms.list_service_numbers(service).await;
    if let Err(error) = &numbers {
        tracing::warn!(%error, "Twilio's list of the Messaging Service's numbers could not be read");
    }
    Some(ServicePool { service, numbers: numbers.ok() })
}

fn provider_list_error(error: &SendError) -> ApiError {
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
    who: RequestContext,
    Json(typed): Json<NumberCode>,
) -> ApiResult<axum::Json<SendingNumber>> {
    if typed.code.len() > 20 {
        return Err(ApiError::invalid_field("code", "This is not the code."));
    }
    let pool = load_pool_for_claim(&state, &member).await?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    org::lock(&mut tx, member.org()).await?;
    let by = (member.org(), member.account());
    let outcome = claim::confirm_code(&mut tx, &state.origin, &state.settings.secret, by, &typed.code).await?;
    if outcome == CodeCheckResult::Right {
        if let Some((number, pool)) = &pool {
            pool::require_unpooled_number(&mut tx, member.org(), number, pool).await?;
        }
        record_change(&mut tx, &state, &who, &member, (AuditAction::NumberAssigned, member.org().0)).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    match outcome {
        CodeCheckResult::Right => Ok(axum::Json(load_sending_number(&state, &member).await?)),
        CodeCheckResult::Wrong(1) => Err(ApiError::invalid_field("code", "This is not the code. You have 1 try left.")),
        CodeCheckResult::Wrong(0) => Err(ApiError::invalid_field("code", "This is not the code. Ask for a new one.")),
        CodeCheckResult::Wrong(left) => {
            Err(ApiError::invalid_field("code", format!("This is not the code. You have {left} tries left.")))
        }
    }
}

/// The number of the open claim with the pool; without an open claim Twilio is not asked, and no code is right.
async fn load_pool_for_claim<'a>(
    state: &'a AppState,
    member: &OrgMember,
) -> ApiResult<Option<(String, ServicePool<'a>)>> {
    let claim = claim::find_newest_claim(&mut state.db()?.acquire_reader().await?, member.org()).await?;
    let open = claim.filter(|claim| claim.is_open(state.origin.now()));
    let Some(claim) = open else { return Ok(None) };
    Ok(load_service_pool(state).await.map(|pool| (claim.number, pool)))
}

/// A number that an owner gives up.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NumberGivenUp)]
pub struct ReleasedNumber {
    #[schema(schema_with = fields::phone_number)]
    number: String,
}

/// Gives up a number
///
/// Texts leave from the business's next number, if it has one. The released number is no business's until the operator
/// assigns it or a code proves it. Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/give-up", operation_id = "giveUpSendingNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = ReleasedNumber,
    responses((status = 200, description = "What the business sends from now", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn release_sending_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wanted): Json<ReleasedNumber>,
) -> ApiResult<axum::Json<SendingNumber>> {
    member.require_fresh(state.origin.now())?;
    // The server's own number may be a short code.
    let parsed = Phone::parse(&wanted.number).map(|phone| phone.as_e164().to_owned());
    let number = parsed.unwrap_or(wanted.number);
    let mut tx = state.db()?.begin().await?;
    org::lock(&mut tx, member.org()).await?;
    if !sending_number::give_up_number(&mut tx, &state.origin, member.org(), &number).await? {
        return Err(ApiError::invalid_field("number", "This is not one of your numbers."));
    }
    record_change(&mut tx, &state, &who, &member, (AuditAction::NumberGivenUp, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    load_sending_number(&state, &member).await.map(axum::Json)
}

fn record_number_change(
    tx: &mut shared::platform::db::Tx,
    state: &AppState,
    (who, member): (&RequestContext, &OrgMember),
    org: OrgId,
    action: AuditAction,
) {
    audit::emit_event(tx, &state.origin, &who.actor_for(member), org, action, Some(org.0));
}
