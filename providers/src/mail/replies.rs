//! Classification of SMTP outcomes by whether the letter may have been accepted.
//!
//! The boundary is DATA's 354 (RFC 5321 §4.1.1.4): before it nothing of the letter was sent; after it the server may
//! have the letter even without a reply. A reply with a code is always definite.

use crate::{
    RefusalReason::{BadAddress, ChannelBroken, Other, SetUp},
    SendError,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmtpPhase {
    /// DNS, connection, greeting and EHLO.
    Connect,
    Encrypt,
    SignIn,
    Sender,
    Receiver,
    /// DATA, up to its 354.
    Data,
    /// Message content, up to the reply to the final dot.
    Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SmtpOutcome {
    /// A refusal with its code, and the enhanced status code if any (RFC 3463).
    Reply {
        code: u16,
        enhanced: Option<String>,
    },
    /// The connection could not be made, or broke.
    ConnectionLost,
    TimedOut,
    /// Not SMTP, or not a reply valid in this phase.
    InvalidReply,
    /// TLS negotiation failed, or the certificate is not trusted.
    BadTls,
    /// The server lacks a needed extension.
    NotOffered,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SmtpFailure {
    pub phase: SmtpPhase,
    pub outcome: SmtpOutcome,
}

impl SmtpFailure {
    /// Whether an idle connection may just have been closed by the server.
    pub(super) fn is_possibly_stale(&self) -> bool {
        self.phase != SmtpPhase::Content
            && matches!(self.outcome, SmtpOutcome::ConnectionLost | SmtpOutcome::Reply { code: 421, .. })
    }

    pub(super) fn to_send_error(&self) -> SendError {
        match &self.outcome {
            SmtpOutcome::Reply { code, .. } if *code < 500 => {
                SendError::retryable_error(format!("the mail server asks to try again later ({})", self.format_codes()))
            }
            SmtpOutcome::Reply { code, enhanced } => {
                self.rejection_error(*code, enhanced.as_deref().unwrap_or_default())
            }
            SmtpOutcome::NotOffered => not_offered_error(self.phase),
            SmtpOutcome::TimedOut if self.phase == SmtpPhase::Content => {
                SendError::unknown_outcome("the mail server did not answer after it was given the email")
            }
            _ if self.phase == SmtpPhase::Content => {
                SendError::unknown_outcome("the connection broke after the mail server was given the email")
            }
            SmtpOutcome::BadTls => {
                SendError::retryable_error("no trusted encrypted connection to the mail server could be made")
            }
            SmtpOutcome::TimedOut => SendError::retryable_error("the mail server did not answer in time"),
            SmtpOutcome::InvalidReply => SendError::retryable_error("the mail server's answer could not be read"),
            SmtpOutcome::ConnectionLost if self.phase == SmtpPhase::Connect => {
                SendError::retryable_error("the mail server could not be reached")
            }
            SmtpOutcome::ConnectionLost => SendError::retryable_error("the mail server broke off the connection"),
        }
    }

    /// A 5xx reply. Its text is not repeated, because it usually holds the address.
    fn rejection_error(&self, code: u16, enhanced: &str) -> SendError {
        let (kind, words) = match (self.phase, code) {
            // 535: wrong password; 534: authentication method too weak; 530: authentication required (RFC 4954 §6).
            (SmtpPhase::SignIn, _) | (_, 535 | 534) => (ChannelBroken, "the mail server refused our credentials"),
            (_, 530) => (SetUp, "the mail server wants a user and a password, or TLS"),
            (SmtpPhase::Connect | SmtpPhase::Encrypt, _) => (ChannelBroken, "the mail server refuses to talk with us"),
            (SmtpPhase::Sender, _) => (SetUp, "the mail server does not accept the sender's address"),
            // X.7.*: a permission problem, mostly "relaying denied"; the address may be valid.
            (SmtpPhase::Receiver, _) if enhanced.starts_with("5.7.") => {
                (SetUp, "the mail server does not let us send to this address")
            }
            // X.2.2, X.2.3, X.3.*: mailbox full, message too large, or a fault of the receiving system.
            (SmtpPhase::Receiver, 552) => (Other, "the mailbox is full"),
            (SmtpPhase::Receiver, _) if ["5.2.2", "5.2.3", "5.3."].iter().any(|p| enhanced.starts_with(p)) => {
                (Other, "the mailbox takes no email at this time")
            }
            (SmtpPhase::Receiver, _) => (BadAddress, "the email address does not exist"),
            (SmtpPhase::Data | SmtpPhase::Content, _) => (Other, "the mail server refused the email"),
        };
        SendError::refused_error(kind, Some(i32::from(code)), format!("{words} ({})", self.format_codes()))
    }

    fn format_codes(&self) -> String {
        match &self.outcome {
            SmtpOutcome::Reply { code, enhanced: Some(enhanced) } => format!("{code} {enhanced}"),
            SmtpOutcome::Reply { code, enhanced: None } => code.to_string(),
            _ => String::new(),
        }
    }
}

fn not_offered_error(phase: SmtpPhase) -> SendError {
    let (kind, words) = match phase {
        SmtpPhase::Encrypt => (SetUp, "the mail server offers no encryption (STARTTLS), which is required here"),
        SmtpPhase::SignIn => (SetUp, "the mail server offers no way to sign in"),
        _ => (BadAddress, "the mail server cannot send to an address with such letters"),
    };
    SendError::refused_error(kind, None, words)
}

/// The enhanced status code at the start of a reply: `5.1.1 no such user` gives `5.1.1`.
pub(super) fn parse_enhanced_code(text: &str) -> Option<String> {
    let first = text.split_whitespace().next()?;
    let parts: Vec<&str> = first.split('.').collect();
    let digits = |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    (parts.len() == 3 && parts.iter().all(digits) && matches!(parts[0], "2" | "4" | "5")).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RefusalReason;

    const PHASES: [SmtpPhase; 7] = [
        SmtpPhase::Connect,
        SmtpPhase::Encrypt,
        SmtpPhase::SignIn,
        SmtpPhase::Sender,
        SmtpPhase::Receiver,
        SmtpPhase::Data,
        SmtpPhase::Content,
    ];

    fn reply(phase: SmtpPhase, code: u16, enhanced: &str) -> SendError {
        SmtpFailure { phase, outcome: SmtpOutcome::Reply { code, enhanced: parse_enhanced_code(enhanced) } }
            .to_send_error()
    }

    #[test]
    fn reply_code_is_conclusive_in_every_phase() {
        for phase in PHASES {
            for code in [421, 450, 451, 452, 454] {
                assert!(matches!(reply(phase, code, "4.7.0 x"), SendError::Retry { .. }), "{phase:?} {code}");
            }
            for code in [500, 530, 535, 550, 552, 554] {
                let error = reply(phase, code, "");
                assert!(
                    matches!(&error, SendError::Refused { code: Some(c), .. } if *c == i32::from(code)),
                    "{error:?}"
                );
            }
        }
    }

    #[test]
    fn failure_without_code_is_unknown_only_in_the_content_phase() {
        for phase in PHASES {
            for outcome in
                [SmtpOutcome::ConnectionLost, SmtpOutcome::TimedOut, SmtpOutcome::InvalidReply, SmtpOutcome::BadTls]
            {
                let error = SmtpFailure { phase, outcome }.to_send_error();
                assert_eq!(
                    matches!(error, SendError::Unknown { .. }),
                    phase == SmtpPhase::Content,
                    "{phase:?} {error:?}"
                );
                assert_eq!(
                    matches!(error, SendError::Retry { .. }),
                    phase != SmtpPhase::Content,
                    "{phase:?} {error:?}"
                );
            }
        }
    }

    #[test]
    fn refusal_kind_follows_from_phase_and_code() {
        use RefusalReason::{BadAddress, ChannelBroken, Other, SetUp};
        for (phase, code, text, expected) in [
            (SmtpPhase::Receiver, 550, "5.1.1 no such user", BadAddress),
            (SmtpPhase::Receiver, 550, "no such user", BadAddress),
            (SmtpPhase::Receiver, 554, "5.7.1 relay access denied", SetUp),
            (SmtpPhase::Receiver, 552, "5.2.2 mailbox full", Other),
            (SmtpPhase::Receiver, 550, "5.2.2 mailbox full", Other),
            (SmtpPhase::Receiver, 530, "5.7.0 authentication required", SetUp),
            (SmtpPhase::Sender, 530, "5.7.0 must issue STARTTLS", SetUp),
            (SmtpPhase::Sender, 553, "sender rejected", SetUp),
            (SmtpPhase::SignIn, 535, "5.7.8 bad password", ChannelBroken),
            (SmtpPhase::SignIn, 504, "unknown mechanism", ChannelBroken),
            (SmtpPhase::Connect, 554, "no service here", ChannelBroken),
            (SmtpPhase::Content, 554, "5.6.0 spam", Other),
        ] {
            let SendError::Refused { kind, .. } = reply(phase, code, text) else { panic!("{phase:?} {code}") };
            assert_eq!(kind, expected, "{phase:?} {code} {text}");
        }
    }

    #[test]
    fn enhanced_code_is_extracted_only_if_complete() {
        assert_eq!(parse_enhanced_code("5.1.1 <ann@example.org> unknown").as_deref(), Some("5.1.1"));
        for text in ["", "no", "ann@example.org", "5.1", "5.1.1.1", "1.2.3 x", "5.1.x", "5.1.1234"] {
            assert_eq!(parse_enhanced_code(text), None, "{text}");
        }
    }
}
