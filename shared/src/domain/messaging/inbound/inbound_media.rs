//! Pictures of a text: fetched from the provider and added to the lead's photos.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, types::Json};

use super::InboundMedia;
use crate::{
    domain::{
        intake::lead::{self, NewPhoto},
        tenancy::storage_quota,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, batch::insert_all, q},
        error::Result,
        id::{LeadId, MessageId, OrgId, TouchId},
        live::{self, Topic},
    },
};

#[derive(Clone, Debug)]
pub struct PendingMedia {
    pub org_id: OrgId,
    pub id: MessageId,
    pub lead_id: LeadId,
    pub created_at: DateTime<Utc>,
    pub media: Vec<InboundMedia>,
}

#[derive(FromRow)]
struct PendingMediaRow {
    org_id: OrgId,
    lead_id: Option<LeadId>,
    created_at: DateTime<Utc>,
    media: Option<Json<Vec<InboundMedia>>>,
}

pub async fn load_pending_media(conn: &mut dyn AsConn, id: MessageId) -> Result<Option<PendingMedia>> {
    let sql = "SELECT org_id, lead_id, created_at, media FROM message WHERE id = $1 AND media IS NOT NULL";
    let row = q!(conn, fetch_optional as PendingMediaRow, sql, id)?;
    Ok(row.and_then(|row| {
        let (lead_id, media) = (row.lead_id?, row.media?.0);
        Some(PendingMedia { org_id: row.org_id, id, lead_id, created_at: row.created_at, media })
    }))
}

/// Stores the fetched pictures with their touch. Idempotent.
///
/// # Errors [`Error::QuotaFull`](crate::platform::error::Error::QuotaFull) when the business would have more than
/// `limit` bytes of files.
pub async fn store_pictures(
    tx: &mut Tx,
    origin: &ClockRng,
    waiting: &PendingMedia,
    kept: &[NewPhoto],
    limit: i64,
) -> Result<()> {
    let (org, lead) = (waiting.org_id, waiting.lead_id);
    let sql = "UPDATE message SET media = NULL WHERE org_id = $1 AND id = $2 AND media IS NOT NULL";
    if q!(&mut *tx, execute, sql, org, waiting.id)? == 0 || kept.is_empty() {
        return Ok(());
    }
    let touch = q!(
        &mut *tx,
        fetch_optional scalar TouchId,
        // A text is stored first and becomes a touch a moment later.
        "SELECT id FROM lead_inquiry WHERE org_id = $1 AND lead_id = $2
         ORDER BY CASE WHEN at >= $3 THEN 0 ELSE 1 END, CASE WHEN at >= $3 THEN at END, at DESC, id LIMIT 1",
        org,
        lead,
        waiting.created_at
    )?;
    let rows =
        lead::build_photo_insert(origin, org, lead, touch.unwrap_or(TouchId(waiting.id.0)), Some(waiting.id), kept);
    insert_all(tx, &[rows]).await?;
    let count = i64::try_from(kept.len()).unwrap_or(i64::MAX);
    lead::add_photos(&mut *tx, org, lead, count).await?;
    live::publish_event(&mut *tx, origin, org, Topic::Message, waiting.id.0, Some(lead.0)).await?;
    storage_quota::reserve_bytes(tx, org, lead::total_photo_bytes(kept), limit).await
}

/// Discards the pictures because the business has no file space left; the conversation says so beside the text.
pub async fn discard_pictures(tx: &mut Tx, origin: &ClockRng, waiting: &PendingMedia) -> Result<()> {
    let pictures = waiting.media.iter().filter(|media| media.is_picture()).count();
    let what = if pictures == 1 { "its picture".to_owned() } else { format!("its {pictures} pictures") };
    let why = (pictures > 0).then(|| format!("without {what}: your file space is full"));
    let sql = "UPDATE message SET media = NULL, reason = COALESCE($3, reason)
         WHERE org_id = $1 AND id = $2 AND media IS NOT NULL";
    if q!(&mut *tx, execute, sql, waiting.org_id, waiting.id, why)? > 0 {
        live::publish_event(tx, origin, waiting.org_id, Topic::Message, waiting.id.0, Some(waiting.lead_id.0)).await?;
    }
    Ok(())
}
