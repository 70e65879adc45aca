//! Becoming a customer: prices, and the demo request that leads to the first payment if Stripe is set up. The request
//! is stored and the operator notified in either case.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use shared::{
    conflicts::ConflictCode,
    domain::{
        intake::demo_request::{self, DemoRequestForm, NewDemoRequest},
        tenancy::{
            account::Role,
            audit::{self, AuditAction},
        },
    },
    ops::subscription::{self, SubscriptionRecord},
    platform::{
        db::tenant_scope::across_tenants,
        email_address::EmailAddress,
        id::{DemoRequestId, OrgId},
        money::Cents,
        throttle,
    },
    providers::payments::subscription_snapshot::BillingPlan,
};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    auth::OrgMember,
    client_info::RequestContext,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    idempotency::IdempotentOperation,
    maintenance_mode, openapi,
    state::AppState,
};

mod stripe_subscription;

use stripe_subscription::begin_subscription;

/// Requests per network and hour.
const MOST_REQUESTS: i64 = 20;

/// What is charged for one of the ways to pay.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Offer)]
pub struct SubscriptionOffer {
    plan: BillingPlan,
    setup_fee: Cents,
    /// The first month, or the first six.
    first_payment: Cents,
    total_today: Cents,
}

/// What there is to subscribe to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Checkout)]
pub struct SubscriptionCheckout {
    /// Whether it can be paid here.
    is_set_up: bool,
    /// Stripe's key for pages, which is no secret.
    publishable_key: Option<String>,
    offers: Vec<SubscriptionOffer>,
    support_email: Option<String>,
}

impl SubscriptionOffer {
    /// The setup fee is paid once per business.
    fn for_plan(plan: BillingPlan, has_paid_setup: bool) -> Self {
        let cost = plan.plan_cost();
        let setup_fee = if has_paid_setup { Cents(0) } else { cost.setup };
        let total_today = [setup_fee, cost.every].into_iter().sum();
        Self { plan, setup_fee, first_payment: cost.every, total_today }
    }
}

/// Member who subscribes for their business: an owner. Any other caller counts as a visitor.
fn subscribing_owner(member: Option<&OrgMember>) -> Option<&OrgMember> {
    member.filter(|member| member.session.role == Role::Owner && !member.is_demo())
}

/// Whether the setup fee was paid: it is part of the first payment of the first subscription.
async fn has_paid_setup(state: &AppState, org: Option<OrgId>) -> ApiResult<bool> {
    let Some(org) = org else { return Ok(false) };
    let all = subscription::list_for_org(&mut state.db()?.acquire_reader().await?, org).await?;
    Ok(all.iter().any(|one| one.fact.has_started()))
}

/// What it costs, and whether it can be paid here
///
/// An owner who subscribes again pays no setup.
#[utoipa::path(get, path = "/api/checkout", operation_id = "getCheckout", tag = "billing",
    security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 200, description = "The ways to pay", body = SubscriptionCheckout), openapi::Forbidden, openapi::Unavailable))]
pub async fn get_checkout(
    member: Option<OrgMember>,
    State(state): State<AppState>,
) -> ApiResult<Json<SubscriptionCheckout>> {
    let has_paid = has_paid_setup(&state, subscribing_owner(member.as_ref()).map(OrgMember::org)).await?;
    let config = state.settings.billing.as_ref();
    let is_offered = |plan: &BillingPlan| {
        *plan == BillingPlan::Monthly || config.is_some_and(|config| config.prices_for(*plan).is_some())
    };
    let offered = [BillingPlan::Monthly, BillingPlan::SixMonths].into_iter().filter(is_offered);
    Ok(Json(SubscriptionCheckout {
        is_set_up: config.is_some(),
        publishable_key: config.map(|config| config.publishable.clone()),
        offers: offered.map(|plan| SubscriptionOffer::for_plan(plan, has_paid)).collect(),
        support_email: state.settings.support_email.clone().map(EmailAddress::into_string),
    }))
}

/// A subscription that waits for its first payment, or a request that the operator answers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionBegun)]
pub struct SubscriptionStarted {
    id: DemoRequestId,
    /// Short enough to say on the phone.
    reference: String,
    /// With what the page asks for the payment; none where payments are not set up.
    client_secret: Option<String>,
}

/// Asks for a demo, and begins a subscription where payments are set up
///
/// A signed-in owner subscribes for their own business. Who pays before they have an account gets a link by email. The
/// same content within a day is the same request, and with an `Idempotency-Key` it stays so after it was paid.
#[utoipa::path(post, path = "/api/create-subscription", operation_id = "createSubscription", tag = "billing",
    request_body = DemoRequestForm, security(("session" = ["owner", "office", "crew"]), ()),
    params(openapi::IdempotencyKey),
    responses((status = 201, description = "Asked for", body = SubscriptionStarted), openapi::BadRequest,
        openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn create_subscription(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: RequestContext,
    headers: HeaderMap,
    Typed(form): Typed<DemoRequestForm>,
) -> ApiResult<(StatusCode, Json<SubscriptionStarted>)> {
    let new = form.validate()?;
    let once = IdempotentOperation::new("subscription", &headers, &format!("{new:?}"))?;
    let config = state.settings.billing.as_ref();
    if config.is_some_and(|config| config.prices_for(new.plan).is_none()) {
        return Err(ApiError::invalid_field("plan", "This way to pay is not offered"));
    }
    if config.is_some() {
        maintenance_mode::refuse_if_frozen(&state, ConflictCode::InstallIsCopy).await?;
    }
    let owner = subscribing_owner(member.as_ref());
    let org = owner.map(OrgMember::org);
    count_request(&state, &who).await?;
    let id = store_request(&state, &who, owner, &new, &once).await?;
    let client_secret = match config {
        Some(config) => Some(begin_subscription(&state, config, org, (id, &new)).await?),
        None => None,
    };
    let reference = id.to_string().chars().take(8).collect();
    Ok((StatusCode::CREATED, Json(SubscriptionStarted { id, reference, client_secret })))
}

async fn count_request(state: &AppState, who: &RequestContext) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let (origin, secret) = (&state.origin, &state.settings.secret);
    throttle::count_by_network(&mut tx, origin, secret, "demo request", who.ip, MOST_REQUESTS).await?;
    Ok(tx.commit().await?)
}

/// Stores the request and tells the operator. Only the request's id is kept for a repeat: Stripe is asked for the
/// payment again, and recognizes it by the request's idempotency keys.
async fn store_request(
    state: &AppState,
    who: &RequestContext,
    owner: Option<&OrgMember>,
    new: &NewDemoRequest,
    once: &IdempotentOperation,
) -> ApiResult<DemoRequestId> {
    let (origin, settings) = (&state.origin, &state.settings);
    let org = owner.map(OrgMember::org);
    // A visitor has no business yet.
    let of = org.unwrap_or(OrgId(Uuid::nil()));
    // Requests and subscriptions may have no business yet, even those of a signed-in user.
    let mut tx = across_tenants(state.db()?.begin()).await?;
    if let Some(org) = org {
        // Also one with a debt: that is paid in the portal, and the subscription goes on.
        if subscription::list_for_org(&mut tx, org).await?.iter().any(SubscriptionRecord::is_ongoing) {
            return Err(ConflictCode::AlreadySubscribed.into());
        }
    }
    if let Some(id) = once.find_stored_response(&mut tx, state, of).await?
        && demo_request::is_resumable(&mut tx, origin.now(), id).await?
    {
        return Ok(id);
    }
    let id = demo_request::find_or_create_request(&mut tx, origin, org, new).await?;
    once.store_response(&mut tx, of, &id).await?;
    if let Some(org) = org {
        subscription::cancel_older_attempts(&mut tx, origin, org, id).await?;
    }
    let keys = (&settings.secret, &settings.public_url);
    demo_request::notify_operators(&mut tx, origin, keys, settings.operator_emails(), (id, new)).await?;
    let actor = owner.map_or_else(|| who.anonymous_actor(), |owner| who.actor_for(owner));
    audit::record(&mut tx, origin, &actor, of, AuditAction::DemoRequested, Some(id.0)).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(id)
}
