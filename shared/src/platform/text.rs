//! Text that strangers send: trimmed, measured, and free of what no database or mail header can hold.

use std::net::IpAddr;

use serde::Deserialize as _;

use crate::platform::error::FieldErrors;

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
        if text.chars().all(is_unseen) {
            errors.add(self.name, "Nothing of this can be seen. Please type it with letters");
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

/// Characters that show nothing: spaces, zero-width characters, joiners, fillers, variation selectors and tags.
fn is_unseen(c: char) -> bool {
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

/// Control characters, separators of lines and paragraphs in what is one line, and the marks that turn the direction of the text after them (they can disguise what is shown).
fn is_forbidden(c: char, multi_line: bool) -> bool {
    let line_break = matches!(c, '\n' | '\r' | '\t');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    (c.is_control() && !(multi_line && line_break))
        || (separator && !multi_line)
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

/// Said of an address that ends in an IP address.
pub const IP_EMAIL: &str =
    "Please use an email address that ends in a domain name, like example.com, not in an IP address";

/// An email address in the form mail servers take, lower-cased so that one person is one person. The domain is a name:
/// an IP address in its place, in brackets or bare, is refused.
#[must_use]
pub fn email(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let address: lettre::Address = typed.parse().ok()?;
    let last = address.domain().rsplit_once('.').map(|(_, last)| last)?;
    let is_name = last.chars().any(|c| c.is_ascii_alphabetic()) && !address.domain().contains(['[', ']', ':']);
    (is_name && typed.len() <= 254 && typed.is_ascii()).then(|| typed.to_ascii_lowercase())
}

/// Domains of which a mailbox is read under several spellings: a full stop in its local part says nothing.
const DOTLESS: [&str; 2] = ["gmail.com", "googlemail.com"];

/// The mailbox that an address leads to, as far as its spelling tells: lower case, without quotes, without a `+tag`, and
/// at Gmail without full stops. Whatever is counted by address is counted under it; nothing is sent to it.
#[must_use]
pub fn mailbox(email: &str) -> String {
    let email = email.trim().to_ascii_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let quoted = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let local = quoted.map_or_else(|| local.to_owned(), unescaped);
    let untagged = local.split('+').next().filter(|name| !name.is_empty()).unwrap_or(&local);
    if DOTLESS.contains(&domain) {
        return format!("{}@{}", untagged.replace('.', ""), DOTLESS[0]);
    }
    format!("{untagged}@{domain}")
}

/// What stands between quotes: a backslash takes the next character as it is.
fn unescaped(quoted: &str) -> String {
    let (mut kept, mut chars) = (String::new(), quoted.chars());
    while let Some(c) = chars.next() {
        kept.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    kept
}

/// Why [`email`] takes an address for none.
#[must_use]
pub fn why_no_email(typed: &str) -> &'static str {
    let domain = typed.trim().rsplit_once('@').map_or("", |(_, domain)| domain);
    let is_ip = domain.parse::<IpAddr>().is_ok() || (domain.starts_with('[') && domain.ends_with(']'));
    if is_ip { IP_EMAIL } else { "Invalid email" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_or_nul_in_a_name_is_refused_by_the_name_of_the_field() {
        for bad in ["a\nb", "a\0b", "a\u{202e}b", "a\u{2028}b", "a\u{2029}b", "a\u{85}b"] {
            let mut errors = FieldErrors::default();
            assert_eq!(line("name", Some(bad), 100).optional(&mut errors), None);
            assert!(errors.0.contains_key("name"));
        }
    }

    #[test]
    fn a_name_that_shows_nothing_is_refused_by_the_name_of_the_field() {
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
            assert_eq!(line("name", Some(bad), 100).optional(&mut errors), None, "{bad:?}");
            assert!(errors.0.contains_key("name"), "{bad:?}");
        }
        for good in ["Ann", "علی\u{200c}رضا", "👩\u{200d}🔧 Ann", "李"] {
            let mut errors = FieldErrors::default();
            assert_eq!(line("name", Some(good), 100).optional(&mut errors).as_deref(), Some(good));
        }
    }

    #[test]
    fn notes_keep_their_lines() {
        let mut errors = FieldErrors::default();
        assert_eq!(lines("notes", Some(" a\r\nb "), 100).optional(&mut errors).as_deref(), Some("a\nb"));
    }

    #[test]
    fn addresses_that_no_server_would_take_are_refused() {
        for bad in [
            "",
            "a",
            "a@",
            "@b.c",
            "a@b",
            "a b@c.de",
            "a@b.c\r\nBcc: x@y.z",
            "a@[127.0.0.1]",
            "a@[IPv6:::1]",
            "a@127.0.0.1",
            "a@10.1",
            "a@b.1",
        ] {
            assert_eq!(email(bad), None, "{bad}");
            let is_ip = bad.contains("127.0.0.1") || bad.contains("IPv6");
            assert_eq!(why_no_email(bad), if is_ip { IP_EMAIL } else { "Invalid email" }, "{bad}");
        }
        assert_eq!(email(" Ann@Example.com ").as_deref(), Some("ann@example.com"));
    }

    #[test]
    fn mailbox_of_one_person_is_one_however_it_is_spelled() {
        for spelled in [
            "bomb@t.example",
            "Bomb@T.example",
            "bomb+1@t.example",
            "bomb+a+b@t.example",
            "\"bomb\"@t.example",
            "\"bo\\mb\"@t.example",
            "\"bomb+1\"@t.example",
        ] {
            assert_eq!(mailbox(spelled), "bomb@t.example", "{spelled}");
        }
        for spelled in ["ann.lee@gmail.com", "annlee@gmail.com", "a.n.n.l.e.e+x@googlemail.com"] {
            assert_eq!(mailbox(spelled), "annlee@gmail.com", "{spelled}");
        }
    }

    #[test]
    fn mailboxes_of_several_people_stay_several() {
        assert_ne!(mailbox("ann.lee@t.example"), mailbox("annlee@t.example"), "elsewhere a full stop says something");
        assert_eq!(mailbox("+1@t.example"), "+1@t.example", "a tag of nobody");
        assert_eq!(mailbox("no address"), "no address");
    }
}
