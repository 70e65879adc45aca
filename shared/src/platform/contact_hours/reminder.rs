//! When somebody is reminded of what begins early: not in the night, rather the evening before.

use chrono::{DateTime, Duration, NaiveTime, Timelike, Utc};
use chrono_tz::Tz;

use super::{Class, LEAST_LEFT, open_until, places, places_of};
use crate::platform::phone::Phone;

/// Nobody is reminded earlier or later on their clock, whatever the law allows.
const EARLIEST: (u32, u32) = (8, 0);
const LATEST: (u32, u32) = (20, 30);
/// Times that are looked at, and how far back.
const STEP_MINUTES: i64 = 15;
const FURTHEST: Duration = Duration::hours(36);

/// `target`, or the last quarter of an hour before it at which a reminder may reach this person: in every zone that the
/// number, the ZIP code and the business may be in. None when there is none within a day and a half.
#[must_use]
pub fn before(phone: Option<&Phone>, zip: Option<&str>, business: Tz, target: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let sites = phone.map(|phone| places::sites(&places_of(phone, zip).0)).unwrap_or_default();
    let may = |at: DateTime<Utc>| {
        let is_lawful = phone.is_none()
            || open_until(Class::Informational, &sites, at).is_some_and(|until| until - at >= LEAST_LEFT);
        is_lawful && sites.iter().map(|site| site.zone).chain([business]).all(|zone| is_day(zone, at))
    };
    if may(target) {
        return Some(target);
    }
    let quarter = Duration::minutes(STEP_MINUTES);
    let last = target - Duration::seconds(target.timestamp().rem_euclid(quarter.num_seconds()));
    let last = last.with_nanosecond(0).unwrap_or(last);
    std::iter::successors(Some(last), |at| Some(*at - quarter))
        .take_while(|at| target - *at <= FURTHEST)
        .find(|at| may(*at))
}

fn is_day(zone: Tz, at: DateTime<Utc>) -> bool {
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
    fn who_is_visited_early_is_reminded_the_evening_before() {
        let austin = phone("(512) 555-0142");
        let table = [
            // Seven in the morning in Chicago stands for a visit at eight.
            ("2026-11-24T15:00:00Z", "2026-11-24T15:00:00Z"),
            ("2026-11-24T14:00:00Z", "2026-11-24T14:00:00Z"),
            ("2026-11-24T13:59:00Z", "2026-11-24T02:30:00Z"),
            ("2026-11-24T11:00:00Z", "2026-11-24T02:30:00Z"),
            // The night in which the clocks go back, and the one in which they go forward.
            ("2026-11-01T12:00:00Z", "2026-11-01T01:30:00Z"),
            ("2027-03-14T12:00:00Z", "2027-03-14T02:30:00Z"),
        ];
        for (target, wanted) in table {
            assert_eq!(before(Some(&austin), Some("78701"), Chicago, at(target)), Some(at(wanted)), "{target}");
            assert_eq!(before(None, None, Chicago, at(target)), Some(at(wanted)), "{target} by email");
        }
    }

    #[test]
    fn it_is_day_in_every_place_they_may_be_in() {
        // Nine in Chicago is five in Honolulu: the evening before, when it was day in both.
        let honolulu = phone("(808) 555-0142");
        let said = before(Some(&honolulu), Some("78701"), Chicago, at("2026-11-24T15:00:00Z")).unwrap();
        assert_eq!(said, at("2026-11-24T02:30:00Z"));
    }
}
