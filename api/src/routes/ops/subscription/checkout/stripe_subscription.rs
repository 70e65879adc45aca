//! The subscription at Stripe for a demo request: prices compared, customer and subscription found or made once.

use chrono::{DateTime, Utc};
use shared::{
    domain::intake::demo_request::{self, NewDemoRequest},
    ops::subscription::{self, BillingConfig, config::PlanPrices, polling},
    platform::{
        db::tenant_scope::across_tenants,
        id::{DemoRequestId, OrgId},
    },
    providers::payments::{
        StripeCredentials, StripeError,
        billing::{NewStripeCustomer, NewStripeSubscription, StripeSubscription},
        subscription_snapshot::BillingPlan,
    },
};

use super::{
    super::{apply_snapshot, to_api_error},
    has_paid_setup,
};
use crate::{
    error::{ApiError, ApiResult},
    state::AppState,
};

const NOT_AS_SHOWN: &str = "The prices at Stripe are not those shown here. Nothing was charged.";

/// Creates the subscription at Stripe. The idempotency keys are the request's, so a repeat gets the same one.
pub(super) async fn begin_subscription(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
) -> ApiResult<String> {
    let prices =
        config.prices_for(new.plan).ok_or_else(|| ApiError::invalid_field("plan", "This way to pay is not offered"))?;
    verify_prices(state, &config.keys, prices, new.plan).await?;
    let asked_at = state.origin.now();
    let made = match find_or_create_subscription(state, config, org, (id, new), prices).await {
        // Stripe repeats its failure for a key for a day: after a look at what exists, new keys are used, once.
        Err(error) if error.is_stored() => {
            use_next_key(state, id).await?;
            find_or_create_subscription(state, config, org, (id, new), prices).await
        }
        outcome => outcome,
    };
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            // After a certain refusal the next try uses another key; in doubt the key stays.
            if matches!(error, SubscriptionFailure::Stripe(StripeError::Refused(_))) || error.is_stored() {
                use_next_key(state, id).await?;
            }
            return Err(error.into());
        }
    };
    record_subscription(state, &made, asked_at).await?;
    let secret = made.client_secret().map(ToOwned::to_owned);
    secret.ok_or_else(|| ApiError::unavailable("Stripe named no secret for the first payment"))
}

enum SubscriptionFailure {
    Stripe(StripeError),
    Other(ApiError),
}

impl SubscriptionFailure {
    fn is_stored(&self) -> bool {
        matches!(self, Self::Stripe(error) if error.has_stored_error())
    }
}

impl From<StripeError> for SubscriptionFailure {
    fn from(error: StripeError) -> Self {
        Self::Stripe(error)
    }
}

impl From<ApiError> for SubscriptionFailure {
    fn from(error: ApiError) -> Self {
        Self::Other(error)
    }
}

impl From<SubscriptionFailure> for ApiError {
    fn from(unmade: SubscriptionFailure) -> Self {
        match unmade {
            SubscriptionFailure::Stripe(error) => to_api_error(&error),
            SubscriptionFailure::Other(error) => error,
        }
    }
}

async fn use_next_key(state: &AppState, id: DemoRequestId) -> ApiResult<()> {
    let mut tx = across_tenants(state.db()?.begin()).await?;
    demo_request::advance_idempotency_key(&mut tx, id).await?;
    Ok(tx.commit().await?)
}

/// Subscription of a request: an existing one, under any of its keys, else a new one.
async fn find_or_create_subscription(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
    prices: &PlanPrices,
) -> Result<StripeSubscription, SubscriptionFailure> {
    let no = across_tenants(async {
        let mut conn = state.db()?.acquire_reader().await?;
        Ok::<_, ApiError>(demo_request::idempotency_key_no(&mut conn, id).await?)
    })
    .await?;
    let setup = (!has_paid_setup(state, org).await?).then_some(prices.setup.as_str());
    let customer = find_or_create_customer(state, config, org, (id, new), no).await?;
    if no > 0
        && let Some(found) = state.stripe.find_subscription(&config.keys, &customer, id.0).await?
    {
        return Ok(found);
    }
    let wanted = NewStripeSubscription {
        // The parameters are part of the key: within a day Stripe takes a key only for an identical request.
        key: &numbered_key(&format!("subscription:{id}:{customer}:{}:{}", prices.every, setup.unwrap_or("-")), no),
        customer: &customer,
        price: &prices.every,
        setup,
        request: id.0,
        org: org.map(|org| org.0),
    };
    Ok(state.stripe.create_subscription(&config.keys, &wanted).await?)
}

/// The first key has no number.
fn numbered_key(key: &str, no: i64) -> String {
    if no == 0 { key.to_owned() } else { format!("{key}:{no}") }
}

/// Ensures that the charge equals the price shown. Errors: 503 when Stripe's prices differ, or Stripe does not answer.
async fn verify_prices(
    state: &AppState,
    keys: &StripeCredentials,
    prices: &PlanPrices,
    plan: BillingPlan,
) -> ApiResult<()> {
    if prices.are_as_shown.get().is_some() {
        return Ok(());
    }
    let cost = plan.plan_cost();
    for (id, amount, months) in
        [(&prices.every, cost.every, Some(plan.billing_months())), (&prices.setup, cost.setup, None)]
    {
        let there = state.stripe.fetch_price(keys, id).await.map_err(|e| to_api_error(&e))?;
        if !there.matches_cost(amount, months) {
            tracing::error!(price = id, ?there, cents = amount.0, "a price at Stripe is not the one that is shown");
            return Err(ApiError::unavailable(NOT_AS_SHOWN));
        }
    }
    prices.are_as_shown.get_or_init(|| ());
    Ok(())
}

/// Stripe customer of the business or of the request; else a new one.
async fn find_or_create_customer(
    state: &AppState,
    config: &BillingConfig,
    org: Option<OrgId>,
    (id, new): (DemoRequestId, &NewDemoRequest),
    no: i64,
) -> Result<String, SubscriptionFailure> {
    if let Some(org) = org {
        let mut conn = state.db()?.acquire_reader().await.map_err(ApiError::from)?;
        let stored = subscription::list_for_org(&mut conn, org).await.map_err(ApiError::from)?;
        if let Some(stored) = stored.into_iter().next() {
            return Ok(stored.customer_id);
        }
    }
    if no > 0
        && let Some(found) = state.stripe.find_customer(&config.keys, new.email.as_str(), id.0).await?
    {
        return Ok(found);
    }
    let wanted = NewStripeCustomer {
        email: new.email.as_str(),
        name: &new.org_name,
        phone: new.phone.as_e164(),
        contact: &new.name,
        request: id.0,
    };
    Ok(state.stripe.create_customer(&config.keys, &numbered_key(&format!("customer:{id}"), no), &wanted).await?)
}

async fn record_subscription(state: &AppState, made: &StripeSubscription, asked_at: DateTime<Utc>) -> ApiResult<()> {
    // Stripe repeats its first answer under the same key; it may be older than a later webhook.
    let at = made.created_at().unwrap_or(asked_at).min(asked_at);
    let mut tx = across_tenants(state.db()?.begin()).await?;
    let row = apply_snapshot(&mut tx, state, made, at).await?;
    polling::enqueue_polls_after_start(&mut tx, &state.origin, &row).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
