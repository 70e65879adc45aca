//! How much waits in the queue, by state, and since when.

use chrono::{DateTime, Utc};

use super::lane::Lane;
use crate::platform::{
    db::{AsConn, q},
    error::Result,
    id::OrgId,
};

/// So many of the line are asked how long they have waited.
const LOOKED_AT: i64 = 500;

/// One reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Due later, or due and not looked at yet.
    pub scheduled: i64,
    /// In the line.
    pub due: i64,
    /// Behind the five of their business that are in the line.
    pub parked: i64,
    pub running: i64,
    pub dead: i64,
}

impl Depth {
    #[must_use]
    pub fn ready(&self) -> i64 {
        self.scheduled + self.due + self.parked
    }
}

/// Each state has an index of its own.
pub async fn read(conn: &mut dyn AsConn) -> Result<Depth> {
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
    Ok(Depth { scheduled, due, parked, running, dead })
}

/// Since when the task waits that has waited longest, among those at the head of the line and those not looked at yet.
pub async fn oldest_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>> {
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
             ORDER BY turn_at, id LIMIT $1) AS line",
        LOOKED_AT
    )?;
    Ok(match (arrived, in_line) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    })
}

/// Since when the message of a business waits that is next in the line.
pub async fn oldest_message_of(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let mut oldest = None;
    for lane in [Lane::Text, Lane::Email] {
        let sql =
            "SELECT MIN(run_at) FROM task WHERE org_id = $1 AND lane = $2 AND status = 'ready' AND queue_state = 'due'";
        let first = q!(&mut *conn, fetch_one scalar Option<DateTime<Utc>>, sql, org, lane)?;
        oldest = [oldest, first].into_iter().flatten().min();
    }
    Ok(oldest)
}

/// Whose tasks at the head of the line have waited since before that instant.
pub async fn businesses_waiting_since(conn: &mut dyn AsConn, before: DateTime<Utc>) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "SELECT DISTINCT org_id FROM (SELECT org_id, run_at FROM task WHERE status = 'ready' AND queue_state = 'due'
             ORDER BY turn_at, id LIMIT $1) AS line WHERE org_id IS NOT NULL AND run_at < $2",
        LOOKED_AT,
        before
    )?)
}
