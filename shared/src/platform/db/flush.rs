//! A commit that lets go of its rows before it is on disk, and returns when it is.
//!
//! Writers of one business wait for the same few rows, its figures of the day and the end of its audit log, from
//! their last statements to their commit. On PostgreSQL a commit holds them until its flush has ended. Here it does not wait
//! for the flush: the next writer goes on, and a small commit of its own waits for the disk. The log is written in order,
//! so what was committed before is on disk with it. That holds too for a process that acts upon what it sees meanwhile: a worker
//! commits its claim, and waits for that, before it calls anybody.
//!
//! `SQLite` has one writer, and shares the flush itself ([`super::group_commit`]).

use super::{Db, Engine, Tx, q};
use crate::platform::error::Result;

/// Commits. When this returns, it is on disk; when it fails nobody knows whether it happened, as with any commit.
pub async fn commit(db: &Db, mut tx: Tx) -> Result<()> {
    if db.engine() == Engine::Sqlite {
        return tx.commit().await;
    }
    q!(&mut tx, execute, "SET LOCAL synchronous_commit = off")?;
    tx.commit().await?;
    // A commit that writes something, so that there is something to wait for; no row is touched.
    let mut conn = db.read().await?;
    q!(&mut conn, execute, "SELECT CAST(pg_logical_emit_message(TRUE, 'toolbox', '') AS TEXT)")?;
    Ok(())
}
