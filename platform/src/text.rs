//! Validation of untrusted text: trimming, length, forbidden characters.

use std::net::IpAddr;

use serde::Deserialize as _;
use url::Host;

use crate::error::FieldErrors;

/// Validates one text field. Blank counts as absent. Faults are recorded in `errors` under the field's name.
///
/// NUL and other control characters (except line breaks and tabs in `multi_line` text) are refused: PostgreSQL cannot
/// store NUL, and a line break in a name would end a mail header.
pub struct InputField<'a> {
    pub name: &'static str,
    pub value: Option<&'a str>,
    /// In characters.
    pub max: usize,
    pub multi_line: bool,
}

impl InputField<'_> {
    /// The cleaned text; none when absent or invalid.
    pub fn parse_optional(&self, errors: &mut FieldErrors) -> Option<String> {
        let text = self.value.map(str::trim).filter(|t| !t.is_empty())?;
        if text.chars().count() > self.max {
            errors.add(self.name, format!("Please keep this to {} characters", self.max));
            return None;
        }
        if text.chars().all(is_invisible) {
            errors.add(self.name, "Nothing of this can be seen. Please type it with letters");
            return None;
        }
        if text.chars().any(|c| is_forbidden(c, self.multi_line)) {
            errors.add(self.name, "This contains characters that cannot be used");
            return None;
        }
        Some(text.replace("\r\n", "\n"))
    }

    /// The cleaned text; `message` is recorded when it is absent.
    pub fn parse_required(&self, message: &str, errors: &mut FieldErrors) -> String {
        let text = self.parse_optional(errors);
        if text.is_none() {
            errors.add(self.name, message);
        }
        text.unwrap_or_default()
    }
}

/// Invisible characters: spaces, zero-width characters, joiners, fillers, variation selectors and tags.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202f}'
                | '\u{205f}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Control characters, line and paragraph separators in single-line text, and bidirectional controls.
fn is_forbidden(c: char, multi_line: bool) -> bool {
    let line_break = matches!(c, '\n' | '\r' | '\t');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    (c.is_control() && !(multi_line && line_break))
        || (separator && !multi_line)
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Deserializes a field that may be absent (unchanged), null (cleared) or a value.
pub fn given<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

#[must_use]
pub fn single_line<'a>(name: &'static str, value: Option<&'a str>, max: usize) -> InputField<'a> {
    InputField { name, value, max, multi_line: false }
}

#[must_use]
pub fn multi_line<'a>(name: &'static str, value: Option<&'a str>, max: usize) -> InputField<'a> {
    InputField { name, value, max, multi_line: true }
}

pub const IP_EMAIL: &str =
    "Please use an email address that ends in a domain name, like example.com, not in an IP address";

/// Domains whose mailboxes ignore full stops in the local part.
const DOTLESS: [&str; 2] = ["gmail.com", "googlemail.com"];

/// Canonical mailbox of an address: lower case, without quotes and `+tag`, at Gmail without full stops. Used as a key
/// for counting only; nothing is sent to it.
#[must_use]
pub fn normalize_mailbox(email: &str) -> String {
    let email = email.trim().to_ascii_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let local = quoted.map_or_else(|| local.to_owned(), unescape_quoted);
    let untagged = local.split('+').next().filter(|name| !name.is_empty()).unwrap_or(&local);
    if DOTLESS.contains(&domain) {
        return format!("{}@{}", untagged.replace('.', ""), DOTLESS[0]);
    }
    format!("{untagged}@{domain}")
}

/// Resolves backslash escapes in a quoted local part.
fn unescape_quoted(quoted: &str) -> String {
    let (mut kept, mut chars) = (String::new(), quoted.chars());
    while let Some(c) = chars.next() {
        kept.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    kept
}

#[must_use]
pub fn invalid_email_reason(typed: &str) -> &'static str {
    let domain = typed.trim().rsplit_once('@').map_or("", |(_, domain)| domain);
    let is_ip = domain.parse::<IpAddr>().is_ok()
        || matches!(Host::parse(domain), Ok(Host::Ipv4(_) | Host::Ipv6(_)))
        || (domain.starts_with('[') && domain.ends_with(']'));
    if is_ip { IP_EMAIL } else { "Invalid email" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_with_control_or_bidi_character_is_refused_under_its_field() {
        for bad in ["a\nb", "a\0b", "a\u{202e}b", "a\u{2028}b", "a\u{2029}b", "a\u{85}b"] {
            let mut errors = FieldErrors::default();
            assert_eq!(single_line("name", Some(bad), 100).parse_optional(&mut errors), None);
            assert!(errors.0.contains_key("name"));
        }
    }

    #[test]
    fn line_without_visible_characters_is_refused_under_its_field() {
        for bad in [
            "\u{200b}",
            "\u{200b} \u{feff}",
            "\u{3164}",
            "\u{2800}\u{2800}",
            "\u{ad}",
            "\u{2028}x\u{2028}y",
            "\u{e0041}",
        ] {
            let mut errors = FieldErrors::default();
            assert_eq!(single_line("name", Some(bad), 100).parse_optional(&mut errors), None, "{bad:?}");
            assert!(errors.0.contains_key("name"), "{bad:?}");
        }
        for good in ["Ann", "علی\u{200c}رضا", "👩\u{200d}🔧 Ann", "李"] {
            let mut errors = FieldErrors::default();
            assert_eq!(single_line("name", Some(good), 100).parse_optional(&mut errors).as_deref(), Some(good));
        }
    }

    #[test]
    fn notes_keep_their_lines() {
        let mut errors = FieldErrors::default();
        assert_eq!(multi_line("notes", Some(" a\r\nb "), 100).parse_optional(&mut errors).as_deref(), Some("a\nb"));
    }

    #[test]
    fn mailbox_ignores_case_tags_quoting_and_gmail_dots() {
        for spelled in [
            "bomb@t.example",
            "Bomb@T.example",
            "bomb+1@t.example",
            "bomb+a+b@t.example",
            "\"bomb\"@t.example",
            "\"bo\\mb\"@t.example",
            "\"bomb+1\"@t.example",
        ] {
            assert_eq!(normalize_mailbox(spelled), "bomb@t.example", "{spelled}");
        }
        for spelled in ["ann.lee@gmail.com", "annlee@gmail.com", "a.n.n.l.e.e+x@googlemail.com"] {
            assert_eq!(normalize_mailbox(spelled), "annlee@gmail.com", "{spelled}");
        }
    }

    #[test]
    fn mailbox_keeps_dots_outside_gmail_and_empty_local_parts() {
        assert_ne!(
            normalize_mailbox("ann.lee@t.example"),
            normalize_mailbox("annlee@t.example"),
            "elsewhere a full stop says something"
        );
        assert_eq!(normalize_mailbox("+1@t.example"), "+1@t.example", "a tag of nobody");
        assert_eq!(normalize_mailbox("no address"), "no address");
    }
}
