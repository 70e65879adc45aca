//! What the database shows of the queue, its worker and the messages of a business.

use chrono::{DateTime, Duration, Utc};
use sqlx::{FromRow, types::Json};

use super::{Held, WorkerFigures};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, q},
    error::Result,
    id::OrgId,
    live,
    tasks::depth,
};

/// How far back failures count.
const LATELY: Duration = Duration::hours(24);
/// How far back a last success is looked for.
const MEMORY: Duration = Duration::days(30);

/// A worker that lives gives a sign within this time.
const ALIVE: Duration = Duration::minutes(2);

/// What the database shows.
#[derive(Clone, Debug, Default, FromRow)]
pub struct Facts {
    /// The newest sign of life of any worker.
    pub worker_seen: Option<DateTime<Utc>>,
    /// How far the clock of a worker that lives is off, where that is more than it may be.
    pub clock_off_ms: Option<i64>,
    /// Since when the task waits that has waited longest.
    #[sqlx(skip)]
    pub oldest_due: Option<DateTime<Utc>>,
    /// The oldest lease of running work.
    pub oldest_lease: Option<DateTime<Utc>>,
    pub last_done: Option<DateTime<Utc>>,
    /// Work of this org that stopped for good lately.
    pub dead: i64,
    pub last_request: Option<DateTime<Utc>>,
    pub last_answer: Option<DateTime<Utc>>,
    /// When somebody was last asked for a review.
    pub last_asked: Option<DateTime<Utc>>,
    pub failed_texts: i64,
    pub failed_emails: i64,
    /// Messages of which nobody knows whether they arrived, however old.
    pub in_doubt: i64,
    /// When the figures were last counted anew; none until all was counted for the first time.
    pub counted_at: Option<DateTime<Utc>>,
    /// When the owner was last sent a report.
    pub last_report: Option<DateTime<Utc>>,
    /// How many days that count found wrong, and mended.
    pub days_wrong: Option<i64>,
    /// Why nothing leaves for customers, from [`super::held`].
    #[sqlx(skip)]
    pub held: Held,
}

/// A worker gives a sign of life, and says what it has done.
pub async fn sign(db: &Db, origin: &Origin, worker: &str, figures: &WorkerFigures) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "INSERT INTO worker_sign (worker, seen_at, figures) VALUES ($1, $2, $3)
         ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at, figures = excluded.figures",
        worker,
        origin.now(),
        Json(figures)
    )?;
    tx.commit().await
}

/// A worker says that it was stopped in order. Its last sign stays and shows since when there is no worker.
pub async fn sign_off(db: &Db, origin: &Origin, worker: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "UPDATE worker_sign SET stopped_at = $1 WHERE worker = $2", origin.now(), worker)?;
    tx.commit().await
}

/// Whether a worker has lately given a sign of life, and was not stopped since.
pub async fn is_at_work(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM worker_sign WHERE seen_at > $1 AND stopped_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, now - ALIVE)?)
}

/// Forgets workers of which nothing was seen for a month.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM worker_sign WHERE seen_at < $1", now - MEMORY)?;
    tx.commit().await
}

/// Looks at the queue of the install and the messages of the org.
pub async fn facts(conn: &mut dyn AsConn, org: OrgId, now: DateTime<Utc>) -> Result<Facts> {
    let oldest_due = depth::oldest_due(&mut *conn, now).await?;
    let facts = q!(
        conn,
        fetch_one as Facts,
        "SELECT
             (SELECT MAX(seen_at) FROM worker_sign) AS worker_seen,
             (SELECT MAX(clock_off_ms) FROM worker_sign WHERE stopped_at IS NULL AND seen_at > $5) AS clock_off_ms,
             (SELECT MIN(lease_until) FROM task WHERE status = 'running') AS oldest_lease,
             (SELECT finished_at FROM task WHERE status = 'done' ORDER BY finished_at DESC LIMIT 1) AS last_done,
             (SELECT COUNT(*) FROM task WHERE org_id = $1 AND status = 'dead' AND finished_at >= $2) AS dead,
             (SELECT MAX(at) FROM lead_touch WHERE org_id = $1) AS last_request,
             (SELECT MAX(sent_at) FROM message WHERE org_id = $1 AND id >= $3
                 AND kind IN ('auto_reply', 'missed_call', 'text_reply')) AS last_answer,
             (SELECT MAX(asked_at) FROM review_ask WHERE org_id = $1 AND asked_at IS NOT NULL) AS last_asked,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $4 AND channel = 'sms'
                 AND status IN ('failed', 'unknown')) AS failed_texts,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND id >= $4 AND channel = 'email'
                 AND status IN ('failed', 'unknown')) AS failed_emails,
             (SELECT COUNT(*) FROM message WHERE org_id = $1 AND status = 'unknown') AS in_doubt,
             (SELECT MAX(made_at) FROM pulse WHERE org_id = $1 AND outcome IN ('sent', 'late')) AS last_report,
             (SELECT counted_at FROM metric_recount WHERE org_id = $1) AS counted_at,
             (SELECT days_wrong FROM metric_check WHERE org_id = $1 ORDER BY id DESC LIMIT 1) AS days_wrong",
        org,
        now - LATELY,
        // Ids sort by time, and messages of one org are found by them.
        live::floor(now - MEMORY),
        live::floor(now - LATELY),
        now - ALIVE
    )?;
    Ok(Facts { oldest_due, ..facts })
}
