//! What an operator's monitoring asks of the database: how much waits, since when, and who works on it. Counts over all
//! businesses, and nothing of any of them.

use chrono::{DateTime, Duration, Utc};

use crate::{
    db::{AsConn, q},
    error::Result,
};

/// A worker gives a sign of life every fifteen seconds.
const ALIVE: Duration = Duration::minutes(1);

/// One reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    pub tasks_ready: i64,
    pub tasks_running: i64,
    pub tasks_dead: i64,
    /// How long the oldest task that is due has waited.
    pub late_seconds: i64,
    pub messages_waiting: i64,
    /// Of which nobody knows whether they arrived.
    pub messages_in_doubt: i64,
    pub webhook_calls_waiting: i64,
    pub workers: i64,
}

/// Reads them. Each count has an index of its own, so that a scrape costs little on a large install.
pub async fn read(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Gauges> {
    let oldest = "SELECT run_at FROM task WHERE status = 'ready' AND run_at <= $1 ORDER BY run_at LIMIT 1";
    let oldest = q!(&mut *conn, fetch_optional scalar DateTime<Utc>, oldest, now)?;
    let workers = "SELECT COUNT(*) FROM worker_sign WHERE seen_at > $1";
    Ok(Gauges {
        tasks_ready: count(conn, "SELECT COUNT(*) FROM task WHERE status = 'ready'").await?,
        tasks_running: count(conn, "SELECT COUNT(*) FROM task WHERE status = 'running'").await?,
        tasks_dead: count(conn, "SELECT COUNT(*) FROM task WHERE status = 'dead' AND finished_at IS NOT NULL").await?,
        late_seconds: oldest.map_or(0, |due| (now - due).num_seconds().max(0)),
        messages_waiting: count(
            conn,
            "SELECT COUNT(*) FROM message WHERE status IN ('queued', 'sending', 'held') AND next_attempt_at IS NOT NULL",
        )
        .await?,
        messages_in_doubt: count(conn, "SELECT COUNT(*) FROM message WHERE status = 'unknown'").await?,
        webhook_calls_waiting: count(conn, "SELECT COUNT(*) FROM hook_call WHERE state = 'waiting'").await?,
        workers: q!(conn, fetch_one scalar i64, workers, now - ALIVE)?,
    })
}

async fn count(conn: &mut dyn AsConn, sql: &'static str) -> Result<i64> {
    Ok(q!(conn, fetch_one scalar i64, sql)?)
}
