//! A number of the account that has no business yet: an owner whom the operator trusts takes it over.

use axum::extract::State;
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::sending_number::{
            self, list,
            order::{self, number_webhooks},
            pool,
        },
        tenancy::{audit::AuditAction, org, trust_level::usage},
    },
    platform::db::tenant_scope::across_tenants,
    providers::sms::{AccountNumber, SmsSender},
};
use utoipa::ToSchema;

use super::{
    CANNOT_TEXT, NOT_IN_ACCOUNT, OF_THE_SERVER, SendingNumber, load_sending_number, load_service_pool,
    purchase::{NumberOrderRequest, count_search, lookup_error},
};
use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    maintenance_mode, openapi,
    routes::tenancy::org::record_change,
    state::AppState,
};

/// What Twilio sets at a new number.
const TWILIO_SAMPLE: &str = "https://demo.twilio.com/";

/// A number of the account without a business.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnassignedNumber {
    /// E.164.
    number: String,
    /// Whether another program, trunk or application gets its texts or calls. Such a number is not taken over.
    is_used_elsewhere: bool,
}

/// The numbers of the account that a business may take over
///
/// Without those that a business has or had, those of the server, and those of the shared Messaging Service.
#[utoipa::path(get, path = "/api/sending-number/account-numbers", operation_id = "listAccountNumbers", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 200, description = "Numbers without a business", body = [UnassignedNumber]),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooMany,
        openapi::Unavailable))]
pub async fn list_account_numbers(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<UnassignedNumber>>> {
    let member = member.reject_demo()?;
    count_search(&state, &member).await?;
    let listed = state.sms.list_account_numbers(None).await.map_err(|e| lookup_error(&e))?;
    let pooled = match load_service_pool(&state).await {
        Some(pool) => pool.numbers.ok_or(ConflictCode::ServiceNumbersUnread.into_error())?,
        None => Vec::new(),
    };
    let servers = state.settings.sms.sender().and_then(SmsSender::phone_number);
    let held = list::list_held_numbers(&mut across_tenants(state.db()?.acquire_reader()).await?).await?;
    let is_free = |one: &AccountNumber| {
        one.can_text
            && servers != Some(one.number.as_str())
            && !pooled.contains(&one.number)
            && !held.contains(&one.number)
    };
    let free = listed.into_iter().filter(is_free);
    let shown =
        free.map(|one| UnassignedNumber { is_used_elsewhere: is_used_elsewhere(&state, &one), number: one.number });
    Ok(axum::Json(shown.collect()))
}

fn is_used_elsewhere(state: &AppState, one: &AccountNumber) -> bool {
    let is_free =
        |url: &str| url.is_empty() || url.starts_with(TWILIO_SAMPLE) || state.settings.public_url.contains_url(url);
    one.is_routed || !is_free(&one.sms_url) || !is_free(&one.voice_url)
}

/// Takes over a number of the account
///
/// Texts and calls to it come here from then on, and texts of the business leave from it. A number that a business has had
/// is assigned by the operator only. Asks for a confirmed email address and a sign-in that is not older than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/take-over", operation_id = "takeOverNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberOrderRequest,
    responses((status = 200, description = "What the business sends from now", body = SendingNumber), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::TooMany, openapi::Unavailable))]
pub async fn take_over_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wanted): Json<NumberOrderRequest>,
) -> ApiResult<axum::Json<SendingNumber>> {
    member.require_fresh(state.origin.now())?;
    let number = wanted.parse_number()?;
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    count_search(&state, &member).await?;
    let found = find_free_number(&state, &member, number.as_e164()).await?;
    let pool = load_service_pool(&state).await;
    // May be repeated. A number whose texts come here without a business is nobody's, as before.
    let webhooks = number_webhooks(&state.settings.public_url);
    state.sms.set_number_webhooks(&found.sid, &webhooks).await.map_err(|e| lookup_error(&e))?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    member.require_live_session(&mut tx, &state).await?;
    org::lock(&mut tx, member.org()).await?;
    usage::require_proven_address(&mut tx, member.org()).await?;
    let (by, limit) = ((member.org(), member.account()), state.settings.numbers_per_business);
    order::record_takeover(&mut tx, &state.origin, by, &found.number, limit).await?;
    if let Some(pool) = &pool {
        pool::require_unpooled_number(&mut tx, member.org(), &found.number, pool).await?;
    }
    record_change(&mut tx, &state, &who, &member, (AuditAction::NumberAssigned, member.org().0)).await?;
    tx.commit().await?;
    state.notify_committed();
    load_sending_number(&state, &member).await.map(axum::Json)
}

/// The number, where nobody has or had it: checked before Twilio is asked to change it. Errors: 409, 422.
async fn find_free_number(state: &AppState, member: &OrgMember, number: &str) -> ApiResult<AccountNumber> {
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let holder = sending_number::find_holder(&mut conn, number).await?;
    let is_former = sending_number::was_held(&mut conn, number).await?;
    drop(conn);
    if let Some(holder) = holder {
        let is_own = holder.org_id == member.org();
        let code = if is_own { ConflictCode::SendingNumberOwned } else { ConflictCode::SendingNumberTaken };
        return Err(code.into());
    }
    if state.settings.sms.sender().and_then(SmsSender::phone_number) == Some(number) {
        return Err(ApiError::invalid_field("number", OF_THE_SERVER));
    }
    if is_former {
        return Err(ConflictCode::NumberHeldBefore.into());
    }
    let listed = state.sms.list_account_numbers(Some(number)).await.map_err(|e| lookup_error(&e))?;
    match listed.into_iter().next() {
        None => Err(ApiError::invalid_field("number", NOT_IN_ACCOUNT)),
        Some(one) if !one.can_text => Err(ApiError::invalid_field("number", CANNOT_TEXT)),
        Some(one) if is_used_elsewhere(state, &one) => Err(ConflictCode::NumberInUseElsewhere.into()),
        Some(one) => {
            super::check_pool_number(state, member, number).await?;
            Ok(one)
        }
    }
}
