//! A visit as its customer sees it at its address.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::calendar;
use crate::{
    documents::template::Language,
    domain::{
        intake::lead::{Intake, form::service_label},
        messaging::followup::compose,
        work::job::Status,
    },
    platform::{
        access_link::Link,
        db::{AsConn, q},
        error::{Error, Result},
        id::{JobId, LeadId},
    },
};

/// Closer to the visit, only a call still reaches the crew in time.
pub(crate) const CUT_OFF: Duration = Duration::hours(12);

/// Who has set off is awaited so long after the hour that they named.
const STILL_COMING: Duration = Duration::hours(2);

/// How a visit stands, for its customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Planned,
    /// There is no time for it yet, or not any more.
    Unplanned,
    /// The crew has set off.
    OnTheWay,
    /// The crew is at work.
    Begun,
    Done,
    Cancelled,
    /// Its time is over, and nobody said what became of it.
    Past,
}

/// What the page shows.
#[derive(Clone, Debug)]
pub struct VisitPage {
    pub number: i64,
    /// What is done.
    pub service: String,
    /// As they are greeted; empty when only their number is known, and for who only filled in a form.
    pub customer: String,
    pub language: Language,
    pub address: Option<String>,
    pub crew: Option<String>,
    pub standing: Standing,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    pub arrival_minutes: i64,
    /// When they come, as the crew said last.
    pub eta_at: Option<DateTime<Utc>>,
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Whether they may still cancel it here.
    pub may_cancel: bool,
    id: JobId,
    version: i64,
}

#[derive(FromRow)]
pub(super) struct Row {
    pub number: i64,
    pub lead_id: LeadId,
    service: String,
    address: Option<String>,
    crew: Option<String>,
    pub status: Status,
    pub starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    pub arrival_minutes: i64,
    on_my_way_at: Option<DateTime<Utc>>,
    eta_at: Option<DateTime<Utc>>,
    confirmed_at: Option<DateTime<Utc>>,
    version: i64,
}

impl Row {
    /// # Errors
    /// [`Error::NotFound`] when the business has no such job.
    pub(super) async fn get(conn: &mut dyn AsConn, house: &Intake<'_>, id: JobId) -> Result<Self> {
        let found = q!(
            conn,
            fetch_optional as Self,
            "SELECT j.number, j.lead_id, j.service, j.address, c.name AS crew, j.status, j.starts_at, j.ends_at,
                 j.arrival_minutes, j.on_my_way_at, j.eta_at, j.confirmed_at, j.version
             FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id WHERE j.org_id = $1 AND j.id = $2",
            house.profile.org.id,
            id
        )?;
        found.ok_or(Error::NotFound)
    }

    pub(super) fn standing(&self, now: DateTime<Utc>) -> Standing {
        match (self.status, self.ends_at) {
            (Status::Cancelled, _) => Standing::Cancelled,
            (Status::Completed, _) => Standing::Done,
            (Status::InProgress, _) => Standing::Begun,
            (Status::Scheduled, _) if self.is_under_way(now) => Standing::OnTheWay,
            (Status::Scheduled, None) => Standing::Unplanned,
            (Status::Scheduled, Some(ends)) if ends <= now => Standing::Past,
            (Status::Scheduled, Some(_)) => Standing::Planned,
        }
    }

    /// Whether somebody who has set off still comes: until its time is over, and a while after the hour that was said.
    fn is_under_way(&self, now: DateTime<Utc>) -> bool {
        let until = self.ends_at.max(self.eta_at.map(|eta| eta + STILL_COMING));
        self.on_my_way_at.is_some() && until.is_some_and(|until| now < until)
    }

    /// Whether there is time enough to cancel it without a call.
    pub(super) fn is_far(&self, now: DateTime<Utc>) -> bool {
        self.starts_at.is_some_and(|starts| starts - now >= CUT_OFF)
    }
}

/// What the holder of this link sees of the visit. Whoever filled in a public form may have typed a customer's phone
/// number, so that link shows nothing that is on file; `browser` is the language they read.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such job.
pub async fn get(conn: &mut dyn AsConn, house: &Intake<'_>, link: &Link, browser: Language) -> Result<VisitPage> {
    let id = JobId(link.subject_id);
    let mut row = Row::get(&mut *conn, house, id).await?;
    let partner = compose::partner(conn, house, row.lead_id).await?;
    let now = house.origin.now();
    let standing = row.standing(now);
    let (mut customer, mut language) = (partner.greeted(), partner.language);
    if link.is_of_form() {
        (customer, language) = ("", browser);
        row.address = None;
    }
    Ok(VisitPage {
        number: row.number,
        customer: customer.to_owned(),
        language,
        standing,
        may_cancel: standing == Standing::Planned && row.is_far(now),
        service: row.service,
        address: row.address,
        crew: row.crew,
        starts_at: row.starts_at,
        ends_at: row.ends_at,
        arrival_minutes: row.arrival_minutes,
        eta_at: row.eta_at,
        confirmed_at: row.confirmed_at,
        id,
        version: row.version,
    })
}

impl VisitPage {
    /// The visit as a file for a calendar; none when it does not take place.
    #[must_use]
    pub fn calendar(&self, house: &Intake<'_>) -> Option<String> {
        let time = self.starts_at.zip(self.ends_at).filter(|_| self.standing == Standing::Planned)?;
        let org = &house.profile.org;
        Some(calendar::file(&calendar::Entry {
            uid: &format!("visit-{}@{}", self.id, org.slug),
            sequence: self.version,
            stamp: house.origin.now(),
            time,
            summary: &format!("{} · {}", service_label(&self.service), org.name),
            place: self.address.as_deref(),
            words: org.phone.as_deref(),
        }))
    }
}
