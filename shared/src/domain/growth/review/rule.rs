//! The rules of asking, pure: who is not asked and why, which way a request goes, and when a day has had enough.
//!
//! None of them knows what anybody thinks of the business: there is no such thing to look at here.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::messaging::message::Channel;

/// Nobody is asked again within this time (features 57).
pub(super) const APART: Duration = Duration::days(180);
/// A request that could not leave by then is given up (trust 1.1).
pub(super) const WORTH_IT: Duration = Duration::hours(72);

/// What an ask follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskCause)]
pub enum Cause {
    JobCompleted,
    InvoicePaid,
    /// Somebody pressed "Request Review".
    ByHand,
}

/// Where an ask stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskState)]
pub enum State {
    /// Nothing has left yet.
    Waiting,
    /// The first request has left; more may follow.
    Asked,
    /// They opened the public site, left a review, or wrote back.
    Answered,
    /// Something spoke against the rest.
    Stopped,
    /// Nothing ever left.
    NotAsked,
}

/// Why an ask ended, or never was. Add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskWhy)]
pub enum Why {
    Clicked,
    Reviewed,
    Replied,
    OptedOut,
    Complaint,
    Reverted,
    Staff,
    Blocked,
    AskedBefore,
    NoContact,
    NoPostalAddress,
    SwitchedOff,
    TemplateOff,
    NotPaid,
    Merged,
    NotSent,
    ByHand,
    RanOut,
}

impl Why {
    #[cfg(test)]
    pub(super) const ALL: [Self; 18] = [
        Self::Clicked,
        Self::Reviewed,
        Self::Replied,
        Self::OptedOut,
        Self::Complaint,
        Self::Reverted,
        Self::Staff,
        Self::Blocked,
        Self::AskedBefore,
        Self::NoContact,
        Self::NoPostalAddress,
        Self::SwitchedOff,
        Self::TemplateOff,
        Self::NotPaid,
        Self::Merged,
        Self::NotSent,
        Self::ByHand,
        Self::RanOut,
    ];

    /// As a part of a sentence: "not sent: they have left a review".
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::Clicked => "they opened the page for public reviews",
            Self::Reviewed => "they have left a review",
            Self::Replied => "they wrote back",
            Self::OptedOut => "they asked for no more messages",
            Self::Complaint => "there is a problem that is not settled",
            Self::Reverted => "the work is not done after all",
            Self::Staff => "they are staff or a relative",
            Self::Blocked => "you blocked this customer for automatic messages",
            Self::AskedBefore => "they were asked within the last 180 days",
            Self::NoContact => "no way to reach them is open",
            Self::NoPostalAddress => {
                "your postal address is missing in Organization, and the law wants it in such an email"
            }
            Self::SwitchedOff => "review collection is switched off",
            Self::TemplateOff => "the template is switched off",
            Self::NotPaid => "it is not paid yet",
            Self::Merged => "they are asked under their other record",
            Self::NotSent => "the request could not be sent",
            Self::ByHand => "somebody of the business stopped it",
            Self::RanOut => "its days passed while nothing could be sent",
        }
    }

    /// As a sentence without its full stop.
    #[must_use]
    pub fn sentence(self) -> String {
        begun(self.clause())
    }

    /// How an ask stands that ended for this, depending on whether a request had left.
    #[must_use]
    pub fn ends_as(self, was_asked: bool) -> State {
        match self {
            _ if !was_asked => State::NotAsked,
            Self::Clicked | Self::Reviewed | Self::Replied => State::Answered,
            _ => State::Stopped,
        }
    }
}

/// The same words with a capital letter.
pub(super) fn begun(clause: &str) -> String {
    let mut said = clause.to_owned();
    if let Some(first) = said.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    said
}

/// Which request of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    First,
    /// After three days.
    Second,
    /// After seven, by the other way.
    Third,
}

impl Turn {
    pub(super) const AFTER: [(Self, Duration); 2] =
        [(Self::Second, Duration::days(3)), (Self::Third, Duration::days(7))];

    /// The step's name, kept for ever.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "review_ask",
            Self::Second => "review_3",
            Self::Third => "review_7",
        }
    }

    pub(super) fn of(step: &str) -> Option<Self> {
        [Self::First, Self::Second, Self::Third].into_iter().find(|turn| turn.name() == step)
    }
}

/// What is looked at before somebody is asked.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason by itself")]
pub(super) struct Seen {
    pub is_staff: bool,
    pub is_blocked: bool,
    pub has_complaint: bool,
    /// At any of their numbers, or of such emails.
    pub opted_out: bool,
    /// The job is open again.
    pub is_reverted: bool,
    /// They left a review within the last half year; where an owner wished it all the same, since then.
    pub has_reviewed: bool,
    /// Another request left, or is about to, within the last half year.
    pub was_asked: bool,
    /// An owner wished it all the same.
    pub is_override: bool,
    pub is_on: bool,
}

/// Why this customer is not asked; none when they are, like everybody else.
pub(super) fn why_not(turn: Turn, seen: &Seen) -> Option<Why> {
    let again = turn == Turn::First && !seen.is_override;
    [
        (seen.is_staff, Why::Staff),
        (seen.is_blocked, Why::Blocked),
        (seen.has_complaint, Why::Complaint),
        (seen.opted_out, Why::OptedOut),
        (seen.is_reverted, Why::Reverted),
        (seen.has_reviewed, Why::Reviewed),
        (seen.was_asked && again, Why::AskedBefore),
        (!seen.is_on, Why::SwitchedOff),
    ]
    .into_iter()
    .find_map(|(holds, why)| holds.then_some(why))
}

/// The way of a request: texts first, then emails, and the third by the other one, as far as they are open.
pub(super) fn way(turn: Turn, text: bool, email: bool, first: Option<Channel>) -> Option<Channel> {
    let before = first.unwrap_or(Channel::Sms);
    let other = if before == Channel::Sms { Channel::Email } else { Channel::Sms };
    let order = if turn == Turn::Third { [other, before] } else { [before, other] };
    order.into_iter().find(|way| if *way == Channel::Sms { text } else { email })
}

/// What of a day's share is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day {
    /// Customers who were asked for the first time on it.
    pub begun: i64,
    pub cap: i64,
    /// Who waits for a later day already.
    pub later: i64,
    /// Somebody else of the same household was asked on it.
    pub household: bool,
}

/// How many days later a request goes; none when it goes today.
pub(super) fn put_off(turn: Turn, day: Day) -> Option<(i64, &'static str)> {
    if turn == Turn::First && day.begun >= day.cap {
        // Those who wait already come first, so many on each day.
        return Some((1 + day.later / day.cap.max(1), "the day's number of requests for a review is used up"));
    }
    day.household.then_some((1, "somebody else at this address was asked for a review today"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ON: Seen = Seen {
        is_staff: false,
        is_blocked: false,
        has_complaint: false,
        opted_out: false,
        is_reverted: false,
        has_reviewed: false,
        was_asked: false,
        is_override: false,
        is_on: true,
    };

    #[test]
    fn each_reason_alone_is_named_and_the_strongest_of_several() {
        let first = |seen: Seen| why_not(Turn::First, &seen);
        assert_eq!(first(ON), None);
        let alone = [
            (Seen { is_staff: true, ..ON }, Why::Staff),
            (Seen { is_blocked: true, ..ON }, Why::Blocked),
            (Seen { has_complaint: true, ..ON }, Why::Complaint),
            (Seen { opted_out: true, ..ON }, Why::OptedOut),
            (Seen { is_reverted: true, ..ON }, Why::Reverted),
            (Seen { has_reviewed: true, ..ON }, Why::Reviewed),
            (Seen { was_asked: true, ..ON }, Why::AskedBefore),
            (Seen { is_on: false, ..ON }, Why::SwitchedOff),
        ];
        for (seen, why) in alone {
            assert_eq!(first(seen), Some(why));
        }
        assert_eq!(first(Seen { is_staff: true, opted_out: true, is_on: false, ..ON }), Some(Why::Staff));
    }

    #[test]
    fn an_owner_overrides_the_half_year_and_nothing_else() {
        let asked = Seen { was_asked: true, is_override: true, ..ON };
        assert_eq!(why_not(Turn::First, &asked), None);
        for stays in [
            Seen { is_staff: true, ..asked },
            Seen { opted_out: true, ..asked },
            Seen { has_complaint: true, ..asked },
            Seen { is_on: false, ..asked },
        ] {
            assert!(why_not(Turn::First, &stays).is_some());
        }
    }

    #[test]
    fn their_own_sequence_is_not_another_one() {
        for turn in [Turn::Second, Turn::Third] {
            assert_eq!(why_not(turn, &Seen { was_asked: true, ..ON }), None);
            assert_eq!(why_not(turn, &Seen { has_reviewed: true, ..ON }), Some(Why::Reviewed));
        }
    }

    #[test]
    fn the_third_goes_the_other_way_if_it_is_open() {
        use Channel::{Email, Sms};
        let table = [
            (Turn::First, true, true, None, Some(Sms)),
            (Turn::First, false, true, None, Some(Email)),
            (Turn::First, false, false, None, None),
            (Turn::Second, true, true, Some(Sms), Some(Sms)),
            (Turn::Second, false, true, Some(Sms), Some(Email)),
            (Turn::Second, true, true, Some(Email), Some(Email)),
            (Turn::Third, true, true, Some(Sms), Some(Email)),
            (Turn::Third, true, false, Some(Sms), Some(Sms)),
            (Turn::Third, true, true, Some(Email), Some(Sms)),
            (Turn::Third, false, true, Some(Email), Some(Email)),
        ];
        for (turn, text, email, first, wanted) in table {
            assert_eq!(way(turn, text, email, first), wanted, "{turn:?} {text} {email} {first:?}");
        }
    }

    #[test]
    fn a_full_day_puts_first_requests_off_in_their_order_and_follow_ups_go() {
        let day = Day { begun: 50, cap: 50, later: 0, household: false };
        let days = |day| put_off(Turn::First, day).map(|(days, _)| days);
        assert_eq!(days(Day { begun: 49, ..day }), None);
        assert_eq!(days(day), Some(1));
        assert_eq!(days(Day { later: 49, ..day }), Some(1));
        assert_eq!(days(Day { later: 50, ..day }), Some(2));
        assert_eq!(put_off(Turn::Second, day), None);
        assert_eq!(put_off(Turn::Third, Day { household: true, ..day }).map(|(days, _)| days), Some(1));
    }

    #[test]
    fn what_ended_before_anything_left_was_not_asked() {
        for why in Why::ALL {
            assert_eq!(why.ends_as(false), State::NotAsked);
            let answered = matches!(why, Why::Clicked | Why::Reviewed | Why::Replied);
            assert_eq!(why.ends_as(true), if answered { State::Answered } else { State::Stopped });
            assert!(why.sentence().chars().next().is_some_and(char::is_uppercase) && !why.clause().ends_with('.'));
        }
    }

    proptest! {
        /// Whoever differs in nothing that is named here is asked the same.
        #[test]
        fn of_two_alike_both_are_asked_or_none(
            flags in prop::array::uniform9(any::<bool>()),
            turn in prop::sample::select(vec![Turn::First, Turn::Second, Turn::Third]),
        ) {
            let [is_staff, is_blocked, has_complaint, opted_out, is_reverted, has_reviewed, was_asked, is_override, is_on] = flags;
            let seen = Seen { is_staff, is_blocked, has_complaint, opted_out, is_reverted, has_reviewed, was_asked, is_override, is_on };
            prop_assert_eq!(why_not(turn, &seen), why_not(turn, &seen.clone()));
            let nothing_against = !(is_staff || is_blocked || has_complaint || opted_out || is_reverted) && is_on
                && !has_reviewed && (is_override || turn != Turn::First || !was_asked);
            prop_assert_eq!(why_not(turn, &seen).is_none(), nothing_against);
        }
    }
}
