//! A mail server with scripted faults, and mailboxes of what arrived.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

mod session;
mod tls;

pub use tls::Certificate;

/// The command at which a fault applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Greeting,
    Ehlo,
    Starttls,
    Auth,
    Noop,
    Mail,
    Rcpt,
    Data,
    Dot,
}

/// Each fault waits at the head of the script until the conversation reaches its command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// This reply instead of the usual one; after 421 the connection is closed.
    Reply {
        verb: Verb,
        reply: String,
    },
    Close {
        verb: Verb,
    },
    /// The connection is closed after the mail came, which is kept or dropped.
    CloseAfterDot {
        keep: bool,
    },
    /// No reply ever follows after the mail came.
    SilenceAfterDot {
        keep: bool,
    },
    /// The mail is accepted with a reply; then the connection is closed.
    AcceptThenClose,
    /// Every reply of the next connection waits this long.
    Tarpit {
        millis: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReceivedEmail {
    pub from: String,
    pub to: Vec<String>,
    /// As it came, without dot-stuffing.
    pub raw: String,
    pub encrypted: bool,
    pub at_us: u64,
}

impl ReceivedEmail {
    /// The value of a header on a single line.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.raw.split("\r\n\r\n").next()?;
        head.split("\r\n").find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Without it no login is needed.
    pub login: Option<(String, String)>,
    pub tls: Tls,
}

#[derive(Debug, Clone, Default)]
pub enum Tls {
    #[default]
    Never,
    Offered(Certificate),
    Implicit(Certificate),
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct FakeSmtp {
    book: Arc<Mutex<Book>>,
    options: Arc<Options>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    letters: Vec<ReceivedEmail>,
    connections: usize,
    verbs: Vec<String>,
}

impl FakeSmtp {
    /// Without TLS and login.
    pub async fn start() -> Self {
        Self::start_on(0, Options::default()).await
    }

    pub async fn start_on(port: u16, options: Options) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake mail server");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), options: Arc::new(options), address };
        let server = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                // A broken conversation is expected in many stories.
                tokio::spawn(async move { drop(session::serve(&server, stream).await) });
            }
        });
        fake
    }

    /// The value for `SMTP_URL`, without user and password.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if matches!(self.options.tls, Tls::Implicit(_)) { "smtps" } else { "smtp" };
        format!("{scheme}://{}", self.address)
    }

    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    #[must_use]
    pub fn letters(&self) -> Vec<ReceivedEmail> {
        self.book().letters.clone()
    }

    #[must_use]
    pub fn connections(&self) -> usize {
        self.book().connections
    }

    /// The first word of every line of every conversation.
    #[must_use]
    pub fn verbs(&self) -> Vec<String> {
        self.book().verbs.clone()
    }

    /// Clears mails, counts and the script.
    pub fn reset(&self) {
        *self.book() = Book::default();
    }

    /// A poisoned lock still has complete entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the fault at the head of the script if it applies here.
    fn fault_if(&self, strikes: impl FnOnce(&Fault) -> bool) -> Option<Fault> {
        let mut book = self.book();
        if book.script.front().is_some_and(strikes) { book.script.pop_front() } else { None }
    }
}
