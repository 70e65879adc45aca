//! What a message is for, and what follows from that: its class, how long it is worth sending, what may stop it.

use chrono::Duration;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Channel;
use crate::platform::contact_hours::Class;

/// What a message is for: it decides the switch that gates it and how long it is worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = MessageKind)]
pub enum Kind {
    /// The first answer to a person who asked for work.
    AutoReply,
    /// "You have a new lead", to the people of the business.
    OwnerNotice,
    /// About somebody's account; no switch stops it.
    AccountNotice,
    /// The text after a call that nobody answered.
    MissedCall,
    /// The one reminder to a caller who did not write back.
    Nudge,
    /// The one automatic answer to somebody who writes to us first.
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
    /// A question after an estimate that nobody answered.
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
    /// A question after a change order that nobody answered.
    ChangeOrderFollowUp,
    /// Asks for a review after the work.
    ReviewRequest,
    /// The report of the figures, to the people of the business.
    Pulse,
}

#[cfg(test)]
impl Kind {
    /// Every kind that goes out.
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

impl Kind {
    /// After this long the message says nothing useful any more and is given up, visibly. A text that answers an
    /// enquiry has 15 minutes (trust requirement 1.1); the email promises an answer within two hours, so it has two.
    #[must_use]
    pub fn worth_sending_for(self, channel: Channel) -> Duration {
        match (self, channel) {
            (Self::AutoReply | Self::MissedCall | Self::TextReply, Channel::Sms) => Duration::minutes(15),
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

    /// Which law and which hours hold for it: an answer to somebody's own enquiry is conversational (CTIA messaging
    /// principles, 5.1).
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Self::AutoReply
            | Self::MissedCall
            | Self::TextReply
            | Self::HelpReply
            | Self::StopConfirmation
            | Self::Manual
            | Self::Incoming
            | Self::Signed
            | Self::Receipt => Class::Conversational,
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
            | Self::Dunning => Class::Informational,
            Self::ReviewRequest => Class::Promotional,
        }
    }

    /// Whether a rule wrote it, and not a person, nor did a person press for it to be sent.
    #[must_use]
    pub fn is_automatic(self) -> bool {
        !matches!(self, Self::Manual | Self::Incoming | Self::Test | Self::Estimate | Self::ChangeOrder | Self::Invoice)
    }

    /// Whether its words may promise an answer: those that answer somebody who asked. What is said of a visit or a paper
    /// has its own times.
    #[must_use]
    pub fn may_promise(self) -> bool {
        matches!(self, Self::AutoReply | Self::MissedCall | Self::Nudge | Self::TextReply)
    }

    /// Whether the day's budget of automatic texts stops it. The law's own answers are none of its business, nor is what
    /// follows at once from a signature or a payment.
    #[must_use]
    pub fn is_braked(self) -> bool {
        self.is_automatic() && !matches!(self, Self::HelpReply | Self::StopConfirmation | Self::Signed | Self::Receipt)
    }

    /// Whether it says nothing useful once its hour has passed: what is kept for the recipient's morning is not kept
    /// beyond that.
    #[must_use]
    pub fn has_its_hour(self) -> bool {
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

    /// Whether a conversation's line shows it as what was said last. An answer of the rules to somebody's own words
    /// leaves these in front, and so does what only follows from a signature or a payment.
    #[must_use]
    pub fn stands_in_front(self) -> bool {
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

    /// Whether it says what is on file about a customer, or what the office has to say to them: it goes to their own
    /// addresses only. The rest answers whoever just typed, called or texted, at the address they used.
    #[must_use]
    pub fn is_about_their_matter(self) -> bool {
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

    /// Whether it goes to a customer; the others go to the people of the business.
    #[must_use]
    pub fn is_for_customers(self) -> bool {
        !matches!(self, Self::OwnerNotice | Self::AccountNotice | Self::Test | Self::Digest | Self::Pulse)
    }
}
