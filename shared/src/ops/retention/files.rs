//! Files whose rows are gone: their bytes are removed after the transaction, and one that cannot be removed is tried again.

use std::{io::ErrorKind, path::Path};

use chrono::{DateTime, Duration, Utc};

use crate::{
    domain::work::file,
    platform::{
        clock::Origin,
        db::{Db, Tx, q},
        error::Result,
        id::OrgId,
        storage::Storage,
    },
};

/// Files of one look.
const AT_ONCE: i64 = 500;
const LONGEST_PAUSE: Duration = Duration::hours(6);
/// Where letters lie that were written while no mail server was set up, each under its id.
const LETTERS: &str = "mail";

/// Where a file lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Place {
    Store,
    Mail,
}

/// Notes that a file is to be deleted, in the transaction that removes what names it.
pub async fn note(tx: &mut Tx, org: OrgId, place: Place, name: &str, due_at: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO file_to_delete (org_id, place, name, due_at, tries) VALUES ($1, $2, $3, $4, 0)
         ON CONFLICT (org_id, place, name) DO NOTHING";
    q!(tx, execute, sql, org, place, name, due_at)?;
    Ok(())
}

/// Deletes what is due. Returns how many are deleted and how many could not be.
pub async fn delete_due(db: &Db, origin: &Origin, storage: &Storage, data_dir: &Path) -> Result<(usize, usize)> {
    let sql = "SELECT org_id, place, name, tries FROM file_to_delete WHERE due_at <= $1 ORDER BY due_at LIMIT $2";
    let due = q!(&mut db.read().await?, fetch_all as (OrgId, Place, String, i64), sql, origin.now(), AT_ONCE)?;
    let (mut done, mut failed) = (0, 0);
    for (org, place, name, tries) in due {
        if delete(db, origin, storage, data_dir, (place, &name)).await? {
            let mut tx = db.begin().await?;
            let sql = "DELETE FROM file_to_delete WHERE org_id = $1 AND place = $2 AND name = $3";
            q!(&mut tx, execute, sql, org, place, &name)?;
            tx.commit().await?;
            done += 1;
        } else {
            again(db, origin, org, place, &name, tries).await?;
            failed += 1;
        }
    }
    Ok((done, failed))
}

/// Whether it is gone, or another row names it and it is to stay.
async fn delete(
    db: &Db,
    origin: &Origin,
    storage: &Storage,
    data_dir: &Path,
    (place, name): (Place, &str),
) -> Result<bool> {
    if place == Place::Mail {
        let gone = tokio::fs::remove_file(data_dir.join(LETTERS).join(name)).await;
        return Ok(gone.is_ok() || gone.is_err_and(|e| e.kind() == ErrorKind::NotFound));
    }
    // Removed rows do not hold it back: those are what it is deleted for.
    if file::is_named(&mut db.read().await?, name, origin.now()).await? {
        return Ok(true);
    }
    let deleted = storage.delete(name).await;
    if let Err(e) = &deleted {
        tracing::warn!(error = %e, "a file could not be deleted; it is tried again");
    }
    Ok(deleted.is_ok())
}

async fn again(db: &Db, origin: &Origin, org: OrgId, place: Place, name: &str, tries: i64) -> Result<()> {
    let pause = Duration::minutes(1_i64 << tries.clamp(0, 9)).min(LONGEST_PAUSE);
    let mut tx = db.begin().await?;
    let sql = "UPDATE file_to_delete SET tries = tries + 1, due_at = $4
         WHERE org_id = $1 AND place = $2 AND name = $3";
    q!(&mut tx, execute, sql, org, place, name, origin.now() + pause)?;
    tx.commit().await
}
