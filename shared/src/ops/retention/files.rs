//! Files whose rows are gone: their bytes are deleted after the transaction, and failures are retried.

use std::{io::ErrorKind, path::Path};

use chrono::{DateTime, Duration, Utc};

use crate::{
    domain::work::file,
    platform::{
        clock::ClockRng,
        db::{Db, Tx, q},
        error::Result,
        id::OrgId,
        storage::Storage,
    },
};

const BATCH_SIZE: i64 = 500;
const MAX_RETRY_DELAY: Duration = Duration::hours(6);
/// Folder of emails written while no mail server was set up, each under its id.
const MAIL_DIR: &str = "mail";

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum FileLocation {
    Store,
    Mail,
}

/// Records a file for deletion, in the transaction that removes its row.
pub async fn schedule_deletion(
    tx: &mut Tx,
    org: OrgId,
    place: FileLocation,
    name: &str,
    due_at: DateTime<Utc>,
) -> Result<()> {
    let sql = "INSERT INTO file_to_delete (org_id, place, name, due_at, tries) VALUES ($1, $2, $3, $4, 0)
         ON CONFLICT (org_id, place, name) DO NOTHING";
    q!(tx, execute, sql, org, place, name, due_at)?;
    Ok(())
}

/// Returns how many were deleted, and how many failed.
pub async fn delete_due_files(
    db: &Db,
    origin: &ClockRng,
    storage: &Storage,
    data_dir: &Path,
) -> Result<(usize, usize)> {
    let sql = "SELECT org_id, place, name, tries FROM file_to_delete WHERE due_at <= $1 ORDER BY due_at LIMIT $2";
    let due = q!(
        &mut db.acquire_reader().await?,
        fetch_all as (OrgId, FileLocation, String, i64),
        sql,
        origin.now(),
        BATCH_SIZE
    )?;
    let (mut done, mut failed) = (0, 0);
    for (org, place, name, tries) in due {
        if delete_file(db, origin, storage, data_dir, (place, &name)).await? {
            let mut tx = db.begin().await?;
            let sql = "DELETE FROM file_to_delete WHERE org_id = $1 AND place = $2 AND name = $3";
            q!(&mut tx, execute, sql, org, place, &name)?;
            tx.commit().await?;
            done += 1;
        } else {
            reschedule_deletion(db, origin, org, place, &name, tries).await?;
            failed += 1;
        }
    }
    Ok((done, failed))
}

/// True when it is deleted, or is to stay because another row names it.
async fn delete_file(
    db: &Db,
    origin: &ClockRng,
    storage: &Storage,
    data_dir: &Path,
    (place, name): (FileLocation, &str),
) -> Result<bool> {
    if place == FileLocation::Mail {
        return Ok(delete_mail_file(data_dir, name).await);
    }
    // Removed rows do not keep it: the deletion is on their behalf.
    if file::is_key_referenced(&mut db.acquire_reader().await?, name, origin.now()).await? {
        return Ok(true);
    }
    let deleted = storage.delete(name).await;
    if let Err(e) = &deleted {
        tracing::warn!(error = %e, "a file could not be deleted; it is tried again");
    }
    Ok(deleted.is_ok())
}

/// True when it is gone.
pub(super) async fn delete_mail_file(data_dir: &Path, name: &str) -> bool {
    let deleted = tokio::fs::remove_file(data_dir.join(MAIL_DIR).join(name)).await;
    deleted.is_ok() || deleted.is_err_and(|e| e.kind() == ErrorKind::NotFound)
}

async fn reschedule_deletion(
    db: &Db,
    origin: &ClockRng,
    org: OrgId,
    place: FileLocation,
    name: &str,
    tries: i64,
) -> Result<()> {
    let pause = Duration::minutes(1_i64 << tries.clamp(0, 9)).min(MAX_RETRY_DELAY);
    let mut tx = db.begin().await?;
    let sql = "UPDATE file_to_delete SET tries = tries + 1, due_at = $4
         WHERE org_id = $1 AND place = $2 AND name = $3";
    q!(&mut tx, execute, sql, org, place, name, origin.now() + pause)?;
    tx.commit().await
}
