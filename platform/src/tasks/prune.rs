//! Removal of finished tasks. The subject row holds the result; only dead tasks are inspected later.

use chrono::{DateTime, Duration, Utc};

use crate::{
    db::{Db, batched_delete},
    error::Result,
};

/// Retention of dead tasks, which a person may revive.
const KEEP_DEAD: Duration = Duration::days(180);

/// Removes tasks done for `keep_done`, and dead ones after half a year. Returns the number removed.
pub async fn prune_finished(db: &Db, now: DateTime<Utc>, keep_done: Duration) -> Result<u64> {
    let gone =
        batched_delete::delete_older_than(db, "task", "status = 'done' AND finished_at", now - keep_done).await?;
    Ok(gone + batched_delete::delete_older_than(db, "task", "status = 'dead' AND finished_at", now - KEEP_DEAD).await?)
}
