//! Status changes of a job: start, stop, done, reopen, cancel, restore; and their effects.

use chrono::{DateTime, Duration, SubsecRound, Utc};
use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    Job, JobScope, JobState, RequiredPhotos, announce_schedule,
    lead_projection::{self, JobTransition},
    lock_job,
};
use crate::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgProfile,
        },
        work::{
            activity,
            crew::notice::{self, CrewJobChange},
            file::{self, FileMoment},
            listener::{JobEvent, notify_job_listeners},
            visit,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{EventId, JobId, OrgId},
        text::multi_line,
    },
};

/// Age up to which an event on site is accepted; the phone may have had no network.
const MAX_EVENT_DELAY: Duration = Duration::hours(72);
/// Tolerance for a phone clock that is ahead.
const MAX_CLOCK_SKEW: Duration = Duration::minutes(2);
const MAX_REASON: usize = 1_000;

/// Where a job goes next.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusChange {
    pub to: JobState,
    /// By the device that was there, within the last three days.
    pub happened_at: Option<DateTime<Utc>>,
    /// Why it is cancelled; nothing else needs one.
    #[schema(schema_with = field_schemas::nullable_text::<1_000>)]
    pub reason: Option<String>,
    /// Done although photos are missing. The office only.
    #[serde(default)]
    pub force: bool,
    /// Whether the customer is notified; yes when absent.
    pub tell: Option<bool>,
}

struct StatusTransition {
    kind: EventKind,
    turn: JobTransition,
    next: Job,
    detail: Value,
}

/// Time on the device if plausible, else now.
pub(super) fn clamp_event_time(at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> DateTime<Utc> {
    let at = at.map(|at| at.trunc_subsecs(3)).filter(|at| *at >= now - MAX_EVENT_DELAY && *at <= now + MAX_CLOCK_SKEW);
    at.unwrap_or(now).min(now)
}

/// Moves a job on; none when it has this status already.
///
/// # Errors
/// [`Error::Invalid`] when a reason or a photo is missing; [`Error::Conflict`] when the change is
/// not permitted from the current status.
pub async fn change_status(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    (id, sight): (JobId, JobScope),
    change: &StatusChange,
    by: &ActivityActor,
) -> Result<Option<EventId>> {
    let (org, now) = (profile.org.id, origin.now());
    let job = lock_job(&mut *tx, org, id).await?;
    if job.status == change.to {
        return Ok(None);
    }
    check_transition(tx, org, &job, change.to, sight, profile.org.zone()).await?;
    let at = clamp_event_time(change.happened_at, now);
    let step = match change.to {
        JobState::InProgress => build_start(&job, at),
        JobState::Completed => build_completion(tx, org, &job, at, change.force && sight.is_office()).await?,
        JobState::Scheduled => build_return_to_scheduled(&job),
        JobState::Cancelled => build_cancellation(&job, at, change.reason.as_deref())?,
    };
    let was = activity::snapshot_job(&mut *tx, org, id).await?;
    store_status(tx, org, &step.next, now).await?;
    let event = NewEvent {
        job: Some(id),
        detail: step.detail,
        was: Some(json!(was)),
        ..NewEvent::new(job.lead_id, step.kind, at, by.clone())
    };
    let event = activity_log::record_event(&mut *tx, origin, org, event).await?;
    visit::replan_visit(&mut *tx, origin, profile, id, Some(event), change.tell.unwrap_or(true)).await?;
    if change.to == JobState::Cancelled {
        notify_job_listeners(&mut *tx, origin, org, JobEvent::Cancelled { job: id, event, by }).await?;
    }
    if change.to == JobState::Completed {
        notify_job_listeners(&mut *tx, origin, org, JobEvent::Completed { profile, job: &step.next, event }).await?;
    } else if job.status == JobState::Completed {
        notify_job_listeners(&mut *tx, origin, org, JobEvent::Reopened { job: id, event }).await?;
    }
    if change.to == JobState::Cancelled || job.status == JobState::Cancelled {
        let crews = [job.crew_id, None];
        let crew_change = CrewJobChange { job: id, crews, was: Some(was), fields: Vec::new(), by: by.account_id() };
        notice::record_job_change(&mut *tx, origin, org, crew_change).await?;
    }
    lead_projection::project_to_lead(&mut *tx, origin, org, job.lead_id, step.turn, by).await?;
    announce_schedule(tx, origin, org).await?;
    Ok(Some(event))
}

async fn check_transition(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    to: JobState,
    sight: JobScope,
    zone: Tz,
) -> Result<()> {
    if !job.status.can_transition_to(to) {
        return Err(match job.status {
            JobState::Cancelled => describe_cancellation(conn, org, job, zone).await?.into(),
            JobState::Completed => ConflictCode::JobDone.into_error(),
            JobState::Scheduled | JobState::InProgress => ConflictCode::JobStatusUnreachable.into_error(),
        });
    }
    let is_offices = to == JobState::Cancelled || job.status == JobState::Cancelled;
    if is_offices && !sight.is_office() {
        return Err(ConflictCode::CancellationByOfficeOnly.into_error());
    }
    Ok(())
}

/// "Olive cancelled this job at 10:12 AM."
pub(super) async fn describe_cancellation(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    zone: Tz,
) -> Result<ConflictReason> {
    let found = q!(
        conn,
        fetch_optional as (String, DateTime<Utc>),
        "SELECT actor_name, at FROM work_event WHERE org_id = $1 AND job_id = $2 AND kind = 'cancelled'
             AND undone_at IS NULL ORDER BY recorded_at DESC, id DESC LIMIT 1",
        org,
        job.id
    )?;
    Ok(match found {
        Some((name, at)) => ConflictReason::job_cancelled_by(&name, at, zone),
        None => ConflictCode::JobCancelled.into(),
    })
}

/// Started or reopened. A job without a time takes place now.
fn build_start(job: &Job, at: DateTime<Utc>) -> StatusTransition {
    let mut next = job.clone();
    next.status = JobState::InProgress;
    next.completed_at = None;
    if job.status == JobState::Completed {
        return StatusTransition {
            kind: EventKind::Reopened,
            turn: JobTransition::Progressed,
            next,
            detail: json!({}),
        };
    }
    next.started_at = Some(at);
    fill_missing_time(&mut next, at);
    StatusTransition { kind: EventKind::Started, turn: JobTransition::Progressed, next, detail: json!({}) }
}

fn fill_missing_time(job: &mut Job, at: DateTime<Utc>) {
    if job.starts_at.is_none() {
        job.starts_at = Some(at);
        job.ends_at = Some(at + Duration::minutes(job.duration_minutes));
    }
}

async fn build_completion(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: &Job,
    at: DateTime<Utc>,
    force: bool,
) -> Result<StatusTransition> {
    let missing = find_missing_photos(conn, org, job).await?;
    if let Some(words) = missing.filter(|_| !force) {
        let mut errors = FieldErrors::default();
        errors.add("photos", words);
        return Err(Error::Invalid(errors));
    }
    let mut next = job.clone();
    next.status = JobState::Completed;
    // A phone clock that is behind must not end work before it began.
    let at = at.max(job.started_at.unwrap_or(at));
    next.started_at = Some(job.started_at.unwrap_or(at));
    next.completed_at = Some(at);
    fill_missing_time(&mut next, at);
    let detail = if missing.is_some() { json!({"withoutPhotos": true}) } else { json!({}) };
    Ok(StatusTransition { kind: EventKind::Completed, turn: JobTransition::Progressed, next, detail })
}

async fn find_missing_photos(conn: &mut dyn AsConn, org: OrgId, job: &Job) -> Result<Option<&'static str>> {
    if job.required_photos == RequiredPhotos::None {
        return Ok(None);
    }
    let wants_before = job.required_photos == RequiredPhotos::BeforeAndAfter;
    if wants_before && !file::has_photo(&mut *conn, org, job.id, FileMoment::Before).await? {
        return Ok(Some("Add a photo taken before the work first."));
    }
    let has_after = file::has_photo(conn, org, job.id, FileMoment::After).await?;
    Ok((!has_after).then_some("Add a photo taken after the work first."))
}

/// Start undone, or restored after cancellation.
fn build_return_to_scheduled(job: &Job) -> StatusTransition {
    let is_restored = job.status == JobState::Cancelled;
    let mut next = job.clone();
    next.status = JobState::Scheduled;
    next.started_at = None;
    next.on_my_way_at = None;
    next.eta_at = None;
    next.cancelled_at = None;
    next.cancel_reason = None;
    let kind = if is_restored { EventKind::Restored } else { EventKind::Stopped };
    StatusTransition { kind, turn: JobTransition::Planned, next, detail: json!({}) }
}

fn build_cancellation(job: &Job, at: DateTime<Utc>, reason: Option<&str>) -> Result<StatusTransition> {
    let mut errors = FieldErrors::default();
    let reason = multi_line("reason", reason, MAX_REASON).parse_required("Say why it is cancelled", &mut errors);
    errors.into_result()?;
    let mut next = job.clone();
    next.status = JobState::Cancelled;
    next.cancelled_at = Some(at);
    let detail = json!({"reason": reason});
    next.cancel_reason = Some(reason);
    Ok(StatusTransition { kind: EventKind::Cancelled, turn: JobTransition::Unscheduled, next, detail })
}

async fn store_status(tx: &mut Tx, org: OrgId, next: &Job, now: DateTime<Utc>) -> Result<()> {
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
    fn device_time_is_trusted_up_to_three_days_back() {
        let now = DateTime::UNIX_EPOCH + Duration::days(20_713);
        let clamped = |ago: Duration| clamp_event_time(Some(now - ago), now);
        assert_eq!(clamped(Duration::hours(71)), now - Duration::hours(71));
        assert_eq!(clamped(Duration::hours(73)), now, "too long ago to be believed");
        assert_eq!(clamped(-Duration::minutes(1)), now, "a clock that is ahead a little");
        assert_eq!(clamped(-Duration::hours(1)), now);
        assert_eq!(clamp_event_time(None, now), now);
    }
}
