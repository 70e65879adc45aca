//! A member of the business, and a pending invitation with its link.

use chrono::Duration;
use shared::platform::{
    db::{Tx, q},
    error::Result,
};

use super::Place;

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, now, .. } = *place;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active, created_at,
             password_changed_at)
         VALUES ($1, $2, 'other@staff.example', 'Olga Other', 'crew', 'none', FALSE, TRUE, $3, $3)
         ON CONFLICT (id) DO UPDATE SET role = 'crew', is_active = TRUE",
        other,
        org,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO invite (org_id, id, name, role, created_at) VALUES ($1, $2, 'Dave', 'crew', $3)
         ON CONFLICT (org_id, id) DO UPDATE SET accepted_at = NULL, account_id = NULL",
        org,
        other,
        now
    )?;
    q!(
        tx,
        execute,
        "INSERT INTO access_link (org_id, id, kind, subject_id, created_at, expires_at, seen)
         VALUES ($1, $2, 'invite', $2, $3, $4, 0) ON CONFLICT (org_id, id) DO UPDATE SET revoked_at = NULL",
        org,
        other,
        now,
        now + Duration::days(7)
    )?;
    Ok(())
}
