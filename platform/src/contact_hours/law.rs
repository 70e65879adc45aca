//! Legal hours and our own stricter ones, from a dated table with a source for every row.

use std::sync::LazyLock;

use chrono::{Datelike, Duration, NaiveDate, NaiveTime, Timelike, Weekday};
use serde::Deserialize;

use super::ContactClass;

/// Canadian provinces and territories; `Canada` in the table means all of them.
const PROVINCES: [&str; 13] = ["AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"];

#[derive(Debug, Deserialize)]
pub(super) struct ContactHoursRule {
    pub area: String,
    pub class: ContactClass,
    pub days: RuleDays,
    /// Both empty when no hour is allowed on those days.
    from: Option<String>,
    to: Option<String>,
    certainty: SourceCertainty,
    checked_on: NaiveDate,
    source: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RuleDays {
    MonSun,
    MonSat,
    MonFri,
    Sat,
    Sun,
    SatSun,
    Holiday,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SourceCertainty {
    Statute,
    Secondary,
    House,
}

static RULES: LazyLock<Vec<ContactHoursRule>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(include_str!("state_hours.csv").as_bytes())
        .deserialize()
        .map(|row| row.expect("a row of the law"))
        .collect()
});

pub(super) fn matching_rules(
    class: ContactClass,
    state: Option<&str>,
    date: NaiveDate,
) -> impl Iterator<Item = &'static ContactHoursRule> {
    RULES.iter().filter(move |row| row.class == class && row.applies_to_state(state) && row.days.includes_date(date))
}

/// Minutes after midnight (start, end) allowed by all applicable rows.
pub(super) fn allowed_hours(class: ContactClass, state: Option<&str>, date: NaiveDate) -> Option<(i64, i64)> {
    matching_rules(class, state, date)
        .try_fold((0, 24 * 60), |(from, to), row| row.allowed_minutes().map(|(f, t)| (from.max(f), to.min(t))))
        .filter(|(from, to)| from < to)
}

impl ContactHoursRule {
    fn applies_to_state(&self, state: Option<&str>) -> bool {
        match self.area.as_str() {
            "*" => true,
            "Canada" => state.is_some_and(|state| PROVINCES.contains(&state)),
            area => state == Some(area),
        }
    }

    /// None when the row allows no hour.
    pub fn allowed_minutes(&self) -> Option<(i64, i64)> {
        Some((parse_minute_of_day(self.from.as_deref()?), parse_minute_of_day(self.to.as_deref()?)))
    }

    pub fn format_citation(&self) -> String {
        let certainty = match self.certainty {
            SourceCertainty::Statute => "statute read",
            SourceCertainty::Secondary => "from published tables",
            SourceCertainty::House => "our own rule",
        };
        let area = if self.area == "*" { "everywhere" } else { &self.area };
        format!("{area}: {} ({certainty}, checked {})", self.source, self.checked_on)
    }
}

impl RuleDays {
    fn includes_date(self, date: NaiveDate) -> bool {
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

fn parse_minute_of_day(written: &str) -> i64 {
    #[expect(clippy::expect_used, reason = "a file of ours that a test reads whole")]
    let time = NaiveTime::parse_from_str(written, "%H:%M").expect("a time such as 08:00");
    i64::from(time.num_seconds_from_midnight() / 60)
}

/// Whether `date` is one of the eleven federal holidays (5 U.S.C. 6103) or the observed day of one on a weekend.
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
pub(super) fn table() -> &'static [ContactHoursRule] {
    &RULES
}
