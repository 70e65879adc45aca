//! Schedule view: days of work with crews, opening times, jobs without a time, and overlaps.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    domain::{
        tenancy::org::OrgProfile,
        work::{
            booking::{self, WaitingHold},
            crew::{self, Crew},
            job::{DisplayedJobStatus, JobScope},
        },
    },
    platform::{
        business_hours::{self, BusinessHours},
        db::AsConn,
        error::Result,
        id::JobId,
    },
    views::job::list::{self, JobListFilter, JobSummary},
};

const MOST: i64 = 2_000;
const MOST_IN_TRAY: i64 = 100;
/// Key of the business's hours.
const BUSINESS: &str = "org";

/// Some days of work.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Schedule)]
pub struct ScheduleView {
    /// The first of the days.
    pub from: NaiveDate,
    pub days: i64,
    pub crews: Vec<Crew>,
    /// In the order of their beginning; the cancelled ones are left out.
    pub jobs: Vec<JobSummary>,
    /// What is to be done and has no time yet, the oldest first: at most 100.
    pub tray: Vec<JobSummary>,
    /// How many jobs have no time yet.
    pub tray_total: i64,
    /// When work is done: by crew, and of the business under `org`.
    pub open: BTreeMap<String, Vec<OpenTime>>,
    /// Times held for customers who were asked to confirm them; none for a crew. The office may plan over them.
    pub held: Vec<WaitingHold>,
    /// Pairs of unfinished jobs of one crew that overlap.
    pub conflicts: Vec<[JobId; 2]>,
}

/// Some hours in which work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OpenTime {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
}

pub async fn load_schedule(
    conn: &mut dyn AsConn,
    profile: &OrgProfile,
    sight: JobScope,
    (from, days): (NaiveDate, u64),
    now: DateTime<Utc>,
) -> Result<ScheduleView> {
    let (org, zone) = (profile.org.id, profile.org.zone());
    let crews = crew::list(&mut *conn, org, sight).await?;
    let [begins, ends] = day_range(zone, from, days);
    let shown = JobListFilter { from: Some(begins), to: Some(ends), ..JobListFilter::for_scope(sight, MOST) };
    let mut jobs = list::list(&mut *conn, org, &shown).await?.jobs;
    jobs.retain(|job| job.status != DisplayedJobStatus::Cancelled);
    jobs.reverse();
    let waiting = JobListFilter { tray: true, ..JobListFilter::for_scope(sight, MOST_IN_TRAY) };
    let mut tray = list::list(&mut *conn, org, &waiting).await?.jobs;
    tray.reverse();
    let tray_total = list::load_total(&mut *conn, org, &waiting).await?.rows;
    let held =
        if sight.is_office() { booking::list_waiting_holds(conn, org, [begins, ends], now).await? } else { Vec::new() };
    let open = list_open_times(&crews, &profile.settings.hours, zone, from, days);
    let conflicts = find_conflicts(&jobs);
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    Ok(ScheduleView { from, days, crews, jobs, tray, tray_total, open, held, conflicts })
}

fn day_range(zone: Tz, from: NaiveDate, days: u64) -> [DateTime<Utc>; 2] {
    let last = from.checked_add_days(Days::new(days)).unwrap_or(from);
    [from, last].map(|day| business_hours::local_to_utc(zone, day.and_time(NaiveTime::MIN)))
}

/// Opening times of the business and each crew. Crews are closed when the business is.
fn list_open_times(
    crews: &[Crew],
    business: &BusinessHours,
    zone: Tz,
    from: NaiveDate,
    days: u64,
) -> BTreeMap<String, Vec<OpenTime>> {
    let [begins, ends] = day_range(zone, from, days);
    let times = |hours: &BusinessHours| {
        let found = hours.list_openings(zone, from, i64::try_from(days).unwrap_or_default());
        let found = found.into_iter().filter(|(from, to)| *from < ends && *to > begins);
        found.map(|(from, to)| OpenTime { from, to }).collect::<Vec<_>>()
    };
    let of_crews = crews.iter().map(|crew| {
        let own = crew.hours.as_ref().map(|own| {
            let closed_dates = own.closed_dates.iter().chain(&business.closed_dates).cloned().collect();
            BusinessHours { week: own.week.clone(), closed_dates }
        });
        (crew.id.to_string(), times(own.as_ref().unwrap_or(business)))
    });
    std::iter::once((BUSINESS.to_owned(), times(business))).chain(of_crews).collect()
}

/// Each pair once, the earlier job first. Touching edges do not overlap.
fn find_conflicts(jobs: &[JobSummary]) -> Vec<[JobId; 2]> {
    let is_unfinished =
        |job: &&JobSummary| matches!(job.status, DisplayedJobStatus::Scheduled | DisplayedJobStatus::InProgress);
    let busy: Vec<_> = jobs
        .iter()
        .filter(is_unfinished)
        .filter_map(|job| Some((job.id, job.crew_id?, job.date?, job.ends_at?)))
        .collect();
    let mut pairs = Vec::new();
    for (at, (first, crew, _, ends)) in busy.iter().enumerate() {
        // Sorted by start: a job that begins after the end of this one cannot overlap.
        let later = busy.iter().skip(at + 1).take_while(|(_, _, starts, _)| starts < ends);
        pairs.extend(later.filter(|(_, other, ..)| other == crew).map(|(second, ..)| [*first, *second]));
    }
    pairs
}
