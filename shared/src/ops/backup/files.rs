//! The files of a backup. One that the last backup has under the same key is linked and not copied: what lies under a key
//! never changes, since keys are made of ids.

use std::{collections::BTreeMap, path::Path};

use super::{FILES, Kept, Made, disk};
use crate::{
    ops::tenant_data::archive::sha256,
    platform::{
        error::Result,
        storage::{Storage, StorageError},
    },
};

/// Copies all files into a folder, or lists them where the store is a bucket.
pub(super) async fn copy(storage: &Storage, to: &Path, before: Option<&Made>) -> Result<BTreeMap<String, Kept>> {
    disk::make_private_folder(to).await?;
    let mut kept = BTreeMap::new();
    for (key, bytes) in storage.list_all().await? {
        if storage.is_bucket() {
            kept.insert(key, Kept { bytes, sha256: None });
        } else if let Some(file) = copy_one(storage, &key, bytes, (to, before)).await? {
            kept.insert(key, file);
        }
    }
    disk::sync_folder(to).await?;
    Ok(kept)
}

/// None when it was removed meanwhile.
async fn copy_one(
    storage: &Storage,
    key: &str,
    bytes: u64,
    (to, before): (&Path, Option<&Made>),
) -> Result<Option<Kept>> {
    let path = to.join(key);
    let folder = path.parent().unwrap_or(to);
    if !tokio::fs::try_exists(folder).await.is_ok_and(|there| there) {
        disk::make_private_folder(folder).await?;
    }
    if let Some(same) = linked(key, bytes, &path, before).await {
        return Ok(Some(same));
    }
    let found = match storage.get(key).await {
        Ok(found) => found,
        Err(StorageError::NotFound) => return Ok(None),
        Err(e) => return Err(e.into()),
    };
    disk::write(&path, &found).await?;
    Ok(Some(Kept { bytes: found.len() as u64, sha256: Some(sha256(&found)) }))
}

/// The file of the last backup under another name, if it has it and this disk can do that. It is read first: one in which
/// a byte has rotted would spoil every backup from then on, and the store still has the whole one.
async fn linked(key: &str, bytes: u64, path: &Path, before: Option<&Made>) -> Option<Kept> {
    let before = before?;
    let same = before.manifest.files.get(key).filter(|kept| kept.bytes == bytes && kept.sha256.is_some())?;
    let old = before.folder.join(FILES).join(key);
    let found = disk::whole(&old).await.ok()?;
    if found.bytes != same.bytes || same.sha256.as_ref() != Some(&found.sha256) {
        tracing::warn!(file = %old.display(), "a file of the last backup is damaged; it is copied anew");
        return None;
    }
    tokio::fs::hard_link(old, path).await.ok()?;
    Some(same.clone())
}
