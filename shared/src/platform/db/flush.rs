//! Commit that releases its row locks before the flush and returns after it.
//!
//! Writers of one business contend for the same rows (daily figures, end of the audit log) from their last statements
//! to their commit. A PostgreSQL commit normally holds them until its flush ends. Here it releases them without waiting
//! for the flush, and a small second commit waits for the disk. The WAL is sequential, so the first commit is on disk
//! with the second. A process that acts on what it sees in between is covered too: it commits its claim and waits for
//! that flush before any outside call.
//!
//! `SQLite` has one writer and shares the flush by [`super::group_commit`].

use super::{Db, Engine, Tx, q};
use crate::platform::error::Result;

/// On disk when this returns. After an error the outcome is unknown, as with any commit.
pub async fn commit_then_flush(db: &Db, mut tx: Tx) -> Result<()> {
    if db.engine() == Engine::Sqlite {
        return tx.commit().await;
    }
    q!(&mut tx, execute, "SET LOCAL synchronous_commit = off")?;
    tx.commit().await?;
    // Commits a WAL record that touches no row, so that there is a flush to wait for.
    let mut conn = db.acquire_reader().await?;
    q!(&mut conn, execute, "SELECT CAST(pg_logical_emit_message(TRUE, 'toolbox', '') AS TEXT)")?;
    Ok(())
}
