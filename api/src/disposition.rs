//! Under which name a browser keeps a file (RFC 6266): plain letters for old ones, all of Unicode for the others.

use std::fmt::Write as _;

/// The header's value; `is_shown` lets the browser show the file in its own window.
pub fn of(name: &str, is_shown: bool) -> String {
    let manner = if is_shown { "inline" } else { "attachment" };
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    let mut value = format!("{manner}; filename=\"{plain}\"");
    if plain != name {
        value.push_str("; filename*=UTF-8''");
        for byte in name.bytes() {
            // `attr-char` of RFC 8187, 3.2.1.
            if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
                value.push(char::from(byte));
            } else {
                let _ = write!(value, "%{byte:02X}");
            }
        }
    }
    value
}

/// What can stand between quotation marks without being escaped.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_header() {
        assert_eq!(of("leak.jpg", true), "inline; filename=\"leak.jpg\"");
        assert_eq!(
            of("Łukasz \"x\"; a.pdf", false),
            "attachment; filename=\"-ukasz -x-; a.pdf\"; filename*=UTF-8''%C5%81ukasz%20%22x%22%3B%20a.pdf"
        );
        let value = of("a\r\nSet-Cookie: b\u{0}.jpg", false);
        assert!(value.bytes().all(|b| (b' '..=b'~').contains(&b)), "{value}");
    }
}
