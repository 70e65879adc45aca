//! Operator's view: the numbers of the Twilio account and their businesses.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::sending_number::{
            self, NumberAssignedBy,
            list::{self, OwnedSender},
            notice::{self, SenderNoticeContext},
            pool,
        },
        tenancy::{audit::AuditAction, org},
    },
    platform::{
        db::tenant_scope::across_tenants,
        id::{DEMO_ORG, OrgId},
        phone::Phone,
    },
    providers::sms::SmsSender,
};
use utoipa::ToSchema;

use super::record_number_change;
use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Json, PathWord},
    openapi,
    state::AppState,
};

/// A number, and whose it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignedNumber {
    /// E.164.
    number: String,
    /// What it is called at Twilio.
    name: String,
    /// Whether Twilio lists it in the account now; null when the list could not be read.
    in_account: Option<bool>,
    can_text: Option<bool>,
    /// Whether it is `TWILIO_FROM`.
    is_servers: bool,
    business: Option<NumberBusiness>,
    assigned_by: Option<NumberAssignedBy>,
    #[schema(value_type = Option<DateTime<Utc>>)]
    assigned_at: Option<DateTime<Utc>>,
}

/// A business of this server.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberBusiness {
    id: OrgId,
    name: String,
    slug: String,
    /// What it sends from; null when it sends no texts.
    sends_from: Option<String>,
    shares_service: bool,
}

/// The numbers of the account and the businesses of the server.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SendingNumbers {
    /// Why Twilio's list could not be read.
    fault: Option<String>,
    numbers: Vec<AssignedNumber>,
    businesses: Vec<NumberBusiness>,
    /// The server's Messaging Service, if it sends by one.
    service: Option<String>,
}

fn require_operator(member: OrgMember, state: &AppState) -> ApiResult<OrgMember> {
    let member = member.reject_demo()?;
    if !state.is_operator(&member.session) {
        return Err(ApiError::new(ErrorCode::Forbidden, "This is for the operator of this install."));
    }
    Ok(member)
}

/// The numbers of the account at Twilio, and whose each is: for the install's operator
#[utoipa::path(get, path = "/api/admin/sending-numbers", operation_id = "listSendingNumbers", tag = "settings",
    security(("session" = ["operator"])),
    responses((status = 200, description = "All numbers and businesses", body = SendingNumbers),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_sending_numbers(
    member: OrgMember,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<SendingNumbers>> {
    require_operator(member, &state)?;
    load_sending_numbers(&state).await.map(axum::Json)
}

async fn load_sending_numbers(state: &AppState) -> ApiResult<SendingNumbers> {
    // No connection is held while Twilio is asked.
    let (listed, fault) = match state.sms.list_account_numbers(None).await {
        Ok(listed) => (Some(listed), None),
        Err(e) => (None, Some(e.reason().to_owned())),
    };
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let (owned, businesses) =
        (list::list_owned_numbers(&mut conn).await?, list::list_sending_businesses(&mut conn).await?);
    let businesses: Vec<NumberBusiness> = businesses
        .into_iter()
        .map(|one| NumberBusiness {
            id: one.id,
            sends_from: one.sms_number,
            shares_service: one.messaging_service.is_some(),
            name: one.name,
            slug: one.slug,
        })
        .collect();
    let servers = state.settings.sms.sender().and_then(SmsSender::phone_number);
    let listed = listed.unwrap_or_default();
    let shown = |number: &str, own: Option<&OwnedSender>| {
        let at_twilio = listed.iter().find(|one| one.number == number);
        AssignedNumber {
            number: number.to_owned(),
            name: at_twilio.map(|one| one.name.clone()).unwrap_or_default(),
            in_account: fault.is_none().then_some(at_twilio.is_some()),
            can_text: at_twilio.map(|one| one.can_text),
            is_servers: servers == Some(number),
            business: own.and_then(|own| businesses.iter().find(|one| one.id == own.org_id).cloned()),
            assigned_by: own.map(|own| own.assigned_by),
            assigned_at: own.map(|own| own.assigned_at),
        }
    };
    let mut numbers: Vec<AssignedNumber> =
        listed.iter().map(|one| shown(&one.number, owned.iter().find(|own| own.sender == one.number))).collect();
    let elsewhere = owned.iter().filter(|own| !listed.iter().any(|one| one.number == own.sender));
    numbers.extend(elsewhere.map(|own| shown(&own.sender, Some(own))));
    let service = state.settings.sms.service_sid().map(ToOwned::to_owned);
    Ok(SendingNumbers { fault, numbers, businesses, service })
}

/// Whose a number is to be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberAssignment {
    /// The business; null takes the number away.
    #[schema(required = true)]
    org_id: Option<OrgId>,
}

/// Gives a number to a business, or takes it away: for the install's operator
///
/// The former holder sends no more texts from it. Only a number of the account at Twilio that can text is given, and no
/// number of the shared Messaging Service. Asks for a sign-in that is not older than 15 minutes.
#[utoipa::path(put, path = "/api/admin/sending-numbers/{number}", operation_id = "assignSendingNumber", tag = "settings",
    security(("session" = ["operator"])), request_body = NumberAssignment,
    params(("number" = String, Path, min_length = 1, description = "The number in E.164")),
    responses((status = 200, description = "All numbers as they are now", body = SendingNumbers), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn assign_sending_number(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    PathWord(number): PathWord,
    Json(wanted): Json<NumberAssignment>,
) -> ApiResult<axum::Json<SendingNumbers>> {
    let member = require_operator(member, &state)?;
    member.require_fresh(state.origin.now())?;
    // `TWILIO_FROM` may be a short code, which is in no list.
    let is_servers = state.settings.sms.sender().and_then(SmsSender::phone_number) == Some(number.as_str());
    let parsed = Phone::parse(&number).filter(|_| !is_servers).map(|phone| phone.as_e164().to_owned());
    let number = parsed.unwrap_or(number);
    let number = number.as_str();
    if wanted.org_id.is_some() && !is_servers {
        require_textable_number(&state, number).await?;
    }
    let pool = if wanted.org_id.is_some() { super::load_service_pool(&state).await } else { None };
    let mut tx = across_tenants(state.db()?.begin()).await?;
    let holder = sending_number::find_holder(&mut tx, number).await?.map(|holder| holder.org_id);
    let concerned: Vec<OrgId> =
        wanted.org_id.into_iter().chain(holder.filter(|holder| Some(*holder) != wanted.org_id)).collect();
    let senders = notice::load_senders(&mut tx, &concerned).await?;
    let before = match wanted.org_id {
        Some(org) => {
            // Before the locks, as at a registration.
            if is_servers {
                sending_number::mark_install_sender_given(&mut tx, &state.origin, number).await?;
            }
            lock_business(&mut tx, org).await?;
            let by = (NumberAssignedBy::Operator, Some(member.account()));
            let before = sending_number::assign_number(&mut tx, &state.origin, org, number, by).await?;
            if let Some(pool) = &pool {
                pool::require_unpooled_number(&mut tx, org, number, pool).await?;
            }
            record_number_change(&mut tx, &state, (&who, &member), org, AuditAction::NumberAssigned);
            before
        }
        None => sending_number::release_number(&mut tx, &state.origin, number).await?,
    };
    if let Some(before) = before {
        record_number_change(&mut tx, &state, (&who, &member), before, AuditAction::NumberTakenAway);
    }
    notice::notify_changed_senders(&mut tx, &state.origin, notice_context(&state), &senders).await?;
    tx.commit().await?;
    state.notify_committed();
    load_sending_numbers(&state).await.map(axum::Json)
}

async fn require_textable_number(state: &AppState, number: &str) -> ApiResult<()> {
    let found = state.sms.list_account_numbers(Some(number)).await.map_err(|e| super::provider_list_error(&e))?;
    if found.first().is_some_and(|one| one.can_text) {
        return Ok(());
    }
    Err(ApiError::invalid_field("number", "This number is not in the account at Twilio, or cannot send texts."))
}

/// Whether a business may send by the server's Messaging Service.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceShare {
    org_id: OrgId,
    shares: bool,
}

/// Lets a business share the server's Messaging Service, or ends that: for the install's operator
///
/// Answers go to the business that last wrote to that person by it, and a STOP stops all that share it. Asks for a
/// sign-in that is not older than 15 minutes.
#[utoipa::path(put, path = "/api/admin/sending-service", operation_id = "shareSendingService", tag = "settings",
    security(("session" = ["operator"])), request_body = ServiceShare,
    responses((status = 200, description = "All numbers and businesses as they are now", body = SendingNumbers),
        openapi::BadRequest, openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict,
        openapi::TooLarge, openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn share_sending_service(
    member: OrgMember,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wanted): Json<ServiceShare>,
) -> ApiResult<axum::Json<SendingNumbers>> {
    let member = require_operator(member, &state)?;
    member.require_fresh(state.origin.now())?;
    let service = state.settings.sms.service_sid();
    let service = service.ok_or(ConflictCode::NoMessagingService.into_error())?;
    let pool = if wanted.shares { super::load_service_pool(&state).await } else { None };
    let mut tx = across_tenants(state.db()?.begin()).await?;
    lock_business(&mut tx, wanted.org_id).await?;
    let senders = notice::load_senders(&mut tx, &[wanted.org_id]).await?;
    let by = (NumberAssignedBy::Operator, Some(member.account()));
    let action = if wanted.shares {
        sending_number::share_service(&mut tx, &state.origin, wanted.org_id, service, by).await?;
        if let Some(pool) = &pool {
            pool::require_unassigned_pool(&mut tx, pool).await?;
        }
        Some(AuditAction::NumberAssigned)
    } else {
        let ended = sending_number::unshare_service(&mut tx, &state.origin, wanted.org_id, service).await?;
        ended.then_some(AuditAction::NumberTakenAway)
    };
    if let Some(action) = action {
        record_number_change(&mut tx, &state, (&who, &member), wanted.org_id, action);
    }
    notice::notify_changed_senders(&mut tx, &state.origin, notice_context(&state), &senders).await?;
    tx.commit().await?;
    state.notify_committed();
    load_sending_numbers(&state).await.map(axum::Json)
}

fn notice_context(state: &AppState) -> SenderNoticeContext {
    let numbers_per_business = state.settings.numbers_per_business;
    SenderNoticeContext { set_up: state.send_channels(), numbers_per_business }
}

/// Locks a business that may get a number until the transaction ends.
async fn lock_business(tx: &mut shared::platform::db::Tx, id: OrgId) -> ApiResult<()> {
    if id == DEMO_ORG {
        return Err(ApiError::invalid_field("orgId", "The demonstration sends nothing."));
    }
    Ok(org::lock(tx, id).await?)
}
