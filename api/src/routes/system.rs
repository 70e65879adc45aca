//! How the five tools are doing, and whether providers' calls reach us.

use axum::extract::State;
use serde::Serialize;
use shared::{
    domain::tenancy::{
        org::{self, keys, test_send::NO_NUMBER},
        provider_callbacks::{self, Address, Health, STRIPE, TWILIO},
    },
    ops::{
        demo_seed,
        system_status::{self, ToolStatus},
    },
    platform::{
        db::{Db, tenant_scope::across_businesses},
        id::OrgId,
    },
    providers::sms::SmsConfig,
};
use utoipa::ToSchema;

use super::org::profile_of;
use crate::{
    auth::OrgOffice,
    error::{ApiError, ApiResult},
    openapi,
    state::AppState,
};

/// How the five tools are doing
///
/// Looked at now: the worker's sign of life, the age of the queue, what stopped or failed, and whether the providers
/// take our credentials (asked at most twice a minute).
#[utoipa::path(get, path = "/api/system/status", operation_id = "systemStatus", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "The five tools", body = Vec<ToolStatus>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn system_status(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<ToolStatus>>> {
    let now = state.origin.now();
    if member.is_demo() {
        // How this install does is nobody's business.
        let mut conn = state.db()?.read().await?;
        let profile = profile_of(&mut conn, &member).await?;
        return Ok(axum::Json(demo_seed::tools(&mut conn, &profile, now).await?));
    }
    let probes = state.probes.ask(&state.settings, now).await;
    // Whether the queue moves is seen by the work of all.
    let mut conn = across_businesses(state.db()?.read()).await?;
    let profile = profile_of(&mut conn, &member).await?;
    let held = system_status::held(&mut conn, member.org(), state.settings.billing.is_some(), now).await?;
    let facts = system_status::Facts { held, ..system_status::facts(&mut conn, member.org(), now).await? };
    Ok(axum::Json(system_status::status(&profile, &facts, &probes, now)))
}

/// How providers' calls to us are doing.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookStatus {
    pub twilio: Provider,
    /// The business's own address for payments, and the install's for subscriptions where it has them.
    pub stripe: Provider,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookProvider)]
pub struct Provider {
    /// Whether this server could tell its calls from forged ones.
    pub is_set_up: bool,
    /// Whether our address is one that can be reached from the internet.
    pub is_reachable: bool,
    /// What is missing, if anything is.
    pub why: Option<&'static str>,
    pub addresses: Vec<AddressStatus>,
}

/// One address to paste into the provider's console.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookAddress)]
pub struct AddressStatus {
    pub name: &'static str,
    pub url: String,
    #[schema(value_type = Option<chrono::DateTime<chrono::Utc>>)]
    pub last_received_at: Option<chrono::DateTime<chrono::Utc>>,
    /// When one came that we could not take, by our own fault.
    pub last_failed_at: Option<chrono::DateTime<chrono::Utc>>,
    /// How many came without a valid signature, ever.
    pub refused: i64,
    pub last_refused_at: Option<chrono::DateTime<chrono::Utc>>,
}

/// Whether providers' calls reach us
#[utoipa::path(get, path = "/api/webhooks/status", operation_id = "webhookStatus", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "By provider", body = WebhookStatus),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn webhook_status(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<WebhookStatus>> {
    let member = member.of_this_install()?;
    let db = state.db()?;
    // What was counted since the last writing belongs to the answer, and is of every business.
    across_businesses(state.webhooks.flush(&state, db)).await?;
    let (twilio, stripe) = (twilio(&state, db, member.org()).await?, stripe(&state, db, member.org()).await?);
    Ok(axum::Json(WebhookStatus { twilio, stripe }))
}

async fn twilio(state: &AppState, db: &Db, org: OrgId) -> ApiResult<Provider> {
    let mut conn = db.read().await?;
    let known = provider_callbacks::health(&mut conn, TWILIO).await?;
    let org = org::find(&mut conn, org).await?.ok_or_else(ApiError::not_found)?;
    let addresses = Address::TWILIO.map(|address| seen(state, None, address, &known)).into();
    let unreachable = "PUBLIC_URL is an address that Twilio cannot reach: it must be a public one.";
    let missing = missing(state).or_else(|| (!org.has_sender()).then_some(NO_NUMBER));
    Ok(provider(state, missing, unreachable, addresses))
}

async fn stripe(state: &AppState, db: &Db, org: OrgId) -> ApiResult<Provider> {
    let mut conn = db.read().await?;
    let keys = keys::stripe(&mut conn, &state.settings.secret, org).await?;
    let own = provider_callbacks::own_health(&mut conn, org, STRIPE).await?;
    let mut payments = seen(state, Some(org), Address::Payments, &own);
    // News of a connected account comes to one address for all.
    payments.url = state.settings.public_url.join(&keys::webhook_path(org, keys.as_ref()));
    let mut addresses = vec![payments];
    if state.settings.billing.is_some() {
        let installs = provider_callbacks::health(&mut conn, STRIPE).await?;
        addresses.push(seen(state, None, Address::Subscriptions, &installs));
    }
    let missing = match keys {
        None => Some("Card payments are not set up: no Stripe account is connected yet."),
        Some(keys) if keys.connected.is_none() && keys.webhook.is_empty() => Some(
            "The endpoint's signing secret is not set, so no call of Stripe's can be told from a forged one. Card payments work: each is noticed some minutes later.",
        ),
        Some(_) => None,
    };
    let unreachable = "PUBLIC_URL is an address that Stripe cannot reach: it must be a public one.";
    Ok(provider(state, missing, unreachable, addresses))
}

fn provider(
    state: &AppState,
    missing: Option<&'static str>,
    unreachable: &'static str,
    addresses: Vec<AddressStatus>,
) -> Provider {
    let is_reachable = state.settings.public_url.is_reachable_from_outside();
    let why = missing.or_else(|| (!is_reachable).then_some(unreachable));
    Provider { is_set_up: missing.is_none(), is_reachable, why, addresses }
}

/// One address, `org`'s own or the install's, as it is known.
fn seen(state: &AppState, org: Option<OrgId>, address: Address, known: &[Health]) -> AddressStatus {
    let health = known.iter().find(|health| health.address == address);
    AddressStatus {
        name: name_of(address),
        url: state.settings.public_url.join(&address.path(org)),
        last_received_at: health.and_then(|health| health.received_at),
        last_failed_at: health.and_then(|health| health.failed_at),
        refused: health.map_or(0, |health| health.refused),
        last_refused_at: health.and_then(|health| health.refused_at),
    }
}

fn name_of(address: Address) -> &'static str {
    match address {
        Address::Texts => "Texts",
        Address::Calls => "Calls",
        Address::Reports => "Delivery reports",
        Address::Subscriptions => "Subscriptions",
        Address::Payments => "Card payments",
        Address::Connected => "Connected accounts",
    }
}

/// What the server was not told, without which no call can be believed.
fn missing(state: &AppState) -> Option<&'static str> {
    match &state.settings.sms {
        SmsConfig::Off => Some("SMS is not set up: this server has no TWILIO_ACCOUNT_SID and no sender yet."),
        SmsConfig::Twilio(account) if account.auth_token.is_none() && account.webhook_secrets.is_empty() => {
            Some("TWILIO_AUTH_TOKEN is not set, so no call of Twilio's can be told from a forged one.")
        }
        SmsConfig::Twilio(_) => None,
    }
}
