//! Files that are on the disk when the call returns, and readable by nobody else.

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

use super::Whole;
use crate::{
    ops::tenant_data::{digest::Sum, export::broken},
    platform::{db, error::Result},
};

/// Bytes that are hashed at once.
const BITE: usize = 1024 * 1024;

/// Makes a folder, and those above it. One that is there already is an error: two must not write into it.
pub(super) async fn make_private_folder(path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).await.map_err(|e| broken(&e))?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    builder.mode(0o700);
    builder.create(path).await.map_err(|e| broken(&e))
}

/// Writes a new file, which nobody else reads.
pub(super) async fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    let mut file = options.open(path).await.map_err(|e| broken(&e))?;
    file.write_all(bytes).await.map_err(|e| broken(&e))?;
    file.sync_all().await.map_err(|e| broken(&e))
}

/// Brings a file that somebody else has written to the disk.
pub(super) async fn sync(path: &Path) -> Result<()> {
    File::open(path).await.map_err(|e| broken(&e))?.sync_all().await.map_err(|e| broken(&e))
}

/// Brings the names in a folder to the disk.
pub(super) async fn sync_folder(path: &Path) -> Result<()> {
    sync(path).await
}

/// Gives a folder or file another name, which stays when the power fails.
pub(super) async fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).await.map_err(|e| broken(&e))?;
    match to.parent() {
        Some(above) => sync_folder(above).await,
        None => Ok(()),
    }
}

/// Removes a folder that nobody wants. What cannot be removed now is tried again with the next backup.
pub(super) async fn discard(path: &Path) {
    if let Err(e) = fs::remove_dir_all(path).await {
        tracing::warn!(error = %e, "a draft of a backup stays behind");
    }
}

/// Removes the log and the index that stand beside a `SQLite` file whose all is in the file itself.
pub(super) async fn remove_log(path: &Path) -> Result<()> {
    for beside in beside(path).into_iter().chain(locks(path)) {
        match fs::remove_file(beside).await {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(broken(&e)),
            _ => {}
        }
    }
    Ok(())
}

/// The files that `SQLite` keeps beside a database.
pub(super) fn beside(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|ending| with_ending(path, ending))
}

/// The files by which processes line up for its writer. They hold nothing.
fn locks(path: &Path) -> [PathBuf; 2] {
    db::WRITER_LOCKS.map(|ending| with_ending(path, ending))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// None when there is no such file.
pub(super) async fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(broken(&e)),
    }
}

/// How long a file is and its hash, read piece by piece.
pub(super) async fn whole(path: &Path) -> Result<Whole> {
    let mut file = File::open(path).await.map_err(|e| broken(&e))?;
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; BITE]);
    loop {
        let read = file.read(&mut piece).await.map_err(|e| broken(&e))?;
        if read == 0 {
            let hash: [u8; 32] = hash.finalize().into();
            return Ok(Whole { bytes, sha256: Sum::from(hash).to_string() });
        }
        hash.update(&piece[..read]);
        bytes += read as u64;
    }
}

/// The names in a folder; none when it is not there.
pub(super) async fn names(folder: &Path) -> Result<Vec<String>> {
    let mut found = match fs::read_dir(folder).await {
        Ok(found) => found,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(broken(&e)),
    };
    let mut names = Vec::new();
    while let Some(entry) = found.next_entry().await.map_err(|e| broken(&e))? {
        names.extend(entry.file_name().into_string().ok());
    }
    Ok(names)
}

/// When something was last written.
pub(super) async fn touched(path: &Path) -> Result<DateTime<Utc>> {
    let about = fs::metadata(path).await.map_err(|e| broken(&e))?;
    Ok(about.modified().map_err(|e| broken(&e))?.into())
}
