//! Texting from one's own phone, where the business's number cannot: the link that opens the phone's texting app with
//! the words filled in.

use chrono::{DateTime, Duration, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::{
    Kind, MessageView, Status,
    send_policy::{BRAKE, OF_NO_USE},
};
use crate::{
    domain::tenancy::{
        org::{Profile, settings::Registration},
        trust_level::{NOT_PAID, NOT_PROVEN, OF_A_NEW_BUSINESS},
    },
    platform::{
        db::{AsConn, q},
        error::Result,
        id::OrgId,
    },
};

/// Said of a message when this install has no provider of texts.
pub const NOT_SET_UP: &str = "SMS is not set up";
/// Said of a text of a business that has no sending number.
pub const NO_NUMBER: &str = "your business has no number to send texts from";
/// Said of a text while carriers do not know the business.
pub const NOT_REGISTERED: &str = "your number is not registered for texting yet; text from your own phone";

/// "On the way" is no news after this time.
const NEWS: Duration = Duration::minutes(30);

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

/// Whether only texting itself kept a text from leaving: the set-up, the hours, a budget, the provider.
/// What the person asked for, what its words say and what it is about are no such reasons.
pub(super) fn is_about_texting(status: Status, reason: Option<&str>, saw: Option<&Value>) -> bool {
    match status {
        Status::Queued | Status::Held | Status::Failed => true,
        Status::NotSent => {
            let is_braked = saw.is_some_and(|saw| !saw[BRAKE].is_null());
            is_braked || reason.is_some_and(is_technical)
        }
        _ => false,
    }
}

/// Whether a reason names only what the business could not send then.
pub(super) fn is_of_the_set_up(reason: &str) -> bool {
    [NOT_SET_UP, NO_NUMBER, NOT_REGISTERED, NOT_PROVEN, NOT_PAID].contains(&reason)
}

fn is_technical(reason: &str) -> bool {
    is_of_the_set_up(reason) || reason.starts_with(OF_A_NEW_BUSINESS) || reason.ends_with(OF_NO_USE)
}

/// Takes the offer back from texts about what has ended since: an answered estimate, a time that is not held any more.
pub(crate) async fn note_ended(
    conn: &mut dyn AsConn,
    org: OrgId,
    messages: &mut [&mut MessageView],
    now: DateTime<Utc>,
) -> Result<()> {
    for message in messages.iter_mut().filter(|message| message.by_hand && may_end(message.kind)) {
        let ended = q!(
            &mut *conn,
            fetch_one scalar i64,
            "SELECT COUNT(*) FROM message m
             LEFT JOIN estimate e ON e.org_id = m.org_id AND e.id = m.about_id
             LEFT JOIN invoice i ON i.org_id = m.org_id AND i.id = m.about_id
             LEFT JOIN job j ON j.org_id = m.org_id AND j.id = m.about_id
             LEFT JOIN booking_request b ON b.org_id = m.org_id AND b.id = m.about_id
             WHERE m.org_id = $1 AND m.id = $2 AND (e.status <> 'open' OR i.status <> 'open'
                 OR b.confirmed_at IS NOT NULL OR b.expires_at <= $3 OR j.cancelled_at > m.created_at
                 OR (m.kind = 'visit' AND (j.status IN ('in_progress', 'completed') OR j.on_my_way_at IS NOT NULL))
                 OR (m.kind = 'on_the_way' AND m.created_at <= $4))",
            org,
            message.id,
            now,
            now - NEWS
        )?;
        message.by_hand = ended == 0;
    }
    Ok(())
}

/// Whether it is about something that ends.
fn may_end(kind: Kind) -> bool {
    !matches!(kind, Kind::Manual | Kind::MissedCall | Kind::Nudge | Kind::TextReply)
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
    fn ones_own_phone_is_offered_where_texting_is_the_trouble_and_nowhere_else() {
        let offers = |reason| is_about_texting(Status::NotSent, Some(reason), None);
        for good in [NOT_SET_UP, NO_NUMBER, "it is night there, and after that it would be of no use", NOT_PAID] {
            assert!(offers(good), "{good}");
        }
        for bad in [
            "the time it asks about is not held any more",
            "a newer version was made",
            "they said STOP",
            "cancelled by Olive Owner",
            "this address is not confirmed as the customer's",
        ] {
            assert!(!offers(bad), "{bad}");
        }
        let braked = serde_json::json!({"brake": "budget"});
        assert!(is_about_texting(Status::NotSent, Some("today's budget is used up"), Some(&braked)));
        assert!(is_about_texting(Status::Failed, Some("refused as spam"), None));
        assert!(!is_about_texting(Status::Unknown, None, None) && !is_about_texting(Status::Sent, None, None));
    }

    #[test]
    fn whatever_the_words_are_the_link_holds_them_whole() {
        let made = link("+15125550142", "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1");
        let url = url::Url::parse(&made).unwrap();
        assert_eq!((url.scheme(), url.path(), url.fragment()), ("sms", "+15125550142", None));
        let said: Vec<_> = url.query_pairs().collect();
        assert_eq!(said, [("body".into(), "Hi Ann & Bob: 100 % ¿sí? #1\nhttps://b.example/?a=1".into())]);
    }
}
