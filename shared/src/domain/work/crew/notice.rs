//! Telling a crew that its day has changed: what several hands changed within a minute is one alert, with what came of
//! it, on the devices of each person. What was moved back by then is not told at all.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Value;
use sqlx::{FromRow, types::Json};

use crate::{
    domain::{
        messaging::alert::{self, Kind, NewAlert},
        tenancy::org,
        work::{activity, job::Status},
    },
    platform::{
        clock::Origin,
        db::{
            AsConn, Tx,
            batch::{Insert, insert_all, values},
            q, qb,
        },
        error::Result,
        id::{AccountId, CrewId, JobId, OrgId},
        tasks::{self, NewTask},
    },
};

mod words;

/// After the last change: a moment longer than a change can be taken back.
const PATIENCE: Duration = Duration::seconds(activity::UNDO.num_seconds() + 1);
/// However long somebody goes on changing things.
const LONGEST: Duration = Duration::minutes(10);
/// What lies longer back changes nobody's day.
const PAST: Duration = Duration::hours(24);

/// A change of a job, for the crews that have it or had it.
pub(crate) struct Change {
    pub job: JobId,
    /// The crew before and after; each once.
    pub crews: [Option<CrewId>; 2],
    /// [`activity::job_before`]; none when the job is new.
    pub was: Option<Value>,
    /// What else was changed of it.
    pub fields: Vec<&'static str>,
    pub by: Option<AccountId>,
}

/// Notes a change that a crew must hear of, in the transaction that makes it.
pub(crate) async fn changed(tx: &mut Tx, origin: &Origin, org: OrgId, change: Change) -> Result<()> {
    let [before, after] = change.crews;
    let crews: Vec<CrewId> = [before, after.filter(|crew| before != Some(*crew))].into_iter().flatten().collect();
    if crews.is_empty() {
        return Ok(());
    }
    let now = origin.now();
    let rows = Insert::into("crew_change (org_id, id, crew_id, job_id, was, fields, account_id, at)").rows(
        crews.iter().map(|crew| {
            let was = change.was.clone().map(Json);
            values![org, origin.uuid(), *crew, change.job, was, Json(change.fields.clone()), change.by, now]
        }),
    );
    insert_all(tx, &[rows]).await?;
    let tasks = crews.into_iter().map(|crew| NewTask {
        org: Some(org),
        kind: tasks::Kind::TellCrew,
        subject: Some(crew.0),
        run_at: now + PATIENCE,
        // Two changes at one instant are told together.
        unique_key: format!("tell_crew:{crew}:{}", now.timestamp_millis()),
    });
    tasks::enqueue(tx, origin, tasks.collect()).await?;
    Ok(())
}

/// What has not been told.
#[derive(Clone, Debug, FromRow)]
struct Row {
    job_id: JobId,
    was: Option<Json<Value>>,
    fields: Option<Json<Vec<String>>>,
    account_id: Option<AccountId>,
    at: DateTime<Utc>,
}

impl Row {
    /// Later is greater; two changes of a job at one instant by the version they found.
    fn order(&self) -> (DateTime<Utc>, i64) {
        let version = self.was.as_ref().and_then(|was| was["version"].as_i64());
        (self.at, version.unwrap_or_default())
    }
}

/// What stood of a job before the first of these changes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Before {
    #[serde(default)]
    starts_at: Option<DateTime<Utc>>,
    #[serde(default)]
    ends_at: Option<DateTime<Utc>>,
    #[serde(default)]
    crew_id: Option<CrewId>,
    status: Status,
}

/// A job as its crew reads of it.
#[derive(Clone, Debug, FromRow)]
struct Now {
    id: JobId,
    number: i64,
    service: String,
    customer: String,
    address: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    crew_id: Option<CrewId>,
    status: Status,
}

/// What came of all changes of one job, as one crew sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Net {
    New,
    Moved {
        from: DateTime<Utc>,
    },
    /// It begins when it did, and ends at another time.
    Longer,
    /// Its time was taken away.
    Unplanned {
        from: DateTime<Utc>,
    },
    /// It is another crew's, or nobody's.
    Gone {
        from: DateTime<Utc>,
    },
    Cancelled {
        from: DateTime<Utc>,
    },
    Changed(Vec<String>),
}

/// Tells a crew what has changed since it was told last, once nobody has changed anything for a minute. Run twice, it
/// tells nothing twice.
pub async fn tell(tx: &mut Tx, origin: &Origin, crew: CrewId) -> Result<()> {
    let sql = "UPDATE crew SET name = name WHERE id = $1 RETURNING org_id";
    let Some(org) = q!(&mut *tx, fetch_optional scalar OrgId, sql, crew)? else { return Ok(()) };
    let now = origin.now();
    let rows = untold(&mut *tx, org, crew).await?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    if last.at + PATIENCE > now && first.at + LONGEST > now {
        // Its own task comes after the newest.
        return Ok(());
    }
    let sql = "UPDATE crew_change SET told_at = $3 WHERE org_id = $1 AND crew_id = $2 AND told_at IS NULL";
    q!(&mut *tx, execute, sql, org, crew, now)?;
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::profile(&mut *tx, found).await?;
    let zone = profile.org.zone();
    let key = format!("schedule:{crew}:{}", last.at.timestamp_millis());
    for person in people(&mut *tx, org, crew).await? {
        let changes = for_one(&mut *tx, org, (crew, person), &rows, now).await?;
        if let Some(alert) = alert_of(person, &changes, zone, &key) {
            alert::raise(&mut *tx, origin, &profile, alert).await?;
        }
    }
    Ok(())
}

async fn untold(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<Row>> {
    let sql = "SELECT job_id, was, fields, account_id, at FROM crew_change
         WHERE org_id = $1 AND crew_id = $2 AND told_at IS NULL ORDER BY at, id";
    let mut rows = q!(conn, fetch_all as Row, sql, org, crew)?;
    rows.sort_by_key(Row::order);
    Ok(rows)
}

/// Who belongs to it and can be told.
async fn people(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<AccountId>> {
    Ok(q!(
        conn,
        fetch_all scalar AccountId,
        "SELECT a.id FROM crew_member m JOIN account a ON a.org_id = m.org_id AND a.id = m.account_id
         WHERE m.org_id = $1 AND m.crew_id = $2 AND a.is_active = TRUE ORDER BY a.id",
        org,
        crew
    )?)
}

/// What one person of the crew is told, in the order of its time.
async fn for_one(
    conn: &mut dyn AsConn,
    org: OrgId,
    (crew, person): (CrewId, AccountId),
    rows: &[Row],
    now: DateTime<Utc>,
) -> Result<Vec<(Now, Net)>> {
    let mut by_job: BTreeMap<JobId, Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.account_id != Some(person)) {
        by_job.entry(row.job_id).or_default().push(row);
    }
    let jobs = jobs(&mut *conn, org, by_job.keys().copied()).await?;
    let own = crate::domain::work::crew::of_person(conn, org, person).await?;
    let mut told: Vec<(Now, Net)> = jobs
        .into_iter()
        .filter_map(|job| {
            let net = net(&job, crew, by_job.get(&job.id)?)?;
            // Given to another crew of theirs: that one tells them.
            let is_still_theirs =
                matches!(net, Net::Gone { .. }) && job.crew_id.is_some_and(|crew| own.contains(&crew));
            (!is_still_theirs && matters(&job, &net, now)).then_some((job, net))
        })
        .collect();
    told.sort_by_key(|(job, _)| (job.starts_at, job.number));
    Ok(told)
}

async fn jobs(conn: &mut dyn AsConn, org: OrgId, ids: impl Iterator<Item = JobId>) -> Result<Vec<Now>> {
    let ids: Vec<JobId> = ids.collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(qb!(conn, fetch_all as Now, |b| {
        b.push(
            "SELECT j.id, j.number, j.service, l.name AS customer, j.address, j.starts_at, j.ends_at, j.crew_id, j.status
             FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id WHERE j.org_id = ",
        );
        b.push_bind(org).push(" AND j.id IN (");
        let mut list = b.separated(", ");
        for id in &ids {
            list.push_bind(*id);
        }
        b.push(")");
    })?)
}

/// What came of these changes of a job; none when it stands as it stood, or concerns the crew no more.
fn net(job: &Now, crew: CrewId, rows: &[&Row]) -> Option<Net> {
    let first = rows.first()?.was.as_ref();
    let before = first.and_then(|was| serde_json::from_value::<Before>(was.0.clone()).ok());
    // A job of theirs that was to happen then.
    let had = before.filter(|was| was.crew_id == Some(crew) && was.status.is_unfinished());
    let stands = job.crew_id == Some(crew) && job.status.is_unfinished();
    let Some(had) = had else { return (stands && job.starts_at.is_some()).then_some(Net::New) };
    match (had.starts_at, job.starts_at) {
        _ if job.status == Status::Completed => None,
        (from, _) if job.status == Status::Cancelled => from.map(|from| Net::Cancelled { from }),
        (from, _) if job.crew_id != Some(crew) => from.map(|from| Net::Gone { from }),
        (Some(from), None) => Some(Net::Unplanned { from }),
        (None, Some(_)) => Some(Net::New),
        (Some(from), Some(to)) if from != to => Some(Net::Moved { from }),
        (Some(_), Some(_)) if had.ends_at != job.ends_at => Some(Net::Longer),
        _ => {
            let mut fields: Vec<String> =
                rows.iter().filter_map(|row| row.fields.as_ref()).flat_map(|fields| fields.0.clone()).collect();
            fields.sort_unstable();
            fields.dedup();
            (!fields.is_empty()).then_some(Net::Changed(fields))
        }
    }
}

/// Whether it is about today or a day to come.
fn matters(job: &Now, net: &Net, now: DateTime<Utc>) -> bool {
    let from = match net {
        Net::Moved { from } | Net::Unplanned { from } | Net::Gone { from } | Net::Cancelled { from } => Some(*from),
        Net::New | Net::Longer | Net::Changed(_) => None,
    };
    [from, job.starts_at].into_iter().flatten().any(|at| at > now - PAST)
}

/// One alert about all of it, for one person.
fn alert_of(person: AccountId, changes: &[(Now, Net)], zone: Tz, key: &str) -> Option<NewAlert> {
    let (title, body) = words::said(changes, zone)?;
    let path = match changes {
        [(job, _)] if job_is_seen(changes) => format!("/app/jobs/{}", job.id),
        _ => "/app/today".to_owned(),
    };
    Some(NewAlert {
        path: Some(path),
        account: Some(person),
        ..NewAlert::new(Kind::ScheduleChanged, format!("{key}:{person}"), title, body)
    })
}

/// What is not theirs any more opens nothing.
fn job_is_seen(changes: &[(Now, Net)]) -> bool {
    !changes.iter().any(|(_, net)| matches!(net, Net::Gone { .. }))
}

#[cfg(test)]
mod tests;
