//! Contact hours: when a text may reach a person, by the time zone and law of the person's place.
//!
//! The area code and the ZIP code of the work may point to several states and time zones. All apply at once, so the
//! strictest wins.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{clock::Entropy, phone::Phone};

pub mod courtesy;
mod law;
#[cfg(test)]
pub(crate) mod oracle;
mod places;
pub mod reminder;
#[cfg(test)]
mod tests;
mod words;

use places::{CoverageArea, StateZone};

/// Search limit: longer than any run of Sundays and public holidays.
const HORIZON_DAYS: i64 = 15;
/// Maximum jitter after the opening, so that waiting texts do not all go in one minute (trust requirement 33).
pub const MAX_SEND_JITTER: Duration = Duration::minutes(30);
/// With less time than this left in the window, a text waits for the next one (trust requirement 34).
const MIN_WINDOW_LEFT: Duration = Duration::seconds(60);

/// States of an area code, by their two letters; none for toll-free and unknown codes.
#[must_use]
pub fn list_area_code_states(code: &str) -> &'static [String] {
    places::find_by_area_code(code).map(|area| area.states.as_slice()).unwrap_or_default()
}

/// What a text is for, which decides its hours (CTIA messaging principles).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[schema(as = MessageClass)]
pub enum ContactClass {
    /// Answers what the person asked within the last ten minutes.
    Conversational,
    /// About work the person has asked for: a reminder, a status.
    Informational,
    /// Anything that asks for more business, a review included.
    Promotional,
}

impl ContactClass {
    pub const ALL: [Self; 3] = [Self::Conversational, Self::Informational, Self::Promotional];
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContactWindow {
    /// Allowed until `until`, exclusive; none means at any hour.
    Open { until: Option<DateTime<Utc>> },
    /// Not allowed before `opens`, the start of a period long enough for [`add_send_jitter`]. When no hour suits all
    /// possible places, `why` says so and `opens` is when to check again.
    Closed { opens: DateTime<Utc>, why: String },
}

/// What decided, kept with the message as the reason that people see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QuietHoursSeen)]
pub struct QuietHoursEvidence {
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

/// Whether the table has this North American area code: state, DC, territory or province.
#[must_use]
pub(crate) fn is_area_code(code: &str) -> bool {
    places::find_by_area_code(code).is_some()
}

/// Whether a text of `class` may reach `phone` at `at`, with work at `zip`, and the evidence.
#[must_use]
pub fn check_window(
    class: ContactClass,
    phone: &Phone,
    zip: Option<&str>,
    at: DateTime<Utc>,
) -> (ContactWindow, QuietHoursEvidence) {
    let (places, found_by) = resolve_places(phone, zip);
    let sites = places::expand_state_zones(&places);
    let seen = build_evidence(class, &sites, at, found_by);
    if class == ContactClass::Conversational {
        return (ContactWindow::Open { until: None }, seen);
    }
    (check_zones(class, &sites, at), seen)
}

/// Send time of a text that waited for `opens`: up to 30 minutes of jitter. Periods named by [`ContactWindow::Closed`]
/// are longer, so it stays in the window.
#[must_use]
pub fn add_send_jitter(opens: DateTime<Utc>, entropy: &Entropy) -> DateTime<Utc> {
    #[expect(clippy::cast_possible_truncation, reason = "at most 1,800,000 milliseconds")]
    #[expect(clippy::cast_precision_loss, reason = "at most 1,800,000 milliseconds")]
    let jitter = (MAX_SEND_JITTER.num_milliseconds() as f64 * entropy.random_fraction()) as i64;
    opens + Duration::milliseconds(jitter)
}

/// All places of the number and ZIP code. An unknown number may be anywhere in the country.
fn resolve_places(phone: &Phone, zip: Option<&str>) -> (Vec<&'static CoverageArea>, Vec<String>) {
    let code = places::area_code(phone);
    let by_code = code.and_then(places::find_by_area_code);
    let mut found = vec![by_code.unwrap_or_else(places::nationwide_coverage)];
    let mut found_by = vec![match (code, by_code) {
        (Some(code), Some(_)) => format!("area code {code}"),
        _ => "a number that belongs to no place".to_owned(),
    }];
    if let Some((zip, place)) = zip.and_then(places::find_by_zip) {
        found.push(place);
        found_by.push(format!("ZIP {zip}"));
    }
    (found, found_by)
}

fn check_zones(class: ContactClass, sites: &[StateZone], at: DateTime<Utc>) -> ContactWindow {
    if let Some(until) = open_until(class, sites, at) {
        return ContactWindow::Open { until: Some(until) };
    }
    let mut starts: Vec<_> = sites
        .iter()
        .flat_map(|site| site.list_openings(class, at, HORIZON_DAYS))
        .map(|opening| opening.opens)
        .collect();
    starts.sort_unstable();
    let next = starts.into_iter().find(|&opens| {
        opens > at
            && open_until(class, sites, opens).is_some_and(|closes| closes - opens >= MAX_SEND_JITTER + MIN_WINDOW_LEFT)
    });
    match next {
        Some(opens) => ContactWindow::Closed { opens, why: words::explain_closed(class, sites, at) },
        None => {
            ContactWindow::Closed { opens: at + Duration::days(HORIZON_DAYS), why: words::explain_never_open(sites) }
        }
    }
}

/// The earliest closing among the sites, if all are open at `at`.
fn open_until(class: ContactClass, sites: &[StateZone], at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    sites
        .iter()
        .map(|site| {
            site.list_openings(class, at, 0).into_iter().find(|o| o.opens <= at && at < o.closes).map(|o| o.closes)
        })
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .min()
}

fn build_evidence(
    class: ContactClass,
    sites: &[StateZone],
    at: DateTime<Utc>,
    found_by: Vec<String>,
) -> QuietHoursEvidence {
    let mut zones: Vec<Tz> = sites.iter().map(|site| site.zone).collect();
    zones.sort_unstable_by_key(|zone| zone.name());
    zones.dedup();
    let mut states: Vec<_> = sites.iter().filter_map(|site| site.state).collect();
    states.sort_unstable();
    states.dedup();
    let mut source = Vec::new();
    for row in sites.iter().flat_map(|site| law::matching_rules(class, site.state, site.local_date(at))) {
        let cited = row.format_citation();
        if !source.contains(&cited) {
            source.push(cited);
        }
    }
    QuietHoursEvidence {
        zones: zones.into_iter().map(|zone| zone.name().to_owned()).collect(),
        states: states.into_iter().map(ToOwned::to_owned).collect(),
        rule: words::describe_rule(class, sites, at),
        source,
        found_by,
    }
}
