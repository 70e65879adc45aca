//! Erasures of an older state of the database, as a restored backup has: people it still knows are erased again, and
//! nobody else. A person who shares a record with somebody else there only because of a merge is parted first.

use std::collections::BTreeSet;

use super::{
    CustomerErasure, ErasureCause, ErasureContext, begin_secure_delete, erase_records, list::ListedErasure,
    list_customer_records, request::find_record_erasure,
};
use crate::{
    ops::customer_merge,
    platform::{
        db::{AsConn, Tx, q, qb},
        error::{Error, Result},
        id::{CustomerId, OrgId},
    },
};

/// Records by their business.
type RecordSet = BTreeSet<(OrgId, CustomerId)>;

/// Undoes, however old they are, the merges of an older state that join a person to be erased with one who is not, and
/// those that came after them. Returns the pairs: the record that stayed, and the one that was merged into it. A line
/// that does not name the merged records erases all of them, as the older version did that wrote it.
/// Errors: [`Error::Refused`] when the older state does not say whose data is whose.
pub(crate) async fn part_unlisted_merges(
    ctx: &ErasureContext<'_>,
    erasures: &[ListedErasure],
) -> Result<Vec<[CustomerId; 2]>> {
    let mut pending = Vec::new();
    for listed in erasures {
        if !is_erased(&mut ctx.db.acquire_reader().await?, &listed.erasure).await? {
            pending.push(listed);
        }
    }
    let records = list_erased_records(ctx, &pending).await?;
    let mut parted = Vec::new();
    for ListedErasure { erasure, merged } in pending {
        let Some(merged) = merged else { continue };
        for record in std::iter::once(&erasure.customer_id).chain(merged) {
            parted.extend(part_record(ctx, (erasure, *record), &records).await?);
        }
    }
    Ok(parted)
}

/// All records that the lines erase.
async fn list_erased_records(ctx: &ErasureContext<'_>, erasures: &[&ListedErasure]) -> Result<RecordSet> {
    let mut listed = RecordSet::new();
    for ListedErasure { erasure, merged } in erasures.iter().copied() {
        let CustomerErasure { org_id: org, customer_id, .. } = *erasure;
        let records = match merged {
            Some(merged) => merged.clone(),
            None => list_customer_records(&mut ctx.db.acquire_reader().await?, org, customer_id).await?,
        };
        listed.insert((org, customer_id));
        listed.extend(records.into_iter().map(|record| (org, record)));
    }
    Ok(listed)
}

/// Whether the older state is from after the erasure.
async fn is_erased(conn: &mut dyn AsConn, erasure: &CustomerErasure) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM erasure WHERE org_id = $1 AND customer_id = $2 AND state = 'done')";
    Ok(q!(conn, fetch_one scalar bool, sql, erasure.org_id, erasure.customer_id)?)
}

async fn part_record(
    ctx: &ErasureContext<'_>,
    (erasure, record): (&CustomerErasure, CustomerId),
    listed: &RecordSet,
) -> Result<Vec<[CustomerId; 2]>> {
    let (org, mut parted) = (erasure.org_id, Vec::new());
    loop {
        let merges = list_record_merges(&mut ctx.db.acquire_reader().await?, org, record).await?;
        let is_foreign = |pair: &&[CustomerId; 2]| pair.iter().any(|one| !listed.contains(&(org, *one)));
        let Some(foreign) = merges.iter().find(is_foreign) else { return Ok(parted) };
        let mut tx = begin_secure_delete(ctx).await?;
        tx.guard_writable(org);
        // The last merge first. Terminates: each merge that is undone leaves the table.
        let Some(pair) = customer_merge::part_last_merge(&mut tx, ctx.origin, org, foreign[1]).await? else {
            return Err(merge_unknown_error(erasure, *foreign));
        };
        tx.commit().await?;
        parted.push(pair);
    }
}

/// The merges of a record: the record that stayed, and the one that was merged into it.
async fn list_record_merges(conn: &mut dyn AsConn, org: OrgId, record: CustomerId) -> Result<Vec<[CustomerId; 2]>> {
    let sql = "SELECT merged_into FROM customer WHERE org_id = $1 AND id = $2";
    let into = q!(&mut *conn, fetch_optional scalar Option<CustomerId>, sql, org, record)?.flatten();
    let sql = "SELECT id FROM customer WHERE org_id = $1 AND merged_into = $2 ORDER BY id";
    let merged = q!(conn, fetch_all scalar CustomerId, sql, org, record)?;
    let up = into.map(|into| [into, record]);
    Ok(up.into_iter().chain(merged.into_iter().map(|one| [record, one])).collect())
}

fn merge_unknown_error(erasure: &CustomerErasure, [kept, gone]: [CustomerId; 2]) -> Error {
    let CustomerErasure { id, customer_id, .. } = erasure;
    Error::Refused(format!(
        "customer {gone} is merged into customer {kept} in this backup. Only one of them was erased since, and the \
         backup does not say whose data is whose. Restore a backup from before the two were merged, or from after they \
         were parted. Or move the newer backups out of BACKUP_DIR and from beside this one, because each has a copy of the \
         list, and remove the line with {id} from every erasures.list (in DATA_DIR, in BACKUP_DIR and beside the backup): \
         customer {customer_id} is back then, merged with the other, and an erasure takes both"
    ))
}

/// Erases people still known to an older state of the database, after [`part_unlisted_merges`]. It adds no line to the
/// list: the older state may know other merged records than the erasure. Returns how many records it knew.
pub(crate) async fn reapply_erasures(ctx: &ErasureContext<'_>, erasures: &[ListedErasure]) -> Result<usize> {
    let mut repeated = 0;
    for ListedErasure { erasure, merged } in erasures {
        let org = erasure.org_id;
        let joined = list_customer_records(&mut ctx.db.acquire_reader().await?, org, erasure.customer_id).await?;
        repeated += usize::from(reapply_erasure(ctx, erasure).await?);
        // The older state may be from before a merge: these records are on their own there.
        for record in merged.iter().flatten().filter(|record| !joined.contains(record)) {
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
    let records = list_customer_records(&mut conn, erasure.org_id, erasure.customer_id).await?;
    drop(conn);
    let Some(waits) = waits else { return Ok(false) };
    erase_records(ctx, &waits, ErasureCause::Request, &records).await?;
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
