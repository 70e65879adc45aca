//! A review entered by hand, a customer to be asked, and the key of another program.

use sha2::{Digest, Sha256};
use shared::platform::{
    db::{Tx, q},
    error::Result,
};

use super::Place;

pub(super) const KEY: &str = "rvk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(super) async fn clear(tx: &mut Tx, place: &Place) -> Result<()> {
    q!(&mut *tx, execute, "DELETE FROM review WHERE org_id = $1", place.org)?;
    q!(&mut *tx, execute, "DELETE FROM follow_up WHERE org_id = $1 AND about = 'review'", place.org)?;
    q!(tx, execute, "DELETE FROM review_request WHERE org_id = $1", place.org)?;
    Ok(())
}

/// They are asked by email, which needs the postal address of the business.
pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, other, now, .. } = *place;
    q!(&mut *tx, execute, "UPDATE org SET postal_address = '1 Main St' WHERE id = $1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO review_request (org_id, id, customer_id, lead_id, cause, state, is_override, created_at)
         VALUES ($1, $2, $2, $3, 'job_completed', 'waiting', FALSE, $4)",
        org,
        other,
        lead,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO review (org_id, id, stars, source, way, dedupe_key, content_key, received_at, created_at, search)
         VALUES ($1, $2, 50, 'Google', 'hand', 'walked', 'walked', $3, $3, '')",
        org,
        other,
        now
    )?;
    q!(
        tx,
        execute,
        "INSERT INTO review_key (org_id, key_hash, hint, created_at) VALUES ($1, $2, 'rvk_…AAAA', $3)
         ON CONFLICT (org_id) DO UPDATE SET key_hash = excluded.key_hash",
        org,
        Sha256::digest(KEY.as_bytes()).to_vec(),
        now
    )?;
    Ok(())
}
