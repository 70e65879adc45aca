//! The removal of many old rows, a slice at a time: each slice is a transaction of its own, so that other writers
//! wait for one slice at most.

use chrono::{DateTime, Utc};

use super::{Db, Engine, qb};
use crate::platform::error::Result;

/// Rows of one slice.
const SLICE: u64 = 500;

/// Removes the rows of `table` that match `what`, which ends with the column that must lie before `limit`:
/// `delete_older(db, "live_event", "at", limit)`. Returns how many went.
pub async fn delete_older(db: &Db, table: &'static str, what: &'static str, limit: DateTime<Utc>) -> Result<u64> {
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
    // By its place a row is found at once, whatever the key of the table.
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
