//! State of a business by its subscription, derived from the known facts for a given instant.
//!
//! Pure. A business that never subscribed is unrestricted: an install for one's own firm pays nothing, and neither does
//! the demonstration. An unpaid or ended subscription leaves 14 days without restriction; then the business is
//! read-only and can export its data, which is kept for 60 days at least.

use crate::providers::payments::subscription_snapshot::BillingPlan;
use crate::providers::payments::subscription_snapshot::StripeSubscriptionStatus;
use crate::providers::payments::subscription_snapshot::SubscriptionSnapshot;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Time without restriction after a failed payment or the end of a subscription: Stripe's own retries last two weeks
/// (docs.stripe.com/billing/revenue-recovery/smart-retries).
pub const GRACE_PERIOD: Duration = Duration::days(14);
/// Minimum time for which the data of a read-only business is kept (issue 6).
pub const DATA_RETENTION: Duration = Duration::days(60);
/// Notice period of a cancellation (product.md §1).
pub const NOTICE_PERIOD: Duration = Duration::days(30);

/// Subscription states, the weakest first; of several subscriptions the strongest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubscriptionState {
    /// Never subscribed.
    None,
    /// Reads, exports and pays, and nothing else.
    ReadOnly,
    /// It has ended; all goes on for some days.
    Grace,
    /// A payment is owed; all goes on for some days.
    PastDue,
    /// It is to end on a day, and can be taken up again until then.
    Cancelled,
    Trial,
    Active,
}

impl SubscriptionState {
    #[must_use]
    pub fn is_writable(self) -> bool {
        self != Self::ReadOnly
    }

    /// The `active` of product.md.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Active | Self::Trial | Self::Cancelled)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SubscriptionStatus {
    pub state: SubscriptionState,
    /// Trial: its end. Active: the next payment. Cancelled: its last instant. Past due and grace: the start of
    /// read-only. Read-only: until when the data is kept at least.
    pub until: Option<DateTime<Utc>>,
}

impl SubscriptionStatus {
    pub const NONE: Self = Self { state: SubscriptionState::None, until: None };

    #[must_use]
    pub fn from_snapshot(fact: &SubscriptionSnapshot, now: DateTime<Utc>) -> Self {
        if !fact.has_started() {
            return Self::NONE;
        }
        let Some((wall, from)) = read_only_from(fact).zip(payment_stops_at(fact)) else { return ongoing_status(fact) };
        let (state, until) = if now < from {
            (SubscriptionState::Cancelled, from)
        } else if now < wall {
            (if fact.has_payment_due() { SubscriptionState::PastDue } else { SubscriptionState::Grace }, wall)
        } else {
            (SubscriptionState::ReadOnly, wall + DATA_RETENTION)
        };
        Self { state, until: Some(until) }
    }

    /// The strongest subscription of a business counts.
    #[must_use]
    pub fn strongest_of<'a>(facts: impl IntoIterator<Item = &'a SubscriptionSnapshot>, now: DateTime<Utc>) -> Self {
        facts.into_iter().map(|fact| Self::from_snapshot(fact, now)).max().unwrap_or(Self::NONE)
    }
}

fn ongoing_status(fact: &SubscriptionSnapshot) -> SubscriptionStatus {
    match fact.status {
        StripeSubscriptionStatus::Trialing => {
            SubscriptionStatus { state: SubscriptionState::Trial, until: fact.trial_end.or(fact.period_end) }
        }
        _ => SubscriptionStatus { state: SubscriptionState::Active, until: fact.period_end },
    }
}

/// Since when it is not paid for, or from when on it will not be. None while it goes on.
///
/// A debt counts from its oldest invoice. While that is not known: a failed renewal has begun its period all the same,
/// so the debt counts from then. A subscription that ended with the debt counts from there too: the same debt gives no
/// second grace, neither with the next period nor with the end.
fn payment_stops_at(fact: &SubscriptionSnapshot) -> Option<DateTime<Utc>> {
    let unpaid_since = fact.owed_since.unwrap_or_else(|| fact.period_start.unwrap_or(fact.at).min(fact.at));
    match fact.status {
        StripeSubscriptionStatus::PastDue | StripeSubscriptionStatus::Unpaid => {
            Some(fact.cancel_at.map_or(unpaid_since, |end| end.min(unpaid_since)))
        }
        StripeSubscriptionStatus::Paused => {
            Some(fact.owed_since.unwrap_or_else(|| fact.trial_end.unwrap_or(fact.at).min(fact.at)))
        }
        StripeSubscriptionStatus::Canceled => {
            let ended = fact.ended_at.unwrap_or(fact.at);
            Some(if fact.for_nonpayment || fact.owed_since.is_some() { ended.min(unpaid_since) } else { ended })
        }
        // The end is known by its day, even before Stripe's event.
        StripeSubscriptionStatus::Active | StripeSubscriptionStatus::Trialing => fact.cancel_at,
        StripeSubscriptionStatus::Incomplete | StripeSubscriptionStatus::IncompleteExpired => None,
    }
}

/// End of a subscription cancelled at `now`: with notice, and never before the end of what was prepaid.
#[must_use]
pub fn cancellation_end_at(fact: &SubscriptionSnapshot, now: DateTime<Utc>) -> DateTime<Utc> {
    let notice = now + NOTICE_PERIOD;
    match fact.plan {
        BillingPlan::Monthly => notice,
        BillingPlan::SixMonths => fact.period_end.map_or(notice, |paid| paid.max(notice)),
    }
}

/// Start of read-only, if nothing else is learnt. None while it goes on.
#[must_use]
pub fn read_only_from(fact: &SubscriptionSnapshot) -> Option<DateTime<Utc>> {
    payment_stops_at(fact).filter(|_| fact.has_started()).map(|from| from + GRACE_PERIOD)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::strategies::{facts, instant};

    fn day(n: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000 + n)
    }

    /// Paid for from day 0 to day 30.
    fn paid() -> SubscriptionSnapshot {
        SubscriptionSnapshot {
            at: day(0),
            is_answer: false,
            status: StripeSubscriptionStatus::Active,
            plan: BillingPlan::Monthly,
            period_start: Some(day(0)),
            period_end: Some(day(30)),
            trial_end: None,
            cancel_at: None,
            ended_at: None,
            for_nonpayment: false,
            owed_since: None,
        }
    }

    fn status_on(fact: &SubscriptionSnapshot, on: i64) -> (SubscriptionState, i64) {
        let standing = SubscriptionStatus::from_snapshot(fact, day(on));
        (standing.state, standing.until.map_or(-1, |until| (until - day(0)).num_days()))
    }

    #[test]
    fn paid_subscription_is_active_and_never_paid_one_is_none() {
        assert_eq!(status_on(&paid(), 10), (SubscriptionState::Active, 30));
        for status in [StripeSubscriptionStatus::Incomplete, StripeSubscriptionStatus::IncompleteExpired] {
            assert_eq!(
                status_on(&SubscriptionSnapshot { status, ended_at: Some(day(1)), ..paid() }, 90),
                (SubscriptionState::None, -1)
            );
        }
        let trial =
            SubscriptionSnapshot { status: StripeSubscriptionStatus::Trialing, trial_end: Some(day(14)), ..paid() };
        assert_eq!(status_on(&trial, 3), (SubscriptionState::Trial, 14));
    }

    #[test]
    fn past_due_subscription_works_fourteen_days_from_due_date() {
        let owed = SubscriptionSnapshot {
            at: day(31),
            status: StripeSubscriptionStatus::PastDue,
            period_start: Some(day(30)),
            period_end: Some(day(60)),
            ..paid()
        };
        for (on, wanted) in [
            (31, (SubscriptionState::PastDue, 44)),
            (43, (SubscriptionState::PastDue, 44)),
            (44, (SubscriptionState::ReadOnly, 104)),
            (500, (SubscriptionState::ReadOnly, 104)),
        ] {
            assert_eq!(status_on(&owed, on), wanted, "day {on}");
        }
        // Stripe gives up on day 44 and ends it: no new grace.
        let ended = SubscriptionSnapshot {
            status: StripeSubscriptionStatus::Canceled,
            ended_at: Some(day(44)),
            for_nonpayment: true,
            ..owed
        };
        assert_eq!(status_on(&ended, 44), (SubscriptionState::ReadOnly, 104));
    }

    #[test]
    fn growing_or_ended_debt_does_not_extend_the_deadline() {
        let owed = |from: i64| SubscriptionSnapshot {
            at: day(from),
            status: StripeSubscriptionStatus::PastDue,
            period_start: Some(day(from)),
            period_end: Some(day(from + 30)),
            owed_since: Some(day(30)),
            ..paid()
        };
        assert_eq!(status_on(&owed(30), 43), (SubscriptionState::PastDue, 44));
        for from in [60, 90, 120] {
            assert_eq!(status_on(&owed(from), from), (SubscriptionState::ReadOnly, 104), "the period from day {from}");
        }
        for status in [StripeSubscriptionStatus::Unpaid, StripeSubscriptionStatus::Paused] {
            assert_eq!(
                status_on(&SubscriptionSnapshot { status, ..owed(60) }, 60),
                (SubscriptionState::ReadOnly, 104),
                "{status:?}"
            );
        }
        let ended =
            SubscriptionSnapshot { status: StripeSubscriptionStatus::Canceled, ended_at: Some(day(70)), ..owed(60) };
        assert_eq!(status_on(&ended, 70), (SubscriptionState::ReadOnly, 104), "anyone may ask for its end");
    }

    #[test]
    fn prepaid_period_is_not_cut_short_by_notice_period() {
        let long = SubscriptionSnapshot { plan: BillingPlan::SixMonths, period_end: Some(day(180)), ..paid() };
        for (fact, on, wanted) in [(&paid(), 2, 32), (&long, 2, 180), (&long, 150, 180), (&long, 170, 200)] {
            assert_eq!(cancellation_end_at(fact, day(on)), day(wanted), "day {on}");
        }
        let unknown = SubscriptionSnapshot { period_end: None, ..long };
        assert_eq!(cancellation_end_at(&unknown, day(2)), day(32));
    }

    #[test]
    fn cancelled_subscription_ends_then_has_grace_then_is_read_only() {
        let cancelled = SubscriptionSnapshot { cancel_at: Some(day(40)), ..paid() };
        assert_eq!(status_on(&cancelled, 39), (SubscriptionState::Cancelled, 40));
        let ended = SubscriptionSnapshot {
            at: day(40),
            status: StripeSubscriptionStatus::Canceled,
            ended_at: Some(day(40)),
            ..cancelled.clone()
        };
        // With and without the event of its end.
        for fact in [cancelled, ended] {
            assert_eq!(status_on(&fact, 40), (SubscriptionState::Grace, 54));
            assert_eq!(status_on(&fact, 54), (SubscriptionState::ReadOnly, 114));
        }
    }

    #[test]
    fn new_subscription_restores_access_but_incomplete_attempt_does_not() {
        let ended =
            SubscriptionSnapshot { status: StripeSubscriptionStatus::Canceled, ended_at: Some(day(1)), ..paid() };
        let tried = SubscriptionSnapshot { status: StripeSubscriptionStatus::Incomplete, ..paid() };
        assert_eq!(SubscriptionStatus::strongest_of([&ended, &tried], day(90)).state, SubscriptionState::ReadOnly);
        assert_eq!(SubscriptionStatus::strongest_of([&ended, &paid()], day(90)).state, SubscriptionState::Active);
        assert_eq!(SubscriptionStatus::strongest_of([], day(90)), SubscriptionStatus::NONE);
    }

    proptest! {
        #[test]
        fn standing_never_improves_by_time_alone(facts in facts(), from in instant(), days in 0_i64..400) {
            let later = from + Duration::days(days);
            let known = facts.into_iter().reduce(SubscriptionSnapshot::newer_of).unwrap();
            prop_assert!(SubscriptionStatus::from_snapshot(&known, later).state <= SubscriptionStatus::from_snapshot(&known, from).state);
        }

        #[test]
        fn read_only_column_agrees_with_standing_rule(facts in facts(), now in instant()) {
            for fact in &facts {
                let reads_only = read_only_from(fact).is_some_and(|wall| wall <= now);
                prop_assert_eq!(!SubscriptionStatus::from_snapshot(fact, now).state.is_writable(), reads_only);
            }
        }

        #[test]
        fn standing_is_independent_of_event_order(
            (right, mixed) in facts().prop_flat_map(|facts| (Just(facts.clone()), Just(facts).prop_shuffle())),
            now in instant(),
        ) {
            let merged_status = |facts: Vec<SubscriptionSnapshot>| SubscriptionStatus::from_snapshot(&facts.into_iter().reduce(SubscriptionSnapshot::newer_of).unwrap(), now);
            prop_assert_eq!(merged_status(right), merged_status(mixed));
        }
    }
}
