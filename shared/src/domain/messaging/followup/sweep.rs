//! The net under what is planned: finds steps whose time has come and that no live task carries.
//!
//! It does not go through the queue, since a net that hangs on the thing it protects is no net.

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use super::{Due, run::skip, wakeup};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, q},
    error::Result,
    id::{DEMO_ORG, FollowUpId},
    tasks,
};

/// A step waits at least this long past its time before the net looks at it: the queue is normally far quicker.
const PATIENCE: Duration = Duration::seconds(60);
/// Steps looked at by one statement.
const SLICE: i64 = 500;

/// Why a step is left out whose task has failed for good.
const FAULT: &str = "an internal fault stopped it";

#[derive(FromRow)]
struct Stranded {
    #[sqlx(flatten)]
    due: Due,
    due_at: DateTime<Utc>,
    has_live_task: bool,
    has_dead_task: bool,
}

/// Looks once through all that is overdue, in slices beside the writer. Returns how many steps were taken up.
pub async fn run(db: &Db, origin: &Origin) -> Result<usize> {
    let before = origin.now() - PATIENCE;
    let (mut taken, mut after) = (0, (DateTime::UNIX_EPOCH, FollowUpId(Uuid::nil())));
    loop {
        let slice = find(&mut db.read().await?, after, before).await?;
        let Some(last) = slice.last() else { return Ok(taken) };
        after = (last.due_at, last.due.id);
        for step in slice.iter().filter(|step| !step.has_live_task) {
            taken += take_up(db, origin, step).await?;
        }
    }
}

/// The next slice. The list of states is that of the index `task_live_by_subject`, letter for letter: `SQLite` uses the
/// index only then.
async fn find(
    conn: &mut dyn AsConn,
    (at, id): (DateTime<Utc>, FollowUpId),
    before: DateTime<Utc>,
) -> Result<Vec<Stranded>> {
    Ok(q!(
        conn,
        fetch_all as Stranded,
        "SELECT f.org_id, f.id, f.lead_id, f.about, f.about_id, f.step, f.give_up_at, f.created_at, f.due_at,
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

/// A step that was ended meanwhile is left alone. One that got its task meanwhile gets a second, which finds nothing to do.
async fn take_up(db: &Db, origin: &Origin, step: &Stranded) -> Result<usize> {
    let mut tx = db.begin().await?;
    let sql = "SELECT EXISTS (SELECT 1 FROM follow_up WHERE org_id = $1 AND id = $2 AND state = 'waiting')";
    if !q!(&mut tx, fetch_one scalar bool, sql, step.due.org_id, step.due.id)? {
        return Ok(0);
    }
    if step.has_dead_task {
        skip(&mut tx, &step.due, FAULT).await?;
    } else {
        let turn = format!("sweep:{}", origin.uuid());
        tasks::enqueue(&mut tx, origin, vec![wakeup(step.due.org_id, step.due.id, origin.now(), &turn)]).await?;
    }
    tx.commit().await?;
    Ok(1)
}
