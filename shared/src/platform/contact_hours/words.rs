//! Why a text must wait, in words an owner would use.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{Class, HORIZON_DAYS, law, places::Site};

/// "it's 7:12 AM in Florida; texts go out 8 AM to 8 PM". Of the places where it is too early or too late,
/// the one that opens last is named.
pub(super) fn why(class: Class, sites: &[Site], at: DateTime<Utc>) -> String {
    let opens = |site: &Site| site.openings(class, at, HORIZON_DAYS).into_iter().map(|o| o.opens).find(|&o| o > at);
    let shut = sites.iter().filter(|site| !site.openings(class, at, 0).iter().any(|o| o.opens <= at && at < o.closes));
    shut.max_by_key(|site| opens(site)).map_or_else(String::new, |site| sentence(class, *site, sites, at))
}

/// The hours at every place on the day of `at`: "Hawaii 9 AM to 8 PM, Florida 9 AM to 8 PM".
pub(super) fn rule(class: Class, sites: &[Site], at: DateTime<Utc>) -> String {
    if class == Class::Conversational {
        return "answers what the person asked within the last ten minutes: any hour".to_owned();
    }
    let lines = sites.iter().map(|site| {
        let hours = law::hours(class, site.state, site.date(at));
        format!("{} {}", name(*site, sites), hours.map_or_else(|| "not today".to_owned(), |h| span(h, " to ")))
    });
    lines.collect::<Vec<_>>().join(", ")
}

fn sentence(class: Class, site: Site, sites: &[Site], at: DateTime<Utc>) -> String {
    let (place, date) = (place(site, sites), site.date(at));
    if let Some(hours) = law::hours(class, site.state, date) {
        return format!("it's {} {place}; texts go out {}", clock(at, site.zone), span(hours, " to "));
    }
    if law::is_holiday(date) {
        return format!("it is a public holiday {place}; texts of this kind may not go there on such days");
    }
    let day = date.format("%A");
    format!("it is {day} {place}; texts of this kind may not go there on {day}s")
}

/// Where the site is, to follow "it's 7:12 AM".
fn place(site: Site, sites: &[Site]) -> String {
    match site.state {
        Some(_) => format!("in {}", name(site, sites)),
        None => format!("in {}, where this number may be", name(site, sites)),
    }
}

/// Why a text can never go where one place's day is the other's night.
pub(super) fn never(sites: &[Site]) -> String {
    let mut all: Vec<String> = Vec::new();
    for site in sites {
        let name = name(*site, sites);
        if !all.contains(&name) {
            all.push(name);
        }
    }
    format!("there is no hour that is allowed in all of these places: {}", all.join(", "))
}

/// The state, with the zone where the state has several; the zone alone where there is no state.
fn name(site: Site, sites: &[Site]) -> String {
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

/// "7:12 AM".
fn clock(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%-I:%M %p").to_string()
}

/// "9 AM to 9:30 PM".
fn span((from, to): (i64, i64), between: &str) -> String {
    format!("{}{between}{}", hour(from), hour(to))
}

fn hour(minutes: i64) -> String {
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

/// The name of a state, territory or province, from its two letters.
pub(super) fn state_name(code: &'static str) -> &'static str {
    STATES.iter().find(|(known, _)| *known == code).map_or(code, |(_, name)| *name)
}
