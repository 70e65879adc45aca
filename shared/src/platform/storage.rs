//! Where uploaded files live: a folder of this machine, or an S3 bucket; for a while, in memory.
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
    memory::InMemory,
    path::Path as Key,
    prefix::PrefixStore,
};
use secrecy::{ExposeSecret, SecretString};

use crate::platform::tls::install_crypto;

/// What [`Storage::prove_write`] writes. No backup holds it; one that was left lying is swept away as nobody's.
const WRITE_PROOF: &str = "write-proof";

mod config;

pub use config::{DEFAULT_DISK_FLOOR, StorageConfig};

/// Uploaded files. Clones share it.
#[derive(Debug, Clone)]
pub enum Storage {
    File(FileStorage),
    S3(S3Storage),
    /// What is made within a transaction, to be put into the real one after its commit ([`Storage::move_into`]).
    Memory(Arc<InMemory>),
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

    /// Takes a file of this machine over under `key`. In a folder on the same disk it is renamed and not copied. Where it
    /// lay before, it may stay. When it returns, a power cut loses nothing of it; `file` must have been synced before.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the disk has no room to spare.
    pub async fn adopt(&self, key: &str, file: &Path) -> Result<(), StorageError> {
        valid(key)?;
        if let Self::File(FileStorage { root, .. }) = self {
            let (from, to) = (file.to_owned(), root.join(key));
            let renamed = tokio::task::spawn_blocking(move || rename(&from, &to)).await;
            match renamed.map_err(io::Error::other).flatten() {
                Ok(()) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::CrossesDevices => {}
                Err(e) => return Err(broken(e)),
            }
        }
        let bytes = tokio::fs::read(file).await.map_err(broken)?;
        self.put(key, &bytes).await
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

    /// The keys and sizes of all files of one folder, by key.
    pub async fn list_under(&self, folder: &str) -> Result<Vec<(String, u64)>, StorageError> {
        let folder = valid(folder)?;
        let found = self.store().list(Some(&folder)).map_ok(|file| (file.location.to_string(), file.size));
        let mut all: Vec<_> = found.try_collect().await.map_err(failed)?;
        all.sort();
        Ok(all)
    }

    /// The keys and sizes of all files, by key.
    pub async fn list_all(&self) -> Result<Vec<(String, u64)>, StorageError> {
        let found = self.store().list(None).map_ok(|file| (file.location.to_string(), file.size));
        let mut all: Vec<_> = found.try_collect().await.map_err(failed)?;
        all.retain(|(key, _)| key != WRITE_PROOF);
        all.sort();
        Ok(all)
    }

    /// Writes a file of one byte and removes it. The floor of [`Self::check_room`] is not looked at: below it files of
    /// customers are refused, and all else goes on.
    ///
    /// # Errors
    /// [`StorageError::Full`] when the disk is full.
    pub async fn prove_write(&self) -> Result<(), StorageError> {
        let key = valid(WRITE_PROOF)?;
        self.store().put(&key, Bytes::from_static(b"1").into()).await.map_err(failed)?;
        self.delete(WRITE_PROOF).await
    }

    /// Whether the files lie in a bucket: with somebody who keeps them safe, and not on this machine.
    #[must_use]
    pub fn is_bucket(&self) -> bool {
        matches!(self, Self::S3(_))
    }

    /// An empty one in memory.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::Memory(Arc::default())
    }

    /// Puts all its files into another, in place of those with the same key. Returns how many they were.
    ///
    /// # Errors
    /// As for [`Storage::put`]; those that were put by then stay.
    pub async fn move_into(self, other: &Self) -> Result<usize, StorageError> {
        let files: Vec<_> = self.store().list(None).try_collect().await.map_err(failed)?;
        for file in &files {
            let key = file.location.to_string();
            other.put(&key, &self.get(&key).await?).await?;
        }
        Ok(files.len())
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
            Self::Memory(files) => &**files,
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
    let disk = rustix::fs::statvfs(path)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Moves a file to another place of the same disk for good.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
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

fn broken(error: io::Error) -> StorageError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StorageError::Full,
        _ => StorageError::Failed(error.into()),
    }
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
    use crate::platform::clock::Clock;

    fn in_folder(root: &Path, floor: u64) -> Storage {
        Storage::open(&StorageConfig::File { root: root.to_owned(), floor }).unwrap()
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
    async fn what_was_kept_in_memory_moves_with_every_file() {
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
        storage.adopt("org-1/photo.raw", &file).await.unwrap();
        assert_eq!((storage.get("org-1/photo.raw").await.unwrap(), file.exists()), ("raw".into(), false));
        std::fs::write(&file, b"raw").unwrap();
        assert!(matches!(storage.adopt("../photo.raw", &file).await, Err(StorageError::BadKey)));
        let memory = Storage::in_memory();
        memory.adopt("org-1/photo.raw", &file).await.unwrap();
        assert_eq!(memory.get("org-1/photo.raw").await.unwrap(), "raw");
        assert!(storage.adopt("org-1/other.raw", &folder.path().join("none")).await.is_err());
    }

    #[tokio::test]
    async fn a_full_disk_is_said_before_anything_is_written() {
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
    async fn list_all_beside_a_proof_of_a_write_leaves_it_out() {
        let storage = Storage::in_memory();
        storage.put(WRITE_PROOF, b"1").await.unwrap();
        storage.put("0190-ab/leak.jpg", b"a photo").await.unwrap();
        assert_eq!(storage.list_all().await.unwrap(), [("0190-ab/leak.jpg".to_owned(), 7)]);
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
