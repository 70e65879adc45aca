//! Purchase of a number by an owner: what may be bought, the search, and the order. A worker buys it.

use axum::{extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::ConflictCode,
    domain::{
        messaging::sending_number::{
            self,
            order::{self, NumberOrder},
        },
        tenancy::{audit::AuditAction, org, trust_level::usage},
    },
    platform::{
        contact_hours,
        db::{AsConn, tenant_scope::across_tenants},
        money::Micros,
        phone::Phone,
        throttle::{self, WindowLimit},
    },
    providers::{
        SendError,
        sms::{AvailableNumber, NumberSearch},
    },
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOwner},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::{Json, QueryParams},
    maintenance_mode,
    openapi::{self, fields},
    routes::tenancy::org::record_change,
    state::AppState,
};

/// Searches and lists of a business: each asks Twilio.
const SEARCHES: WindowLimit = WindowLimit::per_hour(60);
/// States of an area code that are searched.
const MOST_STATES: usize = 2;

/// What the business may get, and its newest order.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberOffer {
    /// Why it may get no number now.
    why: Option<&'static str>,
    /// Numbers that it may get.
    limit: i64,
    /// Numbers that it has got here, also those it gave up since.
    obtained: i64,
    order: Option<NumberOrder>,
}

/// Whether a local or a toll-free number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumberType {
    Local,
    TollFree,
}

/// A number that can be bought.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberForSale {
    /// E.164.
    number: String,
    /// The town.
    locality: Option<String>,
    /// The state, in two letters.
    region: Option<String>,
}

/// Numbers that can be bought.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumbersForSale {
    /// US dollars a month for each; null when the price could not be read.
    monthly_price: Option<Micros>,
    /// Whether they are of other area codes, because this one has none.
    is_nearby: bool,
    numbers: Vec<NumberForSale>,
}

/// What the business may buy, and its newest order
#[utoipa::path(get, path = "/api/sending-number/offer", operation_id = "getNumberOffer", tag = "settings",
    security(("session" = ["owner"])),
    responses((status = 200, description = "What it may get", body = NumberOffer),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_number_offer(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<NumberOffer>> {
    load_offer(&state, &member).await.map(axum::Json)
}

async fn load_offer(state: &AppState, member: &OrgMember) -> ApiResult<NumberOffer> {
    let mut conn = state.db()?.acquire_reader().await?;
    let limit = state.settings.numbers_per_business;
    let allowance = order::load_allowance(&mut conn, member.org(), limit).await?;
    let newest = order::find_newest_order(&mut conn, member.org()).await?;
    let is_set_up = state.settings.sms.is_set_up();
    let why = if is_set_up { allowance.refusal_code() } else { Some(ConflictCode::SmsNotOnServer) };
    Ok(NumberOffer {
        why: why.map(ConflictCode::english_text),
        limit: allowance.limit,
        obtained: allowance.obtained,
        order: newest,
    })
}

/// Errors: 409 when the business may get no number.
pub(super) async fn require_allowance(state: &AppState, conn: &mut dyn AsConn, member: &OrgMember) -> ApiResult<()> {
    if !state.settings.sms.is_set_up() {
        return Err(ConflictCode::SmsNotOnServer.into());
    }
    let limit = state.settings.numbers_per_business;
    let refusal = order::load_allowance(conn, member.org(), limit).await?.refusal_code();
    refusal.map_or(Ok(()), |code| Err(code.into()))
}

/// Checks that the business may get a number, and counts a question to Twilio.
pub(super) async fn count_search(state: &AppState, member: &OrgMember) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    require_allowance(state, &mut tx, member).await?;
    let (origin, secret, place) = (&state.origin, &state.settings.secret, member.org().to_string());
    throttle::count_action(&mut tx, origin, secret, "number search", &place, SEARCHES).await?;
    Ok(tx.commit().await?)
}

/// Twilio could not be read.
pub(super) fn lookup_error(error: &SendError) -> ApiError {
    tracing::warn!(%error, "Twilio's numbers could not be read");
    match error {
        SendError::Refused { .. } | SendError::NotSetUp { .. } => ConflictCode::SmsAccountRefused.into(),
        _ => ApiError::unavailable("Twilio's numbers could not be read"),
    }
}

/// Searches for a number to buy
///
/// At most ten, of this area code, else near the business's phone or in the same state. Sixty searches an hour.
#[utoipa::path(get, path = "/api/sending-number/available", operation_id = "searchNumbers", tag = "settings",
    security(("session" = ["owner"])),
    params(("kind" = inline(Option<NumberType>), Query, description = "local when absent"),
        ("areaCode" = Option<String>, Query, min_length = 3, max_length = 3, description = "Of a local number")),
    responses((status = 200, description = "Numbers and their monthly price", body = NumbersForSale),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn search_numbers(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    query: QueryParams,
) -> ApiResult<axum::Json<NumbersForSale>> {
    let member = member.reject_demo()?;
    let kind = query.parse_choice::<NumberType>("kind")?.unwrap_or(NumberType::Local);
    let area_code = query.parse_text("areaCode", 3)?.unwrap_or_default();
    if kind == NumberType::Local && !is_area_code(&area_code) {
        return Err(ApiError::invalid_field("areaCode", "Write the three digits of an area code, such as 512"));
    }
    count_search(&state, &member).await?;
    let (found, is_nearby) = match kind {
        NumberType::Local => search_local(&state, &member, &area_code).await?,
        NumberType::TollFree => (ask_for_numbers(&state, NumberSearch::TollFree).await?, false),
    };
    let prices = state.sms.fetch_number_prices().await.unwrap_or_default();
    let monthly_price = match kind {
        NumberType::Local => prices.local,
        NumberType::TollFree => prices.toll_free,
    };
    let numbers = found.into_iter().map(NumberForSale::from).collect();
    Ok(axum::Json(NumbersForSale { monthly_price, is_nearby, numbers }))
}

fn is_area_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with(['0', '1'])
}

async fn ask_for_numbers(state: &AppState, search: NumberSearch<'_>) -> ApiResult<Vec<AvailableNumber>> {
    state.sms.search_numbers(search).await.map_err(|e| lookup_error(&e))
}

/// Numbers of the area code; without any, those near the business's phone, then those of the area code's states. True
/// for numbers of other area codes.
async fn search_local(
    state: &AppState,
    member: &OrgMember,
    area_code: &str,
) -> ApiResult<(Vec<AvailableNumber>, bool)> {
    let found = ask_for_numbers(state, NumberSearch::AreaCode(area_code)).await?;
    if !found.is_empty() {
        return Ok((found, false));
    }
    if let Some(phone) = load_business_phone(state, member).await? {
        let near = ask_for_numbers(state, NumberSearch::Near(&phone)).await?;
        if !near.is_empty() {
            return Ok((near, true));
        }
    }
    for region in contact_hours::list_area_code_states(area_code).iter().take(MOST_STATES) {
        let of_state = ask_for_numbers(state, NumberSearch::Region(region)).await?;
        if !of_state.is_empty() {
            return Ok((of_state, true));
        }
    }
    Ok((Vec::new(), true))
}

async fn load_business_phone(state: &AppState, member: &OrgMember) -> ApiResult<Option<Phone>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let found = org::find(&mut conn, member.org()).await?.ok_or_else(ApiError::not_found)?;
    Ok(found.phone.as_deref().and_then(Phone::parse).filter(Phone::is_business_line))
}

impl From<AvailableNumber> for NumberForSale {
    fn from(found: AvailableNumber) -> Self {
        Self { number: found.number, locality: found.locality, region: found.region }
    }
}

/// A number that an owner wants.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NumberOrderRequest {
    #[schema(schema_with = fields::phone_number)]
    number: String,
}

impl NumberOrderRequest {
    /// E.164. Errors: 422 when it is no number of the United States or Canada.
    pub(super) fn parse_number(&self) -> ApiResult<Phone> {
        Phone::parse(&self.number).filter(Phone::is_business_line).ok_or_else(|| {
            ApiError::invalid_field("number", "Please enter a phone number of the United States or Canada")
        })
    }
}

/// Buys a number
///
/// It is bought once, also when it is asked for twice or Twilio's answer is lost. `order` of the answer, and of
/// `GET /api/sending-number/offer`, tells the outcome. Asks for a confirmed email address and a sign-in that is not older
/// than 15 minutes.
#[utoipa::path(post, path = "/api/sending-number/orders", operation_id = "orderNumber", tag = "settings",
    security(("session" = ["owner"])), request_body = NumberOrderRequest,
    responses((status = 202, description = "The number is being bought", body = NumberOffer), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge,
        openapi::WrongMedia, openapi::Invalid, openapi::Unavailable))]
pub async fn order_number(
    OrgOwner(member): OrgOwner,
    State(state): State<AppState>,
    who: RequestContext,
    Json(wanted): Json<NumberOrderRequest>,
) -> ApiResult<(StatusCode, axum::Json<NumberOffer>)> {
    member.require_fresh(state.origin.now())?;
    let number = wanted.parse_number()?;
    if !state.settings.sms.is_set_up() {
        return Err(ConflictCode::SmsNotOnServer.into());
    }
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let mut tx = across_tenants(state.db()?.begin()).await?;
    member.require_live_session(&mut tx, &state).await?;
    org::lock(&mut tx, member.org()).await?;
    usage::require_proven_address(&mut tx, member.org()).await?;
    if let Some(holder) = sending_number::find_holder(&mut tx, number.as_e164()).await? {
        let is_own = holder.org_id == member.org();
        let code = if is_own { ConflictCode::SendingNumberOwned } else { ConflictCode::SendingNumberTaken };
        return Err(code.into());
    }
    let (by, limit) = ((member.org(), member.account()), state.settings.numbers_per_business);
    if order::create_purchase(&mut tx, &state.origin, by, number.as_e164(), limit).await? {
        record_change(&mut tx, &state, &who, &member, (AuditAction::NumberOrdered, member.org().0)).await?;
    }
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(load_offer(&state, &member).await?)))
}
