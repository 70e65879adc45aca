//! Time of a visit in words: the day and the arrival window, in the business's time zone.

use chrono::{DateTime, Datelike, Duration, Utc};
use chrono_tz::Tz;

use crate::documents::{
    date_format::{self, format_clock, meridiem},
    template::Language,
};

/// "Tue, Nov 24, 8:00-10:00 AM"; without a window the hour alone.
#[must_use]
pub fn format_arrival_window(starts: DateTime<Utc>, arrival_minutes: i64, zone: Tz, language: Language) -> String {
    let from = starts.with_timezone(&zone);
    let to = (starts + Duration::minutes(arrival_minutes)).with_timezone(&zone);
    let hours = match (arrival_minutes > 0, meridiem(&from) == meridiem(&to)) {
        (false, _) => format!("{} {}", format_clock(&from), meridiem(&from)),
        (true, true) => format!("{}-{} {}", format_clock(&from), format_clock(&to), meridiem(&to)),
        (true, false) => format!("{} {}-{} {}", format_clock(&from), meridiem(&from), format_clock(&to), meridiem(&to)),
    };
    let on = from.date_naive();
    let (day, month) = (date_format::short_weekday_name(on, language), date_format::short_month_name(on, language));
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
    fn arrival_window_is_formatted_in_local_time_and_language() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let eight = at("2026-11-24T14:00:00Z");
        assert_eq!(format_arrival_window(eight, 0, Chicago, Language::En), "Tue, Nov 24, 8:00 AM");
        assert_eq!(format_arrival_window(eight, 120, Chicago, Language::En), "Tue, Nov 24, 8:00-10:00 AM");
        assert_eq!(
            format_arrival_window(at("2026-11-24T17:30:00Z"), 60, Chicago, Language::En),
            "Tue, Nov 24, 11:30 AM-12:30 PM"
        );
        assert_eq!(
            format_arrival_window(at("2026-11-25T18:00:00Z"), 60, Chicago, Language::Es),
            "mié 25 nov, 12:00-1:00 PM"
        );
    }
}
