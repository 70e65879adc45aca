//! The two sorts of papers that a customer approves, and what is called otherwise of the one than of the other.

use crate::{
    documents::template::{self, Language, Variables},
    domain::{
        messaging::{followup::About, message},
        work::activity::EventKind,
    },
    platform::{id::JobId, money::Cents, sequence::Series},
};

/// What a customer is asked to approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// What the work would cost.
    Estimate,
    /// What is added to a job, or taken off it, beside what was agreed before.
    ChangeOrder,
}

/// How change orders are called, whatever a business calls its estimates.
const PREFIX: &str = "CO-";

impl Sort {
    /// A change order names the job that it changes.
    #[must_use]
    pub fn of(job: Option<JobId>) -> Self {
        if job.is_some() { Self::ChangeOrder } else { Self::Estimate }
    }

    /// "EST-", or the business's own; "CO-".
    #[must_use]
    pub fn prefix(self, of_estimates: &str) -> &str {
        match self {
            Self::Estimate => of_estimates,
            Self::ChangeOrder => PREFIX,
        }
    }

    /// The series that its numbers are of.
    #[must_use]
    pub fn series(self) -> Series {
        match self {
            Self::Estimate => Series::Estimate,
            Self::ChangeOrder => Series::ChangeOrder,
        }
    }

    /// A number of the series as it is stored: both sorts share a table, in which those of change orders lie below
    /// nothing. The same again makes it the number that is shown.
    #[must_use]
    pub fn stored(self, number: i64) -> i64 {
        match self {
            Self::Estimate => number,
            Self::ChangeOrder => -number,
        }
    }

    /// As it is called within a sentence.
    #[must_use]
    pub fn word(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Estimate, Language::En) => "estimate",
            (Self::Estimate, Language::Es) => "presupuesto",
            (Self::ChangeOrder, Language::En) => "change order",
            (Self::ChangeOrder, Language::Es) => "orden de cambio",
        }
    }

    /// As it is called at the head of a line.
    #[must_use]
    pub fn title(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Estimate, Language::En) => "Estimate",
            (Self::Estimate, Language::Es) => "Presupuesto",
            (Self::ChangeOrder, Language::En) => "Change order",
            (Self::ChangeOrder, Language::Es) => "Orden de cambio",
        }
    }

    /// One of two sentences.
    #[must_use]
    pub(super) fn say(self, of_estimate: &'static str, of_change: &'static str) -> &'static str {
        match self {
            Self::Estimate => of_estimate,
            Self::ChangeOrder => of_change,
        }
    }

    pub(super) fn about(self) -> About {
        match self {
            Self::Estimate => About::Estimate,
            Self::ChangeOrder => About::ChangeOrder,
        }
    }

    /// What messages about it are for.
    #[must_use]
    pub fn message(self) -> message::Kind {
        match self {
            Self::Estimate => message::Kind::Estimate,
            Self::ChangeOrder => message::Kind::ChangeOrder,
        }
    }

    /// The same of the question that follows where nobody answers.
    #[must_use]
    pub fn question(self) -> message::Kind {
        match self {
            Self::Estimate => message::Kind::EstimateFollowUp,
            Self::ChangeOrder => message::Kind::ChangeOrderFollowUp,
        }
    }

    pub(super) fn wording(self, of: Wording) -> template::Kind {
        use template::Kind;
        match (self, of) {
            (Self::Estimate, Wording::Text) => Kind::EstimateText,
            (Self::Estimate, Wording::Email) => Kind::EstimateEmail,
            (Self::Estimate, Wording::Signed) => Kind::EstimateSigned,
            (Self::ChangeOrder, Wording::Text) => Kind::ChangeOrderText,
            (Self::ChangeOrder, Wording::Email) => Kind::ChangeOrderEmail,
            (Self::ChangeOrder, Wording::Signed) => Kind::ChangeOrderSigned,
        }
    }

    /// What every wording about it may say of it. It comes to the least or the most, as the customer chooses; `job_total`
    /// is what the job comes to with a change.
    pub(crate) fn variables(self, [least, most]: [Cents; 2], number: &str, job_total: Option<Cents>) -> Variables {
        let number = Some(number.to_owned());
        let own = match self {
            Self::Estimate => Variables { estimate_number: number, ..Variables::default() },
            Self::ChangeOrder => Variables { change_order_number: number, job_total, ..Variables::default() },
        };
        Variables { amount: Some(least), amount_up_to: Some(most), ..own }
    }

    /// With where it is read and approved, if that is known.
    pub(crate) fn linked(self, link: Option<String>, variables: Variables) -> Variables {
        match self {
            Self::Estimate => Variables { estimate_link: link, ..variables },
            Self::ChangeOrder => Variables { change_order_link: link, ..variables },
        }
    }

    pub(super) fn event(self, of: Happened) -> EventKind {
        match (self, of) {
            (Self::Estimate, Happened::Sent) => EventKind::EstimateSent,
            (Self::Estimate, Happened::Viewed) => EventKind::EstimateViewed,
            (Self::Estimate, Happened::Approved) => EventKind::EstimateApproved,
            (Self::Estimate, Happened::Declined) => EventKind::EstimateDeclined,
            (Self::Estimate, Happened::Asked) => EventKind::EstimateAsked,
            (Self::Estimate, Happened::Replaced) => EventKind::EstimateReplaced,
            (Self::Estimate, Happened::Withdrawn) => EventKind::EstimateWithdrawn,
            (Self::ChangeOrder, Happened::Sent) => EventKind::ChangeOrderSent,
            (Self::ChangeOrder, Happened::Viewed) => EventKind::ChangeOrderViewed,
            (Self::ChangeOrder, Happened::Approved) => EventKind::ChangeOrderApproved,
            (Self::ChangeOrder, Happened::Declined) => EventKind::ChangeOrderDeclined,
            (Self::ChangeOrder, Happened::Asked) => EventKind::ChangeOrderAsked,
            (Self::ChangeOrder, Happened::Replaced) => EventKind::ChangeOrderReplaced,
            (Self::ChangeOrder, Happened::Withdrawn) => EventKind::ChangeOrderWithdrawn,
        }
    }
}

/// The words that go out with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wording {
    Text,
    Email,
    Signed,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happened {
    Sent,
    Viewed,
    Approved,
    Declined,
    Asked,
    Replaced,
    Withdrawn,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_two_sorts_never_meet() {
        for number in [1001, 1002, 99_999] {
            assert_eq!(Sort::ChangeOrder.stored(Sort::ChangeOrder.stored(number)), number);
            assert_ne!(Sort::ChangeOrder.stored(number), Sort::Estimate.stored(number));
        }
        assert_eq!((Sort::Estimate.prefix("Q"), Sort::ChangeOrder.prefix("Q")), ("Q", "CO-"));
    }
}
