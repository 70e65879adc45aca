//! The archive in which a business leaves and arrives: packed piece by piece, opened entry by entry.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Read as _},
    path::Path,
    time::Duration,
};

use bytes::Bytes;
use chrono_tz::Tz;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::Sender;
use zip::{ZipArchive, result::ZipError};

use super::{
    digest::Sum,
    export::{FORMAT, MANIFEST, Manifest, Spool, Stored},
};
use crate::{
    domain::intake::photo_upload,
    platform::{
        error::{Error, Result},
        storage::{Storage, StorageError},
        zip_stream::{Packing, Piece},
    },
};

/// What is in it, for whoever opens it.
const README: &str = include_str!("README.txt");
/// What one entry of an archive may come to: far more than a part of a table or an upload has.
const MOST: u64 = 128 * 1024 * 1024;

/// How long the reader may take over one piece: a whole archive lies on the disk for it.
const PATIENCE: Duration = Duration::from_mins(10);

/// Sends a business's rows and files as one archive. A file that cannot be fetched breaks it off, so that nobody takes a
/// part for the whole.
///
/// # Errors
/// When something could not be read, or nobody listens any more.
pub async fn pack(spool: Spool, storage: &Storage, zone: Tz, pieces: &Sender<Piece>) -> io::Result<()> {
    let (mut packing, mut manifest) = (Packing::default(), spool.manifest.clone());
    let at = (manifest.exported_at, zone);
    send(pieces, packing.add("README.txt", at, README.as_bytes())?).await?;
    for entry in spool.entries() {
        let text = spool.read(entry).await.map_err(io::Error::other)?;
        send(pieces, packing.add(entry, at, &text)?).await?;
    }
    let files = storage.list_under(&manifest.org_id.to_string()).await.map_err(io::Error::other)?;
    let mut missing: BTreeSet<String> = spool.named.clone();
    for (key, _) in files.into_iter().filter(|(key, _)| !photo_upload::is_raw(key)) {
        let bytes = match storage.get(&key).await {
            Ok(bytes) => bytes,
            // It was removed since the list was made, and no row has named it for a day.
            Err(StorageError::NotFound) => continue,
            Err(e) => return Err(io::Error::other(e)),
        };
        missing.remove(&key);
        manifest.files.push(Stored { sha256: sha256(&bytes), bytes: bytes.len() as u64, key: key.clone() });
        send(pieces, packing.add(&file_entry(&key), at, &bytes)?).await?;
    }
    if !missing.is_empty() {
        tracing::warn!(org = %manifest.org_id, files = missing.len(), "files that rows name are not in the store");
    }
    manifest.missing = missing.into_iter().collect();
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    send(pieces, packing.add(MANIFEST, at, &text)?).await?;
    send(pieces, packing.finish()?).await
}

async fn send(pieces: &Sender<Piece>, piece: Bytes) -> io::Result<()> {
    let sent = tokio::time::timeout(PATIENCE, pieces.send(Ok(piece))).await;
    sent.map_err(|_| io::ErrorKind::TimedOut)?.map_err(|_| io::ErrorKind::BrokenPipe.into())
}

/// Where a file of the store lies in the archive.
#[must_use]
pub fn file_entry(key: &str) -> String {
    format!("files/{key}")
}

/// As 64 characters.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    Sum::from(hash).to_string()
}

/// An archive that lies on this machine.
pub struct Opened {
    zip: ZipArchive<File>,
    pub manifest: Manifest,
}

impl Opened {
    /// Opens an archive and reads its manifest. It blocks: for programs that do nothing else.
    ///
    /// # Errors
    /// [`Error::Clash`], in words for the operator, when it is none of ours.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::Clash(format!("{} cannot be opened: {e}", path.display())))?;
        let mut zip = ZipArchive::new(file).map_err(|e| Error::Clash(format!("this is no zip archive: {e}")))?;
        let text = read(&mut zip, MANIFEST)?;
        let manifest: Manifest = serde_json::from_slice(&text)
            .map_err(|e| Error::Clash(format!("{MANIFEST} is not as this program writes it: {e}")))?;
        if manifest.format != FORMAT {
            return Err(Error::Clash(format!(
                "the archive has format {}, this program reads {FORMAT}",
                manifest.format
            )));
        }
        Ok(Self { zip, manifest })
    }

    /// What an entry holds.
    ///
    /// # Errors
    /// [`Error::Clash`] when it is missing or damaged.
    pub fn read(&mut self, entry: &str) -> Result<Vec<u8>> {
        read(&mut self.zip, entry)
    }

    /// A file of the business, once it is known to be the one that was packed.
    ///
    /// # Errors
    /// [`Error::Clash`] when it is missing or another.
    pub fn file(&mut self, stored: &Stored) -> Result<Vec<u8>> {
        let bytes = self.read(&file_entry(&stored.key))?;
        if bytes.len() as u64 == stored.bytes && sha256(&bytes) == stored.sha256 {
            return Ok(bytes);
        }
        Err(Error::Clash(format!("the file {} is not the one that was packed", stored.key)))
    }
}

fn read(zip: &mut ZipArchive<File>, entry: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let damaged = |e: &dyn std::fmt::Display| Error::Clash(format!("{entry} cannot be read: {e}"));
    match zip.by_name(entry) {
        // Not as much as it says it has, but as much as we take: a few bytes can stand for terabytes.
        Ok(found) => found.take(MOST + 1).read_to_end(&mut bytes).map_err(|e| damaged(&e))?,
        Err(ZipError::FileNotFound) => return Err(Error::Clash(format!("{entry} is not in the archive"))),
        Err(e) => return Err(damaged(&e)),
    };
    if bytes.len() as u64 > MOST {
        return Err(Error::Clash(format!("{entry} is larger than anything that this program packs")));
    }
    Ok(bytes)
}
