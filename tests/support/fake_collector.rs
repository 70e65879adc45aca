//! A collector of traces: it takes OTLP over HTTP with JSON and keeps the spans.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{Json, Router, extract::State, http::StatusCode, routing::post};
use serde_json::Value;
use tokio::net::TcpListener;

#[derive(Clone, Debug)]
pub struct CollectedSpan {
    pub service: String,
    pub name: String,
    pub trace: String,
    pub id: String,
    pub parent: Option<String>,
    /// Numbers and flags as texts.
    pub attributes: BTreeMap<String, String>,
}

/// Clones share their state.
#[derive(Clone, Debug)]
pub struct FakeCollector {
    spans: Arc<Mutex<Vec<CollectedSpan>>>,
    address: SocketAddr,
}

impl FakeCollector {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port for the fake collector");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { spans: Arc::default(), address };
        let app = Router::new().route("/v1/traces", post(take_export)).with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    /// The variable by which a program exports to it.
    #[must_use]
    pub fn var(&self) -> (String, String) {
        ("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), format!("http://{}", self.address))
    }

    #[must_use]
    pub fn spans(&self) -> Vec<CollectedSpan> {
        self.lock_spans().clone()
    }

    fn lock_spans(&self) -> MutexGuard<'_, Vec<CollectedSpan>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn take_export(State(fake): State<FakeCollector>, Json(export): Json<Value>) -> StatusCode {
    let of_resources = list(&export["resourceSpans"]);
    for resource in of_resources {
        let service = attributes(&resource["resource"]["attributes"]).remove("service.name").expect("a service");
        for scope in list(&resource["scopeSpans"]) {
            let read = list(&scope["spans"]).iter().map(|span| read_span(&service, span));
            fake.lock_spans().extend(read);
        }
    }
    StatusCode::OK
}

/// Panics where the protocol wants something else: the exporter then finds no answer.
fn read_span(service: &str, span: &Value) -> CollectedSpan {
    let id = |name: &str, digits: usize| {
        let id = span[name].as_str()?;
        assert!(id.len() == digits && id.bytes().all(|b| b.is_ascii_hexdigit()), "{name}: {span}");
        Some(id.to_owned())
    };
    let nanos = |name: &str| -> u64 { span[name].as_str().and_then(|text| text.parse().ok()).expect("a time") };
    assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"), "{span}");
    CollectedSpan {
        service: service.to_owned(),
        name: span["name"].as_str().expect("a name").to_owned(),
        trace: id("traceId", 32).expect("a trace"),
        id: id("spanId", 16).expect("an id"),
        parent: id("parentSpanId", 16),
        attributes: attributes(&span["attributes"]),
    }
}

fn attributes(listed: &Value) -> BTreeMap<String, String> {
    let read = |one: &Value| {
        let (_, value) = one["value"].as_object().and_then(|value| value.iter().next()).expect("a value");
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        (one["key"].as_str().expect("a key").to_owned(), value)
    };
    list(listed).iter().map(read).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
