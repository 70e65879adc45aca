//! Email: where it goes, by configuration. Without a mail server it goes into files that can be opened and read.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use lettre::message::Mailbox;
use uuid::Uuid;

use super::{Accepted, SendError, memory::Memory};
use crate::platform::config::Vars;

mod file;
mod letter;
mod replies;
mod server;
mod smtp;

pub use file::FileMail;
pub use server::{Encryption, SmtpServer};
pub use smtp::{SmtpPool, Timeouts};

/// One email to one person.
#[derive(Debug, Clone, Copy)]
pub struct Letter<'a> {
    /// Becomes the `Message-ID`, so that every try of one message carries the same and receivers can tell.
    pub id: Uuid,
    pub date: DateTime<Utc>,
    /// The business in whose name it is sent; the address stays that of `MAIL_FROM`.
    pub from_name: Option<&'a str>,
    /// Where an answer goes.
    pub reply_to: Option<&'a str>,
    pub to: &'a str,
    pub subject: &'a str,
    pub text: &'a str,
    pub html: Option<&'a str>,
    pub attachments: &'a [Attachment],
    /// Where one press asks for no more such letters (RFC 8058); for those that are not about the receiver's own matter.
    pub unsubscribe: Option<&'a str>,
    /// What the HTML shows as `cid:<name>`.
    pub pictures: &'a [Attachment],
    /// A machine wrote it, and no person had it sent (RFC 3834).
    pub is_automatic: bool,
}

/// A file that goes with a letter.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// As the receiver sees it.
    pub name: String,
    pub content_type: String,
    pub bytes: Bytes,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Attachment({:?}, {}, {} bytes)", self.name, self.content_type, self.bytes.len())
    }
}

/// The way email leaves this process.
#[derive(Debug, Clone)]
pub enum Mail {
    Smtp(SmtpPool),
    File(FileMail),
    Memory(MemoryMail),
}

/// An email as [`MemoryMail`] remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentLetter {
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

/// Email that leaves nowhere.
pub type MemoryMail = Memory<SentLetter>;

impl Mail {
    /// The way the configuration asks for.
    #[must_use]
    pub fn from_config(config: &MailConfig) -> Self {
        match &config.way {
            MailWay::Smtp(server) => Self::Smtp(SmtpPool::new(server.clone(), config.from.clone())),
            MailWay::File(folder) => Self::File(FileMail::new(folder.clone(), config.from.clone())),
        }
    }

    /// Whether email reaches people, rather than files.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !matches!(self, Self::File(_))
    }

    /// Makes one attempt.
    ///
    /// # Errors
    /// [`SendError`] says whether it may be repeated.
    pub async fn send(&self, letter: &Letter<'_>) -> Result<Accepted, SendError> {
        match self {
            Self::Smtp(pool) => pool.send(letter).await,
            Self::File(files) => files.send(letter).await,
            Self::Memory(memory) => memory.take(SentLetter::from(letter), |_| format!("<{}@memory>", letter.id)),
        }
    }
}

impl Mail {
    /// Asks whether the mail server answers and takes our credentials. Files always do.
    ///
    /// # Errors
    /// [`SendError`] with what it says.
    pub async fn probe(&self) -> Result<(), SendError> {
        match self {
            Self::Smtp(pool) => pool.probe().await,
            Self::File(_) | Self::Memory(_) => Ok(()),
        }
    }
}

impl From<&Letter<'_>> for SentLetter {
    fn from(letter: &Letter<'_>) -> Self {
        Self {
            id: letter.id,
            date: letter.date,
            from_name: letter.from_name.map(ToOwned::to_owned),
            reply_to: letter.reply_to.map(ToOwned::to_owned),
            to: letter.to.to_owned(),
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

/// What the environment says about email.
#[derive(Debug, Clone)]
pub struct MailConfig {
    /// `MAIL_FROM`
    pub from: Mailbox,
    pub way: MailWay,
}

/// Over a mail server, or into files.
#[derive(Debug, Clone)]
pub enum MailWay {
    /// `SMTP_URL`
    Smtp(SmtpServer),
    /// `<DATA_DIR>/mail`, when `SMTP_URL` is not set.
    File(PathBuf),
}

impl MailConfig {
    /// Reads `SMTP_URL` and `MAIL_FROM`.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path) -> Self {
        let from = vars.get("MAIL_FROM");
        let way = match vars.get("SMTP_URL") {
            None => MailWay::File(data_dir.join("mail")),
            Some(url) => {
                if from.is_none() {
                    vars.fault("MAIL_FROM", "must be set, because SMTP_URL is");
                }
                SmtpServer::from_url(&url).map_or_else(
                    |problem| {
                        vars.fault("SMTP_URL", problem);
                        MailWay::File(data_dir.join("mail"))
                    },
                    MailWay::Smtp,
                )
            }
        };
        let from = from.map_or_else(|| Some(nobody()), |given| letter::mailbox(&given));
        if from.is_none() {
            vars.fault("MAIL_FROM", "must be an address such as: Toolbox <office@example.com>");
        }
        Self { from: from.unwrap_or_else(nobody), way }
    }
}

/// The sender while email goes into files.
fn nobody() -> Mailbox {
    Mailbox::new(Some("Toolbox".into()), lettre::Address::new_dangerous("no-reply", "localhost"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> (MailConfig, Vec<String>) {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let config = MailConfig::from_vars(&mut vars, Path::new("./var"));
        let faults = vars.finish().err().map(|e| e.0).unwrap_or_default();
        (config, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn nothing_set_means_files() {
        let (config, faults) = read(&[]);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(config.from.to_string(), "Toolbox <no-reply@localhost>");
        assert!(matches!(&config.way, MailWay::File(folder) if folder == Path::new("./var/mail")));
        assert!(!Mail::from_config(&config).is_set_up());
    }

    #[test]
    fn a_server_needs_a_sender() {
        let (_, faults) = read(&[("SMTP_URL", "smtp://127.0.0.1:25")]);
        assert_eq!(faults, ["MAIL_FROM must be set, because SMTP_URL is"]);
        let (config, faults) = read(&[("SMTP_URL", "smtp://127.0.0.1:25"), ("MAIL_FROM", "Joe's <joe@example.com>")]);
        assert!(faults.is_empty() && Mail::from_config(&config).is_set_up(), "{faults:?}");
        assert_eq!(config.from.email.domain(), "example.com");
    }

    #[test]
    fn a_sender_that_is_no_address_is_a_fault() {
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
    fn the_password_is_in_no_debug_output_and_no_fault() {
        let (config, _) =
            read(&[("SMTP_URL", "smtps://user-canary:pass-canary@mail.example"), ("MAIL_FROM", "joe@example.com")]);
        let shown = format!("{config:?} {:?}", Mail::from_config(&config));
        assert!(shown.contains("mail.example") && !shown.contains("canary"), "{shown}");
        let (_, faults) =
            read(&[("SMTP_URL", "http://user-canary:pass-canary@mail.example"), ("MAIL_FROM", "a@b.example")]);
        assert!(faults.concat().starts_with("SMTP_URL") && !faults.concat().contains("canary"), "{faults:?}");
    }
}
