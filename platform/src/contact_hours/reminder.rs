//! Time of a reminder for an early appointment: the evening before instead of the night.

use chrono::{DateTime, Duration, NaiveTime, Timelike, Utc};
use chrono_tz::Tz;

use super::{ContactClass, MIN_WINDOW_LEFT, open_until, places, resolve_places};
use crate::phone::Phone;

/// Limits in the recipient's local time, even where the law allows more.
const EARLIEST: (u32, u32) = (8, 0);
const LATEST: (u32, u32) = (20, 30);
/// Search step and range, backwards.
const STEP_MINUTES: i64 = 15;
const MAX_LOOKBACK: Duration = Duration::hours(36);

/// `target`, or the last quarter of an hour before it that is allowed in every zone of the number, the ZIP code and the
/// business. None when there is none within a day and a half.
#[must_use]
pub fn find_reminder_time(
    phone: Option<&Phone>,
    zip: Option<&str>,
    business: Tz,
    target: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let sites = phone.map(|phone| places::expand_state_zones(&resolve_places(phone, zip).0)).unwrap_or_default();
    let may = |at: DateTime<Utc>| {
        let is_lawful = phone.is_none()
            || open_until(ContactClass::Informational, &sites, at).is_some_and(|until| until - at >= MIN_WINDOW_LEFT);
        is_lawful && sites.iter().map(|site| site.zone).chain([business]).all(|zone| is_daytime(zone, at))
    };
    if may(target) {
        return Some(target);
    }
    let quarter = Duration::minutes(STEP_MINUTES);
    let last = target - Duration::seconds(target.timestamp().rem_euclid(quarter.num_seconds()));
    let last = last.with_nanosecond(0).unwrap_or(last);
    std::iter::successors(Some(last), |at| Some(*at - quarter))
        .take_while(|at| target - *at <= MAX_LOOKBACK)
        .find(|at| may(*at))
}

fn is_daytime(zone: Tz, at: DateTime<Utc>) -> bool {
    let clock = at.with_timezone(&zone).time();
    let [earliest, latest] = [EARLIEST, LATEST].map(|(hour, minute)| NaiveTime::from_hms_opt(hour, minute, 0));
    earliest.is_some_and(|earliest| clock >= earliest) && latest.is_some_and(|latest| clock <= latest)
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn phone(number: &str) -> Phone {
        Phone::parse(number).unwrap()
    }

    #[test]
    fn reminder_for_early_visit_goes_the_evening_before() {
        let austin = phone("(512) 555-0142");
        let table = [
            // 7:00 in Chicago, for a visit at 8:00.
            ("2026-11-24T15:00:00Z", "2026-11-24T15:00:00Z"),
            ("2026-11-24T14:00:00Z", "2026-11-24T14:00:00Z"),
            ("2026-11-24T13:59:00Z", "2026-11-24T02:30:00Z"),
            ("2026-11-24T11:00:00Z", "2026-11-24T02:30:00Z"),
            // Nights of both clock changes.
            ("2026-11-01T12:00:00Z", "2026-11-01T01:30:00Z"),
            ("2027-03-14T12:00:00Z", "2027-03-14T02:30:00Z"),
        ];
        for (target, wanted) in table {
            assert_eq!(
                find_reminder_time(Some(&austin), Some("78701"), Chicago, at(target)),
                Some(at(wanted)),
                "{target}"
            );
            assert_eq!(find_reminder_time(None, None, Chicago, at(target)), Some(at(wanted)), "{target} by email");
        }
    }

    #[test]
    fn reminder_time_is_daytime_in_every_possible_zone() {
        // 9:00 in Chicago is 5:00 in Honolulu: the evening before, when both were allowed.
        let honolulu = phone("(808) 555-0142");
        let reminder_time =
            find_reminder_time(Some(&honolulu), Some("78701"), Chicago, at("2026-11-24T15:00:00Z")).unwrap();
        assert_eq!(reminder_time, at("2026-11-24T02:30:00Z"));
    }
}
