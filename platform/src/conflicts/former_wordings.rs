//! Former words of stored reasons. A reason is stored as its English sentence: with messages, decisions and plans. A row
//! keeps the words of its day, so a change of the words adds a line here, and the row is shown in the present words.

use std::borrow::Cow;

/// Former and present words. `{}` is the same text in both.
const FORMER_WORDINGS: &[(&str, &str)] = &[
    ("somebody had them asked now", "someone had them asked now"),
    ("the visit was planned anew", "the visit was planned again"),
    ("somebody of the business stopped it", "someone at the business stopped it"),
    ("lists more than can be looked through", "lists more than can be checked"),
    ("keeps this invoice behind too many doors", "redirects this invoice too many times"),
    ("TWILIO_ACCOUNT_SID does not name an account at Twilio", "Twilio does not know the account"),
    ("PUBLIC_URL is not an address Twilio can reach", "Twilio cannot reach your Toolbox from the internet"),
    ("TWILIO_MESSAGING_SERVICE_SID does not name a messaging service", "Twilio does not know the messaging service"),
    ("the number does not exist any more", "the number no longer exists"),
    ("the time it asks about is not held any more", "the time it asks about is no longer held"),
    ("this payment does not count any more", "this payment no longer counts"),
    ("it was taken back", "it was undone"),
    ("it is too late for it to be of use", "it is too late to send it"),
    ("it could not be sent in time to be of use", "it could not be sent in time"),
    ("it could not be sent in time to be of use ({})", "it could not be sent in time ({})"),
    (
        "too many texts were waiting before it for it to be of use in time",
        "too many texts were waiting before it to send it in time",
    ),
    ("is not connected to this install any more", "is no longer connected to this install"),
    ("nobody knows this request any more", "this request no longer exists"),
    ("nobody knows this step any more", "this step no longer exists"),
    ("card payments are not set up any more", "card payments are no longer set up"),
    ("they wrote or rang since: answer them yourself", "they wrote or called since: answer them yourself"),
    (
        "they wrote or rang within the last two days: answer them yourself",
        "they wrote or called within the last two days: answer them yourself",
    ),
    ("the estimate does not wait for an answer any more", "the estimate is no longer waiting for an answer"),
    ("the change order does not wait for an answer any more", "the change order is no longer waiting for an answer"),
    ("it was too long ago to be of use", "it was too long ago"),
    ("the visit does not take place as it was planned", "the visit does not take place as planned"),
    (
        "somebody else at this address was asked for a review today",
        "someone else at this address was asked for a review today",
    ),
    ("nobody would be asked", "no one would be asked"),
    ("the work is done, and everybody is asked", "the work is done, and everyone is asked"),
    ("somebody had seen it by then", "someone had seen it by then"),
    ("somebody wrote to you first", "someone wrote to you first"),
    ("a new request is answered at once", "a new request is answered right away"),
    ("nobody is on the list of people to tell", "no one is on the list of people to tell"),
    ("nobody has answered the estimate yet", "no one has answered the estimate yet"),
    ("nobody has answered the change order yet", "no one has answered the change order yet"),
    ("somebody of the business had the estimate sent", "someone at the business had the estimate sent"),
    ("somebody of the business had the change order sent", "someone at the business had the change order sent"),
    ("somebody of the business had the receipt sent", "someone at the business had the receipt sent"),
    ("somebody of the business sent a reminder", "someone at the business sent a reminder"),
    (
        "nothing was agreed, and nobody said what the job is worth",
        "nothing was agreed, and no one said what the job is worth",
    ),
    ("nobody decided that this invoice is reminded of", "no one has turned on reminders for this invoice"),
    ("nobody asked for one", "no one asked for one"),
    (
        "your email address is not confirmed yet; open the link that we sent you",
        "your email address is not confirmed yet; confirm it first",
    ),
    (
        "a new business may have {}; ask the operator of this Toolbox to lift these limits",
        "a new business may have {}; ask the person who runs your Toolbox to lift these limits",
    ),
    (
        "a new business may have {}; a number of your own opens more, and the operator of this Toolbox can lift these limits",
        "a new business may have {}; a number of your own opens more, and the person who runs your Toolbox can lift these limits",
    ),
    (
        "a new business may have {}; subscribe under Billing, or ask the operator of this Toolbox to allow you without payment",
        "a new business may have {}; subscribe under Billing, or ask the person who runs your Toolbox to allow you without payment",
    ),
];

/// Each former wording with the present one.
pub fn list_former_wordings() -> impl Iterator<Item = (&'static str, &'static str)> {
    FORMER_WORDINGS.iter().copied()
}

/// A stored reason in the words of today.
#[must_use]
pub fn reword_stored_reason(stored: &str) -> Cow<'_, str> {
    let reworded = FORMER_WORDINGS.iter().find_map(|(former, present)| reword(former, present, stored));
    reworded.map_or(Cow::Borrowed(stored), Cow::Owned)
}

fn reword(former: &str, present: &str, stored: &str) -> Option<String> {
    let Some((start, end)) = former.split_once("{}") else {
        return (former == stored).then(|| present.to_owned());
    };
    let kept = stored.strip_prefix(start)?.strip_suffix(end)?;
    Some(present.replacen("{}", kept, 1))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn former_words_are_shown_in_present_ones() {
        for (stored, shown) in [
            ("the visit was planned anew", "the visit was planned again"),
            ("it could not be sent in time to be of use", "it could not be sent in time"),
            (
                "it could not be sent in time to be of use (it's 9:00 PM in Texas)",
                "it could not be sent in time (it's 9:00 PM in Texas)",
            ),
            ("they said STOP", "they said STOP"),
            ("", ""),
        ] {
            assert_eq!(reword_stored_reason(stored), shown);
        }
    }

    #[test]
    fn former_words_are_listed_once_and_are_nobodys_present_words() {
        let former: BTreeSet<_> = FORMER_WORDINGS.iter().map(|(former, _)| *former).collect();
        assert_eq!(former.len(), FORMER_WORDINGS.len());
        for (words, present) in FORMER_WORDINGS {
            assert!(!former.contains(present), "{words}: {present} was reworded again");
            assert_eq!(words.matches("{}").count(), present.matches("{}").count(), "{words}");
        }
    }
}
