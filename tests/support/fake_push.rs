//! A browser's push service and its devices: it makes the checks of real ones, decrypts as a device does, and fails
//! as scripted.
//!
//! The ledger has what devices could show. Signatures are checked by another library than the one that makes them,
//! and the decryption is tested with the standard's own example.

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
    platform::config::EnvVars,
    providers::push::{PushServices, PushSubscription},
};
use tokio::net::TcpListener;

mod claims;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status, and the device gets nothing.
    Status {
        status: u16,
        retry_after: Option<&'static str>,
        body: &'static str,
    },
    /// The device gets the alert; the answer never comes.
    TakeThenHang,
    /// The device gets the alert; the answer is 500.
    TakeThenFail,
    /// A 400 whose body has no end.
    EndlessAnswer,
    Redirect {
        to: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub struct ShownNotification {
    pub endpoint: String,
    /// The payload for the service worker.
    pub data: Value,
    pub ttl: u32,
    pub urgency: String,
    pub topic: Option<String>,
    pub claims: Value,
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct FakePush {
    book: Arc<Mutex<Book>>,
    address: SocketAddr,
}

#[derive(Debug, Default)]
struct Book {
    script: VecDeque<Fault>,
    devices: BTreeMap<String, Device>,
    shown: Vec<ShownNotification>,
    answers: Vec<u16>,
}

struct Device {
    keys: EcKeyComponents,
    auth: [u8; 16],
    /// The key of its subscription; no other may send to it.
    server_key: String,
    gone: bool,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("gone", &self.gone).finish_non_exhaustive()
    }
}

impl FakePush {
    pub async fn start() -> Self {
        Self::start_on(0).await
    }

    pub async fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port for the fake push service");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { book: Arc::default(), address };
        let app = Router::new().route("/push/{device}", post(take)).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    /// The value for `PUSH_TEST_ENDPOINT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 1] {
        [("PUSH_TEST_ENDPOINT", self.url())]
    }

    /// As `pushManager.subscribe`: a new device, bound to the sender's public key.
    #[must_use]
    pub fn subscribe(&self, server_key: &str) -> PushSubscription {
        let (pair, auth) = ece::generate_keypair_and_auth_secret().expect("keys for a device");
        let keys = pair.raw_components().expect("a pair that tells its parts");
        let mut book = self.book();
        let name = format!("device-{}", book.devices.len() + 1);
        let (endpoint, p256dh) = (format!("{}/push/{name}", self.url()), URL_SAFE_NO_PAD.encode(keys.public_key()));
        book.devices.insert(name, Device { keys, auth, server_key: server_key.to_owned(), gone: false });
        let services = PushServices::from_vars(&mut EnvVars::from_pairs(self.vars()));
        PushSubscription::from_parts(&endpoint, &p256dh, &URL_SAFE_NO_PAD.encode(auth), &services)
            .expect("what a browser says")
    }

    /// The app is removed from the device, or the permission withdrawn.
    pub fn unsubscribe(&self, subscription: &PushSubscription) {
        let name = subscription.endpoint.rsplit('/').next().unwrap_or_default().to_owned();
        self.book().devices.get_mut(&name).expect("a device that subscribed here").gone = true;
    }

    pub fn script(&self, fault: Fault) {
        self.book().script.push_back(fault);
    }

    #[must_use]
    pub fn shown(&self) -> Vec<ShownNotification> {
        self.book().shown.clone()
    }

    /// The status of every answer, in order. A hanging one is 0.
    #[must_use]
    pub fn answers(&self) -> Vec<u16> {
        self.book().answers.clone()
    }

    /// A poisoned lock still has complete entries: each is pushed in one step.
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
    /// The checks of a push service, and the decryption of a device.
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
        book.shown.push(ShownNotification { endpoint, data, ttl, urgency, topic, claims: signed.claims });
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
    fn decryption_matches_rfc_8291_example() {
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
