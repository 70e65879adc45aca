//! The wish for a date in the notes of a booking request. It ends with the booking: a job's text does not repeat it.

use crate::documents::template::Language;

const BEGINNING: &str = "Wants a visit on ";

/// The arrival window that was asked for, in each language of our messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestedVisit {
    pub english: String,
    pub spanish: String,
}

impl RequestedVisit {
    /// Line of the lead's notes.
    pub(crate) fn format_note(&self) -> String {
        format!("{BEGINNING}{}.", self.english)
    }

    /// Sentence for an answer to somebody whose request holds no time.
    pub(crate) fn unconfirmed_sentence(&self, language: Language) -> String {
        match language {
            Language::En => format!("You asked for {}. The time is not yours until we confirm it.", self.english),
            Language::Es => format!("Pidió {}. La hora no es suya hasta que la confirmemos.", self.spanish),
        }
    }
}

/// The customer's own text without the lines of [`RequestedVisit::format_note`]; none when nothing is left.
pub(crate) fn strip_requested_visits(notes: &str) -> Option<String> {
    let is_wish = |line: &&str| line.starts_with(BEGINNING) && line.ends_with('.');
    let kept: Vec<&str> = notes.lines().filter(|line| !is_wish(line)).collect();
    Some(kept.join("\n").trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_lose_the_wish_and_keep_the_customers_words() {
        let english = "Tue, Dec 1, 8:00-10:00 AM".to_owned();
        let wish = RequestedVisit { english, ..RequestedVisit::default() }.format_note();
        assert_eq!(wish, "Wants a visit on Tue, Dec 1, 8:00-10:00 AM.");
        assert_eq!(strip_requested_visits(&wish), None);
        let with_words = format!("{wish}\nNo hot water.\n\nRing twice");
        assert_eq!(strip_requested_visits(&with_words).as_deref(), Some("No hot water.\n\nRing twice"));
        assert_eq!(strip_requested_visits("  Leak under the sink ").as_deref(), Some("Leak under the sink"));
        assert_eq!(strip_requested_visits("  "), None);
    }
}
