//! `Content-Disposition` (RFC 6266): plain ASCII for old browsers, all of Unicode for others.

use std::fmt::Write as _;

/// The header's value; `is_shown` lets the browser show the file in its own window.
pub fn content_disposition(name: &str, is_shown: bool) -> String {
    let manner = if is_shown { "inline" } else { "attachment" };
    let plain: String = name.chars().map(|c| if is_plain_char(c) { c } else { '-' }).collect();
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

fn is_plain_char(c: char) -> bool {
    matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_cannot_break_out_of_the_header() {
        assert_eq!(content_disposition("leak.jpg", true), "inline; filename=\"leak.jpg\"");
        assert_eq!(
            content_disposition("Łukasz \"x\"; a.pdf", false),
            "attachment; filename=\"-ukasz -x-; a.pdf\"; filename*=UTF-8''%C5%81ukasz%20%22x%22%3B%20a.pdf"
        );
        let value = content_disposition("a\r\nSet-Cookie: b\u{0}.jpg", false);
        assert!(value.bytes().all(|b| (b' '..=b'~').contains(&b)), "{value}");
    }
}
