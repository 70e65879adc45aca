//! What Stripe tells of the install's own account, where businesses pay for it. Its signature is looked at before
//! anything else of the call is read; it is written down before it is answered.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::tenancy::provider_callbacks::Address,
    ops::subscription::event::{self, Event},
    providers::payments::signature,
};

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::bad_request,
    openapi,
    routes::billing::house,
    state::AppState,
    webhook_health::Outcome,
};

/// Takes Stripe's news of subscriptions
///
/// Signed by `STRIPE_WEBHOOK_SECRET`. A call that comes again, late or in another order changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe", operation_id = "takeBillingEvent", tag = "webhooks",
    request_body(content = String, content_type = "application/json", description = "As Stripe sends it"),
    responses((status = 200, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::TooLarge,
        openapi::Unavailable))]
pub async fn event(
    _: Visitor,
    State(state): State<AppState>,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let known = state.settings.billing.as_ref();
    // An install without an account there, and a forged call, are told apart by nobody.
    let now = state.origin.now();
    let is_signed = known.is_some_and(|config| signature::is_signed(&config.keys.signing(now), header, &body, now));
    let count = |outcome| state.webhooks.note(Address::Subscriptions, outcome, state.origin.now());
    if !is_signed {
        // What is not set up has no forged calls either, that somebody could be alarmed about.
        if known.is_some() {
            count(Outcome::Refused);
        }
        tracing::warn!("a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    }
    let taken = take(&state, &body).await;
    count(if taken.is_ok() { Outcome::Taken } else { Outcome::Failed });
    taken.map(|()| StatusCode::OK)
}

async fn take(state: &AppState, body: &[u8]) -> ApiResult<()> {
    let told: Event = serde_json::from_slice(body).map_err(|_| bad_request("This is no event of Stripe's."))?;
    let mut tx = state.db()?.begin().await?;
    event::take(&mut tx, house(state), &told).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}
