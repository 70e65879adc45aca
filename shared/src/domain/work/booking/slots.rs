//! Free times, computed from the crews' hours, their jobs and current holds.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::BookableService;
use crate::{
    documents::template::Language,
    domain::{
        tenancy::org::{BookingSettings, OrgProfile},
        work::{job::MAX_JOB_DURATION, visit},
    },
    platform::{
        business_hours::{self, BusinessHours},
        clock::ClockRng,
        db::{AsConn, q},
        error::Result,
        id::{CrewId, HoldId, JobId, OrgId},
    },
};

/// Every grid is a multiple of this.
const STEP: Duration = Duration::minutes(15);
const SHOWN: usize = 5;
/// Times that are offered first.
const NEXT_TIMES: usize = 3;

/// A time that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingSlot {
    pub starts_at: DateTime<Utc>,
    /// "8:00-10:00 AM": the window in which the crew arrives.
    pub label: String,
}

/// A day on which something is free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BookingDay {
    pub date: NaiveDate,
    pub slots: Vec<BookingSlot>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotOffer {
    pub days: Vec<BookingDay>,
    /// First day of the next page.
    pub next: Option<NaiveDate>,
}

/// One of the times that are offered first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextTime {
    pub starts_at: DateTime<Utc>,
    pub day: NaiveDate,
    /// "8:00-10:00 AM": the window in which the crew arrives.
    pub label: String,
}

/// What a customer can choose for one visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimesOffer {
    /// At most three; each begins when a visit at the one before is over.
    pub next: Vec<NextTime>,
    pub by_day: SlotOffer,
    /// Whether the crew needs an address that is not known.
    pub needs_address: bool,
}

impl TimesOffer {
    pub(super) fn from_slots(by_day: SlotOffer, length: Duration, needs_address: bool) -> Self {
        Self { next: by_day.pick_next_times(length), by_day, needs_address }
    }
}

impl SlotOffer {
    fn pick_next_times(&self, length: Duration) -> Vec<NextTime> {
        let mut picked: Vec<NextTime> = Vec::with_capacity(NEXT_TIMES);
        for (day, slot) in self.days.iter().flat_map(|day| day.slots.iter().map(move |slot| (day.date, slot))) {
            if picked.len() == NEXT_TIMES {
                break;
            }
            if picked.last().is_none_or(|last| last.starts_at + length <= slot.starts_at) {
                picked.push(NextTime { starts_at: slot.starts_at, day, label: slot.label.clone() });
            }
        }
        picked
    }
}

pub(super) type TimeRange = (DateTime<Utc>, DateTime<Utc>);

struct CrewAvailability {
    id: CrewId,
    position: i64,
    open: Vec<TimeRange>,
    busy: Vec<TimeRange>,
    /// Busy times that begin on each day.
    begun: BTreeMap<NaiveDate, i64>,
}

pub(super) struct AvailabilityCalendar {
    zone: Tz,
    buffer: Duration,
    cap: i64,
    hands: Vec<CrewAvailability>,
    /// Jobs with a time and no crew yet: each will take one.
    unassigned: Vec<TimeRange>,
}

#[derive(FromRow)]
struct CrewRow {
    id: CrewId,
    hours: Option<Json<BusinessHours>>,
    position: i64,
}

/// Not counted as taken: the visit that is moved, the hold that is taken, or all holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AvailabilityExclusions {
    pub job: Option<JobId>,
    pub hold: Option<HoldId>,
    pub all_holds: bool,
}

impl AvailabilityCalendar {
    pub(super) async fn load_between(
        conn: &mut dyn AsConn,
        profile: &OrgProfile,
        now: DateTime<Utc>,
        (from, to): TimeRange,
        but: AvailabilityExclusions,
    ) -> Result<Self> {
        let (org, set) = (profile.org.id, &profile.settings.booking);
        let crews = q!(
            &mut *conn,
            fetch_all as CrewRow,
            "SELECT id, hours, position FROM crew WHERE org_id = $1 AND is_bookable = TRUE AND is_active = TRUE",
            org
        )?;
        // Whole days, because daily counts start at midnight.
        let (from, to) = (from - Duration::days(1), to + Duration::days(1));
        let taken = load_taken_times(conn, org, now, (from, to), but).await?;
        let mut book = Self {
            zone: profile.org.zone(),
            buffer: Duration::minutes(set.buffer_minutes),
            cap: set.daily_cap,
            hands: Vec::with_capacity(crews.len()),
            unassigned: taken.iter().filter(|(crew, ..)| crew.is_none()).map(|(_, s, e)| (*s, *e)).collect(),
        };
        for crew in crews {
            let open =
                crew_open_hours(crew.hours.as_ref().map(|own| &own.0), &profile.settings.hours, book.zone, (from, to));
            let busy: Vec<TimeRange> =
                taken.iter().filter(|(of, ..)| *of == Some(crew.id)).map(|(_, s, e)| (*s, *e)).collect();
            book.hands.push(CrewAvailability::new(crew.id, crew.position, open, busy, book.zone));
        }
        Ok(book)
    }

    /// Available crews, the fewest jobs that day first.
    pub(super) fn find_free_crews(&self, starts: DateTime<Utc>, ends: DateTime<Utc>) -> Vec<CrewId> {
        let day = starts.with_timezone(&self.zone).date_naive();
        let around = (starts - self.buffer, ends + self.buffer);
        let can = |hand: &&CrewAvailability| {
            hand.open.iter().any(|&(from, to)| from <= starts && ends <= to)
                && !hand.busy.iter().any(|&time| do_overlap(time, around))
                && (self.cap == 0 || hand.count_jobs_on(day) < self.cap)
        };
        let mut free: Vec<&CrewAvailability> = self.hands.iter().filter(can).collect();
        let promised = self.unassigned.iter().filter(|&&time| do_overlap(time, around)).count();
        if free.len() <= promised {
            return Vec::new();
        }
        free.sort_by_key(|hand| (hand.count_jobs_on(day), hand.position, hand.id));
        free.into_iter().map(|hand| hand.id).collect()
    }

    /// How many visits of this length fit one after another into the free time of all crews, the earliest first.
    pub(super) fn count_fitting_visits(mut self, span: TimeRange, length: Duration, grid: i64) -> i64 {
        let mut count = 0;
        for at in self.list_start_times(span, length, grid) {
            let ends = at + length;
            while let Some(crew) = self.find_free_crews(at, ends).first().copied() {
                self.add_busy_time(crew, (at, ends));
                count += 1;
            }
        }
        count
    }

    /// Takes one more time of a crew.
    fn add_busy_time(&mut self, crew: CrewId, time: TimeRange) {
        if let Some(hand) = self.hands.iter_mut().find(|hand| hand.id == crew) {
            *hand.begun.entry(time.0.with_timezone(&self.zone).date_naive()).or_default() += 1;
            hand.busy.push(time);
        }
    }

    /// Times within `(from, to)` at which a crew could begin, on the grid of local time.
    pub(super) fn list_start_times(
        &self,
        (from, to): TimeRange,
        length: Duration,
        grid: i64,
    ) -> BTreeSet<DateTime<Utc>> {
        let mut found = BTreeSet::new();
        for &(opens, closes) in self.hands.iter().flat_map(|hand| &hand.open) {
            let mut at = align_to_step(opens.max(from));
            while at + length <= closes && at < to {
                if self.is_on_grid(at, grid) {
                    found.insert(at);
                }
                at += STEP;
            }
        }
        found.retain(|&at| !self.find_free_crews(at, at + length).is_empty());
        found
    }

    /// An hour repeated by a clock change is offered once.
    fn is_on_grid(&self, at: DateTime<Utc>, grid: i64) -> bool {
        let local = at.with_timezone(&self.zone).naive_local();
        i64::from(local.num_seconds_from_midnight() / 60) % grid == 0
            && business_hours::local_to_utc(self.zone, local) == at
    }

    /// Whether this time is on offer, free or not.
    pub(super) fn is_offered(&self, set: &BookingSettings, span: TimeRange, starts: DateTime<Utc>) -> bool {
        span.0 <= starts
            && starts < span.1
            && align_to_step(starts) == starts
            && self.is_on_grid(starts, set.grid_minutes)
    }
}

impl CrewAvailability {
    fn new(id: CrewId, position: i64, open: Vec<TimeRange>, busy: Vec<TimeRange>, zone: Tz) -> Self {
        let mut begun = BTreeMap::new();
        for (starts, _) in &busy {
            *begun.entry(starts.with_timezone(&zone).date_naive()).or_default() += 1;
        }
        Self { id, position, open, busy, begun }
    }

    fn count_jobs_on(&self, day: NaiveDate) -> i64 {
        self.begun.get(&day).copied().unwrap_or_default()
    }
}

/// Touching edges do not overlap.
fn do_overlap(one: TimeRange, other: TimeRange) -> bool {
    one.0 < other.1 && other.0 < one.1
}

fn align_to_step(at: DateTime<Utc>) -> DateTime<Utc> {
    let step = STEP.num_milliseconds();
    let past = at.timestamp_millis().rem_euclid(step);
    let whole = at - Duration::nanoseconds(i64::from(at.timestamp_subsec_nanos() % 1_000_000));
    if past == 0 && whole == at { at } else { whole + Duration::milliseconds(step - past) }
}

/// Working times of a crew, without the closed dates of the business. Adjacent openings are merged.
fn crew_open_hours(
    own: Option<&BusinessHours>,
    business: &BusinessHours,
    zone: Tz,
    (from, to): TimeRange,
) -> Vec<TimeRange> {
    let with_closed = own.map(|own| {
        let closed_dates = own.closed_dates.iter().chain(&business.closed_dates).cloned().collect();
        BusinessHours { week: own.week.clone(), closed_dates }
    });
    let hours = with_closed.as_ref().unwrap_or(business);
    let first = from.with_timezone(&zone).date_naive();
    let mut merged: Vec<TimeRange> = Vec::new();
    for (opens, closes) in hours.list_openings(zone, first, (to - from).num_days() + 2) {
        match merged.last_mut() {
            Some(last) if opens <= last.1 => last.1 = last.1.max(closes),
            _ => merged.push((opens, closes)),
        }
    }
    merged
}

async fn load_taken_times(
    conn: &mut dyn AsConn,
    org: OrgId,
    now: DateTime<Utc>,
    (from, to): TimeRange,
    but: AvailabilityExclusions,
) -> Result<Vec<(Option<CrewId>, DateTime<Utc>, DateTime<Utc>)>> {
    let mut found = q!(
        &mut *conn,
        fetch_all as (Option<CrewId>, DateTime<Utc>, DateTime<Utc>),
        "SELECT crew_id, starts_at, ends_at FROM job
         WHERE org_id = $1 AND starts_at > $2 AND starts_at < $3 AND ends_at > $4 AND status <> 'cancelled'
             AND status <> 'completed' AND id <> $5",
        org,
        from - MAX_JOB_DURATION,
        to,
        from,
        but.job.map_or(Uuid::nil(), |job| job.0)
    )?;
    if but.all_holds {
        return Ok(found);
    }
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

/// First bookable instant, and the end of the range.
pub(super) fn bookable_range(set: &BookingSettings, zone: Tz, now: DateTime<Utc>) -> TimeRange {
    let last = now.with_timezone(&zone).date_naive() + Duration::days(set.days_ahead + 1);
    (now + Duration::hours(set.notice_hours), business_hours::local_to_utc(zone, last.and_time(chrono::NaiveTime::MIN)))
}

/// `own` is the visitor's own hold, whose time they can choose again.
pub async fn offer_slots(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    (service, own): (&BookableService, Option<HoldId>),
    from: Option<NaiveDate>,
    language: Language,
) -> Result<SlotOffer> {
    let (length, arrival) = (Duration::minutes(service.minutes), profile.settings.jobs.arrival_minutes);
    let but = AvailabilityExclusions { hold: own, ..AvailabilityExclusions::default() };
    load_offer(conn, origin, profile, (length, arrival), but, from, language).await
}

pub(super) async fn load_offer(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    profile: &OrgProfile,
    (length, arrival): (Duration, i64),
    but: AvailabilityExclusions,
    from: Option<NaiveDate>,
    language: Language,
) -> Result<SlotOffer> {
    let (now, zone, set) = (origin.now(), profile.org.zone(), &profile.settings.booking);
    let all = bookable_range(set, zone, now);
    let book = AvailabilityCalendar::load_between(conn, profile, now, all, but).await?;
    let mut by_day: BTreeMap<NaiveDate, Vec<BookingSlot>> = BTreeMap::new();
    for starts_at in book.list_start_times(all, length, set.grid_minutes) {
        let label = arrival_hours(starts_at, arrival, zone, language);
        let day = starts_at.with_timezone(&zone).date_naive();
        by_day.entry(day).or_default().push(BookingSlot { starts_at, label });
    }
    let mut wanted = by_day.into_iter().filter(|(day, _)| from.is_none_or(|from| *day >= from));
    let days = wanted.by_ref().take(SHOWN).map(|(date, slots)| BookingDay { date, slots }).collect();
    Ok(SlotOffer { days, next: wanted.next().map(|(day, _)| day) })
}

fn arrival_hours(starts: DateTime<Utc>, arrival: i64, zone: Tz, language: Language) -> String {
    let window = visit::words::format_arrival_window(starts, arrival, zone, language);
    window.rsplit_once(", ").map_or_else(|| window.clone(), |(_, hours)| hours.to_owned())
}

#[cfg(test)]
mod tests;
