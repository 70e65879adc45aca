//! Access of other programs: a key, and a webhook with a call.

use shared::platform::{
    db::{Tx, q, qb},
    error::Result,
};

use super::Place;

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, caller, now, .. } = *place;
    for table in ["api_key", "webhook"] {
        qb!(&mut *tx, execute, |b| {
            b.push("DELETE FROM ").push(table).push(" WHERE id = ").push_bind(other);
        })?;
    }
    q!(
        &mut *tx,
        execute,
        "INSERT INTO api_key (org_id, id, account_id, name, key_hash, hint, scopes, created_at)
        VALUES ($1, $2, $3, 'Site', $4, 'tbk_…Ab3d', 'leads:read', $5)",
        org,
        other,
        caller,
        vec![9_u8; 32],
        now
    )?;
    // It has no events, and its secret cannot be decrypted: it is never called.
    q!(
        &mut *tx,
        execute,
        "INSERT INTO webhook (org_id, id, url, events, secret, is_on, created_at)
        VALUES ($1, $2, 'https://hooks.example.com/x', '', $3, TRUE, $4)",
        org,
        other,
        vec![9_u8; 32],
        now
    )?;
    q!(
        tx,
        execute,
        "INSERT INTO webhook_delivery (org_id, id, webhook_id, event_id, event, body, state, tries, created_at)
        VALUES ($1, $2, $2, $2, 'lead.created', '{}', 'failed', 8, $3)",
        org,
        other,
        now
    )?;
    Ok(())
}
