//! The removal of tasks that ended long ago. The row that a task was about is the truth; of the task itself only those that
//! stopped for good are looked at later.

use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    db::{Db, slices},
    error::Result,
};

/// How long tasks that stopped for good are kept: a person may start them again.
const KEEP_DEAD: Duration = Duration::days(180);

/// Removes tasks that have been done for `keep_done`, and dead ones after half a year. Returns how many went.
pub async fn prune(db: &Db, now: DateTime<Utc>, keep_done: Duration) -> Result<u64> {
    let gone = slices::delete_older(db, "task", "status = 'done' AND finished_at", now - keep_done).await?;
    Ok(gone + slices::delete_older(db, "task", "status = 'dead' AND finished_at", now - KEEP_DEAD).await?)
}
