//! Files of a backup. A file that the last backup has under the same key is linked and not copied: the content under a
//! key never changes, since keys are made of ids.

use std::{collections::BTreeMap, path::Path};

use super::{BackedUpFile, CompletedBackup, FILES, disk};
use crate::{
    ops::tenant_data::archive::sha256_hex,
    platform::{
        error::Result,
        storage::{Storage, StorageError},
    },
};

/// Copies all files, or lists them where the store is a bucket.
pub(super) async fn copy_stored_files(
    storage: &Storage,
    to: &Path,
    before: Option<&CompletedBackup>,
) -> Result<BTreeMap<String, BackedUpFile>> {
    disk::create_private_dir(to).await?;
    let mut kept = BTreeMap::new();
    for (key, bytes) in storage.list_all().await? {
        if storage.is_bucket() {
            kept.insert(key, BackedUpFile { bytes, sha256: None });
        } else if let Some(file) = copy_file(storage, &key, bytes, (to, before)).await? {
            kept.insert(key, file);
        }
    }
    disk::sync_dir(to).await?;
    Ok(kept)
}

/// None when it was removed meanwhile.
async fn copy_file(
    storage: &Storage,
    key: &str,
    bytes: u64,
    (to, before): (&Path, Option<&CompletedBackup>),
) -> Result<Option<BackedUpFile>> {
    let path = to.join(key);
    let folder = path.parent().unwrap_or(to);
    if !tokio::fs::try_exists(folder).await.is_ok_and(|there| there) {
        disk::create_private_dir(folder).await?;
    }
    if let Some(same) = link_unchanged_file(key, bytes, &path, before).await {
        return Ok(Some(same));
    }
    let found = match storage.get(key).await {
        Ok(found) => found,
        Err(StorageError::NotFound) => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    disk::write_private_file(&path, &found).await?;
    Ok(Some(BackedUpFile { bytes: found.len() as u64, sha256: Some(sha256_hex(&found)) }))
}

/// Links the file of the last backup, where it exists and the disk supports it. It is read first: a corrupted byte
/// would spoil all later backups, while the store still has the intact file.
async fn link_unchanged_file(
    key: &str,
    bytes: u64,
    path: &Path,
    before: Option<&CompletedBackup>,
) -> Option<BackedUpFile> {
    let before = before?;
    let same = before.manifest.files.get(key).filter(|kept| kept.bytes == bytes && kept.sha256.is_some())?;
    let old = before.folder.join(FILES).join(key);
    let found = disk::compute_file_checksum(&old).await.ok()?;
    if found.bytes != same.bytes || same.sha256.as_ref() != Some(&found.sha256) {
        tracing::warn!(file = %old.display(), "a file of the last backup is damaged; it is copied again");
        return None;
    }
    tokio::fs::hard_link(old, path).await.ok()?;
    Some(same.clone())
}
