//! Table of Twilio's error codes for texts.
//!
//! A code comes in the response to our request or, hours later, in a status report; both use this table. Twilio's
//! messages are never passed on, because they contain the receiver's number.

use std::time::Duration;

use crate::RefusalReason::{self, BadNumber, ChannelBroken, OptedOut, Other, SetUp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwilioErrorCode {
    pub code: i32,
    pub next: TwilioErrorAction,
    /// Completes "not sent: …" for the owner.
    pub words: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwilioErrorAction {
    /// Retry, not before `after`, and at most `times` for this reason.
    Later {
        after: Option<Duration>,
        times: Option<u8>,
    },
    Never(RefusalReason),
}

#[must_use]
pub fn find_error_code(code: i32) -> Option<&'static TwilioErrorCode> {
    TWILIO_ERROR_CODES.iter().find(|row| row.code == code)
}

const fn retry_code(code: i32, minutes: u64, times: Option<u8>, words: &'static str) -> TwilioErrorCode {
    let after = if minutes == 0 { None } else { Some(Duration::from_secs(minutes * 60)) };
    TwilioErrorCode { code, next: TwilioErrorAction::Later { after, times }, words }
}

const fn refusal_code(code: i32, kind: RefusalReason, words: &'static str) -> TwilioErrorCode {
    TwilioErrorCode { code, next: TwilioErrorAction::Never(kind), words }
}

/// Sorted by code.
pub const TWILIO_ERROR_CODES: &[TwilioErrorCode] = &[
    refusal_code(20003, ChannelBroken, "Twilio refused our credentials"),
    refusal_code(20005, ChannelBroken, "the account at Twilio is not active"),
    refusal_code(20008, ChannelBroken, "these are Twilio's test credentials, which send nothing"),
    refusal_code(20404, SetUp, "Twilio does not know the account"),
    retry_code(20429, 0, None, "Twilio takes no more texts at this moment"),
    refusal_code(21211, BadNumber, "the number is not a valid phone number"),
    refusal_code(21212, SetUp, "the sending number is not a valid phone number"),
    refusal_code(21214, BadNumber, "the number cannot be reached"),
    refusal_code(21217, BadNumber, "the number is not a valid phone number"),
    refusal_code(21408, SetUp, "the account at Twilio may not send texts to the number's country"),
    refusal_code(21602, Other, "the text is empty"),
    refusal_code(21603, SetUp, "no sending number is set"),
    refusal_code(21604, Other, "the text has no receiver"),
    refusal_code(21605, Other, "the text is too long"),
    refusal_code(21606, SetUp, "the sending number cannot send texts"),
    refusal_code(21608, SetUp, "a trial account at Twilio sends only to numbers it has verified"),
    refusal_code(21609, SetUp, "Twilio cannot reach your Toolbox from the internet"),
    refusal_code(21610, OptedOut, "the person has opted out of texts"),
    retry_code(21611, 10, None, "too many texts are waiting at Twilio for this sending number"),
    refusal_code(21612, SetUp, "the sending number cannot reach this number"),
    refusal_code(21614, BadNumber, "the number is not a mobile number"),
    refusal_code(21617, Other, "the text is too long"),
    refusal_code(21635, BadNumber, "the number is a landline"),
    refusal_code(21659, SetUp, "the sending number does not belong to the account at Twilio"),
    refusal_code(21660, SetUp, "the sending number does not belong to the account at Twilio"),
    refusal_code(21701, SetUp, "Twilio does not know the messaging service"),
    refusal_code(21703, SetUp, "the messaging service at Twilio has no sending number"),
    refusal_code(21704, SetUp, "the messaging service at Twilio has no sending number"),
    retry_code(30001, 10, None, "too many texts were waiting at Twilio for this sending number"),
    refusal_code(30002, ChannelBroken, "the account at Twilio is suspended"),
    retry_code(30003, 30, Some(2), "the phone is switched off or out of reach"),
    refusal_code(30004, Other, "the phone or its network blocks our texts"),
    refusal_code(30005, BadNumber, "the number no longer exists"),
    refusal_code(30006, BadNumber, "the number is a landline or its network cannot receive texts"),
    refusal_code(30007, Other, "a carrier filtered the text as unwanted"),
    retry_code(30008, 15, Some(1), "the carrier did not deliver the text and gave no reason"),
    refusal_code(30032, ChannelBroken, "the toll-free number is not verified by the US carriers"),
    refusal_code(30034, ChannelBroken, "the sending number is not registered with the US carriers (A2P 10DLC)"),
    // A rolling 24 hours: an hour later some of yesterday's texts no longer count.
    retry_code(63038, 60, None, "the account at Twilio has reached its daily limit"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_maps_to_its_next_step() {
        let minutes = |n: u64| Some(Duration::from_secs(60 * n));
        let to_never = [
            (ChannelBroken, &[20003, 20005, 20008, 30002, 30032, 30034][..]),
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
                assert_eq!(find_error_code(*code).map(|r| r.next), Some(TwilioErrorAction::Never(kind)), "{code}");
                seen += 1;
            }
        }
        for (code, after, times) in to_later {
            assert_eq!(
                find_error_code(code).map(|r| r.next),
                Some(TwilioErrorAction::Later { after, times }),
                "{code}"
            );
            seen += 1;
        }
        assert_eq!(seen, TWILIO_ERROR_CODES.len(), "a row without a test");
    }

    #[test]
    fn code_rows_are_sorted_and_worded_plainly() {
        assert!(TWILIO_ERROR_CODES.is_sorted_by(|a, b| a.code < b.code));
        for row in TWILIO_ERROR_CODES {
            assert!(!row.words.is_empty() && !row.words.ends_with('.') && !row.words.contains("error"), "{}", row.code);
        }
        assert_eq!(find_error_code(1), None);
    }
}
