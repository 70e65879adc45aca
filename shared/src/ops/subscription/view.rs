//! Subscription as shown on the billing page and in the banner above every page.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    BillingConfig, SubscriptionRecord, SubscriptionState, SubscriptionStatus,
    lifecycle::{self, DATA_RETENTION, NOTICE_PERIOD},
};
use crate::{platform::money::Cents, providers::payments::subscription_snapshot::BillingPlan};

/// State of a business's subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Subscription)]
pub struct SubscriptionView {
    /// Whether it is paid for now.
    pub active: bool,
    pub current_period_end: Option<DateTime<Utc>>,
    /// Whether the setup was paid: it comes with the first payment.
    pub setup_paid: bool,
    pub plan: Option<BillingPlan>,
    pub state: SubscriptionState,
    /// When the state ends by itself: a trial or a cancelled subscription on that day; past due and grace when from
    /// then on the business only reads. Read-only: until when its data is kept at least.
    pub until: Option<DateTime<Utc>>,
    /// Until when the data is kept at least, once the end of the subscription is known.
    pub data_kept_until: Option<DateTime<Utc>>,
    /// The day on which it ends, once cancelled; the cancellation can be undone until then.
    pub ends_at: Option<DateTime<Utc>>,
    /// Whether one can be begun: none goes on, and the install takes payments.
    pub can_begin: bool,
    /// What is charged each time.
    pub price: Option<Cents>,
    pub card: Option<CardView>,
    /// Whether subscriptions are set up on this install at all.
    pub is_set_up: bool,
    /// Whether what is paid is not real money.
    pub is_test: bool,
    /// The day it would end if it were cancelled now: with 30 days' notice, and not before what was paid at once.
    pub would_end_at: DateTime<Utc>,
    /// Contact for questions; none where the install names none.
    pub support_email: Option<String>,
}

/// The card that pays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SubscriptionCard)]
pub struct CardView {
    /// `visa`
    pub brand: String,
    pub last4: String,
    /// `04/2029`
    pub expires: String,
}

impl SubscriptionView {
    /// `all` are the business's own.
    #[must_use]
    pub fn from_subscriptions(
        all: &[SubscriptionRecord],
        config: Option<&BillingConfig>,
        support_email: Option<&str>,
        now: DateTime<Utc>,
    ) -> Self {
        let current = super::current_subscription(all, now);
        let status = current.map_or(SubscriptionStatus::NONE, |one| SubscriptionStatus::from_snapshot(&one.fact, now));
        let plan = current.map(|one| one.fact.plan);
        Self {
            active: status.state.is_active(),
            current_period_end: current.and_then(|one| one.fact.period_end),
            setup_paid: current.is_some(),
            plan,
            state: status.state,
            until: status.until,
            data_kept_until: data_kept_until(status),
            ends_at: current.and_then(|one| one.ends_at(now)),
            can_begin: config.is_some() && !all.iter().any(SubscriptionRecord::is_ongoing),
            price: plan.map(|plan| plan.plan_cost().every),
            card: current.and_then(to_card_view),
            is_set_up: config.is_some(),
            is_test: config.is_some_and(|config| config.keys.is_test_mode()),
            would_end_at: current.map_or(now + NOTICE_PERIOD, |one| lifecycle::cancellation_end_at(&one.fact, now)),
            support_email: support_email.map(ToOwned::to_owned),
        }
    }
}

fn data_kept_until(status: SubscriptionStatus) -> Option<DateTime<Utc>> {
    match status.state {
        SubscriptionState::PastDue | SubscriptionState::Grace => status.until.map(|wall| wall + DATA_RETENTION),
        SubscriptionState::ReadOnly => status.until,
        SubscriptionState::None
        | SubscriptionState::Cancelled
        | SubscriptionState::Trial
        | SubscriptionState::Active => None,
    }
}

fn to_card_view(of: &SubscriptionRecord) -> Option<CardView> {
    Some(CardView { brand: of.card_brand.clone()?, last4: of.card_last4.clone()?, expires: of.card_expires.clone()? })
}
