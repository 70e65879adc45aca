//! Subscription snapshots from Stripe with their time, and the rule which of two counts.
//!
//! Stripe's events arrive late, twice and in any order (docs.stripe.com/webhooks, "Event ordering"). So snapshots are
//! not merged: the newest one counts, and "newest" is a total order, so the result does not depend on the order of
//! arrival.

use platform::{money::Cents, text_enum::parse_variant};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

/// Stripe's subscription status (docs.stripe.com/api/subscriptions/object, `status`), ordered by progress: of two
/// snapshots of the same second the later status counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum StripeSubscriptionStatus {
    /// The first payment is outstanding.
    Incomplete,
    Trialing,
    /// A trial ended without a payment method.
    Paused,
    /// A payment failed and is being retried.
    PastDue,
    /// A payment failed, and Stripe has stopped retrying.
    Unpaid,
    Active,
    /// The first payment was never made. Final.
    IncompleteExpired,
    Canceled,
}

impl StripeSubscriptionStatus {
    /// None when this version does not know the status.
    #[must_use]
    pub fn from_stripe(word: &str) -> Option<Self> {
        parse_variant(word)
    }

    /// Stripe never revives these; a snapshot with another status is older.
    fn is_final(self) -> bool {
        matches!(self, Self::Canceled | Self::IncompleteExpired)
    }
}

/// How it is paid.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum BillingPlan {
    #[default]
    Monthly,
    /// Six months at once, with $500 less for the setup (product.md §1).
    SixMonths,
}

/// Plan prices (product.md §1 and §9). The amounts charged are set at Stripe, under the configured price ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanCost {
    pub setup: Cents,
    pub every: Cents,
}

impl BillingPlan {
    #[must_use]
    pub const fn plan_cost(self) -> PlanCost {
        match self {
            Self::Monthly => PlanCost { setup: Cents(250_000), every: Cents(35_000) },
            Self::SixMonths => PlanCost { setup: Cents(200_000), every: Cents(210_000) },
        }
    }

    #[must_use]
    pub const fn billing_months(self) -> i64 {
        match self {
            Self::Monthly => 1,
            Self::SixMonths => 6,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, FromRow)]
pub struct SubscriptionSnapshot {
    /// Event: creation time at Stripe. Response: time of the request.
    #[sqlx(rename = "fact_at")]
    pub at: DateTime<Utc>,
    /// From a response. Events have whole seconds, so within the same second the response is newer.
    pub is_answer: bool,
    pub status: StripeSubscriptionStatus,
    pub plan: BillingPlan,
    pub period_start: Option<DateTime<Utc>>,
    pub period_end: Option<DateTime<Utc>>,
    pub trial_end: Option<DateTime<Utc>>,
    pub cancel_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub for_nonpayment: bool,
    /// Creation time of the oldest unpaid invoice. Known only after a query for invoices.
    pub owed_since: Option<DateTime<Utc>>,
}

impl SubscriptionSnapshot {
    /// The newer of the two.
    #[must_use]
    pub fn newer_of(self, other: Self) -> Self {
        if other.precedence() > self.precedence() { other } else { self }
    }

    fn precedence(&self) -> (bool, &Self) {
        (self.status.is_final(), self)
    }

    /// The state after `update` arrives: the newer of the two. A known debt start stays while the debt is unpaid,
    /// because Stripe's snapshots of a new period do not contain it.
    #[must_use]
    pub fn merge_update(self, update: Self) -> Self {
        let earlier = self.owed_since;
        let mut counts = self.newer_of(update);
        if counts.retains_debt() {
            counts.owed_since = counts.owed_since.or(earlier);
        }
        counts
    }

    #[must_use]
    pub fn has_payment_due(&self) -> bool {
        matches!(
            self.status,
            StripeSubscriptionStatus::PastDue | StripeSubscriptionStatus::Unpaid | StripeSubscriptionStatus::Paused
        )
    }

    /// Whether an earlier debt persists. For an ended subscription a response tells what remained unpaid.
    fn retains_debt(&self) -> bool {
        self.has_payment_due() || (self.status == StripeSubscriptionStatus::Canceled && !self.is_answer)
    }

    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.status.is_final()
    }

    /// Whether it was ever paid; before that it belongs to no business.
    #[must_use]
    pub fn has_started(&self) -> bool {
        !matches!(self.status, StripeSubscriptionStatus::Incomplete | StripeSubscriptionStatus::IncompleteExpired)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use proptest::prelude::*;

    use self::strategies::facts;
    use super::*;

    mod strategies;

    fn merge_facts(facts: impl IntoIterator<Item = SubscriptionSnapshot>) -> SubscriptionSnapshot {
        facts.into_iter().reduce(SubscriptionSnapshot::newer_of).unwrap()
    }

    proptest! {
        #[test]
        fn facts_merge_to_the_same_result_in_any_order_and_with_duplicates(
            (right, mixed) in facts().prop_flat_map(|facts| {
                let twice: Vec<SubscriptionSnapshot> = facts.iter().chain(&facts).cloned().collect();
                (Just(facts), Just(twice).prop_shuffle())
            })
        ) {
            prop_assert_eq!(merge_facts(right), merge_facts(mixed));
        }

        #[test]
        fn late_fact_already_merged_changes_nothing(facts in facts()) {
            let known = merge_facts(facts.clone());
            for late in facts {
                prop_assert_eq!(known.clone().newer_of(late), known.clone());
            }
        }
    }

    fn at(second: i64, status: StripeSubscriptionStatus) -> SubscriptionSnapshot {
        SubscriptionSnapshot {
            at: DateTime::UNIX_EPOCH + Duration::days(20_000) + Duration::seconds(second),
            is_answer: false,
            status,
            plan: BillingPlan::Monthly,
            period_start: None,
            period_end: None,
            trial_end: None,
            cancel_at: None,
            ended_at: None,
            for_nonpayment: false,
            owed_since: None,
        }
    }

    #[test]
    fn newest_status_wins_and_terminal_status_is_final() {
        let table = [
            (
                at(1, StripeSubscriptionStatus::Active),
                at(2, StripeSubscriptionStatus::PastDue),
                StripeSubscriptionStatus::PastDue,
            ),
            (
                at(2, StripeSubscriptionStatus::Active),
                at(1, StripeSubscriptionStatus::PastDue),
                StripeSubscriptionStatus::Active,
            ),
            (
                at(1, StripeSubscriptionStatus::Incomplete),
                at(1, StripeSubscriptionStatus::Active),
                StripeSubscriptionStatus::Active,
            ),
            (
                at(1, StripeSubscriptionStatus::PastDue),
                at(1, StripeSubscriptionStatus::Active),
                StripeSubscriptionStatus::Active,
            ),
            (
                at(1, StripeSubscriptionStatus::Canceled),
                at(9, StripeSubscriptionStatus::Active),
                StripeSubscriptionStatus::Canceled,
            ),
            (
                at(1, StripeSubscriptionStatus::IncompleteExpired),
                at(9, StripeSubscriptionStatus::Active),
                StripeSubscriptionStatus::IncompleteExpired,
            ),
        ];
        for (one, other, wanted) in table {
            assert_eq!(one.clone().newer_of(other.clone()).status, wanted, "{one:?} {other:?}");
            assert_eq!(other.newer_of(one).status, wanted);
        }
        let answer = SubscriptionSnapshot { is_answer: true, ..at(1, StripeSubscriptionStatus::PastDue) };
        assert_eq!(
            at(1, StripeSubscriptionStatus::Active).newer_of(answer).status,
            StripeSubscriptionStatus::PastDue,
            "within its second the answer is newer"
        );
    }

    #[test]
    fn debt_persists_until_paid_and_is_cleared_by_a_canceled_answer() {
        let since = Some(at(0, StripeSubscriptionStatus::PastDue).at);
        let owed = SubscriptionSnapshot { owed_since: since, ..at(1, StripeSubscriptionStatus::PastDue) };
        for status in [
            StripeSubscriptionStatus::PastDue,
            StripeSubscriptionStatus::Unpaid,
            StripeSubscriptionStatus::Paused,
            StripeSubscriptionStatus::Canceled,
        ] {
            assert_eq!(owed.clone().merge_update(at(2, status)).owed_since, since, "{status:?}");
        }
        assert_eq!(owed.clone().merge_update(at(2, StripeSubscriptionStatus::Active)).owed_since, None);
        let answer = SubscriptionSnapshot { is_answer: true, ..at(2, StripeSubscriptionStatus::Canceled) };
        assert_eq!(owed.clone().merge_update(answer).owed_since, None, "nothing was left to be paid");
        assert_eq!(
            owed.clone().merge_update(at(0, StripeSubscriptionStatus::Active)).owed_since,
            since,
            "what is late says nothing"
        );
        let paid = owed.merge_update(at(2, StripeSubscriptionStatus::Active));
        assert_eq!(
            paid.merge_update(at(3, StripeSubscriptionStatus::PastDue)).owed_since,
            None,
            "a new debt is not as old as the one that was paid"
        );
    }

    #[test]
    fn every_stripe_status_is_known_and_others_are_not() {
        for (word, wanted) in [
            ("incomplete", StripeSubscriptionStatus::Incomplete),
            ("incomplete_expired", StripeSubscriptionStatus::IncompleteExpired),
            ("trialing", StripeSubscriptionStatus::Trialing),
            ("active", StripeSubscriptionStatus::Active),
            ("past_due", StripeSubscriptionStatus::PastDue),
            ("canceled", StripeSubscriptionStatus::Canceled),
            ("unpaid", StripeSubscriptionStatus::Unpaid),
            ("paused", StripeSubscriptionStatus::Paused),
        ] {
            assert_eq!(StripeSubscriptionStatus::from_stripe(word), Some(wanted));
        }
        assert_eq!(StripeSubscriptionStatus::from_stripe("cancelled"), None);
    }

    #[test]
    fn six_month_plan_saves_500_dollars_on_the_setup() {
        let (monthly, long) = (BillingPlan::Monthly.plan_cost(), BillingPlan::SixMonths.plan_cost());
        assert_eq!(monthly.setup.0 - long.setup.0, 50_000);
        assert_eq!(long.every.0, 6 * monthly.every.0);
        assert_eq!(monthly.setup.0 + monthly.every.0, 285_000, "Total Today $2,850.00");
    }
}
