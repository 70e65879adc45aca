//! Visit page for the customer.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::calendar;
use crate::{
    documents::{recipient_name::name_on_document, template::Language},
    domain::{
        intake::lead::service_label,
        messaging::followup,
        tenancy::org::OrgContext,
        work::{booking::unproven, job::JobState},
    },
    platform::{
        access_link::AccessLink,
        db::{AsConn, q},
        error::{Error, Result},
        id::{JobId, LeadId},
    },
};

/// Closer to the visit, only a call reaches the crew in time.
pub(crate) const SELF_SERVICE_CUTOFF: Duration = Duration::hours(12);

/// A crew that set off is expected this long after its announced arrival.
const STILL_COMING: Duration = Duration::hours(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitStatus {
    Planned,
    Unscheduled,
    OnTheWay,
    InProgress,
    Done,
    Cancelled,
    /// The time is over and no outcome is recorded.
    Past,
}

#[derive(Clone, Debug)]
pub struct VisitPage {
    pub number: i64,
    pub service: String,
    /// As on papers; empty when only the number is known, and behind the link of a form.
    pub customer: String,
    pub language: Language,
    pub address: Option<String>,
    pub crew: Option<String>,
    pub status: VisitStatus,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    pub arrival_minutes: i64,
    /// Last announced arrival.
    pub eta_at: Option<DateTime<Utc>>,
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Whether this link cancels and moves the visit at all.
    pub may_change: bool,
    pub may_cancel: bool,
    id: JobId,
    version: i64,
}

#[derive(FromRow)]
pub(super) struct VisitPageRow {
    pub number: i64,
    pub lead_id: LeadId,
    service: String,
    address: Option<String>,
    crew: Option<String>,
    pub status: JobState,
    pub starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    pub arrival_minutes: i64,
    on_my_way_at: Option<DateTime<Utc>>,
    eta_at: Option<DateTime<Utc>>,
    confirmed_at: Option<DateTime<Utc>>,
    version: i64,
}

impl VisitPageRow {
    pub(super) async fn load_row(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, id: JobId) -> Result<Self> {
        let found = q!(
            conn,
            fetch_optional as Self,
            "SELECT j.number, j.lead_id, j.service, j.address, c.name AS crew, j.status, j.starts_at, j.ends_at,
                 j.arrival_minutes, j.on_my_way_at, j.eta_at, j.confirmed_at, j.version
             FROM job j LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id WHERE j.org_id = $1 AND j.id = $2",
            ctx.profile.org.id,
            id
        )?;
        found.ok_or(Error::NotFound)
    }

    pub(super) fn visit_status(&self, now: DateTime<Utc>) -> VisitStatus {
        match (self.status, self.ends_at) {
            (JobState::Cancelled, _) => VisitStatus::Cancelled,
            (JobState::Completed, _) => VisitStatus::Done,
            (JobState::InProgress, _) => VisitStatus::InProgress,
            (JobState::Scheduled, _) if self.is_under_way(now) => VisitStatus::OnTheWay,
            (JobState::Scheduled, None) => VisitStatus::Unscheduled,
            (JobState::Scheduled, Some(ends)) if ends <= now => VisitStatus::Past,
            (JobState::Scheduled, Some(_)) => VisitStatus::Planned,
        }
    }

    /// Whether a crew that set off is still expected: until the planned end, and some time after the announced arrival.
    fn is_under_way(&self, now: DateTime<Utc>) -> bool {
        let until = self.ends_at.max(self.eta_at.map(|eta| eta + STILL_COMING));
        self.on_my_way_at.is_some() && until.is_some_and(|until| now < until)
    }

    pub(super) fn is_before_cutoff(&self, now: DateTime<Utc>) -> bool {
        self.starts_at.is_some_and(|starts| starts - now >= SELF_SERVICE_CUTOFF)
    }
}

/// View behind this link. Anyone may type a customer's number into the public form, so the link of a form shows nothing
/// that is on file. `browser` is the viewer's language.
pub async fn load_visit_page(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    browser: Language,
) -> Result<VisitPage> {
    let id = JobId(link.subject_id);
    let mut row = VisitPageRow::load_row(&mut *conn, ctx, id).await?;
    let may_change = unproven::may_change(&mut *conn, link).await?;
    let partner = followup::load_recipient(conn, ctx, row.lead_id).await?;
    let now = ctx.origin.now();
    let status = row.visit_status(now);
    let (mut customer, mut language) = (name_on_document(&partner.name, None, None), partner.language);
    if link.is_form_copy() {
        (customer, language) = (String::new(), browser);
        row.address = None;
    }
    Ok(VisitPage {
        number: row.number,
        customer,
        language,
        status,
        may_change,
        may_cancel: may_change && status == VisitStatus::Planned && row.is_before_cutoff(now),
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
    /// None when the visit does not take place.
    #[must_use]
    pub fn render_calendar_file(&self, ctx: &OrgContext<'_>) -> Option<String> {
        let time = self.starts_at.zip(self.ends_at).filter(|_| self.status == VisitStatus::Planned)?;
        let org = &ctx.profile.org;
        Some(calendar::render_ics(&calendar::CalendarFileEntry {
            uid: &format!("visit-{}@{}", self.id, org.slug),
            sequence: self.version,
            stamp: ctx.origin.now(),
            time,
            summary: &format!("{} · {}", service_label(&self.service), org.name),
            place: self.address.as_deref(),
            words: org.phone.as_deref(),
        }))
    }
}
