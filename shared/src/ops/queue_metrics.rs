//! Queue metrics for the operator's monitoring: depth, delay and workers, as counts over all businesses.

use chrono::{DateTime, Duration, Utc};
use sqlx::types::Json;

use crate::{
    ops::system_status::WorkerMetrics,
    platform::{
        db::{AsConn, q},
        error::Result,
        tasks::depth::{self, QueueDepth},
    },
};

/// Workers report every fifteen seconds.
const WORKER_ALIVE_WITHIN: Duration = Duration::minutes(1);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueGauges {
    pub tasks: QueueDepth,
    /// Delay of the oldest due task.
    pub late_seconds: i64,
    pub messages_waiting: i64,
    /// Messages whose delivery is unknown.
    pub messages_in_doubt: i64,
    pub webhook_calls_waiting: i64,
    pub workers: i64,
    /// Figures of the live workers.
    pub figures: WorkerMetrics,
}

/// Each count has an index of its own, so that a scrape is cheap on a large install.
pub async fn load_queue_gauges(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<QueueGauges> {
    let oldest = depth::find_oldest_due(&mut *conn, now).await?;
    let sql = "SELECT figures FROM worker_heartbeat WHERE seen_at > $1 AND stopped_at IS NULL";
    let workers = q!(&mut *conn, fetch_all scalar Option<Json<WorkerMetrics>>, sql, now - WORKER_ALIVE_WITHIN)?;
    let figures = workers.iter().flatten().fold(WorkerMetrics::default(), |sum, one| sum.merge_with(one.0));
    Ok(QueueGauges {
        tasks: depth::load_queue_depth(&mut *conn).await?,
        late_seconds: oldest.map_or(0, |due| (now - due).num_seconds().max(0)),
        messages_waiting: count_rows(
            conn,
            "SELECT COUNT(*) FROM message WHERE status IN ('queued', 'sending', 'held') AND next_attempt_at IS NOT NULL",
        )
        .await?,
        messages_in_doubt: count_rows(conn, "SELECT COUNT(*) FROM message WHERE status = 'unknown'").await?,
        webhook_calls_waiting: count_rows(conn, "SELECT COUNT(*) FROM webhook_delivery WHERE state = 'waiting'").await?,
        workers: i64::try_from(workers.len()).unwrap_or(i64::MAX),
        figures,
    })
}

async fn count_rows(conn: &mut dyn AsConn, sql: &'static str) -> Result<i64> {
    Ok(q!(conn, fetch_one scalar i64, sql)?)
}
