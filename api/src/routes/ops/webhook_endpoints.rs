//! Webhooks of the business: create, change, test, monitor, remove.

use axum::{
    extract::{FromRequestParts, State},
    http::{HeaderMap, StatusCode, request::Parts},
};
use shared::{
    domain::{
        messaging::account_email::security_email::{self, SecurityEvent},
        tenancy::{account, audit::AuditAction, trust_level::usage},
    },
    ops::webhooks::{self, NewWebhook, WebhookDeliveryView, WebhookEndpoint, WebhookForm, WebhookRequest},
    platform::{
        db::Tx,
        id::{OrgId, WebhookDeliveryId, WebhookId},
        throttle::{self, WindowLimit},
    },
};

use crate::{
    auth::{OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json,
    idempotency::IdempotentOperation,
    openapi,
    routes::tenancy::org::{OwnOrgAccess, path_choice, record_change},
    state::AppState,
};

/// Manual calls (tests and repeats) per business and hour.
const CALLS: WindowLimit = WindowLimit::per_hour(60);

pub struct WebhookParam(WebhookId);

pub struct WebhookDeliveryParam(WebhookDeliveryId);

impl FromRequestParts<AppState> for WebhookParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        path_choice(parts, state, "id").await.map(Self)
    }
}

impl FromRequestParts<AppState> for WebhookDeliveryParam {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        path_choice(parts, state, "callId").await.map(Self)
    }
}

/// As for messages to others: a webhook posts to an address that the business chose.
async fn require_open_sending(tx: &mut Tx, state: &AppState, org: OrgId) -> ApiResult<()> {
    Ok(usage::require_open_sending(&mut *tx, org, state.settings.billing.is_some()).await?)
}

async fn count_test_call(tx: &mut Tx, state: &AppState, org: OrgId) -> ApiResult<()> {
    let (origin, secret) = (&state.origin, &state.settings.secret);
    Ok(throttle::count_action(tx, origin, secret, "hook test", &org.to_string(), CALLS).await?)
}

/// The webhooks of the business
#[utoipa::path(get, path = "/api/org/{orgId}/webhooks", operation_id = "listWebhooks", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "All of them, oldest first; no secret is ever shown again", body = Vec<WebhookEndpoint>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_webhooks(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<axum::Json<Vec<WebhookEndpoint>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(webhooks::list(&mut conn, state.origin.now(), member.org()).await?))
}

/// Adds a webhook
///
/// Its signing secret is shown this once. Calls are signed as Standard Webhooks 1.0 describes, and hold ids only. With
/// an `Idempotency-Key` a repeated request adds nothing twice, and anyone who lost the answer still sees the secret,
/// unless it was changed since.
#[utoipa::path(post, path = "/api/org/{orgId}/webhooks", operation_id = "addWebhook", tag = "settings",
    security(("session" = ["owner"])), request_body = WebhookRequest,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        openapi::IdempotencyKey),
    responses((status = 201, description = "Added", body = NewWebhook), openapi::BadRequest, openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn add_webhook(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Json(sent): Json<WebhookRequest>,
) -> ApiResult<(StatusCode, axum::Json<NewWebhook>)> {
    let form = WebhookForm::from(sent);
    let (org, once) = (member.org(), IdempotentOperation::new("webhook", &headers, &format!("{form:?}"))?);
    let settings = &state.settings;
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    // The secret is sealed in its own row, so only the webhook's id is kept for a repeat.
    if let Some(id) = once.find_stored_response(&mut tx, &state, org).await? {
        let again = webhooks::load_webhook_with_secret(&mut tx, state.origin.now(), &settings.secret, org, id).await?;
        return Ok((StatusCode::CREATED, axum::Json(again)));
    }
    require_open_sending(&mut tx, &state, org).await?;
    let made = webhooks::create_webhook(&mut tx, &state.origin, &settings.secret, &settings.hooks, org, &form).await?;
    once.store_response(&mut tx, org, &made.hook.id).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookAdded, made.hook.id.0)).await?;
    let account = account::get(&mut tx, member.org(), member.account()).await?;
    security_email::notify_account(&mut tx, &state.origin, &settings.public_url, &account, SecurityEvent::HookAdded)
        .await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Changes a webhook, turns it on or off
#[utoipa::path(patch, path = "/api/org/{orgId}/webhooks/{id}", operation_id = "changeWebhook", tag = "settings",
    security(("session" = ["owner"])), request_body = WebhookForm,
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook")),
    responses((status = 200, description = "As it is now", body = WebhookEndpoint), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn change_webhook(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    WebhookParam(id): WebhookParam,
    Json(form): Json<WebhookForm>,
) -> ApiResult<axum::Json<WebhookEndpoint>> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    if form.url.is_some() || form.is_on == Some(true) {
        require_open_sending(&mut tx, &state, member.org()).await?;
    }
    let hook = webhooks::update_webhook(&mut tx, &state.origin, &state.settings.hooks, member.org(), id, &form).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookChanged, id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(axum::Json(hook))
}

/// Removes a webhook with its log
#[utoipa::path(delete, path = "/api/org/{orgId}/webhooks/{id}", operation_id = "removeWebhook", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook")),
    responses((status = 204, description = "Removed"), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Unavailable))]
pub async fn remove_webhook(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    WebhookParam(id): WebhookParam,
) -> ApiResult<StatusCode> {
    let mut tx = state.db()?.begin().await?;
    webhooks::delete_webhook(&mut tx, member.org(), id).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookRemoved, id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(StatusCode::NO_CONTENT)
}

/// Puts a new signing secret in place
///
/// It is shown this once. For a day the one before it signs beside it.
#[utoipa::path(post, path = "/api/org/{orgId}/webhooks/{id}/secret", operation_id = "changeWebhookSecret",
    tag = "settings", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook")),
    responses((status = 201, description = "In place", body = NewWebhook), openapi::Unauthenticated, openapi::Forbidden,
        openapi::NotFound, openapi::Unavailable))]
pub async fn change_webhook_secret(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    WebhookParam(id): WebhookParam,
) -> ApiResult<(StatusCode, axum::Json<NewWebhook>)> {
    let mut tx = state.db()?.begin().await?;
    member.require_live_session(&mut tx, &state).await?;
    let made = webhooks::rotate_secret(&mut tx, &state.origin, &state.settings.secret, member.org(), id).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookSecretChanged, id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::CREATED, axum::Json(made)))
}

/// Calls a webhook once, to see whether it works
#[utoipa::path(post, path = "/api/org/{orgId}/webhooks/{id}/test", operation_id = "testWebhook", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook")),
    responses((status = 202, description = "On its way; its log says what became of it", body = WebhookDeliveryView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooMany, openapi::Unavailable))]
pub async fn test_webhook(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    WebhookParam(id): WebhookParam,
) -> ApiResult<(StatusCode, axum::Json<WebhookDeliveryView>)> {
    let mut tx = state.db()?.begin().await?;
    require_open_sending(&mut tx, &state, member.org()).await?;
    count_test_call(&mut tx, &state, member.org()).await?;
    let call = webhooks::send_test_delivery(&mut tx, &state.origin, member.org(), id).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookTested, id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(call)))
}

/// Recent deliveries of a webhook, with every try
#[utoipa::path(get, path = "/api/org/{orgId}/webhooks/{id}/calls", operation_id = "listWebhookCalls", tag = "settings",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook")),
    responses((status = 200, description = "The newest fifty, newest first", body = Vec<WebhookDeliveryView>),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn list_webhook_calls(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    WebhookParam(id): WebhookParam,
) -> ApiResult<axum::Json<Vec<WebhookDeliveryView>>> {
    let mut conn = state.db()?.acquire_reader().await?;
    Ok(axum::Json(webhooks::list_deliveries(&mut conn, member.org(), id).await?))
}

/// Repeats a call to a webhook at once
#[utoipa::path(post, path = "/api/org/{orgId}/webhooks/{id}/calls/{callId}/retry", operation_id = "retryWebhookCall",
    tag = "settings", security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug"),
        ("id" = uuid::Uuid, Path, description = "The webhook"),
        ("callId" = uuid::Uuid, Path, description = "The call")),
    responses((status = 202, description = "On its way", body = WebhookDeliveryView), openapi::Unauthenticated,
        openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::TooMany, openapi::Unavailable))]
pub async fn retry_webhook_call(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
    WebhookParam(id): WebhookParam,
    WebhookDeliveryParam(call): WebhookDeliveryParam,
) -> ApiResult<(StatusCode, axum::Json<WebhookDeliveryView>)> {
    let mut tx = state.db()?.begin().await?;
    require_open_sending(&mut tx, &state, member.org()).await?;
    count_test_call(&mut tx, &state, member.org()).await?;
    let view = webhooks::retry_delivery(&mut tx, &state.origin, member.org(), id, call).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::HookCalledAgain, call.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok((StatusCode::ACCEPTED, axum::Json(view)))
}
