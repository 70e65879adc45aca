//! Estimate and change order: the two kinds of papers that a customer approves, and their names.

use crate::{
    documents::template::{self, Language, WordingValues},
    domain::{
        messaging::{followup::FollowUpSubject, message},
        tenancy::activity_log::EventKind,
    },
    platform::{id::JobId, money::Cents, sequence::NumberSeries},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EstimateKind {
    Estimate,
    /// An addition to a job, or a deduction from it, beside what was agreed.
    ChangeOrder,
}

/// Fixed prefix of change orders; a business can only set that of estimates.
const CHANGE_ORDER_PREFIX: &str = "CO-";

impl EstimateKind {
    #[must_use]
    pub fn from_job(job: Option<JobId>) -> Self {
        if job.is_some() { Self::ChangeOrder } else { Self::Estimate }
    }

    /// "EST-", or the business's own; "CO-".
    #[must_use]
    pub fn number_prefix(self, of_estimates: &str) -> &str {
        match self {
            Self::Estimate => of_estimates,
            Self::ChangeOrder => CHANGE_ORDER_PREFIX,
        }
    }

    #[must_use]
    pub fn number_series(self) -> NumberSeries {
        match self {
            Self::Estimate => NumberSeries::Estimate,
            Self::ChangeOrder => NumberSeries::ChangeOrder,
        }
    }

    /// Stored form of a number: both kinds share a table, change orders with negative numbers. Applied again, it gives
    /// the shown number.
    #[must_use]
    pub fn signed_number(self, number: i64) -> i64 {
        match self {
            Self::Estimate => number,
            Self::ChangeOrder => -number,
        }
    }

    #[must_use]
    pub fn display_noun(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Estimate, Language::En) => "estimate",
            (Self::Estimate, Language::Es) => "presupuesto",
            (Self::ChangeOrder, Language::En) => "change order",
            (Self::ChangeOrder, Language::Es) => "orden de cambio",
        }
    }

    #[must_use]
    pub fn display_title(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Estimate, Language::En) => "Estimate",
            (Self::Estimate, Language::Es) => "Presupuesto",
            (Self::ChangeOrder, Language::En) => "Change order",
            (Self::ChangeOrder, Language::Es) => "Orden de cambio",
        }
    }

    #[must_use]
    pub(super) fn choose_by_kind<T>(self, of_estimate: T, of_change: T) -> T {
        match self {
            Self::Estimate => of_estimate,
            Self::ChangeOrder => of_change,
        }
    }

    pub(super) fn followup_subject(self) -> FollowUpSubject {
        match self {
            Self::Estimate => FollowUpSubject::Estimate,
            Self::ChangeOrder => FollowUpSubject::ChangeOrder,
        }
    }

    #[must_use]
    pub fn message_kind(self) -> message::MessageKind {
        match self {
            Self::Estimate => message::MessageKind::Estimate,
            Self::ChangeOrder => message::MessageKind::ChangeOrder,
        }
    }

    /// Kind of the question that follows when the customer does not answer.
    #[must_use]
    pub fn follow_up_kind(self) -> message::MessageKind {
        match self {
            Self::Estimate => message::MessageKind::EstimateFollowUp,
            Self::ChangeOrder => message::MessageKind::ChangeOrderFollowUp,
        }
    }

    pub(super) fn template_kind(self, of: EstimateTemplate) -> template::TemplateKindName {
        use template::TemplateKindName;
        match (self, of) {
            (Self::Estimate, EstimateTemplate::Text) => TemplateKindName::EstimateText,
            (Self::Estimate, EstimateTemplate::Email) => TemplateKindName::EstimateEmail,
            (Self::Estimate, EstimateTemplate::Signed) => TemplateKindName::EstimateSigned,
            (Self::ChangeOrder, EstimateTemplate::Text) => TemplateKindName::ChangeOrderText,
            (Self::ChangeOrder, EstimateTemplate::Email) => TemplateKindName::ChangeOrderEmail,
            (Self::ChangeOrder, EstimateTemplate::Signed) => TemplateKindName::ChangeOrderSigned,
        }
    }

    /// Variables of every wording about it. The total is between `least` and `most`, by the customer's choice;
    /// `job_total` is the total of the job with a change.
    pub(crate) fn template_variables(
        self,
        [least, most]: [Cents; 2],
        number: &str,
        job_total: Option<Cents>,
    ) -> WordingValues {
        let number = Some(number.to_owned());
        let own = match self {
            Self::Estimate => WordingValues { estimate_number: number, ..WordingValues::default() },
            Self::ChangeOrder => WordingValues { change_order_number: number, job_total, ..WordingValues::default() },
        };
        WordingValues { amount: Some(least), amount_up_to: Some(most), ..own }
    }

    pub(crate) fn with_link(self, link: Option<String>, variables: WordingValues) -> WordingValues {
        match self {
            Self::Estimate => WordingValues { estimate_link: link, ..variables },
            Self::ChangeOrder => WordingValues { change_order_link: link, ..variables },
        }
    }

    pub(super) fn event_kind(self, of: EstimateEvent) -> EventKind {
        match (self, of) {
            (Self::Estimate, EstimateEvent::Sent) => EventKind::EstimateSent,
            (Self::Estimate, EstimateEvent::Viewed) => EventKind::EstimateViewed,
            (Self::Estimate, EstimateEvent::Approved) => EventKind::EstimateApproved,
            (Self::Estimate, EstimateEvent::Declined) => EventKind::EstimateDeclined,
            (Self::Estimate, EstimateEvent::Asked) => EventKind::EstimateAsked,
            (Self::Estimate, EstimateEvent::Replaced) => EventKind::EstimateReplaced,
            (Self::Estimate, EstimateEvent::Withdrawn) => EventKind::EstimateWithdrawn,
            (Self::ChangeOrder, EstimateEvent::Sent) => EventKind::ChangeOrderSent,
            (Self::ChangeOrder, EstimateEvent::Viewed) => EventKind::ChangeOrderViewed,
            (Self::ChangeOrder, EstimateEvent::Approved) => EventKind::ChangeOrderApproved,
            (Self::ChangeOrder, EstimateEvent::Declined) => EventKind::ChangeOrderDeclined,
            (Self::ChangeOrder, EstimateEvent::Asked) => EventKind::ChangeOrderAsked,
            (Self::ChangeOrder, EstimateEvent::Replaced) => EventKind::ChangeOrderReplaced,
            (Self::ChangeOrder, EstimateEvent::Withdrawn) => EventKind::ChangeOrderWithdrawn,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EstimateTemplate {
    Text,
    Email,
    Signed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EstimateEvent {
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
    fn stored_numbers_of_estimates_and_change_orders_never_collide() {
        for number in [1001, 1002, 99_999] {
            assert_eq!(
                EstimateKind::ChangeOrder.signed_number(EstimateKind::ChangeOrder.signed_number(number)),
                number
            );
            assert_ne!(EstimateKind::ChangeOrder.signed_number(number), EstimateKind::Estimate.signed_number(number));
        }
        assert_eq!(
            (EstimateKind::Estimate.number_prefix("Q"), EstimateKind::ChangeOrder.number_prefix("Q")),
            ("Q", "CO-")
        );
    }
}
