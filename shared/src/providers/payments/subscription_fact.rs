//! What is known of one subscription: a picture of it at Stripe with the instant it was taken, and which of two counts.
//!
//! Stripe's events come late, twice and in any order (docs.stripe.com/webhooks, "Event ordering"). So nothing is added
//! up: of all pictures that ever came the newest stands, and "newest" is a total order, so whatever way they came in
//! the same one is left.

use crate::platform::money::Cents;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

/// How Stripe says that a subscription stands (docs.stripe.com/api/subscriptions/object, `status`), in the order in
/// which one passes through them: of two pictures of the same second the later state is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Status {
    /// The first payment is still to be made.
    Incomplete,
    Trialing,
    /// A trial is over, and nothing is there to pay with.
    Paused,
    /// A payment failed and is tried again.
    PastDue,
    /// The same, and Stripe has given up trying.
    Unpaid,
    Active,
    /// The first payment was never made. Nothing follows on it.
    IncompleteExpired,
    /// Over. Nothing follows on it.
    Canceled,
}

impl Status {
    /// Stripe's word; none when this version does not know it.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "incomplete" => Self::Incomplete,
            "trialing" => Self::Trialing,
            "paused" => Self::Paused,
            "past_due" => Self::PastDue,
            "unpaid" => Self::Unpaid,
            "active" => Self::Active,
            "incomplete_expired" => Self::IncompleteExpired,
            "canceled" => Self::Canceled,
            _ => return None,
        })
    }

    /// Stripe revives none of these; another picture that says so was taken before.
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
#[schema(as = BillingPlan)]
pub enum Plan {
    #[default]
    Monthly,
    /// Six months at once, with $500 less for the setup (product.md §1).
    SixMonths,
}

/// What a plan costs (product.md §1 and §9). What is charged stands at Stripe, under the prices of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Once.
    pub setup: Cents,
    /// Each time, beginning today.
    pub every: Cents,
}

impl Plan {
    #[must_use]
    pub const fn cost(self) -> Cost {
        match self {
            Self::Monthly => Cost { setup: Cents(250_000), every: Cents(35_000) },
            Self::SixMonths => Cost { setup: Cents(200_000), every: Cents(210_000) },
        }
    }

    /// How many months one payment is for.
    #[must_use]
    pub const fn months(self) -> i64 {
        match self {
            Self::Monthly => 1,
            Self::SixMonths => 6,
        }
    }
}

/// A subscription at one instant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, FromRow)]
pub struct Fact {
    /// When the picture was taken: of an event when Stripe made it, of an answer when it was asked for.
    #[sqlx(rename = "fact_at")]
    pub at: DateTime<Utc>,
    /// Whether we asked for it. An event is dated in whole seconds, so within its second the answer is the newer one.
    pub is_answer: bool,
    pub status: Status,
    pub plan: Plan,
    pub period_start: Option<DateTime<Utc>>,
    pub period_end: Option<DateTime<Utc>>,
    pub trial_end: Option<DateTime<Utc>>,
    /// When it is to end, or did.
    pub cancel_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// Whether Stripe ended it because it was not paid.
    pub for_nonpayment: bool,
    /// When the oldest invoice was made that is still to be paid. Only whoever asks for the invoices knows it.
    pub owed_since: Option<DateTime<Utc>>,
}

impl Fact {
    /// The one of the two that counts.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if other.weight() > self.weight() { other } else { self }
    }

    fn weight(&self) -> (bool, &Self) {
        (self.status.is_final(), self)
    }

    /// What is known once `told` has come: the one of the two that counts. A debt that was known stands while it is not
    /// paid: the next period begins, Stripe draws the subscription anew, and since when it is owed stands in no drawing.
    #[must_use]
    pub fn and(self, told: Self) -> Self {
        let known = self.owed_since;
        let mut counts = self.or(told);
        if counts.keeps_debt() {
            counts.owed_since = counts.owed_since.or(known);
        }
        counts
    }

    /// Whether a payment is owed.
    #[must_use]
    pub fn owes(&self) -> bool {
        matches!(self.status, Status::PastDue | Status::Unpaid | Status::Paused)
    }

    /// Whether what was owed before is owed still. Of what is over, an answer says what was left unpaid.
    fn keeps_debt(&self) -> bool {
        self.owes() || (self.status == Status::Canceled && !self.is_answer)
    }

    /// Whether nothing follows on it.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status.is_final()
    }

    /// Whether it was ever paid for: before that it is nobody's subscription.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !matches!(self.status, Status::Incomplete | Status::IncompleteExpired)
    }
}

#[cfg(test)]
pub(crate) mod strategies {
    use chrono::Duration;
    use proptest::{collection::vec, prelude::*};

    use super::*;

    pub const STATUSES: [Status; 8] = [
        Status::Incomplete,
        Status::Trialing,
        Status::Paused,
        Status::PastDue,
        Status::Unpaid,
        Status::Active,
        Status::IncompleteExpired,
        Status::Canceled,
    ];

    /// Within half a year, coarse enough for equal instants to be common.
    pub fn instant() -> impl Strategy<Value = DateTime<Utc>> {
        (0_i64..60).prop_map(|n| DateTime::UNIX_EPOCH + Duration::days(20_000 + n * 3))
    }

    fn maybe() -> impl Strategy<Value = Option<DateTime<Utc>>> {
        proptest::option::of(instant())
    }

    pub fn fact() -> impl Strategy<Value = Fact> {
        let spans = (maybe(), maybe(), maybe(), maybe(), maybe(), maybe());
        (instant(), any::<bool>(), proptest::sample::select(STATUSES.to_vec()), any::<bool>(), spans, any::<bool>())
            .prop_map(|(at, is_answer, status, is_long, spans, for_nonpayment)| {
                let (period_start, period_end, trial_end, cancel_at, ended_at, owed_since) = spans;
                let plan = if is_long { Plan::SixMonths } else { Plan::Monthly };
                Fact {
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

    pub fn facts() -> impl Strategy<Value = Vec<Fact>> {
        vec(fact(), 1..8)
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use proptest::prelude::*;

    use super::{strategies::facts, *};

    fn told(facts: impl IntoIterator<Item = Fact>) -> Fact {
        facts.into_iter().reduce(Fact::or).unwrap()
    }

    proptest! {
        #[test]
        fn whatever_way_they_come_in_and_however_often_the_same_is_known(
            (right, mixed) in facts().prop_flat_map(|facts| {
                let twice: Vec<Fact> = facts.iter().chain(&facts).cloned().collect();
                (Just(facts), Just(twice).prop_shuffle())
            })
        ) {
            prop_assert_eq!(told(right), told(mixed));
        }

        #[test]
        fn what_came_three_days_late_changes_nothing(facts in facts()) {
            let known = told(facts.clone());
            for late in facts {
                prop_assert_eq!(known.clone().or(late), known.clone());
            }
        }
    }

    fn at(second: i64, status: Status) -> Fact {
        Fact {
            at: DateTime::UNIX_EPOCH + Duration::days(20_000) + Duration::seconds(second),
            is_answer: false,
            status,
            plan: Plan::Monthly,
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
    fn the_newest_counts_and_what_is_over_stays_over() {
        let table = [
            (at(1, Status::Active), at(2, Status::PastDue), Status::PastDue),
            (at(2, Status::Active), at(1, Status::PastDue), Status::Active),
            (at(1, Status::Incomplete), at(1, Status::Active), Status::Active),
            (at(1, Status::PastDue), at(1, Status::Active), Status::Active),
            (at(1, Status::Canceled), at(9, Status::Active), Status::Canceled),
            (at(1, Status::IncompleteExpired), at(9, Status::Active), Status::IncompleteExpired),
        ];
        for (one, other, wanted) in table {
            assert_eq!(one.clone().or(other.clone()).status, wanted, "{one:?} {other:?}");
            assert_eq!(other.or(one).status, wanted);
        }
        let answer = Fact { is_answer: true, ..at(1, Status::PastDue) };
        assert_eq!(at(1, Status::Active).or(answer).status, Status::PastDue, "within its second the answer is newer");
    }

    #[test]
    fn a_debt_stands_until_it_is_paid_and_the_answer_about_what_is_over_says_what_was_left() {
        let since = Some(at(0, Status::PastDue).at);
        let owed = Fact { owed_since: since, ..at(1, Status::PastDue) };
        for status in [Status::PastDue, Status::Unpaid, Status::Paused, Status::Canceled] {
            assert_eq!(owed.clone().and(at(2, status)).owed_since, since, "{status:?}");
        }
        assert_eq!(owed.clone().and(at(2, Status::Active)).owed_since, None);
        let answer = Fact { is_answer: true, ..at(2, Status::Canceled) };
        assert_eq!(owed.clone().and(answer).owed_since, None, "nothing was left to be paid");
        assert_eq!(owed.clone().and(at(0, Status::Active)).owed_since, since, "what is late says nothing");
        let paid = owed.and(at(2, Status::Active));
        assert_eq!(
            paid.and(at(3, Status::PastDue)).owed_since,
            None,
            "a new debt is not as old as the one that was paid"
        );
    }

    #[test]
    fn every_word_of_stripes_is_known_and_no_other() {
        for (word, wanted) in [
            ("incomplete", Status::Incomplete),
            ("incomplete_expired", Status::IncompleteExpired),
            ("trialing", Status::Trialing),
            ("active", Status::Active),
            ("past_due", Status::PastDue),
            ("canceled", Status::Canceled),
            ("unpaid", Status::Unpaid),
            ("paused", Status::Paused),
        ] {
            assert_eq!(Status::named(word), Some(wanted));
        }
        assert_eq!(Status::named("cancelled"), None);
    }

    #[test]
    fn six_months_at_once_save_500_dollars_on_the_setup() {
        let (monthly, long) = (Plan::Monthly.cost(), Plan::SixMonths.cost());
        assert_eq!(monthly.setup.0 - long.setup.0, 50_000);
        assert_eq!(long.every.0, 6 * monthly.every.0);
        assert_eq!(monthly.setup.0 + monthly.every.0, 285_000, "Total Today $2,850.00");
    }
}
