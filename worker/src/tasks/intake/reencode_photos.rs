//! Redraws photos of forms, by turns of the businesses (`photo_upload::round_robin`), as many at once as memory allows.
//!
//! A task signals that photos wait, not which: each processes the line while it holds a place, and ends at once when
//! all places are taken. A backlog of photos thus holds no slots of the queue, and no photo waits in a slot.

use std::{sync::Arc, time::Duration};

use shared::{
    domain::intake::{
        lead::NewPhoto,
        photo_upload::{self, PhotoUpload, round_robin},
    },
    platform::{
        error::{Error, Result},
        photo::{self, PhotoError, ProcessedPhoto},
        storage::StorageError,
    },
};
use tokio::time::Instant;

use crate::Context;

/// After this a further task continues: well before this task's timeout.
const LONGEST: Duration = Duration::from_mins(1);
/// Timeout of one photo; a hanging store is not its fault. Both limits together stay below a task's timeout.
const PATIENCE: Duration = Duration::from_secs(45);

pub async fn run(context: &Context) -> Result<()> {
    let until = Instant::now() + LONGEST;
    loop {
        let Ok(place) = context.photo_lines.try_acquire() else { return Ok(()) };
        process_uploads(context, until).await?;
        drop(place);
        // Looked at after releasing the place: the task of a newer photo may have found all places taken.
        let has_more = round_robin::has_waiting(&mut context.db.acquire_reader().await?, context.origin.now()).await?;
        if !has_more {
            return Ok(());
        }
        if Instant::now() >= until {
            return photo_upload::enqueue_redraw(&context.db, &context.origin).await;
        }
    }
}

async fn process_uploads(context: &Context, until: Instant) -> Result<()> {
    while Instant::now() < until {
        let Some(upload) =
            round_robin::claim_next_upload(&context.db, &context.photo_turns, context.origin.now()).await?
        else {
            return Ok(());
        };
        let done = tokio::time::timeout(PATIENCE, process_upload(context, &upload)).await;
        if let Err(e) = done.unwrap_or_else(|_| Err(Error::Unavailable("a photo took too long".to_owned()))) {
            photo_upload::release_after_fault(&context.db, context.origin.now(), &upload).await?;
            remove_unreferenced(context, &upload).await?;
            return Err(e);
        }
        context.announcer.notify_changed();
    }
    Ok(())
}

/// Processes one photo. Errors come from the store or the database.
async fn process_upload(context: &Context, upload: &PhotoUpload) -> Result<()> {
    if upload.tries > photo_upload::MAX_ATTEMPTS {
        return refuse_upload(context, upload, "could not be read").await;
    }
    match context.storage.get(&upload.raw_key).await {
        Ok(raw) => match reencode_photo(context, raw.to_vec()).await {
            Ok(picture) => store_photo(context, upload, &picture).await,
            Err(fault) => refuse_upload(context, upload, &fault.to_string()).await,
        },
        Err(StorageError::NotFound) => recover_finished(context, upload).await,
        Err(e) => Err(e.into()),
    }
}

/// Redraws one picture on a blocking thread; all kinds of tasks share its memory limit.
pub async fn reencode_photo(context: &Context, bytes: Vec<u8>) -> std::result::Result<ProcessedPhoto, PhotoError> {
    let Ok(slot) = Arc::clone(&context.presses).acquire_owned().await else { return Err(PhotoError::Damaged) };
    let work = tokio::task::spawn_blocking(move || {
        let done = photo::reencode_photo(&bytes);
        drop(slot);
        done
    });
    // A decoder panic counts as a refusal of the file.
    work.await.unwrap_or(Err(PhotoError::Damaged))
}

/// Stores the files before the row that names them. Names derive from the photo's id: a repeated run overwrites them.
pub async fn store_photo(context: &Context, upload: &PhotoUpload, picture: &ProcessedPhoto) -> Result<()> {
    let photo = photo_record(upload, (picture.width, picture.height), picture.full.len());
    context.storage.put(&photo.full_key, &picture.full).await?;
    context.storage.put(&photo.thumb_key, &picture.thumb).await?;
    finish_upload(context, upload, &photo).await
}

fn photo_record(upload: &PhotoUpload, (width, height): (u32, u32), bytes: usize) -> NewPhoto {
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

async fn finish_upload(context: &Context, upload: &PhotoUpload, photo: &NewPhoto) -> Result<()> {
    let mut tx = context.db.begin().await?;
    let is_named = photo_upload::finish_upload(&mut tx, &context.origin, upload, photo).await?;
    tx.commit().await?;
    if !is_named {
        // The sender's data was erased meanwhile.
        remove_files(context, photo).await?;
    }
    remove_raw(context, upload).await;
    Ok(())
}

async fn remove_files(context: &Context, photo: &NewPhoto) -> Result<()> {
    context.storage.delete(&photo.full_key).await?;
    context.storage.delete(&photo.thumb_key).await?;
    Ok(())
}

/// Removes files of an unfinished run, if the photo neither waits nor belongs to its lead.
async fn remove_unreferenced(context: &Context, upload: &PhotoUpload) -> Result<()> {
    let is_gone = photo_upload::is_gone(&mut context.db.acquire_reader().await?, upload.org_id, upload.id).await?;
    if is_gone { remove_files(context, &photo_record(upload, (0, 0), 0)).await } else { Ok(()) }
}

/// Original missing: in a restored database the row may be older than the finished files. Otherwise the photo is lost.
async fn recover_finished(context: &Context, upload: &PhotoUpload) -> Result<()> {
    let photo = photo_record(upload, (0, 0), 0);
    let (full, thumb) = (context.storage.get(&photo.full_key).await, context.storage.get(&photo.thumb_key).await);
    match (full, thumb) {
        (Ok(full), Ok(_)) => match photo::jpeg_dimensions(&full) {
            Some(size) => finish_upload(context, upload, &photo_record(upload, size, full.len())).await,
            None => refuse_upload(context, upload, "is lost").await,
        },
        (Err(StorageError::NotFound), _) | (_, Err(StorageError::NotFound)) => {
            refuse_upload(context, upload, "is lost").await
        }
        (Err(e), _) | (_, Err(e)) => Err(e.into()),
    }
}

async fn refuse_upload(context: &Context, upload: &PhotoUpload, why: &str) -> Result<()> {
    tracing::warn!(photo = %upload.id, why, "a photo that came with a form was refused");
    let mut tx = context.db.begin().await?;
    photo_upload::reject_upload(&mut tx, &context.origin, upload, why).await?;
    tx.commit().await?;
    remove_unreferenced(context, upload).await?;
    remove_raw(context, upload).await;
    Ok(())
}

/// Removes the original at once; if that fails, the sweep does it.
async fn remove_raw(context: &Context, upload: &PhotoUpload) {
    if let Err(e) = context.storage.delete(&upload.raw_key).await {
        tracing::warn!(photo = %upload.id, cause = %e, "the bytes of a photo could not be removed yet");
    }
}
