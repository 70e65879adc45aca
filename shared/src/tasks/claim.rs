//! Who gets which task: in the order of turns, five of one business at a time, and a suspect alone.

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

use super::{Claimed, Kind, LONGEST_QUEUE};
use crate::{
    clock::Origin,
    db::{AsConn, Db, Tx, one_at_a_time, qb, skip_locked},
    error::Result,
    id::{OrgId, TaskId},
};

/// So many tasks of one business run at once, over all workers (trust requirement 87): while its provider hangs, the
/// slots left are for the others.
pub const MOST_OF_ONE_BUSINESS: i64 = 5;
/// Claimers that count what runs take turns at this lock.
const COUNTING: i64 = 0x7461_736b;

/// What is claimed, and from whom.
#[derive(Clone, Copy)]
struct Wanted {
    now: DateTime<Utc>,
    is_suspect: bool,
    /// Some business has all it may have: the first in line are no longer the ones to take.
    is_crowded: bool,
    limit: i64,
}

/// Claims up to `limit` due tasks for `worker` until now + `lease`, in the order of their turns.
///
/// One statement decides, so any number of workers may ask at once and each task goes to one of them. A suspect (its
/// worker died holding it) is claimed by a worker that holds nothing else, and while it is held nothing is claimed
/// beside it: if that worker dies too, it is known why. May give fewer than there are; ask again until it is none.
pub async fn claim(db: &Db, origin: &Origin, worker: &str, lease: Duration, limit: i64) -> Result<Vec<Claimed>> {
    let now = origin.now();
    let Some(first) = first_due(&mut db.read().await?, now, worker).await? else {
        return Ok(Vec::new());
    };
    if first.is_frozen {
        return claim_silent(db, worker, (now, now + lease), limit).await;
    }
    if first.must_wait {
        // A suspect whose turn has come holds the turns behind it back, or a busy worker would never be free for it.
        return Ok(Vec::new());
    }
    let limit = if first.is_suspect { 1 } else { limit };
    let wanted = Wanted { now, is_suspect: first.is_suspect, is_crowded: first.is_crowded, limit };
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx, COUNTING).await?;
    let rows = take(&mut tx, wanted, worker, now + lease).await?;
    tx.commit().await?;
    Ok(rows.into_iter().map(into_claimed).collect())
}

/// What may be done while nothing may be sent: it asks no provider and tells nobody.
const SILENT: &str = "('recount', 'take_text', 'seed_demo', 'noop')";

/// The same while the outbox is frozen: what speaks to somebody stays where it is, untouched, until it is released.
async fn claim_silent(
    db: &Db,
    worker: &str,
    (now, until): (DateTime<Utc>, DateTime<Utc>),
    limit: i64,
) -> Result<Vec<Claimed>> {
    let mut tx = db.begin().await?;
    let lock = skip_locked(&mut tx);
    let rows = qb!(&mut tx, fetch_all as Row, |b| {
        b.push("WITH due AS MATERIALIZED (SELECT id FROM task WHERE status = 'ready' AND run_at <= ").push_bind(now);
        b.push(" AND kind IN ").push(SILENT).push(" ORDER BY turn_at, id LIMIT ").push_bind(limit).push(lock);
        b.push(") UPDATE task SET status = 'running', attempts = attempts + 1, fence = fence + 1, begun = FALSE, locked_by = ");
        b.push_bind(worker).push(", lease_until = ").push_bind(until);
        b.push(" WHERE status = 'ready' AND id IN (SELECT id FROM due)");
        b.push(" RETURNING id, org_id, kind, subject_id, attempts, fence, suspect");
    })?;
    tx.commit().await?;
    Ok(rows.into_iter().map(into_claimed).collect())
}

/// The task whose turn it is.
#[derive(Clone, Copy, sqlx::FromRow)]
struct First {
    is_suspect: bool,
    /// The worker must let go of something before it may claim.
    must_wait: bool,
    is_crowded: bool,
    /// Nothing may be sent: [`crate::outbox`].
    is_frozen: bool,
}

/// SQLite knows nothing of how many rows there are and would look through everything a business ever had. What names
/// a column of the small index of what runs, or what waits, is answered from that one: a comparison that excludes
/// nothing, an order, and a bound above all that can run at once.
const BEFORE_ALL: DateTime<Utc> = DateTime::UNIX_EPOCH;
const RUNNING: &str = "(SELECT org_id FROM task WHERE status = 'running' AND org_id IS NOT NULL ORDER BY lease_until LIMIT 10000) AS running";

/// Pushes the CTE `held`: how many tasks of each business run.
macro_rules! push_held {
    ($b:ident) => {
        $b.push("held AS (SELECT org_id, COUNT(*) AS n FROM ").push(RUNNING).push(" GROUP BY org_id)");
    };
}

/// Pushes the CTEs `held` and `due`, where `due` is the first due task of every business that may have another, and of
/// what belongs to none. It steps from business to business through the index, so that ten thousand tasks of one that
/// may have no more cost nothing.
macro_rules! push_one_of_each {
    ($b:ident, $now:expr, $which:expr) => {
        $b.push("WITH RECURSIVE ");
        push_held!($b);
        $b.push(
            ", business AS (
                SELECT (SELECT t.org_id FROM task t WHERE t.status = 'ready' AND t.org_id IS NOT NULL AND t.turn_at > ",
        );
        $b.push_bind(BEFORE_ALL).push(
            " ORDER BY t.org_id LIMIT 1) AS org_id
                UNION ALL
                SELECT (SELECT t.org_id FROM task t WHERE t.status = 'ready' AND t.org_id > business.org_id AND t.turn_at > ",
        );
        $b.push_bind(BEFORE_ALL).push(
            " ORDER BY t.org_id LIMIT 1) FROM business WHERE business.org_id IS NOT NULL
            ), due AS MATERIALIZED (
                SELECT (SELECT t.id FROM task t WHERE t.status = 'ready' AND t.org_id = b.org_id AND t.turn_at <= ",
        );
        $b.push_bind($now + LONGEST_QUEUE).push(" AND t.run_at <= ").push_bind($now).push($which);
        $b.push(
            " ORDER BY t.turn_at LIMIT 1) AS id
                FROM business b LEFT JOIN held h ON h.org_id = b.org_id WHERE b.org_id IS NOT NULL AND COALESCE(h.n, 0) < ",
        );
        $b.push_bind(MOST_OF_ONE_BUSINESS).push(
            " UNION ALL SELECT id FROM (
                SELECT t.id FROM task t WHERE t.status = 'ready' AND t.org_id IS NULL AND t.turn_at <= ",
        );
        $b.push_bind($now + LONGEST_QUEUE).push(" AND t.run_at <= ").push_bind($now).push($which);
        $b.push(" ORDER BY t.turn_at LIMIT 1) AS nobodys)");
    };
}

/// Pushes the CTEs `held` and `due`, where `due` is the first in line, without what would be too many of one business.
macro_rules! push_first_in_line {
    ($b:ident, $now:expr, $which:expr, $limit:expr, $lock:expr) => {
        $b.push("WITH ");
        push_held!($b);
        $b.push(
            ", line AS MATERIALIZED (
                SELECT id, org_id, turn_at FROM task t WHERE status = 'ready' AND turn_at <= ",
        );
        $b.push_bind($now + LONGEST_QUEUE).push(" AND run_at <= ").push_bind($now).push($which);
        $b.push(" ORDER BY turn_at, id LIMIT ").push_bind($limit).push($lock);
        $b.push(
            "), due AS MATERIALIZED (
                SELECT l.id FROM (SELECT id, org_id, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY turn_at, id) AS place FROM line) l
                LEFT JOIN held h ON h.org_id = l.org_id WHERE l.org_id IS NULL OR l.place + COALESCE(h.n, 0) <= ",
        );
        $b.push_bind(MOST_OF_ONE_BUSINESS).push(")");
    };
}

/// Pushes the columns of [`First`].
macro_rules! push_what_it_is {
    ($b:ident, $worker:expr) => {
        $b.push(
            "SELECT suspect AS is_suspect, CASE
                WHEN suspect THEN EXISTS (SELECT 1 FROM task h WHERE h.status = 'running' AND h.locked_by = ",
        );
        $b.push_bind($worker);
        $b.push(") ELSE EXISTS (SELECT 1 FROM task h WHERE h.suspect AND h.status = 'running' AND h.locked_by = ");
        $b.push_bind($worker);
        $b.push(") END AS must_wait, EXISTS (SELECT 1 FROM ").push(RUNNING);
        $b.push(" GROUP BY org_id HAVING COUNT(*) >= ");
        $b.push_bind(MOST_OF_ONE_BUSINESS).push(") AS is_crowded, EXISTS (SELECT 1 FROM outbox_freeze) AS is_frozen");
    };
}

/// Asked before the claim, so that an idle worker only reads: on SQLite a write transaction would wake every watcher.
async fn first_due(conn: &mut dyn AsConn, now: DateTime<Utc>, worker: &str) -> Result<Option<First>> {
    let first = qb!(conn, fetch_optional as First, |b| {
        push_what_it_is!(b, worker);
        b.push(" FROM task t WHERE status = 'ready' AND turn_at <= ").push_bind(now + LONGEST_QUEUE);
        b.push(" AND run_at <= ").push_bind(now).push(" ORDER BY turn_at, id LIMIT 1");
    })?;
    if !first.is_some_and(|first| first.is_crowded) {
        return Ok(first);
    }
    Ok(qb!(conn, fetch_optional as First, |b| {
        push_one_of_each!(b, now, "");
        push_what_it_is!(b, worker);
        b.push(" FROM task t WHERE id IN (SELECT id FROM due) ORDER BY turn_at, id LIMIT 1");
    })?)
}

type Row = (TaskId, Option<OrgId>, String, Option<Uuid>, i64, i64, bool);

async fn take(tx: &mut Tx, wanted: Wanted, worker: &str, until: DateTime<Utc>) -> Result<Vec<Row>> {
    let Wanted { now, is_suspect, is_crowded, limit } = wanted;
    let which = if is_suspect { " AND t.suspect" } else { " AND NOT t.suspect" };
    let lock = skip_locked(tx);
    // What is due is looked up once, before the update: PostgreSQL may run a plain subquery again for every row, and
    // each run would pass over what the last one locked and claim past the limit.
    Ok(qb!(tx, fetch_all as Row, |b| {
        if is_crowded {
            push_one_of_each!(b, now, which);
        } else {
            push_first_in_line!(b, now, which, limit, lock);
        }
        b.push(" UPDATE task SET status = 'running', attempts = attempts + 1, fence = fence + 1, begun = FALSE, locked_by = ");
        b.push_bind(worker).push(", lease_until = ").push_bind(until);
        b.push(" WHERE status = 'ready' AND id IN (SELECT t.id FROM task t WHERE t.id IN (SELECT id FROM due)");
        b.push(" ORDER BY t.turn_at, t.id LIMIT ").push_bind(limit);
        b.push(") RETURNING id, org_id, kind, subject_id, attempts, fence, suspect");
    })?)
}

fn into_claimed((id, org, kind, subject, attempts, fence, is_suspect): Row) -> Claimed {
    let kind = Kind::named(&kind);
    Claimed { id, org, kind, subject, attempts, fence, is_suspect }
}
