//! Review request rules, pure: who is not asked and why, the channel, and the daily limits. They have no access to
//! ratings.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::messaging::message::MessageChannel;

/// Minimum time between two requests to a customer (features 57).
pub(super) const MIN_REQUEST_INTERVAL: Duration = Duration::days(180);
/// A request that has not left by then is given up (trust 1.1).
pub(super) const SEND_WINDOW: Duration = Duration::hours(72);

/// What an ask follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskCause)]
pub enum ReviewRequestCause {
    JobCompleted,
    InvoicePaid,
    /// Somebody pressed "Request Review".
    ByHand,
}

/// State of a review request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskState)]
pub enum ReviewRequestState {
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
pub enum ReviewRequestReason {
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

impl ReviewRequestReason {
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
    pub fn reason_clause(self) -> &'static str {
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
            Self::ByHand => "someone at the business stopped it",
            Self::RanOut => "its days passed while nothing could be sent",
        }
    }

    #[must_use]
    pub fn reason_sentence(self) -> String {
        capitalize_first(self.reason_clause())
    }

    /// State of an ask that ended for this reason.
    #[must_use]
    pub fn final_state(self, was_asked: bool) -> ReviewRequestState {
        match self {
            _ if !was_asked => ReviewRequestState::NotAsked,
            Self::Clicked | Self::Reviewed | Self::Replied => ReviewRequestState::Answered,
            _ => ReviewRequestState::Stopped,
        }
    }
}

pub(super) fn capitalize_first(clause: &str) -> String {
    let mut sentence = clause.to_owned();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReviewSequenceStep {
    First,
    /// After three days.
    Second,
    /// After seven, on the other channel.
    Third,
}

impl ReviewSequenceStep {
    pub(super) const AFTER: [(Self, Duration); 2] =
        [(Self::Second, Duration::days(3)), (Self::Third, Duration::days(7))];

    /// Stored: must not change.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "review_ask",
            Self::Second => "review_3",
            Self::Third => "review_7",
        }
    }

    pub(super) fn from_name(step: &str) -> Option<Self> {
        [Self::First, Self::Second, Self::Third].into_iter().find(|turn| turn.name() == step)
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason by itself")]
pub(super) struct EligibilityFacts {
    pub is_staff: bool,
    pub is_blocked: bool,
    pub has_complaint: bool,
    /// At any of their numbers, or of such emails.
    pub opted_out: bool,
    pub is_reverted: bool,
    /// Reviewed within the last half year; with an owner's override, since that.
    pub has_reviewed: bool,
    /// Another request left, or is about to, within the last half year.
    pub was_asked: bool,
    pub is_override: bool,
    pub is_on: bool,
}

/// None when the customer is asked.
pub(super) fn ineligibility_reason(turn: ReviewSequenceStep, seen: &EligibilityFacts) -> Option<ReviewRequestReason> {
    let again = turn == ReviewSequenceStep::First && !seen.is_override;
    [
        (seen.is_staff, ReviewRequestReason::Staff),
        (seen.is_blocked, ReviewRequestReason::Blocked),
        (seen.has_complaint, ReviewRequestReason::Complaint),
        (seen.opted_out, ReviewRequestReason::OptedOut),
        (seen.is_reverted, ReviewRequestReason::Reverted),
        (seen.has_reviewed, ReviewRequestReason::Reviewed),
        (seen.was_asked && again, ReviewRequestReason::AskedBefore),
        (!seen.is_on, ReviewRequestReason::SwitchedOff),
    ]
    .into_iter()
    .find_map(|(holds, why)| holds.then_some(why))
}

/// Text first, else email; the third request by the other one; each only where it is open.
pub(super) fn choose_channel(
    turn: ReviewSequenceStep,
    text: bool,
    email: bool,
    first: Option<MessageChannel>,
) -> Option<MessageChannel> {
    let before = first.unwrap_or(MessageChannel::Sms);
    let other = if before == MessageChannel::Sms { MessageChannel::Email } else { MessageChannel::Sms };
    let order = if turn == ReviewSequenceStep::Third { [other, before] } else { [before, other] };
    order.into_iter().find(|way| if *way == MessageChannel::Sms { text } else { email })
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DailyRequestUsage {
    /// Customers first asked on it.
    pub begun: i64,
    pub cap: i64,
    /// Asks that wait for a later day already.
    pub later: i64,
    /// Another customer of the same household was asked on it.
    pub household: bool,
}

/// Days of delay, with the reason; none when it goes today.
pub(super) fn deferral_days(turn: ReviewSequenceStep, day: DailyRequestUsage) -> Option<(i64, &'static str)> {
    if turn == ReviewSequenceStep::First && day.begun >= day.cap {
        // Asks that wait already come first, up to the daily cap.
        return Some((1 + day.later / day.cap.max(1), "the day's number of requests for a review is used up"));
    }
    day.household.then_some((1, "someone else at this address was asked for a review today"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ON: EligibilityFacts = EligibilityFacts {
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
    fn refusal_reason_is_named_and_strongest_takes_precedence() {
        let first = |seen: EligibilityFacts| ineligibility_reason(ReviewSequenceStep::First, &seen);
        assert_eq!(first(ON), None);
        let alone = [
            (EligibilityFacts { is_staff: true, ..ON }, ReviewRequestReason::Staff),
            (EligibilityFacts { is_blocked: true, ..ON }, ReviewRequestReason::Blocked),
            (EligibilityFacts { has_complaint: true, ..ON }, ReviewRequestReason::Complaint),
            (EligibilityFacts { opted_out: true, ..ON }, ReviewRequestReason::OptedOut),
            (EligibilityFacts { is_reverted: true, ..ON }, ReviewRequestReason::Reverted),
            (EligibilityFacts { has_reviewed: true, ..ON }, ReviewRequestReason::Reviewed),
            (EligibilityFacts { was_asked: true, ..ON }, ReviewRequestReason::AskedBefore),
            (EligibilityFacts { is_on: false, ..ON }, ReviewRequestReason::SwitchedOff),
        ];
        for (seen, why) in alone {
            assert_eq!(first(seen), Some(why));
        }
        assert_eq!(
            first(EligibilityFacts { is_staff: true, opted_out: true, is_on: false, ..ON }),
            Some(ReviewRequestReason::Staff)
        );
    }

    #[test]
    fn owner_override_lifts_only_the_half_year_limit() {
        let asked = EligibilityFacts { was_asked: true, is_override: true, ..ON };
        assert_eq!(ineligibility_reason(ReviewSequenceStep::First, &asked), None);
        for stays in [
            EligibilityFacts { is_staff: true, ..asked },
            EligibilityFacts { opted_out: true, ..asked },
            EligibilityFacts { has_complaint: true, ..asked },
            EligibilityFacts { is_on: false, ..asked },
        ] {
            assert!(ineligibility_reason(ReviewSequenceStep::First, &stays).is_some());
        }
    }

    #[test]
    fn follow_up_request_ignores_own_sequence_as_earlier_request() {
        for turn in [ReviewSequenceStep::Second, ReviewSequenceStep::Third] {
            assert_eq!(ineligibility_reason(turn, &EligibilityFacts { was_asked: true, ..ON }), None);
            assert_eq!(
                ineligibility_reason(turn, &EligibilityFacts { has_reviewed: true, ..ON }),
                Some(ReviewRequestReason::Reviewed)
            );
        }
    }

    #[test]
    fn third_request_uses_other_channel_when_available() {
        use MessageChannel::{Email, Sms};
        let table = [
            (ReviewSequenceStep::First, true, true, None, Some(Sms)),
            (ReviewSequenceStep::First, false, true, None, Some(Email)),
            (ReviewSequenceStep::First, false, false, None, None),
            (ReviewSequenceStep::Second, true, true, Some(Sms), Some(Sms)),
            (ReviewSequenceStep::Second, false, true, Some(Sms), Some(Email)),
            (ReviewSequenceStep::Second, true, true, Some(Email), Some(Email)),
            (ReviewSequenceStep::Third, true, true, Some(Sms), Some(Email)),
            (ReviewSequenceStep::Third, true, false, Some(Sms), Some(Sms)),
            (ReviewSequenceStep::Third, true, true, Some(Email), Some(Sms)),
            (ReviewSequenceStep::Third, false, true, Some(Email), Some(Email)),
        ];
        for (turn, text, email, first, wanted) in table {
            assert_eq!(choose_channel(turn, text, email, first), wanted, "{turn:?} {text} {email} {first:?}");
        }
    }

    #[test]
    fn full_day_postpones_first_requests_and_not_follow_ups() {
        let day = DailyRequestUsage { begun: 50, cap: 50, later: 0, household: false };
        let days = |day| deferral_days(ReviewSequenceStep::First, day).map(|(days, _)| days);
        assert_eq!(days(DailyRequestUsage { begun: 49, ..day }), None);
        assert_eq!(days(day), Some(1));
        assert_eq!(days(DailyRequestUsage { later: 49, ..day }), Some(1));
        assert_eq!(days(DailyRequestUsage { later: 50, ..day }), Some(2));
        assert_eq!(deferral_days(ReviewSequenceStep::Second, day), None);
        assert_eq!(
            deferral_days(ReviewSequenceStep::Third, DailyRequestUsage { household: true, ..day })
                .map(|(days, _)| days),
            Some(1)
        );
    }

    #[test]
    fn sequence_ended_before_first_send_is_not_asked() {
        for why in ReviewRequestReason::ALL {
            assert_eq!(why.final_state(false), ReviewRequestState::NotAsked);
            let answered = matches!(
                why,
                ReviewRequestReason::Clicked | ReviewRequestReason::Reviewed | ReviewRequestReason::Replied
            );
            assert_eq!(
                why.final_state(true),
                if answered { ReviewRequestState::Answered } else { ReviewRequestState::Stopped }
            );
            assert!(
                why.reason_sentence().chars().next().is_some_and(char::is_uppercase)
                    && !why.reason_clause().ends_with('.')
            );
        }
    }

    proptest! {
        /// Customers that differ in nothing named here get the same decision.
        #[test]
        fn refusal_depends_only_on_listed_facts(
            flags in prop::array::uniform9(any::<bool>()),
            turn in prop::sample::select(vec![ReviewSequenceStep::First, ReviewSequenceStep::Second, ReviewSequenceStep::Third]),
        ) {
            let [is_staff, is_blocked, has_complaint, opted_out, is_reverted, has_reviewed, was_asked, is_override, is_on] = flags;
            let seen = EligibilityFacts { is_staff, is_blocked, has_complaint, opted_out, is_reverted, has_reviewed, was_asked, is_override, is_on };
            prop_assert_eq!(ineligibility_reason(turn, &seen), ineligibility_reason(turn, &seen.clone()));
            let nothing_against = !(is_staff || is_blocked || has_complaint || opted_out || is_reverted) && is_on
                && !has_reviewed && (is_override || turn != ReviewSequenceStep::First || !was_asked);
            prop_assert_eq!(ineligibility_reason(turn, &seen).is_none(), nothing_against);
        }
    }
}
