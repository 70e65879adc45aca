//! Estimates: what the work would cost, from a typed amount to the customer's hands, version by version.
//!
//! A row is one version, and what it says never changes: another wording is another version of the same number. Its PDF
//! carries that number and cannot be drawn while the number is being taken, so an estimate is made in two transactions.
//! [`begin`] stores it as `preparing`, together with the task that will bring it to its end; [`draw`] makes the file
//! with no transaction open; [`finish`] opens it and sends it. Whoever began finishes at once. If it dies in between, the
//! task does, and the customer gets it once.

use chrono::{Duration, NaiveDate};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use utoipa::ToSchema;

use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::{EstimateId, LeadId, OrgId},
    lead::Intake,
    link,
    live::{self, Topic},
    number::{self, Series},
    pipeline,
    tasks::{self, NewTask},
    work::Doer,
};

pub mod answer;
pub mod approve;
pub mod content;
pub mod draw;
mod finish;
mod follow_up;
mod offer;
pub mod preview;
pub mod send;
pub mod sign;
pub mod verify;
pub mod view;

pub use content::{Asker, EstimateForm, New, Ways, WaysForm};
pub use draw::{Drawn, draw, unfinished};
pub use finish::{finish, new_link, send_again, withdraw};
pub use offer::{Offer, offer};
pub use send::{Delivery, first_delivery};
pub use view::{EstimateView, of_lead, open_of_lead, view};

use content::{Content, shown_number};

/// How long whoever began may take before the task takes over.
const TASK_TAKES_OVER: Duration = Duration::seconds(30);

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
            Preparing => matches!(to, Open | Replaced),
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
}

/// The first half: an estimate with its number, not to be seen by its customer yet.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Invalid`] naming every field that does not fit, [`Error::Conflict`] when there can be no
/// newer version of it.
pub async fn begin(tx: &mut Tx, house: &Intake<'_>, of: Of, form: &EstimateForm, by: &Doer) -> Result<EstimateId> {
    let (origin, profile) = (house.origin, house.profile);
    let org = profile.org.id;
    let lead = match of {
        Of::Lead(lead) => lead,
        Of::Version(id) => lead_of(&mut *tx, org, id).await?,
    };
    pipeline::hold(tx, org, lead).await?;
    let asker = content::asker(&mut *tx, org, lead).await?;
    let today = today(house);
    let new = form.read(profile, &asker, today)?;
    let before = before(&mut *tx, org, of, today).await?;
    let id = EstimateId(origin.uuid());
    let link = link::ensure(&mut *tx, origin, org, link::Kind::Estimate, id.0, None).await?;
    let total = new.paper.totals(&new.paper.recommended()).total;
    let (deposit, days) = (new.deposit.of(total), (new.issued_on, new.expires_on));
    let (number, version) = match before {
        Some((number, version)) => (number, version + 1),
        None => (number::take(&mut *tx, org, Series::Estimate).await?, 1),
    };
    let shown = shown_number(&profile.settings.estimates.prefix, number, version);
    let content = Content::new(profile, &asker, new, shown, link);
    q!(
        &mut *tx,
        execute,
        "INSERT INTO estimate (org_id, id, lead_id, customer_id, number, version, status, content, total_cents,
             deposit_cents, issued_on, expires_on, created_by, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        org,
        id,
        lead,
        asker.customer,
        number,
        version,
        Status::Preparing,
        Json(content),
        total,
        deposit,
        days.0,
        days.1,
        by.account(),
        origin.now()
    )?;
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::FinishPaper,
        subject: Some(id.0),
        run_at: origin.now() + TASK_TAKES_OVER,
        unique_key: format!("finish_paper:{id}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    announce(tx, origin, org, id, lead).await?;
    Ok(id)
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
pub async fn lead_of(conn: &mut impl AsConn, org: OrgId, id: EstimateId) -> Result<LeadId> {
    let sql = "SELECT lead_id FROM estimate WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional scalar LeadId, sql, org, id)?.ok_or(Error::NotFound)
}

/// The number that is continued, and its newest version; none when a number of its own is taken.
async fn before(conn: &mut impl AsConn, org: OrgId, of: Of, today: NaiveDate) -> Result<Option<(i64, i64)>> {
    let number = match of {
        Of::Lead(lead) => {
            let sql = "SELECT number FROM estimate WHERE org_id = $1 AND lead_id = $2 AND status <> 'withdrawn'
                 ORDER BY created_at DESC, version DESC, id DESC LIMIT 1";
            q!(&mut *conn, fetch_optional scalar i64, sql, org, lead)?
        }
        Of::Version(id) => {
            let sql = "SELECT number, status, expires_on FROM estimate WHERE org_id = $1 AND id = $2";
            let row = q!(&mut *conn, fetch_optional as (i64, Status, Option<NaiveDate>), sql, org, id)?;
            let (number, status, expires_on) = row.ok_or(Error::NotFound)?;
            may_be_revised(status.on(today, expires_on))?;
            Some(number)
        }
    };
    let Some(number) = number else { return Ok(None) };
    let newest = "SELECT MAX(version) FROM estimate WHERE org_id = $1 AND number = $2";
    Ok(Some((number, q!(conn, fetch_one scalar i64, newest, org, number)?)))
}

fn may_be_revised(status: Status) -> Result<()> {
    Err(Error::Conflict(match status {
        Status::Open | Status::Expired | Status::Declined | Status::Approved | Status::Preparing => return Ok(()),
        Status::Replaced | Status::Superseded => "A newer version of it was made. Please change that one.",
        Status::Withdrawn => "It was withdrawn. Please make a new estimate.",
    }))
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
