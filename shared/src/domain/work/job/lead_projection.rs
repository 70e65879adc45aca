//! What a lead shows of its jobs: when the next one begins, and the stage that follows from how they stand.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::types::Json;

use super::Status;
use crate::{
    domain::{
        intake::lead::Stage,
        work::{
            activity::Doer,
            pipeline::{self, Cause},
        },
    },
    platform::{
        clock::Origin,
        db::{Tx, q},
        error::Result,
        id::{LeadId, OrgId},
    },
};

/// What just happened to one of the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It was made, or got its time.
    Planned,
    /// Work on it began, ended, or goes on after all.
    Worked,
    /// It lost its time, or was cancelled.
    Freed,
    /// The last change of it was taken back, whatever it was.
    Undone,
}

/// Where a lead belongs by its jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Belongs {
    /// All work is done.
    Done,
    /// A crew is coming.
    Scheduled,
    /// There was a plan, and there is none.
    Unplanned,
    /// The jobs say nothing about it.
    Anywhere,
}

/// Makes the lead say what its jobs say. The caller holds the lead.
pub(crate) async fn mirror(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    lead: LeadId,
    turn: Turn,
    by: &Doer,
) -> Result<()> {
    let jobs = q!(
        &mut *tx,
        fetch_all as (Status, Option<DateTime<Utc>>),
        "SELECT status, starts_at FROM job WHERE org_id = $1 AND lead_id = $2",
        org,
        lead
    )?;
    let sql = "UPDATE lead SET scheduled_at = $3 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, org, lead, scheduled_at(&jobs))?;
    let stage =
        q!(&mut *tx, fetch_one scalar Stage, "SELECT stage FROM lead WHERE org_id = $1 AND id = $2", org, lead)?;
    for (to, cause) in moves(tx, org, lead, stage, belongs(&jobs), turn).await? {
        pipeline::advance(&mut *tx, origin, org, lead, to, cause, by, None).await?;
    }
    Ok(())
}

/// When the next job that is not done begins, else when the last one did.
fn scheduled_at(jobs: &[(Status, Option<DateTime<Utc>>)]) -> Option<DateTime<Utc>> {
    let starts = |wanted: fn(Status) -> bool| jobs.iter().filter(move |job| wanted(job.0)).filter_map(|job| job.1);
    starts(Status::is_unfinished).min().or_else(|| starts(|status| status == Status::Completed).max())
}

fn belongs(jobs: &[(Status, Option<DateTime<Utc>>)]) -> Belongs {
    let is_any = |status: Status| jobs.iter().any(|job| job.0 == status);
    let is_planned =
        jobs.iter().any(|job| job.0 == Status::InProgress || (job.0 == Status::Scheduled && job.1.is_some()));
    let is_open = jobs.iter().any(|job| job.0.is_unfinished());
    match (is_planned, is_open, is_any(Status::Completed)) {
        (true, ..) => Belongs::Scheduled,
        (false, false, true) => Belongs::Done,
        (false, _, false) => Belongs::Unplanned,
        (false, true, true) => Belongs::Anywhere,
    }
}

/// The steps from stage to stage; the pipeline leaves out those that its table does not know.
async fn moves(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    stage: Stage,
    belongs: Belongs,
    turn: Turn,
) -> Result<Vec<(Stage, Cause)>> {
    Ok(match (belongs, stage) {
        (Belongs::Scheduled, Stage::Done) if turn != Turn::Planned => vec![(Stage::Scheduled, Cause::JobReopened)],
        (Belongs::Scheduled, Stage::New | Stage::Quoted | Stage::Done) => vec![(Stage::Scheduled, Cause::JobScheduled)],
        (Belongs::Done, Stage::New | Stage::Quoted) => {
            vec![(Stage::Scheduled, Cause::JobScheduled), (Stage::Done, Cause::JobsCompleted)]
        }
        (Belongs::Done, Stage::Scheduled) => vec![(Stage::Done, Cause::JobsCompleted)],
        // A lead that somebody moved to Scheduled by hand stays there until a plan of its jobs falls away.
        (Belongs::Unplanned, Stage::Scheduled) if matches!(turn, Turn::Freed | Turn::Undone) => {
            vec![(before(tx, org, lead).await?, Cause::JobUnscheduled)]
        }
        _ => Vec::new(),
    })
}

/// Where a lead falls back to that was scheduled: Quoted when it has an estimate or stood there before.
async fn before(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<Stage> {
    let has_estimate = q!(
        &mut *tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND lead_id = $2 AND job_id IS NULL
             AND status IN ('open', 'approved', 'declined'))",
        org,
        lead
    )?;
    let last = q!(
        tx,
        fetch_optional scalar Json<Value>,
        "SELECT detail FROM work_event WHERE org_id = $1 AND lead_id = $2 AND kind = 'stage_changed' AND undone_at IS NULL
         ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        lead
    )?;
    let stood_quoted = last.is_some_and(|detail| detail.0["from"] == "Quoted");
    Ok(if has_estimate || stood_quoted { Stage::Quoted } else { Stage::New })
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as the column holds it")]
    fn at(day: i64) -> Option<DateTime<Utc>> {
        Some(DateTime::UNIX_EPOCH + Duration::days(day))
    }

    #[test]
    fn the_next_visit_stands_on_the_lead_else_the_last() {
        use Status::{Cancelled, Completed, InProgress, Scheduled};
        assert_eq!(scheduled_at(&[]), None);
        assert_eq!(scheduled_at(&[(Scheduled, None), (Cancelled, at(1))]), None);
        assert_eq!(scheduled_at(&[(Scheduled, at(5)), (InProgress, at(4)), (Completed, at(1))]), at(4));
        assert_eq!(scheduled_at(&[(Completed, at(1)), (Completed, at(3)), (Cancelled, at(9))]), at(3));
    }

    #[test]
    fn the_stage_follows_from_all_jobs_together() {
        use Status::{Cancelled, Completed, InProgress, Scheduled};
        let table = [
            (vec![], Belongs::Unplanned),
            (vec![(Scheduled, None)], Belongs::Unplanned),
            (vec![(Cancelled, at(1))], Belongs::Unplanned),
            (vec![(Scheduled, at(1))], Belongs::Scheduled),
            (vec![(InProgress, at(1)), (Completed, at(1))], Belongs::Scheduled),
            (vec![(Completed, at(1)), (Cancelled, at(2))], Belongs::Done),
            (vec![(Completed, at(1)), (Scheduled, None)], Belongs::Anywhere),
        ];
        for (jobs, wanted) in table {
            assert_eq!(belongs(&jobs), wanted, "{jobs:?}");
        }
    }
}
