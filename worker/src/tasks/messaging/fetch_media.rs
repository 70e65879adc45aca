//! Fetches the pictures of a text and stores them like a lead's photos.

use shared::{
    domain::{
        intake::lead::NewPhoto,
        messaging::inbound::inbound_media::{self, PendingMedia},
        tenancy::storage_quota,
    },
    platform::{
        error::{Error, Result},
        id::{MessageId, PhotoId},
    },
    providers::SendError,
};

use crate::{Context, tasks::intake::reencode_photos::reencode_photo};

/// Idempotent. The queue retries for a picture that is not available yet.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(waiting) = inbound_media::load_pending_media(&mut conn, id).await? else { return Ok(()) };
    let room = storage_quota::check_quota(&mut conn, waiting.org_id, context.storage_quota).await;
    drop(conn);
    let done = match room {
        Ok(()) => fetch_pictures(context, &waiting).await,
        Err(e) => Err(e),
    };
    match done {
        Err(Error::QuotaFull) => skip_media(context, &waiting).await,
        done => done,
    }
}

async fn skip_media(context: &Context, waiting: &PendingMedia) -> Result<()> {
    let mut tx = context.db.begin().await?;
    inbound_media::discard_pictures(&mut tx, &context.origin, waiting).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn fetch_pictures(context: &Context, waiting: &PendingMedia) -> Result<()> {
    let mut kept = Vec::new();
    for media in waiting.media.iter().filter(|media| media.is_picture()) {
        match context.sms.fetch_media(&media.url).await {
            Ok(file) => kept.extend(store_picture(context, waiting, file.bytes).await?),
            Err(SendError::Retry { reason, .. } | SendError::Unknown { reason }) => {
                return Err(Error::Unavailable(format!("a picture: {reason}")));
            }
            Err(e) => tracing::warn!(message = %waiting.id, error = %e, "a picture that came with a text was refused"),
        }
    }
    let mut tx = context.db.begin().await?;
    inbound_media::store_pictures(&mut tx, &context.origin, waiting, &kept, context.storage_quota).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

/// Redraws a picture and stores its files before their rows; `None` when it is no supported picture.
async fn store_picture(context: &Context, waiting: &PendingMedia, bytes: Vec<u8>) -> Result<Option<NewPhoto>> {
    let Ok(picture) = reencode_photo(context, bytes).await else {
        tracing::warn!(message = %waiting.id, "a picture that came with a text could not be read");
        return Ok(None);
    };
    let (id, org) = (PhotoId(context.origin.uuid_v7()), waiting.org_id);
    let photo = NewPhoto {
        id,
        original_name: format!("text {}.jpg", waiting.created_at.format("%Y-%m-%d")),
        width: picture.width,
        height: picture.height,
        bytes: picture.full.len() as u64,
        full_key: format!("{org}/{id}.jpg"),
        thumb_key: format!("{org}/{id}-thumb.jpg"),
    };
    context.storage.put(&photo.full_key, &picture.full).await?;
    context.storage.put(&photo.thumb_key, &picture.thumb).await?;
    Ok(Some(photo))
}
