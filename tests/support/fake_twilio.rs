//! A fake Twilio: texts with their states, pictures, the account, scripted faults, and the calls to the product's
//! webhooks.
//!
//! The ledger has what the handset received, and is the only reference in stories about lost or doubled texts.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{
    Router,
    routing::{get, post},
};
use serde::{Deserialize, Serialize};
use shared::platform::clock::Clock;
use tokio::{net::TcpListener, sync::Notify};

mod a2p;
mod account;
mod call;
mod call_list;
mod checks;
mod inbound;
mod legs;
mod messages;
mod number_sale;
mod numbers;
mod pictures;
mod product;
mod reports;
mod resource;
mod service_pool;
mod sign;
#[cfg(test)]
mod tests;
mod toll_free;
mod wire;
mod xml;

pub use a2p::A2pPart;
pub use call::{Call, CallRecord};
pub use inbound::{Arrival, InboundText};
pub use legs::{Leg, Pickup};
pub use messages::Message;
pub use numbers::Placed;
pub use pictures::MmsPicture;
pub use product::{Answer, Product, TwilioWebhooks};
pub use reports::{Report, Reporting, Status};
pub use sign::Signing;
pub use toll_free::SubmittedVerification;

use wire::{CuttableListener, Wire};

pub const ACCOUNT_SID: &str = "ACfa4e00000000000000000000000000fa";
pub const AUTH_TOKEN: &str = "fake-twilio-auth-token";
pub const FROM: &str = "+15005550006";

/// Faults of the next request to send a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The text is accepted; the answer comes this much later.
    AcceptThenHang {
        millis: u64,
    },
    /// The text is accepted; the connection is reset instead of an answer.
    AcceptThenReset,
    /// The text is accepted this much after the request, if the client is still connected.
    HangThenAccept {
        millis: u64,
    },
    /// The connection is reset and nothing is accepted.
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
    /// The text is accepted; the answer comes byte by byte, one each `millis`.
    SlowDrip {
        millis: u64,
    },
    /// The text is accepted; the answer breaks off in its middle.
    HalfResponse,
    /// The text is accepted; the answer is 201 without JSON.
    WrongJson,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptedText {
    pub sid: String,
    pub to: String,
    pub from: Option<String>,
    pub messaging_service_sid: Option<String>,
    pub body: String,
    pub status_callback: Option<String>,
    pub validity_period: Option<u32>,
    pub at_us: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordedRequest {
    pub to: Option<String>,
    pub body: Option<String>,
    /// When its first byte arrived, in microseconds since 1970.
    pub at_us: u64,
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct FakeTwilio {
    book: Arc<Mutex<Book>>,
    /// Signalled after each request for a text.
    arrivals: Arc<Notify>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    /// Faults of changes: purchases, webhooks of numbers, verifications.
    change_script: VecDeque<Fault>,
    messages: Vec<Message>,
    calls: Vec<call_list::Remembered>,
    numbers: Vec<numbers::Owned>,
    for_sale: Vec<number_sale::ForSale>,
    verifications: Vec<toll_free::SubmittedVerification>,
    a2p: a2p::A2pBook,
    placed: Vec<numbers::Placed>,
    /// Messaging Services and the numbers of their sender pools.
    pools: Vec<(String, String)>,
    is_pool_broken: bool,
    requests: Vec<RecordedRequest>,
    /// Requests for a picture's bytes with credentials, which must go only to the API.
    leaked_credentials: usize,
    /// A status that replaces the answers of all reads.
    broken_reading: Option<u16>,
    account_status: Option<String>,
    keeps_texts_queued: bool,
    /// The time between two accepted texts, and when the next one is due.
    pace: Option<(Duration, tokio::time::Instant)>,
    reporting: Option<Reporting>,
    clock: Option<Clock>,
    /// Kept over a reset.
    given_sids: u64,
}

impl FakeTwilio {
    pub async fn start() -> Self {
        Self::start_on(0, |_| Router::new()).await
    }

    /// Serves `more` beside Twilio's own paths.
    pub async fn start_on(port: u16, more: impl FnOnce(&Self) -> Router) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake Twilio");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), arrivals: Arc::default(), address };
        let messages = get(messages::list).post(resource::create);
        let app = Router::new()
            .route("/2010-04-01/Accounts/{account}", get(account::fetch))
            .route("/2010-04-01/Accounts/{account}/Calls.json", get(call_list::list).post(numbers::call))
            .route(
                "/2010-04-01/Accounts/{account}/IncomingPhoneNumbers.json",
                get(numbers::list).post(number_sale::buy),
            )
            .route("/2010-04-01/Accounts/{account}/IncomingPhoneNumbers/{sid}", post(number_sale::update))
            .route("/2010-04-01/Accounts/{account}/AvailablePhoneNumbers/US/{kind}", get(number_sale::search))
            .route("/v1/PhoneNumbers/Countries/{country}", get(number_sale::prices))
            .route("/v1/Tollfree/Verifications", get(toll_free::list).post(toll_free::create))
            .route("/v1/Tollfree/Verifications/{sid}", post(toll_free::update))
            .route("/2010-04-01/Accounts/{account}/{messages}", messages)
            .route("/2010-04-01/Accounts/{account}/Messages/{sid}", get(messages::fetch))
            .route("/2010-04-01/Accounts/{account}/Messages/{sid}/Media.json", get(pictures::list))
            .route("/2010-04-01/Accounts/{account}/Messages/{sid}/Media/{media}", get(pictures::fetch))
            .route("/__store/{media}", get(pictures::store))
            .merge(a2p::a2p_routes())
            .with_state(fake.clone())
            .merge(more(&fake))
            .into_make_service_with_connect_info::<Wire>();
        tokio::spawn(async move { axum::serve(CuttableListener(listener), app).await });
        fake
    }

    /// The value for `TWILIO_API_URL`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 4] {
        [
            ("TWILIO_ACCOUNT_SID", ACCOUNT_SID.into()),
            ("TWILIO_AUTH_TOKEN", AUTH_TOKEN.into()),
            ("TWILIO_FROM", FROM.into()),
            ("TWILIO_API_URL", self.url()),
        ]
    }

    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    /// A fault of the next change: a purchase, the webhooks of a number, a verification.
    pub fn script_change(&self, fault: Fault) {
        self.book().change_script.push_back(fault);
    }

    #[must_use]
    pub fn received(&self) -> Vec<AcceptedText> {
        self.book().messages.iter().filter(|m| !m.is_inbound).map(|m| m.text.clone()).collect()
    }

    /// Every message in either direction, with its state.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        self.book().messages.clone()
    }

    #[must_use]
    pub fn last_to(&self, number: &str) -> Option<Message> {
        self.book().messages.iter().rev().find(|m| !m.is_inbound && m.text.to == number).cloned()
    }

    /// Requests that sent the account's credentials to another host than the API.
    #[must_use]
    pub fn leaked_credentials(&self) -> usize {
        self.book().leaked_credentials
    }

    /// Answers every read with this status; `None` ends it.
    pub fn break_reading(&self, status: Option<u16>) {
        self.book().broken_reading = status;
    }

    /// Whether new texts stay "queued", without a date of sending, until a report changes that.
    pub fn keep_texts_queued(&self, keep: bool) {
        self.book().keeps_texts_queued = keep;
    }

    /// The account's status: "active", "suspended" or "closed".
    pub fn set_account_status(&self, status: &str) {
        self.book().account_status = Some(status.into());
    }

    /// Every accepted text is reported by itself from now on.
    pub fn report_by_itself(&self, reporting: Option<Reporting>) {
        self.book().reporting = reporting;
    }

    /// Dates its messages by the story's clock instead of the machine's.
    pub fn follow(&self, clock: &Clock) {
        self.book().clock = Some(clock.clone());
    }

    /// Accepts texts one after the other, this many a second: an answer waits for its turn. Panics for zero.
    pub fn take_per_second(&self, texts: u32) {
        self.book().pace = Some((Duration::from_secs(1) / texts, tokio::time::Instant::now()));
    }

    /// When the next text is accepted.
    fn next_turn(&self) -> Option<tokio::time::Instant> {
        let mut book = self.book();
        let (between, next) = book.pace.as_mut()?;
        let turn = (*next).max(tokio::time::Instant::now());
        *next = turn + *between;
        Some(turn)
    }

    #[must_use]
    pub fn hooks(&self, product: Product) -> TwilioWebhooks {
        TwilioWebhooks::new(self.clone(), product)
    }

    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.book().requests.clone()
    }

    /// Waits until this many texts were requested.
    pub async fn wait_for_requests(&self, count: usize) {
        loop {
            let arrival = self.arrivals.notified();
            if self.book().requests.len() >= count {
                return;
            }
            arrival.await;
        }
    }

    fn record_request(&self, seen: RecordedRequest) {
        self.book().requests.push(seen);
        self.arrivals.notify_waiters();
    }

    /// Clears received texts, requests and scripts; the clock stays.
    pub fn reset(&self) {
        let mut book = self.book();
        *book = Book { given_sids: book.given_sids, clock: book.clock.take(), ..Book::default() };
    }

    /// A poisoned lock still has complete entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// A SID that was never given before.
    fn next_sid(&mut self, prefix: &str) -> String {
        self.given_sids += 1;
        format!("{prefix}{:032x}", self.given_sids)
    }

    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.clock.as_ref().unwrap_or(&Clock::System).now()
    }
}

pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
