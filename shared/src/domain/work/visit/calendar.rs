//! One visit as a calendar file (RFC 5545).

use chrono::{DateTime, Utc};

use crate::platform::ical::{File, escaped, instant};

/// What the file says.
pub(super) struct Entry<'a> {
    pub uid: &'a str,
    /// Grows with each change: a calendar that has it takes the newer one.
    pub sequence: i64,
    pub stamp: DateTime<Utc>,
    pub time: (DateTime<Utc>, DateTime<Utc>),
    pub summary: &'a str,
    pub place: Option<&'a str>,
    pub words: Option<&'a str>,
}

/// The file, its lines ended and folded as the standard wants them.
pub(super) fn file(entry: &Entry<'_>) -> String {
    let mut file = File::default();
    file.line("BEGIN", "VCALENDAR");
    file.line("VERSION", "2.0");
    file.line("PRODID", "-//Toolbox//Visit//EN");
    file.line("METHOD", "PUBLISH");
    file.line("BEGIN", "VEVENT");
    file.line("UID", &escaped(entry.uid));
    file.line("SEQUENCE", &entry.sequence.to_string());
    file.line("DTSTAMP", &instant(entry.stamp));
    file.line("DTSTART", &instant(entry.time.0));
    file.line("DTEND", &instant(entry.time.1));
    file.line("SUMMARY", &escaped(entry.summary));
    for (name, text) in [("LOCATION", entry.place), ("DESCRIPTION", entry.words)] {
        if let Some(text) = text {
            file.line(name, &escaped(text));
        }
    }
    file.line("END", "VEVENT");
    file.line("END", "VCALENDAR");
    file.0
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;
    use crate::platform::ical::LINE_OCTETS;

    #[test]
    fn lines_are_short_and_what_means_something_is_escaped() {
        let starts = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let long = "Ünïcode; roof, gutters\nand more ".repeat(6);
        let text = file(&Entry {
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
