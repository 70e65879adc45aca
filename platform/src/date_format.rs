//! Names of days, months and hours in the customers' languages.

use chrono::{DateTime, Datelike, NaiveDate, Timelike};
use chrono_tz::Tz;

use crate::language::Language;

const MONTHS: [[&str; 12]; 2] = [
    [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
];
const WEEKDAYS: [[&str; 7]; 2] = [
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"],
];
const SHORT: usize = 3;

/// "November", "noviembre".
#[must_use]
pub fn month_name(day: NaiveDate, language: Language) -> &'static str {
    MONTHS[language as usize][day.month0() as usize]
}

/// "Nov", "nov".
#[must_use]
pub fn short_month_name(day: NaiveDate, language: Language) -> &'static str {
    shorten_name(month_name(day, language))
}

/// "Tuesday", "martes".
#[must_use]
pub fn weekday_name(day: NaiveDate, language: Language) -> &'static str {
    WEEKDAYS[language as usize][day.weekday().num_days_from_monday() as usize]
}

/// Without the accent of "sábado": GSM-7 lacks "á", and one such letter halves the capacity of a text.
#[must_use]
pub fn sms_weekday_name(day: NaiveDate, language: Language) -> &'static str {
    match weekday_name(day, language) {
        "sábado" => "sabado",
        other => other,
    }
}

/// "Tue", "mar"; safe for texts.
#[must_use]
pub fn short_weekday_name(day: NaiveDate, language: Language) -> &'static str {
    shorten_name(sms_weekday_name(day, language))
}

fn shorten_name(name: &'static str) -> &'static str {
    name.char_indices().nth(SHORT).map_or(name, |(end, _)| &name[..end])
}

/// "November 3, 2026", "3 de noviembre de 2026".
#[must_use]
pub fn format_long_date(day: NaiveDate, language: Language) -> String {
    let month = month_name(day, language);
    match language {
        Language::En => format!("{month} {}, {}", day.day(), day.year()),
        Language::Es => format!("{} de {month} de {}", day.day(), day.year()),
    }
}

/// "Nov 3, 2026", "3 nov 2026".
#[must_use]
pub fn format_date(day: NaiveDate, language: Language) -> String {
    let month = short_month_name(day, language);
    match language {
        Language::En => format!("{month} {}, {}", day.day(), day.year()),
        Language::Es => format!("{} {month} {}", day.day(), day.year()),
    }
}

/// "Dec 5", "el 5 dic": a near date within a sentence.
#[must_use]
pub fn format_month_day(day: NaiveDate, language: Language) -> String {
    let month = short_month_name(day, language);
    match language {
        Language::En => format!("{month} {}", day.day()),
        Language::Es => format!("el {} {month}", day.day()),
    }
}

/// "10:05 AM", in both languages.
#[must_use]
pub fn format_time(at: &DateTime<Tz>) -> String {
    format!("{} {}", format_clock(at), meridiem(at))
}

#[must_use]
pub fn format_clock(at: &DateTime<Tz>) -> String {
    format!("{}:{:02}", at.hour12().1, at.minute())
}

#[must_use]
pub fn meridiem(at: &DateTime<Tz>) -> &'static str {
    if at.hour12().0 { "PM" } else { "AM" }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn date_parts_are_written_in_english_and_spanish() {
        let (tuesday, saturday) = (day("2026-11-03"), day("2026-09-05"));
        assert_eq!(Language::default() as usize, 0, "English comes first in the tables");
        assert_eq!([month_name(tuesday, Language::En), month_name(tuesday, Language::Es)], ["November", "noviembre"]);
        assert_eq!(
            [short_month_name(saturday, Language::En), short_month_name(saturday, Language::Es)],
            ["Sep", "sep"]
        );
        assert_eq!(
            [weekday_name(saturday, Language::En), weekday_name(saturday, Language::Es)],
            ["Saturday", "sábado"]
        );
        assert_eq!(sms_weekday_name(saturday, Language::Es), "sabado");
        assert_eq!(
            [short_weekday_name(saturday, Language::Es), short_weekday_name(day("2026-11-04"), Language::Es)],
            ["sab", "mié"]
        );
        assert_eq!(format_long_date(tuesday, Language::En), "November 3, 2026");
        assert_eq!(format_long_date(tuesday, Language::Es), "3 de noviembre de 2026");
        assert_eq!(
            [format_date(tuesday, Language::En), format_date(tuesday, Language::Es)],
            ["Nov 3, 2026", "3 nov 2026"]
        );
        assert_eq!(
            [format_month_day(tuesday, Language::En), format_month_day(tuesday, Language::Es)],
            ["Nov 3", "el 3 nov"]
        );
    }

    #[test]
    fn noon_and_midnight_are_twelve() {
        let at = |hour| chrono_tz::America::Chicago.with_ymd_and_hms(2026, 11, 3, hour, 5, 0).unwrap();
        let formatted: Vec<String> = [0, 9, 12, 23].map(|hour| super::format_time(&at(hour))).into();
        assert_eq!(formatted, ["12:05 AM", "9:05 AM", "12:05 PM", "11:05 PM"]);
    }
}
