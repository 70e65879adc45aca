//! Booked visits from the customer's side: messages and their timing, and the answers at the visit page.
//!
//! Messages are planned in the transaction of the change and worded when due: a change undone within its minute is
//! never announced, and no reminder names an outdated time.

use chrono::{DateTime, Utc};

use crate::{
    domain::{
        messaging::{followup, message},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::{JobId, OrgId},
    },
};

pub mod answer;
mod calendar;
pub(crate) mod follow_up_rule;
pub(crate) mod message_subject;
pub mod page;
mod plan;
mod rule;
pub mod words;

pub(crate) use page::SELF_SERVICE_CUTOFF;
pub use page::{VisitPage, VisitStatus};
pub(crate) use plan::{replan_after_undo, replan_visit};
pub(crate) use rule::build_reminder;

/// Visit messages. The names are stored and must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VisitNoticeKind {
    Booked,
    Moved,
    Cancelled,
    DayBefore,
    HourBefore,
}

impl VisitNoticeKind {
    pub const ALL: [Self; 5] = [Self::Booked, Self::Moved, Self::Cancelled, Self::DayBefore, Self::HourBefore];

    #[must_use]
    pub fn step_name(self) -> &'static str {
        match self {
            Self::Booked => "booked",
            Self::Moved => "moved",
            Self::Cancelled => "cancelled",
            Self::DayBefore => "day_before",
            Self::HourBefore => "hour_before",
        }
    }

    pub(in crate::domain::work) fn from_step(step: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.step_name() == step)
    }

    fn is_reminder(self) -> bool {
        matches!(self, Self::DayBefore | Self::HourBefore)
    }
}

/// Whether the customer gets a message that the visit is booked, as the switches and their addresses are now.
pub(crate) async fn is_booking_announced(conn: &mut dyn AsConn, intake: &OrgContext<'_>, job: JobId) -> Result<bool> {
    followup::is_step_worded(conn, intake, (job.0, VisitNoticeKind::Booked.step_name())).await
}

/// Visit time last told to the customer, by a message that left or is about to; none without one, or after a
/// cancellation.
async fn find_told_time(conn: &mut dyn AsConn, org: OrgId, job: JobId) -> Result<Option<DateTime<Utc>>> {
    use message::MessageStatus::{Delivered, Filed, Held, Queued, Sending, Sent, Unknown};
    let announced = q!(
        conn,
        fetch_all as (String, DateTime<Utc>, message::MessageStatus),
        "SELECT f.step, f.visit_at, m.status FROM follow_up f
         JOIN message m ON m.org_id = f.org_id AND m.id = f.message_id
         WHERE f.org_id = $1 AND f.about_id = $2 AND f.state = 'done' AND f.visit_at IS NOT NULL
         ORDER BY f.generation DESC, f.due_at DESC, f.id DESC",
        org,
        job
    )?;
    let reached = |status| matches!(status, Queued | Held | Sending | Sent | Delivered | Filed | Unknown);
    let last = announced.into_iter().find(|(_, _, status)| reached(*status));
    Ok(last.filter(|(step, ..)| step != VisitNoticeKind::Cancelled.step_name()).map(|(_, at, _)| at))
}
