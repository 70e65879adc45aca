//! Fields of a lead that follow from its jobs: the next start, and the stage.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::types::Json;

use super::JobState;
use crate::{
    domain::{
        intake::lead::{self, PipelineStage},
        tenancy::activity_log::{ActivityActor, read_detail},
        work::pipeline::{self, StageCause, StageMove},
    },
    platform::{
        clock::ClockRng,
        db::{Tx, q},
        error::Result,
        id::{LeadId, OrgId},
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobTransition {
    Planned,
    Progressed,
    Unscheduled,
    Undone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeadPlacement {
    Done,
    Scheduled,
    /// A plan existed and is gone.
    Unplanned,
    /// No stage follows from the jobs.
    Undetermined,
}

/// The caller holds the lead.
pub(crate) async fn project_to_lead(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    lead: LeadId,
    turn: JobTransition,
    by: &ActivityActor,
) -> Result<()> {
    let jobs = q!(
        &mut *tx,
        fetch_all as (JobState, Option<DateTime<Utc>>),
        "SELECT status, starts_at FROM job WHERE org_id = $1 AND lead_id = $2",
        org,
        lead
    )?;
    lead::store_visit_time(&mut *tx, org, lead, lead_scheduled_at(&jobs)).await?;
    let stage = q!(&mut *tx, fetch_one scalar PipelineStage, "SELECT stage FROM lead WHERE org_id = $1 AND id = $2", org, lead)?;
    for (to, cause) in stage_moves(tx, org, lead, stage, lead_placement(&jobs), turn).await? {
        pipeline::advance_stage(&mut *tx, origin, org, lead, to, cause, by, None).await?;
    }
    Ok(())
}

/// Start of the next unfinished job, else of the last job.
fn lead_scheduled_at(jobs: &[(JobState, Option<DateTime<Utc>>)]) -> Option<DateTime<Utc>> {
    let starts = |wanted: fn(JobState) -> bool| jobs.iter().filter(move |job| wanted(job.0)).filter_map(|job| job.1);
    starts(JobState::is_unfinished).min().or_else(|| starts(|status| status == JobState::Completed).max())
}

fn lead_placement(jobs: &[(JobState, Option<DateTime<Utc>>)]) -> LeadPlacement {
    let is_any = |status: JobState| jobs.iter().any(|job| job.0 == status);
    let is_planned =
        jobs.iter().any(|job| job.0 == JobState::InProgress || (job.0 == JobState::Scheduled && job.1.is_some()));
    let is_open = jobs.iter().any(|job| job.0.is_unfinished());
    match (is_planned, is_open, is_any(JobState::Completed)) {
        (true, ..) => LeadPlacement::Scheduled,
        (false, false, true) => LeadPlacement::Done,
        (false, _, false) => LeadPlacement::Unplanned,
        (false, true, true) => LeadPlacement::Undetermined,
    }
}

/// Stage by stage; the pipeline ignores moves that are not in its table.
async fn stage_moves(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    stage: PipelineStage,
    belongs: LeadPlacement,
    turn: JobTransition,
) -> Result<Vec<(PipelineStage, StageCause)>> {
    Ok(match (belongs, stage) {
        (LeadPlacement::Scheduled, PipelineStage::Done) if turn != JobTransition::Planned => {
            vec![(PipelineStage::Scheduled, StageCause::JobReopened)]
        }
        (LeadPlacement::Scheduled, PipelineStage::New | PipelineStage::Quoted | PipelineStage::Done) => {
            vec![(PipelineStage::Scheduled, StageCause::JobScheduled)]
        }
        (LeadPlacement::Done, PipelineStage::New | PipelineStage::Quoted) => {
            vec![(PipelineStage::Scheduled, StageCause::JobScheduled), (PipelineStage::Done, StageCause::JobsCompleted)]
        }
        (LeadPlacement::Done, PipelineStage::Scheduled) => vec![(PipelineStage::Done, StageCause::JobsCompleted)],
        // A lead moved to Scheduled by hand stays until a plan of its jobs is removed.
        (LeadPlacement::Unplanned, PipelineStage::Scheduled)
            if matches!(turn, JobTransition::Unscheduled | JobTransition::Undone) =>
        {
            vec![(find_previous_stage(tx, org, lead).await?, StageCause::JobUnscheduled)]
        }
        _ => Vec::new(),
    })
}

/// Stage before Scheduled: Quoted with an estimate, or if it was Quoted before.
async fn find_previous_stage(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<PipelineStage> {
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
    let last = last.and_then(|detail| read_detail::<StageMove>(&detail));
    let stood_quoted = last.is_some_and(|moved| moved.from == PipelineStage::Quoted);
    Ok(if has_estimate || stood_quoted { PipelineStage::Quoted } else { PipelineStage::New })
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
    fn lead_shows_next_visit_or_else_the_last_one() {
        use JobState::{Cancelled, Completed, InProgress, Scheduled};
        assert_eq!(lead_scheduled_at(&[]), None);
        assert_eq!(lead_scheduled_at(&[(Scheduled, None), (Cancelled, at(1))]), None);
        assert_eq!(lead_scheduled_at(&[(Scheduled, at(5)), (InProgress, at(4)), (Completed, at(1))]), at(4));
        assert_eq!(lead_scheduled_at(&[(Completed, at(1)), (Completed, at(3)), (Cancelled, at(9))]), at(3));
    }

    #[test]
    fn lead_stage_is_derived_from_all_its_jobs() {
        use JobState::{Cancelled, Completed, InProgress, Scheduled};
        let table = [
            (vec![], LeadPlacement::Unplanned),
            (vec![(Scheduled, None)], LeadPlacement::Unplanned),
            (vec![(Cancelled, at(1))], LeadPlacement::Unplanned),
            (vec![(Scheduled, at(1))], LeadPlacement::Scheduled),
            (vec![(InProgress, at(1)), (Completed, at(1))], LeadPlacement::Scheduled),
            (vec![(Completed, at(1)), (Cancelled, at(2))], LeadPlacement::Done),
            (vec![(Completed, at(1)), (Scheduled, None)], LeadPlacement::Undetermined),
        ];
        for (jobs, wanted) in table {
            assert_eq!(lead_placement(&jobs), wanted, "{jobs:?}");
        }
    }
}
