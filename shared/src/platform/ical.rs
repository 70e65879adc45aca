//! Calendar files (RFC 5545): content lines as every calendar reads them.

use chrono::{DateTime, Utc};

/// Of a content line, without its end (3.1).
pub(crate) const LINE_OCTETS: usize = 75;

/// UTC, to the second.
pub(crate) fn instant(at: DateTime<Utc>) -> String {
    at.format("%Y%m%dT%H%M%SZ").to_string()
}

/// Text as a value holds it (3.3.11); what no text holds is left out.
pub(crate) fn escaped(text: &str) -> String {
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

/// Content lines, folded.
#[derive(Default)]
pub(crate) struct File(pub String);

impl File {
    /// Adds one; beyond 75 octets it goes on in the next line, after a blank, and no letter is cut.
    pub(crate) fn line(&mut self, name: &str, value: &str) {
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
    fn a_long_line_is_folded_between_letters_and_nothing_is_lost() {
        for letter in ["a", "é", "€", "🔧"] {
            let words = letter.repeat(400);
            let mut file = File::default();
            file.line("SUMMARY", &words);
            let folded: Vec<&str> = file.0.split_terminator("\r\n").collect();
            assert!(folded.len() > 5 && folded.iter().all(|line| line.len() <= LINE_OCTETS), "{letter}");
            assert!(folded[1..].iter().all(|line| line.starts_with(' ')), "{letter}");
            assert_eq!(file.0.replace("\r\n ", ""), format!("SUMMARY:{words}\r\n"));
        }
    }
}
