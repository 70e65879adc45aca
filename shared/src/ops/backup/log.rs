//! Log of backups, good and failed: it decides whether one is due, and is shown on the security page.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    BackupConfig, CompletedBackup, InstallContext, create_backup, demote_to_draft, prune_old_backups, restore,
};
use crate::{
    ops::tenant_data::digest::parse_sha256_hex,
    platform::{
        db::{AsConn, Db, acquire_advisory_lock, q},
        error::{Error, Result},
    },
};

/// One a day, begun within the hour in which it is due.
const BACKUP_INTERVAL: Duration = Duration::hours(23);
/// A backup that runs this long has died with its process.
const MAX_RUNTIME: Duration = Duration::hours(6);
/// Lock by which workers that ask at once wait for each other.
const CLAIM_LOCK_ID: i64 = 0x6261_636b;
/// Retention of the log.
const LOG_RETENTION: Duration = Duration::days(180);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum BackupState {
    Running,
    Good,
    Failed,
}

/// A backup, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Backup)]
pub struct BackupRun {
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub state: BackupState,
    pub name: String,
    /// Of all tables.
    pub rows: Option<i64>,
    pub files: Option<i64>,
    pub bytes: Option<i64>,
    /// Why it failed.
    pub detail: Option<String>,
}

/// Makes today's backup, once however many workers ask. None when none is due.
/// Errors: as for [`create_backup`]; that it failed is remembered.
pub async fn run_daily_backup(ctx: &InstallContext<'_>, config: &BackupConfig) -> Result<Option<CompletedBackup>> {
    let Some(id) = claim_daily_backup(ctx).await? else { return Ok(None) };
    run_and_record(ctx, config, id).await.map(Some)
}

/// Makes a backup now. It is logged when it has ended: one killed by its operator must not block today's.
/// Errors: as for [`create_backup`]; that it failed is remembered.
pub async fn run_backup_now(ctx: &InstallContext<'_>, config: &BackupConfig) -> Result<CompletedBackup> {
    let started = ctx.origin.now();
    let made = create_and_drill(ctx, config).await;
    let id = insert_running(ctx.db, ctx.origin.uuid_v7(), started).await?;
    record_outcome(ctx, id, made).await
}

async fn run_and_record(ctx: &InstallContext<'_>, config: &BackupConfig, id: Uuid) -> Result<CompletedBackup> {
    let made = create_and_drill(ctx, config).await;
    record_outcome(ctx, id, made).await
}

async fn record_outcome(ctx: &InstallContext<'_>, id: Uuid, made: Result<CompletedBackup>) -> Result<CompletedBackup> {
    let end = ctx.origin.now();
    match &made {
        Ok(made) => record_success(ctx.db, id, end, made).await?,
        Err(e) => record_failure(ctx.db, id, end, e).await?,
    }
    made
}

/// Each backup is restored on trial, and only then are the oldest ones deleted.
async fn create_and_drill(ctx: &InstallContext<'_>, config: &BackupConfig) -> Result<CompletedBackup> {
    let made = create_backup(ctx, config).await?;
    if let Err(e) = restore::run_restore_drill(&made, ctx.origin).await {
        if let Err(e) = demote_to_draft(&made).await {
            tracing::warn!(error = %e, "a backup that cannot be put back keeps its name");
        }
        return Err(e);
    }
    // This one is good even where old ones cannot be removed: the next one tries again.
    if let Err(e) = prune_old_backups(config, ctx.origin.now()).await {
        tracing::warn!(error = %e, "old backups could not be removed");
    }
    Ok(made)
}

async fn claim_daily_backup(ctx: &InstallContext<'_>) -> Result<Option<Uuid>> {
    let now = ctx.origin.now();
    if !is_due(&mut ctx.db.acquire_reader().await?, now).await? {
        return Ok(None);
    }
    let mut tx = ctx.db.begin().await?;
    acquire_advisory_lock(&mut tx, CLAIM_LOCK_ID).await?;
    if !is_due(&mut tx, now).await? {
        return Ok(None);
    }
    let id = ctx.origin.uuid_v7();
    q!(&mut tx, execute, INSERT_RUNNING_SQL, id, now, BackupState::Running, super::backup_name(now))?;
    q!(&mut tx, execute, "DELETE FROM backup WHERE started_at < $1", now - LOG_RETENTION)?;
    tx.commit().await?;
    Ok(Some(id))
}

const INSERT_RUNNING_SQL: &str = "INSERT INTO backup (id, started_at, state, name) VALUES ($1, $2, $3, $4)";

async fn insert_running(db: &Db, id: Uuid, now: DateTime<Utc>) -> Result<Uuid> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, INSERT_RUNNING_SQL, id, now, BackupState::Running, super::backup_name(now))?;
    tx.commit().await?;
    Ok(id)
}

async fn is_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM backup WHERE (state = 'good' AND started_at > $1)
        OR (state = 'running' AND started_at > $2))";
    Ok(!q!(conn, fetch_one scalar bool, sql, now - BACKUP_INTERVAL, now - MAX_RUNTIME)?)
}

async fn record_success(db: &Db, id: Uuid, end: DateTime<Utc>, made: &CompletedBackup) -> Result<()> {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "UPDATE backup SET state = $2, ended_at = $3, name = $4, rows = $5, files = $6, bytes = $7, sha256 = $8
         WHERE id = $1",
        id,
        BackupState::Good,
        end,
        made.name.as_str(),
        made.manifest.total_rows(),
        whole(made.manifest.files.len() as u64),
        whole(made.manifest.total_bytes()),
        parse_sha256_hex(&made.manifest.database.sha256).map(|hash| hash.to_vec())
    )?;
    tx.commit().await
}

async fn record_failure(db: &Db, id: Uuid, end: DateTime<Utc>, error: &Error) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE backup SET state = $2, ended_at = $3, detail = $4 WHERE id = $1";
    q!(&mut tx, execute, sql, id, BackupState::Failed, end, error.to_string())?;
    tx.commit().await
}

/// Newest first.
pub async fn list_backup_runs(conn: &mut dyn AsConn, limit: i64) -> Result<Vec<BackupRun>> {
    let sql = "SELECT started_at, ended_at, state, name, rows, files, bytes, detail FROM backup
        ORDER BY started_at DESC, id LIMIT $1";
    Ok(q!(conn, fetch_all as BackupRun, sql, limit)?)
}

/// Start of the last good one, for the security page.
pub async fn last_success_at(conn: &mut dyn AsConn) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT MAX(started_at) FROM backup WHERE state = 'good'";
    Ok(q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql)?)
}
