//! Removal of many old rows in slices, one transaction each, so that other writers wait for one slice at most.

use chrono::{DateTime, Utc};

use super::{Db, Engine, qb};
use crate::error::Result;

/// Rows of one transaction.
pub const SLICE: u64 = 500;

/// Removes rows of `table` matching `what`, which ends with the column that must be before `limit`, and returns their
/// number: `delete_older_than(db, "stripe_event", "received_at", limit)`.
pub async fn delete_older_than(db: &Db, table: &'static str, what: &'static str, limit: DateTime<Utc>) -> Result<u64> {
    let mut gone = 0;
    loop {
        let slice = delete_slice(db, table, what, limit).await?;
        gone += slice;
        if slice < SLICE {
            return Ok(gone);
        }
    }
}

async fn delete_slice(db: &Db, table: &'static str, what: &'static str, limit: DateTime<Utc>) -> Result<u64> {
    // The physical row id is found without an index, whatever the table's key.
    let (chosen, end) = match db.engine() {
        Engine::Sqlite => ("rowid IN (SELECT rowid FROM ", ")"),
        Engine::Postgres => ("ctid = ANY(ARRAY(SELECT ctid FROM ", "))"),
    };
    let mut tx = db.begin().await?;
    let gone = qb!(&mut tx, execute, |b| {
        b.push("DELETE FROM ").push(table).push(" WHERE ").push(chosen).push(table).push(" WHERE ").push(what);
        b.push(" < ").push_bind(limit).push(" LIMIT ").push(SLICE).push(end);
    })?;
    tx.commit().await?;
    Ok(gone)
}
