//! Due times over a year in four zones, with both clock changes.

use chrono::{Duration, NaiveDate, NaiveTime, Timelike};
use proptest::prelude::*;

use super::*;
use crate::{domain::tenancy::org::settings::Weekday, platform::business_hours::WallTime};

/// Northern and southern hemisphere, a half-hour clock change, and no clock change.
const ZONES: [Tz; 4] = [
    chrono_tz::America::Chicago,
    chrono_tz::America::Santiago,
    chrono_tz::Australia::Lord_Howe,
    chrono_tz::America::Phoenix,
];

fn at(time: &str) -> Settings {
    Settings { time: WallTime::parse(time), ..Settings::default() }
}

fn utc(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

fn year(settings: &Settings, zone: Tz) -> Vec<DateTime<Utc>> {
    let end = utc("2027-01-15T00:00:00Z");
    let first = next_due_at(settings, zone, utc("2026-01-15T00:00:00Z"));
    std::iter::successors(Some(first), |at| Some(next_due_at(settings, zone, *at))).take_while(|at| *at < end).collect()
}

fn local(zone: Tz, at: DateTime<Utc>) -> (NaiveDate, NaiveTime) {
    let at = at.with_timezone(&zone);
    (at.date_naive(), at.time())
}

#[test]
fn daily_report_runs_once_a_day_at_seven_local_time() {
    let seven = NaiveTime::from_hms_opt(7, 0, 0).unwrap();
    for zone in ZONES {
        let all: Vec<_> = year(&Settings::default(), zone).into_iter().map(|at| local(zone, at)).collect();
        assert_eq!(all.len(), 365, "{zone}");
        assert!(all.iter().all(|(_, time)| *time == seven), "{zone}");
        assert!(all.windows(2).all(|pair| pair[0].0.succ_opt() == Some(pair[1].0)), "{zone}");
    }
}

#[test]
fn dst_zones_have_two_intervals_other_than_24_hours() {
    for (zone, wanted) in ZONES.into_iter().zip([vec![23, 25], vec![25, 23], vec![24, 23], vec![]]) {
        let all = year(&Settings::default(), zone);
        let odd = |pair: &[DateTime<Utc>]| Some(pair[1] - pair[0]).filter(|gap| *gap != Duration::hours(24));
        let gaps: Vec<i64> = all.windows(2).filter_map(odd).map(|gap| gap.num_hours()).collect();
        assert_eq!(gaps, wanted, "{zone}");
    }
}

#[test]
fn report_time_in_dst_gap_or_repeated_hour_runs_once_a_day() {
    let chicago = chrono_tz::America::Chicago;
    for time in ["00:00", "01:30", "02:30", "03:00", "23:59"] {
        for zone in ZONES {
            let days: Vec<NaiveDate> = year(&at(time), zone).into_iter().map(|at| local(zone, at).0).collect();
            assert!((364..=366).contains(&days.len()), "{zone} {time}");
            assert!(days.windows(2).all(|pair| pair[0].succ_opt() == Some(pair[1])), "{zone} {time}");
        }
    }
    // 02:30 is left out on the 8th of March; 01:30 comes twice on the 1st of November, an hour apart.
    assert_eq!(next_due_at(&at("02:30"), chicago, utc("2026-03-08T06:00:00Z")), utc("2026-03-08T08:00:00Z"));
    assert_eq!(next_due_at(&at("01:30"), chicago, utc("2026-11-01T05:00:00Z")), utc("2026-11-01T06:30:00Z"));
    assert_eq!(next_due_at(&at("01:30"), chicago, utc("2026-11-01T06:30:00Z")), utc("2026-11-02T07:30:00Z"));
}

#[test]
fn weekly_report_runs_on_its_weekday_once_a_week() {
    let weekly = Settings { frequency: PulseFrequency::Weekly, ..Settings::default() };
    for zone in ZONES {
        for weekday in [Weekday::Mon, Weekday::Sun] {
            let settings = Settings { weekday, ..weekly.clone() };
            let all = year(&settings, zone);
            assert!((52..=53).contains(&all.len()), "{zone}: {}", all.len());
            assert!(all.iter().all(|at| Weekday::from_date(local(zone, *at).0) == weekday), "{zone}");
            let mut keys: Vec<_> = all.iter().map(|at| period_key(&settings, zone, *at)).collect();
            keys.dedup();
            assert_eq!(keys.len(), all.len(), "{zone}");
        }
    }
    let monday = utc("2026-09-21T12:00:00Z");
    assert_eq!(period_key(&weekly, chrono_tz::America::Chicago, monday), "weekly:2026-W39");
    assert_eq!(period_key(&at("07:00"), chrono_tz::America::Chicago, monday), "daily:2026-09-21");
}

proptest! {
    /// The next due time is within a day and an hour (a week for weekly ones), on another day, and at the set time
    /// unless the clock change skips it.
    #[test]
    fn next_report_is_within_period_and_on_a_later_day(
        zone in prop::sample::select(ZONES.to_vec()), minutes in 0_i64..2 * 366 * 24 * 60, hour in 0_u32..24, minute in 0_u32..60,
        is_weekly in any::<bool>(),
    ) {
        let now = utc("2026-01-01T00:00:00Z") + Duration::minutes(minutes);
        let frequency = if is_weekly { PulseFrequency::Weekly } else { PulseFrequency::Daily };
        let settings = Settings { frequency, ..at(&format!("{hour:02}:{minute:02}")) };
        let first = next_due_at(&settings, zone, now);
        let second = next_due_at(&settings, zone, first);
        let longest = if is_weekly { Duration::days(7) } else { Duration::days(1) } + Duration::hours(1);
        prop_assert!(first > now && first - now <= longest, "{first}");
        prop_assert!(local(zone, second).0 > local(zone, first).0);
        prop_assert!(period_key(&settings, zone, first) != period_key(&settings, zone, second));
        let shown = local(zone, first).1;
        prop_assert!((shown.hour(), shown.minute()) == (hour, minute) || shown.num_seconds_from_midnight() % 3600 <= 1800);
    }
}
