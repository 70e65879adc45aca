//! Queue depth by state, and waiting times.

use chrono::{DateTime, Utc};

use super::lane::TaskLane;
use crate::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
};

const SAMPLE_SIZE: i64 = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDepth {
    /// Not due, or due and not yet admitted.
    pub scheduled: i64,
    /// In the line.
    pub due: i64,
    /// Behind the tasks of their business and lane in the line.
    pub parked: i64,
    pub running: i64,
    pub dead: i64,
}

impl QueueDepth {
    #[must_use]
    pub fn ready_count(&self) -> i64 {
        self.scheduled + self.due + self.parked
    }
}

/// Each count uses its own index.
pub async fn load_queue_depth(conn: &mut dyn AsConn) -> Result<QueueDepth> {
    let mut count = [0_i64; 5];
    for (n, sql) in [
        "SELECT COUNT(*) FROM task WHERE status = 'ready' AND queue_state = 'scheduled'",
        "SELECT COUNT(*) FROM task WHERE status = 'ready' AND queue_state = 'due'",
        "SELECT COUNT(*) FROM task WHERE status = 'ready' AND queue_state = 'parked'",
        "SELECT COUNT(*) FROM task WHERE status = 'running'",
        "SELECT COUNT(*) FROM task WHERE status = 'dead'",
    ]
    .into_iter()
    .enumerate()
    {
        count[n] = q!(&mut *conn, fetch_one scalar i64, sql)?;
    }
    let [scheduled, due, parked, running, dead] = count;
    Ok(QueueDepth { scheduled, due, parked, running, dead })
}

/// Start of the longest wait among the head of the line and the unadmitted tasks.
pub async fn find_oldest_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
    let arrived = q!(
        &mut *conn,
        fetch_optional scalar DateTime<Utc>,
        "SELECT run_at FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1 ORDER BY run_at LIMIT 1",
        now
    )?;
    let in_line = q!(
        conn,
        fetch_one scalar Option<DateTime<Utc>>,
        "SELECT MIN(run_at) FROM (SELECT run_at FROM task WHERE status = 'ready' AND queue_state = 'due'
             ORDER BY dispatch_at, id LIMIT $1) AS line",
        SAMPLE_SIZE
    )?;
    Ok(match (arrived, in_line) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    })
}

/// Waiting since when: the business's next message in the line.
pub async fn find_oldest_message(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let mut oldest = None;
    for lane in [TaskLane::Text, TaskLane::Email] {
        let sql =
            "SELECT MIN(run_at) FROM task WHERE org_id = $1 AND lane = $2 AND status = 'ready' AND queue_state = 'due'";
        let first = q!(&mut *conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, lane)?;
        oldest = [oldest, first].into_iter().flatten().min();
    }
    Ok(oldest)
}

pub async fn list_orgs_waiting_since(conn: &mut dyn AsConn, before: DateTime<Utc>) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT DISTINCT org_id FROM (SELECT org_id, run_at FROM task WHERE status = 'ready' AND queue_state = 'due'
             ORDER BY dispatch_at, id LIMIT $1) AS line WHERE org_id IS NOT NULL AND run_at < $2",
        SAMPLE_SIZE,
        before
    )?)
}
