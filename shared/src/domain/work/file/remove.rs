//! Removal of a file: hidden and uncounted at once; the bytes are deleted a day later.

use crate::{
    conflicts::ConflictCode,
    domain::{intake::lead, tenancy::storage_quota},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{FileId, JobId, LeadId, OrgId, PhotoId},
    },
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedFile {
    pub lead: LeadId,
    pub job: Option<JobId>,
}

/// # Errors
/// `NotFound` when the org has no such file; `Conflict` when it is the document of an estimate, invoice or payment, or
/// attached to a waiting message.
pub async fn remove_file(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: FileId) -> Result<RemovedFile> {
    let sql = "UPDATE file SET removed_at = $3 WHERE org_id = $1 AND id = $2 AND removed_at IS NULL
         RETURNING lead_id, job_id, bytes";
    let file = q!(&mut *tx, fetch_optional as (LeadId, Option<JobId>, i64), sql, org, id, origin.now())?;
    let Some((lead, job, bytes)) = file else { return remove_photo(tx, org, id).await };
    if is_attached_document(&mut *tx, org, id).await? {
        return Err(ConflictCode::PaperBelongsToRecord.into_error());
    }
    if is_pending_send(&mut *tx, org, id).await? {
        return Err(ConflictCode::FileAboutToBeSent.into_error());
    }
    storage_quota::release_bytes(tx, org, bytes).await?;
    Ok(RemovedFile { lead, job })
}

/// A photo from a form or a text leaves no row.
async fn remove_photo(tx: &mut Tx, org: OrgId, id: FileId) -> Result<RemovedFile> {
    let (lead, bytes) = lead::delete_photo(&mut *tx, org, PhotoId(id.0)).await?;
    storage_quota::release_bytes(tx, org, bytes).await?;
    Ok(RemovedFile { lead, job: None })
}

async fn is_attached_document(conn: &mut dyn AsConn, org: OrgId, id: FileId) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM estimate WHERE org_id = $1 AND file_id = $2)
             OR EXISTS (SELECT 1 FROM approval WHERE org_id = $1 AND file_id = $2)
             OR EXISTS (SELECT 1 FROM invoice WHERE org_id = $1 AND file_id = $2)
             OR EXISTS (SELECT 1 FROM message_file x JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
                 WHERE x.org_id = $1 AND x.file_id = $2 AND m.kind = 'receipt')",
        org,
        id
    )?)
}

async fn is_pending_send(conn: &mut dyn AsConn, org: OrgId, id: FileId) -> Result<bool> {
    Ok(q!(
        conn,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM message_file x JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
             WHERE x.org_id = $1 AND x.file_id = $2 AND m.status IN ('queued', 'held', 'sending'))",
        org,
        id
    )?)
}
