//! Queue views for people: waiting, running and dead tasks, and revival of dead ones.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    TaskStatus, admission,
    lane::{OrgLane, TaskLane},
};
use crate::{
    clock::ClockRng,
    db::{AsConn, Tx, cursor::PageCursor, q, qb},
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
    pub status: TaskStatus,
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

#[derive(Clone, Debug, Default)]
pub struct TaskListFilter {
    pub status: Option<TaskStatus>,
    pub limit: i64,
    /// Opaque cursor from [`TaskPage::next`].
    pub cursor: Option<String>,
}

#[derive(Clone, Debug)]
pub struct TaskPage {
    pub tasks: Vec<TaskView>,
    /// The cursor of the next page; none on the last.
    pub next: Option<String>,
}

/// Newest first. Errors: [`Error::Invalid`] on the field `cursor` when it does not parse.
pub async fn load_page(conn: &mut dyn AsConn, org: OrgId, filter: &TaskListFilter) -> Result<TaskPage> {
    let cursor = filter.cursor.as_deref().map(PageCursor::parse_param).transpose()?;
    let mut tasks = qb!(conn, fetch_all as TaskView, |b| {
        b.push("SELECT id, kind, status, attempts, run_at, created_at, finished_at, last_error, subject_id FROM task");
        b.push(" WHERE org_id = ").push_bind(org);
        match filter.status {
            // A literal in the SQL: SQLite uses a partial index only without bound values.
            Some(TaskStatus::Dead) => {
                b.push(" AND status = 'dead'");
            }
            Some(status) => {
                b.push(" AND status = ").push_bind(status);
            }
            None => {}
        }
        if let Some(PageCursor(at, id)) = cursor {
            b.push(" AND (created_at < ").push_bind(at).push(" OR (created_at = ").push_bind(at);
            b.push(" AND id < ").push_bind(id).push("))");
        }
        b.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(filter.limit + 1);
    })?;
    let limit = usize::try_from(filter.limit).unwrap_or_default();
    let more = tasks.len() > limit;
    tasks.truncate(limit);
    let next = tasks.last().filter(|_| more).map(|task| PageCursor::encode_after(task.created_at, task.id.0));
    Ok(TaskPage { tasks, next })
}

pub async fn list_newest(
    conn: &mut dyn AsConn,
    org: OrgId,
    status: Option<TaskStatus>,
    limit: i64,
) -> Result<Vec<TaskView>> {
    Ok(load_page(conn, org, &TaskListFilter { status, limit, cursor: None }).await?.tasks)
}

pub async fn count_tasks(conn: &mut dyn AsConn, org: OrgId, status: Option<TaskStatus>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM task WHERE org_id = $1 AND ($2 IS NULL OR status = $2)",
        org,
        status
    )?)
}

/// Per call.
pub const MAX_RETRIED: i64 = 500;

/// Makes the oldest dead tasks of an org ready again with fresh attempts and successive turns. Returns their number.
pub async fn retry_all_dead(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<u64> {
    let sql = "SELECT id, lane FROM task WHERE org_id = $1 AND status = 'dead' ORDER BY created_at, id LIMIT $2";
    let dead = q!(&mut *tx, fetch_all as (TaskId, TaskLane), sql, org, MAX_RETRIED)?;
    let now = origin.now();
    let mut revived = 0;
    let mut of_lane: HashMap<TaskLane, i64> = HashMap::new();
    for (id, lane) in dead {
        let n = of_lane.entry(lane).or_default();
        *n += 1;
        let (queue_state, dispatch_at) = admission::place_bulk_task(*n, Some(OrgLane { org, lane }), now);
        revived += q!(
            &mut *tx,
            execute,
            "UPDATE task SET status = 'ready', queue_state = $4, attempts = 0, crashes = 0, is_quarantined = FALSE, run_at = $3,
                 dispatch_at = $5, finished_at = NULL
             WHERE org_id = $1 AND id = $2 AND status = 'dead'",
            org,
            id,
            now,
            queue_state,
            dispatch_at
        )?;
    }
    Ok(revived)
}

/// Makes a dead task ready again with fresh attempts. Errors: [`Error::NotFound`] when the org has no such task.
/// None when it is not dead.
pub async fn retry_dead(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: TaskId) -> Result<Option<TaskView>> {
    let now = origin.now();
    let revived = q!(
        &mut *tx,
        fetch_optional as TaskView,
        "UPDATE task SET status = 'ready', queue_state = 'scheduled', attempts = 0, crashes = 0, is_quarantined = FALSE,
             run_at = $3, dispatch_at = $3, finished_at = NULL
         WHERE org_id = $1 AND id = $2 AND status = 'dead'
         RETURNING id, kind, status, attempts, run_at, created_at, finished_at, last_error, subject_id",
        org,
        id,
        now
    )?;
    if revived.is_some() {
        return Ok(revived);
    }
    let exists =
        q!(tx, fetch_one scalar bool, "SELECT EXISTS (SELECT 1 FROM task WHERE org_id = $1 AND id = $2)", org, id)?;
    if exists { Ok(None) } else { Err(Error::NotFound) }
}
