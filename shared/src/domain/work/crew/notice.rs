//! Alerts to crews about changed work: changes within a minute become one alert with their net effect, to the devices
//! of each person. A change that was reversed by then sends no notice.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use sqlx::{FromRow, types::Json};

use crate::{
    domain::{
        messaging::alert::{self, AlertKind, NewAlert},
        tenancy::org,
        work::{
            activity::{self, JobSnapshot},
            job::JobState,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all, batch_rows, q, qb},
        error::Result,
        id::{AccountId, CrewId, JobId, LeadId, OrgId},
        tasks::{self, NewTask},
    },
};

mod words;

/// Wait after the last change: a second longer than the undo window.
const DEBOUNCE: Duration = Duration::seconds(activity::UNDO_WINDOW.num_seconds() + 1);
/// Longest wait while changes continue.
const MAX_DEBOUNCE: Duration = Duration::minutes(10);
/// Work longer past than this sends no notice.
const MAX_CHANGE_AGE: Duration = Duration::hours(24);

pub(crate) struct CrewJobChange {
    pub job: JobId,
    pub crews: [Option<CrewId>; 2],
    /// [`activity::snapshot_job`]; none for a new job.
    pub was: Option<JobSnapshot>,
    pub fields: Vec<&'static str>,
    pub by: Option<AccountId>,
}

/// Stores the change in the transaction that makes it.
pub(crate) async fn record_job_change(tx: &mut Tx, origin: &ClockRng, org: OrgId, change: CrewJobChange) -> Result<()> {
    let [before, after] = change.crews;
    let crews: Vec<CrewId> = [before, after.filter(|crew| before != Some(*crew))].into_iter().flatten().collect();
    if crews.is_empty() {
        return Ok(());
    }
    let now = origin.now();
    let rows = batch_rows!(crews.iter(), |crew| pending_crew_notice {
        org_id: org,
        id: origin.uuid_v7(),
        crew_id: *crew,
        job_id: change.job,
        was: change.was.clone().map(Json),
        fields: Json(change.fields.clone()),
        account_id: change.by,
        at: now,
    });
    insert_all(tx, &[rows]).await?;
    let tasks = crews.into_iter().map(|crew| NewTask {
        org: Some(org),
        kind: tasks::TaskKind::NotifyCrew,
        subject: Some(crew.0),
        run_at: now + DEBOUNCE,
        // Changes at one instant share a task.
        unique_key: format!("notify_crew:{crew}:{}", now.timestamp_millis()),
    });
    tasks::enqueue(tx, origin, tasks.collect()).await?;
    Ok(())
}

#[derive(Clone, Debug, FromRow)]
struct PendingCrewChangeRow {
    job_id: JobId,
    was: Option<Json<JobSnapshot>>,
    fields: Option<Json<Vec<String>>>,
    account_id: Option<AccountId>,
    at: DateTime<Utc>,
}

impl PendingCrewChangeRow {
    /// By time; two changes of a job at one instant by the version they found.
    fn sort_key(&self) -> (DateTime<Utc>, i64) {
        (self.at, self.was.as_ref().map_or(0, |was| was.version))
    }
}

#[derive(Clone, Debug, FromRow)]
struct CrewJobNow {
    id: JobId,
    lead_id: LeadId,
    number: i64,
    service: String,
    customer: String,
    address: Option<String>,
    starts_at: Option<DateTime<Utc>>,
    ends_at: Option<DateTime<Utc>>,
    crew_id: Option<CrewId>,
    status: JobState,
}

/// Net effect of all changes of a job for one crew.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NetChange {
    New,
    Moved {
        from: DateTime<Utc>,
    },
    EndChanged,
    Unscheduled {
        from: DateTime<Utc>,
    },
    /// Moved to another crew, or to none.
    Reassigned {
        from: DateTime<Utc>,
    },
    Cancelled {
        from: DateTime<Utc>,
    },
    Changed(Vec<String>),
}

/// Alerts a crew to untold changes once none was made for a minute. Idempotent.
pub async fn notify_crew(tx: &mut Tx, origin: &ClockRng, crew: CrewId) -> Result<()> {
    let sql = "UPDATE crew SET name = name WHERE id = $1 RETURNING org_id";
    let Some(org) = q!(&mut *tx, fetch_optional scalar OrgId, sql, crew)? else { return Ok(()) };
    let now = origin.now();
    let rows = list_pending_changes(&mut *tx, org, crew).await?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    if last.at + DEBOUNCE > now && first.at + MAX_DEBOUNCE > now {
        // The task of the newest change comes later.
        return Ok(());
    }
    let sql =
        "UPDATE pending_crew_notice SET notified_at = $3 WHERE org_id = $1 AND crew_id = $2 AND notified_at IS NULL";
    q!(&mut *tx, execute, sql, org, crew, now)?;
    let Some(found) = org::find(&mut *tx, org).await? else { return Ok(()) };
    let profile = org::load_profile(&mut *tx, found).await?;
    let zone = profile.org.zone();
    let key = format!("schedule:{crew}:{}", last.at.timestamp_millis());
    for person in list_active_members(&mut *tx, org, crew).await? {
        let changes = list_changes_for_member(&mut *tx, org, (crew, person), &rows, now).await?;
        if let Some(alert) = build_alert(person, &changes, zone, &key) {
            alert::raise_alert(&mut *tx, origin, &profile, alert).await?;
        }
    }
    Ok(())
}

async fn list_pending_changes(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<PendingCrewChangeRow>> {
    let sql = "SELECT job_id, was, fields, account_id, at FROM pending_crew_notice
         WHERE org_id = $1 AND crew_id = $2 AND notified_at IS NULL ORDER BY at, id";
    let mut rows = q!(conn, fetch_all as PendingCrewChangeRow, sql, org, crew)?;
    rows.sort_by_key(PendingCrewChangeRow::sort_key);
    Ok(rows)
}

async fn list_active_members(conn: &mut dyn AsConn, org: OrgId, crew: CrewId) -> Result<Vec<AccountId>> {
    Ok(q!(
        conn,
        fetch_all scalar AccountId,
        "SELECT a.id FROM crew_member m JOIN account a ON a.org_id = m.org_id AND a.id = m.account_id
         WHERE m.org_id = $1 AND m.crew_id = $2 AND a.is_active = TRUE ORDER BY a.id",
        org,
        crew
    )?)
}

async fn list_changes_for_member(
    conn: &mut dyn AsConn,
    org: OrgId,
    (crew, person): (CrewId, AccountId),
    rows: &[PendingCrewChangeRow],
    now: DateTime<Utc>,
) -> Result<Vec<(CrewJobNow, NetChange)>> {
    let mut by_job: BTreeMap<JobId, Vec<&PendingCrewChangeRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.account_id != Some(person)) {
        by_job.entry(row.job_id).or_default().push(row);
    }
    let jobs = load_jobs(&mut *conn, org, by_job.keys().copied()).await?;
    let own = crate::domain::work::crew::list_crews_of_member(conn, org, person).await?;
    let mut changes: Vec<(CrewJobNow, NetChange)> = jobs
        .into_iter()
        .filter_map(|job| {
            let net = compute_net_change(&job, crew, by_job.get(&job.id)?)?;
            // Moved to another of their crews, whose alert tells them.
            let is_still_theirs =
                matches!(net, NetChange::Reassigned { .. }) && job.crew_id.is_some_and(|crew| own.contains(&crew));
            (!is_still_theirs && is_relevant(&job, &net, now)).then_some((job, net))
        })
        .collect();
    changes.sort_by_key(|(job, _)| (job.starts_at, job.number));
    Ok(changes)
}

async fn load_jobs(conn: &mut dyn AsConn, org: OrgId, ids: impl Iterator<Item = JobId>) -> Result<Vec<CrewJobNow>> {
    let ids: Vec<JobId> = ids.collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(qb!(conn, fetch_all as CrewJobNow, |b| {
        b.push(
            "SELECT j.id, j.lead_id, j.number, j.service, l.name AS customer, j.address, j.starts_at, j.ends_at, j.crew_id,
                 j.status
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

/// None when the job is as before, or no longer concerns the crew.
fn compute_net_change(job: &CrewJobNow, crew: CrewId, rows: &[&PendingCrewChangeRow]) -> Option<NetChange> {
    // A planned job of this crew before the changes.
    let had = rows.first()?.was.as_ref().filter(|was| was.crew_id == Some(crew) && was.status.is_unfinished());
    let is_assigned = job.crew_id == Some(crew) && job.status.is_unfinished();
    let Some(had) = had else { return (is_assigned && job.starts_at.is_some()).then_some(NetChange::New) };
    match (had.starts_at, job.starts_at) {
        _ if job.status == JobState::Completed => None,
        (from, _) if job.status == JobState::Cancelled => from.map(|from| NetChange::Cancelled { from }),
        (from, _) if job.crew_id != Some(crew) => from.map(|from| NetChange::Reassigned { from }),
        (Some(from), None) => Some(NetChange::Unscheduled { from }),
        (None, Some(_)) => Some(NetChange::New),
        (Some(from), Some(to)) if from != to => Some(NetChange::Moved { from }),
        (Some(_), Some(_)) if had.ends_at != job.ends_at => Some(NetChange::EndChanged),
        _ => {
            let mut fields: Vec<String> =
                rows.iter().filter_map(|row| row.fields.as_ref()).flat_map(|fields| fields.0.clone()).collect();
            fields.sort_unstable();
            fields.dedup();
            (!fields.is_empty()).then_some(NetChange::Changed(fields))
        }
    }
}

fn is_relevant(job: &CrewJobNow, net: &NetChange, now: DateTime<Utc>) -> bool {
    let from = match net {
        NetChange::Moved { from }
        | NetChange::Unscheduled { from }
        | NetChange::Reassigned { from }
        | NetChange::Cancelled { from } => Some(*from),
        NetChange::New | NetChange::EndChanged | NetChange::Changed(_) => None,
    };
    [from, job.starts_at].into_iter().flatten().any(|at| at > now - MAX_CHANGE_AGE)
}

fn build_alert(person: AccountId, changes: &[(CrewJobNow, NetChange)], zone: Tz, key: &str) -> Option<NewAlert> {
    let (title, body) = words::render_alert(changes, zone)?;
    let path = match changes {
        [(job, _)] if is_job_visible(changes) => format!("/app/jobs/{}", job.id),
        _ => "/app/today".to_owned(),
    };
    Some(NewAlert {
        lead: find_shared_lead(changes),
        path: Some(path),
        account: Some(person),
        ..NewAlert::new(AlertKind::ScheduleChanged, format!("{key}:{person}"), title, body)
    })
}

/// The request of all changed jobs, by which an erasure finds the alert. None for several: then an erasure empties it.
fn find_shared_lead(changes: &[(CrewJobNow, NetChange)]) -> Option<LeadId> {
    let (first, _) = changes.first()?;
    changes.iter().all(|(job, _)| job.lead_id == first.lead_id).then_some(first.lead_id)
}

/// A job of another crew cannot be opened.
fn is_job_visible(changes: &[(CrewJobNow, NetChange)]) -> bool {
    !changes.iter().any(|(_, net)| matches!(net, NetChange::Reassigned { .. }))
}

#[cfg(test)]
mod tests;
