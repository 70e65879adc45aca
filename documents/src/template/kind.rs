//! Catalogue of automatic message wordings: purpose, channel and allowed content.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::variables::WordingVariable;

mod answers;
mod catalogue;
mod document_kinds;
mod team;
mod template_spec;
mod visits;

pub use catalogue::{TemplateKind, TemplateVariable, list_template_kinds};

use template_spec::kind_spec;

/// The six templates of the settings page, those that their rules need, and those of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "camelCase")]
pub enum TemplateKindName {
    /// The automatic text to a new lead.
    Sms,
    MissedCall,
    /// The automatic email to a new lead.
    Email,
    /// Alerts to members.
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
    /// Asks an unknown customer to confirm the chosen time by one tap.
    BookingQuestion,
    /// The same by email.
    BookingQuestionEmail,
}

/// How a wording leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateChannel {
    Sms,
    Email,
    /// A push alert; where there is no device the same words go as a text.
    Push,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TemplateAudience {
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

impl TemplateKindName {
    /// Kinds with an editor of their own, the six of the settings page first.
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

    /// In editor order, the six of the settings page first.
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
        kind_spec(self).title
    }

    #[must_use]
    pub fn channel(self) -> TemplateChannel {
        kind_spec(self).channel
    }

    #[must_use]
    pub fn audience(self) -> TemplateAudience {
        kind_spec(self).audience
    }

    #[must_use]
    pub fn message_class(self) -> MessageClass {
        kind_spec(self).class
    }

    #[must_use]
    pub fn is_first_in_conversation(self) -> bool {
        kind_spec(self).first
    }

    #[must_use]
    pub fn editor_kind(self) -> Self {
        kind_spec(self).editor
    }

    #[must_use]
    pub fn allowed_variables(self) -> &'static [WordingVariable] {
        kind_spec(self).variables
    }

    #[must_use]
    pub fn has_subject(self) -> bool {
        self.channel() == TemplateChannel::Email
    }

    /// Review requests need the link and may not offer anything.
    #[must_use]
    pub fn asks_for_review(self) -> bool {
        matches!(self, Self::ReviewRequest | Self::ReviewFollowUp)
    }

    /// Needs the link: the customer confirms the time through it.
    #[must_use]
    pub fn asks_for_confirmation(self) -> bool {
        matches!(self, Self::BookingQuestion | Self::BookingQuestionEmail)
    }

    /// Whether a promised response time in it is tracked: only in answers to a request.
    #[must_use]
    pub fn can_promise_answer(self) -> bool {
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

    #[must_use]
    pub fn max_length(self) -> usize {
        if self.channel() == TemplateChannel::Email { 5_000 } else { 1_600 }
    }

    /// Maximum segments of an automatic text. HELP and STOP answers fit in one; phones cut a push alert at about the
    /// length of a short text.
    #[must_use]
    pub fn max_segments(self) -> Option<usize> {
        match (self.channel(), self) {
            (TemplateChannel::Email, _) => None,
            (_, Self::HelpReply | Self::StopConfirmation) => Some(1),
            _ => Some(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_table_follows_order_of_kinds() {
        for (at, kind) in TemplateKindName::ALL.into_iter().enumerate() {
            assert_eq!((kind as usize, kind_spec(kind).kind), (at, kind));
        }
    }

    #[test]
    fn settings_page_kinds_come_first_and_every_kind_has_an_editor() {
        assert_eq!(TemplateKindName::ALL[..6], TemplateKindName::EDITORS[..6]);
        assert!(TemplateKindName::EDITORS.iter().all(|kind| kind.editor_kind() == *kind));
        assert!(TemplateKindName::ALL.iter().all(|kind| TemplateKindName::EDITORS.contains(&kind.editor_kind())));
    }

    #[test]
    fn kind_json_names_match_api() {
        let names = TemplateKindName::ALL.map(|kind| serde_json::to_value(kind).unwrap());
        assert_eq!(names[..6], ["sms", "missedCall", "email", "employee", "unpaidInvoice", "reviewRequest"]);
        assert_eq!(names[6], "missedCallAfterHours");
    }
}
