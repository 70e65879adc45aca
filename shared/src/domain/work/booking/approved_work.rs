//! Free times for the work of an approved estimate, chosen by the customer at the page of the estimate.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use sqlx::FromRow;

use super::{
    hold::TimeWish,
    lead_times::{self, ChosenTime},
    slots::{self, AvailabilityExclusions, TimesOffer},
    take::{self, BookedVisitDetails},
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        intake::lead,
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::{
            crew::lock_bookable_crews,
            job::{self, JobSlot, JobState},
            pipeline,
        },
    },
    platform::{
        db::{AsConn, Tx, q},
        error::Result,
        id::{JobId, LeadId},
    },
};

/// What was approved, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovedWork {
    pub lead: LeadId,
    pub approved_at: DateTime<Utc>,
}

/// Where the work stands on the schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkPlan {
    Planned {
        job: JobId,
        starts_at: DateTime<Utc>,
        arrival_minutes: i64,
    },
    Open(TimesOffer),
    /// Under way or done, or no time can be chosen online.
    Closed,
}

/// What a choice of a time for the work came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkChoice {
    Made(JobId),
    /// The work was planned before, by the customer or the office: nothing is changed.
    Repeated {
        job: JobId,
        starts_at: DateTime<Utc>,
    },
}

#[derive(FromRow)]
struct WorkJob {
    id: JobId,
    status: JobState,
    starts_at: Option<DateTime<Utc>>,
    completed_at: Option<DateTime<Utc>>,
    duration_minutes: i64,
    arrival_minutes: i64,
    version: i64,
}

/// Jobs of the lead, as far as the approved work depends on them.
enum WorkStage {
    Planned(WorkJob, DateTime<Utc>),
    /// With a job that the office made and gave no time.
    Unplanned(Option<WorkJob>),
    Closed,
}

impl WorkStage {
    async fn load(conn: &mut dyn AsConn, ctx: &OrgContext<'_>, work: ApprovedWork) -> Result<Self> {
        let sql = "SELECT id, status, starts_at, completed_at, duration_minutes, arrival_minutes, version FROM job
             WHERE org_id = $1 AND lead_id = $2 AND status <> 'cancelled' ORDER BY created_at, id";
        let jobs = q!(conn, fetch_all as WorkJob, sql, ctx.profile.org.id, work.lead)?;
        Ok(Self::from_jobs(jobs, work.approved_at))
    }

    /// A visit before the approval was for the estimate.
    fn from_jobs(jobs: Vec<WorkJob>, approved_at: DateTime<Utc>) -> Self {
        let mut unplanned = None;
        for job in jobs {
            match (job.status, job.starts_at) {
                (JobState::InProgress, _) => return Self::Closed,
                (JobState::Completed, _) if job.completed_at.is_some_and(|at| at >= approved_at) => {
                    return Self::Closed;
                }
                (JobState::Scheduled, Some(at)) if at >= approved_at => return Self::Planned(job, at),
                (JobState::Scheduled, None) if unplanned.is_none() => unplanned = Some(job),
                _ => {}
            }
        }
        Self::Unplanned(unplanned)
    }
}

/// The length of the visit; none where the business offers no times of ours.
fn visit_length(ctx: &OrgContext<'_>, job: Option<&WorkJob>, service: &str) -> Option<Duration> {
    let profile = ctx.profile;
    if !profile.accepts_bookings() || profile.org.booking_link.is_some() {
        return None;
    }
    let usual = profile.settings.jobs.duration_minutes;
    let of_service = || profile.settings.booking.service_minutes(service, usual).unwrap_or(usual);
    Some(Duration::minutes(job.map_or_else(of_service, |job| job.duration_minutes)))
}

pub async fn load_work_plan(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    work: ApprovedWork,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<WorkPlan> {
    let profile = ctx.profile;
    let job = match WorkStage::load(&mut *conn, ctx, work).await? {
        WorkStage::Planned(job, starts_at) => {
            return Ok(WorkPlan::Planned { job: job.id, starts_at, arrival_minutes: job.arrival_minutes });
        }
        WorkStage::Closed => return Ok(WorkPlan::Closed),
        WorkStage::Unplanned(job) => job,
    };
    let of = lead::load_stored_lead(&mut *conn, profile.org.id, work.lead).await?;
    let Some(length) = visit_length(ctx, job.as_ref(), &of.service) else { return Ok(WorkPlan::Closed) };
    let arrival = job.as_ref().map_or(profile.settings.jobs.arrival_minutes, |job| job.arrival_minutes);
    let none_left_out = AvailabilityExclusions::default();
    let by_day = slots::load_offer(conn, ctx.origin, profile, (length, arrival), none_left_out, from, language).await?;
    let needs_address = job.is_none() && of.address.is_none();
    Ok(WorkPlan::Open(TimesOffer::from_slots(by_day, length, needs_address)))
}

/// Plans the work: the job that the office made for it, else a new one. A second tap finds the first.
///
/// # Errors
/// `Error::Invalid`, naming the address; `Error::Conflict` when the time is no longer free, or none can be chosen.
pub async fn plan_approved_work(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    work: ApprovedWork,
    chosen: &ChosenTime<'_>,
) -> Result<WorkChoice> {
    let org = ctx.profile.org.id;
    pipeline::lock_stage(&mut *tx, org, work.lead).await?;
    let job = match WorkStage::load(&mut *tx, ctx, work).await? {
        WorkStage::Planned(job, starts_at) => return Ok(WorkChoice::Repeated { job: job.id, starts_at }),
        WorkStage::Closed => return Err(ConflictCode::BookingOff.into_error()),
        WorkStage::Unplanned(job) => job,
    };
    let of = lead::load_stored_lead(&mut *tx, org, work.lead).await?;
    let length = visit_length(ctx, job.as_ref(), &of.service).ok_or_else(|| ConflictCode::BookingOff.into_error())?;
    lock_bookable_crews(&mut *tx, org).await?;
    let wish = TimeWish { starts_at: chosen.starts_at, length, instead: None, source: None };
    let held = lead_times::find_time(&mut *tx, ctx, wish).await?;
    let address = match &job {
        Some(_) => of.address.clone(),
        None => Some(chosen.parse_address(of.address.clone())?),
    };
    let visit = BookedVisitDetails { name: of.name, service: of.service, zip: of.zip, address, notes: None };
    let id = match job {
        Some(job) => {
            let slot = JobSlot {
                starts_at: Some(Some(held.starts_at)),
                crew_id: Some(Some(held.crew_id)),
                version: Some(job.version),
                ..JobSlot::default()
            };
            let by = ActivityActor::Customer { name: visit.name.clone() };
            job::schedule_job(&mut *tx, ctx.origin, ctx.profile, job.id, &slot, &by).await?;
            job.id
        }
        None => take::create_visit_job(&mut *tx, ctx, &held, held.crew_id, work.lead, &visit).await?,
    };
    take::notify_booked(tx, ctx, &held, (id, work.lead), &visit).await?;
    Ok(WorkChoice::Made(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(status: JobState, starts: Option<i64>, completed: Option<i64>) -> WorkJob {
        let at = |minutes| DateTime::UNIX_EPOCH + Duration::minutes(minutes);
        WorkJob {
            id: JobId(uuid::Uuid::nil()),
            status,
            starts_at: starts.map(at),
            completed_at: completed.map(at),
            duration_minutes: 60,
            arrival_minutes: 0,
            version: 1,
        }
    }

    #[test]
    fn work_is_open_unless_a_visit_follows_the_approval() {
        let stage = |jobs| match WorkStage::from_jobs(jobs, DateTime::UNIX_EPOCH) {
            WorkStage::Planned(..) => "planned",
            WorkStage::Unplanned(Some(_)) => "job without time",
            WorkStage::Unplanned(None) => "no job",
            WorkStage::Closed => "closed",
        };
        assert_eq!(stage(Vec::new()), "no job");
        assert_eq!(stage(vec![job(JobState::Scheduled, None, None)]), "job without time");
        assert_eq!(stage(vec![job(JobState::Scheduled, Some(5), None)]), "planned");
        assert_eq!(stage(vec![job(JobState::Scheduled, Some(-5), None)]), "no job", "the visit for the estimate");
        assert_eq!(stage(vec![job(JobState::Completed, Some(-5), Some(-1))]), "no job");
        assert_eq!(stage(vec![job(JobState::Completed, Some(-5), Some(1))]), "closed");
        assert_eq!(stage(vec![job(JobState::InProgress, Some(-5), None)]), "closed");
    }
}
