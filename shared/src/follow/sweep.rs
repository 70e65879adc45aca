//! The net under what is planned: finds steps whose time has come and that no live task carries.
//!
//! It does not go through the queue, since a net that hangs on the thing it protects is no net.

use chrono::Duration;
use sqlx::FromRow;

use super::{Due, run::skip, wakeup};
use crate::{
    clock::Origin,
    db::{Db, q},
    demo::DEMO,
    error::Result,
    tasks,
};

/// A step waits at least this long past its time before the net looks at it: the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
const BITE: i64 = 200;

#[derive(FromRow)]
struct Stranded {
    #[sqlx(flatten)]
    due: Due,
    has_dead_task: bool,
}

/// Looks once. Returns how many steps were taken up.
pub async fn run(db: &Db, origin: &Origin) -> Result<usize> {
    let mut tx = db.begin().await?;
    let stranded = q!(
        &mut tx,
        fetch_all as Stranded,
        "SELECT f.org_id, f.id, f.lead_id, f.about, f.about_id, f.step, f.give_up_at, f.created_at,
             EXISTS (SELECT 1 FROM task t WHERE t.subject_id = f.id AND t.status = 'dead') AS has_dead_task
         FROM follow_up f
         WHERE f.state = 'waiting' AND f.due_at < $1 AND f.org_id <> $3
           AND NOT EXISTS (SELECT 1 FROM task t WHERE t.subject_id = f.id AND t.status IN ('ready', 'running'))
         ORDER BY f.due_at LIMIT $2",
        origin.now() - PATIENCE,
        BITE,
        DEMO
    )?;
    for step in &stranded {
        if step.has_dead_task {
            skip(&mut tx, &step.due, "an internal fault stopped it").await?;
        } else {
            let turn = format!("sweep:{}", origin.uuid());
            tasks::enqueue(&mut tx, origin, vec![wakeup(step.due.org_id, step.due.id, origin.now(), &turn)]).await?;
        }
    }
    tx.commit().await?;
    Ok(stranded.len())
}
