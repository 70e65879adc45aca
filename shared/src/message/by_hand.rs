//! Texting from one's own phone, where the business's number cannot: the link that opens the phone's texting app with
//! the words filled in.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::org::{Profile, settings::Registration};

/// Said of a message when this install has no provider of texts.
pub const NOT_SET_UP: &str = "SMS is not set up";
/// Said of a text of a business that has no sending number.
pub const NO_NUMBER: &str = "your business has no number to send texts from";
/// Said of a text while carriers do not know the business.
pub const NOT_REGISTERED: &str = "your number is not registered for texting yet; text from your own phone";

/// What may stand in a query as it is (RFC 3986, 2.3).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Why no text can leave at all, if none can.
#[must_use]
pub fn why(texts_leave: bool, profile: &Profile) -> Option<&'static str> {
    match profile.settings.sending.registration {
        _ if !texts_leave => Some(NOT_SET_UP),
        _ if !profile.org.has_sender() => Some(NO_NUMBER),
        Registration::Pending => Some("your number is not registered for texting yet"),
        Registration::Approved => None,
    }
}

/// `sms:+15125550142?body=…` (RFC 5724).
#[must_use]
pub fn link(to: &str, body: &str) -> String {
    format!("sms:{to}?body={}", utf8_percent_encode(body, ESCAPED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_words_are_the_link_holds_them_whole() {
        let made = link("+15125550142", "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1");
        let url = url::Url::parse(&made).unwrap();
        assert_eq!((url.scheme(), url.path(), url.fragment()), ("sms", "+15125550142", None));
        let said: Vec<_> = url.query_pairs().collect();
        assert_eq!(said, [("body".into(), "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1".into())]);
    }
}
