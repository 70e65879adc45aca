//! Business hours: openings per weekday, also across midnight, and closed dates.

use chrono::{NaiveDate, NaiveTime, Weekday};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use crate::error::{FieldErrors, Result};

#[cfg(test)]
mod tests;
mod when;

pub use when::local_to_utc;
pub use when::next_local_time;

/// Per day.
pub const MAX_SPANS: usize = 4;
/// Per org.
pub const MAX_CLOSED_DATES: usize = 200;
/// In characters.
pub const MAX_LABEL_CHARS: usize = 60;

/// The business hours of an org, in its own time zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessHours {
    pub week: BusinessWeek,
    /// At most 200, each date once.
    #[serde(default)]
    #[schema(max_items = 200)]
    pub closed_dates: Vec<ClosedDate>,
}

/// The openings of each weekday, at most four a day; an empty list is a day off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BusinessWeek {
    pub mon: Vec<OpenSpan>,
    pub tue: Vec<OpenSpan>,
    pub wed: Vec<OpenSpan>,
    pub thu: Vec<OpenSpan>,
    pub fri: Vec<OpenSpan>,
    pub sat: Vec<OpenSpan>,
    pub sun: Vec<OpenSpan>,
}

/// One opening. Closing at or before the opening time means on the next day: 21:00 to 02:00; 00:00 to 00:00 is a
/// whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSpan {
    pub opens: WallTime,
    pub closes: WallTime,
}

/// A time on the wall clock, written `08:00`. One that cannot be read is kept as such, so that
/// [`BusinessHours::validate_hours`] can name its field; nothing is ever open by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, example = "08:00")]
pub struct WallTime(Option<NaiveTime>);

/// A date on which no opening begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClosedDate {
    pub date: NaiveDate,
    /// What the day is called: "Christmas". At most 60 characters, may be empty.
    #[serde(default)]
    #[schema(max_length = 60)]
    pub label: String,
}

/// What a business is at some instant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "state", content = "label", rename_all = "camelCase")]
pub enum OpenState {
    Open,
    AfterHours,
    /// Closed, on a closed date of this name.
    Holiday(String),
}

impl Default for BusinessWeek {
    fn default() -> Self {
        let day = || vec![OpenSpan { opens: WallTime::at_hour(8), closes: WallTime::at_hour(17) }];
        Self { mon: day(), tue: day(), wed: day(), thu: day(), fri: day(), sat: Vec::new(), sun: Vec::new() }
    }
}

impl BusinessWeek {
    #[must_use]
    pub fn spans_on(&self, day: Weekday) -> &[OpenSpan] {
        match day {
            Weekday::Mon => &self.mon,
            Weekday::Tue => &self.tue,
            Weekday::Wed => &self.wed,
            Weekday::Thu => &self.thu,
            Weekday::Fri => &self.fri,
            Weekday::Sat => &self.sat,
            Weekday::Sun => &self.sun,
        }
    }
}

impl WallTime {
    /// Accepts `08:00`, `8:00`, and `24:00` as midnight.
    #[must_use]
    pub fn parse(typed: &str) -> Self {
        let typed = typed.trim();
        Self(if typed == "24:00" { Some(NaiveTime::MIN) } else { NaiveTime::parse_from_str(typed, "%H:%M").ok() })
    }

    #[must_use]
    pub fn to_naive_time(self) -> Option<NaiveTime> {
        self.0
    }

    fn at_hour(hour: u32) -> Self {
        Self(NaiveTime::from_hms_opt(hour, 0, 0))
    }
}

impl Serialize for WallTime {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.map(|time| time.format("%H:%M").to_string()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for WallTime {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(from).map(|typed| Self::parse(&typed))
    }
}

impl OpenSpan {
    /// Start and end in minutes after midnight; the end of a span across midnight exceeds 1440.
    fn minute_range(self) -> Option<(i64, i64)> {
        let (opens, closes) = (when::minute_of_day(self.opens.0?), when::minute_of_day(self.closes.0?));
        Some((opens, if closes <= opens { closes + when::MINUTES_PER_DAY } else { closes }))
    }
}

/// Field names of one weekday; constants because field errors are keyed by them.
struct DayFields {
    day: Weekday,
    name: &'static str,
    list: &'static str,
    spans: [[&'static str; 2]; MAX_SPANS],
}

macro_rules! day_fields {
    ($day:ident, $key:literal, $name:literal) => {
        DayFields {
            day: Weekday::$day,
            name: $name,
            list: concat!("hours.week.", $key),
            spans: [day_fields!($key, "0"), day_fields!($key, "1"), day_fields!($key, "2"), day_fields!($key, "3")],
        }
    };
    ($key:literal, $index:literal) => {
        [concat!("hours.week.", $key, "[", $index, "].opens"), concat!("hours.week.", $key, "[", $index, "].closes")]
    };
}

const DAYS: [DayFields; 7] = [
    day_fields!(Mon, "mon", "Monday"),
    day_fields!(Tue, "tue", "Tuesday"),
    day_fields!(Wed, "wed", "Wednesday"),
    day_fields!(Thu, "thu", "Thursday"),
    day_fields!(Fri, "fri", "Friday"),
    day_fields!(Sat, "sat", "Saturday"),
    day_fields!(Sun, "sun", "Sunday"),
];

impl BusinessHours {
    /// Names the faulty field: `hours.week.mon[0].closes`. Errors: [`crate::error::Error::Invalid`].
    pub fn validate_hours(&self) -> Result<()> {
        let mut fields = FieldErrors::default();
        self.validate_into(&mut fields);
        fields.into_result()
    }

    pub fn validate_into(&self, fields: &mut FieldErrors) {
        for names in &DAYS {
            validate_day(names, self.week.spans_on(names.day), fields);
        }
        self.validate_closed_dates(fields);
    }

    fn validate_closed_dates(&self, fields: &mut FieldErrors) {
        const FIELD: &str = "hours.closedDates";
        if self.closed_dates.len() > MAX_CLOSED_DATES {
            fields.add(FIELD, format!("Keep at most {MAX_CLOSED_DATES} closed dates; remove some that are past"));
        }
        let mut dates: Vec<_> = self.closed_dates.iter().map(|closed| closed.date).collect();
        dates.sort_unstable();
        if let Some(twice) = dates.windows(2).find(|pair| pair[0] == pair[1]) {
            fields.add(FIELD, format!("{} is in the list twice", format_date(twice[0])));
        }
        for closed in &self.closed_dates {
            if closed.label.chars().count() > MAX_LABEL_CHARS {
                let date = format_date(closed.date);
                fields.add(FIELD, format!("The name of {date} is too long; use at most {MAX_LABEL_CHARS} characters"));
            }
        }
    }
}

fn validate_day(names: &DayFields, spans: &[OpenSpan], fields: &mut FieldErrors) {
    if spans.len() > MAX_SPANS {
        fields.add(names.list, format!("{} can have at most {MAX_SPANS} openings", names.name));
    }
    let mut earlier: Vec<(i64, i64)> = Vec::new();
    for (span, [opens, closes]) in spans.iter().zip(names.spans) {
        for (field, time) in [(opens, span.opens), (closes, span.closes)] {
            if time.to_naive_time().is_none() {
                fields.add(field, "Write a time such as 08:00 or 17:30");
            }
        }
        let Some((from, to)) = span.minute_range() else { continue };
        if earlier.iter().any(|&(start, end)| from < end && start < to) {
            fields.add(opens, format!("This overlaps with another opening on {}", names.name));
        }
        earlier.push((from, to));
    }
}

fn format_date(date: NaiveDate) -> String {
    date.format("%B %-d, %Y").to_string()
}
