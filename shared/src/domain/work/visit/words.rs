//! When a visit is, in words: the day and the window in which the crew arrives, on the business's clock.

use chrono::{DateTime, Datelike, Duration, Utc};
use chrono_tz::Tz;

use crate::documents::{
    date_format::{self, clock, half},
    template::Language,
};

/// "Tue, Nov 24, 8:00-10:00 AM"; without a window the hour alone.
#[must_use]
pub fn window(starts: DateTime<Utc>, arrival_minutes: i64, zone: Tz, language: Language) -> String {
    let from = starts.with_timezone(&zone);
    let to = (starts + Duration::minutes(arrival_minutes)).with_timezone(&zone);
    let hours = match (arrival_minutes > 0, half(&from) == half(&to)) {
        (false, _) => format!("{} {}", clock(&from), half(&from)),
        (true, true) => format!("{}-{} {}", clock(&from), clock(&to), half(&to)),
        (true, false) => format!("{} {}-{} {}", clock(&from), half(&from), clock(&to), half(&to)),
    };
    let on = from.date_naive();
    let (day, month) = (date_format::short_weekday(on, language), date_format::short_month(on, language));
    match language {
        Language::En => format!("{day}, {month} {}, {hours}", from.day()),
        Language::Es => format!("{day} {} {month}, {hours}", from.day()),
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Chicago;

    use super::*;

    #[test]
    fn the_window_is_said_as_people_say_it() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let eight = at("2026-11-24T14:00:00Z");
        assert_eq!(window(eight, 0, Chicago, Language::En), "Tue, Nov 24, 8:00 AM");
        assert_eq!(window(eight, 120, Chicago, Language::En), "Tue, Nov 24, 8:00-10:00 AM");
        assert_eq!(window(at("2026-11-24T17:30:00Z"), 60, Chicago, Language::En), "Tue, Nov 24, 11:30 AM-12:30 PM");
        assert_eq!(window(at("2026-11-25T18:00:00Z"), 60, Chicago, Language::Es), "mié 25 nov, 12:00-1:00 PM");
    }
}
