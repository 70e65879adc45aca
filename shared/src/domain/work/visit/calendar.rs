//! One visit as a calendar file (RFC 5545).

use chrono::{DateTime, Utc};

use crate::platform::ical::{IcalFile, escape_text, format_utc};

pub(super) struct CalendarFileEntry<'a> {
    pub uid: &'a str,
    /// Increases with each change, so that calendars take the newer entry.
    pub sequence: i64,
    pub stamp: DateTime<Utc>,
    pub time: (DateTime<Utc>, DateTime<Utc>),
    pub summary: &'a str,
    pub place: Option<&'a str>,
    pub words: Option<&'a str>,
}

/// Lines are ended and folded as the standard requires.
pub(super) fn render_ics(entry: &CalendarFileEntry<'_>) -> String {
    let mut file = IcalFile::default();
    file.push_line("BEGIN", "VCALENDAR");
    file.push_line("VERSION", "2.0");
    file.push_line("PRODID", "-//Toolbox//Visit//EN");
    file.push_line("METHOD", "PUBLISH");
    file.push_line("BEGIN", "VEVENT");
    file.push_line("UID", &escape_text(entry.uid));
    file.push_line("SEQUENCE", &entry.sequence.to_string());
    file.push_line("DTSTAMP", &format_utc(entry.stamp));
    file.push_line("DTSTART", &format_utc(entry.time.0));
    file.push_line("DTEND", &format_utc(entry.time.1));
    file.push_line("SUMMARY", &escape_text(entry.summary));
    for (name, text) in [("LOCATION", entry.place), ("DESCRIPTION", entry.words)] {
        if let Some(text) = text {
            file.push_line(name, &escape_text(text));
        }
    }
    file.push_line("END", "VEVENT");
    file.push_line("END", "VCALENDAR");
    file.0
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;
    use crate::platform::ical::LINE_OCTETS;

    #[test]
    fn calendar_lines_are_folded_and_special_characters_escaped() {
        let starts = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let long = "Ünïcode; roof, gutters\nand more ".repeat(6);
        let text = render_ics(&CalendarFileEntry {
            uid: "visit-1@acme",
            sequence: 3,
            stamp: starts,
            time: (starts, starts + Duration::hours(2)),
            summary: &long,
            place: Some("12 Oak St, Austin"),
            words: None,
        });
        assert!(text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"));
        assert!(text.split("\r\n").all(|line| line.len() <= LINE_OCTETS && !line.contains('\n')));
        assert!(text.contains("DTSTART:20241004T000000Z\r\n") && text.contains("LOCATION:12 Oak St\\, Austin\r\n"));
        let whole = text.replace("\r\n ", "");
        assert!(whole.contains("roof\\, gutters\\nand more") && whole.contains("code\\; roof"), "{whole}");
    }
}
