//! Next free times for a request, as the page after a form shows them.

use axum::extract::State;
use serde::Serialize;
use shared::{
    documents::template::Language,
    domain::{
        tenancy::org::{self, OrgProfile},
        work::booking::{self, NextTime},
    },
    platform::{
        access_link::{self, AccessLink, LinkKind, LinkLookup},
        db::tenant_scope,
        throttle,
    },
};
use utoipa::ToSchema;

use crate::{
    auth::Visitor,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::QueryParams,
    openapi,
    state::AppState,
};

/// Length of a token at most.
const MAX_TOKEN: usize = 100;
/// Tries at invalid links, per network and hour; the same count as on the pages behind links.
const MISSES: i64 = 60;

/// Times that the sender of a request can pick.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestTimes {
    /// At most three. Each begins when a visit at the one before is over.
    next: Vec<NextTime>,
    /// Whether the choice has to name the address of the work.
    needs_address: bool,
}

/// The next free times for a request
///
/// Nothing is offered while the business takes no bookings.
#[utoipa::path(get, path = "/api/public/times", operation_id = "publicTimes", tag = "public",
    params(("link" = String, Query, min_length = 1, max_length = 100, description = "The token of the request's link")),
    responses((status = 200, description = "What is free next", body = RequestTimes),
        openapi::NotFound, openapi::TooMany, openapi::Unavailable))]
pub async fn public_times(
    _: Visitor,
    State(state): State<AppState>,
    who: RequestContext,
    query: QueryParams,
) -> ApiResult<axum::Json<RequestTimes>> {
    let token = query.parse_text("link", MAX_TOKEN).unwrap_or_default().unwrap_or_default();
    let Some((link, profile)) = find_request_link(&state, &token).await? else {
        count_miss(&state, &who).await?;
        return Err(ApiError::not_found());
    };
    let mut conn = state.db()?.acquire_reader().await?;
    let ctx = state.org_context(&profile);
    let offer = booking::offer_lead_times(&mut conn, &ctx, &link, None, Language::En).await?;
    let times = match offer {
        Some(offer) => RequestTimes { next: offer.next, needs_address: offer.needs_address },
        None => RequestTimes { next: Vec::new(), needs_address: false },
    };
    Ok(axum::Json(times))
}

async fn find_request_link(state: &AppState, token: &str) -> ApiResult<Option<(AccessLink, OrgProfile)>> {
    let mut conn = state.db()?.acquire_reader().await?;
    let (secret, now) = (&state.settings.secret, state.origin.now());
    let found = access_link::resolve_token(&mut conn, secret, now, token, &[LinkKind::FreeTimes]).await?;
    let LinkLookup::Active(link) = found else { return Ok(None) };
    tenant_scope::set_tenant(link.org_id);
    let Some(org) = org::find(&mut conn, link.org_id).await? else { return Ok(None) };
    let profile = org::load_profile(&mut conn, org).await?;
    Ok(Some((link, profile)))
}

async fn count_miss(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let counted =
        throttle::count_by_network(&mut tx, &state.origin, &state.settings.secret, "page", who.ip, MISSES).await;
    tx.commit().await?;
    Ok(counted?)
}
