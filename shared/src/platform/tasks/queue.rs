//! The worker's side of the queue after the claim: keep, finish, rescue, prune.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, Utc};

pub use super::claim::{admit, claim, unstall};
use super::{Claimed, End, MAX_ATTEMPTS, admission, backoff, lane::Share, most_attempts};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, q, qb},
    error::Result,
    id::TaskId,
};

/// A task that ended this many workers, each time running alone, is a poison pill (trust requirement 15).
const MAX_CRASHES: i64 = 3;
/// Unless something else ends workers, too: every task that was charged a crash and then ran to its end within this
/// time proves that, and asks for one crash more, up to as many as a task has tries.
const INNOCENCE: Duration = Duration::hours(1);

/// Records that a suspect's run begins. Only suspects pay for this write. Returns false when the task was taken from
/// this worker meanwhile and must not run.
pub async fn begin(db: &Db, worker: &str, task: &Claimed) -> Result<bool> {
    let mut tx = db.begin().await?;
    let is_ours = q!(
        &mut tx,
        execute,
        "UPDATE task SET begun = TRUE WHERE id = $1 AND fence = $2 AND locked_by = $3 AND status = 'running'",
        task.id,
        task.fence,
        worker
    )?;
    tx.commit().await?;
    Ok(is_ours == 1)
}

/// Records how tasks ended. A task that was taken from this worker meanwhile (its fence has moved on) is left alone.
pub async fn finish(db: &Db, origin: &Origin, worker: &str, ends: &[(Claimed, End)]) -> Result<()> {
    if ends.is_empty() {
        return Ok(());
    }
    let now = origin.now();
    let mut tx = db.begin().await?;
    let done: Vec<&Claimed> = ends.iter().filter(|(_, end)| *end == End::Done).map(|(task, _)| task).collect();
    // Short lists, so that the statement's text repeats and stays prepared.
    for few in done.chunks(32) {
        mark_done(&mut tx, now, worker, few).await?;
    }
    for (task, end) in ends {
        match end {
            End::Done => {}
            End::Again(_) if task.attempts >= most_attempts(task.kind) => bury(&mut tx, now, worker, task, end).await?,
            End::Again(why) => {
                put_back(&mut tx, now + backoff(task.attempts, &origin.entropy), worker, task, why).await?;
            }
            End::Dead(_) => bury(&mut tx, now, worker, task, end).await?,
        }
    }
    let shares: BTreeSet<Share> = ends.iter().filter_map(|(task, _)| task.share()).collect();
    let shares: Vec<Share> = shares.into_iter().collect();
    admission::refill(&mut tx, &shares).await?;
    tx.commit().await
}

async fn mark_done(tx: &mut Tx, now: DateTime<Utc>, worker: &str, tasks: &[&Claimed]) -> Result<()> {
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

/// It ran and its worker lived, so it is no suspect any more.
async fn put_back(tx: &mut Tx, run_at: DateTime<Utc>, worker: &str, task: &Claimed, why: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE task SET status = 'ready', queue_state = 'scheduled', suspect = FALSE, locked_by = NULL, lease_until = NULL,
             run_at = $1, turn_at = $1, last_error = $2
         WHERE id = $3 AND fence = $4 AND locked_by = $5 AND status = 'running'",
        run_at,
        why,
        task.id,
        task.fence,
        worker
    )?;
    Ok(())
}

async fn bury(tx: &mut Tx, now: DateTime<Utc>, worker: &str, task: &Claimed, end: &End) -> Result<()> {
    let (End::Again(why) | End::Dead(why)) = end else { return Ok(()) };
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

/// A sign of life: what this worker holds is its own until now + `lease`.
///
/// Not all that bears its name: a claim whose commit was cut off may stand in the table though no worker knows of it.
/// That lease runs out, and [`rescue`] takes the task back.
pub async fn keep(db: &Db, origin: &Origin, worker: &str, lease: Duration, held: &[TaskId]) -> Result<()> {
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

/// Takes back what dead workers held. Returns how many tasks are ready, done or dead because of it.
///
/// Whose fault a death was cannot be told from what was held: a worker that is killed, or ended by one bad task, takes
/// up to 256 innocent ones with it. So a death makes all of them suspects and is charged to none. A suspect runs alone
/// ([`claim`]) and has its beginning recorded ([`begin`]); only a worker that dies then is charged, and only to it. A
/// true pill ends three workers that way and is dead; a neighbour is acquitted by its first run; one that was merely
/// claimed, however often, is charged nothing and has lost no try. What was charged goes behind all whose turn
/// was before: if workers die soon after their start, the blame goes round, and not always on whoever is first in line.
///
/// The task of a message that stands in `sending` is never dead: its next run calls no provider and only settles the
/// message as in doubt.
pub async fn rescue(db: &Db, origin: &Origin) -> Result<u64> {
    let now = origin.now();
    let mut conn = db.read().await?;
    let lost = q!(&mut conn, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM task WHERE status = 'running' AND lease_until < $1)", now)?;
    if !lost {
        return Ok(0);
    }
    let most = (MAX_CRASHES + innocents(&mut conn, now).await?).min(MAX_ATTEMPTS);
    drop(conn);
    let mut tx = db.begin().await?;
    let over = end_settled(&mut tx, now).await?;
    let behind = behind_all(&mut tx, now).await?;
    let taken = q!(
        &mut tx,
        execute,
        "UPDATE task SET
             status = CASE WHEN begun AND crashes + 1 >= $2 AND NOT (kind IN ('send_message', 'send_email') AND EXISTS (SELECT 1 FROM message m
                 WHERE m.id = task.subject_id AND m.status = 'sending')) THEN 'dead' ELSE 'ready' END,
             finished_at = CASE WHEN begun AND crashes + 1 >= $2 AND NOT (kind IN ('send_message', 'send_email') AND EXISTS (SELECT 1
                 FROM message m WHERE m.id = task.subject_id AND m.status = 'sending')) THEN $1 ELSE NULL END,
             crashes = CASE WHEN begun THEN crashes + 1 ELSE crashes END,
             attempts = CASE WHEN begun THEN attempts ELSE attempts - 1 END,
             turn_at = CASE WHEN begun THEN $3 ELSE turn_at END,
             queue_state = 'due', suspect = TRUE, locked_by = NULL, lease_until = NULL, fence = fence + 1,
             last_error = 'the worker died holding this task'
         WHERE status = 'running' AND lease_until < $1",
        now,
        most,
        behind
    )?;
    tx.commit().await?;
    Ok(over + taken)
}

/// Who holds tasks beside `worker`, and has not let a lease run out.
pub async fn other_holders(conn: &mut dyn AsConn, worker: &str, now: DateTime<Utc>) -> Result<Vec<String>> {
    Ok(q!(
        conn,
        fetch_all scalar String,
        "SELECT DISTINCT locked_by FROM task WHERE status = 'running' AND lease_until >= $1 AND locked_by <> $2",
        now,
        worker
    )?)
}

/// Ends the leases of a worker that is known to be dead: [`rescue`] takes its tasks back at once.
pub async fn end_leases(db: &Db, now: DateTime<Utc>, dead: &str) -> Result<()> {
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

/// The turn behind all that stand in the line.
async fn behind_all(tx: &mut Tx, now: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let sql = "SELECT turn_at FROM task WHERE status = 'ready' AND queue_state = 'due' ORDER BY turn_at DESC LIMIT 1";
    let last = q!(tx, fetch_optional scalar DateTime<Utc>, sql)?;
    Ok(last.map_or(now, |last| last.max(now) + Duration::milliseconds(1)))
}

/// How many tasks were lately charged with a worker's death they had no part in: they have run to their end since.
async fn innocents(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE crashes > 0 AND status = 'done' AND finished_at > $1 LIMIT $2) AS innocent",
        now - INNOCENCE,
        MAX_ATTEMPTS
    )?)
}

/// A message that reached its end needs no further run, and so no run alone either.
async fn end_settled(tx: &mut Tx, now: DateTime<Utc>) -> Result<u64> {
    Ok(q!(
        tx,
        execute,
        "UPDATE task SET status = 'done', finished_at = $1, locked_by = NULL, lease_until = NULL, fence = fence + 1
         WHERE status = 'running' AND lease_until < $1 AND kind IN ('send_message', 'send_email')
           AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = task.subject_id AND m.status IN ('queued', 'sending'))",
        now
    )?)
}

/// Gives back what this worker still holds: at the end of a shutdown, so that the next one need not wait for leases.
/// What was given back is not a try that failed.
pub async fn release(db: &Db, worker: &str) -> Result<u64> {
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
