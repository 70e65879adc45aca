//! Every wording the business sends without a person typing it: what it is for, where it goes, and what it may say.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::variables::Variable;

mod about;
mod answers;
mod catalogue;
mod papers;
mod team;
mod visits;

pub use catalogue::{TemplateKind, TemplateVariable, describe};

use about::about;

/// The six templates of the settings page, the ones their rules need beside them, and those of the way to the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateKindName)]
pub enum Kind {
    /// The automatic text to a new lead.
    Sms,
    MissedCall,
    /// The automatic email to a new lead.
    Email,
    /// What the people of the business are told.
    Employee,
    UnpaidInvoice,
    ReviewRequest,
    MissedCallAfterHours,
    MissedCallHoliday,
    MissedCallEmergency,
    /// To a caller whose visit is today.
    MissedCallJobToday,
    /// Once, when nobody answered the first text.
    MissedCallNudge,
    /// The one automatic answer to a first text from a person without an open lead.
    TextReply,
    TextReplyAfterHours,
    TextReplyEmergency,
    /// The answer to HELP.
    HelpReply,
    /// The one confirmation after STOP, when the provider sends none of its own.
    StopConfirmation,
    /// Push alert or short text to the people of the business.
    OwnerAlert,
    OwnerDigest,
    /// With the link, when somebody of the business has an estimate sent.
    EstimateText,
    /// The same with the paper itself.
    EstimateEmail,
    /// Asks whether there are questions, when nobody answered an estimate.
    EstimateFollowUp,
    /// Carries the receipt of a payment.
    Receipt,
    /// Carries what the customer signed.
    EstimateSigned,
    /// With the link, when an invoice goes out.
    InvoiceText,
    /// The same with the paper itself.
    InvoiceEmail,
    /// Before an invoice is due, and on the day.
    InvoiceDueSoon,
    /// When a visit is booked.
    VisitBooked,
    VisitMoved,
    VisitCancelled,
    VisitDayBefore,
    VisitHourBefore,
    /// At once, when the crew sets out.
    VisitOnTheWay,
    VisitLate,
    /// When the work is done.
    VisitDone,
    /// When a bank refused a card after the page was closed.
    PaymentFailed,
    /// With the link, when somebody of the business has a change order sent.
    ChangeOrderText,
    /// The same with the paper itself.
    ChangeOrderEmail,
    /// Asks whether there are questions, when nobody answered a change order.
    ChangeOrderFollowUp,
    /// Carries the change order that the customer signed.
    ChangeOrderSigned,
    /// The second and the third request for a review, to who did not answer the first.
    ReviewFollowUp,
    /// The draft of an answer to a review.
    ReviewReply,
    /// Asks somebody unknown to keep the time that they chose, by one tap.
    BookingQuestion,
    /// The same by email.
    BookingQuestionEmail,
}

/// How a wording leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateChannel)]
pub enum Channel {
    Sms,
    Email,
    /// A push alert; where there is no device the same words go as a text.
    Push,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateAudience)]
pub enum Audience {
    Customer,
    Team,
}

/// The consent a message needs, as the carriers part it (CTIA messaging principles, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MessageClass {
    /// The person wrote or rang first and gets one answer.
    Conversational,
    /// The person gave the number to be told about their own matter.
    Informational,
    /// Needs a written agreement of its own.
    Promotional,
}

impl Kind {
    /// Those that an editor is named after: the six of the product first.
    pub const EDITORS: [Self; 8] = [
        Self::Sms,
        Self::MissedCall,
        Self::Email,
        Self::Employee,
        Self::UnpaidInvoice,
        Self::ReviewRequest,
        Self::EstimateText,
        Self::VisitBooked,
    ];

    /// In the order the editors show them: the six first.
    pub const ALL: [Self; 43] = [
        Self::Sms,
        Self::MissedCall,
        Self::Email,
        Self::Employee,
        Self::UnpaidInvoice,
        Self::ReviewRequest,
        Self::MissedCallAfterHours,
        Self::MissedCallHoliday,
        Self::MissedCallEmergency,
        Self::MissedCallJobToday,
        Self::MissedCallNudge,
        Self::TextReply,
        Self::TextReplyAfterHours,
        Self::TextReplyEmergency,
        Self::HelpReply,
        Self::StopConfirmation,
        Self::OwnerAlert,
        Self::OwnerDigest,
        Self::EstimateText,
        Self::EstimateEmail,
        Self::EstimateFollowUp,
        Self::Receipt,
        Self::EstimateSigned,
        Self::InvoiceText,
        Self::InvoiceEmail,
        Self::InvoiceDueSoon,
        Self::VisitBooked,
        Self::VisitMoved,
        Self::VisitCancelled,
        Self::VisitDayBefore,
        Self::VisitHourBefore,
        Self::VisitOnTheWay,
        Self::VisitLate,
        Self::VisitDone,
        Self::PaymentFailed,
        Self::ChangeOrderText,
        Self::ChangeOrderEmail,
        Self::ChangeOrderFollowUp,
        Self::ChangeOrderSigned,
        Self::ReviewFollowUp,
        Self::ReviewReply,
        Self::BookingQuestion,
        Self::BookingQuestionEmail,
    ];

    #[must_use]
    pub fn title(self) -> &'static str {
        about(self).title
    }

    #[must_use]
    pub fn channel(self) -> Channel {
        about(self).channel
    }

    #[must_use]
    pub fn audience(self) -> Audience {
        about(self).audience
    }

    /// What the customer must have agreed to before it is sent.
    #[must_use]
    pub fn class(self) -> MessageClass {
        about(self).class
    }

    /// Whether it may be the first text of a thread.
    #[must_use]
    pub fn first_of_thread(self) -> bool {
        about(self).first
    }

    /// Which editor it stands in.
    #[must_use]
    pub fn editor(self) -> Self {
        about(self).editor
    }

    #[must_use]
    pub fn variables(self) -> &'static [Variable] {
        about(self).variables
    }

    #[must_use]
    pub fn has_subject(self) -> bool {
        self.channel() == Channel::Email
    }

    /// Whether it asks for a review: it needs the link, and may offer nothing.
    #[must_use]
    pub fn asks_for_review(self) -> bool {
        matches!(self, Self::ReviewRequest | Self::ReviewFollowUp)
    }

    /// Whether it asks for a tap: without the link nobody can keep their time.
    #[must_use]
    pub fn asks_for_tap(self) -> bool {
        matches!(self, Self::BookingQuestion | Self::BookingQuestionEmail)
    }

    /// Whether its words may promise an answer: those that go to somebody who asked.
    #[must_use]
    pub fn may_promise(self) -> bool {
        matches!(
            self,
            Self::Sms
                | Self::Email
                | Self::MissedCall
                | Self::MissedCallAfterHours
                | Self::MissedCallHoliday
                | Self::MissedCallEmergency
                | Self::MissedCallJobToday
                | Self::MissedCallNudge
                | Self::TextReply
                | Self::TextReplyAfterHours
                | Self::TextReplyEmergency
        )
    }

    /// How long the template may be as written, in characters.
    #[must_use]
    pub fn max_length(self) -> usize {
        if self.channel() == Channel::Email { 5_000 } else { 1_600 }
    }

    /// How many segments an automatic text may cost. The answer to HELP and the confirmation of STOP are one; a push
    /// alert is cut by the phone where a short text ends.
    #[must_use]
    pub fn max_segments(self) -> Option<usize> {
        match (self.channel(), self) {
            (Channel::Email, _) => None,
            (_, Self::HelpReply | Self::StopConfirmation) => Some(1),
            _ => Some(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, about(kind).kind), (at, kind));
        }
    }

    #[test]
    fn the_six_of_the_settings_page_come_first_and_every_wording_stands_in_an_editor() {
        assert_eq!(Kind::ALL[..6], Kind::EDITORS[..6]);
        assert!(Kind::EDITORS.iter().all(|kind| kind.editor() == *kind));
        assert!(Kind::ALL.iter().all(|kind| Kind::EDITORS.contains(&kind.editor())));
    }

    #[test]
    fn names_are_the_products_in_json() {
        let names = Kind::ALL.map(|kind| serde_json::to_value(kind).unwrap());
        assert_eq!(names[..6], ["sms", "missedCall", "email", "employee", "unpaidInvoice", "reviewRequest"]);
        assert_eq!(names[6], "missedCallAfterHours");
    }
}
