//! A held time, with nothing else booked.

use chrono::{DateTime, Utc};
use shared::platform::{
    db::{Tx, q},
    error::Result,
};

use super::Place;

/// Two mornings on which the crew works, two weeks after every story begins.
pub(crate) const STARTS: [&str; 2] = ["2026-10-01T15:00:00Z", "2026-10-02T15:00:00Z"];

/// Renews the hold; earlier bookings are cancelled.
pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, now, .. } = *place;
    let [starts, ends] = ["15:00", "17:00"].map(|hour| {
        let day = STARTS[1].split('T').next().unwrap_or_default();
        format!("{day}T{hour}:00Z").parse::<DateTime<Utc>>().unwrap_or_default()
    });
    q!(&mut *tx, execute, "DELETE FROM slot_hold WHERE org_id = $1", org)?;
    q!(&mut *tx, execute, "DELETE FROM idempotency WHERE org_id = $1 AND operation = 'booking'", org)?;
    let off = "UPDATE job SET status = 'cancelled' WHERE org_id = $1 AND id <> $2 AND crew_id IS NOT NULL";
    q!(&mut *tx, execute, off, org, other)?;
    // The held time keeps its id, and its booking requests refer to it.
    q!(&mut *tx, execute, "DELETE FROM booking_request WHERE org_id = $1", org)?;
    q!(
        tx,
        execute,
        "INSERT INTO slot_hold (org_id, id, crew_id, starts_at, ends_at, expires_at) VALUES ($1, $2, $2, $3, $4, $5)",
        org,
        other,
        starts,
        ends,
        now + chrono::Duration::minutes(5)
    )?;
    Ok(())
}
