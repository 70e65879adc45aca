//! Stripe events of the install's own billing account. The signature is verified before the body is parsed; an event is
//! stored before it is answered.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::tenancy::provider_callbacks::CallbackEndpoint,
    ops::subscription::event::{self, BillingEvent},
    providers::payments::signature,
};

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::bad_request,
    openapi,
    routes::ops::subscription::billing_context,
    state::AppState,
    webhook_health::CallbackOutcome,
};

/// Takes Stripe's news of subscriptions
///
/// Signed by `STRIPE_WEBHOOK_SECRET`. A call that comes again, late or in another order changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe", operation_id = "takeBillingEvent", tag = "webhooks",
    request_body(content = String, content_type = "application/json", description = "As Stripe sends it"),
    responses((status = 200, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::TooLarge,
        openapi::Unavailable))]
pub async fn handle_billing_event(
    _: Visitor,
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let billing = state.settings.billing.as_ref();
    // Same answer for an install without an account and a forged call.
    let now = state.origin.now();
    let is_signed = billing.is_some_and(|config| {
        signature::has_valid_signature(&config.keys.valid_webhook_secrets(now), header, &body, now)
    });
    let count =
        |outcome| state.webhooks.record_install_callback(CallbackEndpoint::Subscriptions, outcome, state.origin.now());
    if !is_signed {
        // Without a setup a forged call is no reason for an alert.
        if billing.is_some() {
            count(CallbackOutcome::Refused);
        }
        tracing::warn!("a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    }
    let taken = apply_event(&state, &body).await;
    count(if taken.is_ok() { CallbackOutcome::Taken } else { CallbackOutcome::Failed });
    taken.map(|()| StatusCode::OK)
}

async fn apply_event(state: &AppState, body: &[u8]) -> ApiResult<()> {
    let event: BillingEvent = serde_json::from_slice(body).map_err(|_| bad_request("This is no event of Stripe's."))?;
    let mut tx = state.db()?.begin().await?;
    event::handle_billing_event(&mut tx, billing_context(state), &event).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
