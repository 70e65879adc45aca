//! Freeze of all sending. An install restored from a backup, or with an imported business, only knows the state at the
//! time of the copy: its planned messages may have been sent since, by itself before the accident or by the install
//! that it is a copy of. It therefore sends nothing until a person releases it (trust requirement 84).
//!
//! While it is frozen a worker claims only tasks that send nothing (`tasks/claim.rs`). All others wait unchanged.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{
        money::reconciliation,
        tenancy::audit::{self, AuditAction, AuditActor},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::{DEMO_ORG, OrgId},
    },
};

mod pending_work;

const FREEZE_NAME: &str = "outbox";
/// Reason for messages that waited at the time of the copy, or came due since.
const UNKNOWN_DELIVERY_REASON: &str = "it may have been sent before this copy was put back";

/// Why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum FreezeReason {
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
pub struct SendFreeze {
    pub since: DateTime<Utc>,
    pub why: FreezeReason,
    /// When the copy was made that this install works with.
    pub copied_at: DateTime<Utc>,
}

/// Stops all sending. Messages that waited at the time of the copy, or came due since, may have left meanwhile: their
/// delivery is unknown, so the program never sends them, and a person may. All sessions of a restored copy are ended,
/// so that sessions ended since the backup stay so. A frozen install is unchanged, unless it is restored.
pub async fn freeze_sending(tx: &mut Tx, origin: &ClockRng, why: FreezeReason, copied_at: DateTime<Utc>) -> Result<()> {
    let now = origin.now();
    if why == FreezeReason::Restored {
        // A backup of a frozen install: all its rows are a copy now, also those that came in while it was frozen.
        clear_freeze(&mut *tx).await?;
    }
    insert_freeze(&mut *tx, &SendFreeze { since: now, why, copied_at }).await?;
    if why != FreezeReason::Moved {
        pending_work::mark_pending_messages_unknown(&mut *tx).await?;
        // All rows are the copy's now.
        pending_work::suppress_due_work(&mut *tx, now, now + Duration::milliseconds(1)).await?;
    }
    if why == FreezeReason::Restored {
        let sql = "UPDATE install_mail SET status = 'failed', reason = $1, ended_at = $2, subject = '', body = '',
                 page = NULL, sealed = NULL
             WHERE status = 'queued'";
        q!(&mut *tx, execute, sql, UNKNOWN_DELIVERY_REASON, now)?;
        q!(&mut *tx, execute, "DELETE FROM session")?;
        q!(&mut *tx, execute, "DELETE FROM one_time_token")?;
        audit_all_orgs(tx, origin, AuditAction::InstallRestored).await?;
    }
    Ok(())
}

/// Restores an earlier freeze, unless it is frozen meanwhile.
pub async fn insert_freeze(tx: &mut Tx, frozen: &SendFreeze) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO send_freeze (name, since, why, copied_at) VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO NOTHING",
        FREEZE_NAME,
        frozen.since,
        frozen.why,
        frozen.copied_at
    )?;
    Ok(())
}

/// Permits sending again. Messages that the copy had planned and that came due while frozen may have been sent by the
/// original install, and are not sent; requests received here meanwhile are answered. False when it was not frozen.
pub async fn release_freeze(tx: &mut Tx, origin: &ClockRng) -> Result<bool> {
    let Some(frozen) = self::find_freeze(&mut *tx).await? else { return Ok(false) };
    if frozen.why != FreezeReason::Moved {
        pending_work::suppress_due_work(&mut *tx, origin.now(), frozen.since).await?;
        pending_work::mark_late_replies_unknown(&mut *tx, frozen.since).await?;
        // Payments since the copy are looked for before a pay page opens again.
        reconciliation::demand_all_runs(&mut *tx).await?;
    }
    clear_freeze(&mut *tx).await?;
    audit_all_orgs(tx, origin, AuditAction::OutboxReleased).await?;
    Ok(true)
}

/// Actions of an operator on all businesses are recorded in the audit log of each.
pub(crate) async fn audit_all_orgs(tx: &mut Tx, origin: &ClockRng, action: AuditAction) -> Result<()> {
    let all = q!(&mut *tx, fetch_all scalar OrgId, "SELECT id FROM org WHERE id <> $1 ORDER BY id", DEMO_ORG)?;
    for org in all {
        audit::emit_event(tx, origin, &AuditActor::default(), org, action, None);
    }
    Ok(())
}

/// Lifts the freeze without other effects.
pub(crate) async fn clear_freeze(tx: &mut Tx) -> Result<()> {
    q!(tx, execute, "DELETE FROM send_freeze WHERE name = $1", FREEZE_NAME)?;
    Ok(())
}

/// None when sending is permitted.
pub async fn find_freeze(conn: &mut dyn AsConn) -> Result<Option<SendFreeze>> {
    Ok(q!(
        conn,
        fetch_optional as SendFreeze,
        "SELECT since, why, copied_at FROM send_freeze WHERE name = $1",
        FREEZE_NAME
    )?)
}
