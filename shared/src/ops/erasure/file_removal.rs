//! Files of one person: photos, documents, uploads that wait, and emails that were written as files.

use std::io::ErrorKind;

use uuid::Uuid;

use super::{ErasureContext, begin_secure_delete};
use crate::{
    domain::intake::photo_upload::pending_bytes,
    ops::tenant_data::export::map_io_error,
    platform::{
        db::q,
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Folder of emails written while no mail server was set up, each under its id.
const MAIL_DIR: &str = "mail";

/// Ends pending photo uploads before the photos are listed: none becomes a photo after that. A worker that processes
/// one finds its row gone, and removes what it wrote.
pub(super) async fn discard_pending_uploads(ctx: &ErasureContext<'_>, org: OrgId, customer: CustomerId) -> Result<i64> {
    let sql = "SELECT u.raw_key FROM photo_upload u JOIN lead l ON l.org_id = u.org_id AND l.id = u.lead_id
        WHERE u.org_id = $1 AND l.customer_id = $2";
    let keys = q!(&mut ctx.db.acquire_reader().await?, fetch_all scalar String, sql, org, customer)?;
    for key in keys {
        ctx.storage.delete(&key).await?;
    }
    let mut tx = begin_secure_delete(ctx).await?;
    tx.guard_writable(org);
    let sql = "DELETE FROM photo_upload WHERE org_id = $1
        AND lead_id IN (SELECT id FROM lead WHERE org_id = $1 AND customer_id = $2) RETURNING raw_key, bytes";
    let ended = q!(&mut tx, fetch_all as (String, i64), sql, org, customer)?;
    pending_bytes::subtract_bytes(&mut tx, org, ended.iter().map(|(_, bytes)| bytes).sum()).await?;
    tx.commit().await?;
    // The file store may have received one in between.
    for (key, _) in &ended {
        ctx.storage.delete(key).await?;
    }
    Ok(i64::try_from(ended.len()).unwrap_or(i64::MAX))
}

/// Removes photos, documents and emails. Their rows follow; a failed removal is retried.
pub(super) async fn remove_files(ctx: &ErasureContext<'_>, org: OrgId, customer: CustomerId) -> Result<i64> {
    let mut conn = ctx.db.acquire_reader().await?;
    let sql = "SELECT p.full_key, p.thumb_key FROM photo p JOIN lead l ON l.org_id = p.org_id AND l.id = p.lead_id
        WHERE p.org_id = $1 AND l.customer_id = $2
        UNION ALL SELECT f.full_key, f.thumb_key FROM file f JOIN lead l ON l.org_id = f.org_id AND l.id = f.lead_id
        WHERE f.org_id = $1 AND l.customer_id = $2";
    let keys = q!(&mut conn, fetch_all as (String, Option<String>), sql, org, customer)?;
    let sql = "SELECT m.id FROM message m WHERE m.org_id = $1 AND m.customer_id = $2 AND m.channel = 'email'
        UNION SELECT m.id FROM message m JOIN lead l ON l.org_id = m.org_id AND l.id = m.lead_id
        WHERE m.org_id = $1 AND l.customer_id = $2 AND m.channel = 'email'";
    let letters = q!(&mut conn, fetch_all scalar Uuid, sql, org, customer)?;
    drop(conn);
    for id in letters {
        remove_letter(ctx, id).await?;
    }
    let mut removed = 0;
    for (full, thumb) in keys {
        for key in std::iter::once(full).chain(thumb) {
            ctx.storage.delete(&key).await?;
        }
        removed += 1;
    }
    Ok(removed)
}

/// Removes an email that was written as a file.
pub(super) async fn remove_letter(ctx: &ErasureContext<'_>, id: Uuid) -> Result<()> {
    match tokio::fs::remove_file(ctx.data_dir.join(MAIL_DIR).join(format!("{id}.eml"))).await {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(map_io_error(&e)),
        _ => Ok(()),
    }
}
