//! Photos on their way in: each is written to a folder of this machine while it is received, and moved into the file store
//! before its lead is answered. A bucket may be away: then the photo stays in the folder, its lead is taken, and the loop
//! here moves it on later.
//!
//! Nothing of the folder is ever read but to move it on. What no row names belongs to a form that was not taken, or to a
//! photo that is done with, and goes after an hour.

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
mod held;
mod part;

pub use forward::{move_on, run};
use held::{Held, Holder};
pub use part::Part;

/// The folder, in the data folder.
const FOLDER: &str = "spool";
/// What is still being received.
const PART: &str = ".part";
/// Photos whose first bytes are looked at at once: each is in memory for that.
const INSPECTIONS: usize = 4;

/// The folder of photos on their way in.
pub struct Spool {
    folder: PathBuf,
    /// What is being received and is in no row yet.
    held: Held,
    /// Photos that lie here and that a row has named: when none does any more, they are nobody's.
    named: Mutex<HashSet<PhotoId>>,
    pub inspections: Arc<Semaphore>,
    news: Notify,
}

impl Spool {
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join(FOLDER),
            held: Held::default(),
            named: Mutex::default(),
            inspections: Arc::new(Semaphore::new(INSPECTIONS)),
            news: Notify::new(),
        }
    }

    /// A photo that is about to be received, from this network; none for a request of this machine.
    #[must_use]
    pub fn part(&self, id: Uuid, network: Option<&str>) -> Part {
        let network = network.map(|network| Holder::Network(network.to_owned()));
        let holders = std::iter::once(Holder::All).chain(network).collect();
        Part::new(self.folder.join(format!("{id}{PART}")), self.held.clone(), holders)
    }

    /// What is being received now, in bytes.
    #[must_use]
    pub fn receiving(&self) -> i64 {
        self.held.of(&Holder::All)
    }

    /// The same from one network.
    #[must_use]
    pub fn receiving_from(&self, network: &str) -> i64 {
        self.held.of(&Holder::Network(network.to_owned()))
    }

    /// The same for one business, as far as it is known.
    #[must_use]
    pub fn receiving_for(&self, org: OrgId) -> i64 {
        self.held.of(&Holder::Business(org))
    }

    fn named(&self) -> MutexGuard<'_, HashSet<PhotoId>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_named(&self, id: PhotoId) {
        self.named().insert(id);
    }

    /// Whether a row has named it.
    fn is_named(&self, id: PhotoId) -> bool {
        self.named().contains(&id)
    }

    /// Those that do not lie here any more are forgotten.
    fn forget_all_but(&self, here: &HashSet<PhotoId>) {
        self.named().retain(|id| here.contains(id));
    }

    /// Where a photo stays that the file store does not take now.
    fn place(&self, org: OrgId, id: PhotoId) -> PathBuf {
        self.folder.join(format!("{org}.{id}"))
    }

    /// Keeps a photo here until the file store takes it. When it returns, a power cut loses nothing of it.
    pub async fn keep(&self, part: &Part, org: OrgId, id: PhotoId) -> Result<()> {
        let (from, to, folder) = (part.path().to_owned(), self.place(org, id), self.folder.clone());
        blocking(move || {
            std::fs::rename(from, to)?;
            std::fs::File::open(folder)?.sync_all()
        })
        .await
    }

    /// Removes a photo whose form was not taken.
    pub async fn discard(&self, org: OrgId, id: PhotoId) -> Result<()> {
        remove(&self.place(org, id)).await
    }

    /// To be called after a commit that left these photos here.
    pub fn tell(&self, photos: impl Iterator<Item = PhotoId>) {
        self.named().extend(photos);
        self.news.notify_one();
    }
}

async fn remove(path: &Path) -> Result<()> {
    match tokio::fs::remove_file(path).await {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(&e)),
        _ => Ok(()),
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other).flatten().map_err(|e| failed(&e))
}

fn failed(error: &io::Error) -> Error {
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
    async fn part_that_is_dropped_leaves_no_file_and_no_room_taken() {
        let all = tempfile::tempdir().unwrap();
        let spool = Spool::new(all.path());
        let mut part = spool.part(Uuid::from_u128(7), None);
        part.write(b"raw").await.unwrap();
        part.finish().await.unwrap();
        assert_eq!((spool.receiving(), part.bytes()), (3, 3));
        let rights = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((rights(&spool.folder), rights(part.path())), (0o700, 0o600));
        drop(part);
        assert_eq!((spool.receiving(), names(&spool.folder).len()), (0, 0));
    }

    #[tokio::test]
    async fn part_that_is_kept_outlives_its_form_under_the_name_of_its_photo() {
        let all = tempfile::tempdir().unwrap();
        let spool = Spool::new(all.path());
        let (org, id) = (OrgId(Uuid::from_u128(1)), PhotoId(Uuid::from_u128(2)));
        let mut part = spool.part(Uuid::from_u128(7), None);
        part.write(b"raw").await.unwrap();
        part.finish().await.unwrap();
        spool.keep(&part, org, id).await.unwrap();
        drop(part);
        assert_eq!(std::fs::read(spool.place(org, id)).unwrap(), b"raw");
        spool.discard(org, id).await.unwrap();
        spool.discard(org, id).await.unwrap();
        assert!(names(&spool.folder).is_empty());
    }

    #[tokio::test]
    async fn part_that_is_left_out_still_has_the_hash_of_all_that_came() {
        let all = tempfile::tempdir().unwrap();
        let spool = Spool::new(all.path());
        let mut part = spool.part(Uuid::from_u128(7), None);
        part.write(b"one").await.unwrap();
        part.leave_out().await.unwrap();
        part.pass_over(b"two");
        assert_eq!((part.hash(), spool.receiving()), (Sha256::digest(b"onetwo").into(), 0));
        assert!(names(&spool.folder).is_empty());
    }

    #[tokio::test]
    async fn part_counts_for_its_network_at_once_and_for_its_business_once_that_is_known() {
        let all = tempfile::tempdir().unwrap();
        let (spool, org) = (Spool::new(all.path()), OrgId(Uuid::from_u128(1)));
        let counts = |network: &str| (spool.receiving(), spool.receiving_from(network), spool.receiving_for(org));
        let mut part = spool.part(Uuid::from_u128(7), Some("198.51.100.7"));
        part.write(b"raw").await.unwrap();
        assert_eq!((counts("198.51.100.7"), counts("198.51.100.8")), ((3, 3, 0), (3, 0, 0)));
        part.is_for(org);
        assert_eq!(counts("198.51.100.7"), (3, 3, 3));
        drop(part);
        assert_eq!(counts("198.51.100.7"), (0, 0, 0));
    }
}
