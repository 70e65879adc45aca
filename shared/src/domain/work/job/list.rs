//! The board: jobs newest first, and which of them overlap.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{BoardPriority, LONGEST, Priority, Sight, Status, StatusShown};
use crate::{
    domain::money::checkout::payment_retry,
    platform::{
        count_cache::Total,
        db::{AsConn, like_anywhere, q, qb},
        error::{Error, FieldErrors, Result},
        id::{CrewId, CustomerId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

/// What stands where a job has no address.
const NO_ADDRESS: &str = "No address";
/// What stands where no crew was chosen.
pub const UNASSIGNED: &str = "Unassigned";

/// Which jobs, and how many.
#[derive(Clone, Debug)]
pub struct ListFilter {
    pub sight: Sight,
    pub status: Option<Status>,
    pub crew: Option<CrewId>,
    /// Searched in customer, service, location and number, without regard to case.
    pub q: Option<String>,
    /// Only what goes on after then; with `done`, what was completed from then on.
    pub from: Option<DateTime<Utc>>,
    /// Only what begins before then; with `done`, what was completed before.
    pub to: Option<DateTime<Utc>>,
    /// Only what is completed: behind the figures of work done.
    pub done: bool,
    /// Only what has no time yet and is to be done.
    pub tray: bool,
    pub lead: Option<LeadId>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`JobPage::next`].
    pub cursor: Option<String>,
}

impl ListFilter {
    /// All that this person may see.
    #[must_use]
    pub fn all(sight: Sight, limit: i64) -> Self {
        Self {
            sight,
            status: None,
            crew: None,
            q: None,
            from: None,
            to: None,
            done: false,
            tray: false,
            lead: None,
            limit,
            cursor: None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct JobPage {
    pub jobs: Vec<JobSummary>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// A job as a card of the board.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobSummary {
    pub id: JobId,
    pub number: i64,
    /// By name.
    pub customer: String,
    pub customer_id: CustomerId,
    pub lead_id: LeadId,
    pub service: String,
    /// The address, else the ZIP code, else "No address".
    pub location: String,
    /// By name, or "Unassigned".
    pub crew: String,
    pub crew_id: Option<CrewId>,
    /// When it begins; null while it is not scheduled.
    pub date: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    /// How long it takes, with or without a time.
    pub duration_minutes: i64,
    pub status: StatusShown,
    pub priority: BoardPriority,
    pub priority_level: Priority,
    /// US dollars, with approved change orders; null for who sees no money.
    pub value: Option<Cents>,
    pub on_my_way_at: Option<DateTime<Utc>>,
    pub version: i64,
    /// How many other jobs of its crew overlap with it.
    pub conflicts: i64,
    /// A card of its customer was refused, and nothing was paid since; never shown to a crew.
    pub payment_failed: bool,
}

#[derive(FromRow)]
struct Row {
    id: JobId,
    number: i64,
    lead_id: LeadId,
    customer_id: CustomerId,
    customer: String,
    service: String,
    address: Option<String>,
    zip: Option<String>,
    crew_id: Option<CrewId>,
    crew: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    duration_minutes: i64,
    status: Status,
    priority: Priority,
    value_cents: Option<Cents>,
    on_my_way_at: Option<DateTime<Utc>>,
    version: i64,
    listed_at: DateTime<Utc>,
}

impl Row {
    fn summary(self, sight: Sight, conflicts: i64, payment_failed: bool) -> JobSummary {
        JobSummary {
            id: self.id,
            number: self.number,
            customer: self.customer,
            customer_id: self.customer_id,
            lead_id: self.lead_id,
            service: self.service,
            location: self.address.or(self.zip).unwrap_or_else(|| NO_ADDRESS.to_owned()),
            crew: self.crew.unwrap_or_else(|| UNASSIGNED.to_owned()),
            crew_id: self.crew_id,
            date: self.starts_at,
            ends_at: self.ends_at,
            duration_minutes: self.duration_minutes,
            status: self.status.shown(),
            priority: self.priority.on_board(),
            priority_level: self.priority,
            value: sight.money(self.value_cents),
            on_my_way_at: self.on_my_way_at,
            version: self.version,
            conflicts,
            payment_failed,
        }
    }

    /// When its crew is busy with it.
    fn busy(&self) -> Option<Busy> {
        let (starts, ends) = self.starts_at.zip(self.ends_at).filter(|_| self.status.is_unfinished())?;
        Some(Busy { id: self.id, crew: self.crew_id?, starts, ends })
    }
}

/// Where a page ended: the instant it is sorted by in milliseconds, and the id.
#[derive(Clone, Copy)]
struct Cursor(DateTime<Utc>, Uuid);

impl Cursor {
    fn parse(text: &str) -> Result<Self> {
        let read = || {
            let (millis, id) = text.split_once('_')?;
            Some(Self(DateTime::from_timestamp_millis(millis.parse().ok()?)?, id.parse().ok()?))
        };
        read().ok_or_else(|| {
            let mut errors = FieldErrors::default();
            errors.add("cursor", "This is not a cursor of this list");
            Error::Invalid(errors)
        })
    }

    fn after(row: &Row) -> String {
        format!("{}_{}", row.listed_at.timestamp_millis(), row.id.0.simple())
    }
}

/// The conditions of a filter, the same for the page and for its count.
macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" WHERE j.org_id = ").push_bind($org);
        if let Sight::Crew(account) = $filter.sight {
            $b.push(" AND j.crew_id IN (SELECT m.crew_id FROM crew_member m WHERE m.org_id = ").push_bind($org);
            $b.push(" AND m.account_id = ").push_bind(account).push(")");
        }
        if let Some(status) = $filter.status {
            $b.push(" AND j.status = ").push_bind(status);
        }
        if let Some(crew) = $filter.crew {
            $b.push(" AND j.crew_id = ").push_bind(crew);
        }
        if let Some(lead) = $filter.lead {
            $b.push(" AND j.lead_id = ").push_bind(lead);
        }
        if let Some(text) = &$filter.q {
            $b.push(" AND j.search LIKE ").push_bind(like_anywhere(&text.to_lowercase())).push(" ESCAPE '\\'");
        }
        if $filter.done {
            $b.push(" AND j.status = 'completed'");
            if let Some(from) = $filter.from {
                $b.push(" AND j.completed_at >= ").push_bind(from);
            }
            if let Some(to) = $filter.to {
                $b.push(" AND j.completed_at < ").push_bind(to);
            }
        }
        if let Some(from) = $filter.from.filter(|_| !$filter.done) {
            // No job lasts longer, so its index is looked through from there on. What has a time is listed by it.
            $b.push(" AND j.ends_at > ").push_bind(from).push(" AND j.starts_at > ").push_bind(from - LONGEST);
            $b.push(" AND j.listed_at > ").push_bind(from - LONGEST);
        }
        if let Some(to) = $filter.to.filter(|_| !$filter.done) {
            $b.push(" AND j.starts_at < ").push_bind(to).push(" AND j.listed_at < ").push_bind(to);
        }
        if $filter.tray {
            $b.push(" AND j.starts_at IS NULL AND j.status = 'scheduled'");
        }
    };
}

/// One page, newest first: by when the work begins, or when it was booked while it has no time.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<JobPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::parse).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as Row, |b| {
        b.push(
            "SELECT j.id, j.number, j.lead_id, j.customer_id, l.name AS customer, j.service, j.address, j.zip, j.crew_id,
                 c.name AS crew, j.starts_at, j.ends_at, j.duration_minutes, j.status, j.priority,
                 j.value_cents + j.changes_cents AS value_cents, j.on_my_way_at, j.version,
                 j.listed_at
             FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
             LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id",
        );
        narrow!(b, org, filter);
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (j.listed_at, j.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY j.listed_at DESC, j.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(Cursor::after);
    // No crew is told.
    let asked =
        if filter.sight.is_office() { rows.iter().map(|row| row.customer_id).collect() } else { HashSet::new() };
    let refused = payment_retry::refused(&mut *conn, org, &asked).await?;
    let overlaps = overlaps(conn, org, &rows).await?;
    let of = |row: &Row| overlaps.get(&row.id).copied().unwrap_or_default();
    let jobs = rows.into_iter().map(|row| {
        let (conflicts, failed) = (of(&row), refused.contains(&row.customer_id));
        row.summary(filter.sight, conflicts, failed)
    });
    Ok(JobPage { jobs: jobs.collect(), next })
}

/// How many jobs the filter finds on all its pages, and what they are worth where that is a figure.
pub async fn total(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<Total> {
    let (rows, worth) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), ");
        // Without the sum the count is read from an index alone.
        b.push(if filter.done {
            "CAST(COALESCE(SUM(j.value_cents + j.changes_cents), 0) AS BIGINT)"
        } else {
            "CAST(0 AS BIGINT)"
        });
        b.push(" FROM job j");
        narrow!(b, org, filter);
    })?;
    let amount = filter.sight.money(Some(worth)).filter(|_| filter.done);
    Ok(Total { amount, ..Total::of(rows) })
}

/// The jobs of a lead, newest first.
pub async fn of_lead(conn: &mut dyn AsConn, org: OrgId, sight: Sight, lead: LeadId) -> Result<Vec<JobSummary>> {
    let filter = ListFilter { lead: Some(lead), ..ListFilter::all(sight, 100) };
    Ok(list(conn, org, &filter).await?.jobs)
}

/// Some hours of a crew.
#[derive(Clone, Copy, FromRow)]
struct Busy {
    id: JobId,
    crew: CrewId,
    starts: DateTime<Utc>,
    ends: DateTime<Utc>,
}

impl Busy {
    /// Touching edges do not overlap.
    fn overlaps(&self, other: &Self) -> bool {
        self.id != other.id && self.crew == other.crew && self.starts < other.ends && other.starts < self.ends
    }
}

/// How many unfinished jobs of the same crew overlap with each of these.
async fn overlaps(conn: &mut dyn AsConn, org: OrgId, rows: &[Row]) -> Result<HashMap<JobId, i64>> {
    let shown: Vec<Busy> = rows.iter().filter_map(Row::busy).collect();
    let (Some(first), Some(last)) = (shown.iter().map(|job| job.starts).min(), shown.iter().map(|job| job.ends).max())
    else {
        return Ok(HashMap::new());
    };
    let others = q!(
        conn,
        fetch_all as Busy,
        "SELECT id, crew_id AS crew, starts_at AS starts, ends_at AS ends FROM job
         WHERE org_id = $1 AND starts_at IS NOT NULL AND crew_id IS NOT NULL AND status <> 'cancelled'
             AND status <> 'completed' AND starts_at > $2 AND starts_at < $3 AND ends_at > $4",
        org,
        first - LONGEST,
        last,
        first
    )?;
    let count = |job: &Busy| others.iter().filter(|other| job.overlaps(other)).count();
    Ok(shown.iter().map(|job| (job.id, i64::try_from(count(job)).unwrap_or(i64::MAX))).collect())
}
