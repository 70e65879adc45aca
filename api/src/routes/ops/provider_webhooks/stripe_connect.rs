//! Stripe events of connected accounts: one endpoint for all of them. Only the account in the event is believed, to
//! find the business; a payment is looked up among its own, and its outcome is asked of Stripe.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        money::connected_account::{self, ConnectedAccount},
        tenancy::provider_callbacks::CallbackEndpoint,
    },
    platform::db::tenant_scope,
    providers::payments::{StripeEvent, connect::ConnectPlatform, signature},
};

use super::stripe;
use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    openapi,
    state::AppState,
    webhook_health::CallbackOutcome,
};

/// Takes Stripe's news of connected accounts
///
/// Signed by `STRIPE_CONNECT_WEBHOOK_SECRET`. News of an account that no business here has is acknowledged and left
/// alone. A call that comes again, late or in another order changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe/connect", operation_id = "takeConnectEvent", tag = "webhooks",
    request_body(content = String, content_type = "application/json", description = "As Stripe sends it"),
    responses((status = 200, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::TooLarge,
        openapi::Unavailable))]
pub async fn handle_connect_event(
    _: Visitor,
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let now = state.origin.now();
    let platform = state.settings.connect.as_ref();
    let signed = platform.filter(|platform| {
        signature::has_valid_signature(&platform.platform_keys().valid_webhook_secrets(now), header, &body, now)
    });
    let count =
        |outcome| state.webhooks.record_install_callback(CallbackEndpoint::Connected, outcome, state.origin.now());
    // Same answer for an install without a platform and a forged call.
    let Some(signed) = signed else {
        if platform.is_some() {
            count(CallbackOutcome::Refused);
        }
        tracing::warn!("a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    };
    let taken = match stripe::parse_event(&body) {
        Ok(event) => apply_event(&state, signed, &event).await,
        Err(error) => Err(error),
    };
    count(if taken.is_ok() { CallbackOutcome::Taken } else { CallbackOutcome::Failed });
    taken.map(|()| StatusCode::OK)
}

async fn apply_event(state: &AppState, platform: &ConnectPlatform, event: &StripeEvent) -> ApiResult<()> {
    let Some(connection) = find_connection(state, platform, event).await? else { return Ok(()) };
    let org = connection.org_id;
    tenant_scope::set_tenant(org);
    if connected_account::is_about_account(event) {
        let mut tx = state.db()?.begin().await?;
        connected_account::handle_account_event(&mut tx, &state.origin, &connection, event).await?;
        tx.commit().await?;
        state.notify_committed();
    } else {
        stripe::apply_event(state, org, event).await?;
    }
    state.webhooks.record_org_callback(org, CallbackEndpoint::Payments, CallbackOutcome::Taken, state.origin.now());
    Ok(())
}

/// Connection of the event's account; `None` when no business has it, or for an event of the other mode: an endpoint in
/// live mode gets both.
async fn find_connection(
    state: &AppState,
    platform: &ConnectPlatform,
    event: &StripeEvent,
) -> ApiResult<Option<ConnectedAccount>> {
    let Some(account) = &event.account else { return Ok(None) };
    if event.livemode.is_some_and(|livemode| livemode != platform.is_live_mode()) {
        return Ok(None);
    }
    let mut conn = state.db()?.acquire_reader().await?;
    let found = connected_account::find_by_account(&mut conn, account).await?;
    Ok(found.filter(|connection| connection.livemode == platform.is_live_mode()))
}
