//! How one becomes a customer: what it costs, and the request for a demo that leads to the first payment where Stripe
//! is set up. Whether it is or not, who asked is stored and told to the operator.

use axum::{Json, extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    account::Role,
    audit::{self, Action},
    billing::{self, BillingConfig, Plan, Subscribed, look},
    demo_request::{self, DemoRequest, DemoRequestForm, NewDemoRequest},
    error::Error,
    id::{DemoRequestId, OrgId},
    money::Cents,
    providers::payments::billing::{NewCustomer, NewSubscription, Subscription},
    throttle,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{learn, not_done};
use crate::{
    auth::{OrgMember, Visitor},
    describe::{self, fields},
    error::{ApiError, ApiResult, ErrorCode},
    extract::Json as Typed,
    frozen,
    state::AppState,
    who::Who,
};

/// Requests of one network within an hour.
const MOST_REQUESTS: i64 = 20;

/// What is charged for one of the ways to pay.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    plan: Plan,
    setup_fee: Cents,
    /// The first month, or the first six.
    first_payment: Cents,
    total_today: Cents,
}

/// What there is to subscribe to.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkout {
    /// Whether it can be paid here.
    is_set_up: bool,
    /// Stripe's key for pages, which is no secret.
    publishable_key: Option<String>,
    offers: Vec<Offer>,
    support_email: Option<String>,
}

impl Offer {
    fn of(plan: Plan) -> Self {
        let cost = plan.cost();
        let total_today = [cost.setup, cost.every].into_iter().sum();
        Self { plan, setup_fee: cost.setup, first_payment: cost.every, total_today }
    }
}

/// What it costs, and whether it can be paid here
#[utoipa::path(get, path = "/api/checkout", operation_id = "getCheckout", tag = "billing",
    responses((status = 200, description = "The ways to pay", body = Checkout)))]
pub async fn get_checkout(_: Visitor, State(state): State<AppState>) -> Json<Checkout> {
    let config = state.settings.billing.as_ref();
    let is_offered =
        |plan: &Plan| *plan == Plan::Monthly || config.is_some_and(|config| config.prices(*plan).is_some());
    Json(Checkout {
        is_set_up: config.is_some(),
        publishable_key: config.map(|config| config.publishable.clone()),
        offers: [Plan::Monthly, Plan::SixMonths].into_iter().filter(is_offered).map(Offer::of).collect(),
        support_email: state.settings.support_email.clone(),
    })
}

/// Who asks for a demo.
#[derive(ToSchema)]
#[schema(as = SubscriptionRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; `DemoRequestForm` is what is read")]
pub struct SubscriptionRequest {
    #[schema(schema_with = fields::email)]
    email: String,
    #[schema(schema_with = fields::filled::<100>)]
    name: String,
    #[schema(schema_with = fields::filled::<100>)]
    org_name: String,
    #[schema(schema_with = fields::phone)]
    phone: String,
    #[schema(schema_with = fields::filled::<100>)]
    industry: String,
    /// How it is paid; monthly when absent.
    plan: Option<Plan>,
}

/// A subscription that waits for its first payment, or a request that the operator answers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionBegun {
    id: DemoRequestId,
    /// Short enough to say on the phone.
    reference: String,
    /// With what the page asks for the payment; none where payments are not set up.
    client_secret: Option<String>,
}

/// Asks for a demo, and begins a subscription where payments are set up
///
/// A signed-in owner subscribes for their own business. Who pays before they have an account gets a link by email.
#[utoipa::path(post, path = "/api/create-subscription", operation_id = "createSubscription", tag = "billing",
    request_body = SubscriptionRequest, security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 201, description = "Asked for", body = SubscriptionBegun), describe::BadRequest,
        describe::Forbidden, describe::Conflict, describe::TooLarge, describe::WrongMedia, describe::Invalid,
        describe::TooMany, describe::Unavailable))]
pub async fn create_subscription(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: Who,
    Typed(form): Typed<DemoRequestForm>,
) -> ApiResult<(StatusCode, Json<SubscriptionBegun>)> {
    let new = form.check()?;
    let config = state.settings.billing.as_ref();
    if config.is_some_and(|config| config.prices(new.plan).is_none()) {
        return Err(ApiError::field("plan", "This way to pay is not offered"));
    }
    if config.is_some() {
        frozen::refuse(&state, frozen::COPY).await?;
    }
    let owner = member.as_ref().filter(|member| member.session.role == Role::Owner && !member.is_demo());
    let org = owner.map(OrgMember::org);
    count(&state, &who).await?;
    let id = ask(&state, &who, owner, &new).await?;
    let client_secret = match config {
        Some(config) => Some(begin(&state, config, org, (id, &new)).await?),
        None => None,
    };
    let reference = id.to_string().chars().take(8).collect();
    Ok((StatusCode::CREATED, Json(SubscriptionBegun { id, reference, client_secret })))
}

async fn count(state: &AppState, who: &Who) -> ApiResult<()> {
    if who.is_exempt {
        return Ok(());
    }
    let mut tx = state.db()?.begin().await?;
    let (origin, place) = (&state.origin, throttle::network(who.ip));
    throttle::count(&mut tx, origin, &state.settings.secret, "demo request", &place, MOST_REQUESTS).await?;
    Ok(tx.commit().await?)
}

/// Stores who asks, and tells the operator.
async fn ask(state: &AppState, who: &Who, owner: Option<&OrgMember>, new: &NewDemoRequest) -> ApiResult<DemoRequestId> {
    let (origin, settings) = (&state.origin, &state.settings);
    let org = owner.map(OrgMember::org);
    let mut tx = state.db()?.begin().await?;
    if let Some(org) = org {
        // Also one that is owed for: what is owed is paid in the portal, and then it goes on.
        if billing::of_org(&mut tx, org).await?.iter().any(Subscribed::goes_on) {
            return Err(Error::Conflict("This business has a subscription already.").into());
        }
    }
    let id = demo_request::ensure(&mut tx, origin, org, new).await?;
    demo_request::tell(&mut tx, origin, &settings.public_url, &settings.operators(), (id, new)).await?;
    let actor = owner.map_or_else(|| who.visitor(), |owner| who.actor(owner));
    // A visitor belongs to no business yet.
    let of = org.unwrap_or(OrgId(Uuid::nil()));
    audit::record(&mut tx, origin, &actor, of, Action::DemoRequested, Some(id.0)).await?;
    tx.commit().await?;
    state.wake();
    Ok(id)
}

/// Makes the subscription at Stripe. Asked for again it is the same one, for its keys are the request's.
async fn begin(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
) -> ApiResult<String> {
    let prices = config.prices(new.plan).ok_or_else(|| ApiError::field("plan", "This way to pay is not offered"))?;
    let asked_at = state.origin.now();
    let customer = customer(state, config, org, (id, new)).await?;
    let wanted = NewSubscription {
        key: &format!("subscription:{id}"),
        customer: &customer,
        price: &prices.every,
        setup: &prices.setup,
        request: id.0,
        org: org.map(|org| org.0),
    };
    let made = state.stripe.subscribe(&config.keys, &wanted).await.map_err(|e| not_done(&e))?;
    note(state, &made, asked_at).await?;
    let secret = made.client_secret().map(ToOwned::to_owned);
    secret.ok_or_else(|| ApiError::unavailable("Stripe named no secret for the first payment"))
}

/// Who pays: the customer that a business has at Stripe already, else a new one.
async fn customer(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
) -> ApiResult<String> {
    if let Some(org) = org {
        let known = billing::of_org(&mut state.db()?.read().await?, org).await?;
        if let Some(known) = known.into_iter().next() {
            return Ok(known.customer_id);
        }
    }
    let wanted = NewCustomer { email: &new.email, name: &new.org_name, phone: &new.phone, contact: &new.name };
    let made = state.stripe.customer(&config.keys, &format!("customer:{id}"), &wanted).await;
    made.map_err(|e| not_done(&e))
}

async fn note(state: &AppState, made: &Subscription, asked_at: DateTime<Utc>) -> ApiResult<()> {
    // Asked for again, Stripe repeats its first answer, which may be older than what it has told since.
    let at = made.created_at().unwrap_or(asked_at).min(asked_at);
    let mut tx = state.db()?.begin().await?;
    let row = learn(&mut tx, state, made, at).await?;
    look::begun(&mut tx, &state.origin, &row).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}

/// Who asked for a demo, newest first: for the install's operator
#[utoipa::path(get, path = "/api/demo-requests", operation_id = "listDemoRequests", tag = "billing",
    security(("session" = ["operator"])),
    responses((status = 200, description = "At most 500", body = Vec<DemoRequest>),
        describe::Unauthenticated, describe::Forbidden, describe::NotFound, describe::Unavailable))]
pub async fn list_demo_requests(member: OrgMember, State(state): State<AppState>) -> ApiResult<Json<Vec<DemoRequest>>> {
    let member = member.of_this_install()?;
    if !state.is_operator(&member.session) {
        return Err(ApiError::new(ErrorCode::Forbidden, "This is for the operator of this install."));
    }
    Ok(Json(demo_request::list(&mut state.db()?.read().await?).await?))
}
