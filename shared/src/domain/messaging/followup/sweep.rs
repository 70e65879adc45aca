//! Safety net for follow-ups: finds due steps that no live task carries.
//!
//! It does not use the queue, because it covers failures of the queue.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{DueFollowUp, build_step_task, run::skip_step};
use crate::platform::{
    clock::ClockRng,
    db::{AsConn, Db, q},
    error::Result,
    id::{DEMO_ORG, FollowUpId},
    tasks,
};

/// Minimum delay past the due time; the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
const SLICE: i64 = 500;

const FAULT: &str = "an internal fault stopped it";

#[derive(FromRow)]
struct StrandedStep {
    #[sqlx(flatten)]
    due: DueFollowUp,
    due_at: DateTime<Utc>,
    has_live_task: bool,
    has_dead_task: bool,
}

/// Scans all overdue steps in slices, on read connections. Returns the number of steps taken up.
pub async fn requeue_stranded_steps(db: &Db, origin: &ClockRng) -> Result<usize> {
    let before = origin.now() - PATIENCE;
    let (mut taken, mut after) = (0, (DateTime::UNIX_EPOCH, FollowUpId(Uuid::nil())));
    loop {
        let slice = list_stranded_steps(&mut db.acquire_reader().await?, after, before).await?;
        let Some(last) = slice.last() else { return Ok(taken) };
        after = (last.due_at, last.due.id);
        for step in slice.iter().filter(|step| !step.has_live_task) {
            taken += requeue_step(db, origin, step).await?;
        }
    }
}

/// The list of states must equal that of the index `task_live_by_subject` exactly: `SQLite` uses the index only then.
async fn list_stranded_steps(
    conn: &mut dyn AsConn,
    (at, id): (DateTime<Utc>, FollowUpId),
    before: DateTime<Utc>,
) -> Result<Vec<StrandedStep>> {
    Ok(q!(
        conn,
        fetch_all as StrandedStep,
        "SELECT f.org_id, f.id, f.lead_id, f.about, f.about_id, f.step, f.expires_at, f.created_at, f.due_at,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = f.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status <> 'dead') AS has_live_task,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = f.id AND t.status IN ('ready', 'running', 'dead')
                 AND t.status = 'dead') AS has_dead_task
         FROM follow_up f
         WHERE f.state = 'waiting' AND f.due_at < $1 AND f.due_at >= $4 AND (f.due_at > $4 OR f.id > $5)
             AND f.org_id <> $3
         ORDER BY f.due_at, f.id LIMIT $2",
        before,
        SLICE,
        DEMO_ORG,
        at,
        id
    )?)
}

/// A step ended meanwhile is left alone. One that got its task meanwhile gets a second, which finds nothing to do.
async fn requeue_step(db: &Db, origin: &ClockRng, step: &StrandedStep) -> Result<usize> {
    let mut tx = db.begin().await?;
    let sql = "SELECT EXISTS (SELECT 1 FROM follow_up WHERE org_id = $1 AND id = $2 AND state = 'waiting')";
    if !q!(&mut tx, fetch_one scalar bool, sql, step.due.org_id, step.due.id)? {
        return Ok(0);
    }
    if step.has_dead_task {
        skip_step(&mut tx, &step.due, FAULT).await?;
    } else {
        let turn = format!("sweep:{}", origin.uuid_v7());
        tasks::enqueue(&mut tx, origin, vec![build_step_task(step.due.org_id, step.due.id, origin.now(), &turn)])
            .await?;
    }
    tx.commit().await?;
    Ok(1)
}
