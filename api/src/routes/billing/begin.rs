//! How one becomes a customer: what it costs, and the request for a demo that leads to the first payment where Stripe
//! is set up. Whether it is or not, who asked is stored and told to the operator.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::{
    domain::{
        intake::demo_request::{self, DemoRequestForm, NewDemoRequest},
        tenancy::{
            account::Role,
            audit::{self, Action},
        },
    },
    ops::subscription::{self, BillingConfig, Subscribed, config::Prices, look},
    platform::{
        db::tenant_scope::across_businesses,
        error::Error,
        id::{DemoRequestId, OrgId},
        money::Cents,
        throttle,
    },
    providers::payments::{
        Keys, PayError,
        billing::{NewCustomer, NewSubscription, Subscription},
        subscription_fact::Plan,
    },
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{learn, not_done};
use crate::{
    auth::OrgMember,
    client_info::Who,
    error::{ApiError, ApiResult},
    extract::Json as Typed,
    idempotency::Once,
    maintenance_mode,
    openapi::{self, fields},
    state::AppState,
};

const NOT_AS_SHOWN: &str = "The prices at Stripe are not those shown here. Nothing was charged.";
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
    /// The setup is paid once in the life of a business.
    fn of(plan: Plan, has_paid_setup: bool) -> Self {
        let cost = plan.cost();
        let setup_fee = if has_paid_setup { Cents(0) } else { cost.setup };
        let total_today = [setup_fee, cost.every].into_iter().sum();
        Self { plan, setup_fee, first_payment: cost.every, total_today }
    }
}

/// The business for which somebody subscribes: an owner's own. Whoever else asks is a visitor.
fn subscriber(member: Option<&OrgMember>) -> Option<&OrgMember> {
    member.filter(|member| member.session.role == Role::Owner && !member.is_demo())
}

/// Whether a business paid the setup before: it comes with the first payment of its first subscription.
async fn has_paid_setup(state: &AppState, org: Option<OrgId>) -> ApiResult<bool> {
    let Some(org) = org else { return Ok(false) };
    let all = subscription::of_org(&mut state.db()?.read().await?, org).await?;
    Ok(all.iter().any(|one| one.fact.has_begun()))
}

/// What it costs, and whether it can be paid here
///
/// An owner who subscribes again pays no setup.
#[utoipa::path(get, path = "/api/checkout", operation_id = "getCheckout", tag = "billing",
    security(("session" = ["owner", "office", "crew"]), ()),
    responses((status = 200, description = "The ways to pay", body = Checkout), openapi::Unavailable))]
pub async fn get_checkout(member: Option<OrgMember>, State(state): State<AppState>) -> ApiResult<Json<Checkout>> {
    let has_paid = has_paid_setup(&state, subscriber(member.as_ref()).map(OrgMember::org)).await?;
    let config = state.settings.billing.as_ref();
    let is_offered =
        |plan: &Plan| *plan == Plan::Monthly || config.is_some_and(|config| config.prices(*plan).is_some());
    let offered = [Plan::Monthly, Plan::SixMonths].into_iter().filter(is_offered);
    Ok(Json(Checkout {
        is_set_up: config.is_some(),
        publishable_key: config.map(|config| config.publishable.clone()),
        offers: offered.map(|plan| Offer::of(plan, has_paid)).collect(),
        support_email: state.settings.support_email.clone(),
    }))
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
/// A signed-in owner subscribes for their own business. Who pays before they have an account gets a link by email. The same
/// content within a day is the same request, and with an `Idempotency-Key` it stays so after it was paid.
#[utoipa::path(post, path = "/api/create-subscription", operation_id = "createSubscription", tag = "billing",
    request_body = SubscriptionRequest, security(("session" = ["owner", "office", "crew"]), ()),
    params(("Idempotency-Key" = Option<String>, Header, pattern = r"^[\t ]*[!-~]([\t -~]{0,253}[!-~])?[\t ]*$",
        description = "The same key and content get the first answer again, the same key and other content a 422")),
    responses((status = 201, description = "Asked for", body = SubscriptionBegun), openapi::BadRequest,
        openapi::Forbidden, openapi::Conflict, openapi::TooLarge, openapi::WrongMedia, openapi::Invalid,
        openapi::TooMany, openapi::Unavailable))]
pub async fn create_subscription(
    member: Option<OrgMember>,
    State(state): State<AppState>,
    who: Who,
    headers: HeaderMap,
    Typed(form): Typed<DemoRequestForm>,
) -> ApiResult<(StatusCode, Json<SubscriptionBegun>)> {
    let new = form.check()?;
    let once = Once::new("subscription", &headers, &format!("{new:?}"))?;
    let config = state.settings.billing.as_ref();
    if config.is_some_and(|config| config.prices(new.plan).is_none()) {
        return Err(ApiError::field("plan", "This way to pay is not offered"));
    }
    if config.is_some() {
        maintenance_mode::refuse(&state, maintenance_mode::COPY).await?;
    }
    let owner = subscriber(member.as_ref());
    let org = owner.map(OrgMember::org);
    count(&state, &who).await?;
    let id = ask(&state, &who, owner, &new, &once).await?;
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
    let (origin, secret) = (&state.origin, &state.settings.secret);
    throttle::count_by_network(&mut tx, origin, secret, "demo request", who.ip, MOST_REQUESTS).await?;
    Ok(tx.commit().await?)
}

/// Stores who asks, and tells the operator. Of the answer only which request it was is kept: what opens the payment is
/// asked of Stripe again, which knows it by the request's keys.
async fn ask(
    state: &AppState,
    who: &Who,
    owner: Option<&OrgMember>,
    new: &NewDemoRequest,
    once: &Once,
) -> ApiResult<DemoRequestId> {
    let (origin, settings) = (&state.origin, &state.settings);
    let org = owner.map(OrgMember::org);
    // A visitor belongs to no business yet.
    let of = org.unwrap_or(OrgId(Uuid::nil()));
    // Requests and subscriptions may be nobody's yet, also those of somebody who is signed in.
    let mut tx = across_businesses(state.db()?.begin()).await?;
    if let Some(org) = org {
        // Also one that is owed for: what is owed is paid in the portal, and then it goes on.
        if subscription::of_org(&mut tx, org).await?.iter().any(Subscribed::goes_on) {
            return Err(Error::Conflict("This business has a subscription already.").into());
        }
    }
    if let Some(id) = once.earlier(&mut tx, state, of).await?
        && demo_request::goes_on(&mut tx, origin.now(), id).await?
    {
        return Ok(id);
    }
    let id = demo_request::ensure(&mut tx, origin, org, new).await?;
    once.keep(&mut tx, of, &id).await?;
    if let Some(org) = org {
        subscription::forget_older(&mut tx, origin, org, id).await?;
    }
    demo_request::tell(&mut tx, origin, &settings.public_url, settings.operators(), (id, new)).await?;
    let actor = owner.map_or_else(|| who.visitor(), |owner| who.actor(owner));
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
    look_at_prices(state, &config.keys, prices, new.plan).await?;
    let asked_at = state.origin.now();
    let made = match subscribed(state, config, org, (id, new), prices).await {
        // Stripe repeats its failure for the keys for a day: after a look at what is there others are used, once.
        Err(error) if error.is_stored() => {
            next_key(state, id).await?;
            subscribed(state, config, org, (id, new), prices).await
        }
        said => said,
    };
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            // What was certainly refused is asked anew under another key; in doubt the key stays.
            if matches!(error, Unmade::Stripe(PayError::Refused(_))) || error.is_stored() {
                next_key(state, id).await?;
            }
            return Err(error.into());
        }
    };
    note(state, &made, asked_at).await?;
    let secret = made.client_secret().map(ToOwned::to_owned);
    secret.ok_or_else(|| ApiError::unavailable("Stripe named no secret for the first payment"))
}

/// Why there is no subscription.
enum Unmade {
    Stripe(PayError),
    Else(ApiError),
}

impl Unmade {
    fn is_stored(&self) -> bool {
        matches!(self, Self::Stripe(error) if error.is_stored())
    }
}

impl From<PayError> for Unmade {
    fn from(error: PayError) -> Self {
        Self::Stripe(error)
    }
}

impl From<ApiError> for Unmade {
    fn from(error: ApiError) -> Self {
        Self::Else(error)
    }
}

impl From<Unmade> for ApiError {
    fn from(unmade: Unmade) -> Self {
        match unmade {
            Unmade::Stripe(error) => not_done(&error),
            Unmade::Else(error) => error,
        }
    }
}

async fn next_key(state: &AppState, id: DemoRequestId) -> ApiResult<()> {
    let mut tx = across_businesses(state.db()?.begin()).await?;
    demo_request::next_key(&mut tx, id).await?;
    Ok(tx.commit().await?)
}

/// The subscription of a request: the one that was made for it, whatever key it was made under, else a new one.
async fn subscribed(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
    prices: &Prices,
) -> Result<Subscription, Unmade> {
    let no = across_businesses(async {
        let mut conn = state.db()?.read().await?;
        Ok::<_, ApiError>(demo_request::key_no(&mut conn, id).await?)
    })
    .await?;
    let setup = (!has_paid_setup(state, org).await?).then_some(prices.setup.as_str());
    let customer = customer(state, config, org, (id, new), no).await?;
    if no > 0
        && let Some(known) = state.stripe.find_subscription(&config.keys, &customer, id.0).await?
    {
        return Ok(known);
    }
    let wanted = NewSubscription {
        // What is asked for stands in it: within a day Stripe takes a key for the same again, and for nothing else.
        key: &numbered(&format!("subscription:{id}:{customer}:{}:{}", prices.every, setup.unwrap_or("-")), no),
        customer: &customer,
        price: &prices.every,
        setup,
        request: id.0,
        org: org.map(|org| org.0),
    };
    Ok(state.stripe.subscribe(&config.keys, &wanted).await?)
}

/// The first key of an intent bears no number.
fn numbered(key: &str, no: i64) -> String {
    if no == 0 { key.to_owned() } else { format!("{key}:{no}") }
}

/// Nobody is charged anything but what was shown to them.
///
/// # Errors
/// 503 when Stripe charges something else under the configured prices, or does not say.
async fn look_at_prices(state: &AppState, keys: &Keys, prices: &Prices, plan: Plan) -> ApiResult<()> {
    if prices.are_as_shown.get().is_some() {
        return Ok(());
    }
    let cost = plan.cost();
    for (id, amount, months) in [(&prices.every, cost.every, Some(plan.months())), (&prices.setup, cost.setup, None)] {
        let there = state.stripe.price(keys, id).await.map_err(|e| not_done(&e))?;
        if !there.is(amount, months) {
            tracing::error!(price = id, ?there, cents = amount.0, "a price at Stripe is not the one that is shown");
            return Err(ApiError::unavailable(NOT_AS_SHOWN));
        }
    }
    prices.are_as_shown.get_or_init(|| ());
    Ok(())
}

/// Who pays: the customer that a business has at Stripe already or that was made for the request, else a new one.
async fn customer(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
    no: i64,
) -> Result<String, Unmade> {
    if let Some(org) = org {
        let mut conn = state.db()?.read().await.map_err(ApiError::from)?;
        let known = subscription::of_org(&mut conn, org).await.map_err(ApiError::from)?;
        if let Some(known) = known.into_iter().next() {
            return Ok(known.customer_id);
        }
    }
    if no > 0
        && let Some(known) = state.stripe.find_customer(&config.keys, &new.email, id.0).await?
    {
        return Ok(known);
    }
    let wanted =
        NewCustomer { email: &new.email, name: &new.org_name, phone: &new.phone, contact: &new.name, request: id.0 };
    Ok(state.stripe.customer(&config.keys, &numbered(&format!("customer:{id}"), no), &wanted).await?)
}

async fn note(state: &AppState, made: &Subscription, asked_at: DateTime<Utc>) -> ApiResult<()> {
    // Asked for again, Stripe repeats its first answer, which may be older than what it has told since.
    let at = made.created_at().unwrap_or(asked_at).min(asked_at);
    let mut tx = across_businesses(state.db()?.begin()).await?;
    let row = learn(&mut tx, state, made, at).await?;
    look::begun(&mut tx, &state.origin, &row).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}
