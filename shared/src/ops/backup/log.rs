//! Which backups there were, good and failed: what decides whether another one is due, and what the security page shows.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{BackupConfig, House, Made, make, remove_old, restore, unname};
use crate::{
    ops::tenant_data::digest::unhex,
    platform::{
        db::{AsConn, Db, one_at_a_time, q},
        error::{Error, Result},
    },
};

/// One a day, begun within the hour in which it is due.
const EVERY: Duration = Duration::hours(23);
/// One that has run for so long has died with its process.
const LONGEST: Duration = Duration::hours(6);
/// Of several workers that ask at once one waits for the other here.
const ASKING: i64 = 0x6261_636b;
/// What is remembered of old ones.
const KEEP: Duration = Duration::days(180);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = BackupState)]
pub enum State {
    Running,
    Good,
    Failed,
}

/// A backup, as it is remembered.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Backup)]
pub struct Logged {
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub state: State,
    pub name: String,
    /// Of all tables.
    pub rows: Option<i64>,
    pub files: Option<i64>,
    pub bytes: Option<i64>,
    /// Why it failed.
    pub detail: Option<String>,
}

/// Makes a backup if none was made today, once however many workers ask. None when none is due.
///
/// # Errors
/// As for [`make`]; that it failed is remembered.
pub async fn daily(house: &House<'_>, config: &BackupConfig) -> Result<Option<Made>> {
    let Some(id) = claim(house).await? else { return Ok(None) };
    logged(house, config, id).await.map(Some)
}

/// Makes a backup now, whatever was made before. It is written down when it has ended: one that is killed at a keyboard
/// must not stand in the way of today's.
///
/// # Errors
/// As for [`make`]; that it failed is remembered.
pub async fn now(house: &House<'_>, config: &BackupConfig) -> Result<Made> {
    let started = house.origin.now();
    let made = make_and_try(house, config).await;
    let id = begin(house.db, house.origin.uuid(), started).await?;
    ended(house, id, made).await
}

async fn logged(house: &House<'_>, config: &BackupConfig, id: Uuid) -> Result<Made> {
    let made = make_and_try(house, config).await;
    ended(house, id, made).await
}

async fn ended(house: &House<'_>, id: Uuid, made: Result<Made>) -> Result<Made> {
    let end = house.origin.now();
    match &made {
        Ok(made) => record(house.db, id, end, made).await?,
        Err(e) => record_failure(house.db, id, end, e).await?,
    }
    made
}

/// A backup is worth what can be put back of it: that is tried each time, and only then the oldest ones go.
async fn make_and_try(house: &House<'_>, config: &BackupConfig) -> Result<Made> {
    let made = make(house, config).await?;
    if let Err(e) = restore::drill(&made, house.origin).await {
        if let Err(e) = unname(&made).await {
            tracing::warn!(error = %e, "a backup that cannot be put back keeps its name");
        }
        return Err(e);
    }
    // This one is good, whatever becomes of the old ones: with the next one it is tried again.
    if let Err(e) = remove_old(config, house.origin.now()).await {
        tracing::warn!(error = %e, "old backups could not be removed");
    }
    Ok(made)
}

/// Takes today's backup, if nobody has.
async fn claim(house: &House<'_>) -> Result<Option<Uuid>> {
    let now = house.origin.now();
    if !is_due(&mut house.db.read().await?, now).await? {
        return Ok(None);
    }
    let mut tx = house.db.begin().await?;
    one_at_a_time(&mut tx, ASKING).await?;
    if !is_due(&mut tx, now).await? {
        return Ok(None);
    }
    let id = house.origin.uuid();
    q!(&mut tx, execute, BEGIN, id, now, State::Running, super::name(now))?;
    q!(&mut tx, execute, "DELETE FROM backup WHERE started_at < $1", now - KEEP)?;
    tx.commit().await?;
    Ok(Some(id))
}

const BEGIN: &str = "INSERT INTO backup (id, started_at, state, name) VALUES ($1, $2, $3, $4)";

async fn begin(db: &Db, id: Uuid, now: DateTime<Utc>) -> Result<Uuid> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, BEGIN, id, now, State::Running, super::name(now))?;
    tx.commit().await?;
    Ok(id)
}

async fn is_due(conn: &mut dyn AsConn, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM backup WHERE (state = 'good' AND started_at > $1)
        OR (state = 'running' AND started_at > $2))";
    Ok(!q!(conn, fetch_one scalar bool, sql, now - EVERY, now - LONGEST)?)
}

async fn record(db: &Db, id: Uuid, end: DateTime<Utc>, made: &Made) -> Result<()> {
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "UPDATE backup SET state = $2, ended_at = $3, name = $4, rows = $5, files = $6, bytes = $7, sha256 = $8
         WHERE id = $1",
        id,
        State::Good,
        end,
        made.name.as_str(),
        made.manifest.all_rows(),
        whole(made.manifest.files.len() as u64),
        whole(made.manifest.all_bytes()),
        unhex(&made.manifest.database.sha256).map(|hash| hash.to_vec())
    )?;
    tx.commit().await
}

async fn record_failure(db: &Db, id: Uuid, end: DateTime<Utc>, error: &Error) -> Result<()> {
    let mut tx = db.begin().await?;
    let sql = "UPDATE backup SET state = $2, ended_at = $3, detail = $4 WHERE id = $1";
    q!(&mut tx, execute, sql, id, State::Failed, end, error.to_string())?;
    tx.commit().await
}

/// The last ones, the newest first.
pub async fn list(conn: &mut dyn AsConn, limit: i64) -> Result<Vec<Logged>> {
    let sql = "SELECT started_at, ended_at, state, name, rows, files, bytes, detail FROM backup
        ORDER BY started_at DESC, id LIMIT $1";
    Ok(q!(conn, fetch_all as Logged, sql, limit)?)
}

/// When the last good one was begun: what the security page asks.
pub async fn last_good(conn: &mut dyn AsConn) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT MAX(started_at) FROM backup WHERE state = 'good'";
    Ok(q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql)?)
}
