//! File operations that are durable when the call returns, with private permissions.

use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tokio::{
    fs::{self, File, OpenOptions},
    io::{AsyncReadExt, AsyncWriteExt},
};

use super::FileChecksum;
use crate::{
    ops::tenant_data::{digest::HashSum, export::map_io_error},
    platform::{db, error::Result},
};

const HASH_CHUNK_BYTES: usize = 1024 * 1024;

/// Creates the parents too. An existing folder is an error: two processes must not write into it.
pub(super) async fn create_private_dir(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).await.map_err(|e| map_io_error(&e))?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path).await.map_err(|e| map_io_error(&e))
}

/// Writes a new file with private permissions.
pub(super) async fn write_private_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(path).await.map_err(|e| map_io_error(&e))?;
    file.write_all(bytes).await.map_err(|e| map_io_error(&e))?;
    file.sync_all().await.map_err(|e| map_io_error(&e))
}

/// Flushes a file written by other code.
pub(super) async fn sync_file(path: &Path) -> Result<()> {
    File::open(path).await.map_err(|e| map_io_error(&e))?.sync_all().await.map_err(|e| map_io_error(&e))
}

/// Flushes the names in a folder.
pub(super) async fn sync_dir(path: &Path) -> Result<()> {
    sync_file(path).await
}

/// Durable across a power failure.
pub(super) async fn rename_durably(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).await.map_err(|e| map_io_error(&e))?;
    match to.parent() {
        Some(above) => sync_dir(above).await,
        None => Ok(()),
    }
}

/// Removes an unneeded folder. A failure is retried with the next backup.
pub(super) async fn remove_draft_dir(path: &Path) {
    if let Err(e) = fs::remove_dir_all(path).await {
        tracing::warn!(error = %e, "a draft of a backup stays behind");
    }
}

/// Removes the log and the index of a `SQLite` file that holds everything itself.
pub(super) async fn remove_sqlite_sidecars(path: &Path) -> Result<()> {
    for beside in sqlite_sidecar_paths(path).into_iter().chain(writer_lock_paths(path)) {
        match fs::remove_file(beside).await {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(map_io_error(&e)),
            _ => {}
        }
    }
    Ok(())
}

pub(super) fn sqlite_sidecar_paths(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|ending| with_suffix(path, ending))
}

/// Lock files of the database writer; they are empty.
fn writer_lock_paths(path: &Path) -> [PathBuf; 2] {
    db::WRITER_LOCKS.map(|ending| with_suffix(path, ending))
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// None when there is no such file.
pub(super) async fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(map_io_error(&e)),
    }
}

/// Length and hash, read piece by piece.
pub(super) async fn compute_file_checksum(path: &Path) -> Result<FileChecksum> {
    let mut file = File::open(path).await.map_err(|e| map_io_error(&e))?;
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; HASH_CHUNK_BYTES]);
    loop {
        let read = file.read(&mut piece).await.map_err(|e| map_io_error(&e))?;
        if read == 0 {
            let hash: [u8; 32] = hash.finalize().into();
            return Ok(FileChecksum { bytes, sha256: HashSum::from(hash).to_string() });
        }
        hash.update(&piece[..read]);
        bytes += read as u64;
    }
}

/// Empty when the folder is not there.
pub(super) async fn list_file_names(folder: &Path) -> Result<Vec<String>> {
    let mut found = match fs::read_dir(folder).await {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(map_io_error(&e)),
    };
    let mut names = Vec::new();
    while let Some(entry) = found.next_entry().await.map_err(|e| map_io_error(&e))? {
        names.extend(entry.file_name().into_string().ok());
    }
    Ok(names)
}

pub(super) async fn modified_at(path: &Path) -> Result<DateTime<Utc>> {
    let about = fs::metadata(path).await.map_err(|e| map_io_error(&e))?;
    Ok(about.modified().map_err(|e| map_io_error(&e))?.into())
}
