//! A change of a job taken back: the job as it stood, and its lead with it.

use chrono::{DateTime, Utc};

use super::{
    Job, Sight, announce,
    dispatch_notice::taken_back,
    find,
    lead_projection::{self, Turn},
};
use crate::{
    domain::{
        money::estimate,
        tenancy::session::Session,
        work::{
            activity::{self, Doer, Undoable, Undone},
            visit,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, EventId, JobId, OrgId},
    },
};

/// Whether this person may take an event back: the office any, somebody of a crew what they did themselves about their
/// crews' jobs.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such event, or it is not theirs to see.
pub async fn is_theirs(conn: &mut dyn AsConn, session: &Session, event: EventId) -> Result<()> {
    let sql = "SELECT job_id, account_id FROM work_event WHERE org_id = $1 AND id = $2";
    let found = q!(&mut *conn, fetch_optional as (Option<JobId>, Option<AccountId>), sql, session.org_id, event)?;
    let (job, account) = found.ok_or(Error::NotFound)?;
    match (Sight::of(session), job) {
        (Sight::Office, _) => Ok(()),
        (Sight::Crew(_), None) => Err(Error::NotFound),
        (Sight::Crew(person), Some(job)) => {
            super::visible(conn, session, job).await?;
            let is_own = account == Some(person);
            if is_own { Ok(()) } else { Err(Error::Conflict("Only who did it, or the office, takes it back.")) }
        }
    }
}

/// What of a job this person can take back now.
pub(super) async fn offered(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    sight: Sight,
    now: DateTime<Utc>,
) -> Result<Option<Undoable>> {
    let last = activity::undoable(&mut *conn, org, job.lead_id, Some(job.id), now).await?;
    let (Some(last), Sight::Crew(person)) = (last, sight) else { return Ok(last) };
    let sql = "SELECT account_id FROM work_event WHERE org_id = $1 AND id = $2";
    let by = q!(conn, fetch_optional scalar Option<AccountId>, sql, org, last.event_id)?;
    Ok(Some(last).filter(|_| by.flatten() == Some(person)))
}

/// Takes an event back within its minute.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it is too late or something was changed after it.
pub async fn undo(tx: &mut Tx, origin: &Origin, org: OrgId, event: EventId, by: &Doer) -> Result<Undone> {
    let mut undone = activity::undo(&mut *tx, origin, org, event, by).await?;
    let Some(job) = undone.job_id else { return Ok(undone) };
    let stands = find(&mut *tx, org, job).await?;
    if let Some((starts, ends)) = stands.starts_at.zip(stands.ends_at) {
        let sql = "UPDATE job SET duration_minutes = $3, plan = plan + 1 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, job, (ends - starts).num_minutes())?;
    }
    estimate::change::restored_with(&mut *tx, origin, org, (undone.lead_id, job), event).await?;
    let heard = taken_back::heard(&mut *tx, org, event).await?;
    // Who was told a time that does not stand any more hears the planned one again.
    let is_misled = stands.on_my_way_at.is_none() && stands.eta_at.is_none();
    let is_misled = is_misled && heard.as_ref().is_some_and(taken_back::Heard::has_left);
    let (zone, is_told) = visit::restored(&mut *tx, origin, org, job, is_misled).await?;
    undone.note = heard.map(|heard| heard.text(zone, is_misled && is_told));
    lead_projection::mirror(&mut *tx, origin, org, undone.lead_id, Turn::Undone, by).await?;
    announce(tx, origin, org).await?;
    Ok(undone)
}
