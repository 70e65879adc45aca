//! One visit as a calendar file (RFC 5545).

use chrono::{DateTime, Utc};

/// Octets of a line.
const WIDTH: usize = 75;

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
    let instant = |at: DateTime<Utc>| at.format("%Y%m%dT%H%M%SZ").to_string();
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        "PRODID:-//Toolbox//Visit//EN".to_owned(),
        "METHOD:PUBLISH".to_owned(),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", escaped(entry.uid)),
        format!("SEQUENCE:{}", entry.sequence),
        format!("DTSTAMP:{}", instant(entry.stamp)),
        format!("DTSTART:{}", instant(entry.time.0)),
        format!("DTEND:{}", instant(entry.time.1)),
        format!("SUMMARY:{}", escaped(entry.summary)),
    ];
    lines.extend(entry.place.map(|place| format!("LOCATION:{}", escaped(place))));
    lines.extend(entry.words.map(|words| format!("DESCRIPTION:{}", escaped(words))));
    lines.extend(["END:VEVENT".to_owned(), "END:VCALENDAR".to_owned()]);
    lines.iter().map(|line| folded(line)).collect()
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,");
    text.replace("\r\n", "\n").replace(['\r', '\n'], "\\n")
}

/// A line of at most 75 octets; what is longer goes on in the next ones, after a blank.
fn folded(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 2);
    let mut width = 0;
    for letter in line.chars() {
        if width + letter.len_utf8() > WIDTH {
            out.push_str("\r\n ");
            width = 1;
        }
        out.push(letter);
        width += letter.len_utf8();
    }
    out + "\r\n"
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;

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
        assert!(text.split("\r\n").all(|line| line.len() <= WIDTH && !line.contains('\n')));
        assert!(text.contains("DTSTART:20241004T000000Z\r\n") && text.contains("LOCATION:12 Oak St\\, Austin\r\n"));
        let whole = text.replace("\r\n ", "");
        assert!(whole.contains("roof\\, gutters\\nand more") && whole.contains("code\\; roof"), "{whole}");
    }
}
