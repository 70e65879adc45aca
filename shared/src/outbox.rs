//! Whether this install may speak. One that was put back from a backup, or took a business in, knows only what was so when
//! the copy was made: what it would send may long have been sent, by itself before the accident or by the install that
//! it is a copy of. So it sends nothing until a person releases it (trust requirement 84).
//!
//! While it is frozen a worker claims only what speaks to nobody (`tasks/claim.rs`). Everything else waits as it is.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    db::{AsConn, Tx, q},
    demo::DEMO,
    error::Result,
};

/// There is one outbox.
const NAME: &str = "outbox";
/// Said of a message that waited when the copy was made.
const DOUBT: &str = "it may have been sent before this copy was put back";

/// Why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = FreezeReason)]
pub enum Why {
    /// The install was put back from a backup.
    Restored,
    /// A business was brought in from another install.
    Imported,
    /// Its data is on its way to another database.
    Moved,
}

/// Since when nothing is sent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OutboxFreeze)]
pub struct Frozen {
    pub since: DateTime<Utc>,
    pub why: Why,
    /// When the copy was made that this install works with.
    pub copied_at: DateTime<Utc>,
}

/// Keeps this install from sending anything. What waited when the copy was made may have left meanwhile: of that it is
/// not known whether it arrived, so the program never sends it, and a person may. One that is frozen already stays so.
pub async fn freeze(tx: &mut Tx, now: DateTime<Utc>, why: Why, copied_at: DateTime<Utc>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "INSERT INTO outbox_freeze (name, since, why, copied_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
        NAME,
        now,
        why,
        copied_at
    )?;
    if why != Why::Moved {
        q!(
            &mut *tx,
            execute,
            "UPDATE message SET status = 'unknown', reason = $1, fence = fence + 1
             WHERE direction = 'out' AND status IN ('queued', 'sending', 'held') AND org_id <> $2",
            DOUBT,
            DEMO
        )?;
    }
    if why == Why::Restored {
        let sql = "UPDATE install_mail SET status = 'failed', reason = $1, ended_at = $2 WHERE status = 'queued'";
        q!(tx, execute, sql, DOUBT, now)?;
    }
    Ok(())
}

/// Lets it speak again. False when it was not frozen.
pub async fn release(tx: &mut Tx) -> Result<bool> {
    Ok(q!(tx, execute, "DELETE FROM outbox_freeze WHERE name = $1", NAME)? > 0)
}

/// Since when nothing is sent; none when all is as usual.
pub async fn frozen(conn: &mut impl AsConn) -> Result<Option<Frozen>> {
    Ok(q!(conn, fetch_optional as Frozen, "SELECT since, why, copied_at FROM outbox_freeze WHERE name = $1", NAME)?)
}
