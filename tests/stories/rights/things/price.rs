//! An item of the price book.

use shared::platform::{
    db::{Tx, q},
    error::Result,
};

use super::Place;

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, now, .. } = *place;
    q!(
        tx,
        execute,
        "INSERT INTO price_item (org_id, id, name, unit, price_cents, is_active, search, created_at, updated_at)
         VALUES ($1, $2, 'Walked valve', 'each', 1250, TRUE, 'walked valve', $3, $3)
         ON CONFLICT (org_id, id) DO UPDATE SET is_active = TRUE",
        org,
        other,
        now
    )?;
    Ok(())
}
