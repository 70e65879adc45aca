//! A browser's push service on this machine, and the devices behind it: it checks what real ones check, decrypts what
//! a device would, and does as told.
//!
//! The ledger holds what the devices could show. Signatures are checked by another library than the one that makes
//! them, and the decryption is held to the standard's own example.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ece::EcKeyComponents;
use serde_json::Value;
use shared::{
    platform::config::Vars,
    providers::push::{Services, Subscription},
};
use tokio::net::TcpListener;

mod claims;

/// What becomes of the next alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status, and nothing reaches the device.
    Status { status: u16, retry_after: Option<&'static str>, body: &'static str },
    /// The alert reaches the device; the answer never comes.
    TakeThenHang,
    /// The alert reaches the device; the answer is 500.
    TakeThenFail,
    /// A 400 whose body has no end.
    EndlessAnswer,
    /// To another address, by 307.
    Redirect { to: String },
}

/// An alert on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub endpoint: String,
    /// What the service worker is handed.
    pub data: Value,
    pub ttl: u32,
    pub urgency: String,
    pub topic: Option<String>,
    /// The signed claims.
    pub claims: Value,
}

/// A running fake. Clones are the same one.
#[derive(Debug, Clone)]
pub struct FakePush {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    devices: BTreeMap<String, Device>,
    shown: Vec<Shown>,
    /// Every request, with the status it was answered with.
    answers: Vec<u16>,
}

struct Device {
    keys: EcKeyComponents,
    auth: [u8; 16],
    /// The key it subscribed with; no other may send to it.
    server_key: String,
    gone: bool,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("gone", &self.gone).finish_non_exhaustive()
    }
}

impl FakePush {
    /// Starts on a free port of this machine.
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    /// Starts on `port`.
    pub async fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake push service");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), address };
        let app = Router::new().route("/push/{device}", post(take)).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    /// Where it listens: the value for `PUSH_TEST_ENDPOINT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The variables under which a process sends through it.
    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 1] {
        [("PUSH_TEST_ENDPOINT", self.url())]
    }

    /// What a browser does in `pushManager.subscribe`: a new device, bound to the sender's public key.
    #[must_use]
    pub fn subscribe(&self, server_key: &str) -> Subscription {
        let (pair, auth) = ece::generate_keypair_and_auth_secret().expect("keys for a device");
        let keys = pair.raw_components().expect("a pair that tells its parts");
        let mut book = self.book();
        let name = format!("device-{}", book.devices.len() + 1);
        let (endpoint, p256dh) = (format!("{}/push/{name}", self.url()), URL_SAFE_NO_PAD.encode(keys.public_key()));
        book.devices.insert(name, Device { keys, auth, server_key: server_key.to_owned(), gone: false });
        let services = Services::from_vars(&mut Vars::from_pairs(self.vars()));
        Subscription::check(&endpoint, &p256dh, &URL_SAFE_NO_PAD.encode(auth), &services).expect("what a browser says")
    }

    /// The app is taken off the device, or the permission withdrawn.
    pub fn unsubscribe(&self, subscription: &Subscription) {
        let name = subscription.endpoint.rsplit('/').next().unwrap_or_default().to_owned();
        self.book().devices.get_mut(&name).expect("a device that subscribed here").gone = true;
    }

    /// Adds a fault for the next alert that has none yet.
    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    /// What the devices could show.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        self.book().shown.clone()
    }

    /// The status of every answer, in order. A hanging one is 0.
    #[must_use]
    pub fn answers(&self) -> Vec<u16> {
        self.book().answers.clone()
    }

    /// A poisoned lock still holds whole entries: each is pushed in one step.
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take(State(fake): State<FakePush>, Path(device): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    let fault = fake.book().script.pop_front();
    let status = match &fault {
        Some(Fault::Status { status, .. }) => StatusCode::from_u16(*status).expect("a status"),
        Some(Fault::EndlessAnswer) => StatusCode::BAD_REQUEST,
        Some(Fault::Redirect { .. }) => StatusCode::TEMPORARY_REDIRECT,
        _ => fake.deliver(&device, &headers, &body).err().unwrap_or(StatusCode::CREATED),
    };
    let status = if fault == Some(Fault::TakeThenFail) { StatusCode::INTERNAL_SERVER_ERROR } else { status };
    let hangs = fault == Some(Fault::TakeThenHang);
    fake.book().answers.push(if hangs { 0 } else { status.as_u16() });
    if hangs {
        std::future::pending::<()>().await;
    }
    answer(status, fault, &fake)
}

fn answer(status: StatusCode, fault: Option<Fault>, fake: &FakePush) -> Response {
    let header = |text: &str| HeaderValue::from_str(text).expect("a header's value");
    let mut answer = status.into_response();
    match fault {
        Some(Fault::Status { retry_after, body, .. }) => {
            *answer.body_mut() = Body::from(body);
            answer.headers_mut().extend(retry_after.map(|wait| (header::RETRY_AFTER, header(wait))));
        }
        Some(Fault::EndlessAnswer) => {
            let piece = || Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 8 * 1024]));
            *answer.body_mut() = Body::from_stream(futures::stream::repeat_with(piece));
        }
        Some(Fault::Redirect { to }) => {
            answer.headers_mut().insert(header::LOCATION, header(&to));
        }
        _ if status == StatusCode::CREATED => {
            let number = fake.book().shown.len();
            answer.headers_mut().insert(header::LOCATION, header(&format!("{}/m/alert-{number}", fake.url())));
        }
        _ => {}
    }
    answer
}

impl FakePush {
    /// What a push service checks, and what the device makes of the rest.
    fn deliver(&self, name: &str, headers: &HeaderMap, body: &[u8]) -> Result<(), StatusCode> {
        let text = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
        let mut book = self.book();
        let device = book.devices.get(name).ok_or(StatusCode::NOT_FOUND)?;
        let signed = text("authorization").and_then(|a| claims::check(a, &self.url()));
        let signed = signed.ok_or(StatusCode::UNAUTHORIZED)?;
        if device.gone {
            return Err(StatusCode::GONE);
        }
        if signed.key != device.server_key {
            return Err(StatusCode::FORBIDDEN);
        }
        if body.len() > 4_096 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let ttl = text("ttl").and_then(|t| t.parse().ok()).ok_or(StatusCode::BAD_REQUEST)?;
        let topic = text("topic").map(ToOwned::to_owned);
        if text("content-encoding") != Some("aes128gcm") || topic.as_deref().is_some_and(|t| !is_topic(t)) {
            return Err(StatusCode::BAD_REQUEST);
        }
        let plain = ece::decrypt(&device.keys, &device.auth, body).expect("an alert this device can decrypt");
        let data = serde_json::from_slice(&plain).expect("an alert in JSON");
        let urgency = text("urgency").unwrap_or("normal").to_owned();
        let endpoint = format!("{}/push/{name}", self.url());
        book.shown.push(Shown { endpoint, data, ttl, urgency, topic, claims: signed.claims });
        Ok(())
    }
}

/// RFC 8030 §5.4.
fn is_topic(text: &str) -> bool {
    !text.is_empty() && text.len() <= 32 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8291 §5 and appendix A.
    #[test]
    fn the_decryption_is_the_standards() {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let keys = EcKeyComponents::new(
            bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"),
            bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
        );
        let body = bytes(concat!(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz",
            "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        ));
        let plain = ece::decrypt(&keys, &bytes("BTBZMqHH6r4Tts7J_aSIgg"), &body).unwrap();
        assert_eq!(plain, b"When I grow up, I want to be a watermelon");
    }
}
