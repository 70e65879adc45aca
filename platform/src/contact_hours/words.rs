//! Plain-language reasons why a text must wait.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{ContactClass, HORIZON_DAYS, law, places::StateZone};

/// "it's 7:12 AM in Florida; texts go out 8 AM to 8 PM". Names the closed place that opens last.
pub(super) fn explain_closed(class: ContactClass, sites: &[StateZone], at: DateTime<Utc>) -> String {
    let opens =
        |site: &StateZone| site.list_openings(class, at, HORIZON_DAYS).into_iter().map(|o| o.opens).find(|&o| o > at);
    let shut =
        sites.iter().filter(|site| !site.list_openings(class, at, 0).iter().any(|o| o.opens <= at && at < o.closes));
    shut.max_by_key(|site| opens(site)).map_or_else(String::new, |site| describe_closed_zone(class, *site, sites, at))
}

/// Hours at every place on the day of `at`: "Hawaii 9 AM to 8 PM, Florida 9 AM to 8 PM".
pub(super) fn describe_rule(class: ContactClass, sites: &[StateZone], at: DateTime<Utc>) -> String {
    if class == ContactClass::Conversational {
        return "answers what the person asked within the last ten minutes: any hour".to_owned();
    }
    let lines = sites.iter().map(|site| {
        let hours = law::allowed_hours(class, site.state, site.local_date(at));
        format!(
            "{} {}",
            zone_label(*site, sites),
            hours.map_or_else(|| "not today".to_owned(), |h| format_span(h, " to "))
        )
    });
    lines.collect::<Vec<_>>().join(", ")
}

fn describe_closed_zone(class: ContactClass, site: StateZone, sites: &[StateZone], at: DateTime<Utc>) -> String {
    let (place, date) = (format_location(site, sites), site.local_date(at));
    if let Some(hours) = law::allowed_hours(class, site.state, date) {
        return format!("it's {} {place}; texts go out {}", format_clock(at, site.zone), format_span(hours, " to "));
    }
    if law::is_holiday(date) {
        return format!("it is a public holiday {place}; texts of this kind may not go there on such days");
    }
    let day = date.format("%A");
    format!("it is {day} {place}; texts of this kind may not go there on {day}s")
}

/// Follows "it's 7:12 AM".
fn format_location(site: StateZone, sites: &[StateZone]) -> String {
    match site.state {
        Some(_) => format!("in {}", zone_label(site, sites)),
        None => format!("in {}, where this number may be", zone_label(site, sites)),
    }
}

/// Reason when the allowed hours of the places never overlap.
pub(super) fn explain_never_open(sites: &[StateZone]) -> String {
    let mut all: Vec<String> = Vec::new();
    for site in sites {
        let name = zone_label(*site, sites);
        if !all.contains(&name) {
            all.push(name);
        }
    }
    format!("there is no hour that is allowed in all of these places: {}", all.join(", "))
}

/// The state, with its zone when it has several; the zone alone when there is no state.
fn zone_label(site: StateZone, sites: &[StateZone]) -> String {
    let zone = zone_name(site.zone);
    match site.state {
        None => format!("the {zone} zone"),
        Some(state) if sites.iter().any(|other| other.state == Some(state) && other.zone != site.zone) => {
            format!("{} ({zone})", state_name(state))
        }
        Some(state) => state_name(state).to_owned(),
    }
}

fn zone_name(zone: Tz) -> &'static str {
    match zone {
        Tz::America__New_York => "Eastern time",
        Tz::America__Chicago => "Central time",
        Tz::America__Denver => "Mountain time",
        Tz::America__Phoenix => "Mountain standard time",
        Tz::America__Los_Angeles => "Pacific time",
        Tz::America__Anchorage => "Alaska time",
        Tz::America__Adak => "Aleutian time",
        Tz::America__Regina => "Central standard time",
        Tz::America__Halifax | Tz::America__Puerto_Rico => "Atlantic time",
        Tz::America__St_Johns => "Newfoundland time",
        other => other.name(),
    }
}

fn format_clock(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%-I:%M %p").to_string()
}

fn format_span((from, to): (i64, i64), between: &str) -> String {
    format!("{}{between}{}", format_hour(from), format_hour(to))
}

fn format_hour(minutes: i64) -> String {
    let (hour, rest) = (minutes / 60 % 24, minutes % 60);
    let half = if hour < 12 { "AM" } else { "PM" };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    if rest == 0 { format!("{hour} {half}") } else { format!("{hour}:{rest:02} {half}") }
}

const STATES: &[(&str, &str)] = &[
    ("AL", "Alabama"),
    ("AK", "Alaska"),
    ("AZ", "Arizona"),
    ("AR", "Arkansas"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DE", "Delaware"),
    ("DC", "Washington DC"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("HI", "Hawaii"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("IA", "Iowa"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("ME", "Maine"),
    ("MD", "Maryland"),
    ("MA", "Massachusetts"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MS", "Mississippi"),
    ("MO", "Missouri"),
    ("MT", "Montana"),
    ("NE", "Nebraska"),
    ("NV", "Nevada"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NY", "New York"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VT", "Vermont"),
    ("VA", "Virginia"),
    ("WA", "Washington State"),
    ("WV", "West Virginia"),
    ("WI", "Wisconsin"),
    ("WY", "Wyoming"),
    ("AS", "American Samoa"),
    ("FM", "Micronesia"),
    ("GU", "Guam"),
    ("MH", "the Marshall Islands"),
    ("MP", "the Northern Mariana Islands"),
    ("PR", "Puerto Rico"),
    ("PW", "Palau"),
    ("VI", "the US Virgin Islands"),
    ("AB", "Alberta"),
    ("BC", "British Columbia"),
    ("MB", "Manitoba"),
    ("NB", "New Brunswick"),
    ("NL", "Newfoundland and Labrador"),
    ("NS", "Nova Scotia"),
    ("NT", "the Northwest Territories"),
    ("NU", "Nunavut"),
    ("ON", "Ontario"),
    ("PE", "Prince Edward Island"),
    ("QC", "Quebec"),
    ("SK", "Saskatchewan"),
    ("YT", "Yukon"),
];

pub(super) fn state_name(code: &'static str) -> &'static str {
    STATES.iter().find(|(known, _)| *known == code).map_or(code, |(_, name)| *name)
}
