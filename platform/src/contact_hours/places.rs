//! Places of area codes and ZIP codes: states and time zones, from two dated tables.

use std::{collections::HashMap, sync::LazyLock};

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::{ContactClass, law};
use crate::{business_hours::local_to_utc, phone::Phone};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct CoverageArea {
    pub states: Vec<String>,
    pub zones: Vec<Tz>,
}

/// One state in one of its time zones. No state: only the rules that apply everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateZone {
    pub state: Option<&'static str>,
    pub zone: Tz,
}

static AREA_CODES: LazyLock<HashMap<String, CoverageArea>> =
    LazyLock::new(|| parse_coverage_csv(include_str!("area_codes.csv")));
static ZIPS: LazyLock<HashMap<String, CoverageArea>> = LazyLock::new(|| parse_coverage_csv(include_str!("zip3.csv")));
/// Toll-free and unknown codes: the four continental zones, no state.
static NATIONWIDE: LazyLock<CoverageArea> = LazyLock::new(|| CoverageArea {
    states: Vec::new(),
    zones: vec![Tz::America__New_York, Tz::America__Chicago, Tz::America__Denver, Tz::America__Los_Angeles],
});

pub(super) fn area_code(phone: &Phone) -> Option<&str> {
    phone.as_e164().strip_prefix("+1").filter(|digits| digits.len() == 10).and_then(|digits| digits.get(..3))
}

pub(super) fn find_by_area_code(code: &str) -> Option<&'static CoverageArea> {
    AREA_CODES.get(code)
}

/// The five digits of the input (`33101`, `33101-1234`) and their place. None for non-US and overseas military codes.
pub(super) fn find_by_zip(typed: &str) -> Option<(&str, &'static CoverageArea)> {
    let five = typed.trim().get(..5).filter(|five| five.bytes().all(|byte| byte.is_ascii_digit()))?;
    [5, 4, 3].into_iter().find_map(|digits| ZIPS.get(&five[..digits])).map(|place| (five, place))
}

pub(super) fn nationwide_coverage() -> &'static CoverageArea {
    &NATIONWIDE
}

/// Every distinct pair of state and zone of the places.
pub(super) fn expand_state_zones(places: &[&'static CoverageArea]) -> Vec<StateZone> {
    let mut found = Vec::new();
    for place in places {
        let states = place.states.iter().map(|state| Some(state.as_str()));
        let states: Vec<_> = if place.states.is_empty() { vec![None] } else { states.collect() };
        for &zone in &place.zones {
            for &state in &states {
                let site = StateZone { state, zone };
                if !found.contains(&site) {
                    found.push(site);
                }
            }
        }
    }
    found
}

/// Period in which texts may go to one site; `closes` is exclusive.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactOpening {
    pub opens: DateTime<Utc>,
    pub closes: DateTime<Utc>,
}

impl StateZone {
    pub fn local_date(self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.zone).date_naive()
    }

    pub fn list_openings(self, class: ContactClass, at: DateTime<Utc>, days: i64) -> Vec<ContactOpening> {
        let today = self.local_date(at);
        (0..=days).filter_map(|days| self.opening_on(class, today + Duration::days(days))).collect()
    }

    fn opening_on(self, class: ContactClass, date: NaiveDate) -> Option<ContactOpening> {
        let (from, to) = law::allowed_hours(class, self.state, date)?;
        let at = |minutes: i64| local_to_utc(self.zone, date.and_time(NaiveTime::MIN) + Duration::minutes(minutes));
        Some(ContactOpening { opens: at(from), closes: at(to) })
    }
}

fn parse_coverage_csv(file: &str) -> HashMap<String, CoverageArea> {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(file.as_bytes())
        .deserialize::<(String, String, String)>()
        .map(|row| {
            let (key, states, zones) = row.expect("three columns");
            let states = states.split(' ').map(ToOwned::to_owned).collect();
            let zones = zones.split(' ').map(|name| name.parse().expect("a time zone")).collect();
            (key, CoverageArea { states, zones })
        })
        .collect()
}

#[cfg(test)]
pub(super) fn area_codes() -> &'static HashMap<String, CoverageArea> {
    &AREA_CODES
}

#[cfg(test)]
pub(super) fn zips() -> &'static HashMap<String, CoverageArea> {
    &ZIPS
}
