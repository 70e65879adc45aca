//! Redraws the photos that came with forms, by turns of the businesses (`photo_upload::turn`), as many at once as the
//! memory is meant for.
//!
//! A task says that photos wait, not which: whoever has a place goes through the line, and a task that finds all places
//! taken has nothing to do. So a backlog of photos holds no slots of the queue, and no photo waits in a slot.

use std::{sync::Arc, time::Duration};

use shared::{
    domain::intake::{
        lead::NewPhoto,
        photo_upload::{self, Upload, turn},
    },
    platform::{
        error::{Error, Result},
        photo::{self, PhotoError, Processed},
        storage::StorageError,
    },
};
use tokio::time::Instant;

use crate::Context;

/// After this the rest is another task's: well before this one is out of time.
const LONGEST: Duration = Duration::from_mins(1);
/// For one photo: a store that hangs is no fault of the photo's. Both together are less than a task has.
const PATIENCE: Duration = Duration::from_secs(45);

/// Harmless when nothing waits.
pub async fn run(context: &Context) -> Result<()> {
    let until = Instant::now() + LONGEST;
    loop {
        let Ok(place) = context.photo_lines.try_acquire() else { return Ok(()) };
        go_through(context, until).await?;
        drop(place);
        // The task of one that came while the last place was taken has found it so.
        let has_more = turn::has_waiting(&mut context.db.read().await?, context.origin.now()).await?;
        if !has_more {
            return Ok(());
        }
        if Instant::now() >= until {
            return photo_upload::go_on(&context.db, &context.origin).await;
        }
    }
}

async fn go_through(context: &Context, until: Instant) -> Result<()> {
    while Instant::now() < until {
        let Some(upload) = turn::take(&context.db, &context.photo_turns, context.origin.now()).await? else {
            return Ok(());
        };
        let done = tokio::time::timeout(PATIENCE, redraw(context, &upload)).await;
        if let Err(e) = done.unwrap_or_else(|_| Err(Error::Unavailable("a photo took too long".to_owned()))) {
            photo_upload::give_back(&context.db, context.origin.now(), &upload).await?;
            remove_unnamed(context, &upload).await?;
            return Err(e);
        }
        context.announcer.changed();
    }
    Ok(())
}

/// Brings one photo to its end. An error is the store's or the database's.
async fn redraw(context: &Context, upload: &Upload) -> Result<()> {
    if upload.tries > photo_upload::MOST_TRIES {
        return refuse(context, upload, "could not be read").await;
    }
    match context.storage.get(&upload.raw_key).await {
        Ok(raw) => match press(context, raw.to_vec()).await {
            Ok(picture) => keep(context, upload, &picture).await,
            Err(fault) => refuse(context, upload, &fault.to_string()).await,
        },
        Err(StorageError::NotFound) => find_again(context, upload).await,
        Err(e) => Err(e.into()),
    }
}

/// Redraws one picture, off the threads that run tasks: all kinds of tasks share the memory for it.
pub async fn press(context: &Context, bytes: Vec<u8>) -> std::result::Result<Processed, PhotoError> {
    let Ok(slot) = Arc::clone(&context.presses).acquire_owned().await else { return Err(PhotoError::Damaged) };
    let work = tokio::task::spawn_blocking(move || {
        let done = photo::process(&bytes);
        drop(slot);
        done
    });
    // A decoder that panics on a strange file has refused it.
    work.await.unwrap_or(Err(PhotoError::Damaged))
}

/// Puts the files in place before the row that names them. Their names are made of the photo's id: a run that is repeated
/// writes the same ones.
pub async fn keep(context: &Context, upload: &Upload, picture: &Processed) -> Result<()> {
    let photo = named(upload, (picture.width, picture.height), picture.full.len());
    context.storage.put(&photo.full_key, &picture.full).await?;
    context.storage.put(&photo.thumb_key, &picture.thumb).await?;
    finish(context, upload, &photo).await
}

fn named(upload: &Upload, (width, height): (u32, u32), bytes: usize) -> NewPhoto {
    let (org, id) = (upload.org_id, upload.id);
    NewPhoto {
        id,
        original_name: upload.original_name.clone(),
        width,
        height,
        bytes: bytes as u64,
        full_key: format!("{org}/{id}.jpg"),
        thumb_key: format!("{org}/{id}-thumb.jpg"),
    }
}

async fn finish(context: &Context, upload: &Upload, photo: &NewPhoto) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let is_named = photo_upload::finish(&mut tx, &context.origin, upload, photo).await?;
    tx.commit().await?;
    if !is_named {
        // The sender was erased meanwhile.
        remove_files(context, photo).await?;
    }
    forget(context, upload).await;
    Ok(())
}

async fn remove_files(context: &Context, photo: &NewPhoto) -> Result<()> {
    context.storage.delete(&photo.full_key).await?;
    context.storage.delete(&photo.thumb_key).await?;
    Ok(())
}

/// What a run wrote that did not come to its end, of a photo that waits no more and is none of its lead's.
async fn remove_unnamed(context: &Context, upload: &Upload) -> Result<()> {
    let is_gone = photo_upload::is_gone(&mut context.db.read().await?, upload.org_id, upload.id).await?;
    if is_gone { remove_files(context, &named(upload, (0, 0), 0)).await } else { Ok(()) }
}

/// In a backup, a row may be older than the files: what it waits for is done. Else the bytes are lost.
async fn find_again(context: &Context, upload: &Upload) -> Result<()> {
    let photo = named(upload, (0, 0), 0);
    let (full, thumb) = (context.storage.get(&photo.full_key).await, context.storage.get(&photo.thumb_key).await);
    match (full, thumb) {
        (Ok(full), Ok(_)) => match photo::size(&full) {
            Some(size) => finish(context, upload, &named(upload, size, full.len())).await,
            None => refuse(context, upload, "is lost").await,
        },
        (Err(StorageError::NotFound), _) | (_, Err(StorageError::NotFound)) => refuse(context, upload, "is lost").await,
        (Err(e), _) | (_, Err(e)) => Err(e.into()),
    }
}

async fn refuse(context: &Context, upload: &Upload, why: &str) -> Result<()> {
    tracing::warn!(photo = %upload.id, why, "a photo that came with a form was refused");
    let mut tx = context.db.begin().await?;
    photo_upload::refuse(&mut tx, &context.origin, upload, why).await?;
    tx.commit().await?;
    remove_unnamed(context, upload).await?;
    forget(context, upload).await;
    Ok(())
}

/// The bytes as they came go at once; what cannot be removed now is found by the sweep.
async fn forget(context: &Context, upload: &Upload) {
    if let Err(e) = context.storage.delete(&upload.raw_key).await {
        tracing::warn!(photo = %upload.id, cause = %e, "the bytes of a photo could not be removed yet");
    }
}
