//! Reading a backup back: every page of its database, every file, every key.

use std::path::Path;

use super::{DATABASE, FILES, FORMAT, KEYS, MANIFEST, Manifest, Whole, count, disk};
use crate::platform::{
    db::copy::Copy,
    error::{Error, Result},
};

/// What a backup says it holds.
///
/// # Errors
/// [`Error::Clash`], in words for the operator, when it is none.
pub async fn read_manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    let text =
        tokio::fs::read(&path).await.map_err(|e| Error::Clash(format!("{} cannot be read: {e}", path.display())))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|e| Error::Clash(format!("{MANIFEST} is not as we write it: {e}")))?;
    if manifest.format != FORMAT {
        return Err(Error::Clash(format!("the backup has format {}, this program reads {FORMAT}", manifest.format)));
    }
    Ok(manifest)
}

/// Reads all of a backup, and compares it with what its manifest says.
///
/// # Errors
/// [`Error::Clash`] with the first thing that is not as it was written.
pub async fn verify(folder: &Path) -> Result<Manifest> {
    let manifest = read_manifest(folder).await?;
    is_same(&folder.join(DATABASE), &manifest.database).await?;
    for (name, key) in &manifest.keys {
        is_same(&folder.join(KEYS).join(name), key).await?;
    }
    for (key, kept) in &manifest.files {
        let Some(sha256) = &kept.sha256 else { continue };
        let whole = Whole { bytes: kept.bytes, sha256: sha256.clone() };
        is_same(&folder.join(FILES).join(key), &whole).await?;
    }
    let mut copy = Copy::open(&folder.join(DATABASE)).await?;
    copy.check().await?;
    let rows = count(&mut copy).await?;
    copy.close().await?;
    match rows.iter().find(|(table, rows)| manifest.rows.get(*table) != Some(*rows)) {
        None => Ok(manifest),
        Some((table, rows)) => Err(Error::Clash(format!("{table} has {rows} rows, which is not what was written"))),
    }
}

async fn is_same(path: &Path, wanted: &Whole) -> Result<()> {
    match disk::whole(path).await {
        Ok(found) if found == *wanted => Ok(()),
        Ok(_) => Err(Error::Clash(format!("{} is not what was written", path.display()))),
        Err(Error::Unavailable(why)) => Err(Error::Clash(format!("{} cannot be read: {why}", path.display()))),
        Err(e) => Err(e),
    }
}
