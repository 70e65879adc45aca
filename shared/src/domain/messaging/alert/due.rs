//! When the people of a business are told of something: at once, when their hours begin, or with the next summary.
//!
//! Pure. Reckoned on the wall clock of the org's zone, so a daily summary comes at the same time of day on both sides of
//! the nights on which the clocks change.

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, NaiveTime, Timelike, Utc};
use chrono_tz::Tz;

use crate::{
    documents::date_format,
    domain::tenancy::org::{
        Settings,
        settings::{Frequency, Schedule},
    },
    platform::business_hours::{self, Hours, Open, Span, WallTime, Week},
};

/// When the daily summary comes to a business that may be told at any time.
const MORNING: &str = "08:00";
/// How far ahead a time to tell is looked for.
const HORIZON_DAYS: u64 = 60;

/// When, and if not at once, why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    Now,
    Later { at: DateTime<Utc>, why: String },
}

impl Due {
    /// The instant, given that it is `now`.
    #[must_use]
    pub fn at(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Now => now,
            Self::Later { at, .. } => *at,
        }
    }
}

/// When something of `now` is told by text and email. What is urgent is told at once, whatever is set.
#[must_use]
pub fn due(settings: &Settings, zone: Tz, is_urgent: bool, now: DateTime<Utc>) -> Due {
    let times = Times::of(settings, zone);
    let (at, what) = match settings.notifications.frequency {
        _ if is_urgent => return Due::Now,
        Frequency::Immediate if times.may_tell(now) => return Due::Now,
        Frequency::Immediate => (times.opening(now), "until your notification hours begin"),
        Frequency::Hourly => (times.next_hour(now), "for the hourly summary"),
        Frequency::Daily => (times.next_day(now), "for the daily summary"),
        Frequency::Weekly => (times.next_week(now), "for the weekly summary"),
    };
    let local = at.with_timezone(&zone);
    let shown = format!("{} at {}", local.format("%A, %b %-d"), date_format::hour(&local));
    Due::Later { at, why: format!("kept {what}: {shown}") }
}

/// Whether a summary whose time has come may go now, under what is set now.
///
/// # Errors
/// When it may, if it may not now.
pub fn may_tell(settings: &Settings, zone: Tz, now: DateTime<Utc>) -> Result<(), DateTime<Utc>> {
    let times = Times::of(settings, zone);
    if times.may_tell(now) { Ok(()) } else { Err(times.opening(now)) }
}

/// The times at which one business is told.
struct Times {
    zone: Tz,
    /// None is any time.
    hours: Option<Hours>,
}

impl Times {
    fn of(settings: &Settings, zone: Tz) -> Self {
        let set = settings.notifications;
        let hours = match set.schedule {
            Schedule::Anytime => None,
            Schedule::BusinessHours => Some(settings.hours.clone()),
            Schedule::Custom => Some(every_day(set.business_start, set.business_end)),
        };
        Self { zone, hours }
    }

    /// The minute at which the hours end still counts: the last summary of a day comes then.
    fn may_tell(&self, at: DateTime<Utc>) -> bool {
        let Some(hours) = &self.hours else { return true };
        let is_open = |at| matches!(hours.at(self.zone, at), Open::Open);
        is_open(at) || is_open(at - Duration::minutes(1)) || hours.next_open(self.zone, at).is_none()
    }

    /// When the hours begin; a business that is never open is told in the morning all the same.
    fn opening(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let opens = self.hours.as_ref().and_then(|hours| hours.next_open(self.zone, now));
        opens.unwrap_or_else(|| business_hours::next_local(self.zone, now, morning()))
    }

    fn next_hour(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let local = now.with_timezone(&self.zone);
        let into = Duration::seconds(i64::from(local.minute() * 60 + local.second()))
            + Duration::milliseconds(i64::from(local.timestamp_subsec_millis()));
        let next = now - into + Duration::hours(1);
        if self.may_tell(next) { next } else { self.opening(next) }
    }

    fn next_day(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.first_after(now, now.with_timezone(&self.zone).date_naive())
    }

    /// The first day of the week on which the business is told at all: Monday, unless it is a day off.
    fn next_week(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&self.zone).date_naive();
        let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
        let this_week = self.first_after(monday_start(self.zone, monday), monday);
        if this_week > now {
            return this_week;
        }
        let next = monday + Days::new(7);
        self.first_after(monday_start(self.zone, next), next)
    }

    /// The first daily time after `now`, from `day` on.
    fn first_after(&self, now: DateTime<Utc>, day: NaiveDate) -> DateTime<Utc> {
        (0..=HORIZON_DAYS)
            .filter_map(|days| self.on_day(day + Days::new(days)))
            .find(|at| *at > now)
            .unwrap_or_else(|| business_hours::next_local(self.zone, now, morning()))
    }

    /// When the daily summary of this day comes: when the first opening of the day begins. None on a day off.
    fn on_day(&self, day: NaiveDate) -> Option<DateTime<Utc>> {
        let at = |time| business_hours::instant(self.zone, day.and_time(time));
        let Some(hours) = &self.hours else { return Some(at(morning())) };
        let mut opens = hours.next_open(self.zone, at(NaiveTime::MIN))?;
        if opens == at(NaiveTime::MIN) && matches!(hours.at(self.zone, opens - Duration::minutes(1)), Open::Open) {
            // Yesterday's opening goes on after midnight.
            let Some(closes) = hours.closes_at(self.zone, opens) else { return Some(at(morning())) };
            opens = hours.next_open(self.zone, closes)?;
        }
        (opens.with_timezone(&self.zone).date_naive() == day).then_some(opens)
    }
}

/// An instant right before the week begins, so that a summary at midnight counts.
fn monday_start(zone: Tz, monday: NaiveDate) -> DateTime<Utc> {
    business_hours::instant(zone, monday.and_time(NaiveTime::MIN)) - Duration::milliseconds(1)
}

fn morning() -> NaiveTime {
    WallTime::parse(MORNING).time().unwrap_or(NaiveTime::MIN)
}

fn every_day(opens: WallTime, closes: WallTime) -> Hours {
    let day = || vec![Span { opens, closes }];
    let week = Week { mon: day(), tue: day(), wed: day(), thu: day(), fri: day(), sat: day(), sun: day() };
    Hours { week, closed_dates: Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHICAGO: Tz = chrono_tz::America::Chicago;

    fn settings(frequency: Frequency, schedule: Schedule) -> Settings {
        let mut settings = Settings::default();
        settings.notifications.frequency = frequency;
        settings.notifications.schedule = schedule;
        settings
    }

    fn local(text: &str) -> DateTime<Utc> {
        let wall = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
        business_hours::instant(CHICAGO, wall)
    }

    fn told(settings: &Settings, from: &str) -> String {
        let now = local(from);
        due(settings, CHICAGO, false, now).at(now).with_timezone(&CHICAGO).format("%Y-%m-%d %H:%M").to_string()
    }

    #[test]
    fn each_frequency_has_its_time_within_each_schedule() {
        use Frequency::{Daily, Hourly, Immediate, Weekly};
        use Schedule::{Anytime, BusinessHours, Custom};
        // 2026-09-18 is a Friday; the usual hours are Monday to Friday, 8 to 17, custom ones 9 to 17 every day.
        let table = [
            (Immediate, Anytime, "2026-09-18 03:10", "2026-09-18 03:10"),
            (Immediate, BusinessHours, "2026-09-18 10:10", "2026-09-18 10:10"),
            (Immediate, BusinessHours, "2026-09-18 17:30", "2026-09-21 08:00"),
            (Immediate, Custom, "2026-09-18 17:30", "2026-09-19 09:00"),
            (Hourly, Anytime, "2026-09-18 03:10", "2026-09-18 04:00"),
            (Hourly, Anytime, "2026-09-18 03:00", "2026-09-18 04:00"),
            (Hourly, BusinessHours, "2026-09-18 16:10", "2026-09-18 17:00"),
            (Hourly, BusinessHours, "2026-09-18 17:00", "2026-09-21 08:00"),
            (Hourly, Custom, "2026-09-18 08:10", "2026-09-18 09:00"),
            (Daily, Anytime, "2026-09-18 07:59", "2026-09-18 08:00"),
            (Daily, Anytime, "2026-09-18 08:00", "2026-09-19 08:00"),
            (Daily, BusinessHours, "2026-09-18 10:00", "2026-09-21 08:00"),
            (Daily, Custom, "2026-09-18 10:00", "2026-09-19 09:00"),
            (Weekly, Anytime, "2026-09-18 10:00", "2026-09-21 08:00"),
            (Weekly, BusinessHours, "2026-09-21 07:00", "2026-09-21 08:00"),
            (Weekly, BusinessHours, "2026-09-21 08:00", "2026-09-28 08:00"),
            (Weekly, Custom, "2026-09-20 10:00", "2026-09-21 09:00"),
        ];
        for (frequency, schedule, from, wanted) in table {
            assert_eq!(told(&settings(frequency, schedule), from), wanted, "{frequency:?} {schedule:?} {from}");
        }
    }

    #[test]
    fn a_daily_summary_keeps_its_time_on_both_nights() {
        let daily = settings(Frequency::Daily, Schedule::Custom);
        assert_eq!(told(&daily, "2026-10-31 12:00"), "2026-11-01 09:00");
        assert_eq!(told(&daily, "2027-03-13 12:00"), "2027-03-14 09:00");
        let mut in_the_gap = daily;
        in_the_gap.notifications.business_start = WallTime::parse("02:30");
        assert_eq!(told(&in_the_gap, "2027-03-13 12:00"), "2027-03-14 03:00");
    }

    #[test]
    fn a_week_begins_on_the_first_day_that_is_no_day_off() {
        let mut weekly = settings(Frequency::Weekly, Schedule::BusinessHours);
        weekly.hours.week.mon.clear();
        assert_eq!(told(&weekly, "2026-09-18 10:00"), "2026-09-22 08:00");
        assert_eq!(told(&weekly, "2026-09-21 10:00"), "2026-09-22 08:00");
        assert_eq!(told(&weekly, "2026-09-22 10:00"), "2026-09-29 08:00");
    }

    #[test]
    fn hours_across_midnight_have_one_summary_a_day() {
        let mut nights = settings(Frequency::Daily, Schedule::Custom);
        nights.notifications.business_start = WallTime::parse("21:00");
        nights.notifications.business_end = WallTime::parse("05:00");
        assert_eq!(told(&nights, "2026-09-18 22:00"), "2026-09-19 21:00");
        assert_eq!(told(&nights, "2026-09-18 02:00"), "2026-09-18 21:00");
    }

    #[test]
    fn a_business_that_is_never_open_is_told_all_the_same() {
        let mut never = settings(Frequency::Daily, Schedule::BusinessHours);
        never.hours = every_day(WallTime::parse("no"), WallTime::parse("no"));
        assert_eq!(told(&never, "2026-09-18 10:00"), "2026-09-19 08:00");
        never.notifications.frequency = Frequency::Immediate;
        assert_eq!(told(&never, "2026-09-18 23:00"), "2026-09-18 23:00");
    }

    #[test]
    fn the_reason_says_until_when() {
        let now = local("2026-09-18 18:00");
        let why = |frequency| match due(&settings(frequency, Schedule::BusinessHours), CHICAGO, false, now) {
            Due::Later { why, .. } => why,
            Due::Now => panic!("{frequency:?}"),
        };
        assert_eq!(why(Frequency::Daily), "kept for the daily summary: Monday, Sep 21 at 8:00 AM");
        assert_eq!(why(Frequency::Immediate), "kept until your notification hours begin: Monday, Sep 21 at 8:00 AM");
        assert_eq!(due(&settings(Frequency::Weekly, Schedule::BusinessHours), CHICAGO, true, now), Due::Now);
    }

    fn any_settings() -> impl Strategy<Value = Settings> {
        let frequency =
            prop::sample::select(vec![Frequency::Immediate, Frequency::Hourly, Frequency::Daily, Frequency::Weekly]);
        let schedule = prop::sample::select(vec![Schedule::Anytime, Schedule::BusinessHours, Schedule::Custom]);
        let time = (0_u32..24, 0_u32..60).prop_map(|(hour, minute)| WallTime::parse(&format!("{hour:02}:{minute:02}")));
        (frequency, schedule, time.clone(), time).prop_filter("a span", |all| all.2 != all.3).prop_map(
            |(frequency, schedule, start, end)| {
                let mut made = settings(frequency, schedule);
                made.notifications.business_start = start;
                made.notifications.business_end = end;
                made
            },
        )
    }

    fn any_zone() -> impl Strategy<Value = Tz> {
        use chrono_tz::{America, Australia, Pacific};
        prop::sample::select(vec![
            America::Chicago,
            America::New_York,
            America::St_Johns,
            America::Phoenix,
            Australia::Lord_Howe,
            Pacific::Honolulu,
        ])
    }

    proptest! {
        /// Two years of minutes hold both nights of the year in every zone.
        #[test]
        fn it_is_later_within_the_hours_and_settled(
            settings in any_settings(), zone in any_zone(), minutes in 0_i64..2 * 366 * 24 * 60,
        ) {
            let now = DateTime::UNIX_EPOCH + Duration::days(20_700) + Duration::minutes(minutes);
            match due(&settings, zone, false, now) {
                Due::Now => {
                    prop_assert_eq!(settings.notifications.frequency, Frequency::Immediate);
                    prop_assert!(may_tell(&settings, zone, now).is_ok());
                }
                Due::Later { at, .. } => {
                    prop_assert!(at > now);
                    // A day off, a weekend, and a week are the longest waits; an hour is for the clocks.
                    prop_assert!(at - now <= Duration::days(8) + Duration::hours(1), "{}", at - now);
                    prop_assert!(may_tell(&settings, zone, at).is_ok(), "{at}");
                }
            }
        }

        /// Nobody is told twice for one hour, day or week: what comes after a summary goes to a later one.
        #[test]
        fn summaries_follow_each_other(
            settings in any_settings(), zone in any_zone(), minutes in 0_i64..2 * 366 * 24 * 60,
        ) {
            let now = DateTime::UNIX_EPOCH + Duration::days(20_700) + Duration::minutes(minutes);
            if let Due::Later { at, .. } = due(&settings, zone, false, now) {
                let after = at + Duration::minutes(1);
                let next = due(&settings, zone, false, after).at(after);
                let date = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
                let apart = match settings.notifications.frequency {
                    Frequency::Immediate => true,
                    Frequency::Hourly => next > after,
                    Frequency::Daily => date(next) > date(at),
                    Frequency::Weekly => date(next).iso_week() != date(at).iso_week(),
                };
                prop_assert!(apart, "{at} {next}");
            }
        }
    }
}
