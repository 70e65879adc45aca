//! A crew's booked job: what is done, where, when and by whom, and how it stands.
//!
//! Every job belongs to a lead; one that came without is typed in together with it. Whoever changes a job holds its
//! lead first, so that two jobs of one lead, and its payments, change one after the other.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use crate::{
    domain::{
        money::ledger,
        tenancy::{account::Role, session::Session},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, CrewId, CustomerId, JobId, LeadId, OrgId, PropertyId},
        live::{self, Topic},
        money::Cents,
    },
};

pub mod automation;
pub mod check;
pub mod cost;
pub mod create;
pub mod dispatch_notice;
pub mod edit;
pub mod export;
pub mod form;
mod known;
mod lead_projection;
pub mod list;
pub mod note;
pub mod schedule;
mod state;
pub mod status;
pub mod tiles;
pub mod timeline;
pub mod undo;
pub mod view;

pub use crate::domain::tenancy::org::settings::RequiredPhotos;
pub use create::create;
pub use form::{JobPatch, NewJob};
pub use schedule::{Moved, Slot, schedule};
pub use state::{BoardPriority, PagePriority, Priority, Status, StatusShown};
pub use status::{StatusChange, change_status};
pub use undo::undo;

/// No job lasts longer, so what overlaps with an hour began at most so long before it.
pub const LONGEST: Duration = Duration::days(14);
/// How wide the window may be in which a crew arrives, in minutes.
const ARRIVALS: [i64; 6] = [0, 15, 30, 60, 120, 240];

/// What a person may see of jobs: the office all of them, somebody of a crew those of their crews, without money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    Office,
    Crew(AccountId),
}

impl Sight {
    #[must_use]
    pub fn of(session: &Session) -> Self {
        match session.role {
            Role::Owner | Role::Office => Self::Office,
            Role::Crew => Self::Crew(session.account_id),
        }
    }

    #[must_use]
    pub fn is_office(self) -> bool {
        self == Self::Office
    }

    /// An amount, for those who see money.
    #[must_use]
    pub fn money(self, amount: Option<Cents>) -> Option<Cents> {
        amount.filter(|_| self.is_office())
    }
}

/// What this person may see of this job.
///
/// # Errors
/// [`Error::NotFound`] when there is no such job in their business, or it is another crew's.
pub async fn visible(conn: &mut dyn AsConn, session: &Session, job: JobId) -> Result<Sight> {
    let sight = Sight::of(session);
    let is_there = match sight {
        Sight::Office => {
            let sql = "SELECT EXISTS (SELECT 1 FROM job WHERE org_id = $1 AND id = $2)";
            q!(conn, fetch_one scalar bool, sql, session.org_id, job)?
        }
        Sight::Crew(account) => q!(
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

/// A job as it is stored.
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
    pub status: Status,
    pub priority: Priority,
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

/// # Errors
/// [`Error::NotFound`] when the org has no such job.
pub async fn find(conn: &mut dyn AsConn, org: OrgId, id: JobId) -> Result<Job> {
    let sql = "SELECT * FROM job WHERE org_id = $1 AND id = $2";
    q!(conn, fetch_optional as Job, sql, org, id)?.ok_or(Error::NotFound)
}

/// The job, with its lead and itself held until the transaction ends.
async fn hold(tx: &mut Tx, org: OrgId, id: JobId) -> Result<Job> {
    let lead = find(&mut *tx, org, id).await?.lead_id;
    ledger::hold(&mut *tx, org, lead).await?;
    let sql = "UPDATE job SET version = version WHERE org_id = $1 AND id = $2 RETURNING *";
    q!(tx, fetch_optional as Job, sql, org, id)?.ok_or(Error::NotFound)
}

/// Refuses a change that was made looking at an older state of the job.
async fn is_current(conn: &mut dyn AsConn, org: OrgId, job: &Job, version: i64) -> Result<()> {
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
    let by = by.filter(|name| !name.is_empty()).unwrap_or_else(|| "Somebody".to_owned());
    Err(Error::Clash(format!("{by} changed this job a moment ago. Look again.")))
}

/// Browsers that show days of work look again; the job's and the lead's own pages hear of every event.
async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Schedule, org.0, None).await
}

/// What is looked for when somebody searches the board, lower-cased.
fn search_text(number: i64, customer: &str, service: &str, address: Option<&str>, zip: Option<&str>) -> String {
    let number = number.to_string();
    let parts = [number.as_str(), customer, service, address.unwrap_or_default(), zip.unwrap_or_default()];
    parts.join("\n").to_lowercase()
}
