//! Email delivery, by SMTP or into readable files when no mail server is configured.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use platform::{config::EnvVars, email_address::EmailAddress, spans};
use uuid::Uuid;

use super::{AcceptedMessage, SendError, memory::MemoryProvider};

mod encoded_email;
mod file;
mod replies;
mod server;
mod smtp;

pub use file::FileMail;
pub use server::{SmtpEncryption, SmtpServer};
pub use smtp::{SmtpPool, SmtpTimeouts};

#[derive(Debug, Clone, Copy)]
pub struct EmailMessage<'a> {
    /// Basis of the `Message-ID`: equal on every attempt, so that receivers can deduplicate.
    pub id: Uuid,
    pub date: DateTime<Utc>,
    /// Sender name of the business; the address stays that of `MAIL_FROM`.
    pub from_name: Option<&'a str>,
    pub reply_to: Option<&'a EmailAddress>,
    pub to: &'a EmailAddress,
    pub subject: &'a str,
    pub text: &'a str,
    pub html: Option<&'a str>,
    pub attachments: &'a [Attachment],
    /// One-click unsubscribe address (RFC 8058), for mail not about the receiver's own matter.
    pub unsubscribe: Option<&'a str>,
    /// Inline pictures, referenced as `cid:<name>`.
    pub pictures: &'a [Attachment],
    /// Automatic message, not sent by a person (RFC 3834).
    pub is_automatic: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    pub name: String,
    pub content_type: String,
    pub bytes: Bytes,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attachment({:?}, {}, {} bytes)", self.name, self.content_type, self.bytes.len())
    }
}

#[derive(Debug, Clone)]
pub enum MailProvider {
    Smtp(SmtpPool),
    File(FileMail),
    Memory(MemoryMail),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentEmail {
    pub id: Uuid,
    pub date: DateTime<Utc>,
    pub from_name: Option<String>,
    pub reply_to: Option<String>,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: Option<String>,
    pub attachments: Vec<Attachment>,
    pub unsubscribe: Option<String>,
    pub pictures: Vec<Attachment>,
    pub is_automatic: bool,
}

pub type MemoryMail = MemoryProvider<SentEmail>;

impl MailProvider {
    #[must_use]
    pub fn from_config(config: &MailConfig) -> Self {
        match &config.way {
            MailTransport::Smtp(server) => Self::Smtp(SmtpPool::new(server.clone(), config.from.clone())),
            MailTransport::File(folder) => Self::File(FileMail::new(folder.clone(), config.from.clone())),
        }
    }

    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    /// Errors: [`SendError`] says whether it may be repeated.
    pub async fn send(&self, letter: &EmailMessage<'_>) -> Result<AcceptedMessage, SendError> {
        match self {
            Self::Smtp(pool) => spans::call_provider("smtp", "send", pool.send(letter)).await,
            Self::File(files) => files.send(letter).await,
            Self::Memory(memory) => memory.record_send(SentEmail::from(letter), |_| format!("<{}@memory>", letter.id)),
        }
    }
}

impl MailProvider {
    /// Checks that the mail server answers and accepts our credentials. Always succeeds for files. Errors:
    /// [`SendError`] with the server's answer.
    pub async fn check_connection(&self) -> Result<(), SendError> {
        match self {
            Self::Smtp(pool) => spans::call_provider("smtp", "check", pool.check_connection()).await,
            Self::File(_) | Self::Memory(_) => Ok(()),
        }
    }
}

impl From<&EmailMessage<'_>> for SentEmail {
    fn from(letter: &EmailMessage<'_>) -> Self {
        Self {
            id: letter.id,
            date: letter.date,
            from_name: letter.from_name.map(ToOwned::to_owned),
            reply_to: letter.reply_to.map(ToString::to_string),
            to: letter.to.to_string(),
            subject: letter.subject.to_owned(),
            text: letter.text.to_owned(),
            html: letter.html.map(ToOwned::to_owned),
            attachments: letter.attachments.to_vec(),
            unsubscribe: letter.unsubscribe.map(ToOwned::to_owned),
            pictures: letter.pictures.to_vec(),
            is_automatic: letter.is_automatic,
        }
    }
}

#[derive(Debug, Clone)]
pub struct MailConfig {
    /// `MAIL_FROM`
    pub from: Mailbox,
    pub way: MailTransport,
}

#[derive(Debug, Clone)]
pub enum MailTransport {
    /// `SMTP_URL`
    Smtp(SmtpServer),
    /// `<DATA_DIR>/mail`, when `SMTP_URL` is not set.
    File(PathBuf),
}

impl MailConfig {
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path) -> Self {
        let from = vars.get("MAIL_FROM");
        let way = match vars.get("SMTP_URL") {
            None => MailTransport::File(data_dir.join("mail")),
            Some(url) => {
                if from.is_none() {
                    vars.record_invalid("MAIL_FROM", "must be set, because SMTP_URL is");
                }
                SmtpServer::from_url(&url).map_or_else(
                    |problem| {
                        vars.record_invalid("SMTP_URL", problem);
                        MailTransport::File(data_dir.join("mail"))
                    },
                    MailTransport::Smtp,
                )
            }
        };
        let from = from.map_or_else(|| Some(placeholder_sender()), |given| encoded_email::parse_mailbox(&given));
        if from.is_none() {
            vars.record_invalid("MAIL_FROM", "must be an address such as: Toolbox <office@example.com>");
        }
        Self { from: from.unwrap_or_else(placeholder_sender), way }
    }
}

fn placeholder_sender() -> Mailbox {
    Mailbox::new(Some("Toolbox".into()), lettre::Address::new_dangerous("no-reply", "localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (MailConfig, Vec<String>) {
        let mut vars = EnvVars::from_pairs(pairs.iter().copied());
        let config = MailConfig::from_vars(&mut vars, Path::new("./var"));
        let faults = vars.into_result().err().map(|e| e.0).unwrap_or_default();
        (config, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn unset_configuration_writes_mail_to_files() {
        let (config, faults) = read(&[]);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(config.from.to_string(), "Toolbox <no-reply@localhost>");
        assert!(matches!(&config.way, MailTransport::File(folder) if folder == Path::new("./var/mail")));
        assert!(!MailProvider::from_config(&config).is_set_up());
    }

    #[test]
    fn smtp_url_without_mail_from_is_a_fault() {
        let (_, faults) = read(&[("SMTP_URL", "smtp://127.0.0.1:25")]);
        assert_eq!(faults, ["MAIL_FROM must be set, because SMTP_URL is"]);
        let (config, faults) = read(&[("SMTP_URL", "smtp://127.0.0.1:25"), ("MAIL_FROM", "Joe's <joe@example.com>")]);
        assert!(faults.is_empty() && MailProvider::from_config(&config).is_set_up(), "{faults:?}");
        assert_eq!(config.from.email.domain(), "example.com");
    }

    #[test]
    fn mail_from_that_is_no_address_is_a_fault() {
        for bad in ["joe", "joe@", "<>", "joe@example.com, ann@example.com", "a@b.example\r\nBcc: x@y.example"] {
            assert!(read(&[("MAIL_FROM", bad)]).1.concat().starts_with("MAIL_FROM must be an address"), "{bad}");
        }
        for good in
            ["joe@example.com", "<joe@example.com>", "Joe & Sons, Roofing <joe@example.com>", "no-reply@localhost"]
        {
            assert!(read(&[("MAIL_FROM", good)]).1.is_empty(), "{good}");
        }
    }

    #[test]
    fn smtp_credentials_appear_in_no_debug_output_or_fault() {
        let (config, _) =
            read(&[("SMTP_URL", "smtps://user-canary:pass-canary@mail.example"), ("MAIL_FROM", "joe@example.com")]);
        let shown = format!("{config:?} {:?}", MailProvider::from_config(&config));
        assert!(shown.contains("mail.example") && !shown.contains("canary"), "{shown}");
        let (_, faults) =
            read(&[("SMTP_URL", "http://user-canary:pass-canary@mail.example"), ("MAIL_FROM", "a@b.example")]);
        assert!(faults.concat().starts_with("SMTP_URL") && !faults.concat().contains("canary"), "{faults:?}");
    }
}
