//! What Stripe tells a business's endpoint. Its signature is looked at before anything else of the call is read; it is
//! written down before it is answered, and only ever says where to look.

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
            provider_callbacks::Address,
        },
    },
    platform::id::OrgId,
    providers::payments::{Event, signature},
};

use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    extract::{Id, bad_request},
    openapi,
    state::AppState,
    webhook_health::Outcome,
};

/// Takes Stripe's news of a payment
///
/// Signed by the endpoint's secret. A call that comes again changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe/{orgId}", operation_id = "takeStripeEvent", tag = "webhooks",
    params(("orgId" = uuid::Uuid, Path, description = "The business whose account it is")),
    request_body(content = String, content_type = "application/json", description = "As Stripe sends it"),
    responses((status = 200, description = "Taken"), openapi::BadRequest, openapi::Forbidden, openapi::NotFound, openapi::TooLarge,
        openapi::Unavailable))]
pub async fn event(
    _: Visitor,
    State(state): State<AppState>,
    Id(id): Id,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let (org, now) = (OrgId(id), state.origin.now());
    let mut conn = state.db()?.read().await?;
    let keys = keys::stripe(&mut conn, &state.settings.secret, org).await?;
    drop(conn);
    let header = headers.get("stripe-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A business without keys, or that does not exist, and a forged call are told apart by nobody.
    if !keys.as_ref().is_some_and(|keys| signature::is_signed(&keys.signing(now), header, &body, now)) {
        if keys.is_some() {
            state.webhooks.note_own(org, Address::Payments, Outcome::Refused, now);
        }
        tracing::warn!(%org, "a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    }
    let taken = match read(&body) {
        Ok(event) => take(&state, org, &event).await,
        Err(error) => Err(error),
    };
    let outcome = if taken.is_ok() { Outcome::Taken } else { Outcome::Failed };
    state.webhooks.note_own(org, Address::Payments, outcome, now);
    taken.map(|()| StatusCode::OK)
}

/// An event whose signature was good.
///
/// # Errors
/// 400 when it is none.
pub(super) fn read(body: &[u8]) -> ApiResult<Event> {
    serde_json::from_slice(body).map_err(|_| bad_request("This is no event of Stripe's."))
}

/// Takes the news of a payment of this business.
pub(super) async fn take(state: &AppState, org: OrgId, event: &Event) -> ApiResult<()> {
    let mut tx = state.db()?.begin().await?;
    let owner = org::find(&mut tx, org).await?.ok_or_else(ApiError::not_found)?;
    let profile = org::profile(&mut tx, owner).await?;
    checkout::take(&mut tx, &state.intake(&profile), event).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}
