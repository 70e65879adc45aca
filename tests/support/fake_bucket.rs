//! A fake bucket: the S3 calls that the product's client makes, and a mode in which all are refused.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use chrono::{DateTime, Utc};
use shared::platform::clock::Clock;
use tokio::net::TcpListener;

/// The prefix of all keys, as in `STORAGE_URL`.
const PREFIX: &str = "live/";

#[derive(Debug)]
struct Object {
    bytes: Bytes,
    written: DateTime<Utc>,
}

#[derive(Debug, Default)]
struct Shelf {
    objects: BTreeMap<String, Object>,
    refusal: Option<StatusCode>,
}

/// Clones share their state.
#[derive(Debug, Clone)]
pub struct FakeBucket {
    shelf: Arc<Mutex<Shelf>>,
    address: SocketAddr,
}

impl FakeBucket {
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port for the fake bucket");
        let address = listener.local_addr().expect("the address just bound");
        let fake = Self { shelf: Arc::default(), address };
        let app = Router::new()
            .route("/photos", get(list).post(remove))
            .route("/photos/", get(list).post(remove))
            .route("/photos/{*key}", get(fetch).put(put))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    #[must_use]
    pub fn vars(&self) -> [(&'static str, String); 5] {
        [
            ("STORAGE_URL", "s3://photos/live".to_owned()),
            ("AWS_ACCESS_KEY_ID", "AK".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "s3cret".to_owned()),
            ("AWS_REGION", "eu-west-1".to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
        ]
    }

    /// Answers every call with this status; none ends that.
    pub fn refuses(&self, with: Option<StatusCode>) {
        self.shelf().refusal = with;
    }

    /// The keys of all files, sorted, without the prefix.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.shelf().objects.keys().map(|key| key.strip_prefix(PREFIX).unwrap_or(key).to_owned()).collect()
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened(&self) -> Result<MutexGuard<'_, Shelf>, StatusCode> {
        let kept = self.shelf();
        match kept.refusal {
            Some(status) => Err(status),
            None => Ok(kept),
        }
    }
}

async fn put(State(bucket): State<FakeBucket>, Path(key): Path<String>, headers: HeaderMap, bytes: Bytes) -> Response {
    let mut shelf = match bucket.opened() {
        Ok(shelf) => shelf,
        Err(status) => return status.into_response(),
    };
    let signed = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if !signed.starts_with("AWS4-HMAC-SHA256 Credential=AK/") || signed.contains("s3cret") {
        return StatusCode::FORBIDDEN.into_response();
    }
    shelf.objects.insert(key, Object { bytes, written: Clock::System.now() });
    [(header::ETAG, "\"1\"")].into_response()
}

async fn fetch(State(bucket): State<FakeBucket>, Path(key): Path<String>) -> Response {
    let shelf = match bucket.opened() {
        Ok(shelf) => shelf,
        Err(status) => return status.into_response(),
    };
    let Some(Object { bytes, written }) = shelf.objects.get(&key) else { return StatusCode::NOT_FOUND.into_response() };
    let written = written.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    ([(header::ETAG, "\"1\"".to_owned()), (header::LAST_MODIFIED, written)], bytes.clone()).into_response()
}

/// The answer of `ListObjectsV2`.
async fn list(State(bucket): State<FakeBucket>, RawQuery(query): RawQuery) -> Result<String, StatusCode> {
    let query = query.unwrap_or_default();
    let prefix = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "prefix");
    let prefix = prefix.map(|(_, value)| value.into_owned()).unwrap_or_default();
    let shelf = bucket.opened()?;
    let entries = shelf.objects.iter().filter(|(key, _)| key.starts_with(&prefix)).map(|(key, object)| {
        let (size, written) = (object.bytes.len(), object.written.format("%Y-%m-%dT%H:%M:%S%.3fZ"));
        format!("<Contents><Key>{key}</Key><LastModified>{written}</LastModified><ETag>\"1\"</ETag><Size>{size}</Size></Contents>")
    });
    let entries: String = entries.collect();
    Ok(format!("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>"))
}

/// A delete has its keys in the body.
async fn remove(State(bucket): State<FakeBucket>, body: String) -> Result<String, StatusCode> {
    let mut shelf = bucket.opened()?;
    let keys: Vec<&str> = body.split("<Key>").skip(1).filter_map(|part| part.split("</Key>").next()).collect();
    for key in &keys {
        shelf.objects.remove(*key);
    }
    let gone: Vec<String> = keys.iter().map(|key| format!("<Deleted><Key>{key}</Key></Deleted>")).collect();
    Ok(format!("<?xml version=\"1.0\"?><DeleteResult>{}</DeleteResult>", gone.concat()))
}
