//! When a text may reach a person: the hours of the place where the person is, and the law of that place.
//!
//! A number's area code and the ZIP code of the work may point to several states and time zones. All of them count at
//! once, so the strictest wins.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::platform::{clock::Entropy, phone::Phone};

pub mod decent;
mod law;
#[cfg(test)]
pub(crate) mod oracle;
mod places;
pub mod reminder;
#[cfg(test)]
mod tests;
mod words;

use places::{Place, Site};

/// How far ahead an hour is looked for: longer than any run of Sundays and public holidays.
const HORIZON_DAYS: i64 = 15;
/// The most a text that had to wait is put off beyond the opening, so that not all go in one minute (trust
/// requirement 33).
pub const LONGEST_PUT_OFF: Duration = Duration::minutes(30);
/// A text with less time than this before the window ends waits for the next one (trust requirement 34).
const LEAST_LEFT: Duration = Duration::seconds(60);

/// What a text is for, which decides its hours (CTIA messaging principles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = MessageClass)]
pub enum Class {
    /// Answers what the person asked within the last ten minutes.
    Conversational,
    /// About work the person has asked for: a reminder, a status.
    Informational,
    /// Anything that asks for more business, a review included.
    Promotional,
}

impl Class {
    pub const ALL: [Self; 3] = [Self::Conversational, Self::Informational, Self::Promotional];
}

/// Whether a text may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Window {
    /// It may, up to but not at `until`; none means at any hour.
    Open { until: Option<DateTime<Utc>> },
    /// It may not before `opens`, the beginning of a stretch long enough for [`reschedule`]. Where no hour suits all
    /// the places the person may be in, `why` says so and `opens` is when to ask again.
    Closed { opens: DateTime<Utc>, why: String },
}

/// What decided, kept with the message for whoever asks why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QuietHoursSeen)]
pub struct Seen {
    /// Names of time zones: `America/New_York`.
    pub zones: Vec<String>,
    /// Two-letter codes of states, territories and provinces.
    pub states: Vec<String>,
    /// The hours of that day at every place, in plain words.
    pub rule: String,
    /// The rows of the table of law that were applied, each with how sure it is and when it was last checked.
    pub source: Vec<String>,
    /// What the places were read from: `area code 808`, `ZIP 33101`.
    pub found_by: Vec<String>,
}

/// Whether the table of hours names a place for this North American area code: a state, DC, a territory, a province.
#[must_use]
pub(crate) fn is_area_code(code: &str) -> bool {
    places::by_area_code(code).is_some()
}

/// Whether a text of `class` may reach the owner of `phone`, whose work is at `zip`, at `at`, and what decided.
#[must_use]
pub fn window(class: Class, phone: &Phone, zip: Option<&str>, at: DateTime<Utc>) -> (Window, Seen) {
    let (places, found_by) = places_of(phone, zip);
    let sites = places::sites(&places);
    let seen = seen(class, &sites, at, found_by);
    if class == Class::Conversational {
        return (Window::Open { until: None }, seen);
    }
    (at_sites(class, &sites, at), seen)
}

/// The instant at which a text that waited for `opens` goes: up to 30 minutes of chance later. Every stretch that
/// [`Window::Closed`] names is longer than that, so it never leaves the window.
#[must_use]
pub fn reschedule(opens: DateTime<Utc>, entropy: &Entropy) -> DateTime<Utc> {
    #[expect(clippy::cast_possible_truncation, reason = "at most 1,800,000 milliseconds")]
    #[expect(clippy::cast_precision_loss, reason = "at most 1,800,000 milliseconds")]
    let jitter = (LONGEST_PUT_OFF.num_milliseconds() as f64 * entropy.fraction()) as i64;
    opens + Duration::milliseconds(jitter)
}

/// Every place the number and the ZIP code point to. A number that points nowhere may be anywhere in the country.
fn places_of(phone: &Phone, zip: Option<&str>) -> (Vec<&'static Place>, Vec<String>) {
    let code = places::area_code(phone);
    let by_code = code.and_then(places::by_area_code);
    let mut found = vec![by_code.unwrap_or_else(places::anywhere)];
    let mut found_by = vec![match (code, by_code) {
        (Some(code), Some(_)) => format!("area code {code}"),
        _ => "a number that belongs to no place".to_owned(),
    }];
    if let Some((zip, place)) = zip.and_then(places::by_zip) {
        found.push(place);
        found_by.push(format!("ZIP {zip}"));
    }
    (found, found_by)
}

fn at_sites(class: Class, sites: &[Site], at: DateTime<Utc>) -> Window {
    if let Some(until) = open_until(class, sites, at) {
        return Window::Open { until: Some(until) };
    }
    let mut starts: Vec<_> =
        sites.iter().flat_map(|site| site.openings(class, at, HORIZON_DAYS)).map(|opening| opening.opens).collect();
    starts.sort_unstable();
    let next = starts.into_iter().find(|&opens| {
        opens > at
            && open_until(class, sites, opens).is_some_and(|closes| closes - opens >= LONGEST_PUT_OFF + LEAST_LEFT)
    });
    match next {
        Some(opens) => Window::Closed { opens, why: words::why(class, sites, at) },
        None => Window::Closed { opens: at + Duration::days(HORIZON_DAYS), why: words::never(sites) },
    }
}

/// When the first of the sites closes, if all are open at `at`.
fn open_until(class: Class, sites: &[Site], at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    sites
        .iter()
        .map(|site| site.openings(class, at, 0).into_iter().find(|o| o.opens <= at && at < o.closes).map(|o| o.closes))
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .min()
}

fn seen(class: Class, sites: &[Site], at: DateTime<Utc>, found_by: Vec<String>) -> Seen {
    let mut zones: Vec<Tz> = sites.iter().map(|site| site.zone).collect();
    zones.sort_unstable_by_key(|zone| zone.name());
    zones.dedup();
    let mut states: Vec<_> = sites.iter().filter_map(|site| site.state).collect();
    states.sort_unstable();
    states.dedup();
    let mut source = Vec::new();
    for row in sites.iter().flat_map(|site| law::rows(class, site.state, site.date(at))) {
        let cited = row.cited();
        if !source.contains(&cited) {
            source.push(cited);
        }
    }
    Seen {
        zones: zones.into_iter().map(|zone| zone.name().to_owned()).collect(),
        states: states.into_iter().map(ToOwned::to_owned).collect(),
        rule: words::rule(class, sites, at),
        source,
        found_by,
    }
}
