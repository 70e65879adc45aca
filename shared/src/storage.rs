//! Where uploaded files live: a folder of this machine, or an S3 bucket.
//!
//! A file is there whole and for good once `put` returns, or not there at all.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::TryStreamExt;
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig,
    aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey},
    local::LocalFileSystem,
    path::Path as Key,
    prefix::PrefixStore,
};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::{config::Vars, providers::install_crypto};

/// The disk space that uploads leave free, so that the database can always write.
pub const DEFAULT_DISK_FLOOR: u64 = 1_000_000_000;

/// The variables of AWS's own tools that are passed on; the last three stand for a role instead of a key.
const AWS: [&str; 10] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
];

/// What the environment says about uploaded files.
#[derive(Debug, Clone)]
pub enum StorageConfig {
    /// `STORAGE_URL=file:///path`, or `<DATA_DIR>/uploads`; `DISK_FLOOR_BYTES`.
    File { root: PathBuf, floor: u64 },
    /// `STORAGE_URL=s3://bucket/prefix`, with the usual `AWS_*` variables.
    S3 { bucket: String, prefix: String, settings: Vec<(AmazonS3ConfigKey, SecretString)> },
}

impl StorageConfig {
    /// Reads `STORAGE_URL`, `DISK_FLOOR_BYTES` and, for a bucket, the `AWS_*` variables.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path) -> Self {
        let floor = vars.parsed("DISK_FLOOR_BYTES", DEFAULT_DISK_FLOOR, "a whole number of bytes");
        let usual = Self::File { root: data_dir.join("uploads"), floor };
        let Some(given) = vars.get("STORAGE_URL") else { return usual };
        match Url::parse(&given) {
            Ok(url) if url.scheme() == "file" && url.query().is_none() => match url.to_file_path() {
                Ok(root) => return Self::File { root, floor },
                Err(()) => vars.fault("STORAGE_URL", "must hold a whole path: file:///srv/uploads"),
            },
            Ok(url)
                if url.scheme() == "s3" && url.host_str().is_some_and(|b| !b.is_empty()) && url.query().is_none() =>
            {
                return Self::S3 {
                    bucket: url.host_str().unwrap_or_default().to_owned(),
                    prefix: url.path().trim_matches('/').to_owned(),
                    settings: aws_settings(vars),
                };
            }
            _ => vars.fault("STORAGE_URL", "must be file:///path or s3://bucket/prefix"),
        }
        usual
    }
}

fn aws_settings(vars: &mut Vars) -> Vec<(AmazonS3ConfigKey, SecretString)> {
    let mut settings = vec![];
    for name in AWS {
        let known = name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().ok();
        if let (Some(key), Some(value)) = (known, vars.get(name)) {
            settings.push((key, value.into()));
        }
    }
    for [one, other] in [[AWS[0], AWS[1]], [AWS[1], AWS[0]]] {
        if vars.get(one).is_some() && vars.get(other).is_none() {
            vars.fault(other, format!("must be set, because {one} is"));
        }
    }
    settings
}

/// Uploaded files. Clones share it.
#[derive(Debug, Clone)]
pub enum Storage {
    File(FileStorage),
    S3(S3Storage),
}

/// Files under one folder.
#[derive(Debug, Clone)]
pub struct FileStorage {
    root: PathBuf,
    floor: u64,
    store: Arc<LocalFileSystem>,
}

/// Objects under one prefix of a bucket.
#[derive(Clone)]
pub struct S3Storage {
    store: Arc<PrefixStore<AmazonS3>>,
    shown: String,
}

impl fmt::Debug for S3Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("S3Storage").field(&self.shown).finish()
    }
}

/// Why a file could not be kept or fetched.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The disk is full, or so nearly that the rest is kept for the database.
    #[error("there is no room for more files")]
    Full,
    #[error("there is no such file")]
    NotFound,
    /// The key was not made by us.
    #[error("the file's name is not valid")]
    BadKey,
    #[error("the file storage failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Storage {
    /// Opens the storage the configuration asks for, and makes the folder if need be.
    ///
    /// # Errors
    /// When the folder cannot be made or the bucket's settings do not fit together.
    pub fn open(config: &StorageConfig) -> Result<Self, StorageError> {
        match config {
            StorageConfig::File { root, floor } => {
                std::fs::create_dir_all(root).map_err(|e| StorageError::Failed(e.into()))?;
                let store = LocalFileSystem::new_with_prefix(root).map_err(failed)?.with_fsync(true);
                Ok(Self::File(FileStorage { root: root.clone(), floor: *floor, store: Arc::new(store) }))
            }
            StorageConfig::S3 { bucket, prefix, settings } => {
                install_crypto();
                let mut builder = AmazonS3Builder::new()
                    .with_bucket_name(bucket)
                    .with_retry(RetryConfig {
                        max_retries: 3,
                        retry_timeout: Duration::from_secs(20),
                        ..RetryConfig::default()
                    })
                    .with_client_options(client_options(settings));
                for (key, value) in settings {
                    builder = builder.with_config(*key, value.expose_secret());
                }
                let store = PrefixStore::new(builder.build().map_err(failed)?, prefix.as_str());
                Ok(Self::S3(S3Storage { store: Arc::new(store), shown: format!("s3://{bucket}/{prefix}") }))
            }
        }
    }

    /// Keeps `bytes` under `key`, in place of what was there. When it returns, a power cut loses nothing of it.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the disk has no room to spare.
    pub async fn put(&self, key: &str, bytes: &[u8]) -> Result<(), StorageError> {
        let key = valid(key)?;
        self.check_room(bytes.len() as u64).await?;
        self.store().put(&key, Bytes::copy_from_slice(bytes).into()).await.map(drop).map_err(failed)
    }

    /// The whole file.
    ///
    /// # Errors
    /// [`StorageError::NotFound`] when there is none.
    pub async fn get(&self, key: &str) -> Result<Bytes, StorageError> {
        let found = self.store().get(&valid(key)?).await.map_err(failed)?;
        found.bytes().await.map_err(failed)
    }

    /// Removes a file. One that is not there is as good as removed.
    pub async fn delete(&self, key: &str) -> Result<(), StorageError> {
        match self.store().delete(&valid(key)?).await.map_err(failed) {
            Err(StorageError::NotFound) => Ok(()),
            done => done,
        }
    }

    /// The keys of files last written before `limit`, for a sweep of those that no row names.
    pub async fn list_older_than(&self, limit: DateTime<Utc>) -> Result<Vec<String>, StorageError> {
        let old = self.store().list(None).try_filter(|file| {
            let old = file.last_modified < limit;
            async move { old }
        });
        old.map_ok(|file| file.location.to_string()).try_collect().await.map_err(failed)
    }

    /// Refuses to let the free space fall below the floor. A bucket has none.
    ///
    /// # Errors
    /// [`StorageError::Full`]
    pub async fn check_room(&self, wanted: u64) -> Result<(), StorageError> {
        let Self::File(FileStorage { root, floor, .. }) = self else { return Ok(()) };
        let (root, needed) = (root.clone(), floor.saturating_add(wanted));
        let free = tokio::task::spawn_blocking(move || free_space(&root)).await;
        match free.map_err(io::Error::other).flatten() {
            Ok(free) if free < needed => Err(StorageError::Full),
            Ok(_) => Ok(()),
            Err(e) => Err(StorageError::Failed(e.into())),
        }
    }

    fn store(&self) -> &dyn ObjectStore {
        match self {
            Self::File(files) => &*files.store,
            Self::S3(bucket) => &*bucket.store,
        }
    }
}

fn client_options(settings: &[(AmazonS3ConfigKey, SecretString)]) -> ClientOptions {
    let endpoint = settings.iter().find(|(key, _)| *key == AmazonS3ConfigKey::Endpoint);
    ClientOptions::new()
        // Only for an endpoint the operator has written with http:// himself.
        .with_allow_http(endpoint.is_some_and(|(_, url)| url.expose_secret().starts_with("http://")))
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(20))
}

/// What an ordinary user may still write, in bytes.
fn free_space(path: &Path) -> io::Result<u64> {
    let disk = nix::sys::statvfs::statvfs(path)?;
    Ok(disk.blocks_available().saturating_mul(disk.fragment_size()))
}

/// Keys are ours, made of ids; anything else is a mistake or an attack.
fn valid(key: &str) -> Result<Key, StorageError> {
    let plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let good =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains("..") && part.bytes().all(plain);
    if key.len() <= 255 && key.split('/').all(good) { Ok(Key::from(key)) } else { Err(StorageError::BadKey) }
}

fn failed(error: object_store::Error) -> StorageError {
    if matches!(error, object_store::Error::NotFound { .. }) {
        return StorageError::NotFound;
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(this) = cause {
        let kind = this.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)) {
            return StorageError::Full;
        }
        cause = this.source();
    }
    StorageError::Failed(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    fn read(pairs: &[(&str, &str)]) -> (StorageConfig, Vec<String>) {
        let mut vars = Vars::from_pairs(pairs.iter().copied());
        let config = StorageConfig::from_vars(&mut vars, Path::new("/srv/var"));
        let faults = vars.finish().err().map(|e| e.0).unwrap_or_default();
        (config, faults.into_iter().map(|f| f.variable).collect())
    }

    fn in_folder(root: &Path, floor: u64) -> Storage {
        Storage::open(&StorageConfig::File { root: root.to_owned(), floor }).unwrap()
    }

    #[test]
    fn the_address_decides_where_files_go() {
        let (config, _) = read(&[]);
        assert!(
            matches!(config, StorageConfig::File { root, floor: DEFAULT_DISK_FLOOR } if root == Path::new("/srv/var/uploads"))
        );
        let (config, faults) = read(&[("STORAGE_URL", "file:///data/up"), ("DISK_FLOOR_BYTES", "5")]);
        assert!(
            matches!(config, StorageConfig::File { root, floor: 5 } if root == Path::new("/data/up")),
            "{faults:?}"
        );
        let (config, faults) = read(&[
            ("STORAGE_URL", "s3://photos/live/"),
            ("AWS_ACCESS_KEY_ID", "AK"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret-canary"),
            ("AWS_REGION", "eu-west-1"),
        ]);
        assert!(faults.is_empty());
        let shown = format!("{config:?} {:?}", Storage::open(&config).unwrap());
        assert!(shown.contains("s3://photos/live") && !shown.contains("canary"), "{shown}");
    }

    #[test]
    fn an_address_that_leads_nowhere_is_a_fault() {
        for bad in ["uploads", "ftp://x/y", "file://host/path", "s3://", "s3:///x"] {
            assert_eq!(read(&[("STORAGE_URL", bad)]).1, ["STORAGE_URL"], "{bad}");
        }
        let half = read(&[("STORAGE_URL", "s3://photos"), ("AWS_ACCESS_KEY_ID", "AK")]);
        assert_eq!(half.1, ["AWS_SECRET_ACCESS_KEY"]);
        assert_eq!(read(&[("DISK_FLOOR_BYTES", "much")]).1, ["DISK_FLOOR_BYTES"]);
    }

    #[test]
    fn every_aws_variable_is_known_to_the_library() {
        for name in AWS {
            assert!(name.to_ascii_lowercase().parse::<AmazonS3ConfigKey>().is_ok(), "{name}");
        }
    }

    #[tokio::test]
    async fn a_file_comes_back_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let storage = in_folder(folder.path(), 0);
        storage.put("org-1/photo.jpg", b"one").await.unwrap();
        storage.put("org-1/photo.jpg", b"two").await.unwrap();
        assert_eq!(storage.get("org-1/photo.jpg").await.unwrap(), "two");
        assert_eq!(std::fs::read(folder.path().join("org-1/photo.jpg")).unwrap(), b"two");
        let now = Clock::System.now();
        let hour = chrono::Duration::hours(1);
        assert_eq!(storage.list_older_than(now + hour).await.unwrap(), ["org-1/photo.jpg"]);
        assert!(storage.list_older_than(now - hour).await.unwrap().is_empty());
        storage.delete("org-1/photo.jpg").await.unwrap();
        storage.delete("org-1/photo.jpg").await.unwrap();
        assert!(matches!(storage.get("org-1/photo.jpg").await, Err(StorageError::NotFound)));
    }

    #[tokio::test]
    async fn a_full_disk_is_said_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let storage = in_folder(folder.path(), u64::MAX);
        assert!(matches!(storage.put("a", b"x").await, Err(StorageError::Full)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_error_of_a_disk_that_filled_up_is_recognised() {
        let source = io::Error::from_raw_os_error(28);
        let error = object_store::Error::Generic { store: "LocalFileSystem", source: source.into() };
        assert!(matches!(failed(error), StorageError::Full), "ENOSPC");
    }

    #[tokio::test]
    async fn only_our_own_keys_are_taken() {
        let folder = tempfile::tempdir().unwrap();
        let storage = in_folder(folder.path(), 0);
        for bad in
            ["", "/", "/a", "a/", "a//b", "../a", "a/../b", "a..b", ".a", "A", "a b", "a\\b", "a%2f", "ä", "a\0b"]
        {
            assert!(matches!(storage.put(bad, b"x").await, Err(StorageError::BadKey)), "{bad:?}");
            assert!(matches!(storage.get(bad).await, Err(StorageError::BadKey)), "{bad:?}");
        }
        storage.put("0190-ab/full.jpg", b"x").await.unwrap();
    }
}
