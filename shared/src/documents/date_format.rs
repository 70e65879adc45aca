//! What days, months and hours are called in the languages of customers.

use chrono::{DateTime, Datelike, NaiveDate, Timelike};
use chrono_tz::Tz;

use crate::documents::template::Language;

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
/// Letters of a shortened name.
const SHORT: usize = 3;

/// "November", "noviembre".
#[must_use]
pub fn month(day: NaiveDate, language: Language) -> &'static str {
    MONTHS[language as usize][day.month0() as usize]
}

/// "Nov", "nov".
#[must_use]
pub fn short_month(day: NaiveDate, language: Language) -> &'static str {
    short(month(day, language))
}

/// "Tuesday", "martes".
#[must_use]
pub fn weekday(day: NaiveDate, language: Language) -> &'static str {
    WEEKDAYS[language as usize][day.weekday().num_days_from_monday() as usize]
}

/// The same for a text, without the accent of "sábado": GSM-7 has no such letter, and one of them halves what fits into
/// a text.
#[must_use]
pub fn texted_weekday(day: NaiveDate, language: Language) -> &'static str {
    match weekday(day, language) {
        "sábado" => "sabado",
        other => other,
    }
}

/// "Tue", "mar"; for a text too.
#[must_use]
pub fn short_weekday(day: NaiveDate, language: Language) -> &'static str {
    short(texted_weekday(day, language))
}

fn short(name: &'static str) -> &'static str {
    name.char_indices().nth(SHORT).map_or(name, |(end, _)| &name[..end])
}

/// "November 3, 2026", "3 de noviembre de 2026".
#[must_use]
pub fn long_date(day: NaiveDate, language: Language) -> String {
    let month = month(day, language);
    match language {
        Language::En => format!("{month} {}, {}", day.day(), day.year()),
        Language::Es => format!("{} de {month} de {}", day.day(), day.year()),
    }
}

/// "Nov 3, 2026", "3 nov 2026".
#[must_use]
pub fn date(day: NaiveDate, language: Language) -> String {
    let month = short_month(day, language);
    match language {
        Language::En => format!("{month} {}, {}", day.day(), day.year()),
        Language::Es => format!("{} {month} {}", day.day(), day.year()),
    }
}

/// "Dec 5", "el 5 dic": a day of these weeks, within a sentence.
#[must_use]
pub fn spoken(day: NaiveDate, language: Language) -> String {
    let month = short_month(day, language);
    match language {
        Language::En => format!("{month} {}", day.day()),
        Language::Es => format!("el {} {month}", day.day()),
    }
}

/// "10:05 AM", in both languages.
#[must_use]
pub fn hour(at: &DateTime<Tz>) -> String {
    format!("{} {}", clock(at), half(at))
}

/// "10:05".
pub(crate) fn clock(at: &DateTime<Tz>) -> String {
    format!("{}:{:02}", at.hour12().1, at.minute())
}

/// "AM".
pub(crate) fn half(at: &DateTime<Tz>) -> &'static str {
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
    fn a_day_reads_as_people_write_it() {
        let (tuesday, saturday) = (day("2026-11-03"), day("2026-09-05"));
        assert_eq!(Language::default() as usize, 0, "English comes first in the tables");
        assert_eq!([month(tuesday, Language::En), month(tuesday, Language::Es)], ["November", "noviembre"]);
        assert_eq!([short_month(saturday, Language::En), short_month(saturday, Language::Es)], ["Sep", "sep"]);
        assert_eq!([weekday(saturday, Language::En), weekday(saturday, Language::Es)], ["Saturday", "sábado"]);
        assert_eq!(texted_weekday(saturday, Language::Es), "sabado");
        assert_eq!(
            [short_weekday(saturday, Language::Es), short_weekday(day("2026-11-04"), Language::Es)],
            ["sab", "mié"]
        );
        assert_eq!(long_date(tuesday, Language::En), "November 3, 2026");
        assert_eq!(long_date(tuesday, Language::Es), "3 de noviembre de 2026");
        assert_eq!([date(tuesday, Language::En), date(tuesday, Language::Es)], ["Nov 3, 2026", "3 nov 2026"]);
        assert_eq!([spoken(tuesday, Language::En), spoken(tuesday, Language::Es)], ["Nov 3", "el 3 nov"]);
    }

    #[test]
    fn noon_and_midnight_are_twelve() {
        let at = |hour| chrono_tz::America::Chicago.with_ymd_and_hms(2026, 11, 3, hour, 5, 0).unwrap();
        let said: Vec<String> = [0, 9, 12, 23].map(|hour| super::hour(&at(hour))).into();
        assert_eq!(said, ["12:05 AM", "9:05 AM", "12:05 PM", "11:05 PM"]);
    }
}
