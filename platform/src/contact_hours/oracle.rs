//! Test oracle of contact hours, independent of our tables and of the time zone library.

use chrono::{DateTime, Datelike, Duration, NaiveDate, Timelike, Utc, Weekday};

use super::ContactClass;

/// State, an area code in one of its time zones, that zone's standard offset behind UTC in hours, whether it has
/// daylight time.
pub(crate) const STATES: [(&str, &str, i64, bool); 51] = [
    ("AL", "205", 6, true),
    ("AK", "907", 9, true),
    ("AZ", "602", 7, false),
    ("AR", "501", 6, true),
    ("CA", "213", 8, true),
    ("CO", "303", 7, true),
    ("CT", "203", 5, true),
    ("DE", "302", 5, true),
    ("DC", "202", 5, true),
    ("FL", "305", 5, true),
    ("GA", "404", 5, true),
    ("HI", "808", 10, false),
    ("ID", "208", 7, true),
    ("IL", "312", 6, true),
    ("IN", "317", 5, true),
    ("IA", "515", 6, true),
    ("KS", "316", 6, true),
    ("KY", "859", 5, true),
    ("LA", "504", 6, true),
    ("ME", "207", 5, true),
    ("MD", "410", 5, true),
    ("MA", "617", 5, true),
    ("MI", "313", 5, true),
    ("MN", "612", 6, true),
    ("MS", "601", 6, true),
    ("MO", "314", 6, true),
    ("MT", "406", 7, true),
    ("NE", "402", 6, true),
    ("NV", "702", 8, true),
    ("NH", "603", 5, true),
    ("NJ", "201", 5, true),
    ("NM", "505", 7, true),
    ("NY", "212", 5, true),
    ("NC", "704", 5, true),
    ("ND", "701", 6, true),
    ("OH", "216", 5, true),
    ("OK", "405", 6, true),
    ("OR", "503", 8, true),
    ("PA", "215", 5, true),
    ("RI", "401", 5, true),
    ("SC", "803", 5, true),
    ("SD", "605", 6, true),
    ("TN", "615", 6, true),
    ("TX", "214", 6, true),
    ("UT", "801", 7, true),
    ("VT", "802", 5, true),
    ("VA", "804", 5, true),
    ("WA", "206", 8, true),
    ("WV", "304", 5, true),
    ("WI", "414", 6, true),
    ("WY", "307", 7, true),
];

/// Codes of the list above that touch a second zone, with its standard offset behind UTC in hours.
const SECOND_ZONE: [(&str, i64); 5] = [("907", 10), ("208", 8), ("402", 7), ("701", 7), ("605", 7)];

/// Hard-coded daylight time: 2:00 on 2026-03-08 to 2:00 on 2026-11-01, and from 2:00 on 2027-03-14.
fn wall_clock(at: DateTime<Utc>, behind: i64, daylight: bool) -> (Weekday, i64) {
    let standard = (at - Duration::hours(behind)).naive_utc();
    let change = |y, m, d, h| NaiveDate::from_ymd_opt(y, m, d).unwrap().and_hms_opt(h, 0, 0).unwrap();
    let summer =
        (change(2026, 3, 8, 2)..change(2026, 11, 1, 1)).contains(&standard) || standard >= change(2027, 3, 14, 2);
    let local = if daylight && summer { standard + Duration::hours(1) } else { standard };
    (local.weekday(), i64::from(local.hour()) * 60 + i64::from(local.minute()))
}

/// Ignores holidays.
fn may_send_promotional(state: &str, day: Weekday, minute: i64) -> bool {
    let sunday = day == Weekday::Sun;
    let (from, to) = match state {
        "AL" | "LA" | "MS" | "UT" | "SD" | "RI" if sunday => return false,
        "SD" if day == Weekday::Sat => return false,
        "RI" if day == Weekday::Sat => (10, 17),
        "RI" => (9, 18),
        "KY" => (10, 20),
        "TX" if sunday => (12, 20),
        _ => (9, 20),
    };
    from * 60 <= minute && minute < to * 60
}

pub(crate) fn is_open(
    class: ContactClass,
    at: DateTime<Utc>,
    (state, code, behind, daylight): (&str, &str, i64, bool),
) -> bool {
    let second = SECOND_ZONE.iter().find(|(of, _)| *of == code).map(|(_, behind)| *behind);
    [Some(behind), second].into_iter().flatten().all(|behind| {
        let (day, minute) = wall_clock(at, behind, daylight);
        match class {
            ContactClass::Conversational => true,
            ContactClass::Informational => (8 * 60..21 * 60).contains(&minute),
            ContactClass::Promotional => may_send_promotional(state, day, minute),
        }
    })
}
