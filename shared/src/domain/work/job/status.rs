//! How a job goes on: started, stopped, done, opened again, cancelled, restored; and what each of these ends.

use chrono::{DateTime, Duration, SubsecRound, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Job, RequiredPhotos, Sight, Status, announce, hold,
    lead_projection::{self, Turn},
};
use crate::{
    domain::{
        growth::review,
        money::{estimate, invoice},
        tenancy::org::Profile,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            crew::notice::{self, Change},
            file::{self, Moment},
            visit,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{EventId, JobId, OrgId},
        text::lines,
    },
};

/// What happened on site may be heard of so much later, when a phone had no network.
const LATE: Duration = Duration::hours(72);
/// A phone's clock may be so much ahead.
const AHEAD: Duration = Duration::minutes(2);
const MAX_REASON: usize = 1_000;

/// A change of status as it is sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusChange {
    pub to: Status,
    /// By the device that was there.
    pub happened_at: Option<DateTime<Utc>>,
    /// Why it is cancelled.
    pub reason: Option<String>,
    /// Done although photos are missing. The office only.
    #[serde(default)]
    pub force: bool,
    /// Whether the customer is told of it; they are when it is not said.
    pub tell: Option<bool>,
}

/// What a change of status writes.
struct Step {
    kind: EventKind,
    turn: Turn,
    next: Job,
    detail: Value,
}

/// When it happened: as the device says, if that can be believed.
pub(super) fn happened(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
    let at = at.map(|at| at.trunc_subsecs(3)).filter(|at| *at >= now - LATE && *at <= now + AHEAD);
    at.unwrap_or(now).min(now)
}

/// Moves a job on. One that stands there already is left as it is: none is returned.
///
/// # Errors
/// [`Error::Invalid`] when a reason or a photo is missing; [`Error::Conflict`] or [`Error::Clash`] when it cannot go
/// there from where it stands.
pub async fn change_status(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    (id, sight): (JobId, Sight),
    change: &StatusChange,
    by: &Doer,
) -> Result<Option<EventId>> {
    let (org, now) = (profile.org.id, origin.now());
    let job = hold(&mut *tx, org, id).await?;
    if job.status == change.to {
        return Ok(None);
    }
    may_change(tx, org, &job, change.to, sight, profile.org.zone()).await?;
    let at = happened(change.happened_at, now);
    let step = match change.to {
        Status::InProgress => begun(&job, at),
        Status::Completed => done(tx, org, &job, at, change.force && sight.is_office()).await?,
        Status::Scheduled => back(&job),
        Status::Cancelled => cancelled(&job, at, change.reason.as_deref())?,
    };
    let was = activity::job_before(&mut *tx, org, id).await?;
    store(tx, org, &step.next, now).await?;
    let event = NewEvent {
        job: Some(id),
        detail: step.detail,
        was: Some(was.clone()),
        ..NewEvent::new(job.lead_id, step.kind, at, by.clone())
    };
    let event = activity::record(&mut *tx, origin, org, event).await?;
    visit::changed(&mut *tx, origin, profile, id, Some(event), change.tell.unwrap_or(true)).await?;
    if change.to == Status::Cancelled {
        estimate::change::withdrawn_with(&mut *tx, origin, org, id, event, by).await?;
    }
    if change.to == Status::Completed {
        invoice::complete::later(&mut *tx, origin, org, event).await?;
        review::ask::job_done(&mut *tx, origin, profile, &step.next, event).await?;
    } else if job.status == Status::Completed {
        review::ask::job_reverted(&mut *tx, origin, org, id, event).await?;
    }
    if change.to == Status::Cancelled || job.status == Status::Cancelled {
        let crews = [job.crew_id, None];
        let told = Change { job: id, crews, was: Some(was), fields: Vec::new(), by: by.account() };
        notice::changed(&mut *tx, origin, org, told).await?;
    }
    lead_projection::mirror(&mut *tx, origin, org, job.lead_id, step.turn, by).await?;
    announce(tx, origin, org).await?;
    Ok(Some(event))
}

/// Whether it may go there, and by this person.
async fn may_change(conn: &mut dyn AsConn, org: OrgId, job: &Job, to: Status, sight: Sight, zone: Tz) -> Result<()> {
    if !job.status.may_become(to) {
        return Err(match job.status {
            Status::Cancelled => Error::Clash(who_cancelled(conn, org, job, zone).await?),
            Status::Completed => Error::Conflict("This job is done. Reopen it first."),
            Status::Scheduled | Status::InProgress => Error::Conflict("This job cannot go there from where it stands."),
        });
    }
    let is_offices = to == Status::Cancelled || job.status == Status::Cancelled;
    if is_offices && !sight.is_office() {
        return Err(Error::Conflict("Only the office cancels a job, or takes that back."));
    }
    Ok(())
}

/// "Olive cancelled this job at 10:12 AM."
pub(super) async fn who_cancelled(conn: &mut dyn AsConn, org: OrgId, job: &Job, zone: Tz) -> Result<String> {
    let found = q!(
        conn,
        fetch_optional as (String, DateTime<Utc>),
        "SELECT actor_name, at FROM work_event WHERE org_id = $1 AND job_id = $2 AND kind = 'cancelled'
             AND undone_at IS NULL ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        job.id
    )?;
    Ok(match found {
        Some((name, at)) => format!("{name} cancelled this job at {}.", at.with_timezone(&zone).format("%-I:%M %p")),
        None => "This job was cancelled.".to_owned(),
    })
}

/// Started, or opened again. One without a time is done now.
fn begun(job: &Job, at: DateTime<Utc>) -> Step {
    let mut next = job.clone();
    next.status = Status::InProgress;
    next.completed_at = None;
    if job.status == Status::Completed {
        return Step { kind: EventKind::Reopened, turn: Turn::Worked, next, detail: json!({}) };
    }
    next.started_at = Some(at);
    takes_place(&mut next, at);
    Step { kind: EventKind::Started, turn: Turn::Worked, next, detail: json!({}) }
}

/// A job that had no time gets the one at which it is worked on.
fn takes_place(job: &mut Job, at: DateTime<Utc>) {
    if job.starts_at.is_none() {
        job.starts_at = Some(at);
        job.ends_at = Some(at + Duration::minutes(job.duration_minutes));
    }
}

async fn done(conn: &mut dyn AsConn, org: OrgId, job: &Job, at: DateTime<Utc>, force: bool) -> Result<Step> {
    let missing = missing_photos(conn, org, job).await?;
    if let Some(words) = missing.filter(|_| !force) {
        let mut errors = FieldErrors::default();
        errors.add("photos", words);
        return Err(Error::Invalid(errors));
    }
    let mut next = job.clone();
    next.status = Status::Completed;
    // A phone whose clock is behind does not end work before it began.
    let at = at.max(job.started_at.unwrap_or(at));
    next.started_at = Some(job.started_at.unwrap_or(at));
    next.completed_at = Some(at);
    takes_place(&mut next, at);
    let detail = if missing.is_some() { json!({"withoutPhotos": true}) } else { json!({}) };
    Ok(Step { kind: EventKind::Completed, turn: Turn::Worked, next, detail })
}

/// What must still be photographed; none when nothing is missing.
async fn missing_photos(conn: &mut dyn AsConn, org: OrgId, job: &Job) -> Result<Option<&'static str>> {
    if job.required_photos == RequiredPhotos::None {
        return Ok(None);
    }
    let wants_before = job.required_photos == RequiredPhotos::BeforeAndAfter;
    if wants_before && !file::has_photo(&mut *conn, org, job.id, Moment::Before).await? {
        return Ok(Some("Add a photo taken before the work first."));
    }
    let has_after = file::has_photo(conn, org, job.id, Moment::After).await?;
    Ok((!has_after).then_some("Add a photo taken after the work first."))
}

/// Not started after all, or restored after it was cancelled.
fn back(job: &Job) -> Step {
    let is_restored = job.status == Status::Cancelled;
    let mut next = job.clone();
    next.status = Status::Scheduled;
    next.started_at = None;
    next.on_my_way_at = None;
    next.eta_at = None;
    next.cancelled_at = None;
    next.cancel_reason = None;
    let kind = if is_restored { EventKind::Restored } else { EventKind::Stopped };
    Step { kind, turn: Turn::Planned, next, detail: json!({}) }
}

fn cancelled(job: &Job, at: DateTime<Utc>, reason: Option<&str>) -> Result<Step> {
    let mut errors = FieldErrors::default();
    let reason = lines("reason", reason, MAX_REASON).required("Say why it is cancelled", &mut errors);
    errors.finish()?;
    let mut next = job.clone();
    next.status = Status::Cancelled;
    next.cancelled_at = Some(at);
    let detail = json!({"reason": reason});
    next.cancel_reason = Some(reason);
    Ok(Step { kind: EventKind::Cancelled, turn: Turn::Freed, next, detail })
}

async fn store(tx: &mut Tx, org: OrgId, next: &Job, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE job SET status = $3, starts_at = $4, ends_at = $5, on_my_way_at = $6, eta_at = $7, started_at = $8,
             completed_at = $9, cancelled_at = $10, cancel_reason = $11, listed_at = $12, version = version + 1,
             plan = plan + 1, updated_at = $13
         WHERE org_id = $1 AND id = $2",
        org,
        next.id,
        next.status,
        next.starts_at,
        next.ends_at,
        next.on_my_way_at,
        next.eta_at,
        next.started_at,
        next.completed_at,
        next.cancelled_at,
        next.cancel_reason.as_deref(),
        next.starts_at.unwrap_or(next.created_at),
        now
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_says_is_believed_within_three_days() {
        let now = DateTime::UNIX_EPOCH + Duration::days(20_713);
        let told = |ago: Duration| happened(Some(now - ago), now);
        assert_eq!(told(Duration::hours(71)), now - Duration::hours(71));
        assert_eq!(told(Duration::hours(73)), now, "too long ago to be believed");
        assert_eq!(told(-Duration::minutes(1)), now, "a clock that is ahead a little");
        assert_eq!(told(-Duration::hours(1)), now);
        assert_eq!(happened(None, now), now);
    }
}
