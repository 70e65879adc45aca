//! Message kinds, with their class, how long each is worth sending, and what may stop it.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::MessageChannel;
use crate::platform::contact_hours::ContactClass;

/// What a message is for: it decides the switch that gates it and how long it is worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// The first answer to a person who asked for work.
    AutoReply,
    /// "You have a new lead", to the people of the business.
    OwnerNotice,
    /// About an account; no switch stops it.
    AccountNotice,
    /// The text after a missed call.
    MissedCall,
    /// The one reminder to a caller who did not write back.
    Nudge,
    /// The one automatic answer to a customer's first message.
    TextReply,
    /// The answer to HELP.
    HelpReply,
    /// The one confirmation of an opt-out (47 CFR 64.1200(a)(12)).
    StopConfirmation,
    /// Written by a person of the business.
    Manual,
    /// What a customer wrote to us.
    Incoming,
    /// "This is a test", from the control panel.
    Test,
    /// Several notices in one.
    Digest,
    /// An estimate that a person had sent.
    Estimate,
    /// A follow-up of an unanswered estimate.
    EstimateFollowUp,
    /// The copy of what they signed.
    Signed,
    /// Their visit is booked, moved, cancelled, or near.
    Visit,
    /// The crew is on the way, late, or done.
    OnTheWay,
    /// An invoice that a person had sent.
    Invoice,
    /// A reminder of an invoice.
    Dunning,
    /// What they paid.
    Receipt,
    /// A change order that a person had sent.
    ChangeOrder,
    /// A follow-up of an unanswered change order.
    ChangeOrderFollowUp,
    /// Asks for a review after the work.
    ReviewRequest,
    /// The report of the figures, to the people of the business.
    Pulse,
}

#[cfg(test)]
impl MessageKind {
    pub(crate) const OUTGOING: [Self; 23] = [
        Self::AutoReply,
        Self::OwnerNotice,
        Self::AccountNotice,
        Self::MissedCall,
        Self::Nudge,
        Self::TextReply,
        Self::HelpReply,
        Self::StopConfirmation,
        Self::Manual,
        Self::Test,
        Self::Digest,
        Self::Estimate,
        Self::EstimateFollowUp,
        Self::Signed,
        Self::Visit,
        Self::OnTheWay,
        Self::Invoice,
        Self::Dunning,
        Self::Receipt,
        Self::ChangeOrder,
        Self::ChangeOrderFollowUp,
        Self::ReviewRequest,
        Self::Pulse,
    ];
}

impl MessageKind {
    /// After this time the message is given up, visibly. A text that answers an enquiry has 15 minutes (trust
    /// requirement 1.1); the email promises an answer within two hours, so it has two.
    #[must_use]
    pub fn max_age(self, channel: MessageChannel) -> Duration {
        match (self, channel) {
            (Self::AutoReply | Self::MissedCall | Self::TextReply, MessageChannel::Sms) => Duration::minutes(15),
            (Self::HelpReply | Self::StopConfirmation, _) => Duration::minutes(5),
            (Self::AutoReply | Self::MissedCall | Self::TextReply | Self::Test, _) => Duration::hours(2),
            (Self::OnTheWay, _) => Duration::minutes(30),
            (Self::Nudge | Self::EstimateFollowUp | Self::ChangeOrderFollowUp | Self::Dunning, _) => {
                Duration::hours(12)
            }
            (Self::ReviewRequest, _) => Duration::hours(72),
            (
                Self::Manual
                | Self::OwnerNotice
                | Self::AccountNotice
                | Self::Incoming
                | Self::Digest
                | Self::Pulse
                | Self::Estimate
                | Self::ChangeOrder
                | Self::Signed
                | Self::Visit
                | Self::Invoice
                | Self::Receipt,
                _,
            ) => Duration::hours(24),
        }
    }

    /// Class for law and hours: an answer to a person's own enquiry is conversational (CTIA messaging principles, 5.1).
    #[must_use]
    pub fn class(self) -> ContactClass {
        match self {
            Self::AutoReply
            | Self::MissedCall
            | Self::TextReply
            | Self::HelpReply
            | Self::StopConfirmation
            | Self::Manual
            | Self::Incoming
            | Self::Signed
            | Self::Receipt => ContactClass::Conversational,
            Self::OwnerNotice
            | Self::AccountNotice
            | Self::Nudge
            | Self::Test
            | Self::Digest
            | Self::Pulse
            | Self::Estimate
            | Self::EstimateFollowUp
            | Self::ChangeOrder
            | Self::ChangeOrderFollowUp
            | Self::Visit
            | Self::OnTheWay
            | Self::Invoice
            | Self::Dunning => ContactClass::Informational,
            Self::ReviewRequest => ContactClass::Promotional,
        }
    }

    /// Written by a rule, and neither written nor sent off by a person.
    #[must_use]
    pub fn is_automatic(self) -> bool {
        !matches!(self, Self::Manual | Self::Incoming | Self::Test | Self::Estimate | Self::ChangeOrder | Self::Invoice)
    }

    /// Whether its words may promise an answer: replies to a request only. Visits and documents have their own times.
    #[must_use]
    pub fn can_promise_reply(self) -> bool {
        matches!(self, Self::AutoReply | Self::MissedCall | Self::Nudge | Self::TextReply)
    }

    /// Answers a keyword, within minutes or not at all: it is never sent again.
    #[must_use]
    pub fn answers_keyword(self) -> bool {
        matches!(self, Self::HelpReply | Self::StopConfirmation)
    }

    /// Names a time: sent again, it is of no use after the same hour as before.
    #[must_use]
    pub fn keeps_deadline(self) -> bool {
        matches!(self, Self::Visit | Self::OnTheWay)
    }

    /// Exempt from the day's budget: answers required by law, and immediate results of a signature or a payment.
    #[must_use]
    pub fn is_budget_limited(self) -> bool {
        self.is_automatic() && !matches!(self, Self::HelpReply | Self::StopConfirmation | Self::Signed | Self::Receipt)
    }

    /// Useless after its hour: a hold for the recipient's morning does not extend it.
    #[must_use]
    pub fn expires_after_contact_hours(self) -> bool {
        matches!(
            self,
            Self::EstimateFollowUp
                | Self::ChangeOrderFollowUp
                | Self::Visit
                | Self::OnTheWay
                | Self::Dunning
                | Self::ReviewRequest
        )
    }

    /// Automatic answers, and results of a signature or payment, do not replace the customer's words in the inbox.
    #[must_use]
    pub fn shows_in_preview(self) -> bool {
        matches!(
            self,
            Self::Manual
                | Self::Incoming
                | Self::Estimate
                | Self::EstimateFollowUp
                | Self::ChangeOrder
                | Self::ChangeOrderFollowUp
                | Self::Visit
                | Self::OnTheWay
                | Self::Invoice
                | Self::Dunning
                | Self::ReviewRequest
        )
    }

    /// Data on file or office messages, for the customer's own addresses only. Other kinds answer the address used.
    #[must_use]
    pub fn is_transactional(self) -> bool {
        self.is_for_customers()
            && !matches!(
                self,
                Self::AutoReply
                    | Self::MissedCall
                    | Self::Nudge
                    | Self::TextReply
                    | Self::HelpReply
                    | Self::StopConfirmation
                    | Self::Incoming
            )
    }

    /// The other kinds go to the people of the business.
    #[must_use]
    pub fn is_for_customers(self) -> bool {
        !matches!(self, Self::OwnerNotice | Self::AccountNotice | Self::Test | Self::Digest | Self::Pulse)
    }
}
