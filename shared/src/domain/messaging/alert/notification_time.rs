//! Time at which the people of a business are notified: at once, when notification hours begin, or with a summary.
//!
//! Pure. Computed in the org's time zone, so a daily summary keeps its local time across DST changes.

use chrono::{DateTime, Datelike, Days, Duration, NaiveDate, NaiveTime, Timelike, Utc};
use chrono_tz::Tz;

use crate::{
    documents::date_format,
    domain::tenancy::org::{NotificationFrequency, NotificationSchedule, OrgSettings},
    platform::business_hours::{self, BusinessHours, BusinessWeek, OpenSpan, OpenState, WallTime},
};

/// Local time of the daily summary for a business without notification hours.
const MORNING: &str = "08:00";
const HORIZON_DAYS: u64 = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotificationTime {
    Now,
    Later {
        at: DateTime<Utc>,
        /// `why` without the time.
        kept: &'static str,
        why: String,
    },
}

impl NotificationTime {
    #[must_use]
    pub fn to_instant(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Now => now,
            Self::Later { at, .. } => *at,
        }
    }
}

/// Time of texts and emails about an event at `now`. Urgent events are always immediate.
#[must_use]
pub fn next_notify_at(settings: &OrgSettings, zone: Tz, is_urgent: bool, now: DateTime<Utc>) -> NotificationTime {
    let times = NotificationHours::from_settings(settings, zone);
    let (at, kept) = match settings.notifications.frequency {
        _ if is_urgent => return NotificationTime::Now,
        NotificationFrequency::Immediate if times.can_notify(now) => return NotificationTime::Now,
        NotificationFrequency::Immediate => (times.next_opening(now), "kept until your notification hours begin"),
        NotificationFrequency::Hourly => (times.next_hourly_digest(now), "kept for the hourly summary"),
        NotificationFrequency::Daily => (times.next_daily_digest(now), "kept for the daily summary"),
        NotificationFrequency::Weekly => (times.next_weekly_digest(now), "kept for the weekly summary"),
    };
    let local = at.with_timezone(&zone);
    let shown = format!("{} at {}", local.format("%A, %b %-d"), date_format::format_time(&local));
    NotificationTime::Later { at, kept, why: format!("{kept}: {shown}") }
}

/// Checks a due summary against the current settings.
///
/// # Errors
/// The next allowed time, when now is not allowed.
pub fn check_can_notify(settings: &OrgSettings, zone: Tz, now: DateTime<Utc>) -> Result<(), DateTime<Utc>> {
    let times = NotificationHours::from_settings(settings, zone);
    if times.can_notify(now) { Ok(()) } else { Err(times.next_opening(now)) }
}

struct NotificationHours {
    zone: Tz,
    /// None: any time.
    hours: Option<BusinessHours>,
}

impl NotificationHours {
    fn from_settings(settings: &OrgSettings, zone: Tz) -> Self {
        let set = settings.notifications;
        let hours = match set.schedule {
            NotificationSchedule::Anytime => None,
            NotificationSchedule::BusinessHours => Some(settings.hours.clone()),
            NotificationSchedule::Custom => Some(same_hours_every_day(set.business_start, set.business_end)),
        };
        Self { zone, hours }
    }

    /// The closing minute still counts: the last summary of a day is sent then.
    fn can_notify(&self, at: DateTime<Utc>) -> bool {
        let Some(hours) = &self.hours else { return true };
        let is_open = |at| matches!(hours.state_at(self.zone, at), OpenState::Open);
        is_open(at) || is_open(at - Duration::minutes(1)) || hours.next_open_at(self.zone, at).is_none()
    }

    fn next_opening(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let opens = self.hours.as_ref().and_then(|hours| hours.next_open_at(self.zone, now));
        opens.unwrap_or_else(|| business_hours::next_local_time(self.zone, now, default_digest_time()))
    }

    fn next_hourly_digest(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let local = now.with_timezone(&self.zone);
        let into = Duration::seconds(i64::from(local.minute() * 60 + local.second()))
            + Duration::milliseconds(i64::from(local.timestamp_subsec_millis()));
        let next = now - into + Duration::hours(1);
        if self.can_notify(next) { next } else { self.next_opening(next) }
    }

    fn next_daily_digest(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        self.first_daily_digest_after(now, now.with_timezone(&self.zone).date_naive())
    }

    /// First notification day of the week: Monday, unless it is a day off.
    fn next_weekly_digest(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        let today = now.with_timezone(&self.zone).date_naive();
        let monday = today - Days::new(u64::from(today.weekday().num_days_from_monday()));
        let this_week = self.first_daily_digest_after(week_start(self.zone, monday), monday);
        if this_week > now {
            return this_week;
        }
        let next = monday + Days::new(7);
        self.first_daily_digest_after(week_start(self.zone, next), next)
    }

    fn first_daily_digest_after(&self, now: DateTime<Utc>, day: NaiveDate) -> DateTime<Utc> {
        (0..=HORIZON_DAYS)
            .filter_map(|days| self.daily_digest_on(day + Days::new(days)))
            .find(|at| *at > now)
            .unwrap_or_else(|| business_hours::next_local_time(self.zone, now, default_digest_time()))
    }

    /// Daily summary time: the start of the day's first opening. None on a day off.
    fn daily_digest_on(&self, day: NaiveDate) -> Option<DateTime<Utc>> {
        let at = |time| business_hours::local_to_utc(self.zone, day.and_time(time));
        let Some(hours) = &self.hours else { return Some(at(default_digest_time())) };
        let mut opens = hours.next_open_at(self.zone, at(NaiveTime::MIN))?;
        if opens == at(NaiveTime::MIN)
            && matches!(hours.state_at(self.zone, opens - Duration::minutes(1)), OpenState::Open)
        {
            // Yesterday's opening continues past midnight.
            let Some(closes) = hours.closes_at(self.zone, opens) else { return Some(at(default_digest_time())) };
            opens = hours.next_open_at(self.zone, closes)?;
        }
        (opens.with_timezone(&self.zone).date_naive() == day).then_some(opens)
    }
}

/// Just before the week begins, so that a summary at midnight counts.
fn week_start(zone: Tz, monday: NaiveDate) -> DateTime<Utc> {
    business_hours::local_to_utc(zone, monday.and_time(NaiveTime::MIN)) - Duration::milliseconds(1)
}

fn default_digest_time() -> NaiveTime {
    WallTime::parse(MORNING).to_naive_time().unwrap_or(NaiveTime::MIN)
}

fn same_hours_every_day(opens: WallTime, closes: WallTime) -> BusinessHours {
    let day = || vec![OpenSpan { opens, closes }];
    let week = BusinessWeek { mon: day(), tue: day(), wed: day(), thu: day(), fri: day(), sat: day(), sun: day() };
    BusinessHours { week, closed_dates: Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHICAGO: Tz = chrono_tz::America::Chicago;

    fn settings(frequency: NotificationFrequency, schedule: NotificationSchedule) -> OrgSettings {
        let mut settings = OrgSettings::default();
        settings.notifications.frequency = frequency;
        settings.notifications.schedule = schedule;
        settings
    }

    fn local(text: &str) -> DateTime<Utc> {
        let wall = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap();
        business_hours::local_to_utc(CHICAGO, wall)
    }

    fn notified_at(settings: &OrgSettings, from: &str) -> String {
        let now = local(from);
        next_notify_at(settings, CHICAGO, false, now)
            .to_instant(now)
            .with_timezone(&CHICAGO)
            .format("%Y-%m-%d %H:%M")
            .to_string()
    }

    #[test]
    fn alert_due_time_follows_frequency_and_schedule() {
        use NotificationFrequency::{Daily, Hourly, Immediate, Weekly};
        use NotificationSchedule::{Anytime, BusinessHours, Custom};
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
            assert_eq!(notified_at(&settings(frequency, schedule), from), wanted, "{frequency:?} {schedule:?} {from}");
        }
    }

    #[test]
    fn daily_summary_time_follows_local_clock_across_dst() {
        let daily = settings(NotificationFrequency::Daily, NotificationSchedule::Custom);
        assert_eq!(notified_at(&daily, "2026-10-31 12:00"), "2026-11-01 09:00");
        assert_eq!(notified_at(&daily, "2027-03-13 12:00"), "2027-03-14 09:00");
        let mut in_the_gap = daily;
        in_the_gap.notifications.business_start = WallTime::parse("02:30");
        assert_eq!(notified_at(&in_the_gap, "2027-03-13 12:00"), "2027-03-14 03:00");
    }

    #[test]
    fn weekly_summary_is_due_on_first_open_weekday() {
        let mut weekly = settings(NotificationFrequency::Weekly, NotificationSchedule::BusinessHours);
        weekly.hours.week.mon.clear();
        assert_eq!(notified_at(&weekly, "2026-09-18 10:00"), "2026-09-22 08:00");
        assert_eq!(notified_at(&weekly, "2026-09-21 10:00"), "2026-09-22 08:00");
        assert_eq!(notified_at(&weekly, "2026-09-22 10:00"), "2026-09-29 08:00");
    }

    #[test]
    fn overnight_hours_have_one_daily_summary_at_start() {
        let mut nights = settings(NotificationFrequency::Daily, NotificationSchedule::Custom);
        nights.notifications.business_start = WallTime::parse("21:00");
        nights.notifications.business_end = WallTime::parse("05:00");
        assert_eq!(notified_at(&nights, "2026-09-18 22:00"), "2026-09-19 21:00");
        assert_eq!(notified_at(&nights, "2026-09-18 02:00"), "2026-09-18 21:00");
    }

    #[test]
    fn business_without_opening_hours_still_gets_alerts() {
        let mut never = settings(NotificationFrequency::Daily, NotificationSchedule::BusinessHours);
        never.hours = same_hours_every_day(WallTime::parse("no"), WallTime::parse("no"));
        assert_eq!(notified_at(&never, "2026-09-18 10:00"), "2026-09-19 08:00");
        never.notifications.frequency = NotificationFrequency::Immediate;
        assert_eq!(notified_at(&never, "2026-09-18 23:00"), "2026-09-18 23:00");
    }

    #[test]
    fn delay_reason_names_due_time() {
        let now = local("2026-09-18 18:00");
        let why = |frequency| match next_notify_at(
            &settings(frequency, NotificationSchedule::BusinessHours),
            CHICAGO,
            false,
            now,
        ) {
            NotificationTime::Later { why, .. } => why,
            NotificationTime::Now => panic!("{frequency:?}"),
        };
        assert_eq!(why(NotificationFrequency::Daily), "kept for the daily summary: Monday, Sep 21 at 8:00 AM");
        assert_eq!(
            why(NotificationFrequency::Immediate),
            "kept until your notification hours begin: Monday, Sep 21 at 8:00 AM"
        );
        assert_eq!(
            next_notify_at(
                &settings(NotificationFrequency::Weekly, NotificationSchedule::BusinessHours),
                CHICAGO,
                true,
                now
            ),
            NotificationTime::Now
        );
    }

    fn any_settings() -> impl Strategy<Value = OrgSettings> {
        let frequency = prop::sample::select(vec![
            NotificationFrequency::Immediate,
            NotificationFrequency::Hourly,
            NotificationFrequency::Daily,
            NotificationFrequency::Weekly,
        ]);
        let schedule = prop::sample::select(vec![
            NotificationSchedule::Anytime,
            NotificationSchedule::BusinessHours,
            NotificationSchedule::Custom,
        ]);
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
        /// Two years of minutes cover both DST changes in every zone.
        #[test]
        fn alert_due_now_or_later_falls_within_notification_hours(
            settings in any_settings(), zone in any_zone(), minutes in 0_i64..2 * 366 * 24 * 60,
        ) {
            let now = DateTime::UNIX_EPOCH + Duration::days(20_700) + Duration::minutes(minutes);
            match next_notify_at(&settings, zone, false, now) {
                NotificationTime::Now => {
                    prop_assert_eq!(settings.notifications.frequency, NotificationFrequency::Immediate);
                    prop_assert!(check_can_notify(&settings, zone, now).is_ok());
                }
                NotificationTime::Later { at, .. } => {
                    prop_assert!(at > now);
                    // Longest waits: a day off, a weekend and a week; one hour for DST.
                    prop_assert!(at - now <= Duration::days(8) + Duration::hours(1), "{}", at - now);
                    prop_assert!(check_can_notify(&settings, zone, at).is_ok(), "{at}");
                }
            }
        }

        #[test]
        fn next_summary_falls_in_a_later_period(
            settings in any_settings(), zone in any_zone(), minutes in 0_i64..2 * 366 * 24 * 60,
        ) {
            let now = DateTime::UNIX_EPOCH + Duration::days(20_700) + Duration::minutes(minutes);
            if let NotificationTime::Later { at, .. } = next_notify_at(&settings, zone, false, now) {
                let after = at + Duration::minutes(1);
                let next = next_notify_at(&settings, zone, false, after).to_instant(after);
                let date = |at: DateTime<Utc>| at.with_timezone(&zone).date_naive();
                let apart = match settings.notifications.frequency {
                    NotificationFrequency::Immediate => true,
                    NotificationFrequency::Hourly => next > after,
                    NotificationFrequency::Daily => date(next) > date(at),
                    NotificationFrequency::Weekly => date(next).iso_week() != date(at).iso_week(),
                };
                prop_assert!(apart, "{at} {next}");
            }
        }
    }
}
