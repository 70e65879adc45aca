//! Scheduling of jobs: time, crew, overlaps, and return to the tray.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    Job, JobState, MAX_JOB_DURATION, announce_schedule, check_version, form,
    lead_projection::{self, JobTransition},
    lock_job,
};
use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::followup::{self, FollowUpSubject},
        tenancy::{
            activity_log::{self, ActivityActor, EventKind, NewEvent},
            org::OrgProfile,
        },
        work::{
            activity,
            crew::{
                self,
                notice::{self, CrewJobChange},
            },
            visit,
        },
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{FieldErrors, Result},
        id::{CrewId, EventId, JobId, OrgId},
        text::given,
    },
};

/// A visit moved to within this time of the announced arrival is the same trip.
const SAME_TRIP: Duration = Duration::hours(2);

/// A time and a crew: what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SlotChange)]
pub struct JobSlot {
    /// Null puts the job into the tray.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub starts_at: Option<Option<DateTime<Utc>>>,
    /// As long as before when neither this nor `durationMinutes` is sent.
    pub ends_at: Option<DateTime<Utc>>,
    #[schema(minimum = 15, maximum = 20160)]
    pub duration_minutes: Option<i64>,
    /// Null takes the crew away.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<uuid::Uuid>)]
    pub crew_id: Option<Option<CrewId>>,
    /// The version that was looked at.
    #[schema(value_type = i64, required)]
    pub version: Option<i64>,
    /// Whether the customer is notified; yes when absent.
    pub tell: Option<bool>,
}

#[derive(Clone, Debug)]
pub struct ScheduleResult {
    /// None when nothing changed.
    pub event: Option<EventId>,
    pub conflicts: Vec<JobConflict>,
}

/// Another job of the same crew at the same time.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobConflict {
    pub job_id: JobId,
    pub number: i64,
    pub customer: String,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct JobPlan {
    time: Option<(DateTime<Utc>, DateTime<Utc>)>,
    duration_minutes: i64,
    crew: Option<CrewId>,
}

impl JobPlan {
    fn from_job(job: &Job) -> Self {
        Self { time: job.starts_at.zip(job.ends_at), duration_minutes: job.duration_minutes, crew: job.crew_id }
    }

    /// # Errors
    /// `Error::Invalid`, naming every field that does not fit.
    fn with_change(self, slot: &JobSlot, now: DateTime<Utc>) -> Result<(Self, i64)> {
        let mut errors = FieldErrors::default();
        let version = form::require_version(slot.version, &mut errors);
        let starts = match slot.starts_at {
            Some(sent) => form::validate_time("startsAt", sent, now, &mut errors),
            None => self.time.map(|time| time.0),
        };
        let asked = match (starts, slot.ends_at) {
            (Some(starts), Some(ends)) => minutes_between(starts, ends, &mut errors),
            (None, Some(_)) => {
                errors.add("startsAt", "Say when it begins");
                None
            }
            (_, None) => slot.duration_minutes.map(|minutes| form::validate_duration(minutes, &mut errors)),
        };
        let duration_minutes = asked.unwrap_or(self.duration_minutes);
        errors.into_result()?;
        let time = starts.map(|starts| (starts, starts + Duration::minutes(duration_minutes)));
        Ok((Self { time, duration_minutes, crew: slot.crew_id.unwrap_or(self.crew) }, version))
    }

    fn change_kind(self, next: Self) -> Option<EventKind> {
        match (self.time, next.time) {
            (None, Some(_)) => Some(EventKind::JobScheduled),
            (Some(_), None) => Some(EventKind::JobUnscheduled),
            (Some(before), Some(after)) if before != after => Some(EventKind::JobMoved),
            _ if self.crew != next.crew => Some(EventKind::JobAssigned),
            _ if self.duration_minutes != next.duration_minutes => Some(EventKind::JobEdited),
            _ => None,
        }
    }
}

/// In whole minutes, rounded up.
fn minutes_between(starts: DateTime<Utc>, ends: DateTime<Utc>, errors: &mut FieldErrors) -> Option<i64> {
    let length = ends - starts;
    if length <= Duration::zero() || length > MAX_JOB_DURATION {
        errors.add("endsAt", "Choose a time after the beginning, within 14 days");
        return None;
    }
    Some(form::validate_duration(length.num_minutes(), errors))
}

/// Sets or removes time and crew. Overlaps do not prevent it: they are returned.
///
/// # Errors
/// `Error::Invalid`; `Error::Conflict` when the job is done or cancelled, or the version is not the newest.
pub async fn schedule_job(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: JobId,
    slot: &JobSlot,
    by: &ActivityActor,
) -> Result<ScheduleResult> {
    let org = profile.org.id;
    let job = lock_job(&mut *tx, org, id).await?;
    let before = JobPlan::from_job(&job);
    let (next, version) = before.with_change(slot, origin.now())?;
    check_version(&mut *tx, org, &job, version).await?;
    check_can_move(&job, next)?;
    if let Some(crew) = next.crew {
        crew::lock_assignable_crew(&mut *tx, org, crew, before.crew == next.crew).await?;
    }
    let event = match before.change_kind(next) {
        None => None,
        Some(kind) => {
            let event = store_schedule(tx, origin, org, &job, next, kind, by).await?;
            if job.starts_at != next.time.map(|time| time.0) {
                visit::replan_visit(tx, origin, profile, id, Some(event), slot.tell.unwrap_or(true)).await?;
            }
            Some(event)
        }
    };
    Ok(ScheduleResult { event, conflicts: list_conflicts(tx, org, id, next.crew, next.time).await? })
}

fn check_can_move(job: &Job, next: JobPlan) -> Result<()> {
    match job.status {
        JobState::Completed => Err(ConflictCode::JobDone.into_error()),
        JobState::Cancelled => Err(ConflictCode::JobCancelled.into_error()),
        JobState::InProgress if next.time.is_none() => Err(ConflictCode::JobInProgress.into_error()),
        JobState::InProgress | JobState::Scheduled => Ok(()),
    }
}

/// Whether a crew that set off, or announced its arrival, still comes then. If the visit moves further away, the crew
/// turns back and the customer is told the new time.
fn is_same_trip(job: &Job, starts: Option<DateTime<Utc>>) -> bool {
    let is_near = |at: DateTime<Utc>| job.eta_at.is_some_and(|eta| (eta - at).abs() <= SAME_TRIP);
    job.status != JobState::Scheduled || job.starts_at == starts || starts.is_some_and(is_near)
}

async fn store_schedule(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: &Job,
    next: JobPlan,
    kind: EventKind,
    by: &ActivityActor,
) -> Result<EventId> {
    let (now, was) = (origin.now(), activity::snapshot_job(&mut *tx, org, job.id).await?);
    let (starts, ends) = next.time.unzip();
    // A confirmation holds for its own time only.
    let confirmed = job.confirmed_at.filter(|_| job.starts_at == starts);
    let (set_out, eta) = if is_same_trip(job, starts) { (job.on_my_way_at, job.eta_at) } else { (None, None) };
    q!(
        &mut *tx,
        execute,
        "UPDATE job SET starts_at = $3, ends_at = $4, duration_minutes = $5, crew_id = $6, listed_at = $7,
             confirmed_at = $8, on_my_way_at = $9, eta_at = $10, version = version + 1, plan = plan + 1, updated_at = $11
         WHERE org_id = $1 AND id = $2",
        org,
        job.id,
        starts,
        ends,
        next.duration_minutes,
        next.crew,
        starts.unwrap_or(job.created_at),
        confirmed,
        set_out,
        eta,
        now
    )?;
    let crew = crew::find_crew_name(&mut *tx, org, next.crew).await?;
    let from = json!({"startsAt": job.starts_at, "endsAt": job.ends_at});
    let event = NewEvent {
        job: Some(job.id),
        detail: json!({"startsAt": starts, "endsAt": ends, "crew": crew, "before": from}),
        // A new length in the tray is no change of the plan.
        was: (kind != EventKind::JobEdited).then(|| json!(was)),
        ..NewEvent::new(job.lead_id, kind, now, by.clone())
    };
    let event = activity_log::record_event(&mut *tx, origin, org, event).await?;
    if matches!(kind, EventKind::JobScheduled | EventKind::JobMoved) {
        let why = "a visit is booked";
        followup::cancel_plans_for_lead(
            &mut *tx,
            origin,
            org,
            job.lead_id,
            FollowUpSubject::Estimate,
            why,
            Some(event),
        )
        .await?;
    }
    let crews = [job.crew_id, next.crew];
    let change = CrewJobChange { job: job.id, crews, was: Some(was), fields: Vec::new(), by: by.account_id() };
    notice::record_job_change(&mut *tx, origin, org, change).await?;
    let turn = if next.time.is_some() { JobTransition::Planned } else { JobTransition::Unscheduled };
    lead_projection::project_to_lead(tx, origin, org, job.lead_id, turn, by).await?;
    announce_schedule(tx, origin, org).await?;
    Ok(event)
}

/// Unfinished jobs of the crew that overlap. Touching edges do not overlap.
pub async fn list_conflicts(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    crew: Option<CrewId>,
    time: Option<(DateTime<Utc>, DateTime<Utc>)>,
) -> Result<Vec<JobConflict>> {
    let (Some(crew), Some((starts, ends))) = (crew, time) else { return Ok(Vec::new()) };
    Ok(q!(
        conn,
        fetch_all as JobConflict,
        "SELECT j.id AS job_id, j.number, l.name AS customer, j.starts_at, j.ends_at
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.crew_id = $2 AND j.id <> $3 AND j.status <> 'cancelled' AND j.status <> 'completed'
             AND j.starts_at < $4 AND j.ends_at > $5 AND j.starts_at > $6
         ORDER BY j.starts_at, j.id",
        org,
        crew,
        job,
        ends,
        starts,
        starts - MAX_JOB_DURATION
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::error::Error;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour)
    }

    const TRAY: JobPlan = JobPlan { time: None, duration_minutes: 120, crew: None };

    fn planned(hour: i64) -> JobPlan {
        JobPlan { time: Some((at(hour), at(hour + 2))), ..TRAY }
    }

    fn slot() -> JobSlot {
        JobSlot { version: Some(1), ..JobSlot::default() }
    }

    #[test]
    fn moved_job_keeps_duration_and_resized_job_keeps_start() {
        let moved = JobSlot { starts_at: Some(Some(at(9))), ..slot() };
        assert_eq!(TRAY.with_change(&moved, at(0)).unwrap().0, planned(9));
        let grown = JobSlot { ends_at: Some(at(12)), ..slot() };
        let (next, _) = planned(9).with_change(&grown, at(0)).unwrap();
        assert_eq!((next.time, next.duration_minutes), (Some((at(9), at(12))), 180));
        let tray = JobSlot { starts_at: Some(None), ..slot() };
        assert_eq!(planned(9).with_change(&tray, at(0)).unwrap().0, TRAY);
    }

    #[test]
    fn invalid_times_are_reported_by_field() {
        let named = |slot: JobSlot, plan: JobPlan| match plan.with_change(&slot, at(0)) {
            Err(Error::Invalid(errors)) => errors.0.into_keys().map(std::borrow::Cow::into_owned).collect(),
            _ => Vec::new(),
        };
        assert_eq!(named(JobSlot::default(), TRAY), ["version"]);
        assert_eq!(named(JobSlot { ends_at: Some(at(9)), ..slot() }, TRAY), ["startsAt"]);
        assert_eq!(named(JobSlot { ends_at: Some(at(9)), ..slot() }, planned(9)), ["endsAt"]);
        assert_eq!(named(JobSlot { starts_at: Some(Some(at(24 * 4_000))), ..slot() }, TRAY), ["startsAt"]);
        assert_eq!(named(JobSlot { duration_minutes: Some(1), ..slot() }, TRAY), ["durationMinutes"]);
    }

    #[test]
    fn plan_change_maps_to_its_event_kind() {
        let crew = Some(CrewId(uuid::Uuid::from_u128(7)));
        assert_eq!(TRAY.change_kind(TRAY), None);
        assert_eq!(TRAY.change_kind(planned(9)), Some(EventKind::JobScheduled));
        assert_eq!(planned(9).change_kind(planned(10)), Some(EventKind::JobMoved));
        assert_eq!(planned(9).change_kind(TRAY), Some(EventKind::JobUnscheduled));
        assert_eq!(planned(9).change_kind(JobPlan { crew, ..planned(9) }), Some(EventKind::JobAssigned));
        assert_eq!(planned(9).change_kind(JobPlan { crew, ..planned(10) }), Some(EventKind::JobMoved));
        assert_eq!(TRAY.change_kind(JobPlan { duration_minutes: 60, ..TRAY }), Some(EventKind::JobEdited));
    }
}
