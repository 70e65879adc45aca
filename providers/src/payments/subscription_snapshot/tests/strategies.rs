//! Snapshots for property tests, of this crate and of `shared`.

use chrono::{DateTime, Duration, Utc};
use proptest::{collection::vec, prelude::*};

use super::{BillingPlan, StripeSubscriptionStatus, SubscriptionSnapshot};

pub const STATUSES: [StripeSubscriptionStatus; 8] = [
    StripeSubscriptionStatus::Incomplete,
    StripeSubscriptionStatus::Trialing,
    StripeSubscriptionStatus::Paused,
    StripeSubscriptionStatus::PastDue,
    StripeSubscriptionStatus::Unpaid,
    StripeSubscriptionStatus::Active,
    StripeSubscriptionStatus::IncompleteExpired,
    StripeSubscriptionStatus::Canceled,
];

/// Within half a year, coarse enough that equal instants are common.
pub fn instant() -> impl Strategy<Value = DateTime<Utc>> {
    (0_i64..60).prop_map(|n| DateTime::UNIX_EPOCH + Duration::days(20_000 + n * 3))
}

fn maybe() -> impl Strategy<Value = Option<DateTime<Utc>>> {
    proptest::option::of(instant())
}

pub fn fact() -> impl Strategy<Value = SubscriptionSnapshot> {
    let spans = (maybe(), maybe(), maybe(), maybe(), maybe(), maybe());
    (instant(), any::<bool>(), proptest::sample::select(STATUSES.to_vec()), any::<bool>(), spans, any::<bool>())
        .prop_map(|(at, is_answer, status, is_long, spans, for_nonpayment)| {
            let (period_start, period_end, trial_end, cancel_at, ended_at, owed_since) = spans;
            let plan = if is_long { BillingPlan::SixMonths } else { BillingPlan::Monthly };
            SubscriptionSnapshot {
                at,
                is_answer,
                status,
                plan,
                period_start,
                period_end,
                trial_end,
                cancel_at,
                ended_at,
                for_nonpayment,
                owed_since,
            }
        })
}

pub fn facts() -> impl Strategy<Value = Vec<SubscriptionSnapshot>> {
    vec(fact(), 1..8)
}
