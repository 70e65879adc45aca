//! What a business pays to whoever runs this install: its subscription at Stripe, and what follows from how it stands.
//!
//! The install's own account at Stripe is apart from those that businesses connect for their customers' cards
//! ([`crate::domain::money::checkout`]). Stripe is never called inside a transaction. Its news only add to what is known ([`Fact`]),
//! and let us ask; how a business stands follows from that and the clock ([`standing`]), so nothing has to happen at
//! the right time for it to be true.
//!
//! Who pays before they have an account gets a letter with a link; the owner who opens it has the subscription for
//! their business ([`claim`]).

use chrono::{DateTime, Utc};
use sqlx::FromRow;

use crate::{
    platform::{
        clock::Origin,
        db::{AsConn, q, qb},
        error::Result,
        id::{DemoRequestId, OrgId, SubscriptionId},
        public_url::PublicUrl,
        secret::SecretKey,
    },
    providers::payments::{Keys, subscription_fact::Fact},
};

mod attempt;
pub mod claim;
pub mod config;
pub mod event;
mod learn;
pub mod look;
pub mod standing;
pub mod view;
mod warn;

pub use attempt::forget_older;
pub use config::BillingConfig;
pub use learn::learn;
pub use standing::{Standing, State};

/// What somebody is told whose business only reads.
pub const READ_ONLY: &str = "Your subscription has ended, so nothing can be changed. You can read and export everything; subscribe again under Billing to go on.";

/// What the functions of this room are handed.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub origin: &'a Origin,
    pub secret: &'a SecretKey,
    pub public_url: &'a PublicUrl,
    /// Who is told what concerns the install.
    pub operators: &'a [String],
    /// Whether the install's keys move real money; none while it has none.
    pub is_live: Option<bool>,
}

/// A subscription as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Subscribed {
    pub id: SubscriptionId,
    /// None until somebody claims it.
    pub org_id: Option<OrgId>,
    pub request_id: Option<DemoRequestId>,
    /// `sub_…`
    pub provider_id: String,
    /// `cus_…`
    pub customer_id: String,
    #[sqlx(flatten)]
    pub fact: Fact,
    pub card_brand: Option<String>,
    pub card_last4: Option<String>,
    pub card_expires: Option<String>,
    /// Whether real money moves; none until Stripe said so.
    pub livemode: Option<bool>,
    pub created_at: DateTime<Utc>,
}

impl Subscribed {
    /// Whether the account of these keys can know it: test and real money are two worlds at Stripe.
    #[must_use]
    pub fn is_of(&self, keys: &Keys) -> bool {
        self.livemode.is_none_or(|is_live| is_live != keys.is_test())
    }

    /// Whether it was paid for and Stripe has not ended it, be it owed for or not.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.fact.has_begun() && !self.fact.is_over()
    }

    /// The day on which it is to end, while that is still to come.
    #[must_use]
    pub fn ends_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.fact.cancel_at.filter(|end| self.goes_on() && *end > now)
    }
}

const COLUMNS: &str =
    "id, org_id, request_id, provider_id, customer_id, fact_at, is_answer, status, plan, period_start,
    period_end, trial_end, cancel_at, ended_at, for_nonpayment, owed_since, card_brand, card_last4, card_expires, livemode,
    created_at";

/// All that a business ever subscribed to with money of the kind that the install takes, newest first.
pub async fn of_org(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Subscribed>> {
    Ok(qb!(conn, fetch_all as Subscribed, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM subscription WHERE org_id = ").push_bind(org);
        b.push(" AND counts = TRUE ORDER BY created_at DESC, id DESC");
    })?)
}

/// The one that decides how a business stands. None when none was ever paid for.
#[must_use]
pub fn current(all: &[Subscribed], now: DateTime<Utc>) -> Option<&Subscribed> {
    let begun = all.iter().filter(|one| one.fact.has_begun());
    begun.max_by_key(|one| (Standing::of(&one.fact, now), one.created_at))
}

/// A subscription by our id, for the worker: whose it is stands in it.
pub async fn find(conn: &mut dyn AsConn, id: SubscriptionId) -> Result<Option<Subscribed>> {
    Ok(qb!(conn, fetch_optional as Subscribed, |b| {
        b.push("SELECT ").push(COLUMNS).push(" FROM subscription WHERE id = ").push_bind(id);
    })?)
}

/// Whether a business only reads. The same as [`State::works`], asked of the database in one question.
pub async fn is_read_only(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM subscription WHERE org_id = $1 AND has_begun = TRUE AND counts = TRUE)
             AND NOT EXISTS (SELECT 1 FROM subscription WHERE org_id = $1 AND has_begun = TRUE AND counts = TRUE
                 AND (read_only_from IS NULL OR read_only_from > $2))",
        org,
        now
    )?)
}
