//! The plan of what a customer is told: made anew with each change of the visit, in the change's own transaction.

use chrono::{DateTime, Days, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use sqlx::FromRow;

use super::Said;
use crate::{
    domain::{
        intake::contact_point,
        messaging::followup::{self, About, Planned, Step},
        tenancy::org::{self, Profile},
        work::{activity::UNDO, job::Status},
    },
    platform::{
        access_link, business_hours,
        clock::Origin,
        contact_hours::reminder,
        db::{Tx, q},
        error::{Error, Result},
        id::{EventId, JobId, LeadId, OrgId},
        phone::Phone,
    },
};

/// A reminder that would come so soon after another word about the visit says nothing new.
const APART: Duration = Duration::hours(1);
/// Nobody is reminded of tomorrow who booked it so lately.
const LATELY: Duration = Duration::hours(12);
/// That a visit is booked is told so long before it, and not later; when an hour is left, a little later still.
const LEAST_AHEAD: Duration = Duration::minutes(30);
const LEAST_AHEAD_OF_HOUR: Duration = Duration::minutes(15);
/// That a visit does not take place is worth knowing a little after it was to begin.
const STILL_WAITING: Duration = Duration::minutes(30);
/// After this hour "tomorrow" is soon not true any more.
const EVENING_ENDS: (u32, u32) = (21, 0);
/// The page of a visit opens so long after it.
const PAGE_LASTS: Days = Days::new(30);

/// What the plan is made of.
#[derive(FromRow)]
struct Row {
    lead_id: LeadId,
    status: Status,
    starts_at: Option<DateTime<Utc>>,
    #[sqlx(skip)]
    phone_e164: Option<String>,
    zip: Option<String>,
}

/// How a visit stands, and what its customer knows.
struct Known<'a> {
    now: DateTime<Utc>,
    /// When it begins; none when it does not take place.
    starts: Option<DateTime<Utc>>,
    told: Option<DateTime<Utc>>,
    /// Whether a change is told at all.
    tell: bool,
    /// They were told another time since, which was taken back: they hear the planned one again.
    is_misled: bool,
    zone: Tz,
    day_before_at: NaiveTime,
    phone: Option<&'a Phone>,
    zip: Option<&'a str>,
}

/// One step, and the beginning of the visit that it tells of.
type Told = (Said, Planned, DateTime<Utc>);

/// Plans anew what is told of a job's visit, after a change of its time or status. What was planned before ends, and what
/// was worded and has not left is taken back. With `tell` off the change itself is not told; reminders still are.
pub(crate) async fn changed(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    job: JobId,
    event: Option<EventId>,
    tell: bool,
) -> Result<()> {
    anew(tx, origin, profile, job, event, (tell, false)).await.map(|_| ())
}

/// Whether a change is told.
async fn anew(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    job: JobId,
    event: Option<EventId>,
    (tell, is_misled): (bool, bool),
) -> Result<bool> {
    let org = profile.org.id;
    let row = find(tx, org, job).await?;
    followup::stop(&mut *tx, origin, org, job.0, why(&row), event).await?;
    if matches!(row.status, Status::InProgress | Status::Completed) {
        return Ok(false);
    }
    let told = super::told(&mut *tx, org, job).await?;
    let phone = row.phone_e164.as_deref().and_then(Phone::parse);
    let known = Known {
        now: origin.now(),
        starts: row.starts_at.filter(|_| row.status == Status::Scheduled),
        told,
        tell,
        is_misled,
        zone: profile.org.zone(),
        day_before_at: profile.settings.jobs.day_before_at.time().unwrap_or(NaiveTime::MIN),
        phone: phone.as_ref(),
        zip: row.zip.as_deref(),
    };
    if let Some(starts) = known.starts {
        access_link::ensure(tx, origin, org, access_link::Kind::Visit, job.0, starts.checked_add_days(PAGE_LASTS))
            .await?;
    }
    let steps = steps(&known);
    store(tx, origin, org, (job, row.lead_id), &steps, event).await?;
    Ok(steps.iter().any(|(said, ..)| !said.is_reminder()))
}

/// The same after a change was taken back. `is_misled` when it had told the customer another time. Returns the zone of
/// the business, and whether the customer is told how the visit stands.
pub(crate) async fn restored(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    job: JobId,
    is_misled: bool,
) -> Result<(Tz, bool)> {
    let business = org::find(&mut *tx, org).await?.ok_or(Error::NotFound)?;
    let profile = org::profile(&mut *tx, business).await?;
    let is_planned = anew(tx, origin, &profile, job, None, (true, is_misled)).await?;
    let is_on = profile.switches.job_tracking && profile.settings.jobs.booked;
    Ok((profile.org.zone(), is_planned && is_on))
}

async fn find(tx: &mut Tx, org: OrgId, job: JobId) -> Result<Row> {
    let mut row = q!(
        &mut *tx,
        fetch_one as Row,
        "SELECT j.lead_id, j.status, j.starts_at, COALESCE(l.zip, j.zip) AS zip
         FROM job j JOIN lead l ON l.org_id = j.org_id AND l.id = j.lead_id
         WHERE j.org_id = $1 AND j.id = $2",
        org,
        job
    )?;
    row.phone_e164 = contact_point::of_lead(tx, org, row.lead_id).await?.phone;
    Ok(row)
}

/// Why what was planned before is over.
fn why(row: &Row) -> &'static str {
    match (row.status, row.starts_at) {
        (Status::Cancelled, _) => "the job was cancelled",
        (Status::InProgress, _) => "the work has begun",
        (Status::Completed, _) => "the work is done",
        (Status::Scheduled, None) => "the job was taken off the schedule",
        (Status::Scheduled, Some(_)) => "the visit was planned anew",
    }
}

async fn store(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    (job, lead): (JobId, LeadId),
    steps: &[Told],
    event: Option<EventId>,
) -> Result<()> {
    let Some((.., visit_at)) = steps.first() else { return Ok(()) };
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, job)? + 1;
    let planned: Vec<Planned> = steps.iter().map(|(_, step, _)| *step).collect();
    followup::plan(&mut *tx, origin, org, lead, About::Job, job.0, generation, &planned, event).await?;
    let sql = "UPDATE follow_up SET visit_at = $4 WHERE org_id = $1 AND about_id = $2 AND generation = $3";
    q!(tx, execute, sql, org, job, generation, *visit_at)?;
    Ok(())
}

/// What is told when: the change once its minute has passed, then the reminders.
fn steps(known: &Known<'_>) -> Vec<Told> {
    let change = change(known).filter(|_| known.tell);
    let heard = change.map(|(_, step, _)| step.due_at);
    let Some(starts) = known.starts else { return change.into_iter().collect() };
    let after = heard.unwrap_or(known.now);
    let is_apart = |at: DateTime<Utc>| if heard.is_some() { at - after >= APART } else { at > after };
    let day = day_before(known, starts).filter(|(_, step, _)| is_apart(step.due_at));
    let reminded = day.map(|(_, step, _)| step.due_at);
    let hour = hour_before(known, starts)
        .filter(|(_, step, _)| is_apart(step.due_at) && reminded.is_none_or(|day| step.due_at - day >= APART));
    [change, day, hour].into_iter().flatten().collect()
}

/// What the customer does not know yet.
fn change(known: &Known<'_>) -> Option<Told> {
    let (said, visit_at, give_up_at) = match (known.told, known.starts) {
        (_, Some(starts)) if known.is_misled => (Said::Booked, starts, starts + STILL_WAITING),
        (None, Some(starts)) => (Said::Booked, starts, starts - LEAST_AHEAD),
        (Some(told), Some(starts)) if told != starts => {
            (Said::Moved, starts, (starts - LEAST_AHEAD).max(told + STILL_WAITING))
        }
        (Some(told), None) => (Said::Cancelled, told, told + STILL_WAITING),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let due_at = known.now + UNDO;
    (due_at < give_up_at).then_some((said, Planned { step: Step::Visit(said), due_at, give_up_at }, visit_at))
}

fn day_before(known: &Known<'_>, starts: DateTime<Utc>) -> Option<Told> {
    let day = starts.with_timezone(&known.zone).date_naive().pred_opt()?;
    let due_at = business_hours::instant(known.zone, day.and_time(known.day_before_at));
    let evening = business_hours::instant(known.zone, day.and_hms_opt(EVENING_ENDS.0, EVENING_ENDS.1, 0)?);
    let give_up_at = evening.max(due_at + APART).min(starts - LEAST_AHEAD);
    let is_worth_it = due_at > known.now && due_at < give_up_at && starts - known.now >= LATELY;
    let said = Said::DayBefore;
    is_worth_it.then_some((said, Planned { step: Step::Visit(said), due_at, give_up_at }, starts))
}

fn hour_before(known: &Known<'_>, starts: DateTime<Utc>) -> Option<Told> {
    let due_at = reminder::before(known.phone, known.zip, known.zone, starts - Duration::hours(1))?;
    let date = |at: DateTime<Utc>| at.with_timezone(&known.zone).date_naive();
    // The evening before it says "tomorrow", which must be true when it arrives.
    let latest = starts - LEAST_AHEAD_OF_HOUR;
    let give_up_at = if date(due_at) == date(starts) { latest } else { latest.min(due_at + APART) };
    let said = Said::HourBefore;
    (due_at > known.now).then_some((said, Planned { step: Step::Visit(said), due_at, give_up_at }, starts))
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        format!("{text}:00Z").parse().unwrap()
    }

    fn known(now: &str, starts: Option<&str>, told: Option<&str>) -> Known<'static> {
        Known {
            now: at(now),
            starts: starts.map(at),
            told: told.map(at),
            tell: true,
            is_misled: false,
            zone: Chicago,
            day_before_at: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            phone: None,
            zip: None,
        }
    }

    /// As `what at`, and until when it is worth saying.
    fn planned(known: &Known<'_>) -> Vec<(String, String)> {
        let shown = |at: DateTime<Utc>| at.format("%m-%d %H:%M").to_string();
        let steps = steps(known);
        steps
            .iter()
            .map(|(said, step, _)| (format!("{} {}", said.name(), shown(step.due_at)), shown(step.give_up_at)))
            .collect()
    }

    fn named(known: &Known<'_>) -> Vec<String> {
        planned(known).into_iter().map(|(step, _)| step).collect()
    }

    #[test]
    fn a_visit_is_told_after_a_minute_the_day_before_and_an_hour_before() {
        let steps = planned(&known("2026-11-20T16:00", Some("2026-11-24T16:00"), None));
        let wanted = [
            ("booked 11-20 16:01", "11-24 15:30"),
            ("day_before 11-23 15:00", "11-24 03:00"),
            ("hour_before 11-24 15:00", "11-24 15:45"),
        ];
        assert_eq!(steps, wanted.map(|(step, until)| (step.to_owned(), until.to_owned())));
    }

    #[test]
    fn on_both_nights_of_the_clocks_nine_is_nine_and_an_hour_is_an_hour() {
        let autumn = known("2026-10-29T16:00", Some("2026-11-01T16:00"), None);
        assert_eq!(named(&autumn)[1..], ["day_before 10-31 14:00", "hour_before 11-01 15:00"]);
        let after = known("2026-10-29T16:00", Some("2026-11-02T16:00"), None);
        assert_eq!(named(&after)[1..], ["day_before 11-01 15:00", "hour_before 11-02 15:00"]);
        let spring = known("2027-03-11T16:00", Some("2027-03-14T15:00"), None);
        assert_eq!(named(&spring)[1..], ["day_before 03-13 15:00", "hour_before 03-14 14:00"]);
        let later = known("2027-03-11T16:00", Some("2027-03-15T15:00"), None);
        assert_eq!(named(&later)[1..], ["day_before 03-14 14:00", "hour_before 03-15 14:00"]);
    }

    #[test]
    fn before_an_early_visit_the_evening_before_is_the_last_word() {
        let early = known("2026-11-20T16:00", Some("2026-11-24T12:00"), None);
        assert_eq!(planned(&early)[2], ("hour_before 11-24 02:30".to_owned(), "11-24 03:30".to_owned()));
        let lately = known("2026-11-24T03:00", Some("2026-11-24T12:00"), None);
        assert_eq!(named(&lately), ["booked 11-24 03:01"], "younger than the evening");
    }

    #[test]
    fn what_was_just_told_is_not_told_again_as_a_reminder() {
        let soon = known("2026-11-23T14:30", Some("2026-11-24T16:00"), None);
        assert_eq!(
            named(&soon),
            ["booked 11-23 14:31", "hour_before 11-24 15:00"],
            "nine o'clock is half an hour away"
        );
        let sooner = known("2026-11-24T14:30", Some("2026-11-24T16:00"), None);
        assert_eq!(named(&sooner), ["booked 11-24 14:31"]);
        let at_once = known("2026-11-24T15:40", Some("2026-11-24T16:00"), None);
        assert_eq!(named(&at_once), Vec::<String>::new());
    }

    #[test]
    fn who_knows_the_time_hears_of_what_differs_from_it() {
        let (nine, ten) = ("2026-11-24T15:00", "2026-11-24T16:00");
        let now = "2026-11-24T13:00";
        assert_eq!(named(&known(now, Some(ten), Some(nine)))[0], "moved 11-24 13:01");
        assert_eq!(named(&known(now, Some(ten), Some(ten))), ["hour_before 11-24 15:00"], "moved there and back");
        assert_eq!(planned(&known(now, None, Some(ten))), [("cancelled 11-24 13:01".into(), "11-24 16:30".into())]);
        assert_eq!(named(&known(now, None, None)), Vec::<String>::new());
        assert_eq!(named(&known("2026-11-25T13:00", None, Some(ten))), Vec::<String>::new(), "it is long past");
        let misled = Known { is_misled: true, ..known("2026-11-24T15:50", Some(ten), Some(ten)) };
        assert_eq!(planned(&misled), [("booked 11-24 15:51".into(), "11-24 16:30".into())], "told of another time");
        let silent = Known { tell: false, ..known(now, Some(ten), Some(nine)) };
        assert_eq!(named(&silent), ["hour_before 11-24 15:00"]);
    }
}
