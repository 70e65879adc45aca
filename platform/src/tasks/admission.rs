//! Admission of ready tasks: start-time fair queueing over businesses.
//!
//! A due task has a turn, an ordering value and not a time. The first task of a business's empty lane gets the turn of
//! the head of the line, each one behind it 100 ms more; tasks without a business get the turn of the head. At most
//! [`TaskLane::slot_limit`] tasks of a business's lane are in the line, the others are parked, so the cost of a claim
//! depends on the running tasks and not on the waiting ones.
//!
//! Tasks that go first ([`GOES_FIRST_SQL`]) are in the line beside them, a few of a business at once. They get the turn
//! of the lane's next task, and a claim takes them before the others of their lane, in the lane's turns: another
//! business waits for ten more at most.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::lane::{GOES_FIRST_SQL, OrgLane, TaskLane};
use crate::{
    db::{AsConn, Tx, q, qb, skip_locked_clause},
    error::Result,
    id::{OrgId, TaskId},
};

const TURN_INTERVAL: Duration = Duration::milliseconds(100);
/// Tasks of a business's lane that go first at once; further ones wait as the others do.
const MAX_GOING_FIRST: i64 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum QueueState {
    /// Not yet admitted, or not due.
    Scheduled,
    /// In the line.
    Due,
    /// Waiting behind tasks of its business and lane in the line.
    Parked,
}

#[derive(Clone, Debug, FromRow)]
pub(super) struct DueTask {
    pub id: TaskId,
    pub org_id: Option<OrgId>,
    pub lane: TaskLane,
    pub is_quarantined: bool,
    /// Before the other tasks of its lane.
    pub goes_first: bool,
}

impl DueTask {
    pub fn org_lane(&self) -> Option<OrgLane> {
        self.org_id.map(|org| OrgLane { org, lane: self.lane })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneBacklog {
    /// In the line.
    pub due: i64,
    pub first_due: Option<DateTime<Utc>>,
    pub last_due: Option<DateTime<Utc>>,
    pub first_parked: Option<DateTime<Utc>>,
    pub last_parked: Option<DateTime<Utc>>,
    /// Of those in the line, the ones that go first.
    pub going_first: i64,
    pub last_going_first: Option<DateTime<Utc>>,
}

impl LaneBacklog {
    /// Turn of a task that goes first: that of the lane's next task, not before the head of the line, and behind those
    /// that go first already.
    fn next_first_turn(&self, head: DateTime<Utc>) -> DateTime<Utc> {
        let own = self.first_due.into_iter().chain(self.first_parked).min();
        let turn = own.map_or(head, |own| own.max(head));
        self.last_going_first.map_or(turn, |last| turn.max(last + TURN_INTERVAL))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedTask {
    pub id: TaskId,
    pub org_id: Option<OrgId>,
    pub lane: TaskLane,
    pub is_quarantined: bool,
    pub goes_first: bool,
    pub state: QueueState,
    pub dispatch_at: DateTime<Utc>,
}

/// Places the next arrival of a business behind its lane's waiting tasks; `head` is the turn at the head of the line.
pub(super) fn place_in_queue(arrival: &DueTask, waiting: &mut LaneBacklog, head: DateTime<Utc>) -> PlacedTask {
    let behind = |last: Option<DateTime<Utc>>| last.map_or(head, |last| (last + TURN_INTERVAL).max(head));
    let (state, dispatch_at) = if arrival.org_id.is_none() {
        (QueueState::Due, head)
    } else if arrival.goes_first && waiting.going_first < MAX_GOING_FIRST {
        let dispatch_at = waiting.next_first_turn(head);
        (waiting.going_first, waiting.last_going_first) = (waiting.going_first + 1, Some(dispatch_at));
        (QueueState::Due, dispatch_at)
    } else if waiting.due < arrival.lane.slot_limit() {
        let dispatch_at = behind(waiting.last_due);
        (waiting.due, waiting.last_due) = (waiting.due + 1, Some(dispatch_at));
        (QueueState::Due, dispatch_at)
    } else {
        let dispatch_at = behind(waiting.last_parked.max(waiting.last_due));
        waiting.last_parked = Some(dispatch_at);
        (QueueState::Parked, dispatch_at)
    };
    PlacedTask {
        id: arrival.id,
        org_id: arrival.org_id,
        lane: arrival.lane,
        is_quarantined: arrival.is_quarantined,
        goes_first: arrival.goes_first,
        state,
        dispatch_at,
    }
}

#[derive(FromRow)]
struct LaneBacklogRow {
    org_id: OrgId,
    lane: TaskLane,
    due: i64,
    first_due: Option<DateTime<Utc>>,
    last_due: Option<DateTime<Utc>>,
    first_parked: Option<DateTime<Utc>>,
    last_parked: Option<DateTime<Utc>>,
    going_first: i64,
    last_going_first: Option<DateTime<Utc>>,
}

pub(super) async fn load_backlogs(conn: &mut dyn AsConn, shares: &[OrgLane]) -> Result<Vec<(OrgLane, LaneBacklog)>> {
    if shares.is_empty() {
        return Ok(Vec::new());
    }
    let rows = qb!(conn, fetch_all as LaneBacklogRow, |b| {
        b.push("WITH asked (org_id, lane) AS (VALUES ");
        for (n, share) in shares.iter().enumerate() {
            b.push(if n == 0 { "(" } else { ", (" }).push_bind(share.org).push(", ").push_bind(share.lane).push(")");
        }
        b.push(
            ") SELECT a.org_id, a.lane,
                 (SELECT COUNT(*) FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due') AS due,
                 (SELECT t.dispatch_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due'
                     ORDER BY t.dispatch_at LIMIT 1) AS first_due,
                 (SELECT t.dispatch_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due'
                     ORDER BY t.dispatch_at DESC LIMIT 1) AS last_due,
                 (SELECT t.dispatch_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'parked'
                     ORDER BY t.dispatch_at LIMIT 1) AS first_parked,
                 (SELECT t.dispatch_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'parked'
                     ORDER BY t.dispatch_at DESC LIMIT 1) AS last_parked,
                 (SELECT COUNT(*) FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due' AND ",
        );
        b.push(GOES_FIRST_SQL).push(
            ") AS going_first,
                 (SELECT t.dispatch_at FROM task t WHERE t.org_id = a.org_id AND t.lane = a.lane AND t.status = 'ready' AND t.queue_state = 'due' AND ",
        );
        b.push(GOES_FIRST_SQL).push(" ORDER BY t.dispatch_at DESC LIMIT 1) AS last_going_first FROM asked a");
    })?;
    let read = |row: LaneBacklogRow| {
        let share = OrgLane { org: row.org_id, lane: row.lane };
        let LaneBacklogRow {
            due, first_due, last_due, first_parked, last_parked, going_first, last_going_first, ..
        } = row;
        (share, LaneBacklog { due, first_due, last_due, first_parked, last_parked, going_first, last_going_first })
    };
    Ok(rows.into_iter().map(read).collect())
}

pub(super) async fn store_placements(tx: &mut Tx, placed: &[PlacedTask]) -> Result<()> {
    for some in placed.chunks(200) {
        qb!(&mut *tx, execute, |b| {
            b.push("WITH place (id, queue_state, dispatch_at) AS (VALUES ");
            for (n, one) in some.iter().enumerate() {
                b.push(if n == 0 { "(" } else { ", (" });
                b.push_bind(one.id).push(", ").push_bind(one.state).push(", ").push_bind(one.dispatch_at).push(")");
            }
            b.push(
                ") UPDATE task SET queue_state = place.queue_state, dispatch_at = place.dispatch_at FROM place
                 WHERE task.id = place.id AND task.status = 'ready' AND task.queue_state = 'scheduled'",
            );
        })?;
    }
    Ok(())
}

/// Moves parked tasks of these shares into free places of the line.
pub(super) async fn promote_parked(tx: &mut Tx, shares: &[OrgLane]) -> Result<()> {
    // Concurrent refills skip each other's locked rows.
    let lock = skip_locked_clause(tx);
    let short: Vec<(OrgLane, i64)> = load_backlogs(&mut *tx, shares)
        .await?
        .into_iter()
        .filter(|(share, waiting)| waiting.last_parked.is_some() && waiting.due < share.lane.slot_limit())
        .map(|(share, waiting)| (share, share.lane.slot_limit() - waiting.due))
        .collect();
    for some in short.chunks(50) {
        qb!(&mut *tx, execute, |b| {
            // MATERIALIZED runs the subquery once: PostgreSQL might repeat it per row, each time skipping rows locked
            // before.
            b.push("WITH next AS MATERIALIZED (");
            for (n, (share, room)) in some.iter().enumerate() {
                b.push(if n == 0 { "SELECT id FROM (" } else { " UNION ALL SELECT id FROM (" });
                b.push("SELECT id FROM task WHERE status = 'ready' AND queue_state = 'parked' AND org_id = ");
                b.push_bind(share.org)
                    .push(" AND lane = ")
                    .push_bind(share.lane)
                    .push(" ORDER BY dispatch_at, id LIMIT ")
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

/// Shares with parked tasks but none in the line, and free places. Caused by an end that did not refill the line, or by
/// two transactions that did not see each other. Uses an index skip scan.
pub(super) async fn list_stalled_lanes(conn: &mut dyn AsConn) -> Result<Vec<OrgLane>> {
    let rows = q!(
        conn,
        fetch_all as (OrgId, TaskLane),
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
    Ok(rows.into_iter().map(|(org, lane)| OrgLane { org, lane }).collect())
}

/// State and turn of the `n`th task of a bulk insert into one lane; tasks beyond the lane's places are parked.
pub(super) fn place_bulk_task(n: i64, share: Option<OrgLane>, run_at: DateTime<Utc>) -> (QueueState, DateTime<Utc>) {
    let Some(share) = share else { return (QueueState::Scheduled, run_at) };
    let state = if n > share.lane.slot_limit() { QueueState::Parked } else { QueueState::Scheduled };
    (state, run_at + TURN_INTERVAL * i32::try_from(n - 1).unwrap_or(i32::MAX))
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

    fn arrival(n: u128, org: Option<u128>) -> DueTask {
        DueTask {
            id: task(n),
            org_id: org.map(|org| OrgId(Uuid::from_u128(org))),
            lane: TaskLane::Text,
            is_quarantined: false,
            goes_first: false,
        }
    }

    #[test]
    fn sixth_task_of_a_tenant_is_parked_and_turns_follow_the_queue_head() {
        let mut waiting = LaneBacklog::default();
        let placed: Vec<PlacedTask> =
            (0..7).map(|n| place_in_queue(&arrival(n, Some(1)), &mut waiting, head())).collect();
        let states: Vec<QueueState> = placed.iter().map(|one| one.state).collect();
        assert_eq!(states[..5], [QueueState::Due; 5]);
        assert_eq!(states[5..], [QueueState::Parked; 2]);
        for (n, one) in (0..).zip(&placed) {
            assert_eq!(one.dispatch_at, head() + TURN_INTERVAL * n);
        }
    }

    #[test]
    fn parked_task_follows_the_last_parked_and_due_task_the_last_due() {
        let (due, parked) = (head() + Duration::seconds(2), head() + Duration::seconds(9));
        let mut waiting =
            LaneBacklog { due: 4, last_due: Some(due), last_parked: Some(parked), ..LaneBacklog::default() };
        let placed = [1, 2].map(|n| place_in_queue(&arrival(n, Some(1)), &mut waiting, head()));
        assert_eq!((placed[0].state, placed[0].dispatch_at), (QueueState::Due, due + TURN_INTERVAL));
        assert_eq!((placed[1].state, placed[1].dispatch_at), (QueueState::Parked, parked + TURN_INTERVAL));
    }

    #[test]
    fn due_tasks_of_a_tenant_are_limited_to_the_places_of_the_lane() {
        for (lane, places) in [
            (TaskLane::Text, 5),
            (TaskLane::Email, 3),
            (TaskLane::Money, 2),
            (TaskLane::Webhook, 2),
            (TaskLane::Other, 5),
        ] {
            let mut waiting = LaneBacklog::default();
            let arrivals = (0..7).map(|n| DueTask { lane, ..arrival(n, Some(1)) });
            let placed: Vec<PlacedTask> = arrivals.map(|one| place_in_queue(&one, &mut waiting, head())).collect();
            assert_eq!(placed.iter().filter(|one| one.state == QueueState::Due).count(), places, "{lane:?}");
        }
    }

    fn reset(n: u128) -> DueTask {
        DueTask { lane: TaskLane::Email, goes_first: true, ..arrival(n, Some(1)) }
    }

    #[test]
    fn task_that_goes_first_gets_the_next_turn_of_its_lane_and_none_before_the_head() {
        let hour = Duration::hours(1);
        for (first_due, first_parked, wanted) in [
            (None, None, Duration::zero()),
            (None, Some(-hour), Duration::zero()),
            (Some(hour), None, hour),
            (Some(hour * 2), Some(hour), hour),
        ] {
            let mut waiting = LaneBacklog {
                due: 3,
                first_due: first_due.map(|after| head() + after),
                last_due: Some(head() + Duration::days(1)),
                first_parked: first_parked.map(|after| head() + after),
                last_parked: Some(head() + Duration::days(2)),
                ..LaneBacklog::default()
            };
            let placed = [1, 2].map(|n| place_in_queue(&reset(n), &mut waiting, head()));
            assert_eq!((placed[0].state, placed[0].dispatch_at), (QueueState::Due, head() + wanted));
            assert_eq!(placed[1].dispatch_at, placed[0].dispatch_at + TURN_INTERVAL, "they keep their order");
        }
    }

    #[test]
    fn tasks_beyond_ten_that_go_first_wait_as_the_others_do() {
        let mut waiting = LaneBacklog { due: 3, last_due: Some(head()), ..LaneBacklog::default() };
        let placed: Vec<PlacedTask> = (0..12).map(|n| place_in_queue(&reset(n), &mut waiting, head())).collect();
        let states: Vec<QueueState> = placed.iter().map(|one| one.state).collect();
        assert_eq!(states[..10], [QueueState::Due; 10]);
        assert_eq!(states[10..], [QueueState::Parked; 2]);
    }

    #[test]
    fn task_without_tenant_is_due_at_the_queue_head() {
        let last = Some(head() + Duration::days(1));
        let mut waiting =
            LaneBacklog { due: 9, last_due: last, first_parked: last, last_parked: last, ..LaneBacklog::default() };
        let placed = place_in_queue(&arrival(1, None), &mut waiting, head());
        assert_eq!((placed.state, placed.dispatch_at), (QueueState::Due, head()));
    }
}
