//! Move of a visit by its customer to a free time; its reminders move with it.

use chrono::{DateTime, Duration, NaiveDate, Utc};

use super::{
    email_share, hold_limits,
    slots::{AvailabilityCalendar, AvailabilityExclusions, SlotOffer, TimeRange, bookable_range, load_offer},
    unproven,
};
use crate::{
    conflicts::ConflictCode,
    documents::template::Language,
    domain::{
        messaging::{
            alert::{self, NewAlert},
            followup,
        },
        tenancy::{activity_log::ActivityActor, org::OrgContext},
        work::{
            crew::lock_bookable_crews,
            job::{self, Job, JobState},
            pipeline,
            visit::{self, SELF_SERVICE_CUTOFF},
        },
    },
    platform::{
        access_link::AccessLink,
        db::{AsConn, Tx},
        error::Result,
        id::JobId,
    },
};

/// Times to which a visit can move; none when it cannot be moved online.
pub async fn offer_new_times(
    conn: &mut dyn AsConn,
    ctx: &OrgContext<'_>,
    id: JobId,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Option<SlotOffer>> {
    let profile = ctx.profile;
    let job = job::find(&mut *conn, profile.org.id, id).await?;
    if !profile.accepts_bookings() || check_can_move(&job, ctx.origin.now()).is_err() {
        return Ok(None);
    }
    let (but, length) = (
        AvailabilityExclusions { job: Some(id), ..AvailabilityExclusions::default() },
        Duration::minutes(job.duration_minutes),
    );
    let found = load_offer(conn, ctx.origin, profile, (length, job.arrival_minutes), but, from, language).await?;
    Ok(Some(found))
}

fn check_can_move(job: &Job, now: DateTime<Utc>) -> Result<()> {
    match job.starts_at {
        Some(starts) if job.status == JobState::Scheduled && starts > now => {
            if starts - now < SELF_SERVICE_CUTOFF {
                Err(ConflictCode::VisitTooClose.into_error())
            } else {
                Ok(())
            }
        }
        _ => Err(ConflictCode::VisitNotPlanned.into_error()),
    }
}

/// A person known only by an email moves no visit to a day whose share is used up; within its day it keeps its place.
async fn check_day_share(tx: &mut Tx, ctx: &OrgContext<'_>, job: &Job, to: TimeRange) -> Result<()> {
    let day_of = |at| hold_limits::day_around(ctx, at);
    let is_other_day = job.starts_at.map(day_of) != Some(day_of(to.0));
    if is_other_day && email_share::is_beyond_share(tx, ctx, to, job.customer_id).await? {
        return Err(ConflictCode::SlotTaken.into_error());
    }
    Ok(())
}

/// Moves a visit at its page, with the same crew if that one is free.
///
/// # Errors
/// `Error::NotFound`; `Error::Conflict` when it is too late, or the time is no longer free.
pub async fn reschedule_visit(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    link: &AccessLink,
    starts_at: DateTime<Utc>,
) -> Result<()> {
    let id = JobId(link.subject_id);
    let (origin, profile, org, now) = (ctx.origin, ctx.profile, ctx.profile.org.id, ctx.origin.now());
    if !profile.accepts_bookings() {
        return Err(ConflictCode::BookingOff.into_error());
    }
    unproven::check_may_change(&mut *tx, link).await?;
    let lead = job::find(&mut *tx, org, id).await?.lead_id;
    pipeline::lock_stage(&mut *tx, org, lead).await?;
    let job = job::find(&mut *tx, org, id).await?;
    check_can_move(&job, now)?;
    if job.starts_at == Some(starts_at) {
        return Ok(());
    }
    let (set, offered) =
        (&profile.settings.booking, bookable_range(&profile.settings.booking, profile.org.zone(), now));
    if starts_at < offered.0 || starts_at >= offered.1 {
        return Err(ConflictCode::SlotTaken.into_error());
    }
    let ends_at = starts_at + Duration::minutes(job.duration_minutes);
    lock_bookable_crews(&mut *tx, org).await?;
    let but = AvailabilityExclusions { job: Some(id), ..AvailabilityExclusions::default() };
    let book = AvailabilityCalendar::load_between(&mut *tx, profile, now, (starts_at, ends_at), but).await?;
    let free =
        if book.is_offered(set, offered, starts_at) { book.find_free_crews(starts_at, ends_at) } else { Vec::new() };
    let own = free.iter().find(|crew| Some(**crew) == job.crew_id);
    let crew = *own.or(free.first()).ok_or(ConflictCode::SlotTaken.into_error())?;
    check_day_share(&mut *tx, ctx, &job, (starts_at, ends_at)).await?;
    let name = followup::load_recipient(&mut *tx, ctx, lead).await?.name;
    let slot = job::JobSlot {
        starts_at: Some(Some(starts_at)),
        crew_id: Some(Some(crew)),
        version: Some(job.version),
        ..job::JobSlot::default()
    };
    job::schedule_job(&mut *tx, origin, profile, id, &slot, &ActivityActor::Customer { name: name.clone() }).await?;
    let when = |at| visit::words::format_arrival_window(at, job.arrival_minutes, profile.org.zone(), Language::En);
    let was = job.starts_at.map(when).unwrap_or_default();
    let title = format!("{name} moved the visit");
    let body = format!("#{} is on {} now. It was on {was}.", job.number, when(starts_at));
    let alert =
        NewAlert::new(alert::AlertKind::VisitChanged, format!("moved:{id}:{}", now.timestamp_millis()), title, body);
    let alert = NewAlert { lead: Some(lead), path: Some(format!("/app/jobs/{id}")), ..alert };
    unproven::record_page_change(tx, ctx, link, alert).await
}
