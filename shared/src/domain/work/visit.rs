//! A booked visit as its customer knows it: what they are told of it and when, and what they answer at its page.
//!
//! What is told is planned with the change itself, in its transaction, and worded when its time comes: a change that is
//! taken back within its minute is never heard of, and no reminder names a time that is not true any more.

use chrono::{DateTime, Utc};

use crate::{
    domain::messaging::message,
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{JobId, OrgId},
    },
};

pub mod answer;
mod calendar;
pub mod page;
mod plan;
mod rule;
pub mod today;
pub mod words;

pub(crate) use page::CUT_OFF;
pub use page::{Standing, VisitPage};
pub(crate) use plan::{changed, restored};
pub(crate) use rule::{due, reminder};

/// What is told of a visit. The names are kept for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Said {
    Booked,
    Moved,
    Cancelled,
    DayBefore,
    HourBefore,
}

impl Said {
    pub const ALL: [Self; 5] = [Self::Booked, Self::Moved, Self::Cancelled, Self::DayBefore, Self::HourBefore];

    /// As the step of a plan.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Booked => "booked",
            Self::Moved => "moved",
            Self::Cancelled => "cancelled",
            Self::DayBefore => "day_before",
            Self::HourBefore => "hour_before",
        }
    }

    fn of(step: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|said| said.name() == step)
    }

    fn is_reminder(self) -> bool {
        matches!(self, Self::DayBefore | Self::HourBefore)
    }
}

/// The event that the rule room notes with what is told at this step.
#[must_use]
pub(crate) fn event_of(step: &str) -> &'static str {
    match Said::of(step) {
        Some(Said::Booked) => "job_scheduled",
        Some(Said::Moved) => "job_moved",
        Some(Said::Cancelled) => "job_cancelled",
        Some(Said::DayBefore | Said::HourBefore) | None => "visit_due",
    }
}

/// The time of the visit that the customer was told last, by a message that left or is about to; none when they know of
/// none, or were told that there is none.
async fn told(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Option<DateTime<Utc>>> {
    use message::Status::{Delivered, Filed, Held, Queued, Sending, Sent, Unknown};
    let said = q!(
        conn,
        fetch_all as (String, DateTime<Utc>, message::Status),
        "SELECT f.step, f.visit_at, m.status FROM follow_up f
         JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id
         WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'done' AND f.visit_at IS NOT NULL
         ORDER BY f.generation DESC, f.due_at DESC, f.id DESC",
        org,
        job
    )?;
    let reached = |status| matches!(status, Queued | Held | Sending | Sent | Delivered | Filed | Unknown);
    let last = said.into_iter().find(|(_, _, status)| reached(*status));
    Ok(last.filter(|(step, ..)| step != Said::Cancelled.name()).map(|(_, at, _)| at))
}
