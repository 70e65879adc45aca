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
    let needs_now = matches!(place.how, ErasureAction::ClearColumns(columns) if columns.iter().any(|(_, fate)| fate.as_sql() == "$3"));
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
    let sql = "DELETE FROM customer_merge WHERE org_id = $1 AND (kept_id = $2 OR gone_id = $2)";
    q!(tx, execute, sql, org, customer)?;
    Ok(())
}
