//! The queue as a person sees it: what waits, what runs, what is dead, and reviving the dead.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    Status, admission,
    lane::{Lane, Share},
};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, cursor::Cursor, q, qb},
    error::{Error, Result},
    id::{OrgId, TaskId},
};

/// One task of an org, without anything personal: it only ever held ids.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Task)]
pub struct TaskView {
    pub id: TaskId,
    /// Its name: `send_message`.
    pub kind: String,
    pub status: Status,
    /// How often it was begun; a run that was cut short by the end of its worker does not count.
    pub attempts: i64,
    /// Not before.
    pub run_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub last_error: Option<String>,
    /// The row it looks at, a message's id.
    pub subject_id: Option<Uuid>,
}

/// Which tasks, and how many.
#[derive(Clone, Debug, Default)]
pub struct ListFilter {
    pub status: Option<Status>,
    /// Rows of one page.
    pub limit: i64,
    /// Where the last page ended: an opaque text from [`TaskPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct TaskPage {
    pub tasks: Vec<TaskView>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// One page, newest first.
///
/// # Errors
/// [`Error::Invalid`] on the field `cursor` when it is not one of ours.
pub async fn page(conn: &mut dyn AsConn, org: OrgId, filter: &ListFilter) -> Result<TaskPage> {
    let cursor = filter.cursor.as_deref().map(Cursor::read).transpose()?;
    let mut tasks = qb!(conn, fetch_all as TaskView, |b| {
        b.push("SELECT id, kind, status, attempts, run_at, created_at, finished_at, last_error, subject_id FROM task");
        b.push(" WHERE org_id = ").push_bind(org);
        match filter.status {
            // Said in the text: SQLite takes the index of the dead for no value that is bound.
            Some(Status::Dead) => {
                b.push(" AND status = 'dead'");
            }
            Some(status) => {
                b.push(" AND status = ").push_bind(status);
            }
            None => {}
        }
        if let Some(Cursor(at, id)) = cursor {
            b.push(" AND (created_at < ").push_bind(at).push(" OR (created_at = ").push_bind(at);
            b.push(" AND id < ").push_bind(id).push("))");
        }
        b.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = tasks.len() > limit;
    tasks.truncate(limit);
    let next = tasks.last().filter(|_| more).map(|task| Cursor::after(task.created_at, task.id.0));
    Ok(TaskPage { tasks, next })
}

/// The newest.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, status: Option<Status>, limit: i64) -> Result<Vec<TaskView>> {
    Ok(page(conn, org, &ListFilter { status, limit, cursor: None }).await?.tasks)
}

/// How many there are in that status.
pub async fn count(conn: &mut dyn AsConn, org: OrgId, status: Option<Status>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM task WHERE org_id = $1 AND ($2 IS NULL OR status = $2)",
        org,
        status
    )?)
}

/// As many as one call makes ready again.
pub const MOST_REVIVED: i64 = 500;

/// Makes the oldest dead tasks of an org ready again, with fresh tries, one turn after the other. Returns how many.
pub async fn revive_all(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<u64> {
    let sql = "SELECT id, lane FROM task WHERE org_id = $1 AND status = 'dead' ORDER BY created_at, id LIMIT $2";
    let dead = q!(&mut *tx, fetch_all as (TaskId, Lane), sql, org, MOST_REVIVED)?;
    let now = origin.now();
    let mut revived = 0;
    let mut of_lane: HashMap<Lane, i64> = HashMap::new();
    for (id, lane) in dead {
        let n = of_lane.entry(lane).or_default();
        *n += 1;
        let (queue_state, turn_at) = admission::of_bulk(*n, Some(Share { org, lane }), now);
        revived += q!(
            &mut *tx,
            execute,
            "UPDATE task SET status = 'ready', queue_state = $4, attempts = 0, crashes = 0, suspect = FALSE, run_at = $3,
                 turn_at = $5, finished_at = NULL
             WHERE org_id = $1 AND id = $2 AND status = 'dead'",
            org,
            id,
            now,
            queue_state,
            turn_at
        )?;
    }
    Ok(revived)
}

/// Makes a dead task ready again, with fresh tries.
///
/// # Errors
/// [`Error::NotFound`] when the org has no such task, [`Error::Conflict`] when it is not dead.
pub async fn revive(tx: &mut Tx, origin: &Origin, org: OrgId, id: TaskId) -> Result<TaskView> {
    let now = origin.now();
    let revived = q!(
        &mut *tx,
        fetch_optional as TaskView,
        "UPDATE task SET status = 'ready', queue_state = 'scheduled', attempts = 0, crashes = 0, suspect = FALSE,
             run_at = $3, turn_at = $3, finished_at = NULL
         WHERE org_id = $1 AND id = $2 AND status = 'dead'
         RETURNING id, kind, status, attempts, run_at, created_at, finished_at, last_error, subject_id",
        org,
        id,
        now
    )?;
    if let Some(task) = revived {
        return Ok(task);
    }
    let exists =
        q!(tx, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM task WHERE org_id = $1 AND id = $2)", org, id)?;
    Err(if exists {
        Error::Conflict("Only work that has stopped for good can be started again.")
    } else {
        Error::NotFound
    })
}
