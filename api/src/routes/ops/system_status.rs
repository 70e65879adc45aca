//! Status of the five tools, and of incoming webhook calls.

use axum::extract::State;
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::tenancy::{
        org::{self, keys},
        provider_callbacks::{self, CallbackEndpoint, CallbackHealth, STRIPE, TWILIO},
        trust_level,
    },
    ops::{
        demo_seed,
        system_status::{self, StoreWrites, ToolStatus},
    },
    platform::{
        db::{Db, tenant_scope::across_tenants},
        id::OrgId,
    },
    providers::sms::SmsConfig,
};
use utoipa::ToSchema;

use crate::{
    auth::OrgOffice,
    error::{ApiError, ApiResult},
    openapi,
    readiness::to_write_state,
    routes::tenancy::org::load_profile,
    state::AppState,
    webhook_health::find_keeper_org,
};

/// How the five tools are doing
///
/// Looked at now: the worker's sign of life, the age of the queue, what stopped or failed, whether the database
/// and the file store take writes, and whether the providers take our credentials (asked at most twice a minute).
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
        // The status of the install is not shown to others.
        let mut conn = state.db()?.acquire_reader().await?;
        let profile = load_profile(&mut conn, &member).await?;
        return Ok(axum::Json(demo_seed::demo_tool_statuses(&mut conn, &profile, now).await?));
    }
    let probes = state.probes.probe_providers(&state.settings, now).await;
    let writes = probe_writes(&state).await?;
    // The queue's progress is seen by the work of all businesses.
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let profile = load_profile(&mut conn, &member).await?;
    let sees_install = state.is_operator(&member.session) || trust_level::is_only_org(&mut conn, member.org()).await?;
    let probes = if sees_install { probes } else { probes.without_install_details() };
    let held = system_status::load_send_blocks(&mut conn, member.org(), state.settings.billing.is_some(), now).await?;
    let facts = system_status::SystemFacts {
        held,
        writes,
        ..system_status::load_system_facts(&mut conn, member.org(), now).await?
    };
    Ok(axum::Json(system_status::build_tool_statuses(&profile, &facts, &probes, now)))
}

/// By the write of `/readyz`, which is reused for some seconds.
async fn probe_writes(state: &AppState) -> ApiResult<StoreWrites> {
    let database = state.readiness.check_database(state.db()?, &state.origin).await;
    let files = state.readiness.check_storage(&state.storage).await;
    Ok(StoreWrites { database: to_write_state(&database), files: to_write_state(&files) })
}

/// How providers' calls to us are doing.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookStatus {
    pub twilio: WebhookProvider,
    /// The business's own address for payments; for the install's own business also the one for subscriptions.
    pub stripe: WebhookProvider,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookProvider {
    /// Whether this server can verify the signatures of its calls.
    pub is_set_up: bool,
    /// Whether our address is one that can be reached from the internet.
    pub is_reachable: bool,
    /// What is missing, if anything is.
    pub why: Option<&'static str>,
    pub addresses: Vec<WebhookAddress>,
}

/// One address to paste into the provider's console.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookAddress {
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
///
/// The times are those of calls about this business. Forged calls to the install's addresses, and calls about no
/// business, are counted for the install's own business only.
#[utoipa::path(get, path = "/api/webhooks/status", operation_id = "webhookStatus", tag = "settings",
    security(("session" = ["owner", "office"])),
    responses((status = 200, description = "By provider", body = WebhookStatus),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn webhook_status(
    OrgOffice(member): OrgOffice,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<WebhookStatus>> {
    let member = member.reject_demo()?;
    let db = state.db()?;
    // Counts since the last write are part of the answer, and concern all businesses.
    across_tenants(state.webhooks.flush_counts(&state, db)).await?;
    let (twilio, stripe) =
        (twilio_status(&state, db, member.org()).await?, stripe_status(&state, db, member.org()).await?);
    Ok(axum::Json(WebhookStatus { twilio, stripe }))
}

async fn twilio_status(state: &AppState, db: &Db, org: OrgId) -> ApiResult<WebhookProvider> {
    let unassigned = if is_keeper(state, db, org).await? {
        provider_callbacks::list_install_health(&mut db.acquire_reader().await?, TWILIO).await?
    } else {
        Vec::new()
    };
    let mut conn = db.acquire_reader().await?;
    let own = provider_callbacks::list_org_health(&mut conn, org, TWILIO).await?;
    let org = org::find(&mut conn, org).await?.ok_or_else(ApiError::not_found)?;
    let status = |address| address_status(state, None, address, &own).with_unassigned(address, &unassigned);
    let addresses = CallbackEndpoint::TWILIO.map(status).into();
    let unreachable = "Twilio cannot reach your Toolbox from the internet. Ask the person who runs your Toolbox.";
    let missing = missing_sms_setting(state)
        .or_else(|| (!org.has_sender()).then(|| ConflictCode::NoSendingNumber.english_text()));
    Ok(build_provider(state, missing, unreachable, addresses))
}

/// Whether the business is the install's own.
async fn is_keeper(state: &AppState, db: &Db, org: OrgId) -> ApiResult<bool> {
    let mut conn = across_tenants(db.acquire_reader()).await?;
    Ok(find_keeper_org(state, &mut conn).await? == Some(org))
}

async fn stripe_status(state: &AppState, db: &Db, org: OrgId) -> ApiResult<WebhookProvider> {
    let shows_subscriptions = state.settings.billing.is_some() && is_keeper(state, db, org).await?;
    let mut conn = db.acquire_reader().await?;
    let keys = keys::load_stripe_keys(&mut conn, &state.settings.secret, org).await?;
    let own = provider_callbacks::list_org_health(&mut conn, org, STRIPE).await?;
    let mut payments = address_status(state, Some(org), CallbackEndpoint::Payments, &own);
    // News of connected accounts comes to one address for all businesses.
    payments.url = state.settings.public_url.join(&keys::webhook_path(org, keys.as_ref()));
    let mut addresses = vec![payments];
    if shows_subscriptions {
        let installs = provider_callbacks::list_install_health(&mut conn, STRIPE).await?;
        addresses.push(address_status(state, None, CallbackEndpoint::Subscriptions, &installs));
    }
    let missing = match keys {
        None => Some("Card payments are not set up: no Stripe account is connected yet."),
        Some(keys) if keys.connected.is_none() && keys.webhook.is_empty() => Some(
            "No signing secret is entered, so news from Stripe cannot be checked. Card payments work, but each can show hours later.",
        ),
        Some(_) => None,
    };
    let unreachable = "Stripe cannot reach your Toolbox from the internet. Ask the person who runs your Toolbox.";
    Ok(build_provider(state, missing, unreachable, addresses))
}

fn build_provider(
    state: &AppState,
    missing: Option<&'static str>,
    unreachable: &'static str,
    addresses: Vec<WebhookAddress>,
) -> WebhookProvider {
    let is_reachable = state.settings.public_url.is_publicly_reachable();
    let why = missing.or_else(|| (!is_reachable).then_some(unreachable));
    WebhookProvider { is_set_up: missing.is_none(), is_reachable, why, addresses }
}

fn address_status(
    state: &AppState,
    org: Option<OrgId>,
    address: CallbackEndpoint,
    callbacks: &[CallbackHealth],
) -> WebhookAddress {
    let health = callbacks.iter().find(|health| health.address == address);
    WebhookAddress {
        name: address_name(address),
        url: state.settings.public_url.join(&address.path(org)),
        last_received_at: health.and_then(|health| health.received_at),
        last_failed_at: health.and_then(|health| health.failed_at),
        refused: health.map_or(0, |health| health.refused),
        last_refused_at: health.and_then(|health| health.refused_at),
    }
}

impl WebhookAddress {
    /// Adds what went wrong with calls about no business.
    fn with_unassigned(self, address: CallbackEndpoint, callbacks: &[CallbackHealth]) -> Self {
        let Some(health) = callbacks.iter().find(|health| health.address == address) else { return self };
        Self {
            last_failed_at: self.last_failed_at.max(health.failed_at),
            refused: self.refused + health.refused,
            last_refused_at: self.last_refused_at.max(health.refused_at),
            ..self
        }
    }
}

fn address_name(address: CallbackEndpoint) -> &'static str {
    match address {
        CallbackEndpoint::Texts => "Texts",
        CallbackEndpoint::Calls => "Calls",
        CallbackEndpoint::Reports => "Delivery reports",
        CallbackEndpoint::Subscriptions => "Subscriptions",
        CallbackEndpoint::Payments => "Card payments",
        CallbackEndpoint::Connected => "Connected accounts",
    }
}

/// Missing setting without which no call can be verified.
fn missing_sms_setting(state: &AppState) -> Option<&'static str> {
    match &state.settings.sms {
        SmsConfig::Off => Some("SMS is not set up yet. Ask the person who runs your Toolbox."),
        SmsConfig::Twilio(account) if account.auth_token.is_none() && account.webhook_secrets.is_empty() => {
            Some("News from Twilio cannot be checked yet, so it is refused. Ask the person who runs your Toolbox.")
        }
        SmsConfig::Twilio(_) => None,
    }
}
