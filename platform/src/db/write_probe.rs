//! Small test write that proves that the database accepts writes.

use chrono::{DateTime, Duration, Utc};

use super::{Db, q};
use crate::{clock::ClockRng, error::Result};

/// A process without a proof for this long has ended.
const RETENTION: Duration = Duration::days(1);

/// Updates this process's row. Errors: the error that a writing request would get now.
pub async fn prove_writable(db: &Db, origin: &ClockRng) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "INSERT INTO write_probe (process, proved_at) VALUES ($1, $2)
         ON CONFLICT (process) DO UPDATE SET proved_at = excluded.proved_at",
        i64::from(std::process::id()),
        origin.now()
    )?;
    tx.commit().await
}

/// Test write without a row: for a process whose clock is not verified yet and must not report itself alive. Errors:
/// the error that a claim would get now.
pub async fn attempt_write(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    // Matches no row.
    q!(&mut tx, execute, "DELETE FROM write_probe WHERE process = -1")?;
    tx.commit().await
}

pub async fn prune_proofs(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM write_probe WHERE proved_at < $1", now - RETENTION)?;
    tx.commit().await
}
