//! Jobs: work, place, time, crew and status.
//!
//! Every job belongs to a lead; a job without one is created with a new lead. Lock order: a change of a job locks its
//! lead first, which serializes the jobs and payments of the lead.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use crate::{
    conflicts::ConflictReason,
    domain::{
        tenancy::{account::Role, session::Session},
        work::pipeline,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, CrewId, CustomerId, JobId, LeadId, OrgId, PropertyId},
        live::{self, Topic},
        money::Cents,
    },
};

pub mod check;
pub mod cost;
pub mod create;
pub mod dispatch_notice;
pub mod edit;
pub mod form;
mod lead_projection;
pub(crate) mod margin;
pub mod note;
mod prefill;
pub(crate) mod quoted;
pub mod schedule;
mod state;
pub mod status;
pub mod tiles;
pub mod undo;

pub use crate::domain::tenancy::org::RequiredPhotos;
pub use create::create;
pub use form::{JobPatch, NewJob};
pub(crate) use margin::MarginRatio;
pub use schedule::{JobSlot, ScheduleResult, schedule_job};
pub use state::{BoardPriority, DisplayedJobStatus, JobPriority, JobState, PagePriority};
pub use status::{StatusChange, change_status};
pub use undo::undo_job_event;

/// Longest job: a job that overlaps with an hour began at most this long before it.
pub const MAX_JOB_DURATION: Duration = Duration::days(14);
/// Arrival windows, in minutes.
const ARRIVAL_WINDOWS: [i64; 6] = [0, 15, 30, 60, 120, 240];

/// Visible jobs: all for the office; those of their crews, without money, for crew members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobScope {
    Office,
    Crew(AccountId),
}

impl JobScope {
    #[must_use]
    pub fn from_session(session: &Session) -> Self {
        match session.role {
            Role::Owner | Role::Office => Self::Office,
            Role::Crew => Self::Crew(session.account_id),
        }
    }

    #[must_use]
    pub fn is_office(self) -> bool {
        self == Self::Office
    }

    #[must_use]
    pub fn visible_amount(self, amount: Option<Cents>) -> Option<Cents> {
        amount.filter(|_| self.is_office())
    }
}

/// # Errors
/// [`Error::NotFound`] when there is no such job in their business, or it is another crew's.
pub async fn find_visible_scope(conn: &mut dyn AsConn, session: &Session, job: JobId) -> Result<JobScope> {
    let sight = JobScope::from_session(session);
    let is_there = match sight {
        JobScope::Office => {
            let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND id = $2)";
            q!(conn, fetch_one scalar bool, sql, session.org_id, job)?
        }
        JobScope::Crew(account) => q!(
            conn,
            fetch_one scalar bool,
            "SELECT EXISTS (SELECT 1 FROM job j JOIN crew_member m ON m.org_id = j.org_id AND m.crew_id = j.crew_id
                 WHERE j.org_id = $1 AND j.id = $2 AND m.account_id = $3)",
            session.org_id,
            job,
            account
        )?,
    };
    if is_there { Ok(sight) } else { Err(Error::NotFound) }
}

#[derive(Clone, Debug, FromRow)]
pub struct Job {
    pub id: JobId,
    pub number: i64,
    pub lead_id: LeadId,
    pub customer_id: CustomerId,
    pub property_id: Option<PropertyId>,
    pub crew_id: Option<CrewId>,
    pub service: String,
    pub description: Option<String>,
    pub address: Option<String>,
    pub zip: Option<String>,
    pub status: JobState,
    pub priority: JobPriority,
    pub starts_at: Option<DateTime<Utc>>,
    pub ends_at: Option<DateTime<Utc>>,
    pub duration_minutes: i64,
    pub arrival_minutes: i64,
    pub value_cents: Option<Cents>,
    pub materials: Json<Vec<String>>,
    pub special_instructions: Option<String>,
    pub weather_concerns: Option<String>,
    pub required_photos: RequiredPhotos,
    pub on_my_way_at: Option<DateTime<Utc>>,
    pub eta_at: Option<DateTime<Utc>>,
    pub started_at: Option<DateTime<Utc>>,
    pub completed_at: Option<DateTime<Utc>>,
    pub cancelled_at: Option<DateTime<Utc>>,
    pub cancel_reason: Option<String>,
    pub confirmed_at: Option<DateTime<Utc>>,
    pub version: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: JobId) -> Result<Job> {
    let sql = "SELECT * FROM job WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Job, sql, org, id)?.ok_or(Error::NotFound)
}

/// Locks the lead and the job until the transaction ends.
async fn lock_job(tx: &mut Tx, org: OrgId, id: JobId) -> Result<Job> {
    let lead = find(&mut *tx, org, id).await?.lead_id;
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let sql = "UPDATE job SET version = version WHERE org_id = $1 AND id = $2 RETURNING *";
    q!(tx, fetch_optional as Job, sql, org, id)?.ok_or(Error::NotFound)
}

async fn check_version(conn: &mut dyn AsConn, org: OrgId, job: &Job, version: i64) -> Result<()> {
    if version == job.version {
        return Ok(());
    }
    let by = q!(
        conn,
        fetch_optional scalar String,
        "SELECT actor_name FROM work_event WHERE org_id = $1 AND job_id = $2 AND actor_kind <> 'system'
         ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        job.id
    )?;
    Err(ConflictReason::job_changed(by.as_deref()).into())
}

/// Refreshes schedule views; pages of the job and the lead follow every event.
pub(crate) async fn announce_schedule(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Schedule, org.0, None).await
}

fn build_search_text(number: i64, customer: &str, service: &str, address: Option<&str>, zip: Option<&str>) -> String {
    let number = number.to_string();
    let parts = [number.as_str(), customer, service, address.unwrap_or_default(), zip.unwrap_or_default()];
    parts.join("\n").to_lowercase()
}

/// The customer confirmed the visit. False when they had before.
pub(crate) async fn confirm_job(tx: &mut Tx, org: OrgId, id: JobId, at: DateTime<Utc>) -> Result<bool> {
    let sql = "UPDATE job SET confirmed_at = $3 WHERE org_id = $1 AND id = $2 AND confirmed_at IS NULL";
    Ok(q!(tx, execute, sql, org, id, at)? > 0)
}

/// What the approved change orders of a job are worth together.
pub(crate) async fn refresh_changes_amount(tx: &mut Tx, org: OrgId, id: JobId, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE job SET changes_cents = (SELECT CAST(COALESCE(SUM(a.total_cents), 0) AS BIGINT) FROM estimate e
                 JOIN approval a ON a.org_id = e.org_id AND a.estimate_id = e.id
                 WHERE e.org_id = $1 AND e.job_id = $2 AND e.status = 'approved'),
             version = version + 1, updated_at = $3
         WHERE org_id = $1 AND id = $2",
        org,
        id,
        now
    )?;
    Ok(())
}
