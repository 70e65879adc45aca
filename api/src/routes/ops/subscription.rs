//! The subscription of a business: status, Stripe's portal, invoices, cancelling with notice and taking that back, and
//! claiming a subscription paid before the business existed.

use axum::{Json, extract::State};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use shared::{
    conflicts::{ConflictCode, ConflictReason},
    domain::tenancy::audit::{self, AuditAction},
    ops::subscription::{self, BillingConfig, SubscriptionRecord, lifecycle, view::SubscriptionView},
    platform::{
        db::{AsConn, Tx, tenant_scope::across_tenants},
        email_address::EmailAddress,
        id::OrgId,
    },
    providers::payments::{StripeError, billing::StripeSubscription},
};
use utoipa::ToSchema;

use crate::{
    auth::{OrgMember, OrgOwner, RecentlyVerified},
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    maintenance_mode, openapi,
    routes::tenancy::org::{OwnOrgAccess, record_change},
    state::AppState,
};

pub mod checkout;
pub mod demo_requests;
pub mod invoices;

/// The install's own Stripe account. Errors: 409 when there is none.
fn billing_config(state: &AppState) -> ApiResult<&BillingConfig> {
    state.settings.billing.as_ref().ok_or_else(|| ConflictCode::BillingNotSetUp.into())
}

pub(super) fn to_api_error(error: &StripeError) -> ApiError {
    match error {
        StripeError::Refused(why) => ConflictReason::stripe_refused(why).into(),
        StripeError::Retry { .. } | StripeError::Key(_) => ApiError::unavailable(format!("Stripe {error}")),
    }
}

pub(super) fn billing_context(state: &AppState) -> subscription::BillingContext<'_> {
    let settings = &state.settings;
    subscription::BillingContext {
        origin: &state.origin,
        secret: &settings.secret,
        public_url: &settings.public_url,
        operators: settings.operator_emails(),
        is_live: settings.billing.as_ref().map(|config| !config.keys.is_test_mode()),
    }
}

/// The subscription that decides the status of the business. Errors: 409 when it never had one.
async fn current_subscription(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> ApiResult<SubscriptionRecord> {
    let all = subscription::list_for_org(conn, org).await?;
    subscription::current_subscription(&all, now).cloned().ok_or_else(|| ConflictCode::NotSubscribed.into())
}

async fn subscription_view(conn: &mut dyn AsConn, state: &AppState, org: OrgId) -> ApiResult<Json<SubscriptionView>> {
    let all = subscription::list_for_org(conn, org).await?;
    let settings = &state.settings;
    let support = settings.support_email.as_ref().map(EmailAddress::as_str);
    Ok(Json(SubscriptionView::from_subscriptions(&all, settings.billing.as_ref(), support, state.origin.now())))
}

/// State of a business's subscription
#[utoipa::path(get, path = "/api/subscription/{orgId}", operation_id = "getSubscription", tag = "billing",
    security(("session" = ["owner", "office"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Its state", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Unavailable))]
pub async fn get_subscription(
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
) -> ApiResult<Json<SubscriptionView>> {
    subscription_view(&mut state.db()?.acquire_reader().await?, &state, member.org()).await
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
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(_form): Typed<PortalRequest>,
) -> ApiResult<Json<PortalSession>> {
    let config = billing_config(&state)?;
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let mut conn = state.db()?.acquire_reader().await?;
    let current = current_subscription(&mut conn, member.org(), state.origin.now()).await?;
    drop(conn);
    let back = state.settings.public_url.join("/app/billing");
    let url = state
        .stripe
        .create_portal_session(&config.keys, &current.customer_id, &back)
        .await
        .map_err(|e| to_api_error(&e))?;
    let mut tx = state.db()?.begin().await?;
    let actor = who.actor_for(&member);
    audit::record(&mut tx, &state.origin, &actor, member.org(), AuditAction::PortalOpened, Some(current.id.0)).await?;
    tx.commit().await?;
    Ok(Json(PortalSession { url }))
}

/// Cancels with 30 days' notice
///
/// The subscription runs until then, and the cancellation can be undone. The last period is charged by the day. Six
/// months that are paid for run to their end.
#[utoipa::path(post, path = "/api/subscription/{orgId}/cancel", operation_id = "cancelSubscription", tag = "billing",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "Cancelled; `until` says when it ends", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn cancel_subscription(
    _owner: RecentlyVerified<OrgOwner>,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Json<SubscriptionView>> {
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let now = state.origin.now();
    let current = current_subscription(&mut state.db()?.acquire_reader().await?, member.org(), now).await?;
    if !current.is_ongoing() {
        return Err(ConflictCode::SubscriptionEnded.into());
    }
    // A repeated request keeps the first date.
    if current.ends_at(now).is_some() {
        return subscription_view(&mut state.db()?.acquire_reader().await?, &state, member.org()).await;
    }
    let keys = &billing_config(&state)?.keys;
    let (at, asked_at) = (lifecycle::cancellation_end_at(&current.fact, now), snapshot_time(&state, &current));
    // False when it ends with the paid period.
    let is_cut_short = current.fact.period_end != Some(at);
    let changed = state.stripe.schedule_cancellation(keys, &current.provider_id, at, is_cut_short).await;
    let changed = changed.map_err(|e| to_api_error(&e))?;
    apply_cancellation(&state, &who, &member, (&current, AuditAction::SubscriptionCancelled), (&changed, asked_at))
        .await
}

/// Takes a cancellation back
#[utoipa::path(delete, path = "/api/subscription/{orgId}/cancel", operation_id = "keepSubscription", tag = "billing",
    security(("session" = ["owner"])),
    params(("orgId" = String, Path, min_length = 1, description = "One's own business, by id or slug")),
    responses((status = 200, description = "It goes on", body = SubscriptionView),
        openapi::Unauthenticated, openapi::Forbidden, openapi::NotFound, openapi::Conflict, openapi::Unavailable))]
pub async fn keep_subscription(
    _owner: OrgOwner,
    OwnOrgAccess(member): OwnOrgAccess,
    State(state): State<AppState>,
    who: RequestContext,
) -> ApiResult<Json<SubscriptionView>> {
    maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    let now = state.origin.now();
    let current = current_subscription(&mut state.db()?.acquire_reader().await?, member.org(), now).await?;
    if current.ends_at(now).is_none() {
        return Err(ConflictCode::NoCancellation.into());
    }
    let keys = &billing_config(&state)?.keys;
    let asked_at = snapshot_time(&state, &current);
    let resumed = state.stripe.resume_subscription(keys, &current.provider_id).await.map_err(|e| to_api_error(&e))?;
    if resumed.to_snapshot(asked_at, true).is_some_and(|fact| fact.cancel_at.is_some() || fact.has_ended()) {
        return Err(ConflictCode::SubscriptionStillEnds.into());
    }
    apply_cancellation(&state, &who, &member, (&current, AuditAction::SubscriptionKept), (&resumed, asked_at)).await
}

/// A time later than all known facts: the new setting is newer even if Stripe's clock is behind.
fn snapshot_time(state: &AppState, current: &SubscriptionRecord) -> DateTime<Utc> {
    state.origin.now().max(current.fact.at + Duration::milliseconds(1))
}

/// Records Stripe's answer to a cancellation or its undo.
async fn apply_cancellation(
    state: &AppState,
    who: &RequestContext,
    member: &OrgMember,
    (current, action): (&SubscriptionRecord, AuditAction),
    (fetched, asked_at): (&StripeSubscription, DateTime<Utc>),
) -> ApiResult<Json<SubscriptionView>> {
    // Stripe's answer may name no business, as before it was claimed.
    let mut tx = across_tenants(state.db()?.begin()).await?;
    apply_snapshot(&mut tx, state, fetched, asked_at).await?;
    record_change(&mut tx, state, who, member, (action, current.id.0)).await?;
    let view = subscription_view(&mut tx, state, member.org()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(view)
}

/// Records an answer of Stripe's. Errors: 503 for a status that this version does not know.
pub(super) async fn apply_snapshot(
    tx: &mut Tx,
    state: &AppState,
    fetched: &StripeSubscription,
    asked_at: DateTime<Utc>,
) -> ApiResult<SubscriptionRecord> {
    let fact =
        fetched.to_snapshot(asked_at, true).ok_or_else(|| ApiError::unavailable("Stripe names an unknown state"))?;
    Ok(subscription::apply_snapshot(tx, billing_context(state), fetched, fact).await?)
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
    RecentlyVerified(OrgOwner(member)): RecentlyVerified<OrgOwner>,
    State(state): State<AppState>,
    who: RequestContext,
    Typed(form): Typed<ClaimRequest>,
) -> ApiResult<Json<SubscriptionView>> {
    // A subscription to be claimed belongs to no business yet.
    let mut tx = across_tenants(state.db()?.begin()).await?;
    let claimed =
        subscription::claim::claim_subscription(&mut tx, billing_context(&state), member.org(), &form.token).await?;
    record_change(&mut tx, &state, &who, &member, (AuditAction::SubscriptionClaimed, claimed.id.0)).await?;
    let view = subscription_view(&mut tx, &state, member.org()).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(view)
}
