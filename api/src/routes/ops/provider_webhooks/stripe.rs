//! Stripe events of a business's own account. The signature is verified before the body is parsed; an event is stored
//! before it is answered, and only says where to look.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        money::checkout,
        tenancy::{
            org::{self, keys},
            provider_callbacks::CallbackEndpoint,
        },
    },
    platform::id::OrgId,
    providers::payments::{StripeEvent, signature},
};

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{PathId, bad_request},
    openapi,
    state::AppState,
    webhook_health::CallbackOutcome,
};

/// Takes Stripe's news of a payment
///
/// Signed by the endpoint's secret. A call that comes again changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe/{orgId}", operation_id = "takeStripeEvent", tag = "webhooks",
    params(("orgId" = uuid::Uuid, Path, description = "The business whose account it is")),
    request_body(content = String, content_type = "application/json", description = "As Stripe sends it"),
    responses((status = 200, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::Unavailable))]
pub async fn handle_payment_event(
    _: Visitor,
    State(state): State<AppState>,
    PathId(id): PathId,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let (org, now) = (OrgId(id), state.origin.now());
    let mut conn = state.db()?.acquire_reader().await?;
    let keys = keys::load_stripe_keys(&mut conn, &state.settings.secret, org).await?;
    drop(conn);
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Same answer for a business without keys, an unknown business and a forged call.
    if !keys
        .as_ref()
        .is_some_and(|keys| signature::has_valid_signature(&keys.valid_webhook_secrets(now), header, &body, now))
    {
        if keys.is_some() {
            state.webhooks.record_org_callback(org, CallbackEndpoint::Payments, CallbackOutcome::Refused, now);
        }
        tracing::warn!(%org, "a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    }
    let taken = match parse_event(&body) {
        Ok(event) => apply_event(&state, org, &event).await,
        Err(error) => Err(error),
    };
    let outcome = if taken.is_ok() { CallbackOutcome::Taken } else { CallbackOutcome::Failed };
    state.webhooks.record_org_callback(org, CallbackEndpoint::Payments, outcome, now);
    taken.map(|()| StatusCode::OK)
}

/// Parses a verified event. Errors: 400 when it is none.
pub(super) fn parse_event(body: &[u8]) -> ApiResult<StripeEvent> {
    serde_json::from_slice(body).map_err(|_| bad_request("This is no event of Stripe's."))
}

pub(super) async fn apply_event(state: &AppState, org: OrgId, event: &StripeEvent) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let owner = org::find(&mut tx, org).await?.ok_or_else(ApiError::not_found)?;
    let profile = org::load_profile(&mut tx, owner).await?;
    checkout::handle_event(&mut tx, &state.org_context(&profile), event).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
