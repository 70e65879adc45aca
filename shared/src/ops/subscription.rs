//! Subscriptions: payments of businesses for this install through Stripe, and their effects.
//!
//! The install's own Stripe account is separate from those that businesses connect for their customers' cards
//! ([`crate::domain::money::checkout`]). Stripe is never called inside a transaction. Its events only add to the known
//! facts ([`SubscriptionSnapshot`]) and trigger a look; the state of a business follows from the facts and the clock
//! ([`lifecycle`]), so it does not depend on a task running on time.
//!
//! A person who pays before having an account gets an email with a link; the owner who opens it gets the subscription
//! for their business ([`claim`]).

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    platform::{
        clock::ClockRng,
        db::{AsConn, q, qb},
        email_address::EmailAddress,
        error::Result,
        id::{DemoRequestId, OrgId, SubscriptionId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
    providers::payments::{StripeCredentials, subscription_snapshot::SubscriptionSnapshot},
};

mod attempt;
pub mod claim;
pub mod config;
pub mod event;
pub mod lifecycle;
mod owner_notice;
pub mod polling;
mod snapshot_update;
pub mod view;

pub use attempt::cancel_older_attempts;
pub use config::BillingConfig;
pub use lifecycle::{SubscriptionState, SubscriptionStatus};
pub use snapshot_update::apply_snapshot;

/// Error text for a read-only business.
pub const READ_ONLY_MESSAGE: &str = "Your subscription has ended, so nothing can be changed. You can read and export everything; subscribe again under Billing to go on.";

#[derive(Clone, Copy, Debug)]
pub struct BillingContext<'a> {
    pub origin: &'a ClockRng,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    /// Recipients of messages about the install.
    pub operators: &'a [EmailAddress],
    /// Whether the install's keys move real money; none without keys.
    pub is_live: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SubscriptionRecord {
    pub id: SubscriptionId,
    /// None until it is claimed.
    pub org_id: Option<OrgId>,
    pub request_id: Option<DemoRequestId>,
    /// `sub_…`
    pub provider_id: String,
    /// `cus_…`
    pub customer_id: String,
    #[sqlx(flatten)]
    pub fact: SubscriptionSnapshot,
    pub card_brand: Option<String>,
    pub card_last4: Option<String>,
    pub card_expires: Option<String>,
    /// Whether it is in live mode; none until known from Stripe.
    pub livemode: Option<bool>,
    pub created_at: DateTime<Utc>,
}

impl SubscriptionRecord {
    /// Test mode and live mode are separate at Stripe.
    #[must_use]
    pub fn matches_keys(&self, keys: &StripeCredentials) -> bool {
        self.livemode.is_none_or(|is_live| is_live != keys.is_test_mode())
    }

    /// Whether it was paid for and Stripe has not ended it, even if a payment is owed.
    #[must_use]
    pub fn is_ongoing(&self) -> bool {
        self.fact.has_started() && !self.fact.has_ended()
    }

    /// The day on which it is to end, while that is still to come.
    #[must_use]
    pub fn ends_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.fact.cancel_at.filter(|end| self.is_ongoing() && *end > now)
    }
}

const COLUMNS: &str =
    "id, org_id, request_id, provider_id, customer_id, fact_at, is_answer, status, plan, period_start,
    period_end, trial_end, cancel_at, ended_at, for_nonpayment, owed_since, card_brand, card_last4, card_expires, livemode,
    created_at";

/// All of a business in the install's mode (test or live), newest first.
pub async fn list_for_org(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<SubscriptionRecord>> {
    Ok(qb!(conn, fetch_all as SubscriptionRecord, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM subscription WHERE org_id = ").push_bind(org);
        b.push(" AND is_counted = TRUE ORDER BY created_at DESC, id DESC");
    })?)
}

/// The one that decides the state of a business. None when none was ever paid for.
#[must_use]
pub fn current_subscription(all: &[SubscriptionRecord], now: DateTime<Utc>) -> Option<&SubscriptionRecord> {
    let begun = all.iter().filter(|one| one.fact.has_started());
    begun.max_by_key(|one| (SubscriptionStatus::from_snapshot(&one.fact, now), one.created_at))
}

/// By our id alone, for the worker: the row names the business.
pub async fn find_by_id(conn: &mut dyn AsConn, id: SubscriptionId) -> Result<Option<SubscriptionRecord>> {
    Ok(qb!(conn, fetch_optional as SubscriptionRecord, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM subscription WHERE id = ").push_bind(id);
    })?)
}

/// The inverse of [`SubscriptionState::is_writable`], in one query of the database.
pub async fn is_read_only(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM subscription WHERE org_id = $1 AND has_begun = TRUE AND is_counted = TRUE)
             AND NOT EXISTS (SELECT 1 FROM subscription WHERE org_id = $1 AND has_begun = TRUE AND is_counted = TRUE
                 AND (read_only_from IS NULL OR read_only_from > $2))",
        org,
        now
    )?)
}
