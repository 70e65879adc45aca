//! Task lifecycle after the claim: heartbeat, finish, rescue, release.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, Utc};

pub use super::claim::{admit_due, claim_due, unstall_lanes};
use super::{ClaimedTask, MAX_ATTEMPTS, TaskOutcome, admission, lane::OrgLane, max_attempts, retry_delay};
use crate::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q, qb},
    error::Result,
    id::TaskId,
};

/// A task during whose lone runs this many workers died is a poison pill (trust requirement 15).
const MAX_CRASHES: i64 = 3;
/// Exception for other causes of worker deaths: each task that was charged a crash and completed within this time
/// raises the limit by one, up to the task's maximum attempts.
const EXONERATION_WINDOW: Duration = Duration::hours(1);

/// Records the start of a quarantined run; only those need this write. Returns false when the task was taken from this
/// worker and must not run.
pub async fn record_start(db: &Db, worker: &str, task: &ClaimedTask) -> Result<bool> {
    let mut tx = db.begin().await?;
    let is_ours = q!(
        &mut tx,
        execute,
        "UPDATE task SET has_started = TRUE WHERE id = $1 AND fence = $2 AND locked_by = $3 AND status = 'running'",
        task.id,
        task.fence,
        worker
    )?;
    tx.commit().await?;
    Ok(is_ours == 1)
}

/// Records outcomes. Tasks taken from this worker meanwhile (the fence has changed) are skipped.
pub async fn record_outcomes(
    db: &Db,
    origin: &ClockRng,
    worker: &str,
    ends: &[(ClaimedTask, TaskOutcome)],
) -> Result<()> {
    if ends.is_empty() {
        return Ok(());
    }
    let now = origin.now();
    let mut tx = db.begin().await?;
    let done: Vec<&ClaimedTask> =
        ends.iter().filter(|(_, end)| *end == TaskOutcome::Done).map(|(task, _)| task).collect();
    // Short lists keep the SQL text constant, so that it stays prepared.
    for few in done.chunks(32) {
        mark_done(&mut tx, now, worker, few).await?;
    }
    for (task, end) in ends {
        match end {
            TaskOutcome::Done => {}
            TaskOutcome::Retry(_) if task.attempts >= max_attempts(task.kind) => {
                mark_dead(&mut tx, now, worker, task, end).await?;
            }
            TaskOutcome::Retry(why) => {
                schedule_retry(&mut tx, now + retry_delay(task.attempts, &origin.entropy), worker, task, why).await?;
            }
            TaskOutcome::Dead(_) => mark_dead(&mut tx, now, worker, task, end).await?,
        }
    }
    let shares: BTreeSet<OrgLane> = ends.iter().filter_map(|(task, _)| task.org_lane()).collect();
    let shares: Vec<OrgLane> = shares.into_iter().collect();
    admission::promote_parked(&mut tx, &shares).await?;
    tx.commit().await
}

async fn mark_done(tx: &mut Tx, now: DateTime<Utc>, worker: &str, tasks: &[&ClaimedTask]) -> Result<()> {
    qb!(tx, execute, |b| {
        b.push(
            "UPDATE task SET status = 'done', locked_by = NULL, lease_until = NULL, last_error = NULL, finished_at = ",
        );
        b.push_bind(now).push(" WHERE status = 'running' AND locked_by = ").push_bind(worker).push(" AND (");
        for (i, task) in tasks.iter().enumerate() {
            b.push(if i == 0 { "(id = " } else { " OR (id = " });
            b.push_bind(task.id).push(" AND fence = ").push_bind(task.fence).push(")");
        }
        b.push(")");
    })?;
    Ok(())
}

/// It ran and its worker survived, so its quarantine ends.
async fn schedule_retry(tx: &mut Tx, run_at: DateTime<Utc>, worker: &str, task: &ClaimedTask, why: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE task SET status = 'ready', queue_state = 'scheduled', is_quarantined = FALSE, locked_by = NULL, lease_until = NULL,
             run_at = $1, dispatch_at = $1, last_error = $2
         WHERE id = $3 AND fence = $4 AND locked_by = $5 AND status = 'running'",
        run_at,
        why,
        task.id,
        task.fence,
        worker
    )?;
    Ok(())
}

async fn mark_dead(tx: &mut Tx, now: DateTime<Utc>, worker: &str, task: &ClaimedTask, end: &TaskOutcome) -> Result<()> {
    let (TaskOutcome::Retry(why) | TaskOutcome::Dead(why)) = end else { return Ok(()) };
    q!(
        tx,
        execute,
        "UPDATE task SET status = 'dead', locked_by = NULL, lease_until = NULL, finished_at = $1, last_error = $2
         WHERE id = $3 AND fence = $4 AND locked_by = $5 AND status = 'running'",
        now,
        why,
        task.id,
        task.fence,
        worker
    )?;
    Ok(())
}

/// Heartbeat: extends the leases of `held` to now + `lease`.
///
/// Only the listed tasks: a claim whose commit result was lost may be in the table without a worker knowing it. That
/// lease expires, and [`reclaim_expired`] takes the task back.
pub async fn renew_leases(db: &Db, origin: &ClockRng, worker: &str, lease: Duration, held: &[TaskId]) -> Result<()> {
    if held.is_empty() {
        return Ok(());
    }
    let until = origin.now() + lease;
    let mut tx = db.begin().await?;
    for few in held.chunks(32) {
        qb!(&mut tx, execute, |b| {
            b.push("UPDATE task SET lease_until = ").push_bind(until);
            b.push(" WHERE status = 'running' AND locked_by = ").push_bind(worker).push(" AND id IN (");
            let mut ids = b.separated(", ");
            for id in few {
                ids.push_bind(*id);
            }
            b.push(")");
        })?;
    }
    tx.commit().await
}

/// Takes back tasks of dead workers. Returns the number of tasks that are ready, done or dead because of it.
///
/// The cause of a death is unknown: a worker killed or crashed by one bad task holds up to 256 innocent ones. So all of
/// them are quarantined and none is charged. A quarantined task runs alone ([`claim_due`]) and records its start
/// ([`record_start`]); only a death during that run is charged, and only to it. A poison pill is dead after three such
/// deaths; an innocent task is cleared by its first run; tasks that were only claimed are charged nothing and lose no
/// attempt. A charged task goes to the end of the line: if workers die soon after their start, the charge does not
/// always hit the first in line.
///
/// The task of a message in `sending` never becomes dead: its next run calls no provider and only marks the message as
/// in doubt.
pub async fn reclaim_expired(db: &Db, origin: &ClockRng) -> Result<u64> {
    let now = origin.now();
    let mut conn = db.acquire_reader().await?;
    let lost = q!(&mut conn, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'running' AND lease_until < $1)", now)?;
    if !lost {
        return Ok(0);
    }
    let most = (MAX_CRASHES + count_exonerated(&mut conn, now).await?).min(MAX_ATTEMPTS);
    drop(conn);
    let mut tx = db.begin().await?;
    let over = finish_settled_messages(&mut tx, now).await?;
    let behind = find_last_turn(&mut tx, now).await?;
    let taken = q!(
        &mut tx,
        execute,
        "UPDATE task SET
             status = CASE WHEN has_started AND crashes + 1 >= $2 AND NOT (kind IN ('send_message', 'send_email') AND EXISTS (SELECT 1 FROM message m
                 WHERE m.id = task.subject_id AND m.status = 'sending')) THEN 'dead' ELSE 'ready' END,
             finished_at = CASE WHEN has_started AND crashes + 1 >= $2 AND NOT (kind IN ('send_message', 'send_email') AND EXISTS (SELECT 1
                 FROM message m WHERE m.id = task.subject_id AND m.status = 'sending')) THEN $1 ELSE NULL END,
             crashes = CASE WHEN has_started THEN crashes + 1 ELSE crashes END,
             attempts = CASE WHEN has_started THEN attempts ELSE attempts - 1 END,
             dispatch_at = CASE WHEN has_started THEN $3 ELSE dispatch_at END,
             queue_state = 'due', is_quarantined = TRUE, locked_by = NULL, lease_until = NULL, fence = fence + 1,
             last_error = 'the worker died holding this task'
         WHERE status = 'running' AND lease_until < $1",
        now,
        most,
        behind
    )?;
    tx.commit().await?;
    Ok(over + taken)
}

pub async fn list_other_workers(conn: &mut dyn AsConn, worker: &str, now: DateTime<Utc>) -> Result<Vec<String>> {
    Ok(q!(
        conn,
        fetch_all scalar String,
        "SELECT DISTINCT locked_by FROM task WHERE status = 'running' AND lease_until >= $1 AND locked_by <> $2",
        now,
        worker
    )?)
}

/// Ends the leases of a dead worker, so that [`reclaim_expired`] takes its tasks back at once.
pub async fn expire_leases(db: &Db, now: DateTime<Utc>, dead: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "UPDATE task SET lease_until = $1 WHERE status = 'running' AND locked_by = $2 AND lease_until >= $1",
        now - Duration::milliseconds(1),
        dead
    )?;
    tx.commit().await
}

async fn find_last_turn(tx: &mut Tx, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let sql =
        "SELECT dispatch_at FROM task WHERE status = 'ready' AND queue_state = 'due' ORDER BY dispatch_at DESC LIMIT 1";
    let last = q!(tx, fetch_optional scalar DateTime<Utc>, sql)?;
    Ok(last.map_or(now, |last| last.max(now) + Duration::milliseconds(1)))
}

/// Tasks recently charged with a crash that have completed since.
async fn count_exonerated(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE crashes > 0 AND status = 'done' AND finished_at > $1 LIMIT $2) AS innocent",
        now - EXONERATION_WINDOW,
        MAX_ATTEMPTS
    )?)
}

/// A task whose message is already final needs no further run, also not alone.
async fn finish_settled_messages(tx: &mut Tx, now: DateTime<Utc>) -> Result<u64> {
    Ok(q!(
        tx,
        execute,
        "UPDATE task SET status = 'done', finished_at = $1, locked_by = NULL, lease_until = NULL, fence = fence + 1
         WHERE status = 'running' AND lease_until < $1 AND kind IN ('send_message', 'send_email')
           AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = task.subject_id AND m.status IN ('queued', 'sending'))",
        now
    )?)
}

/// Releases this worker's tasks at shutdown, so that the next worker need not wait for leases. Does not count as a
/// failed attempt.
pub async fn release_held(db: &Db, worker: &str) -> Result<u64> {
    let mut tx = db.begin().await?;
    let given = q!(
        &mut tx,
        execute,
        "UPDATE task SET status = 'ready', queue_state = 'due', attempts = attempts - 1, locked_by = NULL, lease_until = NULL, fence = fence + 1
         WHERE status = 'running' AND locked_by = $1",
        worker
    )?;
    tx.commit().await?;
    Ok(given)
}
