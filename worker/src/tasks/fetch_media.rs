//! Fetches the pictures that came with a text, and keeps them as a lead's photos are kept.

use shared::{
    domain::{
        intake::lead::NewPhoto,
        messaging::inbound::pictures::{self, Waiting},
        work::file::quota,
    },
    platform::{
        error::{Error, Result},
        id::{MessageId, PhotoId},
    },
    providers::SendError,
};

use super::redraw_photos::press;
use crate::Context;

/// Runs once; harmless when nothing is left to fetch. A picture that is not there yet is asked for again by the queue.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(waiting) = pictures::waiting(&mut conn, id).await? else { return Ok(()) };
    let room = quota::check(&mut conn, waiting.org_id, context.storage_quota).await;
    drop(conn);
    let done = match room {
        Ok(()) => fetch(context, &waiting).await,
        Err(e) => Err(e),
    };
    match done {
        Err(Error::QuotaFull) => leave_out(context, &waiting).await,
        done => done,
    }
}

async fn leave_out(context: &Context, waiting: &Waiting) -> Result<()> {
    let mut tx = context.db.begin().await?;
    pictures::leave_out(&mut tx, &context.origin, waiting).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

async fn fetch(context: &Context, waiting: &Waiting) -> Result<()> {
    let mut kept = Vec::new();
    for media in waiting.media.iter().filter(|media| media.is_picture()) {
        match context.sms.fetch_media(&media.url).await {
            Ok(file) => kept.extend(keep(context, waiting, file.bytes).await?),
            Err(SendError::Retry { reason, .. } | SendError::Unknown { reason }) => {
                return Err(Error::Unavailable(format!("a picture: {reason}")));
            }
            Err(e) => tracing::warn!(message = %waiting.id, error = %e, "a picture that came with a text was refused"),
        }
    }
    let mut tx = context.db.begin().await?;
    pictures::store(&mut tx, &context.origin, waiting, &kept, context.storage_quota).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

/// Redraws a picture and puts its files in place before the rows that name them; none when it is no picture we show.
async fn keep(context: &Context, waiting: &Waiting, bytes: Vec<u8>) -> Result<Option<NewPhoto>> {
    let Ok(picture) = press(context, bytes).await else {
        tracing::warn!(message = %waiting.id, "a picture that came with a text could not be read");
        return Ok(None);
    };
    let (id, org) = (PhotoId(context.origin.uuid()), waiting.org_id);
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
