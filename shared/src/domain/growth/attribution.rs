//! Money that came after an automatic message: each dollar followed back to the one thing that brought its customer back.
//!
//! A **story** is what happened to one request, in order; [`rule`] says of it which of its payments came after what, and
//! nothing else does: the figures are facts made of it, and the chains that are shown are the same events. Every payment
//! counts in one category at most, and what goes back is taken from where its payment counted.
//!
//! "Recovered" says what came after, not what would have been lost. That is what the hold-out measures ([`hold_out`]).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::growth::metrics::Measure;

pub mod chain;
pub mod export;
pub mod gain;
pub mod hold_out;
pub mod rule;
pub mod timeline;
mod totals;

pub(crate) use totals::total;
pub use totals::{Funnel, OfCategory, Recovered, recovered};

/// What brought a customer back. Where more than one did, the first of this order counts: without it there would have
/// been nothing for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RecoveredBy)]
pub enum Category {
    /// A call that nobody took was texted back, and its caller came back before anybody of the business spoke.
    MissedCall,
    /// A rule answered a request within minutes, and its customer went on before anybody of the business spoke.
    AutoReply,
    /// An automatic question after an estimate was the last word before the customer's answer.
    FollowUp,
    /// An overdue invoice was paid after an automatic reminder, with no word of a person in between.
    Reminder,
    /// Somebody who had pressed the link in a request for a review asked for new work.
    ReviewClick,
}

impl Category {
    pub const ALL: [Self; 5] = [Self::MissedCall, Self::AutoReply, Self::FollowUp, Self::Reminder, Self::ReviewClick];

    /// Where its cents are summed by day.
    #[must_use]
    pub fn measure(self) -> Measure {
        match self {
            Self::MissedCall => Measure::RecoveredCallCents,
            Self::AutoReply => Measure::RecoveredReplyCents,
            Self::FollowUp => Measure::RecoveredFollowUpCents,
            Self::Reminder => Measure::RecoveredReminderCents,
            Self::ReviewClick => Measure::RecoveredReviewCents,
        }
    }

    /// As people read it in a file.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::MissedCall => "Missed call",
            Self::AutoReply => "Auto-reply",
            Self::FollowUp => "Follow-up",
            Self::Reminder => "Payment reminder",
            Self::ReviewClick => "Review link",
        }
    }
}
