//! What an operator's monitoring asks of the database: how much waits, since when, and who works on it. Counts over all
//! businesses, and nothing of any of them.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use crate::{
    ops::system_status::WorkerFigures,
    platform::{
        db::{AsConn, q},
        error::Result,
        tasks::depth::{self, Depth},
    },
};

/// A worker gives a sign of life every fifteen seconds.
const ALIVE: Duration = Duration::minutes(1);

/// One reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauges {
    pub tasks: Depth,
    /// How long the oldest task that is due has waited.
    pub late_seconds: i64,
    pub messages_waiting: i64,
    /// Of which nobody knows whether they arrived.
    pub messages_in_doubt: i64,
    pub webhook_calls_waiting: i64,
    pub workers: i64,
    /// What those that live have done.
    pub figures: WorkerFigures,
}

/// Reads them. Each count has an index of its own, so that a scrape costs little on a large install.
pub async fn read(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Gauges> {
    let oldest = depth::oldest_due(&mut *conn, now).await?;
    let sql = "SELECT figures FROM worker_sign WHERE seen_at > $1 AND stopped_at IS NULL";
    let workers = q!(&mut *conn, fetch_all scalar Option<Json<WorkerFigures>>, sql, now - ALIVE)?;
    let figures = workers.iter().flatten().fold(WorkerFigures::default(), |sum, one| sum.and(one.0));
    Ok(Gauges {
        tasks: depth::read(&mut *conn).await?,
        late_seconds: oldest.map_or(0, |due| (now - due).num_seconds().max(0)),
        messages_waiting: count(
            conn,
            "SELECT COUNT(*) FROM message WHERE status IN ('queued', 'sending', 'held') AND next_attempt_at IS NOT NULL",
        )
        .await?,
        messages_in_doubt: count(conn, "SELECT COUNT(*) FROM message WHERE status = 'unknown'").await?,
        webhook_calls_waiting: count(conn, "SELECT COUNT(*) FROM hook_call WHERE state = 'waiting'").await?,
        workers: i64::try_from(workers.len()).unwrap_or(i64::MAX),
        figures,
    })
}

async fn count(conn: &mut dyn AsConn, sql: &'static str) -> Result<i64> {
    Ok(q!(conn, fetch_one scalar i64, sql)?)
}
