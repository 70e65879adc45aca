//! The wish for a date in the notes of a booking request. It ends with the booking: a job's text does not repeat it.

const BEGINNING: &str = "Wants a visit on ";

/// `time` as the arrival window in English.
pub(crate) fn format_visit_wish(time: &str) -> String {
    format!("{BEGINNING}{time}.")
}

/// The customer's own text without the lines of [`format_visit_wish`]; none when nothing is left.
pub(crate) fn strip_visit_wishes(notes: &str) -> Option<String> {
    let is_wish = |line: &&str| line.starts_with(BEGINNING) && line.ends_with('.');
    let kept: Vec<&str> = notes.lines().filter(|line| !is_wish(line)).collect();
    Some(kept.join("\n").trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_lose_the_wish_and_keep_the_customers_words() {
        let wish = format_visit_wish("Tue, Dec 1, 8:00-10:00 AM");
        assert_eq!(wish, "Wants a visit on Tue, Dec 1, 8:00-10:00 AM.");
        assert_eq!(strip_visit_wishes(&wish), None);
        let with_words = format!("{wish}\nNo hot water.\n\nRing twice");
        assert_eq!(strip_visit_wishes(&with_words).as_deref(), Some("No hot water.\n\nRing twice"));
        assert_eq!(strip_visit_wishes("  Leak under the sink ").as_deref(), Some("Leak under the sink"));
        assert_eq!(strip_visit_wishes("  "), None);
    }
}
