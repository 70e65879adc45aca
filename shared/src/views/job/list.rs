//! Job board: jobs newest first, and their overlaps.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::{
        money::checkout::payment_retry,
        work::job::{BoardPriority, DisplayedJobStatus, JobPriority, JobScope, JobState, MAX_JOB_DURATION},
    },
    platform::{
        count_cache::ListTotal,
        db::{AsConn, like_anywhere, q, qb},
        error::{Error, FieldErrors, Result},
        id::{CrewId, CustomerId, JobId, LeadId, OrgId},
        money::Cents,
    },
};

const NO_ADDRESS: &str = "No address";
pub const UNASSIGNED: &str = "Unassigned";

#[derive(Clone, Debug)]
pub struct JobListFilter {
    pub sight: JobScope,
    pub status: Option<JobState>,
    pub crew: Option<CrewId>,
    /// Searched in customer, service, location and number, without regard to case.
    pub q: Option<String>,
    /// Jobs that end after it; with `done`, jobs completed from then on.
    pub from: Option<DateTime<Utc>>,
    /// Jobs that begin before it; with `done`, jobs completed before it.
    pub to: Option<DateTime<Utc>>,
    /// Completed jobs only, for the figures.
    pub done: bool,
    /// Unfinished jobs without a time.
    pub tray: bool,
    pub lead: Option<LeadId>,
    pub limit: i64,
    /// Opaque cursor from [`JobPage::next`].
    pub cursor: Option<String>,
}

impl JobListFilter {
    #[must_use]
    pub fn for_scope(sight: JobScope, limit: i64) -> Self {
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
    pub status: DisplayedJobStatus,
    pub priority: BoardPriority,
    pub priority_level: JobPriority,
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
struct JobListRow {
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
    status: JobState,
    priority: JobPriority,
    value_cents: Option<Cents>,
    on_my_way_at: Option<DateTime<Utc>>,
    version: i64,
    listed_at: DateTime<Utc>,
}

impl JobListRow {
    fn into_summary(self, sight: JobScope, conflicts: i64, payment_failed: bool) -> JobSummary {
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
            status: self.status.to_display(),
            priority: self.priority.to_board_priority(),
            priority_level: self.priority,
            value: sight.visible_amount(self.value_cents),
            on_my_way_at: self.on_my_way_at,
            version: self.version,
            conflicts,
            payment_failed,
        }
    }

    fn busy_time(&self) -> Option<BusyTime> {
        let (starts, ends) = self.starts_at.zip(self.ends_at).filter(|_| self.status.is_unfinished())?;
        Some(BusyTime { id: self.id, crew: self.crew_id?, starts, ends })
    }
}

/// Sort instant in milliseconds, and id.
#[derive(Clone, Copy)]
struct JobListCursor(DateTime<Utc>, Uuid);

impl JobListCursor {
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

    fn after(row: &JobListRow) -> String {
        format!("{}_{}", row.listed_at.timestamp_millis(), row.id.0.simple())
    }
}

macro_rules! narrow {
    ($b:ident, $org:expr, $filter:expr) => {
        $b.push(" WHERE j.org_id = ").push_bind($org);
        if let JobScope::Crew(account) = $filter.sight {
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
            // No job is longer, which bounds the index scan. A job with a time is listed by its start.
            $b.push(" AND j.ends_at > ").push_bind(from).push(" AND j.starts_at > ").push_bind(from - MAX_JOB_DURATION);
            $b.push(" AND j.listed_at > ").push_bind(from - MAX_JOB_DURATION);
        }
        if let Some(to) = $filter.to.filter(|_| !$filter.done) {
            $b.push(" AND j.starts_at < ").push_bind(to).push(" AND j.listed_at < ").push_bind(to);
        }
        if $filter.tray {
            $b.push(" AND j.starts_at IS NULL AND j.status = 'scheduled'");
        }
    };
}

/// Newest first: by start, or by booking time while it has no start.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it cannot be read.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, filter: &JobListFilter) -> Result<JobPage> {
    let cursor = filter.cursor.as_deref().map(JobListCursor::parse).transpose()?;
    let mut rows = qb!(&mut *conn, fetch_all as JobListRow, |b| {
        b.push(
            "SELECT j.id, j.number, j.lead_id, j.customer_id, l.name AS customer, j.service, j.address, j.zip, j.crew_id,
                 c.name AS crew, j.starts_at, j.ends_at, j.duration_minutes, j.status, j.priority,
                 j.value_cents + j.changes_cents AS value_cents, j.on_my_way_at, j.version,
                 j.listed_at
             FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
             LEFT JOIN crew c ON c.org_id = j.org_id AND c.id = j.crew_id",
        );
        narrow!(b, org, filter);
        if let Some(JobListCursor(at, id)) = cursor {
            b.push(" AND (j.listed_at, j.id) < (").push_bind(at).push(", ").push_bind(id).push(")");
        }
        b.push(" ORDER BY j.listed_at DESC, j.id DESC LIMIT ").push_bind(filter.limit.saturating_add(1));
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(JobListCursor::after);
    // Not shown to crews.
    let asked =
        if filter.sight.is_office() { rows.iter().map(|row| row.customer_id).collect() } else { HashSet::new() };
    let refused = payment_retry::filter_refused_customers(&mut *conn, org, &asked).await?;
    let overlaps = count_overlaps(conn, org, &rows).await?;
    let of = |row: &JobListRow| overlaps.get(&row.id).copied().unwrap_or_default();
    let jobs = rows.into_iter().map(|row| {
        let (conflicts, failed) = (of(&row), refused.contains(&row.customer_id));
        row.into_summary(filter.sight, conflicts, failed)
    });
    Ok(JobPage { jobs: jobs.collect(), next })
}

/// Number of jobs on all pages, and their value where that is a figure.
pub async fn load_total(conn: &mut dyn AsConn, org: OrgId, filter: &JobListFilter) -> Result<ListTotal> {
    let (rows, worth) = qb!(conn, fetch_one as (i64, Cents), |b| {
        b.push("SELECT COUNT(*), ");
        // Without the sum the count reads an index only.
        b.push(if filter.done {
            "CAST(COALESCE(SUM(j.value_cents + j.changes_cents), 0) AS BIGINT)"
        } else {
            "CAST(0 AS BIGINT)"
        });
        b.push(" FROM job j");
        narrow!(b, org, filter);
    })?;
    let amount = filter.sight.visible_amount(Some(worth)).filter(|_| filter.done);
    Ok(ListTotal { amount, ..ListTotal::from_row_count(rows) })
}

pub async fn list_jobs_of_lead(
    conn: &mut dyn AsConn,
    org: OrgId,
    sight: JobScope,
    lead: LeadId,
) -> Result<Vec<JobSummary>> {
    let filter = JobListFilter { lead: Some(lead), ..JobListFilter::for_scope(sight, 100) };
    Ok(list(conn, org, &filter).await?.jobs)
}

#[derive(Clone, Copy, FromRow)]
struct BusyTime {
    id: JobId,
    crew: CrewId,
    starts: DateTime<Utc>,
    ends: DateTime<Utc>,
}

impl BusyTime {
    /// Touching edges do not overlap.
    fn overlaps_with(&self, other: &Self) -> bool {
        self.id != other.id && self.crew == other.crew && self.starts < other.ends && other.starts < self.ends
    }
}

async fn count_overlaps(conn: &mut dyn AsConn, org: OrgId, rows: &[JobListRow]) -> Result<HashMap<JobId, i64>> {
    let shown: Vec<BusyTime> = rows.iter().filter_map(JobListRow::busy_time).collect();
    let (Some(first), Some(last)) = (shown.iter().map(|job| job.starts).min(), shown.iter().map(|job| job.ends).max())
    else {
        return Ok(HashMap::new());
    };
    let others = q!(
        conn,
        fetch_all as BusyTime,
        "SELECT id, crew_id AS crew, starts_at AS starts, ends_at AS ends FROM job
         WHERE org_id = $1 AND starts_at IS NOT NULL AND crew_id IS NOT NULL AND status <> 'cancelled'
             AND status <> 'completed' AND starts_at > $2 AND starts_at < $3 AND ends_at > $4",
        org,
        first - MAX_JOB_DURATION,
        last,
        first
    )?;
    let count = |job: &BusyTime| others.iter().filter(|other| job.overlaps_with(other)).count();
    Ok(shown.iter().map(|job| (job.id, i64::try_from(count(job)).unwrap_or(i64::MAX))).collect())
}
