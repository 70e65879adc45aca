//! How much of the file store a business uses, and how much it may. One row per business: two uploads at the same
//! instant pass it one after the other.

use serde::Serialize;
use utoipa::ToSchema;

use crate::platform::{
    db::{AsConn, Tx, q},
    error::{Error, Result},
    id::OrgId,
};

/// 5 GB, unless `STORAGE_QUOTA_BYTES` says otherwise.
pub const DEFAULT: i64 = 5_000_000_000;

/// The space of one business, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StorageUse {
    pub used: i64,
    pub quota: i64,
}

/// What is used now, of so much.
pub async fn of(conn: &mut dyn AsConn, org: OrgId, quota: i64) -> Result<StorageUse> {
    let used = q!(conn, fetch_optional scalar i64, "SELECT bytes FROM storage_use WHERE org_id = $1", org)?;
    Ok(StorageUse { used: used.unwrap_or_default(), quota })
}

/// Refuses before the work of an upload is done; [`take`] has the last word.
///
/// # Errors
/// [`Error::QuotaFull`] when the space is used up.
pub async fn check(conn: &mut dyn AsConn, org: OrgId, limit: i64) -> Result<()> {
    let space = of(conn, org, limit).await?;
    if space.used < space.quota { Ok(()) } else { Err(Error::QuotaFull) }
}

/// Counts bytes that nobody may refuse.
pub async fn count(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO storage_use (org_id, bytes) VALUES ($1, $2)
         ON CONFLICT (org_id) DO UPDATE SET bytes = storage_use.bytes + excluded.bytes",
        org,
        bytes
    )?;
    Ok(())
}

/// Counts bytes if they fit. To be asked last in its transaction: it holds the business's row until the end.
///
/// # Errors
/// [`Error::QuotaFull`] when the business would have more than `limit` bytes; nothing is counted then.
pub async fn take(tx: &mut Tx, org: OrgId, bytes: i64, limit: i64) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let taken = q!(
        tx,
        execute,
        "INSERT INTO storage_use (org_id, bytes) SELECT $1, $2 WHERE $2 <= $3
         ON CONFLICT (org_id) DO UPDATE SET bytes = storage_use.bytes + excluded.bytes
             WHERE storage_use.bytes + excluded.bytes <= $3",
        org,
        bytes,
        limit
    )?;
    if taken == 0 { Err(Error::QuotaFull) } else { Ok(()) }
}

/// The space of what was removed is free again.
pub async fn give_back(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    let sql = "UPDATE storage_use SET bytes = CASE WHEN bytes > $2 THEN bytes - $2 ELSE 0 END WHERE org_id = $1";
    q!(tx, execute, sql, org, bytes)?;
    Ok(())
}
