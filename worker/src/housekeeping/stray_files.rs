//! Stray files: stored files that no row names, and databases that a restore set aside.

use shared::{
    domain::{intake::photo_upload, work::file},
    ops::{backup, send_freeze},
    platform::error::Result,
};

use crate::Context;

/// Retention of files that no row names (a failed request, or a removal). In a bucket it extends to the oldest backup:
/// backups do not copy the files of a bucket.
const KEEP_STRAY_FILES: chrono::Duration = chrono::Duration::days(1);

/// Shorter for original photos: they hold the location of the shot.
const KEEP_STRAY_RAW: chrono::Duration = chrono::Duration::hours(1);

/// Removes stored files that no row names. None while the install is frozen: a restored database lacks the files newer
/// than its backup, and the store may be the original install's.
pub async fn remove_stray_files(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    let limit = context.origin.now() - stray_file_retention(context);
    let raw_limit = context.origin.now() - KEEP_STRAY_RAW;
    let mut stray = context.storage.list_older_than(limit).await?;
    let raw = context.storage.list_older_than(raw_limit).await?;
    stray.extend(raw.into_iter().filter(|key| photo_upload::is_raw_key(key)));
    for key in stray {
        let mut conn = context.db.acquire_reader().await?;
        let is_named = file::is_key_referenced(&mut conn, &key, limit).await?;
        drop(conn);
        if !is_named {
            context.storage.delete(&key).await?;
        }
    }
    Ok(())
}

/// Removes databases set aside by a restore that are as old as the oldest backup. None while the install is frozen: it
/// is not yet confirmed that the right backup was restored.
pub async fn remove_set_aside_databases(context: &Context) -> Result<()> {
    if send_freeze::find_freeze(&mut context.db.acquire_reader().await?).await?.is_some() {
        return Ok(());
    }
    // The first path is the database's place before an install moved.
    let mut files = vec![context.data_dir.join(backup::DATABASE)];
    files.extend(context.sqlite_file.clone());
    backup::replaced_database::prune_replaced_databases(&context.backup, &files, context.origin.now()).await
}

pub(super) fn stray_file_retention(context: &Context) -> chrono::Duration {
    if !context.storage.is_bucket() {
        return KEEP_STRAY_FILES;
    }
    // `BACKUP_KEEP` is at most a thousand.
    KEEP_STRAY_FILES * i32::try_from(context.backup.keep + 1).unwrap_or(i32::MAX)
}
