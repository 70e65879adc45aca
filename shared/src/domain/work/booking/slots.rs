//! Which times are free: reckoned from the hours of the crews, their jobs, and what others are just choosing.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Service;
use crate::{
    documents::template::Language,
    domain::{
        tenancy::org::{Profile, settings::Booking},
        work::{job::LONGEST, visit},
    },
    platform::{
        business_hours::{self, Hours},
        clock::Origin,
        db::{AsConn, q},
        error::Result,
        id::{CrewId, HoldId, JobId, OrgId},
    },
};

/// Every grid is made of such steps.
const STEP: Duration = Duration::minutes(15);
/// Days with free times that are shown at once.
const SHOWN: usize = 5;

/// A time that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BookingSlot)]
pub struct Slot {
    pub starts_at: DateTime<Utc>,
    /// "8:00-10:00 AM": the window in which the crew arrives.
    pub label: String,
}

/// A day on which something is free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = BookingDay)]
pub struct Day {
    pub date: NaiveDate,
    pub slots: Vec<Slot>,
}

/// Some days with what is free on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    pub days: Vec<Day>,
    /// The day from which there is more.
    pub next: Option<NaiveDate>,
}

/// From when to when.
pub(super) type Time = (DateTime<Utc>, DateTime<Utc>);

/// A bookable crew.
struct Hand {
    id: CrewId,
    position: i64,
    /// When it works; openings that touch are one.
    open: Vec<Time>,
    busy: Vec<Time>,
    /// How many of them begin on each day.
    begun: BTreeMap<NaiveDate, i64>,
}

/// Everything that decides what is free within some span.
pub(super) struct Book {
    zone: Tz,
    buffer: Duration,
    cap: i64,
    hands: Vec<Hand>,
    /// Jobs that have a time and no crew yet: each will take one.
    unassigned: Vec<Time>,
}

#[derive(FromRow)]
struct CrewRow {
    id: CrewId,
    hours: Option<Json<Hours>>,
    position: i64,
}

/// What does not count as taken: the visit that is moved, the hold that is taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct But {
    pub job: Option<JobId>,
    pub hold: Option<HoldId>,
}

impl Book {
    /// Reads what stands between these instants.
    pub(super) async fn read(
        conn: &mut dyn AsConn,
        profile: &Profile,
        now: DateTime<Utc>,
        (from, to): Time,
        but: But,
    ) -> Result<Self> {
        let (org, set) = (profile.org.id, &profile.settings.booking);
        let crews = q!(
            &mut *conn,
            fetch_all as CrewRow,
            "SELECT id, hours, position FROM crew WHERE org_id = $1 AND is_bookable = TRUE AND is_active = TRUE",
            org
        )?;
        // Whole days around it: what is counted by the day is counted from its beginning.
        let (from, to) = (from - Duration::days(1), to + Duration::days(1));
        let taken = taken(conn, org, now, (from, to), but).await?;
        let mut book = Self {
            zone: profile.org.zone(),
            buffer: Duration::minutes(set.buffer_minutes),
            cap: set.daily_cap,
            hands: Vec::with_capacity(crews.len()),
            unassigned: taken.iter().filter(|(crew, ..)| crew.is_none()).map(|(_, s, e)| (*s, *e)).collect(),
        };
        for crew in crews {
            let open = open(crew.hours.as_ref().map(|own| &own.0), &profile.settings.hours, book.zone, (from, to));
            let busy: Vec<Time> =
                taken.iter().filter(|(of, ..)| *of == Some(crew.id)).map(|(_, s, e)| (*s, *e)).collect();
            book.hands.push(Hand::new(crew.id, crew.position, open, busy, book.zone));
        }
        Ok(book)
    }

    /// The crews that could do it then, who has the fewest jobs that day first.
    pub(super) fn free(&self, starts: DateTime<Utc>, ends: DateTime<Utc>) -> Vec<CrewId> {
        let day = starts.with_timezone(&self.zone).date_naive();
        let around = (starts - self.buffer, ends + self.buffer);
        let can = |hand: &&Hand| {
            hand.open.iter().any(|&(from, to)| from <= starts && ends <= to)
                && !hand.busy.iter().any(|&time| overlap(time, around))
                && (self.cap == 0 || hand.on(day) < self.cap)
        };
        let mut free: Vec<&Hand> = self.hands.iter().filter(can).collect();
        let promised = self.unassigned.iter().filter(|&&time| overlap(time, around)).count();
        if free.len() <= promised {
            return Vec::new();
        }
        free.sort_by_key(|hand| (hand.on(day), hand.position, hand.id));
        free.into_iter().map(|hand| hand.id).collect()
    }

    /// Every time within `(from, to)` at which something so long could begin with a crew, on the grid of the wall clock.
    fn starts(&self, (from, to): Time, length: Duration, grid: i64) -> BTreeSet<DateTime<Utc>> {
        let mut found = BTreeSet::new();
        for &(opens, closes) in self.hands.iter().flat_map(|hand| &hand.open) {
            let mut at = aligned(opens.max(from));
            while at + length <= closes && at < to {
                if self.is_on_grid(at, grid) {
                    found.insert(at);
                }
                at += STEP;
            }
        }
        found.retain(|&at| !self.free(at, at + length).is_empty());
        found
    }

    /// An hour that the clocks show twice is offered once.
    fn is_on_grid(&self, at: DateTime<Utc>, grid: i64) -> bool {
        let local = at.with_timezone(&self.zone).naive_local();
        i64::from(local.num_seconds_from_midnight() / 60) % grid == 0 && business_hours::instant(self.zone, local) == at
    }

    /// Whether this is one of the times that are offered, whoever has them.
    pub(super) fn is_offered(&self, set: &Booking, span: Time, starts: DateTime<Utc>) -> bool {
        span.0 <= starts && starts < span.1 && aligned(starts) == starts && self.is_on_grid(starts, set.grid_minutes)
    }
}

impl Hand {
    fn new(id: CrewId, position: i64, open: Vec<Time>, busy: Vec<Time>, zone: Tz) -> Self {
        let mut begun = BTreeMap::new();
        for (starts, _) in &busy {
            *begun.entry(starts.with_timezone(&zone).date_naive()).or_default() += 1;
        }
        Self { id, position, open, busy, begun }
    }

    fn on(&self, day: NaiveDate) -> i64 {
        self.begun.get(&day).copied().unwrap_or_default()
    }
}

/// Touching edges do not overlap.
fn overlap(one: Time, other: Time) -> bool {
    one.0 < other.1 && other.0 < one.1
}

/// The first step at or after it.
fn aligned(at: DateTime<Utc>) -> DateTime<Utc> {
    let step = STEP.num_milliseconds();
    let past = at.timestamp_millis().rem_euclid(step);
    let whole = at - Duration::nanoseconds(i64::from(at.timestamp_subsec_nanos() % 1_000_000));
    if past == 0 && whole == at { at } else { whole + Duration::milliseconds(step - past) }
}

/// When a crew works. Where the business is closed, its crews are; openings that touch are one.
fn open(own: Option<&Hours>, business: &Hours, zone: Tz, (from, to): Time) -> Vec<Time> {
    let with_closed = own.map(|own| {
        let closed_dates = own.closed_dates.iter().chain(&business.closed_dates).cloned().collect();
        Hours { week: own.week.clone(), closed_dates }
    });
    let hours = with_closed.as_ref().unwrap_or(business);
    let first = from.with_timezone(&zone).date_naive();
    let mut merged: Vec<Time> = Vec::new();
    for (opens, closes) in hours.between(zone, first, (to - from).num_days() + 2) {
        match merged.last_mut() {
            Some(last) if opens <= last.1 => last.1 = last.1.max(closes),
            _ => merged.push((opens, closes)),
        }
    }
    merged
}

/// What takes the time of crews: jobs that are not done, and what others are just choosing.
async fn taken(
    conn: &mut dyn AsConn,
    org: OrgId,
    now: DateTime<Utc>,
    (from, to): Time,
    but: But,
) -> Result<Vec<(Option<CrewId>, DateTime<Utc>, DateTime<Utc>)>> {
    let mut found = q!(
        &mut *conn,
        fetch_all as (Option<CrewId>, DateTime<Utc>, DateTime<Utc>),
        "SELECT crew_id, starts_at, ends_at FROM job
         WHERE org_id = $1 AND starts_at > $2 AND starts_at < $3 AND ends_at > $4 AND status <> 'cancelled'
             AND status <> 'completed' AND id <> $5",
        org,
        from - LONGEST,
        to,
        from,
        but.job.map_or(Uuid::nil(), |job| job.0)
    )?;
    found.extend(q!(
        conn,
        fetch_all as (Option<CrewId>, DateTime<Utc>, DateTime<Utc>),
        "SELECT crew_id, starts_at, ends_at FROM slot_hold
         WHERE org_id = $1 AND expires_at > $2 AND starts_at < $3 AND ends_at > $4 AND id <> $5",
        org,
        now,
        to,
        from,
        but.hold.map_or(Uuid::nil(), |hold| hold.0)
    )?);
    Ok(found)
}

/// From the first instant that can be booked to the first that cannot any more.
pub(super) fn span(set: &Booking, zone: Tz, now: DateTime<Utc>) -> Time {
    let last = now.with_timezone(&zone).date_naive() + Duration::days(set.days_ahead + 1);
    (now + Duration::hours(set.notice_hours), business_hours::instant(zone, last.and_time(chrono::NaiveTime::MIN)))
}

/// The days with free times, from `from` on.
pub async fn offer(
    conn: &mut dyn AsConn,
    origin: &Origin,
    profile: &Profile,
    service: &Service,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Offer> {
    let length = Duration::minutes(service.minutes);
    days(conn, origin, profile, (length, profile.settings.jobs.arrival_minutes), But::default(), from, language).await
}

pub(super) async fn days(
    conn: &mut dyn AsConn,
    origin: &Origin,
    profile: &Profile,
    (length, arrival): (Duration, i64),
    but: But,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<Offer> {
    let (now, zone, set) = (origin.now(), profile.org.zone(), &profile.settings.booking);
    let all = span(set, zone, now);
    let book = Book::read(conn, profile, now, all, but).await?;
    let mut by_day: BTreeMap<NaiveDate, Vec<Slot>> = BTreeMap::new();
    for starts_at in book.starts(all, length, set.grid_minutes) {
        let label = hours_of(starts_at, arrival, zone, language);
        let day = starts_at.with_timezone(&zone).date_naive();
        by_day.entry(day).or_default().push(Slot { starts_at, label });
    }
    let mut wanted = by_day.into_iter().filter(|(day, _)| from.is_none_or(|from| *day >= from));
    let days = wanted.by_ref().take(SHOWN).map(|(date, slots)| Day { date, slots }).collect();
    Ok(Offer { days, next: wanted.next().map(|(day, _)| day) })
}

/// The window without its day.
fn hours_of(starts: DateTime<Utc>, arrival: i64, zone: Tz, language: Language) -> String {
    let window = visit::words::window(starts, arrival, zone, language);
    window.rsplit_once(", ").map_or_else(|| window.clone(), |(_, hours)| hours.to_owned())
}

#[cfg(test)]
mod tests;
