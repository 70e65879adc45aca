//! Bytes of waiting photos: one total per business, updated in the transaction that changes its photos. Update it last:
//! it locks the row until the transaction ends.

use crate::platform::{
    db::{AsConn, Db, Tx, q},
    error::Result,
    id::OrgId,
};

pub async fn load_total_bytes(conn: &mut dyn AsConn) -> Result<i64> {
    let sql = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM photo_backlog";
    Ok(q!(conn, fetch_one scalar i64, sql)?)
}

pub async fn load_org_bytes(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    let sql = "SELECT bytes FROM photo_backlog WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar i64, sql, org)?.unwrap_or_default())
}

pub(crate) async fn add_pending_bytes(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    if bytes > 0 {
        let sql = "INSERT INTO photo_backlog (org_id, bytes) VALUES ($1, $2)
             ON CONFLICT (org_id) DO UPDATE SET bytes = photo_backlog.bytes + excluded.bytes";
        q!(tx, execute, sql, org, bytes)?;
    }
    Ok(())
}

pub(crate) async fn subtract_bytes(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    if bytes > 0 {
        q!(&mut *tx, execute, "UPDATE photo_backlog SET bytes = bytes - $2 WHERE org_id = $1", org, bytes)?;
        q!(tx, execute, "DELETE FROM photo_backlog WHERE org_id = $1 AND bytes <= 0", org)?;
    }
    Ok(())
}

/// Removes totals of businesses without waiting photos: photos deleted with their lead are not subtracted.
pub(super) async fn prune_idle_totals(db: &Db) -> Result<()> {
    let sql = "SELECT w.org_id FROM photo_backlog w
         WHERE NOT EXISTS (SELECT 1 FROM photo_upload u WHERE u.org_id = w.org_id) LIMIT 100";
    let idle = q!(&mut db.acquire_reader().await?, fetch_all scalar OrgId, sql)?;
    for org in idle {
        let mut tx = db.begin().await?;
        // Locked first: a concurrent transaction adding photos updates the total too, so the next statement sees it.
        q!(&mut tx, execute, "UPDATE photo_backlog SET bytes = bytes WHERE org_id = $1", org)?;
        let sql = "DELETE FROM photo_backlog WHERE org_id = $1
             AND NOT EXISTS (SELECT 1 FROM photo_upload u WHERE u.org_id = $1)";
        q!(&mut tx, execute, sql, org)?;
        tx.commit().await?;
    }
    Ok(())
}
