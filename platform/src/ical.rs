//! Calendar files (RFC 5545).

use chrono::{DateTime, Utc};

/// Maximum length of a content line without its end (3.1).
pub const LINE_OCTETS: usize = 75;

#[must_use]
pub fn format_utc(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

/// Escaped text value (3.3.11); invalid characters are dropped.
#[must_use]
pub fn escape_text(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.replace("\r\n", "\n").chars() {
        match letter {
            '\\' | ';' | ',' => safe.extend(['\\', letter]),
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push(' '),
            _ if letter.is_control() => {}
            _ => safe.push(letter),
        }
    }
    safe
}

#[derive(Default)]
pub struct IcalFile(pub String);

impl IcalFile {
    /// Beyond 75 octets the line is folded between characters.
    pub fn push_line(&mut self, name: &str, value: &str) {
        let mut octets = 0;
        for letter in name.chars().chain([':']).chain(value.chars()) {
            if octets + letter.len_utf8() > LINE_OCTETS {
                self.0.push_str("\r\n ");
                octets = 1;
            }
            self.0.push(letter);
            octets += letter.len_utf8();
        }
        self.0.push_str("\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_folded_between_characters_without_loss() {
        for letter in ["a", "é", "€", "🔧"] {
            let words = letter.repeat(400);
            let mut file = IcalFile::default();
            file.push_line("SUMMARY", &words);
            let folded: Vec<&str> = file.0.split_terminator("\r\n").collect();
            assert!(folded.len() > 5 && folded.iter().all(|line| line.len() <= LINE_OCTETS), "{letter}");
            assert!(folded[1..].iter().all(|line| line.starts_with(' ')), "{letter}");
            assert_eq!(file.0.replace("\r\n ", ""), format!("SUMMARY:{words}\r\n"));
        }
    }
}
