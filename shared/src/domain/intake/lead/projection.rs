//! Columns of a request that follow from records of other domains.

use chrono::{DateTime, Utc};

use super::{NewPhoto, PipelineStage};
use crate::platform::{
    db::{Tx, batch::Insert, batch_row, q},
    error::{Error, Result},
    id::{LeadId, OrgId, PhotoId, TouchId},
    money::Cents,
};

/// Locks the lead until the transaction ends.
pub(crate) async fn lock_stage(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<PipelineStage> {
    let sql = "UPDATE lead SET stage = stage WHERE org_id = $1 AND id = $2 RETURNING stage";
    q!(tx, fetch_optional scalar PipelineStage, sql, org, lead)?.ok_or(Error::NotFound)
}

pub(crate) async fn store_stage(tx: &mut Tx, org: OrgId, lead: LeadId, stage: PipelineStage) -> Result<()> {
    q!(tx, execute, "UPDATE lead SET stage = $3 WHERE org_id = $1 AND id = $2", org, lead, stage)?;
    Ok(())
}

pub(crate) async fn store_visit_time(
    tx: &mut Tx,
    org: OrgId,
    lead: LeadId,
    scheduled_at: Option<DateTime<Utc>>,
) -> Result<()> {
    q!(tx, execute, "UPDATE lead SET scheduled_at = $3 WHERE org_id = $1 AND id = $2", org, lead, scheduled_at)?;
    Ok(())
}

pub(crate) async fn store_quoted_amount(tx: &mut Tx, org: OrgId, lead: LeadId, quoted: Option<Cents>) -> Result<()> {
    q!(tx, execute, "UPDATE lead SET quoted_cents = $3 WHERE org_id = $1 AND id = $2", org, lead, quoted)?;
    Ok(())
}

/// A request needs attention while one of its messages failed or may have failed.
pub(crate) async fn refresh_attention(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE lead SET needs_attention = EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1 AND m.lead_id = $2
             AND m.status IN ('failed', 'unknown'))
         WHERE org_id = $1 AND id = $2 AND needs_attention <> EXISTS (SELECT 1 FROM message m WHERE m.org_id = $1
             AND m.lead_id = $2 AND m.status IN ('failed', 'unknown'))",
        org,
        lead
    )?;
    Ok(())
}

pub(crate) async fn add_photos(tx: &mut Tx, org: OrgId, lead: LeadId, count: i64) -> Result<()> {
    let sql = "UPDATE lead SET photo_count = photo_count + $3 WHERE org_id = $1 AND id = $2";
    q!(tx, execute, sql, org, lead, count)?;
    Ok(())
}

pub(crate) async fn subtract_photo(tx: &mut Tx, org: OrgId, lead: LeadId) -> Result<()> {
    let sql = "UPDATE lead SET photo_count = photo_count - 1 WHERE org_id = $1 AND id = $2 AND photo_count > 0";
    q!(tx, execute, sql, org, lead)?;
    Ok(())
}

/// Row of a photo that was counted when its upload began.
pub(crate) fn build_uploaded_photo(
    org: OrgId,
    (lead, touch): (LeadId, TouchId),
    (position, created_at): (i64, DateTime<Utc>),
    photo: &NewPhoto,
) -> Insert<'_> {
    batch_row!(photo {
        org_id: org,
        id: photo.id,
        lead_id: lead,
        inquiry_id: touch,
        position,
        original_name: photo.original_name.as_str(),
        width: i64::from(photo.width),
        height: i64::from(photo.height),
        bytes: i64::try_from(photo.bytes).unwrap_or(i64::MAX),
        full_key: photo.full_key.as_str(),
        thumb_key: photo.thumb_key.as_str(),
        created_at,
    })
}

/// Deletes a photo's row and returns its request and its bytes.
/// Errors: [`Error::NotFound`] when there is none.
pub(crate) async fn delete_photo(tx: &mut Tx, org: OrgId, id: PhotoId) -> Result<(LeadId, i64)> {
    let sql = "DELETE FROM photo WHERE org_id = $1 AND id = $2 RETURNING lead_id, bytes";
    let found = q!(&mut *tx, fetch_optional as (LeadId, i64), sql, org, id)?.ok_or(Error::NotFound)?;
    subtract_photo(tx, org, found.0).await?;
    Ok(found)
}
