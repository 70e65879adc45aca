//! Uploaded files in a bucket, against a small server that speaks S3's four calls.

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path as Key, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use chrono::{DateTime, Duration};
use shared::{
    clock::Clock,
    config::Vars,
    storage::{Storage, StorageConfig, StorageError},
};
use tokio::net::TcpListener;

const WRITTEN: &str = "2026-10-21T07:28:00.000Z";

#[derive(Clone, Default)]
struct Bucket {
    objects: Arc<Mutex<BTreeMap<String, Bytes>>>,
    refusal: Arc<Mutex<Option<StatusCode>>>,
}

async fn put(State(bucket): State<Bucket>, Key(key): Key<String>, headers: HeaderMap, body: Bytes) -> Response {
    if let Some(status) = *bucket.refusal.lock().unwrap() {
        return status.into_response();
    }
    let signed = headers.get(header::AUTHORIZATION).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if !signed.starts_with("AWS4-HMAC-SHA256 Credential=AK/") || signed.contains("s3cret") {
        return StatusCode::FORBIDDEN.into_response();
    }
    bucket.objects.lock().unwrap().insert(key, body);
    [(header::ETAG, "\"1\"")].into_response()
}

async fn fetch(State(bucket): State<Bucket>, Key(key): Key<String>) -> Response {
    match bucket.objects.lock().unwrap().get(&key) {
        Some(bytes) => {
            let written =
                DateTime::parse_from_rfc3339(WRITTEN).unwrap().format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            ([(header::ETAG, "\"1\"".to_owned()), (header::LAST_MODIFIED, written)], bytes.clone()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The list of keys under a prefix, as version 2 of the call gives it.
async fn list(State(bucket): State<Bucket>, RawQuery(query): RawQuery) -> String {
    let query = query.unwrap_or_default();
    let prefix = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "prefix");
    let prefix = prefix.map(|(_, value)| value.into_owned()).unwrap_or_default();
    let objects = bucket.objects.lock().unwrap();
    let entries = objects.iter().filter(|(key, _)| key.starts_with(&prefix)).map(|(key, bytes)| {
        let size = bytes.len();
        format!("<Contents><Key>{key}</Key><LastModified>{WRITTEN}</LastModified><ETag>\"1\"</ETag><Size>{size}</Size></Contents>")
    });
    let entries: String = entries.collect();
    format!("<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>")
}

/// A delete names its keys in the body.
async fn remove(State(bucket): State<Bucket>, body: String) -> String {
    let mut objects = bucket.objects.lock().unwrap();
    let keys: Vec<&str> = body.split("<Key>").skip(1).filter_map(|part| part.split("</Key>").next()).collect();
    for key in &keys {
        objects.remove(*key);
    }
    let gone: Vec<String> = keys.iter().map(|key| format!("<Deleted><Key>{key}</Key></Deleted>")).collect();
    format!("<?xml version=\"1.0\"?><DeleteResult>{}</DeleteResult>", gone.concat())
}

async fn start() -> (Bucket, Storage) {
    let bucket = Bucket::default();
    let app = Router::new()
        .route("/photos", get(list).post(remove))
        .route("/photos/", get(list).post(remove))
        .route("/photos/{*key}", get(fetch).put(put))
        .with_state(bucket.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut vars = Vars::from_pairs([
        ("STORAGE_URL", "s3://photos/live"),
        ("AWS_ACCESS_KEY_ID", "AK"),
        ("AWS_SECRET_ACCESS_KEY", "s3cret"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
    ]);
    let config = StorageConfig::from_vars(&mut vars, Path::new("/nowhere"));
    vars.finish().unwrap();
    (bucket, Storage::open(&config).unwrap())
}

#[tokio::test]
async fn a_file_goes_to_the_bucket_and_comes_back() {
    let (bucket, storage) = start().await;
    storage.put("org-1/a.jpg", b"picture").await.unwrap();
    assert_eq!(bucket.objects.lock().unwrap().keys().collect::<Vec<_>>(), ["live/org-1/a.jpg"]);
    assert_eq!(storage.get("org-1/a.jpg").await.unwrap(), "picture");
    assert!(matches!(storage.get("org-1/b.jpg").await, Err(StorageError::NotFound)));
    let written = DateTime::parse_from_rfc3339(WRITTEN).unwrap().to_utc();
    assert_eq!(storage.list_older_than(written + Duration::hours(1)).await.unwrap(), ["org-1/a.jpg"]);
    assert!(storage.list_older_than(written - Duration::hours(1)).await.unwrap().is_empty());
    storage.delete("org-1/a.jpg").await.unwrap();
    storage.delete("org-1/a.jpg").await.unwrap();
    assert!(bucket.objects.lock().unwrap().is_empty());
    assert!(storage.list_older_than(Clock::System.now()).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_bucket_that_refuses_is_a_failure_that_tells_no_secret() {
    let (bucket, storage) = start().await;
    *bucket.refusal.lock().unwrap() = Some(StatusCode::FORBIDDEN);
    let said = storage.put("org-1/a.jpg", b"picture").await.unwrap_err();
    assert!(matches!(said, StorageError::Failed(_)) && !format!("{said} {said:?} {storage:?}").contains("s3cret"));
}
