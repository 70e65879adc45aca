//! Conversion of wall time to instants: openings, closings and the next occurrence of a time.
//!
//! Clock changes: a skipped time means the first minute after the gap, a repeated time means the first occurrence.

use chrono::{DateTime, Duration, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use super::{BusinessHours, OpenSpan, OpenState};

pub(super) const MINUTES_PER_DAY: i64 = 24 * 60;
const HORIZON_DAYS: i64 = 60;
/// Longer promises count calendar time, not open hours.
const LONGEST_IN_OPEN_HOURS: Duration = Duration::hours(12);
/// A deadline that falls into closed time moves to this long after the next opening.
const AFTER_OPENING: Duration = Duration::hours(1);

impl BusinessHours {
    /// State at `state_at`. A closed date suppresses openings that begin on it: Friday's 21:00 to 02:00 continues into
    /// a closed Saturday.
    #[must_use]
    pub fn state_at(&self, zone: Tz, at: DateTime<Utc>) -> OpenState {
        let today = at.with_timezone(&zone).date_naive();
        if self.openings(zone, today, 1).any(|(from, to)| from <= at && at < to) {
            return OpenState::Open;
        }
        match self.closed_dates.iter().find(|closed| closed.date == today) {
            Some(closed) => OpenState::Holiday(closed.label.clone()),
            None => OpenState::AfterHours,
        }
    }

    /// First open instant from `after` on, `after` included. None when there is none within 60 days.
    #[must_use]
    pub fn next_open_at(&self, zone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = after.with_timezone(&zone).date_naive();
        let first = self.openings(zone, today, HORIZON_DAYS).find(|&(_, to)| to > after);
        first.map(|(from, _)| from.max(after)).filter(|&opens| opens <= after + Duration::days(HORIZON_DAYS))
    }

    /// The next closing of a business open at `state_at`. None when it is closed at `state_at` or does not close within
    /// 60 days.
    #[must_use]
    pub fn closes_at(&self, zone: Tz, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = at.with_timezone(&zone).date_naive();
        let mut open_until = at;
        for (from, to) in self.openings(zone, today, HORIZON_DAYS + 1) {
            if from > open_until {
                break;
            }
            open_until = open_until.max(to);
        }
        (open_until > at && open_until <= at + Duration::days(HORIZON_DAYS)).then_some(open_until)
    }

    /// Deadline of an answer promised at `from` within `within`. Up to twelve hours count open time only. Longer
    /// promises count calendar time; when they end in closed time, the deadline is an hour after the next opening.
    #[must_use]
    pub fn response_due_at(&self, zone: Tz, from: DateTime<Utc>, within: Duration) -> DateTime<Utc> {
        let by_the_calendar = from + within;
        if within > LONGEST_IN_OPEN_HOURS {
            let opens = self.next_open_at(zone, by_the_calendar).filter(|opens| *opens > by_the_calendar);
            return opens.map_or(by_the_calendar, |opens| opens + AFTER_OPENING);
        }
        let (mut reached, mut left) = (from, within);
        for (opens, closes) in self.openings(zone, from.with_timezone(&zone).date_naive(), HORIZON_DAYS) {
            let begins = opens.max(reached);
            if closes <= begins {
                continue;
            }
            if left <= closes - begins {
                return begins + left;
            }
            left -= closes - begins;
            reached = closes;
        }
        by_the_calendar
    }

    /// Openings that overlap the `days` days from `first` on, sorted by start.
    #[must_use]
    pub fn list_openings(&self, zone: Tz, first: NaiveDate, days: i64) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
        let begins = local_to_utc(zone, first.and_time(NaiveTime::MIN));
        self.openings(zone, first, days - 1).filter(|(_, to)| *to > begins).collect()
    }

    /// Openings that begin between the day before `today` and `days` later, sorted by start.
    fn openings(&self, zone: Tz, today: NaiveDate, days: i64) -> impl Iterator<Item = (DateTime<Utc>, DateTime<Utc>)> {
        let dates = (-1..=days).map(move |days| today + Duration::days(days));
        let open = dates.filter(|date| !self.closed_dates.iter().any(|closed| closed.date == *date));
        open.flat_map(move |date| {
            let spans = self.week.spans_on(chrono::Datelike::weekday(&date));
            let mut openings: Vec<_> = spans.iter().filter_map(|span| opening(zone, date, *span)).collect();
            openings.sort_unstable();
            openings
        })
    }
}

/// None when the clock change skips all of it.
fn opening(zone: Tz, date: NaiveDate, span: OpenSpan) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let (from, to) = span.minute_range()?;
    let [from, to] =
        [from, to].map(|minutes| local_to_utc(zone, date.and_time(NaiveTime::MIN) + Duration::minutes(minutes)));
    (from < to).then_some((from, to))
}

#[must_use]
pub fn next_local_time(zone: Tz, after: DateTime<Utc>, time: NaiveTime) -> DateTime<Utc> {
    let mut date = after.with_timezone(&zone).date_naive();
    loop {
        let at = local_to_utc(zone, date.and_time(time));
        if at > after {
            return at;
        }
        date += Duration::days(1);
    }
}

#[must_use]
pub fn local_to_utc(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.to_utc(),
        LocalResult::None => resolve_dst_gap(zone, local),
    }
}

/// A gap ends on a whole minute; the longest was Samoa's move across the date line.
fn resolve_dst_gap(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    let minute =
        local - Duration::seconds(i64::from(local.second())) - Duration::nanoseconds(local.nanosecond().into());
    (1..=2 * MINUTES_PER_DAY)
        .find_map(|minutes| zone.from_local_datetime(&(minute + Duration::minutes(minutes))).earliest())
        .map_or_else(|| local.and_utc(), |at| at.to_utc())
}

pub(super) fn minute_of_day(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight() / 60)
}
