//! The hours of the law and our own, from a dated table with a source for every row.

use std::sync::LazyLock;

use chrono::{Datelike, Duration, NaiveDate, NaiveTime, Timelike, Weekday};
use serde::Deserialize;

use super::Class;

/// The provinces and territories of Canada; `Canada` in the table means all of them.
const PROVINCES: [&str; 13] = ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"];

/// One row of the table.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub area: String,
    pub class: Class,
    pub days: Days,
    /// Both empty where no hour is allowed on those days.
    from: Option<String>,
    to: Option<String>,
    certainty: Certainty,
    checked_on: NaiveDate,
    source: String,
}

/// The days a row speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Days {
    MonSun,
    MonSat,
    MonFri,
    Sat,
    Sun,
    SatSun,
    Holiday,
}

/// How well a row is known.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Certainty {
    Statute,
    Secondary,
    House,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_str!("state_hours.csv").as_bytes())
        .deserialize()
        .map(|row| row.expect("a row of the law"))
        .collect()
});

/// The rows that hold for texts of `class` in `state` on `date`.
pub(super) fn rows(class: Class, state: Option<&str>, date: NaiveDate) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.class == class && row.covers(state) && row.days.contain(date))
}

/// Minutes after midnight from which and up to which texts of `class` may go in `state` on `date`: what all rows allow.
pub(super) fn hours(class: Class, state: Option<&str>, date: NaiveDate) -> Option<(i64, i64)> {
    rows(class, state, date)
        .try_fold((0, 24 * 60), |(from, to), row| row.minutes().map(|(f, t)| (from.max(f), to.min(t))))
        .filter(|(from, to)| from < to)
}

impl Row {
    fn covers(&self, state: Option<&str>) -> bool {
        match self.area.as_str() {
            "*" => true,
            "Canada" => state.is_some_and(|state| PROVINCES.contains(&state)),
            area => state == Some(area),
        }
    }

    /// None where the row allows no hour at all.
    pub fn minutes(&self) -> Option<(i64, i64)> {
        Some((minutes(self.from.as_deref()?), minutes(self.to.as_deref()?)))
    }

    /// The row's source, how sure it is, and when it was checked.
    pub fn cited(&self) -> String {
        let certainty = match self.certainty {
            Certainty::Statute => "statute read",
            Certainty::Secondary => "from published tables",
            Certainty::House => "our own rule",
        };
        let area = if self.area == "*" { "everywhere" } else { &self.area };
        format!("{area}: {} ({certainty}, checked {})", self.source, self.checked_on)
    }
}

impl Days {
    fn contain(self, date: NaiveDate) -> bool {
        let day = date.weekday();
        match self {
            Self::MonSun => true,
            Self::MonSat => day != Weekday::Sun,
            Self::MonFri => !matches!(day, Weekday::Sat | Weekday::Sun),
            Self::Sat => day == Weekday::Sat,
            Self::Sun => day == Weekday::Sun,
            Self::SatSun => matches!(day, Weekday::Sat | Weekday::Sun),
            Self::Holiday => is_holiday(date),
        }
    }
}

fn minutes(written: &str) -> i64 {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    let time = NaiveTime::parse_from_str(written, "%H:%M").expect("a time such as 08:00");
    i64::from(time.num_seconds_from_midnight() / 60)
}

/// Whether `date` is one of the eleven federal holidays (5 U.S.C. 6103), or the day on which one that falls on a
/// weekend is kept.
pub(super) fn is_holiday(date: NaiveDate) -> bool {
    let day = Duration::days(1);
    is_fixed_holiday(date)
        || date.weekday() == Weekday::Mon && is_fixed_holiday(date - day)
        || date.weekday() == Weekday::Fri && is_fixed_holiday(date + day)
        || matches!(
            (date.month(), date.weekday(), date.day()),
            (1 | 2, Weekday::Mon, 15..=21)
                | (5, Weekday::Mon, 25..)
                | (9, Weekday::Mon, ..=7)
                | (10, Weekday::Mon, 8..=14)
                | (11, Weekday::Thu, 22..=28)
        )
}

fn is_fixed_holiday(date: NaiveDate) -> bool {
    matches!((date.month(), date.day()), (1, 1) | (6, 19) | (7, 4) | (11, 11) | (12, 25))
}

#[cfg(test)]
pub(super) fn table() -> &'static [Row] {
    &ROWS
}
