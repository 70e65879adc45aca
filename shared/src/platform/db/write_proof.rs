//! A small write that proves that the database takes writes.

use chrono::{DateTime, Duration, Utc};

use super::{Db, q};
use crate::platform::{clock::Origin, error::Result};

/// A process that has proved nothing for this long is not there any more.
const KEEP: Duration = Duration::days(1);

/// Writes the row of this process, and commits it.
///
/// # Errors
/// What a request that writes would meet now.
pub async fn prove(db: &Db, origin: &Origin) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "INSERT INTO write_proof (process, proved_at) VALUES ($1, $2)
         ON CONFLICT (process) DO UPDATE SET proved_at = excluded.proved_at",
        i64::from(std::process::id()),
        origin.now()
    )?;
    tx.commit().await
}

/// The same without a row: for a process whose clock is not compared yet, and that gives no sign of life before.
///
/// # Errors
/// What a claim would meet now.
pub async fn attempt(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    // No process has such a number.
    q!(&mut tx, execute, "DELETE FROM write_proof WHERE process = -1")?;
    tx.commit().await
}

/// Removes the rows of processes that have ended.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM write_proof WHERE proved_at < $1", now - KEEP)?;
    tx.commit().await
}
