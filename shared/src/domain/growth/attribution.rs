//! Attribution of payments to automatic messages.
//!
//! A story is the ordered events of one lead. [`rule`] decides from it which payments came after which message; figures
//! (facts) and listed chains are made of the same events. Each payment counts in one category at most; a refund is
//! subtracted where its payment counted. "Recovered" is money that came after a message, not money that would have been
//! lost without it. The holdout measures that ([`holdout`](crate::domain::messaging::automation::holdout)).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::growth::metrics::Measure;

pub mod attribution_path;
pub mod export;
pub mod rule;
pub mod timeline;
mod totals;
pub mod uplift;

pub(crate) use totals::total_recovered;
pub use totals::{MissedCallFunnel, RecoveredCategoryTotal, RecoveredRevenue, load_recovered_revenue};

/// What brought a customer back. Where more than one did, the first of this order counts: without it there would have
/// been nothing for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RecoveredBy)]
pub enum AttributionCategory {
    /// A missed call was texted back, and its caller came back before a person of the business answered.
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

impl AttributionCategory {
    pub const ALL: [Self; 5] = [Self::MissedCall, Self::AutoReply, Self::FollowUp, Self::Reminder, Self::ReviewClick];

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

    #[must_use]
    pub fn display_label(self) -> &'static str {
        match self {
            Self::MissedCall => "Missed call",
            Self::AutoReply => "Auto-reply",
            Self::FollowUp => "Follow-up",
            Self::Reminder => "Payment reminder",
            Self::ReviewClick => "Review link",
        }
    }
}
