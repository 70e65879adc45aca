//! Erasures of an older state of the database, as a restored backup has: people it still knows are erased again.

use super::{
    CustomerErasure, ErasureCause, ErasureContext, list::ListedErasure, list_customer_records,
    request::find_record_erasure, run_erasure,
};
use crate::platform::{
    db::{Tx, q, qb},
    error::Result,
};

/// Erases people still known to an older state of the database. Returns how many records it knew.
pub(crate) async fn reapply_erasures(ctx: &ErasureContext<'_>, erasures: &[ListedErasure]) -> Result<usize> {
    let mut repeated = 0;
    for ListedErasure { erasure, merged } in erasures {
        let org = erasure.org_id;
        let joined = list_customer_records(&mut ctx.db.acquire_reader().await?, org, erasure.customer_id).await?;
        repeated += usize::from(reapply_erasure(ctx, erasure).await?);
        // The older state may be from before a merge: these records are on their own there.
        for record in merged.iter().filter(|record| !joined.contains(record)) {
            let apart = CustomerErasure { id: ctx.origin.uuid_v7(), customer_id: *record, ..*erasure };
            repeated += usize::from(reapply_erasure(ctx, &apart).await?);
        }
    }
    Ok(repeated)
}

/// False when the older state does not know the record, or knows it as erased.
async fn reapply_erasure(ctx: &ErasureContext<'_>, erasure: &CustomerErasure) -> Result<bool> {
    let mut tx = ctx.db.begin_long().await?;
    tx.guard_writable(erasure.org_id);
    let is_known = requeue_erasure(&mut tx, erasure).await?;
    tx.commit().await?;
    if !is_known {
        return Ok(false);
    }
    let mut conn = ctx.db.acquire_reader().await?;
    let waits = find_record_erasure(&mut conn, erasure.org_id, erasure.customer_id).await?;
    drop(conn);
    let Some(waits) = waits else { return Ok(false) };
    run_erasure(ctx, &waits, ErasureCause::Request).await?;
    Ok(true)
}

/// Marks a person as erased in an older state of the database, as a restore does. False when it does not know them.
async fn requeue_erasure(tx: &mut Tx, erasure: &CustomerErasure) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM customer WHERE org_id = $1 AND id = $2)";
    if !q!(&mut *tx, fetch_one scalar bool, sql, erasure.org_id, erasure.customer_id)? {
        return Ok(false);
    }
    // An older state may hold the waiting erasure.
    let waits = q!(
        &mut *tx,
        execute,
        "UPDATE erasure SET due_at = $3 WHERE org_id = $1 AND customer_id = $2 AND state = 'waiting'",
        erasure.org_id,
        erasure.customer_id,
        erasure.due_at
    )?;
    let put = qb!(tx, execute, |b| {
        b.push("INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files) SELECT ")
            .push_bind(erasure.org_id)
            .push(", ")
            .push_bind(erasure.id)
            .push(", ")
            .push_bind(erasure.customer_id)
            .push(", ")
            .push_bind(erasure.asked_at)
            .push(", ")
            .push_bind(erasure.due_at)
            .push(", 'waiting', 0, 0 WHERE NOT EXISTS (SELECT 1 FROM erasure WHERE org_id = ")
            .push_bind(erasure.org_id)
            .push(" AND customer_id = ")
            .push_bind(erasure.customer_id)
            .push(" AND state IN ('waiting', 'done'))");
    })?;
    Ok(waits + put > 0)
}
