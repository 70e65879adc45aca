//! Facts in the database about the queue, its workers and the messages of a business.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use super::{SendBlocks, StoreWrites, WorkerMetrics};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q},
    error::Result,
    id::OrgId,
    live,
    tasks::depth,
};

/// Period in which failures count.
const RECENT_WINDOW: Duration = Duration::hours(24);
/// Period in which a last success is looked for.
const HISTORY_WINDOW: Duration = Duration::days(30);

/// Age up to which a waiting message may still leave.
const WAITING_WINDOW: Duration = Duration::days(2);

/// Waiting messages are counted up to this number.
pub(super) const WAITING_COUNTED: i64 = 1_000;

/// A live worker signs within this time.
const WORKER_ALIVE_WITHIN: Duration = Duration::minutes(2);

#[derive(Clone, Debug, Default, FromRow)]
pub struct SystemFacts {
    pub worker_seen: Option<DateTime<Utc>>,
    /// Deviation of a live worker's clock, where it is above the limit.
    pub clock_off_ms: Option<i64>,
    /// Due time of the task that has waited longest.
    #[sqlx(skip)]
    pub oldest_due: Option<DateTime<Utc>>,
    pub oldest_lease: Option<DateTime<Utc>>,
    pub last_done: Option<DateTime<Utc>>,
    /// Tasks of this org that stopped for good lately.
    pub dead: i64,
    pub last_request: Option<DateTime<Utc>>,
    pub last_answer: Option<DateTime<Utc>>,
    pub last_asked: Option<DateTime<Utc>>,
    /// When the newest job was booked.
    pub last_booked: Option<DateTime<Utc>>,
    pub last_job_message: Option<DateTime<Utc>>,
    pub failed_texts: i64,
    pub failed_emails: i64,
    /// Messages whose delivery is unknown, however old.
    pub in_doubt: i64,
    /// Last recount of the figures; none before the first full count.
    pub counted_at: Option<DateTime<Utc>>,
    pub last_report: Option<DateTime<Utc>>,
    /// Days that this recount found wrong, and corrected.
    pub days_wrong: Option<i64>,
    /// Reasons that block all messages to customers, from `send_blocks`.
    #[sqlx(skip)]
    pub held: SendBlocks,
    /// Messages that are to leave now and have not; counted to 1,001 at most.
    pub waiting: i64,
    pub waiting_since: Option<DateTime<Utc>>,
    #[sqlx(skip)]
    pub writes: StoreWrites,
}

impl SystemFacts {
    /// Last activity of the job tracker: the newest booked job, or a later message about a visit.
    pub(super) fn last_job_activity(&self) -> Option<DateTime<Utc>> {
        self.last_booked.max(self.last_job_message)
    }
}

pub async fn record_heartbeat(db: &Db, origin: &ClockRng, worker: &str, figures: &WorkerMetrics) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "INSERT INTO worker_heartbeat (worker, seen_at, figures) VALUES ($1, $2, $3)
         ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, figures = excluded.figures",
        worker,
        origin.now(),
        Json(figures)
    )?;
    tx.commit().await
}

/// Orderly stop of a worker. Its last sign stays and shows since when there is none.
pub async fn record_worker_stopped(db: &Db, origin: &ClockRng, worker: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "UPDATE worker_heartbeat SET stopped_at = $1 WHERE worker = $2", origin.now(), worker)?;
    tx.commit().await
}

/// Whether a worker has signed lately, and was not stopped since.
pub async fn is_worker_alive(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM worker_heartbeat WHERE seen_at > $1 AND stopped_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, now - WORKER_ALIVE_WITHIN)?)
}

/// A copy of the database keeps the signs of workers that run elsewhere, or no more.
pub async fn delete_copied_heartbeats(tx: &mut Tx) -> Result<()> {
    q!(tx, execute, "DELETE FROM worker_heartbeat")?;
    Ok(())
}

pub async fn prune_heartbeats(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM worker_heartbeat WHERE seen_at < $1", now - HISTORY_WINDOW)?;
    tx.commit().await
}

pub async fn load_system_facts(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<SystemFacts> {
    let oldest_due = depth::find_oldest_due(&mut *conn, now).await?;
    let facts = q!(
        conn,
        fetch_one as SystemFacts,
        "SELECT
             (SELECT MAX(seen_at) FROM worker_heartbeat) AS worker_seen,
             (SELECT MAX(clock_off_ms) FROM worker_heartbeat WHERE stopped_at IS NULL AND seen_at > $5) AS clock_off_ms,
             (SELECT MIN(lease_until) FROM task WHERE status = 'running') AS oldest_lease,
             (SELECT finished_at FROM task WHERE status = 'done' ORDER BY finished_at DESC LIMIT 1) AS last_done,
             (SELECT COUNT(*) FROM task WHERE org_id = $1 AND status = 'dead' AND finished_at >= $2) AS dead,
             (SELECT MAX(at) FROM lead_inquiry WHERE org_id = $1) AS last_request,
             (SELECT MAX(sent_at) FROM message WHERE org_id = $1 AND id >= $3
                 AND kind IN ('auto_reply', 'missed_call', 'text_reply')) AS last_answer,
             (SELECT MAX(asked_at) FROM review_request WHERE org_id = $1 AND asked_at IS NOT NULL) AS last_asked,
             (SELECT created_at FROM job WHERE org_id = $1 ORDER BY id DESC LIMIT 1) AS last_booked,
             (SELECT MAX(sent_at) FROM message WHERE org_id = $1 AND id >= $3
                 AND kind IN ('visit', 'on_the_way')) AS last_job_message,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $4 AND channel = 'sms'
                 AND status IN ('failed', 'unknown')) AS failed_texts,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $4 AND channel = 'email'
                 AND status IN ('failed', 'unknown')) AS failed_emails,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'unknown') AS in_doubt,
             delayed.waiting, delayed.waiting_since,
             (SELECT MAX(made_at) FROM pulse WHERE org_id = $1 AND outcome IN ('sent', 'late')) AS last_report,
             (SELECT counted_at FROM metric_recount WHERE org_id = $1) AS counted_at,
             (SELECT days_wrong FROM metric_check WHERE org_id = $1 ORDER BY id DESC LIMIT 1) AS days_wrong
         FROM (SELECT COUNT(*) AS waiting, MIN(oldest.due_since) AS waiting_since FROM (
             SELECT CASE WHEN rate_limit_stage > 0 THEN COALESCE(resent_at, created_at) ELSE next_attempt_at END AS due_since
             FROM message WHERE org_id = $1 AND id >= $6 AND direction = 'out' AND status = 'queued'
                 AND (next_attempt_at <= $7 OR rate_limit_stage > 0) ORDER BY id LIMIT $8) AS oldest) AS delayed",
        org,
        now - RECENT_WINDOW,
        // Ids sort by time, and messages of one org are found by them.
        live::min_id_at(now - HISTORY_WINDOW),
        live::min_id_at(now - RECENT_WINDOW),
        now - WORKER_ALIVE_WITHIN,
        live::min_id_at(now - WAITING_WINDOW),
        now,
        WAITING_COUNTED + 1
    )?;
    Ok(SystemFacts { oldest_due, ..facts })
}
