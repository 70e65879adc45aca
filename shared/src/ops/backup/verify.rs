//! Verification of a backup: every page of its database, every file, every key.

use std::path::Path;

use super::{BackupManifest, DATABASE, FILES, FORMAT, FileChecksum, KEYS, MANIFEST, count_table_rows, disk};
use crate::{
    ops::erasure::list::LIST_FILE,
    platform::{
        db::copy::SqliteCopy,
        error::{Error, Result},
    },
};

/// [`Error::Refused`], in words for the operator, when it is no backup.
pub async fn read_manifest(folder: &Path) -> Result<BackupManifest> {
    let path = folder.join(MANIFEST);
    let text =
        tokio::fs::read(&path).await.map_err(|e| Error::Refused(format!("{} cannot be read: {e}", path.display())))?;
    let manifest: BackupManifest =
        serde_json::from_slice(&text).map_err(|e| Error::Refused(format!("{MANIFEST} is not as we write it: {e}")))?;
    if manifest.format != FORMAT {
        return Err(Error::Refused(format!("the backup has format {}, this program reads {FORMAT}", manifest.format)));
    }
    Ok(manifest)
}

/// Reads all of a backup, and compares it with what its manifest says.
/// Errors: [`Error::Refused`] with the first thing that is not as it was written.
pub async fn verify_backup(folder: &Path) -> Result<BackupManifest> {
    let manifest = read_manifest(folder).await?;
    verify_file_checksum(&folder.join(DATABASE), &manifest.database).await?;
    for (name, key) in &manifest.keys {
        verify_file_checksum(&folder.join(KEYS).join(name), key).await?;
    }
    if let Some(list) = &manifest.erasures {
        verify_file_checksum(&folder.join(LIST_FILE), list).await?;
    }
    for (key, kept) in &manifest.files {
        let Some(sha256) = &kept.sha256 else { continue };
        let whole = FileChecksum { bytes: kept.bytes, sha256: sha256.clone() };
        verify_file_checksum(&folder.join(FILES).join(key), &whole).await?;
    }
    let mut copy = SqliteCopy::open(&folder.join(DATABASE)).await?;
    copy.check_integrity().await?;
    let rows = count_table_rows(&mut copy).await?;
    copy.close().await?;
    match rows.iter().find(|(table, rows)| manifest.rows.get(*table) != Some(*rows)) {
        None => Ok(manifest),
        Some((table, rows)) => Err(Error::Refused(format!("{table} has {rows} rows, which is not what was written"))),
    }
}

async fn verify_file_checksum(path: &Path, wanted: &FileChecksum) -> Result<()> {
    match disk::compute_file_checksum(path).await {
        Ok(found) if found == *wanted => Ok(()),
        Ok(_) => Err(Error::Refused(format!("{} is not what was written", path.display()))),
        Err(Error::Unavailable(why)) => Err(Error::Refused(format!("{} cannot be read: {why}", path.display()))),
        Err(e) => Err(e),
    }
}
