//! Upload spool: a form's photo is written to a local folder while it is received, and moved into the file store before
//! its lead is answered. If a bucket is away, the photo stays in the folder, the lead is accepted, and the loop here
//! moves the photo later.
//!
//! Files are only ever read to be moved. A file that no row names belongs to a form that was refused, or to a finished
//! photo; it is removed after an hour.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use shared::platform::{
    error::{Error, Result},
    id::{OrgId, PhotoId},
};
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;

mod forward;
mod part;
mod receiving;

pub use forward::{forward_all, run_forwarder};
pub use part::UploadPart;
use receiving::{ByteOwner, ReceivingBytes};

const FOLDER: &str = "spool";
/// Suffix of files that are still being received.
const PART: &str = ".part";
/// Photos inspected at once: each is in memory meanwhile.
const INSPECTIONS: usize = 4;

pub struct PhotoSpool {
    folder: PathBuf,
    /// Bytes being received and in no row yet.
    held: ReceivingBytes,
    /// Photos in the folder that a row has named: when no row does any more, they can be removed at once.
    named: Mutex<HashSet<PhotoId>>,
    pub inspections: Arc<Semaphore>,
    news: Notify,
}

impl PhotoSpool {
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join(FOLDER),
            held: ReceivingBytes::default(),
            named: Mutex::default(),
            inspections: Arc::new(Semaphore::new(INSPECTIONS)),
            news: Notify::new(),
        }
    }

    /// Starts receiving a photo. `network` is `None` for a request from this machine.
    #[must_use]
    pub fn begin_part(&self, id: Uuid, network: Option<&str>) -> UploadPart {
        let network = network.map(|network| ByteOwner::Network(network.to_owned()));
        let holders = std::iter::once(ByteOwner::All).chain(network).collect();
        UploadPart::new(self.folder.join(format!("{id}{PART}")), self.held.clone(), holders)
    }

    /// Bytes being received now, in all.
    #[must_use]
    pub fn receiving_bytes(&self) -> i64 {
        self.held.bytes_for(&ByteOwner::All)
    }

    #[must_use]
    pub fn receiving_bytes_from(&self, network: &str) -> i64 {
        self.held.bytes_for(&ByteOwner::Network(network.to_owned()))
    }

    /// Only photos whose business is known already.
    #[must_use]
    pub fn receiving_bytes_for(&self, org: OrgId) -> i64 {
        self.held.bytes_for(&ByteOwner::Business(org))
    }

    fn lock_named(&self) -> MutexGuard<'_, HashSet<PhotoId>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mark_named(&self, id: PhotoId) {
        self.lock_named().insert(id);
    }

    fn is_named(&self, id: PhotoId) -> bool {
        self.lock_named().contains(&id)
    }

    fn retain_named(&self, here: &HashSet<PhotoId>) {
        self.lock_named().retain(|id| here.contains(id));
    }

    fn path_for(&self, org: OrgId, id: PhotoId) -> PathBuf {
        self.folder.join(format!("{org}.{id}"))
    }

    /// Keeps a photo here until the file store takes it. Durable against power loss when it returns.
    pub async fn store_photo(&self, part: &UploadPart, org: OrgId, id: PhotoId) -> Result<()> {
        let (from, to, folder) = (part.path().to_owned(), self.path_for(org, id), self.folder.clone());
        run_blocking(move || {
            std::fs::rename(from, to)?;
            std::fs::File::open(folder)?.sync_all()
        })
        .await
    }

    pub async fn discard_photo(&self, org: OrgId, id: PhotoId) -> Result<()> {
        remove_if_exists(&self.path_for(org, id)).await
    }

    /// To be called after a commit that left these photos here.
    pub fn announce_photos(&self, photos: impl Iterator<Item = PhotoId>) {
        self.lock_named().extend(photos);
        self.news.notify_one();
    }
}

async fn remove_if_exists(path: &Path) -> Result<()> {
    match tokio::fs::remove_file(path).await {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(to_storage_error(&e)),
        _ => Ok(()),
    }
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other).flatten().map_err(|e| to_storage_error(&e))
}

fn to_storage_error(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::StorageFull,
        _ => Error::Unavailable(format!("the folder of photos: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use sha2::{Digest, Sha256};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[tokio::test]
    async fn dropped_part_leaves_no_file_and_no_bytes_counted() {
        let all = tempfile::tempdir().unwrap();
        let spool = PhotoSpool::new(all.path());
        let mut part = spool.begin_part(Uuid::from_u128(7), None);
        part.write_chunk(b"raw").await.unwrap();
        part.sync_to_disk().await.unwrap();
        assert_eq!((spool.receiving_bytes(), part.byte_count()), (3, 3));
        let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((rights(&spool.folder), rights(part.path())), (0o700, 0o600));
        drop(part);
        assert_eq!((spool.receiving_bytes(), names(&spool.folder).len()), (0, 0));
    }

    #[tokio::test]
    async fn kept_part_outlives_its_form_under_the_photo_id() {
        let all = tempfile::tempdir().unwrap();
        let spool = PhotoSpool::new(all.path());
        let (org, id) = (OrgId(Uuid::from_u128(1)), PhotoId(Uuid::from_u128(2)));
        let mut part = spool.begin_part(Uuid::from_u128(7), None);
        part.write_chunk(b"raw").await.unwrap();
        part.sync_to_disk().await.unwrap();
        spool.store_photo(&part, org, id).await.unwrap();
        drop(part);
        assert_eq!(std::fs::read(spool.path_for(org, id)).unwrap(), b"raw");
        spool.discard_photo(org, id).await.unwrap();
        spool.discard_photo(org, id).await.unwrap();
        assert!(names(&spool.folder).is_empty());
    }

    #[tokio::test]
    async fn omitted_part_still_hashes_all_received_bytes() {
        let all = tempfile::tempdir().unwrap();
        let spool = PhotoSpool::new(all.path());
        let mut part = spool.begin_part(Uuid::from_u128(7), None);
        part.write_chunk(b"one").await.unwrap();
        part.discard_content().await.unwrap();
        part.hash_only(b"two");
        assert_eq!((part.content_hash(), spool.receiving_bytes()), (Sha256::digest(b"onetwo").into(), 0));
        assert!(names(&spool.folder).is_empty());
    }

    #[tokio::test]
    async fn part_counts_for_network_at_once_and_for_business_when_known() {
        let all = tempfile::tempdir().unwrap();
        let (spool, org) = (PhotoSpool::new(all.path()), OrgId(Uuid::from_u128(1)));
        let counts = |network: &str| {
            (spool.receiving_bytes(), spool.receiving_bytes_from(network), spool.receiving_bytes_for(org))
        };
        let mut part = spool.begin_part(Uuid::from_u128(7), Some("198.51.100.7"));
        part.write_chunk(b"raw").await.unwrap();
        assert_eq!((counts("198.51.100.7"), counts("198.51.100.8")), ((3, 3, 0), (3, 0, 0)));
        part.assign_business(org);
        assert_eq!(counts("198.51.100.7"), (3, 3, 3));
        drop(part);
        assert_eq!(counts("198.51.100.7"), (0, 0, 0));
    }
}
