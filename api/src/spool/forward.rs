//! Moving photos from the folder into the file store, once it takes them.

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

use super::{failed, remove};
use crate::state::AppState;

/// Between two looks at what lies there; a photo that stays there asks for a look at once.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// What no row names is kept for so long: its form may be under way.
const KEEP_UNNAMED: Duration = Duration::from_hours(1);

/// Moves on what the file store did not take at once. Runs until the process stops.
pub async fn run(state: &AppState) {
    loop {
        if let Err(e) = move_on(state).await {
            tracing::warn!(error = %e, "photos wait on this machine until the file store takes them");
        }
        tokio::select! {
            () = state.spool.news.notified() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = state.until_stopped() => return,
        }
    }
}

/// One look through the folder, the oldest photo first. Returns how many the file store took.
///
/// # Errors
/// When the database or the file store is away: what is left is tried again.
pub async fn move_on(state: &AppState) -> Result<usize> {
    let mut moved = 0;
    let files = files(&state.spool.folder).await?;
    state.spool.forget_all_but(&files.iter().filter_map(|(_, name)| Some(ids_of(name)?.1)).collect());
    for (path, name) in files {
        match ids_of(&name) {
            Some((org, id)) => moved += usize::from(move_one(state, &path, org, id).await?),
            None => remove_if_old(&path).await?,
        }
    }
    Ok(moved)
}

async fn move_one(state: &AppState, path: &Path, org: OrgId, id: PhotoId) -> Result<bool> {
    let Some(db) = state.db_if_ready() else { return Ok(false) };
    // Before the row is looked for: its form may commit in between.
    let was_named = state.spool.is_named(id);
    let mut conn = db.read().await?;
    let is_stored = photo_upload::is_stored(&mut conn, org, id).await?;
    let is_frozen = send_freeze::frozen(&mut conn).await?.is_some();
    drop(conn);
    match is_stored {
        Some(false) => {
            state.spool.note_named(id);
            state.storage.adopt(&photo_upload::raw_key(org, id), path).await?;
            let mut tx = db.begin().await?;
            let waits = photo_upload::stored(&mut tx, &state.origin, org, id).await?;
            tx.commit().await?;
            if !waits {
                // The sender was erased meanwhile.
                state.storage.delete(&photo_upload::raw_key(org, id)).await?;
            }
            state.wake();
            remove(path).await?;
            Ok(waits)
        }
        Some(true) => remove(path).await.map(|()| false),
        // A database that came up from a backup does not know what came after it.
        None if is_frozen => Ok(false),
        // Its wait has ended: the sender was erased.
        None if was_named => remove(path).await.map(|()| false),
        None => remove_if_old(path).await.map(|()| false),
    }
}

async fn remove_if_old(path: &Path) -> Result<()> {
    let age = match tokio::fs::metadata(path).await {
        Ok(found) => found.modified().map_err(|e| failed(&e))?.elapsed().unwrap_or_default(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(failed(&e)),
    };
    if age > KEEP_UNNAMED { remove(path).await } else { Ok(()) }
}

/// What lies there, by the ids of the photos: the oldest first.
async fn files(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let mut entries = match tokio::fs::read_dir(folder).await {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(failed(&e)),
    };
    let mut found = Vec::new();
    while let Some(entry) = entries.next_entry().await.map_err(|e| failed(&e))? {
        let name = entry.file_name().to_string_lossy().into_owned();
        found.push((entry.path(), name));
    }
    found.sort_by(|(_, one), (_, other)| photo_of(one).cmp(photo_of(other)));
    Ok(found)
}

fn ids_of(name: &str) -> Option<(OrgId, PhotoId)> {
    let (org, id) = name.split_once('.')?;
    Some((OrgId(Uuid::parse_str(org).ok()?), PhotoId(Uuid::parse_str(id).ok()?)))
}

fn photo_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(_, id)| id)
}
