//! How a business stands with its subscription: what follows from what is known, for a given instant.
//!
//! Pure. A business that never subscribed may change everything: whoever runs an install for their own firm pays nobody,
//! and the demonstration neither. A subscription that was not paid, or has ended, leaves 14 days in which all goes on;
//! from then on its business only reads and takes its data along, which is kept for 60 days at least.

use crate::providers::payments::subscription_fact::Fact;
use crate::providers::payments::subscription_fact::Plan;
use crate::providers::payments::subscription_fact::Status;

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How long all goes on after a payment failed or a subscription ended: Stripe's own tries of a failed payment last two
/// weeks (docs.stripe.com/billing/revenue-recovery/smart-retries).
pub const GRACE: Duration = Duration::days(14);
/// How long the data is kept at least once a business only reads (issue 6).
pub const READ_ONLY: Duration = Duration::days(60);
/// The notice with which a subscription is cancelled (product.md §1).
pub const NOTICE: Duration = Duration::days(30);

/// How a business stands, the weakest first: of several subscriptions the strongest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SubscriptionState)]
pub enum State {
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

impl State {
    /// Whether the business may do what it is here for.
    #[must_use]
    pub fn works(self) -> bool {
        self != Self::ReadOnly
    }

    /// Whether it is paid for now: the `active` of product.md.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Active | Self::Trial | Self::Cancelled)
    }
}

/// A state, and when it ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub state: State,
    /// Trial: when it is over. Active: when it is paid for anew. Cancelled: its last instant. Past due and grace: from
    /// when on it only reads. Read-only: until when its data is kept at least.
    pub until: Option<DateTime<Utc>>,
}

impl Standing {
    pub const NONE: Self = Self { state: State::None, until: None };

    /// How one subscription stands.
    #[must_use]
    pub fn of(fact: &Fact, now: DateTime<Utc>) -> Self {
        if !fact.has_begun() {
            return Self::NONE;
        }
        let Some((wall, from)) = read_only_from(fact).zip(stops_at(fact)) else { return runs(fact) };
        let (state, until) = if now < from {
            (State::Cancelled, from)
        } else if now < wall {
            (if fact.owes() { State::PastDue } else { State::Grace }, wall)
        } else {
            (State::ReadOnly, wall + READ_ONLY)
        };
        Self { state, until: Some(until) }
    }

    /// How a business stands that has these subscriptions.
    #[must_use]
    pub fn of_all<'a>(facts: impl IntoIterator<Item = &'a Fact>, now: DateTime<Utc>) -> Self {
        facts.into_iter().map(|fact| Self::of(fact, now)).max().unwrap_or(Self::NONE)
    }
}

/// What goes on until somebody ends it.
fn runs(fact: &Fact) -> Standing {
    match fact.status {
        Status::Trialing => Standing { state: State::Trial, until: fact.trial_end.or(fact.period_end) },
        _ => Standing { state: State::Active, until: fact.period_end },
    }
}

/// Since when it is not paid for, or from when on it will not be. None while it goes on.
///
/// A debt counts from its oldest invoice. Where nobody has asked for that yet: a renewal that failed has begun its period
/// all the same, so what is owed is owed since then. One that ended with it is counted from there too: the same debt
/// gives no second grace, neither with the next period nor with the end.
fn stops_at(fact: &Fact) -> Option<DateTime<Utc>> {
    let unpaid_since = fact.owed_since.unwrap_or_else(|| fact.period_start.unwrap_or(fact.at).min(fact.at));
    match fact.status {
        Status::PastDue | Status::Unpaid => Some(fact.cancel_at.map_or(unpaid_since, |end| end.min(unpaid_since))),
        Status::Paused => Some(fact.owed_since.unwrap_or_else(|| fact.trial_end.unwrap_or(fact.at).min(fact.at))),
        Status::Canceled => {
            let ended = fact.ended_at.unwrap_or(fact.at);
            Some(if fact.for_nonpayment || fact.owed_since.is_some() { ended.min(unpaid_since) } else { ended })
        }
        // Its end is known by its day, whether or not Stripe's word of it has come.
        Status::Active | Status::Trialing => fact.cancel_at,
        Status::Incomplete | Status::IncompleteExpired => None,
    }
}

/// When one would end that is cancelled at `now`: with notice, and never before what was paid for at once.
#[must_use]
pub fn would_end(fact: &Fact, now: DateTime<Utc>) -> DateTime<Utc> {
    let notice = now + NOTICE;
    match fact.plan {
        Plan::Monthly => notice,
        Plan::SixMonths => fact.period_end.map_or(notice, |paid| paid.max(notice)),
    }
}

/// From when on its business only reads, if nothing else is learnt. None while it goes on.
#[must_use]
pub fn read_only_from(fact: &Fact) -> Option<DateTime<Utc>> {
    stops_at(fact).filter(|_| fact.has_begun()).map(|from| from + GRACE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::providers::payments::subscription_fact::strategies::{facts, instant};

    fn day(n: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_000 + n)
    }

    /// Paid for from day 0 to day 30.
    fn paid() -> Fact {
        Fact {
            at: day(0),
            is_answer: false,
            status: Status::Active,
            plan: Plan::Monthly,
            period_start: Some(day(0)),
            period_end: Some(day(30)),
            trial_end: None,
            cancel_at: None,
            ended_at: None,
            for_nonpayment: false,
            owed_since: None,
        }
    }

    fn stands(fact: &Fact, on: i64) -> (State, i64) {
        let standing = Standing::of(fact, day(on));
        (standing.state, standing.until.map_or(-1, |until| (until - day(0)).num_days()))
    }

    #[test]
    fn what_is_paid_for_is_active_and_what_was_never_paid_is_nothing() {
        assert_eq!(stands(&paid(), 10), (State::Active, 30));
        for status in [Status::Incomplete, Status::IncompleteExpired] {
            assert_eq!(stands(&Fact { status, ended_at: Some(day(1)), ..paid() }, 90), (State::None, -1));
        }
        let trial = Fact { status: Status::Trialing, trial_end: Some(day(14)), ..paid() };
        assert_eq!(stands(&trial, 3), (State::Trial, 14));
    }

    #[test]
    fn what_is_owed_goes_on_for_fourteen_days_from_when_it_was_due() {
        let owed = Fact {
            at: day(31),
            status: Status::PastDue,
            period_start: Some(day(30)),
            period_end: Some(day(60)),
            ..paid()
        };
        for (on, wanted) in [
            (31, (State::PastDue, 44)),
            (43, (State::PastDue, 44)),
            (44, (State::ReadOnly, 104)),
            (500, (State::ReadOnly, 104)),
        ] {
            assert_eq!(stands(&owed, on), wanted, "day {on}");
        }
        // Stripe gives up on day 44 and ends it: that is no new grace.
        let ended = Fact { status: Status::Canceled, ended_at: Some(day(44)), for_nonpayment: true, ..owed };
        assert_eq!(stands(&ended, 44), (State::ReadOnly, 104));
    }

    #[test]
    fn a_debt_that_grows_gives_no_new_days_and_neither_does_its_end() {
        let owed = |from: i64| Fact {
            at: day(from),
            status: Status::PastDue,
            period_start: Some(day(from)),
            period_end: Some(day(from + 30)),
            owed_since: Some(day(30)),
            ..paid()
        };
        assert_eq!(stands(&owed(30), 43), (State::PastDue, 44));
        for from in [60, 90, 120] {
            assert_eq!(stands(&owed(from), from), (State::ReadOnly, 104), "the period from day {from}");
        }
        for status in [Status::Unpaid, Status::Paused] {
            assert_eq!(stands(&Fact { status, ..owed(60) }, 60), (State::ReadOnly, 104), "{status:?}");
        }
        let ended = Fact { status: Status::Canceled, ended_at: Some(day(70)), ..owed(60) };
        assert_eq!(stands(&ended, 70), (State::ReadOnly, 104), "whoever asked for its end");
    }

    #[test]
    fn what_was_paid_at_once_is_not_cut_short_by_the_notice() {
        let long = Fact { plan: Plan::SixMonths, period_end: Some(day(180)), ..paid() };
        for (fact, on, wanted) in [(&paid(), 2, 32), (&long, 2, 180), (&long, 150, 180), (&long, 170, 200)] {
            assert_eq!(would_end(fact, day(on)), day(wanted), "day {on}");
        }
        let unknown = Fact { period_end: None, ..long };
        assert_eq!(would_end(&unknown, day(2)), day(32));
    }

    #[test]
    fn who_cancels_goes_on_to_the_day_and_then_has_grace_and_then_reads() {
        let cancelled = Fact { cancel_at: Some(day(40)), ..paid() };
        assert_eq!(stands(&cancelled, 39), (State::Cancelled, 40));
        let ended = Fact { at: day(40), status: Status::Canceled, ended_at: Some(day(40)), ..cancelled.clone() };
        // Whether or not the news of its end has come.
        for fact in [cancelled, ended] {
            assert_eq!(stands(&fact, 40), (State::Grace, 54));
            assert_eq!(stands(&fact, 54), (State::ReadOnly, 114));
        }
    }

    #[test]
    fn who_subscribes_anew_works_again_and_an_attempt_alone_helps_nobody() {
        let ended = Fact { status: Status::Canceled, ended_at: Some(day(1)), ..paid() };
        let tried = Fact { status: Status::Incomplete, ..paid() };
        assert_eq!(Standing::of_all([&ended, &tried], day(90)).state, State::ReadOnly);
        assert_eq!(Standing::of_all([&ended, &paid()], day(90)).state, State::Active);
        assert_eq!(Standing::of_all([], day(90)), Standing::NONE);
    }

    proptest! {
        #[test]
        fn time_alone_never_gives_anything_back(facts in facts(), from in instant(), days in 0_i64..400) {
            let later = from + Duration::days(days);
            let known = facts.into_iter().reduce(Fact::or).unwrap();
            prop_assert!(Standing::of(&known, later).state <= Standing::of(&known, from).state);
        }

        #[test]
        fn the_column_says_what_the_rule_says(facts in facts(), now in instant()) {
            for fact in &facts {
                let reads_only = read_only_from(fact).is_some_and(|wall| wall <= now);
                prop_assert_eq!(!Standing::of(fact, now).state.works(), reads_only);
            }
        }

        #[test]
        fn whatever_way_the_news_come_the_business_stands_the_same(
            (right, mixed) in facts().prop_flat_map(|facts| (Just(facts.clone()), Just(facts).prop_shuffle())),
            now in instant(),
        ) {
            let stands = |facts: Vec<Fact>| Standing::of(&facts.into_iter().reduce(Fact::or).unwrap(), now);
            prop_assert_eq!(stands(right), stands(mixed));
        }
    }
}
