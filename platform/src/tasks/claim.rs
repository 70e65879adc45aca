//! Claiming of tasks: in order of turns, limited per business and lane, quarantined ones alone.
//!
//! Claimers serialise on one lock. Each reads the running tasks, the head of the line and new arrivals; places the
//! arrivals ([`super::admission`]); and takes the first tasks that may run. The reads are bounded by the running tasks
//! and fixed limits, however many tasks wait.

use std::collections::{HashMap, HashSet, VecDeque};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{
    ClaimedTask, TaskKind,
    admission::{self, DueTask, PlacedTask, QueueState},
    lane::{GOES_FIRST_SQL, OrgLane, SLOT_LIMIT_SQL, TaskLane},
};
use crate::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, acquire_advisory_lock, q, qb, skip_locked_clause},
    error::Result,
    id::{OrgId, TaskId},
    request_id::RequestId,
};

/// Advisory lock that serialises claimers.
const CLAIM_LOCK: i64 = 0x7461_736b;
/// Arrivals placed by one claim, besides those it takes.
const MAX_ARRIVALS: i64 = 64;
/// Arrivals placed by one transaction that only admits tasks.
const ADMITTED_AT_ONCE: i64 = 200;
/// Extra rows read from the line: concurrent transactions may put more tasks of a lane there than it has places.
const SLACK: i64 = 64;
/// Rounds in which a claim without a result looks at further arrivals.
const MAX_ROUNDS: usize = 8;

/// Claims up to `limit` due tasks for `worker` until now + `lease`, in order of their turns.
///
/// Safe for any number of concurrent workers. A quarantined task (its worker died holding it) is claimed only by a
/// worker that holds nothing else, and nothing is claimed beside it, so that another crash can be attributed. May
/// return fewer than available; repeat until empty.
pub async fn claim_due(
    db: &Db,
    origin: &ClockRng,
    worker: &str,
    lease: Duration,
    limit: i64,
) -> Result<Vec<ClaimedTask>> {
    let now = origin.now();
    // Asked again and again: its plan is kept.
    let seen = precheck_claim(&mut db.acquire_point_reader().await?, now).await?;
    if !seen.has_some {
        return Ok(Vec::new());
    }
    if seen.is_frozen {
        return claim_silent(db, worker, (now, now + lease), limit).await;
    }
    for _ in 0..MAX_ROUNDS {
        let mut tx = db.begin().await?;
        acquire_advisory_lock(&mut tx, CLAIM_LOCK).await?;
        let round = ClaimRound { now, worker, until: now + lease, limit };
        let (rows, has_more) = round.claim_batch(&mut tx).await?;
        tx.commit().await?;
        if !rows.is_empty() || !has_more {
            return Ok(rows.iter().map(ClaimedRow::to_task).collect());
        }
    }
    Ok(Vec::new())
}

/// Places arrivals beyond what a claim handles. Returns whether there are more: call again.
pub async fn admit_due(db: &Db, origin: &ClockRng) -> Result<bool> {
    let now = origin.now();
    let sql = "SELECT id FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= $1
         ORDER BY run_at, id LIMIT 1 OFFSET $2";
    let beyond = q!(&mut db.acquire_reader().await?, fetch_optional scalar TaskId, sql, now, MAX_ARRIVALS)?;
    if beyond.is_none() {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    acquire_advisory_lock(&mut tx, CLAIM_LOCK).await?;
    let head = load_due_head(&mut tx, 1).await?.first().map_or(now, |first| first.dispatch_at);
    let placed = place_due_tasks(&mut tx, now, head, ADMITTED_AT_ONCE).await?;
    admission::store_placements(&mut tx, &placed).await?;
    tx.commit().await?;
    Ok(!placed.is_empty())
}

/// Moves parked tasks up that nothing else moves. Returns the number of shares.
pub async fn unstall_lanes(db: &Db) -> Result<usize> {
    let stalled = admission::list_stalled_lanes(&mut db.acquire_reader().await?).await?;
    if !stalled.is_empty() {
        let mut tx = db.begin().await?;
        admission::promote_parked(&mut tx, &stalled).await?;
        tx.commit().await?;
    }
    Ok(stalled.len())
}

/// Kinds that contact no provider and send no notice; allowed while sending is frozen.
const SILENT_KINDS: &str = "('recount', 'process_inbound_sms', 'seed_demo', 'noop')";

/// Claim during a send freeze: other kinds stay untouched until it is released.
async fn claim_silent(
    db: &Db,
    worker: &str,
    (now, until): (DateTime<Utc>, DateTime<Utc>),
    limit: i64,
) -> Result<Vec<ClaimedTask>> {
    let mut conn = db.acquire_reader().await?;
    let mut due = Vec::new();
    for state in ["scheduled", "due", "parked"] {
        due.extend(qb!(&mut conn, fetch_all scalar TaskId, |b| {
            b.push("SELECT id FROM task WHERE status = 'ready' AND queue_state = '").push(state).push("' AND run_at <= ");
            b.push_bind(now).push(" AND kind IN ").push(SILENT_KINDS).push(" LIMIT ").push_bind(limit);
        })?);
    }
    drop(conn);
    due.truncate(usize::try_from(limit).unwrap_or_default());
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let mut tx = db.begin().await?;
    let rows = mark_running(&mut tx, &due, worker, until).await?;
    tx.commit().await?;
    Ok(rows.iter().map(ClaimedRow::to_task).collect())
}

/// `SQLite` has no row estimates here and would scan all tasks of a business. The ORDER BY and a limit above all
/// possible running tasks make it use the small index of running tasks.
const RUNNING: &str = "(SELECT org_id, lane, locked_by, is_quarantined FROM task WHERE status = 'running' ORDER BY lease_until LIMIT 10000) AS running";

#[derive(FromRow)]
struct ClaimPrecheck {
    has_some: bool,
    /// Send freeze: `shared::ops::send_freeze`.
    is_frozen: bool,
}

/// Read-only check before the claim, so that an idle worker never writes.
async fn precheck_claim(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<ClaimPrecheck> {
    Ok(qb!(conn, fetch_one as ClaimPrecheck, |b| {
        b.push("SELECT EXISTS (SELECT 1 FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= ");
        b.push_bind(now).push(
            ") OR EXISTS (SELECT 1 FROM task d WHERE d.status = 'ready' AND d.queue_state = 'due' AND (d.org_id IS NULL
                 OR (d.org_id, d.lane) NOT IN (SELECT org_id, lane FROM ",
        );
        b.push(RUNNING)
            .push(" WHERE org_id IS NOT NULL GROUP BY org_id, lane HAVING COUNT(*) >= ")
            .push(SLOT_LIMIT_SQL);
        b.push("))) AS has_some, EXISTS (SELECT 1 FROM send_freeze) AS is_frozen");
    })?)
}

#[derive(Default)]
struct RunningLoad {
    of_share: HashMap<OrgLane, i64>,
    in_all: i64,
    own: i64,
    own_quarantined: i64,
}

async fn load_running(conn: &mut dyn AsConn, worker: &str) -> Result<RunningLoad> {
    let rows = qb!(conn, fetch_all as (Option<OrgId>, TaskLane, i64, i64, i64), |b| {
        b.push("SELECT org_id, lane, COUNT(*), COUNT(CASE WHEN locked_by = ").push_bind(worker);
        b.push(" THEN 1 END), COUNT(CASE WHEN is_quarantined AND locked_by = ").push_bind(worker);
        b.push(" THEN 1 END) FROM ").push(RUNNING).push(" GROUP BY org_id, lane");
    })?;
    let mut held = RunningLoad::default();
    for (org, lane, running, own, own_quarantined) in rows {
        held.in_all += running;
        held.own += own;
        held.own_quarantined += own_quarantined;
        held.of_share.extend(org.map(|org| (OrgLane { org, lane }, running)));
    }
    Ok(held)
}

#[derive(Clone, Debug, FromRow)]
struct ClaimCandidate {
    id: TaskId,
    org_id: Option<OrgId>,
    lane: TaskLane,
    is_quarantined: bool,
    goes_first: bool,
    dispatch_at: DateTime<Utc>,
}

impl ClaimCandidate {
    fn org_lane(&self) -> Option<OrgLane> {
        self.org_id.map(|org| OrgLane { org, lane: self.lane })
    }
}

async fn load_due_head(conn: &mut dyn AsConn, limit: i64) -> Result<Vec<ClaimCandidate>> {
    Ok(qb!(conn, fetch_all as ClaimCandidate, |b| {
        b.push("SELECT id, org_id, lane, is_quarantined, dispatch_at, ").push(GOES_FIRST_SQL);
        b.push(
            " AS goes_first FROM task WHERE status = 'ready' AND queue_state = 'due' ORDER BY dispatch_at, id LIMIT ",
        );
        b.push_bind(limit);
    })?)
}

async fn place_due_tasks(tx: &mut Tx, now: DateTime<Utc>, head: DateTime<Utc>, limit: i64) -> Result<Vec<PlacedTask>> {
    let lock = skip_locked_clause(tx);
    let came = qb!(&mut *tx, fetch_all as DueTask, |b| {
        b.push("SELECT id, org_id, lane, is_quarantined, ").push(GOES_FIRST_SQL);
        b.push(" AS goes_first FROM task WHERE status = 'ready' AND queue_state = 'scheduled' AND run_at <= ");
        b.push_bind(now).push(" ORDER BY run_at, id LIMIT ").push_bind(limit).push(lock);
    })?;
    let shares: HashSet<OrgLane> = came.iter().filter_map(DueTask::org_lane).collect();
    let shares: Vec<OrgLane> = shares.into_iter().collect();
    let mut waiting: HashMap<_, _> = admission::load_backlogs(tx, &shares).await?.into_iter().collect();
    let mut nobodys = admission::LaneBacklog::default();
    Ok(came
        .iter()
        .map(|one| {
            let waiting = one.org_lane().map_or(&mut nobodys, |share| waiting.entry(share).or_default());
            admission::place_in_queue(one, waiting, head)
        })
        .collect())
}

struct ClaimRound<'a> {
    now: DateTime<Utc>,
    worker: &'a str,
    until: DateTime<Utc>,
    limit: i64,
}

impl ClaimRound<'_> {
    /// The claimed tasks, and whether another round may find more.
    async fn claim_batch(&self, tx: &mut Tx) -> Result<(Vec<ClaimedRow>, bool)> {
        let held = load_running(&mut *tx, self.worker).await?;
        let most_read = self.limit + held.in_all + SLACK;
        let line = load_due_head(&mut *tx, most_read).await?;
        let first_turn = line.first().map_or(self.now, |first| first.dispatch_at);
        let placed = place_due_tasks(&mut *tx, self.now, first_turn, self.limit + MAX_ARRIVALS).await?;
        let is_line_full = i64::try_from(line.len()).unwrap_or(i64::MAX) >= most_read;
        let has_more = i64::try_from(placed.len()).unwrap_or(i64::MAX) >= self.limit + MAX_ARRIVALS;
        let chosen = choose_runnable(merge_candidates(&line, &placed), &held, self.limit);
        if chosen.is_empty() && is_line_full {
            park_excess(&mut *tx, &line, &held).await?;
        }
        let kept: Vec<PlacedTask> = placed.into_iter().filter(|one| !chosen.contains(&one.id)).collect();
        admission::store_placements(&mut *tx, &kept).await?;
        if chosen.is_empty() {
            return Ok((Vec::new(), has_more || is_line_full));
        }
        Ok((mark_running(tx, &chosen, self.worker, self.until).await?, has_more))
    }
}

fn merge_candidates(line: &[ClaimCandidate], placed: &[PlacedTask]) -> Vec<ClaimCandidate> {
    let came = placed.iter().filter(|one| one.state == QueueState::Due).map(|one| ClaimCandidate {
        id: one.id,
        org_id: one.org_id,
        lane: one.lane,
        is_quarantined: one.is_quarantined,
        goes_first: one.goes_first,
        dispatch_at: one.dispatch_at,
    });
    let mut all: Vec<ClaimCandidate> = line.iter().cloned().chain(came).collect();
    all.sort_by_key(|one| (one.dispatch_at, one.id));
    prioritize_within_lanes(all)
}

/// Gives the turns of a business's lane to its tasks that go first, and then to the others. Quarantined tasks keep theirs.
fn prioritize_within_lanes(all: Vec<ClaimCandidate>) -> Vec<ClaimCandidate> {
    if !all.iter().any(|one| one.goes_first) {
        return all;
    }
    let mut of_lane: HashMap<OrgLane, VecDeque<ClaimCandidate>> = HashMap::new();
    for one in all.iter().filter(|one| !one.is_quarantined) {
        if let Some(share) = one.org_lane() {
            of_lane.entry(share).or_default().push_back(one.clone());
        }
    }
    for theirs in of_lane.values_mut() {
        theirs.make_contiguous().sort_by_key(|one| !one.goes_first);
    }
    let mut next = |share: OrgLane| of_lane.get_mut(&share).and_then(VecDeque::pop_front);
    all.into_iter()
        .map(|one| if one.is_quarantined { one } else { one.org_lane().and_then(&mut next).unwrap_or(one) })
        .collect()
}

fn choose_runnable(candidates: Vec<ClaimCandidate>, held: &RunningLoad, limit: i64) -> Vec<TaskId> {
    let mut running = held.of_share.clone();
    let mut room = |share: Option<OrgLane>| {
        share.is_none_or(|share| {
            let runs = running.entry(share).or_default();
            *runs += 1;
            *runs <= share.lane.slot_limit()
        })
    };
    let mut open = candidates.into_iter().filter(|one| room(one.org_lane())).peekable();
    match open.peek() {
        None => Vec::new(),
        // A quarantined task at the head blocks the turns behind it; otherwise a busy worker would never be free for
        // it.
        Some(first) if first.is_quarantined => {
            if held.own == 0 {
                vec![first.id]
            } else {
                Vec::new()
            }
        }
        Some(_) if held.own_quarantined > 0 => Vec::new(),
        Some(_) => {
            let limit = usize::try_from(limit).unwrap_or_default();
            open.filter(|one| !one.is_quarantined).take(limit).map(|one| one.id).collect()
        }
    }
}

async fn park_excess(tx: &mut Tx, line: &[ClaimCandidate], held: &RunningLoad) -> Result<()> {
    let mut places: HashMap<OrgLane, i64> = HashMap::new();
    let mut beyond = Vec::new();
    for one in line {
        let Some(share) = one.org_lane() else { continue };
        let most = share.lane.slot_limit();
        let place = places.entry(share).or_default();
        *place += 1;
        let is_full = held.of_share.get(&share).is_some_and(|runs| *runs >= most);
        if is_full && *place > most && !one.is_quarantined && !one.goes_first {
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

#[derive(FromRow)]
struct ClaimedRow {
    id: TaskId,
    org_id: Option<OrgId>,
    kind: String,
    subject_id: Option<Uuid>,
    attempts: i64,
    fence: i64,
    is_quarantined: bool,
    lane: TaskLane,
    run_at: DateTime<Utc>,
    request_id: Option<RequestId>,
}

/// Marks tasks as running, in the order of `ids`.
async fn mark_running(tx: &mut Tx, ids: &[TaskId], worker: &str, until: DateTime<Utc>) -> Result<Vec<ClaimedRow>> {
    let mut rows = qb!(tx, fetch_all as ClaimedRow, |b| {
        b.push("UPDATE task SET status = 'running', attempts = attempts + 1, fence = fence + 1, has_started = FALSE, locked_by = ");
        b.push_bind(worker).push(", lease_until = ").push_bind(until).push(" WHERE status = 'ready' AND id IN (");
        let mut listed = b.separated(", ");
        for id in ids {
            listed.push_bind(*id);
        }
        b.push(") RETURNING id, org_id, kind, subject_id, attempts, fence, is_quarantined, lane, run_at, request_id");
    })?;
    rows.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
    Ok(rows)
}

impl ClaimedRow {
    fn to_task(&self) -> ClaimedTask {
        ClaimedTask {
            id: self.id,
            org: self.org_id,
            kind: TaskKind::from_name(&self.kind),
            subject: self.subject_id,
            attempts: self.attempts,
            fence: self.fence,
            is_quarantined: self.is_quarantined,
            run_at: self.run_at,
            request: self.request_id,
            lane: self.lane,
        }
    }
}
