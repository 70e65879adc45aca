//! Storage of uploaded files: a local folder, an S3 bucket, or temporarily memory.
//!
//! `put` is atomic and durable: the file is complete once it returns, or absent.

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
    memory::InMemory,
    path::Path as Key,
    prefix::PrefixStore,
};
use secrecy::{ExposeSecret, SecretString};

use crate::tls::install_crypto_provider;

/// Key of [`Storage::prove_write`]'s test file. It is in no backup; a leftover is removed by the orphan sweep.
const WRITE_PROOF: &str = "write-proof";

mod config;

pub use config::{DEFAULT_DISK_FLOOR, StorageConfig};

/// Clones share the store.
#[derive(Debug, Clone)]
pub enum Storage {
    File(FileStorage),
    S3(S3Storage),
    /// Files made within a transaction, moved to the real store after the commit ([`Storage::move_into`]).
    Memory(Arc<InMemory>),
}

#[derive(Debug, Clone)]
pub struct FileStorage {
    root: PathBuf,
    floor: u64,
    store: Arc<LocalFileSystem>,
}

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

#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The disk is full or below the space reserved for the database.
    #[error("there is no room for more files")]
    Full,
    #[error("there is no such file")]
    NotFound,
    #[error("the file's name is not valid")]
    BadKey,
    #[error("the file storage failed: {0}")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl Storage {
    /// Opens the configured storage and creates the folder if needed. Errors: when the folder cannot be created or the
    /// bucket settings are inconsistent.
    pub fn open(config: &StorageConfig) -> Result<Self, StorageError> {
        match config {
            StorageConfig::File { root, floor } => {
                std::fs::create_dir_all(root).map_err(|e| StorageError::Failed(e.into()))?;
                let store = LocalFileSystem::new_with_prefix(root).map_err(from_store_error)?.with_fsync(true);
                Ok(Self::File(FileStorage { root: root.clone(), floor: *floor, store: Arc::new(store) }))
            }
            StorageConfig::S3 { bucket, prefix, settings } => {
                install_crypto_provider();
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
                let store = PrefixStore::new(builder.build().map_err(from_store_error)?, prefix.as_str());
                Ok(Self::S3(S3Storage { store: Arc::new(store), shown: format!("s3://{bucket}/{prefix}") }))
            }
        }
    }

    /// Stores or replaces `key`; durable on return. Errors: [`StorageError::Full`] when the disk has no room.
    pub async fn put(&self, key: &str, bytes: &[u8]) -> Result<(), StorageError> {
        let key = parse_key(key)?;
        self.check_free_space(bytes.len() as u64).await?;
        self.as_object_store().put(&key, Bytes::copy_from_slice(bytes).into()).await.map(drop).map_err(from_store_error)
    }

    /// Takes over a local file under `key`: renamed on the same disk, otherwise copied, and the source may stay.
    /// Durable on return; `file` must have been synced before. Errors: [`StorageError::Full`] when the disk has no
    /// room.
    pub async fn put_file(&self, key: &str, file: &Path) -> Result<(), StorageError> {
        parse_key(key)?;
        if let Self::File(FileStorage { root, .. }) = self {
            let (from, to) = (file.to_owned(), root.join(key));
            let renamed = tokio::task::spawn_blocking(move || rename_durably(&from, &to)).await;
            match renamed.map_err(io::Error::other).flatten() {
                Ok(()) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {}
                Err(e) => return Err(from_io_error(e)),
            }
        }
        let bytes = tokio::fs::read(file).await.map_err(from_io_error)?;
        self.put(key, &bytes).await
    }

    /// Errors: [`StorageError::NotFound`] when there is none.
    pub async fn get(&self, key: &str) -> Result<Bytes, StorageError> {
        let found = self.as_object_store().get(&parse_key(key)?).await.map_err(from_store_error)?;
        found.bytes().await.map_err(from_store_error)
    }

    /// A missing file is no error.
    pub async fn delete(&self, key: &str) -> Result<(), StorageError> {
        match self.as_object_store().delete(&parse_key(key)?).await.map_err(from_store_error) {
            Err(StorageError::NotFound) => Ok(()),
            done => done,
        }
    }

    /// Keys of files last written before `limit`, for the sweep of orphans.
    pub async fn list_older_than(&self, limit: DateTime<Utc>) -> Result<Vec<String>, StorageError> {
        let old = self.as_object_store().list(None).try_filter(|file| {
            let old = file.last_modified < limit;
            async move { old }
        });
        old.map_ok(|file| file.location.to_string()).try_collect().await.map_err(from_store_error)
    }

    /// Sorted by key.
    pub async fn list_folder(&self, folder: &str) -> Result<Vec<(String, u64)>, StorageError> {
        let folder = parse_key(folder)?;
        let found = self.as_object_store().list(Some(&folder)).map_ok(|file| (file.location.to_string(), file.size));
        let mut all: Vec<_> = found.try_collect().await.map_err(from_store_error)?;
        all.sort();
        Ok(all)
    }

    /// Sorted by key.
    pub async fn list_all(&self) -> Result<Vec<(String, u64)>, StorageError> {
        let found = self.as_object_store().list(None).map_ok(|file| (file.location.to_string(), file.size));
        let mut all: Vec<_> = found.try_collect().await.map_err(from_store_error)?;
        all.retain(|(key, _)| key != WRITE_PROOF);
        all.sort();
        Ok(all)
    }

    /// Writes a one-byte file and removes it. Ignores the floor of [`Self::check_free_space`], below which only
    /// customer files are refused. Errors: [`StorageError::Full`] when the disk is full.
    pub async fn prove_write(&self) -> Result<(), StorageError> {
        let key = parse_key(WRITE_PROOF)?;
        self.as_object_store().put(&key, Bytes::from_static(b"1").into()).await.map_err(from_store_error)?;
        self.delete(WRITE_PROOF).await
    }

    /// Whether the files are in a bucket, kept safe by its provider and not on this machine.
    #[must_use]
    pub fn is_bucket(&self) -> bool {
        matches!(self, Self::S3(_))
    }

    #[must_use]
    pub fn in_memory() -> Self {
        Self::Memory(Arc::default())
    }

    /// Moves all files into another store, replacing those with equal keys. Returns their number. Errors: As for
    /// [`Storage::put`]; files moved before the error stay.
    pub async fn move_into(self, other: &Self) -> Result<usize, StorageError> {
        let files: Vec<_> = self.as_object_store().list(None).try_collect().await.map_err(from_store_error)?;
        for file in &files {
            let key = file.location.to_string();
            other.put(&key, &self.get(&key).await?).await?;
        }
        Ok(files.len())
    }

    /// Refuses when the free space would fall below the floor; buckets have none. Errors: [`StorageError::Full`]
    pub async fn check_free_space(&self, wanted: u64) -> Result<(), StorageError> {
        let Self::File(FileStorage { root, floor, .. }) = self else { return Ok(()) };
        let (root, needed) = (root.clone(), floor.saturating_add(wanted));
        let free = tokio::task::spawn_blocking(move || free_space(&root)).await;
        match free.map_err(io::Error::other).flatten() {
            Ok(free) if free < needed => Err(StorageError::Full),
            Ok(_) => Ok(()),
            Err(e) => Err(StorageError::Failed(e.into())),
        }
    }

    fn as_object_store(&self) -> &dyn ObjectStore {
        match self {
            Self::File(files) => &*files.store,
            Self::S3(bucket) => &*bucket.store,
            Self::Memory(files) => &**files,
        }
    }
}

fn client_options(settings: &[(AmazonS3ConfigKey, SecretString)]) -> ClientOptions {
    let endpoint = settings.iter().find(|(key, _)| *key == AmazonS3ConfigKey::Endpoint);
    ClientOptions::new()
        // Only for an endpoint explicitly configured with http://.
        .with_allow_http(endpoint.is_some_and(|(_, url)| url.expose_secret().starts_with("http://")))
        .with_connect_timeout(Duration::from_secs(5))
        .with_timeout(Duration::from_secs(20))
}

/// Available to unprivileged users, in bytes.
fn free_space(path: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Durable rename on the same disk.
fn rename_durably(from: &Path, to: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    let is_new = !folder.exists();
    std::fs::create_dir_all(folder)?;
    std::fs::rename(from, to)?;
    std::fs::File::open(folder)?.sync_all()?;
    match folder.parent().filter(|_| is_new) {
        Some(above) => std::fs::File::open(above)?.sync_all(),
        None => Ok(()),
    }
}

fn from_io_error(error: io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StorageError::Full,
        _ => StorageError::Failed(error.into()),
    }
}

/// Keys are built from ids; anything else is a bug or an attack.
fn parse_key(key: &str) -> Result<Key, StorageError> {
    let plain = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let good =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains("..") && part.bytes().all(plain);
    if key.len() <= 255 && key.split('/').all(good) { Ok(Key::from(key)) } else { Err(StorageError::BadKey) }
}

fn from_store_error(error: object_store::Error) -> StorageError {
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

    fn in_folder(root: &Path, floor: u64) -> Storage {
        Storage::open(&StorageConfig::File { root: root.to_owned(), floor }).unwrap()
    }

    #[tokio::test]
    async fn file_can_be_put_overwritten_read_listed_and_deleted() {
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
    async fn move_into_copies_every_file_from_memory_and_overwrites() {
        let folder = tempfile::tempdir().unwrap();
        let (memory, storage) = (Storage::in_memory(), in_folder(folder.path(), 0));
        memory.put("org-1/a.pdf", b"a").await.unwrap();
        memory.put("org-1/b.pdf", b"b").await.unwrap();
        storage.put("org-1/b.pdf", b"old").await.unwrap();
        assert_eq!(memory.move_into(&storage).await.unwrap(), 2);
        assert_eq!(storage.get("org-1/a.pdf").await.unwrap(), "a");
        assert_eq!(storage.get("org-1/b.pdf").await.unwrap(), "b");
    }

    #[tokio::test]
    async fn adopt_of_a_file_on_the_same_disk_moves_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, storage) = (folder.path().join("photo.part"), in_folder(&folder.path().join("uploads"), 0));
        std::fs::write(&file, b"raw").unwrap();
        storage.put_file("org-1/photo.raw", &file).await.unwrap();
        assert_eq!((storage.get("org-1/photo.raw").await.unwrap(), file.exists()), ("raw".into(), false));
        std::fs::write(&file, b"raw").unwrap();
        assert!(matches!(storage.put_file("../photo.raw", &file).await, Err(StorageError::BadKey)));
        let memory = Storage::in_memory();
        memory.put_file("org-1/photo.raw", &file).await.unwrap();
        assert_eq!(memory.get("org-1/photo.raw").await.unwrap(), "raw");
        assert!(storage.put_file("org-1/other.raw", &folder.path().join("none")).await.is_err());
    }

    #[tokio::test]
    async fn put_below_free_space_floor_is_full_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let storage = in_folder(folder.path(), u64::MAX);
        assert!(matches!(storage.put("a", b"x").await, Err(StorageError::Full)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn prove_write_below_the_floor_succeeds_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let storage = in_folder(folder.path(), u64::MAX);
        storage.prove_write().await.unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn list_all_omits_the_write_proof() {
        let storage = Storage::in_memory();
        storage.put(WRITE_PROOF, b"1").await.unwrap();
        storage.put("0190-ab/leak.jpg", b"a photo").await.unwrap();
        assert_eq!(storage.list_all().await.unwrap(), [("0190-ab/leak.jpg".to_owned(), 7)]);
    }

    #[test]
    fn enospc_error_is_mapped_to_full() {
        let source = io::Error::from_raw_os_error(28);
        let error = object_store::Error::Generic { store: "LocalFileSystem", source: source.into() };
        assert!(matches!(from_store_error(error), StorageError::Full), "ENOSPC");
    }

    #[tokio::test]
    async fn malformed_keys_are_refused_on_put_and_get() {
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
