//! Where a number and a ZIP code may be: states and time zones, from two dated tables.

use std::{collections::HashMap, sync::LazyLock};

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc};
use chrono_tz::Tz;

use super::{Class, law};
use crate::platform::{business_hours::instant, phone::Phone};

/// What an area code or the beginning of a ZIP code covers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub states: Vec<String>,
    pub zones: Vec<Tz>,
}

/// One state in one of its time zones; no state means only the rules that hold everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub state: Option<&'static str>,
    pub zone: Tz,
}

static AREA_CODES: LazyLock<HashMap<String, Place>> = LazyLock::new(|| read(include_str!("area_codes.csv")));
static ZIPS: LazyLock<HashMap<String, Place>> = LazyLock::new(|| read(include_str!("zip3.csv")));
/// Toll-free numbers and codes the table does not know: the four zones of the continent, no state.
static ANYWHERE: LazyLock<Place> = LazyLock::new(|| Place {
    states: Vec::new(),
    zones: vec![Tz::America__New_York, Tz::America__Chicago, Tz::America__Denver, Tz::America__Los_Angeles],
});

/// The three digits after the country code of a North American number.
pub(super) fn area_code(phone: &Phone) -> Option<&str> {
    phone.as_e164().strip_prefix("+1").filter(|digits| digits.len() == 10).and_then(|digits| digits.get(..3))
}

pub(super) fn by_area_code(code: &str) -> Option<&'static Place> {
    AREA_CODES.get(code)
}

/// The five digits that were read of what a person typed (`33101`, `33101-1234`), and their place. None for what is no
/// US ZIP code, and for the armed forces' abroad.
pub(super) fn by_zip(typed: &str) -> Option<(&str, &'static Place)> {
    let five = typed.trim().get(..5).filter(|five| five.bytes().all(|byte| byte.is_ascii_digit()))?;
    [5, 4, 3].into_iter().find_map(|digits| ZIPS.get(&five[..digits])).map(|place| (five, place))
}

pub(super) fn anywhere() -> &'static Place {
    &ANYWHERE
}

/// Every state of every place in every zone of that place, each once.
pub(super) fn sites(places: &[&'static Place]) -> Vec<Site> {
    let mut found = Vec::new();
    for place in places {
        let states = place.states.iter().map(|state| Some(state.as_str()));
        let states: Vec<_> = if place.states.is_empty() { vec![None] } else { states.collect() };
        for &zone in &place.zones {
            for &state in &states {
                let site = Site { state, zone };
                if !found.contains(&site) {
                    found.push(site);
                }
            }
        }
    }
    found
}

/// A stretch of time in which texts may go to one site: from `opens` up to but not at `closes`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub opens: DateTime<Utc>,
    pub closes: DateTime<Utc>,
}

impl Site {
    /// The date on the calendars there.
    pub fn date(self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.zone).date_naive()
    }

    /// When texts may go there, from the day of `at` to `days` later.
    pub fn openings(self, class: Class, at: DateTime<Utc>, days: i64) -> Vec<Opening> {
        let today = self.date(at);
        (0..=days).filter_map(|days| self.opening(class, today + Duration::days(days))).collect()
    }

    fn opening(self, class: Class, date: NaiveDate) -> Option<Opening> {
        let (from, to) = law::hours(class, self.state, date)?;
        let at = |minutes: i64| instant(self.zone, date.and_time(NaiveTime::MIN) + Duration::minutes(minutes));
        Some(Opening { opens: at(from), closes: at(to) })
    }
}

fn read(file: &str) -> HashMap<String, Place> {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(file.as_bytes())
        .deserialize::<(String, String, String)>()
        .map(|row| {
            let (key, states, zones) = row.expect("three columns");
            let states = states.split(' ').map(ToOwned::to_owned).collect();
            let zones = zones.split(' ').map(|name| name.parse().expect("a time zone")).collect();
            (key, Place { states, zones })
        })
        .collect()
}

#[cfg(test)]
pub(super) fn area_codes() -> &'static HashMap<String, Place> {
    &AREA_CODES
}

#[cfg(test)]
pub(super) fn zips() -> &'static HashMap<String, Place> {
    &ZIPS
}
