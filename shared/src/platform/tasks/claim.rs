//! Who gets which task: in the order of turns, so many of one business and lane at a time, and a suspect alone.
//!
//! Claimers take turns at one lock. Each reads what runs, the head of the line, and what has come due since; places what
//! has come ([`super::admission`]); and takes the first that may run. What it reads is bounded by what runs and by its own
//! limits, whatever waits.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    Claimed, Kind,
    admission::{self, Arrival, Placed, QueueState},
    lane::{Lane, PLACES, Share},
};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, one_at_a_time, q, qb, skip_locked},
    error::Result,
    id::{OrgId, TaskId},
};

/// Claimers take turns at this lock.
const COUNTING: i64 = 0x7461_736b;
/// So many tasks that have come due are placed by one claim, beside those it takes.
const ARRIVALS: i64 = 64;
/// So many by one transaction that does nothing else.
const ADMITTED_AT_ONCE: i64 = 200;
/// Rows of the line that are read beyond those that may be blocked: transactions that do not see each other may put more
/// of one lane there than it has places.
const SLACK: i64 = 64;
/// How often a claim that finds nothing to take looks at more of what has come due.
const ROUNDS: usize = 8;

/// Claims up to `limit` due tasks for `worker` until now + `lease`, in the order of their turns.
///
/// Any number of workers may ask at once; each task goes to one of them. A suspect (its worker died holding it) is
/// claimed by a worker that holds nothing else, and while it is held nothing is claimed beside it: if that worker dies
/// too, it is known why. May give fewer than there are; ask again until it is none.
pub async fn claim(db: &Db, origin: &Origin, worker: &str, lease: Duration, limit: i64) -> Result<Vec<Claimed>> {
    let now = origin.now();
    let seen = peek(&mut db.read().await?, now).await?;
    if !seen.has_some {
        return Ok(Vec::new());
    }
    if seen.is_frozen {
        return claim_silent(db, worker, (now, now + lease), limit).await;
    }
    for _ in 0..ROUNDS {
        let mut tx = db.begin().await?;
        one_at_a_time(&mut tx, COUNTING).await?;
        let round = Round { now, worker, until: now + lease, limit };
        let (rows, has_more) = round.take(&mut tx).await?;
        tx.commit().await?;
        if !rows.is_empty() || !has_more {
            return Ok(rows.into_iter().map(into_claimed).collect());
        }
    }
    Ok(Vec::new())
}

/// Places what has come due and waits to be looked at, when that is more than a claim looks at. Returns whether there is
/// more: ask again.
pub async fn admit(db: &Db, origin: &Origin) -> Result<bool> {
    let now = origin.now();
    let sql = "SELECT id FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1
         ORDER BY run_at, id LIMIT 1 OFFSET $2";
    let beyond = q!(&mut db.read().await?, fetch_optional scalar TaskId, sql, now, ARRIVALS)?;
    if beyond.is_none() {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx, COUNTING).await?;
    let head = line(&mut tx, 1).await?.first().map_or(now, |first| first.turn_at);
    let placed = arrivals(&mut tx, now, head, ADMITTED_AT_ONCE).await?;
    admission::store(&mut tx, &placed).await?;
    tx.commit().await?;
    Ok(!placed.is_empty())
}

/// Moves parked tasks up where nothing else will. Returns for how many businesses and lanes.
pub async fn unstall(db: &Db) -> Result<usize> {
    let stalled = admission::stalled(&mut db.read().await?).await?;
    if !stalled.is_empty() {
        let mut tx = db.begin().await?;
        admission::refill(&mut tx, &stalled).await?;
        tx.commit().await?;
    }
    Ok(stalled.len())
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
    let mut conn = db.read().await?;
    let mut due = Vec::new();
    for state in ["scheduled", "due", "parked"] {
        due.extend(qb!(&mut conn, fetch_all scalar TaskId, |b| {
            b.push("SELECT id FROM task WHERE status = 'ready' AND queue_state = '").push(state).push("' AND run_at <= ");
            b.push_bind(now).push(" AND kind IN ").push(SILENT).push(" LIMIT ").push_bind(limit);
        })?);
    }
    drop(conn);
    due.truncate(usize::try_from(limit).unwrap_or_default());
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = db.begin().await?;
    let rows = run(&mut tx, &due, worker, until).await?;
    tx.commit().await?;
    Ok(rows.into_iter().map(into_claimed).collect())
}

/// `SQLite` knows nothing of how many rows there are and would look through everything a business ever had. What names
/// a column of the small index of what runs is answered from that one: an order, and a bound above all that can run.
const RUNNING: &str = "(SELECT org_id, lane, locked_by, suspect FROM task WHERE status = 'running' ORDER BY lease_until LIMIT 10000) AS running";

/// What a claim is asked for.
#[derive(FromRow)]
struct Seen {
    has_some: bool,
    /// Nothing may be sent: [`crate::ops::send_freeze`].
    is_frozen: bool,
}

/// Asked before the claim, so that an idle worker only reads.
async fn peek(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<Seen> {
    Ok(qb!(conn, fetch_one as Seen, |b| {
        b.push("SELECT EXISTS (SELECT 1 FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= ");
        b.push_bind(now).push(
            ") OR EXISTS (SELECT 1 FROM task d WHERE d.status = 'ready' AND d.queue_state = 'due' AND (d.org_id IS NULL
                 OR (d.org_id, d.lane) NOT IN (SELECT org_id, lane FROM ",
        );
        b.push(RUNNING).push(" WHERE org_id IS NOT NULL GROUP BY org_id, lane HAVING COUNT(*) >= ").push(PLACES);
        b.push("))) AS has_some, EXISTS (SELECT 1 FROM outbox_freeze) AS is_frozen");
    })?)
}

/// What runs.
#[derive(Default)]
struct Held {
    of_share: HashMap<Share, i64>,
    in_all: i64,
    /// By the worker that asks.
    own: i64,
    own_suspects: i64,
}

async fn held(conn: &mut dyn AsConn, worker: &str) -> Result<Held> {
    let rows = qb!(conn, fetch_all as (Option<OrgId>, Lane, i64, i64, i64), |b| {
        b.push("SELECT org_id, lane, COUNT(*), COUNT(CASE WHEN locked_by = ").push_bind(worker);
        b.push(" THEN 1 END), COUNT(CASE WHEN suspect AND locked_by = ").push_bind(worker);
        b.push(" THEN 1 END) FROM ").push(RUNNING).push(" GROUP BY org_id, lane");
    })?;
    let mut held = Held::default();
    for (org, lane, running, own, own_suspects) in rows {
        held.in_all += running;
        held.own += own;
        held.own_suspects += own_suspects;
        held.of_share.extend(org.map(|org| (Share { org, lane }, running)));
    }
    Ok(held)
}

/// One that may be taken.
#[derive(Clone, Debug, FromRow)]
struct Candidate {
    id: TaskId,
    org_id: Option<OrgId>,
    lane: Lane,
    suspect: bool,
    turn_at: DateTime<Utc>,
}

impl Candidate {
    fn share(&self) -> Option<Share> {
        self.org_id.map(|org| Share { org, lane: self.lane })
    }
}

/// The head of the line.
async fn line(conn: &mut dyn AsConn, limit: i64) -> Result<Vec<Candidate>> {
    Ok(q!(
        conn,
        fetch_all as Candidate,
        "SELECT id, org_id, lane, suspect, turn_at FROM task WHERE status = 'ready' AND queue_state = 'due'
         ORDER BY turn_at, id LIMIT $1",
        limit
    )?)
}

/// What has come due, each with its place.
async fn arrivals(tx: &mut Tx, now: DateTime<Utc>, head: DateTime<Utc>, limit: i64) -> Result<Vec<Placed>> {
    let lock = skip_locked(tx);
    let came = qb!(&mut *tx, fetch_all as Arrival, |b| {
        b.push(
            "SELECT id, org_id, lane, suspect FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= ",
        );
        b.push_bind(now).push(" ORDER BY run_at, id LIMIT ").push_bind(limit).push(lock);
    })?;
    let shares: HashSet<Share> = came.iter().filter_map(Arrival::share).collect();
    let shares: Vec<Share> = shares.into_iter().collect();
    let mut waiting: HashMap<_, _> = admission::waiting(tx, &shares).await?.into_iter().collect();
    let mut nobodys = admission::Waiting::default();
    Ok(came
        .iter()
        .map(|one| {
            let waiting = one.share().map_or(&mut nobodys, |share| waiting.entry(share).or_default());
            admission::place(one, waiting, head)
        })
        .collect())
}

/// One look at the queue under the claimers' lock.
struct Round<'a> {
    now: DateTime<Utc>,
    worker: &'a str,
    until: DateTime<Utc>,
    limit: i64,
}

impl Round<'_> {
    /// What was taken, and whether another look may find more.
    async fn take(&self, tx: &mut Tx) -> Result<(Vec<Row>, bool)> {
        let held = held(&mut *tx, self.worker).await?;
        let most_read = self.limit + held.in_all + SLACK;
        let line = line(&mut *tx, most_read).await?;
        let first_turn = line.first().map_or(self.now, |first| first.turn_at);
        let placed = arrivals(&mut *tx, self.now, first_turn, self.limit + ARRIVALS).await?;
        let is_line_full = i64::try_from(line.len()).unwrap_or(i64::MAX) >= most_read;
        let has_more = i64::try_from(placed.len()).unwrap_or(i64::MAX) >= self.limit + ARRIVALS;
        let chosen = choose(candidates(&line, &placed), &held, self.limit);
        if chosen.is_empty() && is_line_full {
            park(&mut *tx, &line, &held).await?;
        }
        let kept: Vec<Placed> = placed.into_iter().filter(|one| !chosen.contains(&one.id)).collect();
        admission::store(&mut *tx, &kept).await?;
        if chosen.is_empty() {
            return Ok((Vec::new(), has_more || is_line_full));
        }
        Ok((run(tx, &chosen, self.worker, self.until).await?, has_more))
    }
}

/// Those in the line and those that have just come there, in the order of their turns.
fn candidates(line: &[Candidate], placed: &[Placed]) -> Vec<Candidate> {
    let came = placed.iter().filter(|one| one.state == QueueState::Due).map(|one| Candidate {
        id: one.id,
        org_id: one.org_id,
        lane: one.lane,
        suspect: one.suspect,
        turn_at: one.turn_at,
    });
    let mut all: Vec<Candidate> = line.iter().cloned().chain(came).collect();
    all.sort_by_key(|one| (one.turn_at, one.id));
    all
}

/// The first that may run, up to `limit`.
fn choose(candidates: Vec<Candidate>, held: &Held, limit: i64) -> Vec<TaskId> {
    let mut running = held.of_share.clone();
    let mut room = |share: Option<Share>| {
        share.is_none_or(|share| {
            let runs = running.entry(share).or_default();
            *runs += 1;
            *runs <= share.lane.places()
        })
    };
    let mut open = candidates.into_iter().filter(|one| room(one.share())).peekable();
    match open.peek() {
        None => Vec::new(),
        // A suspect whose turn has come holds the turns behind it back, or a busy worker would never be free for it.
        Some(first) if first.suspect => {
            if held.own == 0 {
                vec![first.id]
            } else {
                Vec::new()
            }
        }
        Some(_) if held.own_suspects > 0 => Vec::new(),
        Some(_) => {
            let limit = usize::try_from(limit).unwrap_or_default();
            open.filter(|one| !one.suspect).take(limit).map(|one| one.id).collect()
        }
    }
}

/// Takes out of the line what is more than the places of lanes that may have no more.
async fn park(tx: &mut Tx, line: &[Candidate], held: &Held) -> Result<()> {
    let mut places: HashMap<Share, i64> = HashMap::new();
    let mut beyond = Vec::new();
    for one in line {
        let Some(share) = one.share() else { continue };
        let most = share.lane.places();
        let place = places.entry(share).or_default();
        *place += 1;
        let is_full = held.of_share.get(&share).is_some_and(|runs| *runs >= most);
        if is_full && *place > most && !one.suspect {
            beyond.push(one.id);
        }
    }
    for some in beyond.chunks(200) {
        qb!(&mut *tx, execute, |b| {
            b.push("UPDATE task SET queue_state = 'parked' WHERE status = 'ready' AND queue_state = 'due' AND id IN (");
            let mut ids = b.separated(", ");
            for id in some {
                ids.push_bind(*id);
            }
            b.push(")");
        })?;
    }
    Ok(())
}

type Row = (TaskId, Option<OrgId>, String, Option<Uuid>, i64, i64, bool, Lane);

/// Hands tasks to the worker, in the order of `ids`.
async fn run(tx: &mut Tx, ids: &[TaskId], worker: &str, until: DateTime<Utc>) -> Result<Vec<Row>> {
    let mut rows = qb!(tx, fetch_all as Row, |b| {
        b.push("UPDATE task SET status = 'running', attempts = attempts + 1, fence = fence + 1, begun = FALSE, locked_by = ");
        b.push_bind(worker).push(", lease_until = ").push_bind(until).push(" WHERE status = 'ready' AND id IN (");
        let mut listed = b.separated(", ");
        for id in ids {
            listed.push_bind(*id);
        }
        b.push(") RETURNING id, org_id, kind, subject_id, attempts, fence, suspect, lane");
    })?;
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.0));
    Ok(rows)
}

fn into_claimed((id, org, kind, subject, attempts, fence, is_suspect, lane): Row) -> Claimed {
    let kind = Kind::named(&kind);
    Claimed { id, org, kind, subject, attempts, fence, is_suspect, lane }
}
