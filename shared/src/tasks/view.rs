//! The queue as a person sees it: what waits, what runs, what is dead, and reviving the dead.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::Status;
use crate::{
    clock::Origin,
    db::{AsConn, Tx, q},
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
    /// How often it was begun.
    pub attempts: i64,
    /// Not before.
    pub run_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub last_error: Option<String>,
    /// The row it looks at, a message's id.
    pub subject_id: Option<Uuid>,
}

/// Newest first.
pub async fn list(conn: &mut impl AsConn, org: OrgId, status: Option<Status>, limit: i64) -> Result<Vec<TaskView>> {
    Ok(q!(
        conn,
        fetch_all as TaskView,
        "SELECT id, kind, status, attempts, run_at, created_at, finished_at, last_error, subject_id FROM task
         WHERE org_id = $1 AND ($2 IS NULL OR status = $2) ORDER BY created_at DESC, id DESC LIMIT $3",
        org,
        status,
        limit
    )?)
}

/// How many there are in that status.
pub async fn count(conn: &mut impl AsConn, org: OrgId, status: Option<Status>) -> Result<i64> {
    Ok(q!(
        conn,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM task WHERE org_id = $1 AND ($2 IS NULL OR status = $2)",
        org,
        status
    )?)
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
        "UPDATE task SET status = 'ready', attempts = 0, crashes = 0, run_at = $3, turn_at = $3, finished_at = NULL
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
