//! One channel's part of a delivery header: "sms: held until 8:00 AM".

use std::fmt::Write as _;

/// One part of `X-Waiting` or `X-Not-Sent`. In the reason, `;` (the separator), `%` and non-ASCII bytes are
/// percent-encoded.
pub fn encode_channel_reason(channel: &str, reason: &str) -> String {
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
    fn semicolon_in_reason_is_escaped() {
        assert_eq!(
            encode_channel_reason("sms", "held until 8:00 AM: it is night there"),
            "sms: held until 8:00 AM: it is night there"
        );
        assert_eq!(
            encode_channel_reason("email", "not confirmed; open the link"),
            "email: not confirmed%3B open the link"
        );
        assert_eq!(encode_channel_reason("sms", "100% ü\r\n"), "sms: 100%25 %C3%BC%0D%0A");
    }
}
