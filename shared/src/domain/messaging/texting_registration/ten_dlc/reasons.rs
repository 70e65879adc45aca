//! Why a registration was turned down, in words for the owner.

use crate::providers::{RefusalReason, SendError, sms::A2pFault};

/// Characters of all reasons together.
const LONGEST_REASON: usize = 500;
const NO_REASON: &str = "No reason was given. Check your details and send them again.";

/// Reasons of the registry that have words of ours: the mark or code, and the words. Others are shown in Twilio's words.
fn find_words(fault: &A2pFault) -> Option<&'static str> {
    // Twilio, `brand_feedback` of a brand.
    match fault.words.as_str() {
        "TAX_ID" => {
            return Some(
                "Your legal name and EIN do not match the record of the tax office. Write both exactly as on the letter \
                 about your EIN.",
            );
        }
        "NONPROFIT" => {
            return Some("The tax office does not list you as a nonprofit. Choose another kind of business.");
        }
        "STOCK_SYMBOL" | "GOVERNMENT_ENTITY" => return Some("The kind of business does not fit. Choose another one."),
        "OTHERS" => return Some("Some details do not match public records. Check each of them."),
        _ => {}
    }
    // Twilio, "Error and Warning Dictionary".
    match fault.code {
        Some(30_752) => Some("The text to your mobile phone was not answered with YES in time. Ask for a new one."),
        Some(30_893) => Some("The samples do not fit what you text about."),
        Some(30_909) => Some(
            "The reviewers could not see how customers agree to texts. Open the request form and check that it works.",
        ),
        _ => None,
    }
}

/// All reasons once.
#[must_use]
pub fn explain_rejection(faults: &[A2pFault]) -> String {
    let mut shown: Vec<&str> = Vec::new();
    for fault in faults {
        let words = find_words(fault).unwrap_or_else(|| fault.words.trim());
        if !words.is_empty() && !shown.contains(&words) {
            shown.push(words);
        }
    }
    if shown.is_empty() {
        return NO_REASON.to_owned();
    }
    shown.join(" ").chars().take(LONGEST_REASON).collect()
}

/// Why Twilio did not take a step.
#[must_use]
pub const fn explain_refusal(error: &SendError) -> &'static str {
    match error {
        SendError::Refused { kind: RefusalReason::ChannelBroken, .. } | SendError::NotSetUp { .. } => {
            "The phone account of this Toolbox does not work right now. Tell the people who run it, then send it again."
        }
        // Twilio, 21712: the number is in another Messaging Service.
        SendError::Refused { code: Some(21_710 | 21_712), .. } => {
            "Your number is registered for something else. Tell the people who run this Toolbox."
        }
        _ => "The phone company did not take your registration. Check your details and send it again.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_reasons_are_said_in_plain_words_and_others_in_twilios() {
        let fault = |code, words: &str| A2pFault { code, words: words.to_owned() };
        let both =
            explain_rejection(&[fault(None, "TAX_ID"), fault(None, "TAX_ID"), fault(Some(1), "Website is down.")]);
        assert!(both.starts_with("Your legal name and EIN do not match") && both.ends_with("EIN. Website is down."));
        assert!(explain_rejection(&[fault(Some(30_893), "Sample/use case mismatch")]).starts_with("The samples"));
        assert_eq!(explain_rejection(&[]), NO_REASON);
        assert_eq!(explain_rejection(&[fault(None, &"x".repeat(900))]).len(), LONGEST_REASON);
    }

    #[test]
    fn refusal_is_said_without_words_of_twilio() {
        let refused = |code, kind| SendError::Refused { code, reason: "Twilio's words".into(), kind };
        for error in [
            refused(Some(20_003), RefusalReason::ChannelBroken),
            refused(Some(21_712), RefusalReason::Other),
            refused(Some(20_001), RefusalReason::Other),
        ] {
            assert!(!explain_refusal(&error).contains("Twilio"));
        }
    }
}
