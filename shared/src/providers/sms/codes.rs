//! What Twilio's error codes mean for a text, one row per code.
//!
//! A code comes either in the answer to our request or, hours later, in a report about a text Twilio had taken. Both
//! are read from this one table. Twilio's own sentences are never passed on: they hold the receiver's number.

use std::time::Duration;

use crate::providers::Refusal::{self, BadNumber, ChannelBroken, OptedOut, Other, SetUp};

/// One code of Twilio's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub code: i32,
    pub next: Next,
    /// Completes "not sent: …" for the owner.
    pub words: &'static str,
}

/// What may be done after a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Try again, not before `after`, and at most `times` for this reason.
    Later { after: Option<Duration>, times: Option<u8> },
    /// Never again.
    Never(Refusal),
}

/// The row of `code`, if it has one.
#[must_use]
pub fn find(code: i32) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.code == code)
}

const fn later(code: i32, minutes: u64, times: Option<u8>, words: &'static str) -> Row {
    let after = if minutes == 0 { None } else { Some(Duration::from_secs(minutes * 60)) };
    Row { code, next: Next::Later { after, times }, words }
}

const fn never(code: i32, kind: Refusal, words: &'static str) -> Row {
    Row { code, next: Next::Never(kind), words }
}

/// Every code we know, by number.
pub const ROWS: &[Row] = &[
    never(20003, ChannelBroken, "Twilio refused our credentials"),
    never(20005, ChannelBroken, "the account at Twilio is not active"),
    never(20008, ChannelBroken, "these are Twilio's test credentials, which send nothing"),
    never(20404, SetUp, "TWILIO_ACCOUNT_SID does not name an account at Twilio"),
    later(20429, 0, None, "Twilio takes no more texts at this moment"),
    never(21211, BadNumber, "the number is not a valid phone number"),
    never(21212, SetUp, "the sending number is not a valid phone number"),
    never(21214, BadNumber, "the number cannot be reached"),
    never(21217, BadNumber, "the number is not a valid phone number"),
    never(21408, SetUp, "the account at Twilio may not send texts to the number's country"),
    never(21602, Other, "the text is empty"),
    never(21603, SetUp, "no sending number is set"),
    never(21604, Other, "the text has no receiver"),
    never(21605, Other, "the text is too long"),
    never(21606, SetUp, "the sending number cannot send texts"),
    never(21608, SetUp, "a trial account at Twilio sends only to numbers it has verified"),
    never(21609, SetUp, "PUBLIC_URL is not an address Twilio can reach"),
    never(21610, OptedOut, "the person has opted out of texts"),
    later(21611, 10, None, "too many texts are waiting at Twilio for this sending number"),
    never(21612, SetUp, "the sending number cannot reach this number"),
    never(21614, BadNumber, "the number is not a mobile number"),
    never(21617, Other, "the text is too long"),
    never(21635, BadNumber, "the number is a landline"),
    never(21659, SetUp, "the sending number does not belong to the account at Twilio"),
    never(21660, SetUp, "the sending number does not belong to the account at Twilio"),
    never(21701, SetUp, "TWILIO_MESSAGING_SERVICE_SID does not name a messaging service"),
    never(21703, SetUp, "the messaging service at Twilio has no sending number"),
    never(21704, SetUp, "the messaging service at Twilio has no sending number"),
    later(30001, 10, None, "too many texts were waiting at Twilio for this sending number"),
    never(30002, ChannelBroken, "the account at Twilio is suspended"),
    later(30003, 30, Some(2), "the phone is switched off or out of reach"),
    never(30004, Other, "the phone or its network blocks our texts"),
    never(30005, BadNumber, "the number does not exist any more"),
    never(30006, BadNumber, "the number is a landline or its network cannot receive texts"),
    never(30007, Other, "a carrier filtered the text as unwanted"),
    later(30008, 15, Some(1), "the carrier did not deliver the text and gave no reason"),
    never(30034, ChannelBroken, "the sending number is not registered with the US carriers (A2P 10DLC)"),
    // A rolling 24 hours: an hour later some of yesterday's texts no longer count.
    later(63038, 60, None, "the account at Twilio has reached its daily limit"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_leads_where_it_should() {
        let minutes = |n: u64| Some(Duration::from_secs(60 * n));
        let to_never = [
            (ChannelBroken, &[20003, 20005, 20008, 30002, 30034][..]),
            (BadNumber, &[21211, 21214, 21217, 21614, 21635, 30005, 30006]),
            (OptedOut, &[21610]),
            (SetUp, &[20404, 21212, 21408, 21603, 21606, 21608, 21609, 21612, 21659, 21660, 21701, 21703, 21704]),
            (Other, &[21602, 21604, 21605, 21617, 30004, 30007]),
        ];
        let to_later = [
            (20429, None, None),
            (21611, minutes(10), None),
            (30001, minutes(10), None),
            (30003, minutes(30), Some(2)),
            (30008, minutes(15), Some(1)),
            (63038, minutes(60), None),
        ];
        let mut seen = 0;
        for (kind, codes) in to_never {
            for code in codes {
                assert_eq!(find(*code).map(|r| r.next), Some(Next::Never(kind)), "{code}");
                seen += 1;
            }
        }
        for (code, after, times) in to_later {
            assert_eq!(find(code).map(|r| r.next), Some(Next::Later { after, times }), "{code}");
            seen += 1;
        }
        assert_eq!(seen, ROWS.len(), "a row without a test");
    }

    #[test]
    fn the_rows_stand_in_order_and_speak_plainly() {
        assert!(ROWS.is_sorted_by(|a, b| a.code < b.code));
        for row in ROWS {
            assert!(!row.words.is_empty() && !row.words.ends_with('.') && !row.words.contains("error"), "{}", row.code);
        }
        assert_eq!(find(1), None);
    }
}
