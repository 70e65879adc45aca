//! Storage quota. One row per business serializes concurrent uploads.

use serde::Serialize;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::OrgId,
};

/// 5 GB; set by `STORAGE_QUOTA_BYTES`.
pub const DEFAULT_QUOTA_BYTES: i64 = 5_000_000_000;

/// The space of one business, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StorageUse)]
pub struct StorageUsage {
    pub used: i64,
    pub quota: i64,
}

pub async fn load_usage(conn: &mut dyn AsConn, org: OrgId, quota: i64) -> Result<StorageUsage> {
    let used = q!(conn, fetch_optional scalar i64, "SELECT bytes FROM storage_usage WHERE org_id = $1", org)?;
    Ok(StorageUsage { used: used.unwrap_or_default(), quota })
}

/// Early refusal before an upload is processed; [`reserve_bytes`] decides.
pub async fn check_quota(conn: &mut dyn AsConn, org: OrgId, limit: i64) -> Result<()> {
    let space = load_usage(conn, org, limit).await?;
    if space.used < space.quota { Ok(()) } else { Err(Error::QuotaFull) }
}

/// Counts bytes without a limit.
pub async fn add_usage(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO storage_usage (org_id, bytes) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET bytes = storage_usage.bytes + excluded.bytes",
        org,
        bytes
    )?;
    Ok(())
}

/// Counts bytes if they fit. Call it last in a transaction: it locks the business's row until the end.
///
/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes; nothing is counted then.
pub async fn reserve_bytes(tx: &mut Tx, org: OrgId, bytes: i64, limit: i64) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let taken = q!(
        tx,
        execute,
        "INSERT INTO storage_usage (org_id, bytes) SELECT $1, $2 WHERE $2 <= $3
         ON CONFLICT (org_id) DO UPDATE SET bytes = storage_usage.bytes + excluded.bytes
             WHERE storage_usage.bytes + excluded.bytes <= $3",
        org,
        bytes,
        limit
    )?;
    if taken == 0 { Err(Error::QuotaFull) } else { Ok(()) }
}

pub async fn release_bytes(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    let sql = "UPDATE storage_usage SET bytes = CASE WHEN bytes > $2 THEN bytes - $2 ELSE 0 END WHERE org_id = $1";
    q!(tx, execute, sql, org, bytes)?;
    Ok(())
}
