//! Text that strangers send: trimmed, measured, and free of what no database or mail header can hold.

use serde::Deserialize as _;

use crate::error::FieldErrors;

/// Reads one text field. Blank counts as absent. A fault is noted in `errors` under the field's own name.
///
/// NUL and other control characters (except line breaks and tabs in `multi_line` text) are refused: PostgreSQL cannot
/// store NUL, and a line break in a name would end a mail header.
pub struct Field<'a> {
    pub name: &'static str,
    pub value: Option<&'a str>,
    /// In characters.
    pub max: usize,
    pub multi_line: bool,
}

impl Field<'_> {
    /// The cleaned text, or none when absent or faulty.
    pub fn optional(&self, errors: &mut FieldErrors) -> Option<String> {
        let text = self.value.map(str::trim).filter(|t| !t.is_empty())?;
        if text.chars().count() > self.max {
            errors.add(self.name, format!("Please keep this to {} characters", self.max));
            return None;
        }
        if text.chars().any(|c| is_forbidden(c, self.multi_line)) {
            errors.add(self.name, "This contains characters that cannot be used");
            return None;
        }
        Some(text.replace("\r\n", "\n"))
    }

    /// The cleaned text; `message` is noted when it is absent.
    pub fn required(&self, message: &str, errors: &mut FieldErrors) -> String {
        let text = self.optional(errors);
        if text.is_none() {
            errors.add(self.name, message);
        }
        text.unwrap_or_default()
    }
}

/// Control characters, and the marks that turn the direction of the text after them (they can disguise what is shown).
fn is_forbidden(c: char, multi_line: bool) -> bool {
    let line_break = matches!(c, '\n' | '\r' | '\t');
    (c.is_control() && !(multi_line && line_break)) || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// For a field that may be absent (stays as it is), null (is cleared) or have a value.
///
/// # Errors
/// When the value does not fit.
pub fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

/// A single-line field of ordinary length.
#[must_use]
pub fn line<'a>(name: &'static str, value: Option<&'a str>, max: usize) -> Field<'a> {
    Field { name, value, max, multi_line: false }
}

/// A field that may have several lines.
#[must_use]
pub fn lines<'a>(name: &'static str, value: Option<&'a str>, max: usize) -> Field<'a> {
    Field { name, value, max, multi_line: true }
}

/// An email address in the form mail servers take, lower-cased so that one person is one person.
#[must_use]
pub fn email(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let address: lettre::Address = typed.parse().ok()?;
    let has_dot = address.domain().contains('.') || address.domain().starts_with('[');
    (has_dot && typed.len() <= 254 && typed.is_ascii()).then(|| typed.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_or_nul_in_a_name_is_refused_by_the_name_of_the_field() {
        for bad in ["a\nb", "a\0b", "a\u{202e}b"] {
            let mut errors = FieldErrors::default();
            assert_eq!(line("name", Some(bad), 100).optional(&mut errors), None);
            assert!(errors.0.contains_key("name"));
        }
    }

    #[test]
    fn notes_keep_their_lines() {
        let mut errors = FieldErrors::default();
        assert_eq!(lines("notes", Some(" a\r\nb "), 100).optional(&mut errors).as_deref(), Some("a\nb"));
    }

    #[test]
    fn addresses_that_no_server_would_take_are_refused() {
        for bad in ["", "a", "a@", "@b.c", "a@b", "a b@c.de", "a@b.c\r\nBcc: x@y.z"] {
            assert_eq!(email(bad), None, "{bad}");
        }
        assert_eq!(email(" Ann@Example.com ").as_deref(), Some("ann@example.com"));
    }
}
