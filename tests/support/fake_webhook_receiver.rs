//! A webhook receiver: it records calls, checks the signature as the standard's libraries do, and answers as
//! scripted.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::net::TcpListener;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Status(u16),
    /// A status and the seconds of `Retry-After`.
    Later(u16, u64),
    Redirect(String),
    /// It is taken, but never answered.
    Hang,
}

#[derive(Debug, Clone)]
pub struct ReceivedWebhook {
    pub headers: HeaderMap,
    pub body: String,
}

impl ReceivedWebhook {
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a body of JSON")
    }

    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
    }

    /// Whether one of its signatures is by this secret (`whsec_…`).
    #[must_use]
    pub fn is_by(&self, secret: &str) -> bool {
        let key = secret.strip_prefix("whsec_").and_then(|text| STANDARD.decode(text).ok()).expect("a secret");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key of any length");
        let (id, time) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        mac.update(format!("{id}.{time}.{}", self.body).as_bytes());
        let wanted = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').any(|one| one == wanted)
    }
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct FakeWebhookReceiver {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Reply>,
    came: Vec<ReceivedWebhook>,
}

impl FakeWebhookReceiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port for the fake receiver");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), address };
        let app = Router::new().fallback(take).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/toolbox", self.address)
    }

    /// The variables that let a process call it.
    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 1] {
        [("WEBHOOK_TEST_ENDPOINT", format!("http://{}", self.address))]
    }

    /// Answers for the next calls; without one the answer is 204.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        self.book().script.extend(replies);
    }

    #[must_use]
    pub fn came(&self) -> Vec<ReceivedWebhook> {
        self.book().came.clone()
    }

    /// A poisoned lock still has complete entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take(State(fake): State<FakeWebhookReceiver>, headers: HeaderMap, body: Bytes) -> Response {
    let body = String::from_utf8_lossy(&body).into_owned();
    let reply = {
        let mut book = fake.book();
        book.came.push(ReceivedWebhook { headers, body });
        book.script.pop_front().unwrap_or(Reply::Status(204))
    };
    let status = |status: u16| StatusCode::from_u16(status).expect("a status");
    match reply {
        Reply::Status(code) => status(code).into_response(),
        Reply::Later(code, wait) => (status(code), [(header::RETRY_AFTER, wait.to_string())]).into_response(),
        Reply::Redirect(to) => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to)]).into_response(),
        Reply::Hang => std::future::pending().await,
    }
}
