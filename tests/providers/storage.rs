//! Uploaded files in a bucket, against a small server that speaks S3's four calls.

use std::path::Path;

use axum::http::StatusCode;
use chrono::Duration;
use shared::platform::{
    clock::Clock,
    config::EnvVars,
    storage::{Storage, StorageConfig, StorageError},
};
use tests::fake_bucket::FakeBucket;

async fn start() -> (FakeBucket, Storage) {
    let bucket = FakeBucket::start().await;
    let mut vars = EnvVars::from_pairs(bucket.vars());
    let config = StorageConfig::from_vars(&mut vars, Path::new("/nowhere"));
    vars.into_result().unwrap();
    (bucket, Storage::open(&config).unwrap())
}

#[tokio::test]
async fn stored_file_can_be_read_listed_and_deleted() {
    let (bucket, storage) = start().await;
    storage.put("org-1/a.jpg", b"picture").await.unwrap();
    assert_eq!(bucket.keys(), ["org-1/a.jpg"]);
    assert_eq!(storage.get("org-1/a.jpg").await.unwrap(), "picture");
    assert!(matches!(storage.get("org-1/b.jpg").await, Err(StorageError::NotFound)));
    let now = Clock::System.now();
    assert_eq!(storage.list_older_than(now + Duration::hours(1)).await.unwrap(), ["org-1/a.jpg"]);
    assert!(storage.list_older_than(now - Duration::hours(1)).await.unwrap().is_empty());
    storage.delete("org-1/a.jpg").await.unwrap();
    storage.delete("org-1/a.jpg").await.unwrap();
    assert!(bucket.keys().is_empty());
    assert!(storage.list_older_than(now + Duration::hours(1)).await.unwrap().is_empty());
}

#[tokio::test]
async fn bucket_refusal_is_reported_without_leaking_secret() {
    let (bucket, storage) = start().await;
    bucket.refuses(Some(StatusCode::FORBIDDEN));
    let error = storage.put("org-1/a.jpg", b"picture").await.unwrap_err();
    assert!(matches!(error, StorageError::Failed(_)) && !format!("{error} {error:?} {storage:?}").contains("s3cret"));
}
