//! A mail server with faults on demand, and mailboxes that show what truly arrived.

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

/// Where in a conversation a fault strikes.
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
    /// The end of the letter.
    Dot,
}

/// What goes wrong next. Each fault waits at the head of the script until the conversation comes to its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// This reply instead of the usual one; with 421 the connection is closed after it.
    Reply { verb: Verb, reply: String },
    /// The connection is closed instead of a reply.
    Close { verb: Verb },
    /// The connection is closed after the letter came, which is kept or thrown away.
    CloseAfterDot { keep: bool },
    /// Nothing is ever said again after the letter came.
    SilenceAfterDot { keep: bool },
    /// The letter is taken and said to be; then the connection is closed.
    AcceptThenClose,
    /// Every reply of the next connection waits this long.
    Tarpit { millis: u64 },
}

/// A letter in its mailbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Letter {
    pub from: String,
    pub to: Vec<String>,
    /// As it came, with the doubled dots taken back.
    pub raw: String,
    /// Whether it came over TLS.
    pub encrypted: bool,
    /// Microseconds since 1970.
    pub at_us: u64,
}

impl Letter {
    /// The value of a header that stands on one line.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.raw.split("\r\n\r\n").next()?;
        head.split("\r\n").find_map(|line| {
            let (given, value) = line.split_once(": ")?;
            given.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// What the server offers and wants.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Without them nobody may send.
    pub login: Option<(String, String)>,
    pub tls: Tls,
}

/// How the server encrypts.
#[derive(Debug, Clone, Default)]
pub enum Tls {
    #[default]
    Never,
    /// Offered as STARTTLS.
    Offered(Certificate),
    /// From the first byte.
    Implicit(Certificate),
}

/// A running fake. Clones are the same one.
#[derive(Debug, Clone)]
pub struct FakeSmtp {
    book: Arc<Mutex<Book>>,
    options: Arc<Options>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    letters: Vec<Letter>,
    connections: usize,
    verbs: Vec<String>,
}

impl FakeSmtp {
    /// Starts on a free port of this machine, without TLS and open to everybody.
    pub async fn start() -> Self {
        Self::start_on(0, Options::default()).await
    }

    /// Starts on `port`.
    ///
    /// # Panics
    /// When the port is taken.
    pub async fn start_on(port: u16, options: Options) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake mail server");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), options: Arc::new(options), address };
        let server = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                // A conversation that breaks is what many stories want; there is nobody to tell.
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

    /// The port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Adds a fault.
    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    /// Every letter that arrived, in order.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        self.book().letters.clone()
    }

    /// Connections made so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.book().connections
    }

    /// The first word of every line of every conversation.
    #[must_use]
    pub fn verbs(&self) -> Vec<String> {
        self.book().verbs.clone()
    }

    /// Forgets letters, counts and the script.
    pub fn reset(&self) {
        *self.book() = Book::default();
    }

    /// A poisoned lock still holds whole entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the fault at the head of the script if it strikes here.
    fn fault_if(&self, strikes: impl FnOnce(&Fault) -> bool) -> Option<Fault> {
        let mut book = self.book();
        if book.script.front().is_some_and(strikes) { book.script.pop_front() } else { None }
    }
}
