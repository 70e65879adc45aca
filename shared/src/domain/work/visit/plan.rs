//! Plan of visit messages, made again in the transaction of each change.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use super::VisitNoticeKind;
use crate::{
    domain::{
        intake::contact_point,
        messaging::followup::{self, FollowUpStep, FollowUpSubject, PlannedStep},
        tenancy::org::{self, OrgProfile},
        work::{activity::UNDO_WINDOW, job::JobState},
    },
    platform::{
        access_link, business_hours,
        clock::ClockRng,
        contact_hours::reminder,
        db::{Tx, q},
        error::{Error, Result},
        id::{EventId, JobId, LeadId, OrgId},
        phone::Phone,
    },
};

/// Minimum time between a reminder and another message about the visit.
const MIN_NOTICE_GAP: Duration = Duration::hours(1);
/// No day-before reminder for a visit booked less than this before it.
const MIN_LEAD_FOR_DAY_BEFORE: Duration = Duration::hours(12);
/// Minimum time from a message to the visit; for the reminder an hour before, the second one.
const LEAST_AHEAD: Duration = Duration::minutes(30);
const LEAST_AHEAD_OF_HOUR: Duration = Duration::minutes(15);
/// A cancelled or moved visit is announced until so long after its start.
const STILL_WAITING: Duration = Duration::minutes(30);
/// After this hour "tomorrow" would soon be wrong.
const EVENING_ENDS: (u32, u32) = (21, 0);
/// The visit page stays open so long after the visit.
const PAGE_LASTS: Days = Days::new(30);

#[derive(FromRow)]
struct VisitPlanRow {
    lead_id: LeadId,
    status: JobState,
    starts_at: Option<DateTime<Utc>>,
    #[sqlx(skip)]
    phone: Option<Phone>,
    zip: Option<String>,
}

struct VisitPlanFacts<'a> {
    now: DateTime<Utc>,
    /// None when it does not take place.
    starts: Option<DateTime<Utc>>,
    announced: Option<DateTime<Utc>>,
    tell: bool,
    /// Another time was announced and then undone: the planned one is announced again.
    is_misled: bool,
    zone: Tz,
    day_before_at: NaiveTime,
    phone: Option<&'a Phone>,
    zip: Option<&'a str>,
}

/// A step, and the visit time that it tells.
type PlannedVisitNotice = (VisitNoticeKind, PlannedStep, DateTime<Utc>);

/// Plans the messages again after a change of time or status. The earlier plan ends and its unsent messages are taken
/// back. With `tell` off the change itself is not announced; reminders still are.
pub(crate) async fn replan_visit(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    job: JobId,
    event: Option<EventId>,
    tell: bool,
) -> Result<()> {
    rebuild_plan(tx, origin, profile, job, event, (tell, false)).await.map(|_| ())
}

/// Returns whether a change is announced.
async fn rebuild_plan(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    job: JobId,
    event: Option<EventId>,
    (tell, is_misled): (bool, bool),
) -> Result<bool> {
    let org = profile.org.id;
    let row = load_plan_row(tx, org, job).await?;
    followup::cancel_plans(&mut *tx, origin, org, job.0, stop_reason(&row), event).await?;
    if matches!(row.status, JobState::InProgress | JobState::Completed) {
        return Ok(false);
    }
    let announced = super::find_told_time(&mut *tx, org, job).await?;
    let facts = VisitPlanFacts {
        now: origin.now(),
        starts: row.starts_at.filter(|_| row.status == JobState::Scheduled),
        announced,
        tell,
        is_misled,
        zone: profile.org.zone(),
        day_before_at: profile.settings.jobs.day_before_at.to_naive_time().unwrap_or(NaiveTime::MIN),
        phone: row.phone.as_ref(),
        zip: row.zip.as_deref(),
    };
    if let Some(starts) = facts.starts {
        access_link::ensure_link(
            tx,
            origin,
            org,
            access_link::LinkKind::Visit,
            job.0,
            starts.checked_add_days(PAGE_LASTS),
        )
        .await?;
    }
    let steps = plan_steps(&facts);
    store_plan(tx, origin, org, (job, row.lead_id), &steps, event).await?;
    Ok(steps.iter().any(|(notice, ..)| !notice.is_reminder()))
}

/// The same after an undo. `is_misled` when another time had been announced. Returns the zone of the business, and
/// whether the customer is notified.
pub(crate) async fn replan_after_undo(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    job: JobId,
    is_misled: bool,
) -> Result<(Tz, bool)> {
    let business = org::find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let profile = org::load_profile(&mut *tx, business).await?;
    let is_planned = rebuild_plan(tx, origin, &profile, job, None, (true, is_misled)).await?;
    let is_on = profile.switches.job_tracking && profile.settings.jobs.booked;
    Ok((profile.org.zone(), is_planned && is_on))
}

async fn load_plan_row(tx: &mut Tx, org: OrgId, job: JobId) -> Result<VisitPlanRow> {
    let mut row = q!(
        &mut *tx,
        fetch_one as VisitPlanRow,
        "SELECT j.lead_id, j.status, j.starts_at, COALESCE(l.zip, j.zip) AS zip
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.id = $2",
        org,
        job
    )?;
    row.phone = contact_point::load_visit_recipient(tx, org, (row.lead_id, job)).await?.phone;
    Ok(row)
}

fn stop_reason(row: &VisitPlanRow) -> &'static str {
    match (row.status, row.starts_at) {
        (JobState::Cancelled, _) => "the job was cancelled",
        (JobState::InProgress, _) => "the work has begun",
        (JobState::Completed, _) => "the work is done",
        (JobState::Scheduled, None) => "the job was taken off the schedule",
        (JobState::Scheduled, Some(_)) => "the visit was planned again",
    }
}

async fn store_plan(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (job, lead): (JobId, LeadId),
    steps: &[PlannedVisitNotice],
    event: Option<EventId>,
) -> Result<()> {
    let Some((.., visit_at)) = steps.first() else { return Ok(()) };
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, job)? + 1;
    let planned: Vec<PlannedStep> = steps.iter().map(|(_, step, _)| *step).collect();
    followup::schedule_plan(&mut *tx, origin, org, lead, FollowUpSubject::Job, job.0, generation, &planned, event)
        .await?;
    followup::store_visit_time(tx, org, (job.0, generation), *visit_at).await
}

/// The change after its undo window, then the reminders.
fn plan_steps(facts: &VisitPlanFacts<'_>) -> Vec<PlannedVisitNotice> {
    let change = change_step(facts).filter(|_| facts.tell);
    let change_due_at = change.map(|(_, step, _)| step.due_at);
    let Some(starts) = facts.starts else { return change.into_iter().collect() };
    let after = change_due_at.unwrap_or(facts.now);
    let is_apart = |at: DateTime<Utc>| if change_due_at.is_some() { at - after >= MIN_NOTICE_GAP } else { at > after };
    let day = day_before_step(facts, starts).filter(|(_, step, _)| is_apart(step.due_at));
    let reminded = day.map(|(_, step, _)| step.due_at);
    let hour = hour_before_step(facts, starts)
        .filter(|(_, step, _)| is_apart(step.due_at) && reminded.is_none_or(|day| step.due_at - day >= MIN_NOTICE_GAP));
    [change, day, hour].into_iter().flatten().collect()
}

fn change_step(facts: &VisitPlanFacts<'_>) -> Option<PlannedVisitNotice> {
    let (notice, visit_at, expires_at) = match (facts.announced, facts.starts) {
        (_, Some(starts)) if facts.is_misled => (VisitNoticeKind::Booked, starts, starts + STILL_WAITING),
        (None, Some(starts)) => (VisitNoticeKind::Booked, starts, starts - LEAST_AHEAD),
        (Some(announced), Some(starts)) if announced != starts => {
            (VisitNoticeKind::Moved, starts, (starts - LEAST_AHEAD).max(announced + STILL_WAITING))
        }
        (Some(announced), None) => (VisitNoticeKind::Cancelled, announced, announced + STILL_WAITING),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let due_at = facts.now + UNDO_WINDOW;
    (due_at < expires_at).then_some((
        notice,
        PlannedStep { step: FollowUpStep::Named(notice.step_name()), due_at, expires_at },
        visit_at,
    ))
}

fn day_before_step(facts: &VisitPlanFacts<'_>, starts: DateTime<Utc>) -> Option<PlannedVisitNotice> {
    let day = starts.with_timezone(&facts.zone).date_naive().pred_opt()?;
    let due_at = business_hours::local_to_utc(facts.zone, day.and_time(facts.day_before_at));
    let evening = business_hours::local_to_utc(facts.zone, day.and_hms_opt(EVENING_ENDS.0, EVENING_ENDS.1, 0)?);
    let expires_at = evening.max(due_at + MIN_NOTICE_GAP).min(starts - LEAST_AHEAD);
    let is_worth_it = due_at > facts.now && due_at < expires_at && starts - facts.now >= MIN_LEAD_FOR_DAY_BEFORE;
    let notice = VisitNoticeKind::DayBefore;
    is_worth_it.then_some((
        notice,
        PlannedStep { step: FollowUpStep::Named(notice.step_name()), due_at, expires_at },
        starts,
    ))
}

fn hour_before_step(facts: &VisitPlanFacts<'_>, starts: DateTime<Utc>) -> Option<PlannedVisitNotice> {
    let due_at = reminder::find_reminder_time(facts.phone, facts.zip, facts.zone, starts - Duration::hours(1))?;
    let date = |at: DateTime<Utc>| at.with_timezone(&facts.zone).date_naive();
    // Sent the evening before it says "tomorrow", which must be true on arrival.
    let latest = starts - LEAST_AHEAD_OF_HOUR;
    let expires_at = if date(due_at) == date(starts) { latest } else { latest.min(due_at + MIN_NOTICE_GAP) };
    let notice = VisitNoticeKind::HourBefore;
    (due_at > facts.now).then_some((
        notice,
        PlannedStep { step: FollowUpStep::Named(notice.step_name()), due_at, expires_at },
        starts,
    ))
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        format!("{text}:00Z").parse().unwrap()
    }

    fn facts(now: &str, starts: Option<&str>, announced: Option<&str>) -> VisitPlanFacts<'static> {
        VisitPlanFacts {
            now: at(now),
            starts: starts.map(at),
            announced: announced.map(at),
            tell: true,
            is_misled: false,
            zone: Chicago,
            day_before_at: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            phone: None,
            zip: None,
        }
    }

    fn planned(facts: &VisitPlanFacts<'_>) -> Vec<(String, String)> {
        let shown = |at: DateTime<Utc>| at.format("%m-%d %H:%M").to_string();
        let steps = plan_steps(facts);
        steps
            .iter()
            .map(|(notice, step, _)| (format!("{} {}", notice.step_name(), shown(step.due_at)), shown(step.expires_at)))
            .collect()
    }

    fn named(facts: &VisitPlanFacts<'_>) -> Vec<String> {
        planned(facts).into_iter().map(|(step, _)| step).collect()
    }

    #[test]
    fn visit_messages_are_planned_at_booking_day_before_and_hour_before() {
        let steps = planned(&facts("2026-11-20T16:00", Some("2026-11-24T16:00"), None));
        let wanted = [
            ("booked 11-20 16:01", "11-24 15:30"),
            ("day_before 11-23 15:00", "11-24 03:00"),
            ("hour_before 11-24 15:00", "11-24 15:45"),
        ];
        assert_eq!(steps, wanted.map(|(step, until)| (step.to_owned(), until.to_owned())));
    }

    #[test]
    fn reminders_keep_nine_oclock_and_one_hour_lead_across_dst() {
        let autumn = facts("2026-10-29T16:00", Some("2026-11-01T16:00"), None);
        assert_eq!(named(&autumn)[1..], ["day_before 10-31 14:00", "hour_before 11-01 15:00"]);
        let after = facts("2026-10-29T16:00", Some("2026-11-02T16:00"), None);
        assert_eq!(named(&after)[1..], ["day_before 11-01 15:00", "hour_before 11-02 15:00"]);
        let spring = facts("2027-03-11T16:00", Some("2027-03-14T15:00"), None);
        assert_eq!(named(&spring)[1..], ["day_before 03-13 15:00", "hour_before 03-14 14:00"]);
        let later = facts("2027-03-11T16:00", Some("2027-03-15T15:00"), None);
        assert_eq!(named(&later)[1..], ["day_before 03-14 14:00", "hour_before 03-15 14:00"]);
    }

    #[test]
    fn early_visit_gets_last_reminder_the_evening_before() {
        let early = facts("2026-11-20T16:00", Some("2026-11-24T12:00"), None);
        assert_eq!(planned(&early)[2], ("hour_before 11-24 02:30".to_owned(), "11-24 03:30".to_owned()));
        let lately = facts("2026-11-24T03:00", Some("2026-11-24T12:00"), None);
        assert_eq!(named(&lately), ["booked 11-24 03:01"], "younger than the evening");
    }

    #[test]
    fn reminder_is_skipped_shortly_after_another_message() {
        let soon = facts("2026-11-23T14:30", Some("2026-11-24T16:00"), None);
        assert_eq!(
            named(&soon),
            ["booked 11-23 14:31", "hour_before 11-24 15:00"],
            "nine o'clock is half an hour away"
        );
        let sooner = facts("2026-11-24T14:30", Some("2026-11-24T16:00"), None);
        assert_eq!(named(&sooner), ["booked 11-24 14:31"]);
        let at_once = facts("2026-11-24T15:40", Some("2026-11-24T16:00"), None);
        assert_eq!(named(&at_once), Vec::<String>::new());
    }

    #[test]
    fn customer_is_notified_only_of_changes_to_the_known_time() {
        let (nine, ten) = ("2026-11-24T15:00", "2026-11-24T16:00");
        let now = "2026-11-24T13:00";
        assert_eq!(named(&facts(now, Some(ten), Some(nine)))[0], "moved 11-24 13:01");
        assert_eq!(named(&facts(now, Some(ten), Some(ten))), ["hour_before 11-24 15:00"], "moved there and back");
        assert_eq!(planned(&facts(now, None, Some(ten))), [("cancelled 11-24 13:01".into(), "11-24 16:30".into())]);
        assert_eq!(named(&facts(now, None, None)), Vec::<String>::new());
        assert_eq!(named(&facts("2026-11-25T13:00", None, Some(ten))), Vec::<String>::new(), "it is long past");
        let misled = VisitPlanFacts { is_misled: true, ..facts("2026-11-24T15:50", Some(ten), Some(ten)) };
        assert_eq!(
            planned(&misled),
            [("booked 11-24 15:51".into(), "11-24 16:30".into())],
            "another time was announced"
        );
        let silent = VisitPlanFacts { tell: false, ..facts(now, Some(ten), Some(nine)) };
        assert_eq!(named(&silent), ["hour_before 11-24 15:00"]);
    }
}
