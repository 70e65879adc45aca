//! From wall clocks to instants: when a business is open, and the next time a clock shows some time.
//!
//! On the night the clocks go forward a time that does not exist means the first minute after the gap; on the night
//! they go back a time that comes twice means the first.

use chrono::{DateTime, Duration, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use super::{Hours, Open, Span};

/// Minutes of a day.
pub(super) const DAY: i64 = 24 * 60;
/// How far ahead an opening or a closing is looked for.
const HORIZON_DAYS: i64 = 60;
/// A promise of a longer time is one of days.
const LONGEST_IN_OPEN_HOURS: Duration = Duration::hours(12);
/// What falls due while the business is closed is due so long after it opens.
const AFTER_OPENING: Duration = Duration::hours(1);

impl Hours {
    /// What the business is at `at`. A closed date closes what would begin on it: Friday's 21:00 to 02:00 goes on into
    /// a closed Saturday.
    #[must_use]
    pub fn at(&self, zone: Tz, at: DateTime<Utc>) -> Open {
        let today = at.with_timezone(&zone).date_naive();
        if self.openings(zone, today, 1).any(|(from, to)| from <= at && at < to) {
            return Open::Open;
        }
        match self.closed_dates.iter().find(|closed| closed.date == today) {
            Some(closed) => Open::Holiday(closed.label.clone()),
            None => Open::AfterHours,
        }
    }

    /// The first instant from `after` on at which the business is open: `after` itself if it is. None when there is
    /// none within 60 days.
    #[must_use]
    pub fn next_open(&self, zone: Tz, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = after.with_timezone(&zone).date_naive();
        let first = self.openings(zone, today, HORIZON_DAYS).find(|&(_, to)| to > after);
        first.map(|(from, _)| from.max(after)).filter(|&opens| opens <= after + Duration::days(HORIZON_DAYS))
    }

    /// When the business, open at `at`, next closes. None when it is closed at `at`, and when it does not close within
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

    /// By when an answer is due that was promised `from` an instant on, `within` a time. Of up to twelve hours only those
    /// count in which the business is open. A longer time is the calendar's; when it ends while the business is closed,
    /// the answer is due an hour after the next opening.
    #[must_use]
    pub fn promised_by(&self, zone: Tz, from: DateTime<Utc>, within: Duration) -> DateTime<Utc> {
        let by_the_calendar = from + within;
        if within > LONGEST_IN_OPEN_HOURS {
            let opens = self.next_open(zone, by_the_calendar).filter(|opens| *opens > by_the_calendar);
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

    /// Every opening that goes on within `days` days from `first` on, sorted by its beginning.
    #[must_use]
    pub fn between(&self, zone: Tz, first: NaiveDate, days: i64) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
        let begins = instant(zone, first.and_time(NaiveTime::MIN));
        self.openings(zone, first, days - 1).filter(|(_, to)| *to > begins).collect()
    }

    /// Every opening that begins from the day before `today` to `days` later, sorted by its beginning.
    fn openings(&self, zone: Tz, today: NaiveDate, days: i64) -> impl Iterator<Item = (DateTime<Utc>, DateTime<Utc>)> {
        let dates = (-1..=days).map(move |days| today + Duration::days(days));
        let open = dates.filter(|date| !self.closed_dates.iter().any(|closed| closed.date == *date));
        open.flat_map(move |date| {
            let spans = self.week.day(chrono::Datelike::weekday(&date));
            let mut openings: Vec<_> = spans.iter().filter_map(|span| opening(zone, date, *span)).collect();
            openings.sort_unstable();
            openings
        })
    }
}

/// None when the clocks skip the whole of it.
fn opening(zone: Tz, date: NaiveDate, span: Span) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    let (from, to) = span.minutes()?;
    let [from, to] =
        [from, to].map(|minutes| instant(zone, date.and_time(NaiveTime::MIN) + Duration::minutes(minutes)));
    (from < to).then_some((from, to))
}

/// The next instant after `after` at which the clocks of `zone` show `time`.
#[must_use]
pub fn next_local(zone: Tz, after: DateTime<Utc>, time: NaiveTime) -> DateTime<Utc> {
    let mut date = after.with_timezone(&zone).date_naive();
    loop {
        let at = instant(zone, date.and_time(time));
        if at > after {
            return at;
        }
        date += Duration::days(1);
    }
}

/// The instant at which the clocks of `zone` show `local`.
pub(crate) fn instant(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.to_utc(),
        LocalResult::None => after_gap(zone, local),
    }
}

/// A gap ends on a whole minute; the longest ever was the day Samoa changed sides of the date line.
fn after_gap(zone: Tz, local: NaiveDateTime) -> DateTime<Utc> {
    let minute =
        local - Duration::seconds(i64::from(local.second())) - Duration::nanoseconds(local.nanosecond().into());
    (1..=2 * DAY)
        .find_map(|minutes| zone.from_local_datetime(&(minute + Duration::minutes(minutes))).earliest())
        .map_or_else(|| local.and_utc(), |at| at.to_utc())
}

/// Whole minutes since midnight on the wall clock.
pub(super) fn minute_of_day(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight() / 60)
}
