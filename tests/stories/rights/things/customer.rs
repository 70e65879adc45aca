//! Another record of the same person, a property, a merge and an import that can be undone. The last three have the
//! customer's id.

use chrono::Duration;
use serde_json::json;
use shared::platform::{
    db::{Tx, q},
    error::Result,
};
use sqlx::types::Json;
use uuid::Uuid;

use super::Place;

/// A customer who can be erased, and one whose erasure is pending.
pub(super) const ERASABLE: Uuid = Uuid::from_u128(97);
pub(super) const WAITING: Uuid = Uuid::from_u128(98);

async fn put_erasures(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, now, .. } = *place;
    q!(&mut *tx, execute, "DELETE FROM erasure WHERE org_id = $1", org)?;
    for id in [ERASABLE, WAITING] {
        let sql =
            "INSERT INTO customer (org_id, id, name, search, created_at) VALUES ($1, $2, 'Zed Ray', 'zed ray', $3)
            ON CONFLICT (org_id, id) DO UPDATE SET name = excluded.name";
        q!(&mut *tx, execute, sql, org, id, now - Duration::days(30))?;
    }
    let sql = "INSERT INTO erasure (org_id, id, customer_id, asked_at, due_at, state, rows, files)
        VALUES ($1, $2, $2, $3, $4, 'waiting', 0, 0)";
    q!(tx, execute, sql, org, WAITING, now, now + Duration::days(300))?;
    Ok(())
}

/// Reopens the data that a form proposed.
async fn put_proposal(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, customer, other, now, .. } = *place;
    q!(&mut *tx, execute, "DELETE FROM contact_proposal WHERE org_id = $1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO contact_proposal (org_id, id, customer_id, lead_id, kind, value, state, created_at)
         VALUES ($1, $2, $3, $4, 'email', 'also@customer.example', 'open', $5)",
        org,
        other,
        customer,
        lead,
        now
    )?;
    Ok(())
}

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    put_erasures(&mut *tx, place).await?;
    let Place { org, customer, other, now, .. } = *place;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO customer (org_id, id, name, search, created_at) VALUES ($1, $2, 'Ann M. Lee', 'ann m. lee', $3)
         ON CONFLICT (org_id, id) DO UPDATE SET merged_into = NULL",
        org,
        other,
        now + Duration::days(1)
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO property (org_id, id, customer_id, address, address_key, created_at)
         VALUES ($1, $2, $2, '1 Elm St', '1elmst', $3) ON CONFLICT (org_id, id) DO UPDATE SET removed_at = NULL",
        org,
        customer,
        now
    )?;
    put_proposal(&mut *tx, place).await?;
    q!(&mut *tx, execute, "DELETE FROM customer_import WHERE org_id = $1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO customer_import (org_id, id, at, customers, leads) VALUES ($1, $2, $3, 0, 0)",
        org,
        customer,
        now
    )?;
    q!(&mut *tx, execute, "DELETE FROM customer_merge WHERE org_id = $1", org)?;
    let person = json!({"name": "Ann Lee", "phone": null, "email": null, "language": null, "is_staff": false,
        "is_blocked": false});
    let moved = json!({
        "keys": [], "rows": {}, "places": {"own": [], "doubled": []}, "threads": {"kept": null, "gone": null, "both": null},
        "optOuts": [], "consent": null, "before": person, "after": person,
    });
    q!(
        tx,
        execute,
        "INSERT INTO customer_merge (org_id, id, kept_id, gone_id, moved, at) VALUES ($1, $2, $2, $3, $4, $5)",
        org,
        customer,
        other,
        Json(moved),
        now
    )?;
    Ok(())
}
