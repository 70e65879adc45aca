//! Sentence that says when a request is read, in the customer's language.

use chrono::{DateTime, NaiveDate, Timelike, Utc};
use chrono_tz::Tz;

use crate::documents::{date_format, template::Language};

/// From this many days on a weekday alone is ambiguous.
const DAYS_PER_WEEK: i64 = 7;

#[derive(Clone, Copy)]
pub(super) struct ReadingTime {
    pub at: DateTime<Utc>,
    pub now: DateTime<Utc>,
    pub zone: Tz,
    /// Whether the business is open now.
    pub is_open: bool,
    /// Whether it is the next opening.
    pub opens: bool,
}

impl ReadingTime {
    pub fn to_sentence(self, language: Language) -> String {
        match language {
            Language::En => self.english_sentence(),
            Language::Es => self.spanish_sentence(),
        }
    }

    fn english_sentence(self) -> String {
        let (day, time) = (self.day_name(Language::En), self.clock_time());
        match (self.is_open, self.opens) {
            (true, _) => format!("We'll read this {day} at {time}."),
            (false, true) => format!("We're closed right now. We'll read this when we open {day} at {time}."),
            (false, false) => format!("We're closed right now. We'll read this {day} at {time}."),
        }
    }

    fn spanish_sentence(self) -> String {
        let (day, time) = (self.day_name(Language::Es), self.clock_time());
        let at = if self.is_at_one() { "a la" } else { "a las" };
        let article = if self.is_today() || self.is_far() { "" } else { "el " };
        match (self.is_open, self.opens) {
            (true, _) => format!("Lo leemos {article}{day} {at} {time}."),
            (false, true) => format!("Ahora estamos cerrados y lo leemos al abrir, {day} {at} {time}."),
            (false, false) => format!("Ahora estamos cerrados y lo leemos {article}{day} {at} {time}."),
        }
    }

    /// `today`, `Monday`; a week or more away `Monday, Dec 7`. A closed business names today's weekday too: the answer
    /// may leave on a later day.
    fn day_name(self, language: Language) -> String {
        let date = self.local_date();
        let weekday = date_format::sms_weekday_name(date, language);
        match language {
            Language::En if self.is_today() && self.is_open => "today".to_owned(),
            Language::Es if self.is_today() && self.is_open => "hoy".to_owned(),
            Language::En if self.is_today() => format!("today ({weekday})"),
            Language::Es if self.is_today() => format!("hoy ({weekday})"),
            Language::En if self.is_far() => format!("{weekday}, {}", date_format::format_month_day(date, language)),
            Language::Es if self.is_far() => date_format::format_month_day(date, language),
            _ => weekday.to_owned(),
        }
    }

    fn clock_time(self) -> String {
        date_format::format_time(&self.at.with_timezone(&self.zone))
    }

    /// One o'clock takes the singular in Spanish.
    fn is_at_one(self) -> bool {
        self.at.with_timezone(&self.zone).hour12().1 == 1
    }

    fn local_date(self) -> NaiveDate {
        self.at.with_timezone(&self.zone).date_naive()
    }

    fn days_away(self) -> i64 {
        (self.local_date() - self.now.with_timezone(&self.zone).date_naive()).num_days()
    }

    fn is_today(self) -> bool {
        self.days_away() == 0
    }

    fn is_far(self) -> bool {
        self.days_away() >= DAYS_PER_WEEK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_sentence_names_today_a_weekday_or_a_date() {
        let sentence = |at: &str, language| {
            let at: DateTime<Utc> = at.parse().unwrap();
            // A Thursday, 3:00 PM in Chicago.
            let now = "2026-09-17T20:00:00Z".parse().unwrap();
            ReadingTime { at, now, zone: chrono_tz::America::Chicago, is_open: true, opens: false }
                .to_sentence(language)
        };
        let (today, friday, in_a_week) = ("2026-09-17T21:00:00Z", "2026-09-18T14:00:00Z", "2026-09-24T14:00:00Z");
        assert_eq!(sentence(today, Language::En), "We'll read this today at 4:00 PM.");
        assert_eq!(sentence(friday, Language::En), "We'll read this Friday at 9:00 AM.");
        assert_eq!(sentence(in_a_week, Language::En), "We'll read this Thursday, Sep 24 at 9:00 AM.");
        assert_eq!(sentence(today, Language::Es), "Lo leemos hoy a las 4:00 PM.");
        assert_eq!(sentence(friday, Language::Es), "Lo leemos el viernes a las 9:00 AM.");
        assert_eq!(sentence(in_a_week, Language::Es), "Lo leemos el 24 sep a las 9:00 AM.");
        assert_eq!(sentence("2026-09-18T18:30:00Z", Language::Es), "Lo leemos el viernes a la 1:30 PM.");
    }

    #[test]
    fn spanish_sentence_of_closed_business_puts_article_before_time() {
        let sentence = |opens| {
            let at = "2026-09-21T13:00:00Z".parse().unwrap();
            // A Friday, 7:00 PM in Chicago.
            let now = "2026-09-19T00:00:00Z".parse().unwrap();
            ReadingTime { at, now, zone: chrono_tz::America::Chicago, is_open: false, opens }.to_sentence(Language::Es)
        };
        assert_eq!(sentence(true), "Ahora estamos cerrados y lo leemos al abrir, lunes a las 8:00 AM.");
        assert_eq!(sentence(false), "Ahora estamos cerrados y lo leemos el lunes a las 8:00 AM.");
    }

    #[test]
    fn closed_business_that_opens_today_says_today_and_its_weekday() {
        let sentence = |now: &str, opens, language| {
            // A Monday, 8:00 AM in Chicago.
            let (at, now) = ("2026-09-21T13:00:00Z".parse().unwrap(), now.parse().unwrap());
            ReadingTime { at, now, zone: chrono_tz::America::Chicago, is_open: false, opens }.to_sentence(language)
        };
        // Monday, 12:30 AM and Sunday, 11:30 PM in Chicago.
        let (monday, sunday) = ("2026-09-21T05:30:00Z", "2026-09-21T04:30:00Z");
        let closed = "We're closed right now. We'll read this";
        assert_eq!(sentence(monday, true, Language::En), format!("{closed} when we open today (Monday) at 8:00 AM."));
        assert_eq!(sentence(monday, false, Language::En), format!("{closed} today (Monday) at 8:00 AM."));
        assert_eq!(sentence(sunday, true, Language::En), format!("{closed} when we open Monday at 8:00 AM."));
        let closed = "Ahora estamos cerrados y lo leemos";
        assert_eq!(sentence(monday, true, Language::Es), format!("{closed} al abrir, hoy (lunes) a las 8:00 AM."));
        assert_eq!(sentence(monday, false, Language::Es), format!("{closed} hoy (lunes) a las 8:00 AM."));
        assert_eq!(sentence(sunday, true, Language::Es), format!("{closed} al abrir, lunes a las 8:00 AM."));
    }
}
