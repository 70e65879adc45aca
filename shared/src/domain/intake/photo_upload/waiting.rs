//! What the photos that wait come to, in bytes: one total for each business, changed in the transaction that changes its
//! photos, so that nobody adds them up.
//!
//! The total is changed last: its row is held until the transaction ends.

use crate::platform::{
    db::{AsConn, Db, Tx, q},
    error::Result,
    id::OrgId,
};

/// Of all businesses.
pub async fn bytes(conn: &mut dyn AsConn) -> Result<i64> {
    let sql = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM photo_waiting";
    Ok(q!(conn, fetch_one scalar i64, sql)?)
}

/// Of one business.
pub async fn bytes_of(conn: &mut dyn AsConn, org: OrgId) -> Result<i64> {
    let sql = "SELECT bytes FROM photo_waiting WHERE org_id = $1";
    Ok(q!(conn, fetch_optional scalar i64, sql, org)?.unwrap_or_default())
}

/// So many more wait.
pub(crate) async fn add(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    if bytes > 0 {
        let sql = "INSERT INTO photo_waiting (org_id, bytes) VALUES ($1, $2)
             ON CONFLICT (org_id) DO UPDATE SET bytes = photo_waiting.bytes + excluded.bytes";
        q!(tx, execute, sql, org, bytes)?;
    }
    Ok(())
}

/// So many wait no more.
pub(crate) async fn remove(tx: &mut Tx, org: OrgId, bytes: i64) -> Result<()> {
    if bytes > 0 {
        q!(&mut *tx, execute, "UPDATE photo_waiting SET bytes = bytes - $2 WHERE org_id = $1", org, bytes)?;
        q!(tx, execute, "DELETE FROM photo_waiting WHERE org_id = $1 AND bytes <= 0", org)?;
    }
    Ok(())
}

/// Removes the total of a business of which none waits: photos that went with their lead are not taken off.
pub(super) async fn tidy(db: &Db) -> Result<()> {
    let sql = "SELECT w.org_id FROM photo_waiting w
         WHERE NOT EXISTS (SELECT 1 FROM photo_upload u WHERE u.org_id = w.org_id) LIMIT 100";
    let idle = q!(&mut db.read().await?, fetch_all scalar OrgId, sql)?;
    for org in idle {
        let mut tx = db.begin().await?;
        // Locked first: a transaction that adds photos adds them to the total too, and is seen by the next statement.
        q!(&mut tx, execute, "UPDATE photo_waiting SET bytes = bytes WHERE org_id = $1", org)?;
        let sql = "DELETE FROM photo_waiting WHERE org_id = $1
             AND NOT EXISTS (SELECT 1 FROM photo_upload u WHERE u.org_id = $1)";
        q!(&mut tx, execute, sql, org)?;
        tx.commit().await?;
    }
    Ok(())
}
