//! Estimates: what the work would cost, from a typed amount to the customer's hands, version by version. A change order
//! is one that names the job it changes ([`change`]): it adds to what was agreed where an estimate says all of it.
//!
//! A row is one version, and what it says never changes: another wording is another version of the same number. Its PDF
//! carries that number and cannot be drawn while the number is being taken, so an estimate is made in two transactions.
//! [`begin`] stores it as `preparing`, together with the task that will bring it to its end; [`draw`] makes the file
//! with no transaction open; [`finish`] opens it and sends it. Whoever began finishes at once. If it dies in between, the
//! task does, and the customer gets it once.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    documents::line_items::DepositRule,
    domain::intake::lead::Intake,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{EstimateId, JobId, LeadId, OrgId},
        live::{self, Topic},
        money::Cents,
    },
};

pub mod answer;
pub mod approve;
mod begin;
pub mod change;
pub mod content;
pub mod draw;
mod estimate_kind;
mod finish;
mod follow_up;
mod manual;
pub mod preview;
mod public_view;
pub mod send;
pub mod sign;
pub mod verify;
pub mod view;

pub use begin::begin;
pub use content::{Asker, EstimateForm, New, Ways, WaysForm};
pub use draw::{Drawn, draw, unfinished};
pub use estimate_kind::Sort;
pub use finish::finish;
pub use manual::{new_link, send_again, withdraw};
pub use public_view::{Offer, offer};
pub use send::{Delivery, SentBy, first_delivery};
pub use view::{EstimateView, of_lead, open_of_lead, view};

/// Where a version stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = EstimateStatus)]
pub enum Status {
    /// Its PDF is being made.
    Preparing,
    /// The customer may approve it.
    Open,
    /// Open, but its last day is over. Never stored: the day decides.
    Expired,
    Approved,
    Declined,
    /// A newer version stands in its place.
    Replaced,
    /// It was approved, and a newer version has been approved since.
    Superseded,
    Withdrawn,
}

impl Status {
    pub const ALL: [Self; 8] = [
        Self::Preparing,
        Self::Open,
        Self::Expired,
        Self::Approved,
        Self::Declined,
        Self::Replaced,
        Self::Superseded,
        Self::Withdrawn,
    ];

    /// Whether a version that stands here may come to stand there.
    #[must_use]
    pub fn may_become(self, to: Self) -> bool {
        use Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        match self {
            // Its job may be cancelled while its PDF is being made.
            Preparing => matches!(to, Open | Replaced | Withdrawn),
            Open => matches!(to, Approved | Declined | Replaced | Withdrawn),
            // Past its day it can be made anew or taken back, and nothing else.
            Expired => matches!(to, Replaced | Withdrawn),
            Declined => to == Replaced,
            // What was signed is never changed by a version that was not.
            Approved => to == Superseded,
            Replaced | Superseded | Withdrawn => false,
        }
    }

    /// As it is shown on `today`: an open one whose last day is over has expired.
    #[must_use]
    pub fn on(self, today: NaiveDate, expires_on: Option<NaiveDate>) -> Self {
        let is_over = expires_on.is_some_and(|last| today > last);
        if self == Self::Open && is_over { Self::Expired } else { self }
    }
}

/// What an estimate is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The work of a lead. Where it has an estimate that was not withdrawn, this is the next version of that: a customer
    /// never holds two offers for one piece of work that can both be approved.
    Lead(LeadId),
    /// Another version of this one, whether it is open, declined or approved.
    Version(EstimateId),
    /// A change of this job, beside those that were made before.
    Job(JobId),
}

/// What is due on approval: of what takes something off, nothing.
fn deposit(rule: DepositRule, total: Cents) -> Cents {
    rule.of(total).max(Cents::ZERO)
}

/// The day of the business.
fn today(house: &Intake<'_>) -> NaiveDate {
    house.origin.now().with_timezone(&house.profile.org.zone()).date_naive()
}

async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId, id: EstimateId, lead: LeadId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Estimate, id.0, Some(lead.0)).await
}

/// The lead of an estimate.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such estimate.
pub async fn lead_of(conn: &mut dyn AsConn, org: OrgId, id: EstimateId) -> Result<LeadId> {
    let sql = "SELECT lead_id FROM estimate WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar LeadId, sql, org, id)?.ok_or(Error::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_goes_only_where_the_table_lets_it() {
        use Status::{Approved, Declined, Expired, Open, Preparing, Replaced, Superseded, Withdrawn};
        let table = [
            (Preparing, Open),
            (Preparing, Replaced),
            (Preparing, Withdrawn),
            (Open, Approved),
            (Open, Declined),
            (Open, Replaced),
            (Open, Withdrawn),
            (Expired, Replaced),
            (Expired, Withdrawn),
            (Declined, Replaced),
            (Approved, Superseded),
        ];
        for from in Status::ALL {
            for to in Status::ALL {
                assert_eq!(from.may_become(to), table.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn an_open_one_expires_when_its_last_day_is_over_and_nothing_else_does() {
        let day = |d| NaiveDate::from_ymd_opt(2026, 11, d).unwrap();
        for status in Status::ALL {
            assert_eq!(status.on(day(21), Some(day(21))), status);
            assert_eq!(status.on(day(21), None), status);
            let after = status.on(day(22), Some(day(21)));
            assert_eq!(after, if status == Status::Open { Status::Expired } else { status });
        }
    }
}
