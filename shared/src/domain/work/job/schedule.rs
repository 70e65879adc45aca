//! When a job is done and by which crew: what moves it, what overlaps with it, and back to the tray.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::FromRow;
use utoipa::ToSchema;

use super::{
    Job, LONGEST, Status, announce, form, hold, is_current,
    lead_projection::{self, Turn},
};
use crate::{
    domain::{
        messaging::followup::{self, About},
        tenancy::org::Profile,
        work::{
            activity::{self, Doer, EventKind, NewEvent},
            crew::{
                self,
                notice::{self, Change},
            },
            visit,
        },
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{CrewId, EventId, JobId, OrgId},
        text::given,
    },
};

/// A visit that is moved so close to when the crew said they come is the same trip.
const SAME_TRIP: Duration = Duration::hours(2);

/// A time and a crew as they are sent: what is absent stays. Without a time the job lies in the tray.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Slot {
    #[serde(deserialize_with = "given")]
    pub starts_at: Option<Option<DateTime<Utc>>>,
    pub ends_at: Option<DateTime<Utc>>,
    pub duration_minutes: Option<i64>,
    #[serde(deserialize_with = "given")]
    pub crew_id: Option<Option<CrewId>>,
    /// The version that was looked at.
    pub version: Option<i64>,
    /// Whether the customer is told; they are when it is not said.
    pub tell: Option<bool>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Moved {
    /// None when nothing changed.
    pub event: Option<EventId>,
    pub conflicts: Vec<Conflict>,
}

/// Another job of the same crew at the same time.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = JobConflict)]
pub struct Conflict {
    pub job_id: JobId,
    pub number: i64,
    pub customer: String,
    pub starts_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

/// When and by whom, decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    time: Option<(DateTime<Utc>, DateTime<Utc>)>,
    duration_minutes: i64,
    crew: Option<CrewId>,
}

impl Plan {
    fn of(job: &Job) -> Self {
        Self { time: job.starts_at.zip(job.ends_at), duration_minutes: job.duration_minutes, crew: job.crew_id }
    }

    /// The plan after a change.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every field that does not fit.
    fn changed(self, slot: &Slot, now: DateTime<Utc>) -> Result<(Self, i64)> {
        let mut errors = FieldErrors::default();
        let version = form::version(slot.version, &mut errors);
        let starts = match slot.starts_at {
            Some(sent) => form::near("startsAt", sent, now, &mut errors),
            None => self.time.map(|time| time.0),
        };
        let asked = match (starts, slot.ends_at) {
            (Some(starts), Some(ends)) => minutes_between(starts, ends, &mut errors),
            (None, Some(_)) => {
                errors.add("startsAt", "Say when it begins");
                None
            }
            (_, None) => slot.duration_minutes.map(|minutes| form::duration(minutes, &mut errors)),
        };
        let duration_minutes = asked.unwrap_or(self.duration_minutes);
        errors.finish()?;
        let time = starts.map(|starts| (starts, starts + Duration::minutes(duration_minutes)));
        Ok((Self { time, duration_minutes, crew: slot.crew_id.unwrap_or(self.crew) }, version))
    }

    /// What kind of change it is; none when it is none.
    fn event(self, next: Self) -> Option<EventKind> {
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

/// Whole minutes, upwards, from one to the other.
fn minutes_between(starts: DateTime<Utc>, ends: DateTime<Utc>, errors: &mut FieldErrors) -> Option<i64> {
    let length = ends - starts;
    if length <= Duration::zero() || length > LONGEST {
        errors.add("endsAt", "Choose a time after the beginning, within 14 days");
        return None;
    }
    Some(form::duration(length.num_minutes(), errors))
}

/// Gives a job its time and crew, or takes its time away. Stored although it overlaps with others: they are named.
///
/// # Errors
/// [`Error::Invalid`]; [`Error::Conflict`] when the job is done or cancelled; [`Error::Clash`] when somebody changed it
/// meanwhile.
pub async fn schedule(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    id: JobId,
    slot: &Slot,
    by: &Doer,
) -> Result<Moved> {
    let org = profile.org.id;
    let job = hold(&mut *tx, org, id).await?;
    let before = Plan::of(&job);
    let (next, version) = before.changed(slot, origin.now())?;
    is_current(&mut *tx, org, &job, version).await?;
    may_move(&job, next)?;
    if let Some(crew) = next.crew {
        crew::hold_known(&mut *tx, org, crew, before.crew == next.crew).await?;
    }
    let event = match before.event(next) {
        None => None,
        Some(kind) => {
            let event = store(tx, origin, org, &job, next, kind, by).await?;
            if job.starts_at != next.time.map(|time| time.0) {
                visit::changed(tx, origin, profile, id, Some(event), slot.tell.unwrap_or(true)).await?;
            }
            Some(event)
        }
    };
    Ok(Moved { event, conflicts: conflicts(tx, org, id, next.crew, next.time).await? })
}

fn may_move(job: &Job, next: Plan) -> Result<()> {
    match job.status {
        Status::Completed => Err(Error::Conflict("This job is done. Reopen it first.")),
        Status::Cancelled => Err(Error::Conflict("This job is cancelled. Restore it first.")),
        Status::InProgress if next.time.is_none() => Err(Error::Conflict("Work on this job has begun. Stop it first.")),
        Status::InProgress | Status::Scheduled => Ok(()),
    }
}

/// Whether who has set off, or said when they come, still comes then. Moved further away, the crew turns back and the
/// customer is told the new time.
fn is_same_trip(job: &Job, starts: Option<DateTime<Utc>>) -> bool {
    let is_near = |at: DateTime<Utc>| job.eta_at.is_some_and(|eta| (eta - at).abs() <= SAME_TRIP);
    job.status != Status::Scheduled || job.starts_at == starts || starts.is_some_and(is_near)
}

async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    job: &Job,
    next: Plan,
    kind: EventKind,
    by: &Doer,
) -> Result<EventId> {
    let (now, was) = (origin.now(), activity::job_before(&mut *tx, org, job.id).await?);
    let (starts, ends) = next.time.unzip();
    // Who confirmed another time has not confirmed this one.
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
    let crew = crew::name(&mut *tx, org, next.crew).await?;
    let from = json!({"startsAt": job.starts_at, "endsAt": job.ends_at});
    let event = NewEvent {
        job: Some(job.id),
        detail: json!({"startsAt": starts, "endsAt": ends, "crew": crew, "before": from}),
        // A length in the tray is no change of the plan.
        was: Some(was.clone()).filter(|_| kind != EventKind::JobEdited),
        ..NewEvent::new(job.lead_id, kind, now, by.clone())
    };
    let event = activity::record(&mut *tx, origin, org, event).await?;
    if matches!(kind, EventKind::JobScheduled | EventKind::JobMoved) {
        let why = "a visit is booked";
        followup::stop_for_lead(&mut *tx, origin, org, job.lead_id, About::Estimate, why, Some(event)).await?;
    }
    let crews = [job.crew_id, next.crew];
    let told = Change { job: job.id, crews, was: Some(was), fields: Vec::new(), by: by.account() };
    notice::changed(&mut *tx, origin, org, told).await?;
    let turn = if next.time.is_some() { Turn::Planned } else { Turn::Freed };
    lead_projection::mirror(tx, origin, org, job.lead_id, turn, by).await?;
    announce(tx, origin, org).await?;
    Ok(event)
}

/// The unfinished jobs of the crew that overlap with this time. Touching edges do not.
pub async fn conflicts(
    conn: &mut dyn AsConn,
    org: OrgId,
    job: JobId,
    crew: Option<CrewId>,
    time: Option<(DateTime<Utc>, DateTime<Utc>)>,
) -> Result<Vec<Conflict>> {
    let (Some(crew), Some((starts, ends))) = (crew, time) else { return Ok(Vec::new()) };
    Ok(q!(
        conn,
        fetch_all as Conflict,
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
        starts - LONGEST
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::days(20_713) + Duration::hours(hour)
    }

    const TRAY: Plan = Plan { time: None, duration_minutes: 120, crew: None };

    fn planned(hour: i64) -> Plan {
        Plan { time: Some((at(hour), at(hour + 2))), ..TRAY }
    }

    fn slot() -> Slot {
        Slot { version: Some(1), ..Slot::default() }
    }

    #[test]
    fn a_job_keeps_its_length_when_it_moves_and_its_beginning_when_it_grows() {
        let moved = Slot { starts_at: Some(Some(at(9))), ..slot() };
        assert_eq!(TRAY.changed(&moved, at(0)).unwrap().0, planned(9));
        let grown = Slot { ends_at: Some(at(12)), ..slot() };
        let (next, _) = planned(9).changed(&grown, at(0)).unwrap();
        assert_eq!((next.time, next.duration_minutes), (Some((at(9), at(12))), 180));
        let tray = Slot { starts_at: Some(None), ..slot() };
        assert_eq!(planned(9).changed(&tray, at(0)).unwrap().0, TRAY);
    }

    #[test]
    fn times_that_make_no_sense_name_their_field() {
        let named = |slot: Slot, plan: Plan| match plan.changed(&slot, at(0)) {
            Err(Error::Invalid(errors)) => errors.0.into_keys().map(std::borrow::Cow::into_owned).collect(),
            _ => Vec::new(),
        };
        assert_eq!(named(Slot::default(), TRAY), ["version"]);
        assert_eq!(named(Slot { ends_at: Some(at(9)), ..slot() }, TRAY), ["startsAt"]);
        assert_eq!(named(Slot { ends_at: Some(at(9)), ..slot() }, planned(9)), ["endsAt"]);
        assert_eq!(named(Slot { starts_at: Some(Some(at(24 * 4_000))), ..slot() }, TRAY), ["startsAt"]);
        assert_eq!(named(Slot { duration_minutes: Some(1), ..slot() }, TRAY), ["durationMinutes"]);
    }

    #[test]
    fn each_change_is_called_by_its_name() {
        let crew = Some(CrewId(uuid::Uuid::from_u128(7)));
        assert_eq!(TRAY.event(TRAY), None);
        assert_eq!(TRAY.event(planned(9)), Some(EventKind::JobScheduled));
        assert_eq!(planned(9).event(planned(10)), Some(EventKind::JobMoved));
        assert_eq!(planned(9).event(TRAY), Some(EventKind::JobUnscheduled));
        assert_eq!(planned(9).event(Plan { crew, ..planned(9) }), Some(EventKind::JobAssigned));
        assert_eq!(planned(9).event(Plan { crew, ..planned(10) }), Some(EventKind::JobMoved));
        assert_eq!(TRAY.event(Plan { duration_minutes: 60, ..TRAY }), Some(EventKind::JobEdited));
    }
}
