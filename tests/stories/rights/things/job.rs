//! A job in the tray, with a checklist item, its costs, its crew, and a change that can be undone.

use serde_json::json;
use shared::platform::{
    db::{Tx, q},
    error::Result,
};
use sqlx::types::Json;

use super::Place;

/// Restores the crew, with the next caller in it, its job, the checklist item and the change.
pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, lead, customer, other, caller, now } = *place;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO crew (org_id, id, name, tone, is_bookable, is_active, position, created_at)
         VALUES ($1, $2, 'Walkers', 0, TRUE, TRUE, 0, $3) ON CONFLICT (org_id, id) DO NOTHING",
        org,
        other,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO crew_member (org_id, crew_id, account_id) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, crew_id, account_id) DO NOTHING",
        org,
        other,
        caller
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO job (org_id, id, number, lead_id, customer_id, crew_id, service, status, priority, duration_minutes,
             arrival_minutes, materials, required_photos, source, version, plan, listed_at, search, created_at, updated_at)
         VALUES ($1, $2, 1, $3, $4, $2, 'Roof Repair', 'scheduled', 'standard', 120, 0, '[]', 'none', 'Website', 1, 1, $5,
             '', $5, $5)
         ON CONFLICT (org_id, id) DO UPDATE SET status = 'scheduled', crew_id = $2, starts_at = NULL, ends_at = NULL,
             started_at = NULL, on_my_way_at = NULL, eta_at = NULL, version = 1",
        org,
        other,
        lead,
        customer,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO job_check (org_id, id, job_id, position, label) VALUES ($1, $2, $2, 0, 'Water off')
         ON CONFLICT (org_id, id) DO NOTHING",
        org,
        other
    )?;
    put_cost(&mut *tx, place).await?;
    q!(&mut *tx, execute, "DELETE FROM work_event WHERE org_id = $1 AND job_id = $2", org, other)?;
    q!(
        tx,
        execute,
        "INSERT INTO work_event (org_id, id, lead_id, job_id, kind, at, recorded_at, actor_kind, account_id, actor_name,
             detail, was)
         VALUES ($1, $2, $3, $2, 'job_assigned', $4, $4, 'account', $5, 'Sam Staff', '{}', $6)",
        org,
        other,
        lead,
        now,
        caller,
        Json(json!({"status": "scheduled", "crewId": other, "version": 1}))
    )?;
    Ok(())
}

async fn put_cost(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, now, .. } = *place;
    q!(
        tx,
        execute,
        "INSERT INTO job_cost (org_id, id, job_id, kind, quantity_milli, rate_cents, amount_cents, created_at)
         VALUES ($1, $2, $2, 'materials', 1000, 2500, 2500, $3) ON CONFLICT (org_id, id) DO NOTHING",
        org,
        other,
        now
    )?;
    Ok(())
}
