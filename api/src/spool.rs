//! Photos on their way in: each is written to a folder of this machine while it is received, and moved into the file store
//! before its lead is answered. A bucket may be away: then the photo stays in the folder, its lead is taken, and the loop
//! here moves it on later.
//!
//! Nothing of the folder is ever read but to move it on. What no row names belongs to a form that was not taken, or to a
//! photo that is done with, and goes after an hour.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use sha2::{Digest, Sha256};
use shared::{
    error::{Error, Result},
    id::{OrgId, PhotoId},
    outbox, photo_upload, private_file,
};
use tokio::{
    fs::File,
    io::AsyncWriteExt,
    sync::{Notify, Semaphore},
};
use uuid::Uuid;

use crate::{error::ApiResult, state::AppState};

/// The folder, in the data folder.
const FOLDER: &str = "spool";
/// What is still being received.
const PART: &str = ".part";
/// Between two looks at what lies there; a photo that stays there asks for a look at once.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// What no row names is kept for so long: its form may be under way.
const KEEP_UNNAMED: Duration = Duration::from_hours(1);
/// Photos whose first bytes are looked at at once: each is in memory for that.
const INSPECTIONS: usize = 4;

/// The folder of photos on their way in.
pub struct Spool {
    folder: PathBuf,
    /// What is being received and is in no row yet, in bytes.
    receiving: Arc<AtomicI64>,
    pub inspections: Arc<Semaphore>,
    news: Notify,
}

impl Spool {
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self {
            folder: data_dir.join(FOLDER),
            receiving: Arc::default(),
            inspections: Arc::new(Semaphore::new(INSPECTIONS)),
            news: Notify::new(),
        }
    }

    /// A photo that is about to be received.
    #[must_use]
    pub fn part(&self, id: Uuid) -> Part {
        Part {
            path: self.folder.join(format!("{id}{PART}")),
            file: None,
            bytes: 0,
            receiving: self.receiving.clone(),
            hash: Sha256::new(),
        }
    }

    /// What is being received now.
    #[must_use]
    pub fn receiving(&self) -> i64 {
        self.receiving.load(Ordering::Relaxed)
    }

    /// Where a photo stays that the file store does not take now.
    fn place(&self, org: OrgId, id: PhotoId) -> PathBuf {
        self.folder.join(format!("{org}.{id}"))
    }

    /// Keeps a photo here until the file store takes it. When it returns, a power cut loses nothing of it.
    pub async fn keep(&self, part: &Part, org: OrgId, id: PhotoId) -> Result<()> {
        let (from, to, folder) = (part.path.clone(), self.place(org, id), self.folder.clone());
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

    /// To be called after a commit that left photos here.
    pub fn tell(&self) {
        self.news.notify_one();
    }
}

/// A photo while it is received. Its file goes with it, unless it was moved on.
pub struct Part {
    path: PathBuf,
    file: Option<File>,
    bytes: i64,
    receiving: Arc<AtomicI64>,
    hash: Sha256,
}

impl Part {
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[must_use]
    pub fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Adds what came to the hash alone: a photo that is left out is still part of what was asked.
    pub fn pass_over(&mut self, chunk: &[u8]) {
        self.hash.update(chunk);
    }

    /// # Errors
    /// 507 when the disk is full.
    pub async fn write(&mut self, chunk: &[u8]) -> ApiResult<()> {
        self.hash.update(chunk);
        let more = i64::try_from(chunk.len()).unwrap_or(i64::MAX);
        self.bytes = self.bytes.saturating_add(more);
        self.receiving.fetch_add(more, Ordering::Relaxed);
        if self.file.is_none() {
            self.file = Some(create(self.path.clone()).await?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(chunk).await.map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    /// Everything has come. When it returns, a power cut loses nothing of it.
    ///
    /// # Errors
    /// 507 when the disk is full.
    pub async fn finish(&mut self) -> ApiResult<()> {
        if let Some(mut file) = self.file.take() {
            file.flush().await.map_err(|e| failed(&e))?;
            file.sync_all().await.map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    /// Of everything that came.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }

    /// Gives its room back and removes its file; the hash stays.
    pub async fn leave_out(&mut self) -> Result<()> {
        self.file = None;
        self.receiving.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = 0;
        remove(&self.path).await
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.receiving.fetch_sub(self.bytes, Ordering::Relaxed);
        // One that was moved on is not there any more; one that stays behind goes after an hour.
        let _ = std::fs::remove_file(&self.path);
    }
}

async fn create(path: PathBuf) -> Result<File> {
    let made = blocking(move || {
        if let Some(folder) = path.parent() {
            private_file::folder(folder)?;
        }
        private_file::create(&path, true)
    });
    Ok(File::from_std(made.await?))
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

/// Moves on what the file store did not take at once. Runs until the process stops.
pub async fn run(state: &AppState) {
    loop {
        if let Err(e) = move_on(state).await {
            tracing::warn!(error = %e, "photos wait on this machine until the file store takes them");
        }
        tokio::select! {
            () = state.spool.news.notified() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = state.until_stopped() => return,
        }
    }
}

/// One look through the folder, the oldest photo first. Returns how many the file store took.
///
/// # Errors
/// When the database or the file store is away: what is left is tried again.
pub async fn move_on(state: &AppState) -> Result<usize> {
    let mut moved = 0;
    for (path, name) in files(&state.spool.folder).await? {
        match ids_of(&name) {
            Some((org, id)) => moved += usize::from(move_one(state, &path, org, id).await?),
            None => remove_if_old(&path).await?,
        }
    }
    Ok(moved)
}

async fn move_one(state: &AppState, path: &Path, org: OrgId, id: PhotoId) -> Result<bool> {
    let Some(db) = state.db_if_ready() else { return Ok(false) };
    let mut conn = db.read().await?;
    let is_stored = photo_upload::is_stored(&mut conn, org, id).await?;
    let is_frozen = outbox::frozen(&mut conn).await?.is_some();
    drop(conn);
    match is_stored {
        Some(false) => {
            state.storage.adopt(&photo_upload::raw_key(org, id), path).await?;
            let mut tx = db.begin().await?;
            photo_upload::stored(&mut tx, &state.origin, org, id).await?;
            tx.commit().await?;
            state.wake();
            remove(path).await?;
            Ok(true)
        }
        Some(true) => remove(path).await.map(|()| false),
        // A database that came up from a backup does not know what came after it.
        None if is_frozen => Ok(false),
        None => remove_if_old(path).await.map(|()| false),
    }
}

async fn remove_if_old(path: &Path) -> Result<()> {
    let age = match tokio::fs::metadata(path).await {
        Ok(found) => found.modified().map_err(|e| failed(&e))?.elapsed().unwrap_or_default(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(&e)),
    };
    if age > KEEP_UNNAMED { remove(path).await } else { Ok(()) }
}

/// What lies there, by the ids of the photos: the oldest first.
async fn files(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut entries = match tokio::fs::read_dir(folder).await {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(&e)),
    };
    let mut found = Vec::new();
    while let Some(entry) = entries.next_entry().await.map_err(|e| failed(&e))? {
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((entry.path(), name));
    }
    found.sort_by(|(_, one), (_, other)| photo_of(one).cmp(photo_of(other)));
    Ok(found)
}

fn ids_of(name: &str) -> Option<(OrgId, PhotoId)> {
    let (org, id) = name.split_once('.')?;
    Some((OrgId(Uuid::parse_str(org).ok()?), PhotoId(Uuid::parse_str(id).ok()?)))
}

fn photo_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, id)| id)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[tokio::test]
    async fn part_that_is_dropped_leaves_no_file_and_no_room_taken() {
        let all = tempfile::tempdir().unwrap();
        let spool = Spool::new(all.path());
        let mut part = spool.part(Uuid::from_u128(7));
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
        let mut part = spool.part(Uuid::from_u128(7));
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
        let mut part = spool.part(Uuid::from_u128(7));
        part.write(b"one").await.unwrap();
        part.leave_out().await.unwrap();
        part.pass_over(b"two");
        assert_eq!((part.hash(), spool.receiving()), (Sha256::digest(b"onetwo").into(), 0));
        assert!(names(&spool.folder).is_empty());
    }
}
