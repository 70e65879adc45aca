//! Which ready tasks are next: start-time fair queueing over businesses.
//!
//! A task that is due has a turn. The first of a business that has nothing waiting gets the turn of the task at the head
//! of the line, those behind it 100 ms more each; a task without a business gets the turn of the head. Turns order the
//! line and are no times. At most [`LINE_OF_ONE_BUSINESS`] tasks of one business stand in the line, the others are
//! parked: what a claim reads is bounded by the number of tasks that run, not of those that wait.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    db::{AsConn, Tx, q, qb, skip_locked},
    error::Result,
    id::{OrgId, TaskId},
};

/// How many tasks of one business stand in the line.
pub const LINE_OF_ONE_BUSINESS: i64 = 5;
/// How far apart the turns of one business are.
const TURN: Duration = Duration::milliseconds(100);

/// Where a ready task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum QueueState {
    /// Not looked at yet, or not due.
    Scheduled,
    /// In the line.
    Due,
    /// Behind those of its business that are in the line.
    Parked,
}

/// A task that is due and has no place yet.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Arrival {
    pub id: TaskId,
    pub org_id: Option<OrgId>,
    pub suspect: bool,
}

/// What waits of one business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waiting {
    /// In the line.
    pub due: i64,
    pub last_due: Option<DateTime<Utc>>,
    pub last_parked: Option<DateTime<Utc>>,
}

/// A place of an arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub id: TaskId,
    pub org_id: Option<OrgId>,
    pub suspect: bool,
    pub state: QueueState,
    pub turn_at: DateTime<Utc>,
}

/// Gives the next arrival of a business its place behind what waits of it; `head` is the turn at the head of the line.
pub(super) fn place(arrival: &Arrival, waiting: &mut Waiting, head: DateTime<Utc>) -> Placed {
    let behind = |last: Option<DateTime<Utc>>| last.map_or(head, |last| (last + TURN).max(head));
    let (state, turn_at) = if arrival.org_id.is_none() {
        (QueueState::Due, head)
    } else if waiting.due < LINE_OF_ONE_BUSINESS {
        let turn_at = behind(waiting.last_due);
        (waiting.due, waiting.last_due) = (waiting.due + 1, Some(turn_at));
        (QueueState::Due, turn_at)
    } else {
        let turn_at = behind(waiting.last_parked.max(waiting.last_due));
        waiting.last_parked = Some(turn_at);
        (QueueState::Parked, turn_at)
    };
    Placed { id: arrival.id, org_id: arrival.org_id, suspect: arrival.suspect, state, turn_at }
}

#[derive(FromRow)]
struct WaitingRow {
    org_id: OrgId,
    due: i64,
    last_due: Option<DateTime<Utc>>,
    last_parked: Option<DateTime<Utc>>,
}

/// What waits of each of these businesses.
pub(super) async fn waiting(conn: &mut dyn AsConn, orgs: &[OrgId]) -> Result<Vec<(OrgId, Waiting)>> {
    if orgs.is_empty() {
        return Ok(Vec::new());
    }
    let rows = qb!(conn, fetch_all as WaitingRow, |b| {
        b.push("WITH asked (org_id) AS (VALUES ");
        for (n, org) in orgs.iter().enumerate() {
            b.push(if n == 0 { "(" } else { ", (" }).push_bind(*org).push(")");
        }
        b.push(
            ") SELECT a.org_id,
                 (SELECT COUNT(*) FROM task t WHERE t.org_id = a.org_id AND t.status = 'ready' AND t.queue_state = 'due') AS due,
                 (SELECT t.turn_at FROM task t WHERE t.org_id = a.org_id AND t.status = 'ready' AND t.queue_state = 'due'
                     ORDER BY t.turn_at DESC LIMIT 1) AS last_due,
                 (SELECT t.turn_at FROM task t WHERE t.org_id = a.org_id AND t.status = 'ready' AND t.queue_state = 'parked'
                     ORDER BY t.turn_at DESC LIMIT 1) AS last_parked
             FROM asked a",
        );
    })?;
    let read =
        |row: WaitingRow| (row.org_id, Waiting { due: row.due, last_due: row.last_due, last_parked: row.last_parked });
    Ok(rows.into_iter().map(read).collect())
}

/// Writes places down.
pub(super) async fn store(tx: &mut Tx, placed: &[Placed]) -> Result<()> {
    for some in placed.chunks(200) {
        qb!(&mut *tx, execute, |b| {
            b.push("WITH place (id, queue_state, turn_at) AS (VALUES ");
            for (n, one) in some.iter().enumerate() {
                b.push(if n == 0 { "(" } else { ", (" });
                b.push_bind(one.id).push(", ").push_bind(one.state).push(", ").push_bind(one.turn_at).push(")");
            }
            b.push(
                ") UPDATE task SET queue_state = place.queue_state, turn_at = place.turn_at FROM place
                 WHERE task.id = place.id AND task.status = 'ready' AND task.queue_state = 'scheduled'",
            );
        })?;
    }
    Ok(())
}

/// Moves up parked tasks of these businesses, as far as the line has room for them.
pub(super) async fn refill(tx: &mut Tx, orgs: &[OrgId]) -> Result<()> {
    // Of two that refill at once neither waits for the other's rows.
    let lock = skip_locked(tx);
    let short: Vec<(OrgId, i64)> = waiting(&mut *tx, orgs)
        .await?
        .into_iter()
        .filter(|(_, waiting)| waiting.last_parked.is_some() && waiting.due < LINE_OF_ONE_BUSINESS)
        .map(|(org, waiting)| (org, LINE_OF_ONE_BUSINESS - waiting.due))
        .collect();
    for some in short.chunks(50) {
        qb!(&mut *tx, execute, |b| {
            // Looked up once: PostgreSQL may run a plain subquery again for every row, and each run would pass over what the
            // last one locked.
            b.push("WITH next AS MATERIALIZED (");
            for (n, (org, room)) in some.iter().enumerate() {
                b.push(if n == 0 { "SELECT id FROM (" } else { " UNION ALL SELECT id FROM (" });
                b.push("SELECT id FROM task WHERE status = 'ready' AND queue_state = 'parked' AND org_id = ");
                b.push_bind(*org).push(" ORDER BY turn_at, id LIMIT ").push_bind(*room).push(lock).push(") AS few");
            }
            b.push(") UPDATE task SET queue_state = 'due' WHERE status = 'ready' AND queue_state = 'parked'");
            b.push(" AND id IN (SELECT id FROM next)");
        })?;
    }
    Ok(())
}

/// The businesses that have parked tasks and none in the line, and may have another: what an end that did not refill the
/// line has left, or two transactions that did not see each other. Steps from business to business through the index.
pub(super) async fn stalled(conn: &mut dyn AsConn) -> Result<Vec<OrgId>> {
    Ok(q!(
        conn,
        fetch_all scalar OrgId,
        "WITH RECURSIVE business (org_id) AS (
             SELECT * FROM (SELECT t.org_id FROM task t WHERE t.status = 'ready' AND t.queue_state = 'parked'
                 ORDER BY t.org_id LIMIT 1) AS first
             UNION ALL
             SELECT (SELECT t.org_id FROM task t WHERE t.status = 'ready' AND t.queue_state = 'parked'
                 AND t.org_id > business.org_id ORDER BY t.org_id LIMIT 1)
             FROM business WHERE business.org_id IS NOT NULL
         )
         SELECT b.org_id FROM business b WHERE b.org_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM task t
             WHERE t.org_id = b.org_id AND t.status = 'ready' AND t.queue_state = 'due')
         LIMIT 200"
    )?)
}

/// The state and turn of the `n`th of a bulk of one business that is written at once: what would be parked anyway is
/// written so.
pub(super) fn of_bulk(n: i64, org: Option<OrgId>, run_at: DateTime<Utc>) -> (QueueState, DateTime<Utc>) {
    if org.is_none() {
        return (QueueState::Scheduled, run_at);
    }
    let state = if n > LINE_OF_ONE_BUSINESS { QueueState::Parked } else { QueueState::Scheduled };
    (state, run_at + TURN * i32::try_from(n - 1).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn task(n: u128) -> TaskId {
        TaskId(Uuid::from_u128(n))
    }

    fn head() -> DateTime<Utc> {
        "2026-11-28T12:00:00Z".parse().unwrap()
    }

    fn arrival(n: u128, org: Option<u128>) -> Arrival {
        Arrival { id: task(n), org_id: org.map(|org| OrgId(Uuid::from_u128(org))), suspect: false }
    }

    #[test]
    fn first_of_a_business_gets_the_turn_of_the_head_and_the_sixth_is_parked() {
        let mut waiting = Waiting::default();
        let placed: Vec<Placed> = (0..7).map(|n| place(&arrival(n, Some(1)), &mut waiting, head())).collect();
        let states: Vec<QueueState> = placed.iter().map(|one| one.state).collect();
        assert_eq!(states[..5], [QueueState::Due; 5]);
        assert_eq!(states[5..], [QueueState::Parked; 2]);
        for (n, one) in (0..).zip(&placed) {
            assert_eq!(one.turn_at, head() + TURN * n);
        }
    }

    #[test]
    fn a_task_is_parked_behind_the_last_parked_one_and_in_the_line_behind_the_last_due_one() {
        let (due, parked) = (head() + Duration::seconds(2), head() + Duration::seconds(9));
        let mut waiting = Waiting { due: 4, last_due: Some(due), last_parked: Some(parked) };
        let placed = [1, 2].map(|n| place(&arrival(n, Some(1)), &mut waiting, head()));
        assert_eq!((placed[0].state, placed[0].turn_at), (QueueState::Due, due + TURN));
        assert_eq!((placed[1].state, placed[1].turn_at), (QueueState::Parked, parked + TURN));
    }

    #[test]
    fn a_task_without_a_business_is_in_the_line_at_the_turn_of_the_head() {
        let last = Some(head() + Duration::days(1));
        let mut waiting = Waiting { due: 9, last_due: last, last_parked: last };
        let placed = place(&arrival(1, None), &mut waiting, head());
        assert_eq!((placed.state, placed.turn_at), (QueueState::Due, head()));
    }
}
