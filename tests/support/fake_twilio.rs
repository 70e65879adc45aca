//! Twilio's Messages resource, as far as a client can tell: same fields, same error bodies, and faults on demand.
//!
//! The ledger holds what the handset received. It is the only witness in a story about lost or doubled texts: what a
//! client was told, or believes, is not asked.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{Router, routing::get};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

mod resource;
mod wire;

use wire::{CuttableListener, Wire};

/// The account the fake knows.
pub const ACCOUNT_SID: &str = "ACfa4e00000000000000000000000000fa";
pub const AUTH_TOKEN: &str = "fake-twilio-auth-token";
/// A number that belongs to the account.
pub const FROM: &str = "+15005550006";

/// What goes wrong with the next request to send a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The text is taken; the answer comes this much later.
    AcceptThenHang {
        millis: u64,
    },
    /// The text is taken; the connection is reset instead of an answer.
    AcceptThenReset,
    /// The connection is reset and nothing is taken.
    ResetBeforeAccept,
    #[serde(rename = "error_500_after_accept")]
    Error500AfterAccept,
    #[serde(rename = "error_500_before_accept")]
    Error500BeforeAccept,
    TooManyRequests {
        retry_after: Option<u64>,
    },
    /// Refused with this HTTP status and Twilio code.
    Code {
        status: u16,
        code: i32,
    },
    /// The text is taken; the answer comes byte by byte, one each `millis`.
    SlowDrip {
        millis: u64,
    },
    /// The text is taken; the answer breaks off in its middle.
    HalfResponse,
    /// The text is taken; the answer is 201 and no JSON.
    WrongJson,
}

/// A text on the handset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Received {
    pub sid: String,
    pub to: String,
    pub from: Option<String>,
    pub messaging_service_sid: Option<String>,
    pub body: String,
    pub status_callback: Option<String>,
    pub validity_period: Option<u32>,
    /// Microseconds since 1970.
    pub at_us: u64,
}

/// A request to send, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seen {
    pub to: Option<String>,
    pub body: Option<String>,
    /// When its first byte arrived, in microseconds since 1970.
    pub at_us: u64,
}

/// A running fake. Clones are the same one.
#[derive(Debug, Clone)]
pub struct FakeTwilio {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    received: Vec<Received>,
    requests: Vec<Seen>,
    /// Goes on over a reset, so that no SID is ever given twice.
    given_sids: u64,
}

impl FakeTwilio {
    /// Starts on a free port of this machine.
    ///
    /// # Panics
    /// When no port can be had.
    pub async fn start() -> Self {
        Self::start_on(0, |_| Router::new()).await
    }

    /// Starts on `port`, serving `more` beside Twilio's own paths.
    ///
    /// # Panics
    /// When the port is taken.
    pub async fn start_on(port: u16, more: impl FnOnce(&Self) -> Router) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake Twilio");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), address };
        let messages = get(resource::list).post(resource::create);
        let app = Router::new()
            .route("/2010-04-01/Accounts/{account}/{messages}", messages)
            .route("/2010-04-01/Accounts/{account}/Messages/{sid}", get(resource::fetch))
            .with_state(fake.clone())
            .merge(more(&fake))
            .into_make_service_with_connect_info::<Wire>();
        tokio::spawn(async move { axum::serve(CuttableListener(listener), app).await });
        fake
    }

    /// Where it listens: the value for `TWILIO_API_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The variables under which a process sends through it.
    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 4] {
        [
            ("TWILIO_ACCOUNT_SID", ACCOUNT_SID.into()),
            ("TWILIO_AUTH_TOKEN", AUTH_TOKEN.into()),
            ("TWILIO_FROM", FROM.into()),
            ("TWILIO_API_URL", self.url()),
        ]
    }

    /// Adds a fault for the next request to send that has none yet.
    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    /// What the handset received.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.book().received.clone()
    }

    /// Every request to send.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.book().requests.clone()
    }

    /// Forgets what was received, seen and scripted.
    pub fn reset(&self) {
        let mut book = self.book();
        *book = Book { given_sids: book.given_sids, ..Book::default() };
    }

    /// A poisoned lock still holds whole entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Microseconds since 1970.
pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
