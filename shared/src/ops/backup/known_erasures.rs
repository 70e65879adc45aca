//! Erasures since a backup, by every list in reach. A restore repeats them before the restored install is used.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};

use super::{disk, list_backups, restore::RestoreTarget, sqlite_url};
use crate::{
    ops::{
        erasure::{
            self, ErasureContext,
            list::{LIST_FILE, ListedErasure, add_missing_lines, list_erasures_since, read_sound_lines},
        },
        schema::SCHEMA,
    },
    platform::{
        db::{Db, DbConfig},
        error::Result,
        id::CustomerId,
        secret::SecretKey,
    },
};

pub(super) struct KnownErasures {
    listed: Vec<ListedErasure>,
    /// Of all lists, also about people whom this backup does not know.
    lines: Vec<String>,
    /// Where the list itself was looked for, if it is in none of these folders. The copies in backups know only what was
    /// before each.
    pub without_list: Vec<PathBuf>,
}

impl KnownErasures {
    /// Reads the list in the data folder, in `BACKUP_DIR` and beside the backup, and the copies in all backups there.
    /// Errors: when a list cannot be read, or holds an invalid line.
    pub(super) async fn find_since(folder: &Path, since: DateTime<Utc>, place: &RestoreTarget<'_>) -> Result<Self> {
        let beside = match folder.parent() {
            Some(above) if above.as_os_str().is_empty() => PathBuf::from("."),
            Some(above) => above.to_path_buf(),
            None => folder.to_path_buf(),
        };
        let mut lists = vec![place.data_dir.to_path_buf(), place.backups.to_path_buf(), beside.clone()];
        let mut seen = HashSet::new();
        lists.retain(|folder| seen.insert(folder.clone()));
        let is_found = lists.iter().any(|folder| folder.join(LIST_FILE).exists());
        let without_list = if is_found { Vec::new() } else { lists.clone() };
        lists.push(folder.to_path_buf());
        for above in [place.backups, beside.as_path()] {
            lists.extend(list_backup_folders(above).await);
        }
        let (listed, lines) = (list_erasures_since(&lists, since)?, read_sound_lines(&lists)?);
        Ok(Self { listed, lines, without_list })
    }

    /// Undoes merges of the working copy that join a person to be erased with one who is not.
    pub(super) async fn part_merges(
        &self,
        place: &RestoreTarget<'_>,
        work: &Path,
        secret: &SecretKey,
    ) -> Result<Vec<[CustomerId; 2]>> {
        if self.listed.is_empty() {
            return Ok(Vec::new());
        }
        let db = open_copy(work).await?;
        let parted = erasure::part_unlisted_merges(&erasure_context(place, &db, secret), &self.listed).await;
        close_copy(db, work).await?;
        let parted = parted?;
        for [kept, gone] in &parted {
            tracing::warn!(%kept, %gone, "these were merged in the backup, and only one of them was erased since: parted");
        }
        Ok(parted)
    }

    /// Returns how many records were erased again.
    pub(super) async fn reapply_to(&self, place: &RestoreTarget<'_>, work: &Path, secret: &SecretKey) -> Result<usize> {
        if self.listed.is_empty() {
            return Ok(0);
        }
        let db = open_copy(work).await?;
        let erased = erasure::reapply_erasures(&erasure_context(place, &db, secret), &self.listed).await;
        close_copy(db, work).await?;
        let erased = erased?;
        tracing::info!(people = erased, "erased again whom the backup still knew");
        Ok(erased)
    }

    /// For the next restore: this one may be on a new machine, from a folder that is removed.
    /// Errors: when the list in the data folder cannot be written. `BACKUP_DIR` may be a disk that is not there.
    pub(super) fn copy_to_lists(&self, place: &RestoreTarget<'_>) -> Result<()> {
        add_missing_lines(place.data_dir, &self.lines)?;
        if let Err(e) = add_missing_lines(place.backups, &self.lines) {
            tracing::warn!(folder = %place.backups.display(), error = %e, "the list of erasures here is not complete");
        }
        Ok(())
    }
}

/// None where the folder cannot be read: it need not be ours.
async fn list_backup_folders(above: &Path) -> Vec<PathBuf> {
    let names = list_backups(above).await.unwrap_or_else(|e| {
        tracing::warn!(folder = %above.display(), error = %e, "the backups here could not be listed");
        Vec::new()
    });
    names.into_iter().map(|name| above.join(name)).filter(|folder| folder.is_dir()).collect()
}

async fn open_copy(work: &Path) -> Result<Db> {
    Db::connect_existing(&DbConfig::from_url(&sqlite_url(work)), &SCHEMA).await
}

async fn close_copy(db: Db, work: &Path) -> Result<()> {
    db.close().await;
    disk::remove_sqlite_sidecars(work).await?;
    disk::sync_file(work).await
}

fn erasure_context<'a>(place: &RestoreTarget<'a>, db: &'a Db, secret: &'a SecretKey) -> ErasureContext<'a> {
    ErasureContext {
        db,
        storage: place.storage,
        data_dir: place.data_dir,
        origin: place.origin,
        secret,
        backups: place.backups,
    }
}
