//! What a header says of one way: "sms: held until 8:00 AM".

use std::fmt::Write as _;

/// One part of `X-Waiting` or `X-Not-Sent`. In the reason, `;`, which stands between the parts, `%`, and what is not ASCII
/// are percent-encoded.
pub fn said(channel: &str, reason: &str) -> String {
    let mut part = format!("{channel}: ");
    for byte in reason.bytes() {
        if matches!(byte, b' '..=b'~') && !matches!(byte, b';' | b'%') {
            part.push(char::from(byte));
        } else {
            let _ = write!(part, "%{byte:02X}");
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_with_a_semicolon_stays_one_part() {
        assert_eq!(said("sms", "held until 8:00 AM: it is night there"), "sms: held until 8:00 AM: it is night there");
        assert_eq!(said("email", "not confirmed; open the link"), "email: not confirmed%3B open the link");
        assert_eq!(said("sms", "100% ü\r\n"), "sms: 100%25 %C3%BC%0D%0A");
    }
}
