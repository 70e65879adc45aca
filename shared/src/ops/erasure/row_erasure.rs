//! Rows of one table of the catalogue.

use uuid::Uuid;

use super::{
    ErasureContext, begin_secure_delete,
    catalogue::{ErasureAction, ErasureTarget},
};
use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{CustomerId, OrgId},
};

/// One table for each transaction, so that no writer waits long.
pub(super) async fn erase_table_rows(
    ctx: &ErasureContext<'_>,
    place: &ErasureTarget,
    org: OrgId,
    customer: CustomerId,
) -> Result<u64> {
    let mut tx = begin_secure_delete(ctx).await?;
    tx.guard_writable(org);
    if place.table == "property" {
        anonymize_address_keys(&mut tx, org, customer).await?;
    }
    let now = ctx.origin.now();
    let needs_now = matches!(place.how, ErasureAction::ClearColumns(columns) if columns.iter().any(|(_, fate)| fate.as_sql().contains("$3")));
    let sql = build_erase_sql(place);
    let changed = if needs_now {
        q!(&mut tx, execute, sqlx::AssertSqlSafe(sql), org, customer, now)?
    } else {
        q!(&mut tx, execute, sqlx::AssertSqlSafe(sql), org, customer)?
    };
    tx.commit().await?;
    Ok(changed)
}

fn build_erase_sql(place: &ErasureTarget) -> String {
    let ErasureTarget { table, of, how } = place;
    match how {
        ErasureAction::DeleteRows => format!("DELETE FROM {table} WHERE org_id = $1 AND {of}"),
        ErasureAction::ClearColumns(columns) => {
            let set: Vec<String> =
                columns.iter().map(|(column, fate)| format!("{column} = {}", fate.as_sql())).collect();
            format!("UPDATE {table} SET {} WHERE org_id = $1 AND {of}", set.join(", "))
        }
    }
}

/// Places of one person differ by the key of their address: the id replaces it.
async fn anonymize_address_keys(tx: &mut Tx, org: OrgId, customer: CustomerId) -> Result<()> {
    let sql = "SELECT id FROM property WHERE org_id = $1 AND customer_id = $2";
    for id in q!(&mut *tx, fetch_all scalar Uuid, sql, org, customer)? {
        let sql = "UPDATE property SET address_key = $3 WHERE org_id = $1 AND id = $2";
        q!(&mut *tx, execute, sql, org, id, id.to_string())?;
    }
    // The history of the other person names both.
    let sql = "UPDATE work_event SET detail = '{}' WHERE org_id = $1 AND kind = 'customers_merged'
        AND lead_id IN (SELECT l.id FROM customer_merge m CROSS JOIN customer c CROSS JOIN lead l WHERE m.org_id = $1
            AND (m.kept_id = $2 OR m.gone_id = $2) AND c.org_id = $1 AND c.id IN (m.kept_id, m.gone_id)
            AND l.org_id = $1 AND l.customer_id = COALESCE(c.merged_into, c.id))
        AND subject_id IN (SELECT id FROM customer_merge WHERE org_id = $1 AND (kept_id = $2 OR gone_id = $2))";
    q!(&mut *tx, execute, sql, org, customer)?;
    let sql = "DELETE FROM customer_merge WHERE org_id = $1 AND (kept_id = $2 OR gone_id = $2)";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}
