//! What the end of an SMTP conversation says about acceptance.
//!
//! The line is DATA's 354 (RFC 5321 §4.1.1.4): before it nothing of the letter has left us; after it the server may
//! have the letter even if its answer never comes. A reply with a code is always an answer, whenever it comes.

use crate::providers::{
    Refusal::{BadAddress, ChannelBroken, Other, SetUp},
    SendError,
};

/// How far the conversation had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Looking up, connecting, the greeting and EHLO.
    Connect,
    /// STARTTLS.
    Encrypt,
    SignIn,
    Sender,
    Receiver,
    /// DATA, up to its 354.
    Data,
    /// The letter itself, up to the answer to its final dot.
    Content,
}

/// What came instead of the hoped-for reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// A refusal with its code, and its enhanced status code if it had one (RFC 3463).
    Reply { code: u16, enhanced: Option<String> },
    /// The connection could not be made, or broke.
    Nothing,
    /// No answer within the time allowed.
    Silence,
    /// An answer that is not SMTP, or not the one this phase has.
    Nonsense,
    /// TLS could not be agreed on, or the certificate is not trusted.
    BadTls,
    /// The server does not offer what this phase needs.
    NotOffered,
}

/// Why a conversation ended without the letter being taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub phase: Phase,
    pub heard: Heard,
}

impl Failure {
    /// Whether the server may simply have been about to hang up on a connection that had stood idle.
    pub(super) fn may_be_stale(&self) -> bool {
        self.phase != Phase::Content && matches!(self.heard, Heard::Nothing | Heard::Reply { code: 421, .. })
    }

    pub(super) fn class(&self) -> SendError {
        match &self.heard {
            Heard::Reply { code, .. } if *code < 500 => {
                SendError::retry(format!("the mail server asks to try again later ({})", self.codes()))
            }
            Heard::Reply { code, enhanced } => self.refused(*code, enhanced.as_deref().unwrap_or_default()),
            Heard::NotOffered => not_offered(self.phase),
            Heard::Silence if self.phase == Phase::Content => {
                SendError::unknown("the mail server did not answer after it was given the email")
            }
            _ if self.phase == Phase::Content => {
                SendError::unknown("the connection broke after the mail server was given the email")
            }
            Heard::BadTls => SendError::retry("no trusted encrypted connection to the mail server could be made"),
            Heard::Silence => SendError::retry("the mail server did not answer in time"),
            Heard::Nonsense => SendError::retry("the mail server's answer could not be read"),
            Heard::Nothing if self.phase == Phase::Connect => SendError::retry("the mail server could not be reached"),
            Heard::Nothing => SendError::retry("the mail server broke off the connection"),
        }
    }

    /// A 5xx reply. The server's sentence is not repeated: it holds the address as a rule.
    fn refused(&self, code: u16, enhanced: &str) -> SendError {
        let (kind, words) = match (self.phase, code) {
            // 535: the password is wrong; 534: too weak a way to sign in; 530: it wants one at all (RFC 4954 §6).
            (Phase::SignIn, _) | (_, 535 | 534) => (ChannelBroken, "the mail server refused our credentials"),
            (_, 530) => (SetUp, "the mail server wants a user and a password in SMTP_URL, or TLS"),
            (Phase::Connect | Phase::Encrypt, _) => (ChannelBroken, "the mail server refuses to talk with us"),
            (Phase::Sender, _) => (SetUp, "the mail server does not accept the sender in MAIL_FROM"),
            // X.7.*: a matter of permission, "relaying denied" above all; the address may be perfectly good.
            (Phase::Receiver, _) if enhanced.starts_with("5.7.") => {
                (SetUp, "the mail server does not let us send to this address")
            }
            // X.2.2, X.2.3, X.3.*: the mailbox is full, takes no such size, or its system is at fault.
            (Phase::Receiver, 552) => (Other, "the mailbox is full"),
            (Phase::Receiver, _) if ["5.2.2", "5.2.3", "5.3."].iter().any(|p| enhanced.starts_with(p)) => {
                (Other, "the mailbox takes no email at this time")
            }
            (Phase::Receiver, _) => (BadAddress, "the email address does not exist"),
            (Phase::Data | Phase::Content, _) => (Other, "the mail server refused the email"),
        };
        SendError::refused(kind, Some(i32::from(code)), format!("{words} ({})", self.codes()))
    }

    fn codes(&self) -> String {
        match &self.heard {
            Heard::Reply { code, enhanced: Some(enhanced) } => format!("{code} {enhanced}"),
            Heard::Reply { code, enhanced: None } => code.to_string(),
            _ => String::new(),
        }
    }
}

fn not_offered(phase: Phase) -> SendError {
    let (kind, words) = match phase {
        Phase::Encrypt => (SetUp, "the mail server offers no encryption (STARTTLS), and SMTP_URL demands it"),
        Phase::SignIn => (SetUp, "the mail server offers no way to sign in, and SMTP_URL has a user"),
        _ => (BadAddress, "the mail server cannot send to an address with such letters"),
    };
    SendError::refused(kind, None, words)
}

/// The enhanced status code at the start of a reply's text: `5.1.1 no such user` gives `5.1.1`.
pub(super) fn enhanced_code(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?;
    let parts: Vec<&str> = first.split('.').collect();
    let digits = |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    (parts.len() == 3 && parts.iter().all(digits) && matches!(parts[0], "2" | "4" | "5")).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::Refusal;

    const PHASES: [Phase; 7] =
        [Phase::Connect, Phase::Encrypt, Phase::SignIn, Phase::Sender, Phase::Receiver, Phase::Data, Phase::Content];

    fn reply(phase: Phase, code: u16, enhanced: &str) -> SendError {
        Failure { phase, heard: Heard::Reply { code, enhanced: enhanced_code(enhanced) } }.class()
    }

    #[test]
    fn a_code_is_an_answer_in_every_phase() {
        for phase in PHASES {
            for code in [421, 450, 451, 452, 454] {
                assert!(matches!(reply(phase, code, "4.7.0 x"), SendError::Retry { .. }), "{phase:?} {code}");
            }
            for code in [500, 530, 535, 550, 552, 554] {
                let said = reply(phase, code, "");
                assert!(matches!(&said, SendError::Refused { code: Some(c), .. } if *c == i32::from(code)), "{said:?}");
            }
        }
    }

    #[test]
    fn without_a_code_only_the_content_is_in_doubt() {
        for phase in PHASES {
            for heard in [Heard::Nothing, Heard::Silence, Heard::Nonsense, Heard::BadTls] {
                let said = Failure { phase, heard }.class();
                assert_eq!(matches!(said, SendError::Unknown { .. }), phase == Phase::Content, "{phase:?} {said:?}");
                assert_eq!(matches!(said, SendError::Retry { .. }), phase != Phase::Content, "{phase:?} {said:?}");
            }
        }
    }

    #[test]
    fn a_refusal_says_whose_fault_it_is() {
        use Refusal::{BadAddress, ChannelBroken, Other, SetUp};
        for (phase, code, text, expected) in [
            (Phase::Receiver, 550, "5.1.1 no such user", BadAddress),
            (Phase::Receiver, 550, "no such user", BadAddress),
            (Phase::Receiver, 554, "5.7.1 relay access denied", SetUp),
            (Phase::Receiver, 552, "5.2.2 mailbox full", Other),
            (Phase::Receiver, 550, "5.2.2 mailbox full", Other),
            (Phase::Receiver, 530, "5.7.0 authentication required", SetUp),
            (Phase::Sender, 530, "5.7.0 must issue STARTTLS", SetUp),
            (Phase::Sender, 553, "sender rejected", SetUp),
            (Phase::SignIn, 535, "5.7.8 bad password", ChannelBroken),
            (Phase::SignIn, 504, "unknown mechanism", ChannelBroken),
            (Phase::Connect, 554, "no service here", ChannelBroken),
            (Phase::Content, 554, "5.6.0 spam", Other),
        ] {
            let SendError::Refused { kind, .. } = reply(phase, code, text) else { panic!("{phase:?} {code}") };
            assert_eq!(kind, expected, "{phase:?} {code} {text}");
        }
    }

    #[test]
    fn only_a_whole_enhanced_code_is_repeated() {
        assert_eq!(enhanced_code("5.1.1 <ann@example.org> unknown").as_deref(), Some("5.1.1"));
        for text in ["", "no", "ann@example.org", "5.1", "5.1.1.1", "1.2.3 x", "5.1.x", "5.1.1234"] {
            assert_eq!(enhanced_code(text), None, "{text}");
        }
    }
}
