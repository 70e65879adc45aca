//! Which ready tasks are next: start-time fair queueing over businesses.
//!
//! A task that is due has a turn. The first of a business's lane that has nothing waiting gets the turn of the task at the
//! head of the line, those behind it 100 ms more each; a task without a business gets the turn of the head. Turns order
//! the line and are no times. At most [`Lane::places`](super::lane::Lane::places) tasks of one business's lane stand in
//! the line, the others are parked: what a claim reads is bounded by the number of tasks that run, not of those that wait.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::lane::{Lane, Share};
use crate::platform::{
    db::{AsConn, Tx, q, qb, skip_locked},
    error::Result,
    id::{OrgId, TaskId},
};

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
    /// Behind those of its business and lane that are in the line.
    Parked,
}

/// A task that is due and has no place yet.
#[derive(Clone, Debug, FromRow)]
pub(super) struct Arrival {
    pub id: TaskId,
    pub org_id: Option<OrgId>,
    pub lane: Lane,
    pub suspect: bool,
}

impl Arrival {
    pub fn share(&self) -> Option<Share> {
        self.org_id.map(|org| Share { org, lane: self.lane })
    }
}

/// What waits of one business in one lane.
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
    pub lane: Lane,
    pub suspect: bool,
    pub state: QueueState,
    pub turn_at: DateTime<Utc>,
}

/// Gives the next arrival of a business its place behind what waits of its lane; `head` is the turn at the head of the line.
pub(super) fn place(arrival: &Arrival, waiting: &mut Waiting, head: DateTime<Utc>) -> Placed {
    let behind = |last: Option<DateTime<Utc>>| last.map_or(head, |last| (last + TURN).max(head));
    let (state, turn_at) = if arrival.org_id.is_none() {
        (QueueState::Due, head)
    } else if waiting.due < arrival.lane.places() {
        let turn_at = behind(waiting.last_due);
        (waiting.due, waiting.last_due) = (waiting.due + 1, Some(turn_at));
        (QueueState::Due, turn_at)
    } else {
        let turn_at = behind(waiting.last_parked.max(waiting.last_due));
        waiting.last_parked = Some(turn_at);
        (QueueState::Parked, turn_at)
    };
    Placed { id: arrival.id, org_id: arrival.org_id, lane: arrival.lane, suspect: arrival.suspect, state, turn_at }
}

#[derive(FromRow)]
struct WaitingRow {
    org_id: OrgId,
    lane: Lane,
    due: i64,
    last_due: Option<DateTime<Utc>>,
    last_parked: Option<DateTime<Utc>>,
}

/// What waits of each of these.
pub(super) async fn waiting(conn: &mut dyn AsConn, shares: &[Share]) -> Result<Vec<(Share, Waiting)>> {
    if shares.is_empty() {
        return Ok(Vec::new());
    }
    let rows = qb!(conn, fetch_all as WaitingRow, |b| {
        b.push("WITH asked (org_id, lane) AS (VALUES ");
        for (n, share) in shares.iter().enumerate() {
            b.push(if n == 0 { "(" } else { ", (" }).push_bind(share.org).push(", ").push_bind(share.lane).push(")");
        }
        b.push(
            ") SELECT a.org_id, a.lane,
                 (SELECT COUNT(*) FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due') AS due,
                 (SELECT t.turn_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due'
                     ORDER BY t.turn_at DESC LIMIT 1) AS last_due,
                 (SELECT t.turn_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'parked'
                     ORDER BY t.turn_at DESC LIMIT 1) AS last_parked
             FROM asked a",
        );
    })?;
    let read = |row: WaitingRow| {
        let share = Share { org: row.org_id, lane: row.lane };
        (share, Waiting { due: row.due, last_due: row.last_due, last_parked: row.last_parked })
    };
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

/// Moves up parked tasks of these, as far as the line has room for them.
pub(super) async fn refill(tx: &mut Tx, shares: &[Share]) -> Result<()> {
    // Of two that refill at once neither waits for the other's rows.
    let lock = skip_locked(tx);
    let short: Vec<(Share, i64)> = waiting(&mut *tx, shares)
        .await?
        .into_iter()
        .filter(|(share, waiting)| waiting.last_parked.is_some() && waiting.due < share.lane.places())
        .map(|(share, waiting)| (share, share.lane.places() - waiting.due))
        .collect();
    for some in short.chunks(50) {
        qb!(&mut *tx, execute, |b| {
            // Looked up once: PostgreSQL may run a plain subquery again for every row, and each run would pass over what the
            // last one locked.
            b.push("WITH next AS MATERIALIZED (");
            for (n, (share, room)) in some.iter().enumerate() {
                b.push(if n == 0 { "SELECT id FROM (" } else { " UNION ALL SELECT id FROM (" });
                b.push("SELECT id FROM task WHERE status = 'ready' AND queue_state = 'parked' AND org_id = ");
                b.push_bind(share.org)
                    .push(" AND lane = ")
                    .push_bind(share.lane)
                    .push(" ORDER BY turn_at, id LIMIT ")
                    .push_bind(*room)
                    .push(lock)
                    .push(") AS few");
            }
            b.push(") UPDATE task SET queue_state = 'due' WHERE status = 'ready' AND queue_state = 'parked'");
            b.push(" AND id IN (SELECT id FROM next)");
        })?;
    }
    Ok(())
}

/// Which have parked tasks and none in the line, and may have another: what an end that did not refill the line has left,
/// or two transactions that did not see each other. Steps from one to the next through the index.
pub(super) async fn stalled(conn: &mut dyn AsConn) -> Result<Vec<Share>> {
    let rows = q!(
        conn,
        fetch_all as (OrgId, Lane),
        "WITH RECURSIVE share (org_id, lane) AS (
             SELECT * FROM (SELECT t.org_id, t.lane FROM task t WHERE t.status = 'ready' AND t.queue_state = 'parked'
                 ORDER BY t.org_id, t.lane LIMIT 1) AS first
             UNION ALL
             SELECT (SELECT t.org_id FROM task t WHERE t.status = 'ready' AND t.queue_state = 'parked'
                     AND (t.org_id, t.lane) > (share.org_id, share.lane) ORDER BY t.org_id, t.lane LIMIT 1),
                 (SELECT t.lane FROM task t WHERE t.status = 'ready' AND t.queue_state = 'parked'
                     AND (t.org_id, t.lane) > (share.org_id, share.lane) ORDER BY t.org_id, t.lane LIMIT 1)
             FROM share WHERE share.org_id IS NOT NULL
         )
         SELECT s.org_id, s.lane FROM share s WHERE s.org_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM task t
             WHERE t.org_id = s.org_id AND t.lane = s.lane AND t.status = 'ready' AND t.queue_state = 'due')
         LIMIT 200"
    )?;
    Ok(rows.into_iter().map(|(org, lane)| Share { org, lane }).collect())
}

/// The state and turn of the `n`th of a bulk of one business's lane that is written at once: what would be parked anyway
/// is written so.
pub(super) fn of_bulk(n: i64, share: Option<Share>, run_at: DateTime<Utc>) -> (QueueState, DateTime<Utc>) {
    let Some(share) = share else { return (QueueState::Scheduled, run_at) };
    let state = if n > share.lane.places() { QueueState::Parked } else { QueueState::Scheduled };
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
        Arrival { id: task(n), org_id: org.map(|org| OrgId(Uuid::from_u128(org))), lane: Lane::Text, suspect: false }
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
    fn the_line_holds_as_many_of_a_lane_as_run_at_once() {
        for (lane, places) in
            [(Lane::Text, 5), (Lane::Email, 3), (Lane::Money, 2), (Lane::Webhook, 2), (Lane::Other, 5)]
        {
            let mut waiting = Waiting::default();
            let arrivals = (0..7).map(|n| Arrival { lane, ..arrival(n, Some(1)) });
            let placed: Vec<Placed> = arrivals.map(|one| place(&one, &mut waiting, head())).collect();
            assert_eq!(placed.iter().filter(|one| one.state == QueueState::Due).count(), places, "{lane:?}");
        }
    }

    #[test]
    fn a_task_without_a_business_is_in_the_line_at_the_turn_of_the_head() {
        let last = Some(head() + Duration::days(1));
        let mut waiting = Waiting { due: 9, last_due: last, last_parked: last };
        let placed = place(&arrival(1, None), &mut waiting, head());
        assert_eq!((placed.state, placed.turn_at), (QueueState::Due, head()));
    }
}
