//! What Stripe tells of the accounts that businesses connected to the platform of this install: one endpoint for all of
//! them. Whose news it is, the account in the event says, and nothing else of it is believed: a payment is looked for
//! among that business's own, and Stripe is asked what became of it.

use axum::{
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use shared::{
    domain::{
        money::connected_account::{self, ConnectedAccount},
        tenancy::provider_callbacks::Address,
    },
    platform::db::tenant_scope,
    providers::payments::{Event, connect::Platform, signature},
};

use super::stripe;
use crate::{
    auth::Visitor,
    error::{ApiError, ApiResult, ErrorCode},
    openapi,
    state::AppState,
    webhook_health::Outcome,
};

/// Takes Stripe's news of connected accounts
///
/// Signed by `STRIPE_CONNECT_WEBHOOK_SECRET`. News of an account that no business here has is acknowledged and left alone.
/// A call that comes again, late or in another order changes nothing.
#[utoipa::path(post, path = "/webhooks/stripe/connect", operation_id = "takeConnectEvent", tag = "webhooks",
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
    let now = state.origin.now();
    let platform = state.settings.connect.as_ref();
    let signed = platform.filter(|platform| signature::is_signed(&platform.keys().signing(now), header, &body, now));
    let count = |outcome| state.webhooks.note(Address::Connected, outcome, state.origin.now());
    // An install that connects no accounts, and a forged call, are told apart by nobody.
    let Some(signed) = signed else {
        if platform.is_some() {
            count(Outcome::Refused);
        }
        tracing::warn!("a request that claims to be Stripe's was refused");
        return Err(ApiError::new(ErrorCode::Forbidden, "The signature does not fit."));
    };
    let taken = match stripe::read(&body) {
        Ok(event) => take(&state, signed, &event).await,
        Err(error) => Err(error),
    };
    count(if taken.is_ok() { Outcome::Taken } else { Outcome::Failed });
    taken.map(|()| StatusCode::OK)
}

async fn take(state: &AppState, platform: &Platform, event: &Event) -> ApiResult<()> {
    let Some(connection) = whose(state, platform, event).await? else { return Ok(()) };
    let org = connection.org_id;
    tenant_scope::is_for(org);
    if connected_account::is_about_account(event) {
        let mut tx = state.db()?.begin().await?;
        connected_account::take(&mut tx, &state.origin, &connection, event).await?;
        tx.commit().await?;
        state.wake();
    } else {
        stripe::take(state, org, event).await?;
    }
    state.webhooks.note_own(org, Address::Payments, Outcome::Taken, state.origin.now());
    Ok(())
}

/// The connection with the account that the event names; none when no business here has it, or the event is of Stripe's
/// other mode, of which an endpoint in live mode hears too.
async fn whose(state: &AppState, platform: &Platform, event: &Event) -> ApiResult<Option<ConnectedAccount>> {
    let Some(account) = &event.account else { return Ok(None) };
    if event.livemode.is_some_and(|livemode| livemode != platform.is_live()) {
        return Ok(None);
    }
    let mut conn = state.db()?.read().await?;
    let found = connected_account::by_account(&mut conn, account).await?;
    Ok(found.filter(|connection| connection.livemode == platform.is_live()))
}
