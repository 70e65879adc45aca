//! Archive for the export and import of a business: packed piece by piece, opened entry by entry.

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
    digest::HashSum,
    export::{ExportManifest, ExportSpool, ExportedFile, FORMAT, MANIFEST},
    former_names::{self, FORMER_FORMAT},
};
use crate::{
    domain::intake::photo_upload,
    platform::{
        error::{Error, Result},
        storage::{Storage, StorageError},
        zip_stream::{ZipChunk, ZipStream},
    },
};

const README: &str = include_str!("README.txt");
/// Limit of one entry: far more than a part of a table or an upload has.
const MAX_ENTRY_BYTES: u64 = 128 * 1024 * 1024;

/// Time that the reader may take for one piece: the whole archive occupies the disk meanwhile.
const SEND_TIMEOUT: Duration = Duration::from_mins(10);

/// Sends a business's rows and files as one archive. A file that cannot be fetched aborts it, so that a part is not
/// taken for the whole. Fails when something cannot be read, or the receiver is gone.
pub async fn stream_archive(
    spool: ExportSpool,
    storage: &Storage,
    zone: Tz,
    pieces: &Sender<ZipChunk>,
) -> io::Result<()> {
    let (mut packing, mut manifest) = (ZipStream::default(), spool.manifest.clone());
    let at = (manifest.exported_at, zone);
    send_chunk(pieces, packing.add_file("README.txt", at, README.as_bytes())?).await?;
    for entry in spool.entry_names() {
        let text = spool.read_entry(entry).await.map_err(io::Error::other)?;
        send_chunk(pieces, packing.add_file(entry, at, &text)?).await?;
    }
    let files = storage.list_folder(&manifest.org_id.to_string()).await.map_err(io::Error::other)?;
    let mut missing: BTreeSet<String> = spool.named.clone();
    for (key, _) in files.into_iter().filter(|(key, _)| !photo_upload::is_raw_key(key)) {
        let bytes = match storage.get(&key).await {
            Ok(bytes) => bytes,
            // Removed since the list was made; no row has named it for a day.
            Err(StorageError::NotFound) => continue,
            Err(e) => return Err(io::Error::other(e)),
        };
        missing.remove(&key);
        manifest.files.push(ExportedFile { sha256: sha256_hex(&bytes), bytes: bytes.len() as u64, key: key.clone() });
        send_chunk(pieces, packing.add_file(&file_entry_name(&key), at, &bytes)?).await?;
    }
    if !missing.is_empty() {
        tracing::warn!(org = %manifest.org_id, files = missing.len(), "files that rows name are not in the store");
    }
    manifest.missing = missing.into_iter().collect();
    let text = serde_json::to_vec_pretty(&manifest).map_err(io::Error::other)?;
    send_chunk(pieces, packing.add_file(MANIFEST, at, &text)?).await?;
    send_chunk(pieces, packing.finish()?).await
}

async fn send_chunk(pieces: &Sender<ZipChunk>, piece: Bytes) -> io::Result<()> {
    let sent = tokio::time::timeout(SEND_TIMEOUT, pieces.send(Ok(piece))).await;
    sent.map_err(|_| io::ErrorKind::TimedOut)?.map_err(|_| io::ErrorKind::BrokenPipe.into())
}

#[must_use]
pub fn file_entry_name(key: &str) -> String {
    format!("files/{key}")
}

/// As 64 hex characters.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    HashSum::from(hash).to_string()
}

pub struct ExportArchive {
    zip: ZipArchive<File>,
    pub manifest: ExportManifest,
}

impl ExportArchive {
    /// Opens an archive and reads its manifest. It blocks: for programs that do nothing else.
    /// Errors: [`Error::Refused`], in words for the operator, when it is no such archive.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::Refused(format!("{} cannot be opened: {e}", path.display())))?;
        let mut zip = ZipArchive::new(file).map_err(|e| Error::Refused(format!("this is no zip archive: {e}")))?;
        let text = read_zip_entry(&mut zip, MANIFEST)?;
        let mut manifest: ExportManifest = serde_json::from_slice(&text)
            .map_err(|e| Error::Refused(format!("{MANIFEST} is not as this program writes it: {e}")))?;
        if manifest.format == FORMER_FORMAT {
            former_names::rename_tables(&mut manifest);
        } else if manifest.format != FORMAT {
            return Err(Error::Refused(format!(
                "the archive has format {}, this program reads {FORMAT}",
                manifest.format
            )));
        }
        Ok(Self { zip, manifest })
    }

    /// Errors: [`Error::Refused`] when it is missing or damaged.
    pub fn read_entry(&mut self, entry: &str) -> Result<Vec<u8>> {
        read_zip_entry(&mut self.zip, entry)
    }

    /// A file of the business, verified by its hash.
    /// Errors: [`Error::Refused`] when it is missing or another.
    pub fn read_file(&mut self, stored: &ExportedFile) -> Result<Vec<u8>> {
        let bytes = self.read_entry(&file_entry_name(&stored.key))?;
        if bytes.len() as u64 == stored.bytes && sha256_hex(&bytes) == stored.sha256 {
            return Ok(bytes);
        }
        Err(Error::Refused(format!("the file {} is not the one that was packed", stored.key)))
    }
}

fn read_zip_entry(zip: &mut ZipArchive<File>, entry: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let damaged = |e: &dyn std::fmt::Display| Error::Refused(format!("{entry} cannot be read: {e}"));
    match zip.by_name(entry) {
        // Limited by our maximum and not by the stated size: a few bytes can expand to terabytes.
        Ok(found) => found.take(MAX_ENTRY_BYTES + 1).read_to_end(&mut bytes).map_err(|e| damaged(&e))?,
        Err(ZipError::FileNotFound) => return Err(Error::Refused(format!("{entry} is not in the archive"))),
        Err(e) => return Err(damaged(&e)),
    };
    if bytes.len() as u64 > MAX_ENTRY_BYTES {
        return Err(Error::Refused(format!("{entry} is larger than anything that this program packs")));
    }
    Ok(bytes)
}
