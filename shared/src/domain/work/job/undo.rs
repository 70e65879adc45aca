//! Undo of a job change, with the effects on its lead.

use chrono::{DateTime, Utc};

use super::{
    Job, JobScope, announce_schedule,
    dispatch_notice::undone_notice,
    find,
    lead_projection::{self, JobTransition},
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        tenancy::{activity_log::ActivityActor, session::Session},
        work::{
            activity::{self, UndoResult, UndoableEvent},
            listener::{JobEvent, notify_job_listeners},
            visit,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EventId, JobId, OrgId},
    },
};

/// The office may undo any event, crew members their own on jobs of their crews.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such event, or it is not theirs to see.
pub async fn check_can_undo(conn: &mut dyn AsConn, session: &Session, event: EventId) -> Result<()> {
    let sql = "SELECT job_id, account_id FROM work_event WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (Option<JobId>, Option<AccountId>), sql, session.org_id, event)?;
    let (job, account) = found.ok_or(Error::NotFound)?;
    match (JobScope::from_session(session), job) {
        (JobScope::Office, _) => Ok(()),
        (JobScope::Crew(_), None) => Err(Error::NotFound),
        (JobScope::Crew(person), Some(job)) => {
            super::find_visible_scope(conn, session, job).await?;
            let is_own = account == Some(person);
            if is_own { Ok(()) } else { Err(ConflictCode::UndoNotYours.into_error()) }
        }
    }
}

pub(crate) async fn find_undoable_for_scope(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    sight: JobScope,
    now: DateTime<Utc>,
) -> Result<Option<UndoableEvent>> {
    let last = activity::find_undoable(&mut *conn, org, job.lead_id, Some(job.id), now).await?;
    let (Some(last), JobScope::Crew(person)) = (last, sight) else { return Ok(last) };
    let sql = "SELECT account_id FROM work_event WHERE org_id = $1 AND id = $2";
    let by = q!(conn, fetch_optional scalar Option<AccountId>, sql, org, last.event_id)?;
    Ok(Some(last).filter(|_| by.flatten() == Some(person)))
}

/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is too late or something was changed after it.
pub async fn undo_job_event(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    event: EventId,
    by: &ActivityActor,
) -> Result<UndoResult> {
    let mut undone = activity::undo_event(&mut *tx, origin, org, event, by).await?;
    let Some(job) = undone.job_id else { return Ok(undone) };
    let restored_job = find(&mut *tx, org, job).await?;
    if let Some((starts, ends)) = restored_job.starts_at.zip(restored_job.ends_at) {
        let sql = "UPDATE job SET duration_minutes = $3, plan = plan + 1 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, job, (ends - starts).num_minutes())?;
    }
    notify_job_listeners(&mut *tx, origin, org, JobEvent::Restored { lead: undone.lead_id, job, event }).await?;
    let undone_notice = undone_notice::find_undone_notice(&mut *tx, org, event).await?;
    // A customer who was told a time that no longer holds is told the planned one again.
    let is_misled = restored_job.on_my_way_at.is_none() && restored_job.eta_at.is_none();
    let is_misled = is_misled && undone_notice.as_ref().is_some_and(undone_notice::UndoneNotice::was_sent);
    let (zone, is_told) = visit::replan_after_undo(&mut *tx, origin, org, job, is_misled).await?;
    undone.note = undone_notice.map(|undone_notice| undone_notice.describe_outcome(zone, is_misled && is_told));
    lead_projection::project_to_lead(&mut *tx, origin, org, undone.lead_id, JobTransition::Undone, by).await?;
    announce_schedule(tx, origin, org).await?;
    Ok(undone)
}
