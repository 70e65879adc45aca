//! Photos of requests and jobs that are past their period.

use chrono::{DateTime, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{BATCH, PurgeContext, RetentionRun, batch_cursor, record_progress};
use crate::{
    domain::tenancy::storage_quota,
    ops::retention::files::{self, FileLocation},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{FileId, LeadId, OrgId, PhotoId},
    },
};

/// A photo of a request or of a job stays while work of the request runs, and for the period after its end; while an
/// invoice is not settled; and while a message that carries it waits. `$1` is the business, `$2` the cutoff, `p` the
/// row.
macro_rules! unless_needed {
    () => {
        "NOT EXISTS (SELECT 1 FROM job j WHERE j.org_id = $1 AND j.lead_id = p.lead_id
                 AND (j.status IN ('scheduled', 'in_progress')
                     OR COALESCE(j.completed_at, j.cancelled_at, j.updated_at) >= $2))
             AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.org_id = $1 AND i.lead_id = p.lead_id
                 AND i.status IN ('draft', 'preparing', 'open'))
             AND NOT EXISTS (SELECT 1 FROM message_file x JOIN message m ON m.org_id = x.org_id AND m.id = x.message_id
                 WHERE x.org_id = $1 AND x.file_id = p.id AND m.status IN ('queued', 'held', 'sending'))"
    };
}

#[derive(FromRow)]
struct ExpiredPhotoRow {
    id: Uuid,
    created_at: DateTime<Utc>,
    is_file: bool,
}

pub(in crate::ops::retention) async fn count_photos(
    conn: &mut dyn AsConn,
    org: OrgId,
    cutoff: DateTime<Utc>,
) -> Result<i64> {
    let sql = concat!(
        "SELECT (SELECT COUNT(*) FROM photo p WHERE p.org_id = $1 AND p.created_at < $2 AND ",
        unless_needed!(),
        ") + (SELECT COUNT(*) FROM file p WHERE p.org_id = $1 AND p.kind = 'photo' AND p.removed_at IS NULL
             AND p.created_at < $2 AND ",
        unless_needed!(),
        ")"
    );
    Ok(q!(conn, fetch_one scalar i64, sql, org, cutoff)?)
}

pub(super) async fn purge_photos(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
) -> Result<(u64, bool)> {
    let (at, id) = batch_cursor(run);
    let sql = concat!(
        "SELECT p.id, p.created_at, FALSE AS is_file FROM photo p
         WHERE p.org_id = $1 AND p.created_at < $2 AND (p.created_at, p.id) > ($3, $4) AND ",
        unless_needed!(),
        " ORDER BY p.created_at, p.id LIMIT $5"
    );
    let mut conn = ctx.db.acquire_reader().await?;
    let mut old = q!(&mut conn, fetch_all as ExpiredPhotoRow, sql, run.org_id, cutoff, at, id, BATCH)?;
    let sql = concat!(
        "SELECT p.id, p.created_at, TRUE AS is_file FROM file p
         WHERE p.org_id = $1 AND p.kind = 'photo' AND p.removed_at IS NULL AND p.created_at < $2
             AND (p.created_at, p.id) > ($3, $4) AND ",
        unless_needed!(),
        " ORDER BY p.created_at, p.id LIMIT $5"
    );
    old.extend(q!(&mut conn, fetch_all as ExpiredPhotoRow, sql, run.org_id, cutoff, at, id, BATCH)?);
    drop(conn);
    // Both lists share one cursor: the part of the longer one beyond it comes with the next batch.
    old.sort_by_key(|one| (one.created_at, one.id));
    let is_over = old.len() < usize::try_from(BATCH).unwrap_or(usize::MAX);
    old.truncate(usize::try_from(BATCH).unwrap_or(usize::MAX));
    let removed = remove_photos(ctx, run, cutoff, &old).await?;
    Ok((removed, is_over))
}

type DeletedPhoto = (LeadId, i64, String, Option<String>);

async fn remove_photos(
    ctx: &PurgeContext<'_>,
    run: &mut RetentionRun,
    cutoff: DateTime<Utc>,
    old: &[ExpiredPhotoRow],
) -> Result<u64> {
    let org = run.org_id;
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(org);
    let (mut removed, mut freed) = (0, 0);
    for one in old {
        let gone = if one.is_file {
            mark_file_photo_removed(&mut tx, ctx.origin, org, cutoff, one.id).await?
        } else {
            delete_photo(&mut tx, org, cutoff, one.id).await?
        };
        // Needed again meanwhile, or removed already.
        let Some((_, bytes, full, thumb)) = gone else { continue };
        for key in std::iter::once(full).chain(thumb) {
            files::schedule_deletion(&mut tx, org, FileLocation::Store, &key, ctx.origin.now() + ctx.keep_files)
                .await?;
        }
        removed += 1;
        freed += bytes;
    }
    if freed > 0 {
        storage_quota::release_bytes(&mut tx, org, freed).await?;
    }
    let cursor = old.last().map(|one| (one.created_at, one.id));
    record_progress(&mut tx, ctx.origin, run, cursor, removed).await?;
    tx.commit().await?;
    Ok(removed)
}

/// A photo that came with a form or a text is deleted whole.
async fn delete_photo(tx: &mut Tx, org: OrgId, cutoff: DateTime<Utc>, id: Uuid) -> Result<Option<DeletedPhoto>> {
    let sql = concat!(
        "DELETE FROM photo AS p WHERE p.org_id = $1 AND p.created_at < $2 AND p.id = $3 AND ",
        unless_needed!(),
        " RETURNING lead_id, bytes, full_key, thumb_key"
    );
    let gone = q!(&mut *tx, fetch_optional as DeletedPhoto, sql, org, cutoff, PhotoId(id))?;
    if let Some((lead, ..)) = &gone {
        let sql = "UPDATE lead SET photo_count = photo_count - 1 WHERE org_id = $1 AND id = $2 AND photo_count > 0";
        q!(&mut *tx, execute, sql, org, *lead)?;
    }
    Ok(gone)
}

/// The row of a work photo stays, without its caption.
async fn mark_file_photo_removed(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    cutoff: DateTime<Utc>,
    id: Uuid,
) -> Result<Option<DeletedPhoto>> {
    let sql = concat!(
        "UPDATE file AS p SET removed_at = $4, name = 'Removed', caption = NULL
         WHERE p.org_id = $1 AND p.created_at < $2 AND p.id = $3 AND p.kind = 'photo' AND p.removed_at IS NULL AND ",
        unless_needed!(),
        " RETURNING lead_id, bytes, full_key, thumb_key"
    );
    Ok(q!(tx, fetch_optional as DeletedPhoto, sql, org, cutoff, FileId(id), origin.now())?)
}
