//! What a business pays for the product: how it stands, the way to Stripe's portal, its invoices, cancelling with
//! notice and taking that back, and a subscription that was paid for before there was a business.

use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    domain::tenancy::audit::{self, Action},
    ops::subscription::{self, BillingConfig, Subscribed, standing, view::SubscriptionView},
    platform::{
        db::{AsConn, Tx, tenant_scope::across_businesses},
        error::Error,
        id::OrgId,
    },
    providers::payments::{PayError, billing::Subscription},
};
use utoipa::ToSchema;

use super::org::{Own, noted};
use crate::{
    auth::{Fresh, OrgMember, OrgOwner},
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    maintenance_mode, openapi,
    state::AppState,
};

pub mod begin;
pub mod invoices;
pub mod requests;

const NOT_SET_UP: &str = "Billing is not set up on this install.";
const NOT_SUBSCRIBED: &str = "There is no subscription yet.";
const STILL_ENDS: &str = "Stripe still ends it on that day. Take it back there, under Manage Subscription.";

/// The install's own account at Stripe.
///
/// # Errors
/// 409 when there is none.
fn account(state: &AppState) -> ApiResult<&BillingConfig> {
    state.settings.billing.as_ref().ok_or_else(|| Error::Conflict(NOT_SET_UP).into())
}

/// What Stripe's not doing something means for who asked.
pub(super) fn not_done(error: &PayError) -> ApiError {
    match error {
        PayError::Refused(why) => Error::Clash(format!("Stripe {why}.")).into(),
        PayError::Retry { .. } | PayError::Key(_) => ApiError::unavailable(format!("Stripe {error}")),
    }
}

/// What the room of subscriptions is handed.
pub(super) fn house(state: &AppState) -> subscription::House<'_> {
    let settings = &state.settings;
    subscription::House {
        origin: &state.origin,
        secret: &settings.secret,
        public_url: &settings.public_url,
        operators: settings.operators(),
        is_live: settings.billing.as_ref().map(|config| !config.keys.is_test()),
    }
}

/// The subscription that decides how a business stands.
///
/// # Errors
/// 409 when it never had one.
async fn current(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> ApiResult<Subscribed> {
    let all = subscription::of_org(conn, org).await?;
    subscription::current(&all, now).cloned().ok_or_else(|| Error::Conflict(NOT_SUBSCRIBED).into())
}

async fn shown(conn: &mut dyn AsConn, state: &AppState, org: OrgId) -> ApiResult<Json<SubscriptionView>> {
    let all = subscription::of_org(conn, org).await?;
    let settings = &state.settings;
    let support = settings.support_email.as_deref();
    Ok(Json(SubscriptionView::of(&all, settings.billing.as_ref(), support, state.origin.now())))
}

/// How a business stands with its subscription
#[utoipa::path(get, path = "/api/subscription/{orgId}", operation_id = "getSubscription", tag = "billing",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "How it stands", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_subscription(Own(member): Own, State(state): State<AppState>) -> ApiResult<Json<SubscriptionView>> {
    shown(&mut state.db()?.read().await?, &state, member.org()).await
}

/// The customer at Stripe; whatever is named here, it is the session's own business that is meant.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortalRequest {
    #[expect(dead_code, reason = "product.md names it; it is disregarded (decisions 4)")]
    customer_id: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct PortalSession {
    /// A page of Stripe's, to be gone to at once: it is good for some minutes.
    url: String,
}

/// Opens Stripe's page where one's card and invoices are
#[utoipa::path(post, path = "/api/create-portal-session", operation_id = "createPortalSession", tag = "billing",
    security(("session" = ["owner"])), request_body = PortalRequest,
    responses((status = 200, description = "Where it is", body = PortalSession), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn create_portal_session(
    Fresh(OrgOwner(member)): Fresh<OrgOwner>,
    State(state): State<AppState>,
    who: Who,
    Typed(_form): Typed<PortalRequest>,
) -> ApiResult<Json<PortalSession>> {
    let config = account(&state)?;
    maintenance_mode::refuse(&state, maintenance_mode::COPY).await?;
    let mut conn = state.db()?.read().await?;
    let known = current(&mut conn, member.org(), state.origin.now()).await?;
    drop(conn);
    let back = state.settings.public_url.join("/app/billing");
    let url = state.stripe.portal(&config.keys, &known.customer_id, &back).await.map_err(|e| not_done(&e))?;
    let mut tx = state.db()?.begin().await?;
    let actor = who.actor(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), Action::PortalOpened, Some(known.id.0)).await?;
    tx.commit().await?;
    Ok(Json(PortalSession { url }))
}

/// Cancels with 30 days' notice
///
/// It goes on until then and can be taken back; the last period is charged by the day. Six months that are paid for go
/// on to their end.
#[utoipa::path(post, path = "/api/subscription/{orgId}/cancel", operation_id = "cancelSubscription", tag = "billing",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Cancelled; `until` says when it ends", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn cancel_subscription(
    _owner: Fresh<OrgOwner>,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<Json<SubscriptionView>> {
    maintenance_mode::refuse(&state, maintenance_mode::COPY).await?;
    let now = state.origin.now();
    let known = current(&mut state.db()?.read().await?, member.org(), now).await?;
    if !known.goes_on() {
        return Err(Error::Conflict("The subscription has ended already.").into());
    }
    // Asked twice, the first day stands.
    if known.ends_at(now).is_some() {
        return shown(&mut state.db()?.read().await?, &state, member.org()).await;
    }
    let keys = &account(&state)?.keys;
    let (at, asked_at) = (standing::would_end(&known.fact, now), asked_at(&state, &known));
    // Nothing is cut short that ends with what was paid for.
    let is_cut_short = known.fact.period_end != Some(at);
    let told = state.stripe.end_subscription_at(keys, &known.provider_id, at, is_cut_short).await;
    let told = told.map_err(|e| not_done(&e))?;
    set(&state, &who, &member, (&known, Action::SubscriptionCancelled), (&told, asked_at)).await
}

/// Takes a cancellation back
#[utoipa::path(delete, path = "/api/subscription/{orgId}/cancel", operation_id = "keepSubscription", tag = "billing",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "It goes on", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn keep_subscription(
    _owner: OrgOwner,
    Own(member): Own,
    State(state): State<AppState>,
    who: Who,
) -> ApiResult<Json<SubscriptionView>> {
    maintenance_mode::refuse(&state, maintenance_mode::COPY).await?;
    let now = state.origin.now();
    let known = current(&mut state.db()?.read().await?, member.org(), now).await?;
    if known.ends_at(now).is_none() {
        return Err(Error::Conflict("There is no cancellation that could be taken back.").into());
    }
    let keys = &account(&state)?.keys;
    let asked_at = asked_at(&state, &known);
    let told = state.stripe.keep_subscription(keys, &known.provider_id).await.map_err(|e| not_done(&e))?;
    if told.fact(asked_at, true).is_some_and(|fact| fact.cancel_at.is_some() || fact.is_over()) {
        return Err(Error::Conflict(STILL_ENDS).into());
    }
    set(&state, &who, &member, (&known, Action::SubscriptionKept), (&told, asked_at)).await
}

/// What is set now is newer than all that is known, whatever Stripe's clock says.
fn asked_at(state: &AppState, known: &Subscribed) -> DateTime<Utc> {
    state.origin.now().max(known.fact.at + Duration::milliseconds(1))
}

/// Notes what Stripe says to an end that was set or taken back.
async fn set(
    state: &AppState,
    who: &Who,
    member: &OrgMember,
    (known, action): (&Subscribed, Action),
    (told, asked_at): (&Subscription, DateTime<Utc>),
) -> ApiResult<Json<SubscriptionView>> {
    // Stripe may say of it that it is nobody's, as it was when it was paid for.
    let mut tx = across_businesses(state.db()?.begin()).await?;
    learn(&mut tx, state, told, asked_at).await?;
    noted(&mut tx, state, who, member, (action, known.id.0)).await?;
    let view = shown(&mut tx, state, member.org()).await?;
    tx.commit().await?;
    state.wake();
    Ok(view)
}

/// Notes an answer of Stripe's.
///
/// # Errors
/// 503 when it names a state that this version does not know.
pub(super) async fn learn(
    tx: &mut Tx,
    state: &AppState,
    told: &Subscription,
    asked_at: DateTime<Utc>,
) -> ApiResult<Subscribed> {
    let fact = told.fact(asked_at, true).ok_or_else(|| ApiError::unavailable("Stripe names an unknown state"))?;
    Ok(subscription::learn(tx, house(state), told, fact).await?)
}

/// The link that came with the letter after paying.
#[derive(Deserialize, ToSchema)]
pub struct ClaimRequest {
    #[schema(min_length = 1, max_length = 100)]
    token: String,
}

/// Takes over a subscription that was paid for before there was an account
///
/// The same again changes nothing.
#[utoipa::path(post, path = "/api/claim-subscription", operation_id = "claimSubscription", tag = "billing",
    security(("session" = ["owner"])), request_body = ClaimRequest,
    responses((status = 200, description = "It is the business's own", body = SubscriptionView), openapi::BadRequest,
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::TooLarge, openapi::WrongMedia,
        openapi::Invalid, openapi::Unavailable))]
pub async fn claim_subscription(
    Fresh(OrgOwner(member)): Fresh<OrgOwner>,
    State(state): State<AppState>,
    who: Who,
    Typed(form): Typed<ClaimRequest>,
) -> ApiResult<Json<SubscriptionView>> {
    // What is claimed is nobody's yet.
    let mut tx = across_businesses(state.db()?.begin()).await?;
    let claimed = subscription::claim::claim(&mut tx, house(&state), member.org(), &form.token).await?;
    noted(&mut tx, &state, &who, &member, (Action::SubscriptionClaimed, claimed.id.0)).await?;
    let view = shown(&mut tx, &state, member.org()).await?;
    tx.commit().await?;
    state.wake();
    Ok(view)
}
