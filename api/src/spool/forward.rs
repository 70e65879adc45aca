//! Moves photos from the spool folder into the file store.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use shared::{
    domain::intake::photo_upload,
    ops::send_freeze,
    platform::{
        error::Result,
        id::{OrgId, PhotoId},
    },
};
use uuid::Uuid;

use super::{remove_if_exists, to_storage_error};
use crate::state::AppState;

/// Interval between scans of the folder; a photo that stays there triggers one at once.
const SPOOL_SCAN_INTERVAL: Duration = Duration::from_secs(5);
/// Retention of files that no row names: their form may be under way.
const KEEP_UNNAMED: Duration = Duration::from_hours(1);

pub async fn run_forwarder(state: &AppState) {
    loop {
        if let Err(e) = forward_all(state).await {
            tracing::warn!(error = %e, "photos wait on this machine until the file store takes them");
        }
        tokio::select! {
            () = state.spool.news.notified() => {}
            () = tokio::time::sleep(SPOOL_SCAN_INTERVAL) => {}
            () = state.wait_for_shutdown() => return,
        }
    }
}

/// Scans the folder once, oldest photo first. Returns how many the file store took. Errors: when the database or the
/// file store is away; the rest is tried again.
pub async fn forward_all(state: &AppState) -> Result<usize> {
    let mut moved = 0;
    let files = list_files(&state.spool.folder).await?;
    state.spool.retain_named(&files.iter().filter_map(|(_, name)| Some(parse_ids(name)?.1)).collect());
    for (path, name) in files {
        match parse_ids(&name) {
            Some((org, id)) => moved += usize::from(forward_photo(state, &path, org, id).await?),
            None => remove_if_old(&path).await?,
        }
    }
    Ok(moved)
}

async fn forward_photo(state: &AppState, path: &Path, org: OrgId, id: PhotoId) -> Result<bool> {
    let Some(db) = state.db_if_ready() else { return Ok(false) };
    // Read before the row is looked for: its form may commit in between.
    let was_named = state.spool.is_named(id);
    let mut conn = db.acquire_reader().await?;
    let is_stored = photo_upload::find_is_stored(&mut conn, org, id).await?;
    let is_frozen = send_freeze::find_freeze(&mut conn).await?.is_some();
    drop(conn);
    match is_stored {
        Some(false) => {
            state.spool.mark_named(id);
            state.storage.put_file(&photo_upload::raw_storage_key(org, id), path).await?;
            let mut tx = db.begin().await?;
            let waits = photo_upload::mark_stored(&mut tx, &state.origin, org, id).await?;
            tx.commit().await?;
            if !waits {
                // The sender's data was erased meanwhile.
                state.storage.delete(&photo_upload::raw_storage_key(org, id)).await?;
            }
            state.notify_committed();
            remove_if_exists(path).await?;
            Ok(waits)
        }
        Some(true) => remove_if_exists(path).await.map(|()| false),
        // A restored database lacks the rows created after its backup.
        None if is_frozen => Ok(false),
        // The row is gone: the sender's data was erased.
        None if was_named => remove_if_exists(path).await.map(|()| false),
        None => remove_if_old(path).await.map(|()| false),
    }
}

async fn remove_if_old(path: &Path) -> Result<()> {
    let age = match tokio::fs::metadata(path).await {
        Ok(found) => found.modified().map_err(|e| to_storage_error(&e))?.elapsed().unwrap_or_default(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(to_storage_error(&e)),
    };
    if age > KEEP_UNNAMED { remove_if_exists(path).await } else { Ok(()) }
}

/// Files with their names, oldest first.
async fn list_files(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut entries = match tokio::fs::read_dir(folder).await {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(to_storage_error(&e)),
    };
    let mut found = Vec::new();
    while let Some(entry) = entries.next_entry().await.map_err(|e| to_storage_error(&e))? {
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((entry.path(), name));
    }
    found.sort_by(|(_, one), (_, other)| photo_id_text(one).cmp(photo_id_text(other)));
    Ok(found)
}

fn parse_ids(name: &str) -> Option<(OrgId, PhotoId)> {
    let (org, id) = name.split_once('.')?;
    Some((OrgId(Uuid::parse_str(org).ok()?), PhotoId(Uuid::parse_str(id).ok()?)))
}

fn photo_id_text(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, id)| id)
}
