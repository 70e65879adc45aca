//! Whether this install may speak. One that was put back from a backup, or took a business in, knows only what was so when
//! the copy was made: what it would send may long have been sent, by itself before the accident or by the install that
//! it is a copy of. So it sends nothing until a person releases it (trust requirement 84).
//!
//! While it is frozen a worker claims only what speaks to nobody (`tasks/claim.rs`). Everything else waits as it is.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::audit::{self, Action, Actor},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
    },
};

mod doubt;

/// There is one outbox.
const NAME: &str = "outbox";
/// Said of what waited when the copy was made, or came due since.
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
    /// Its data is on its way to another database, or has left for it: this one takes nothing in either.
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

/// Keeps this install from sending anything. What waited when the copy was made, or came due since, may have left
/// meanwhile: of that it is not known whether it arrived, so the program never sends it, and a person may. Nobody is signed
/// in on what was put back: who was signed out since the backup stays so. One that is frozen already stays as it is, unless
/// it is put back.
pub async fn freeze(tx: &mut Tx, origin: &Origin, why: Why, copied_at: DateTime<Utc>) -> Result<()> {
    let now = origin.now();
    if why == Why::Restored {
        // A backup of one that was frozen: all that it holds is a copy now, also what came in there meanwhile.
        thaw(&mut *tx).await?;
    }
    freeze_again(&mut *tx, &Frozen { since: now, why, copied_at }).await?;
    if why != Why::Moved {
        doubt::waited(&mut *tx).await?;
        // All that stands here now is the copy's.
        doubt::came_due(&mut *tx, now, now + Duration::milliseconds(1)).await?;
    }
    if why == Why::Restored {
        let sql = "UPDATE install_mail SET status = 'failed', reason = $1, ended_at = $2 WHERE status = 'queued'";
        q!(&mut *tx, execute, sql, DOUBT, now)?;
        q!(&mut *tx, execute, "DELETE FROM session")?;
        q!(&mut *tx, execute, "DELETE FROM account_ticket")?;
        write_down(tx, origin, Action::InstallRestored).await?;
    }
    Ok(())
}

/// Freezes it as it was before, where it was not meanwhile.
pub async fn freeze_again(tx: &mut Tx, frozen: &Frozen) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO outbox_freeze (name, since, why, copied_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
        NAME,
        frozen.since,
        frozen.why,
        frozen.copied_at
    )?;
    Ok(())
}

/// Lets it speak again. What the copy had planned and came due while it was frozen may have been sent by the install that
/// it is a copy of, and is not sent; what came in here meanwhile is answered. False when it was not frozen.
pub async fn release(tx: &mut Tx, origin: &Origin) -> Result<bool> {
    let Some(frozen) = self::frozen(&mut *tx).await? else { return Ok(false) };
    if frozen.why != Why::Moved {
        doubt::came_due(&mut *tx, origin.now(), frozen.since).await?;
        doubt::answers(&mut *tx, frozen.since).await?;
    }
    thaw(&mut *tx).await?;
    write_down(tx, origin, Action::OutboxReleased).await?;
    Ok(true)
}

/// What an operator does to all businesses at once stands in the audit log of each.
pub(crate) async fn write_down(tx: &mut Tx, origin: &Origin, action: Action) -> Result<()> {
    let all = q!(&mut *tx, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1 ORDER BY id", DEMO_ORG)?;
    for org in all {
        audit::note(tx, origin, &Actor::default(), org, action, None);
    }
    Ok(())
}

/// Lifts the freeze and nothing else.
pub(crate) async fn thaw(tx: &mut Tx) -> Result<()> {
    q!(tx, execute, "DELETE FROM outbox_freeze WHERE name = $1", NAME)?;
    Ok(())
}

/// Since when nothing is sent; none when all is as usual.
pub async fn frozen(conn: &mut dyn AsConn) -> Result<Option<Frozen>> {
    Ok(q!(conn, fetch_optional as Frozen, "SELECT since, why, copied_at FROM outbox_freeze WHERE name = $1", NAME)?)
}
