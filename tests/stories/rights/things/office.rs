//! Office records: a decision, a canned reply, a recipient, an alert, a device, a claimed number.

use chrono::Duration;
use shared::platform::{
    db::{Tx, q, qb},
    error::Result,
};

use super::Place;

/// A number of the server's account without a business.
pub(super) const NUMBER: &str = "+15125550701";

/// The next caller has claimed the number, and its code was sent.
async fn put_claim(tx: &mut Tx, place: &Place) -> Result<()> {
    let Place { org, other, caller, now, .. } = *place;
    q!(&mut *tx, execute, "DELETE FROM number_claim WHERE org_id = $1", org)?;
    q!(
        tx,
        execute,
        "INSERT INTO number_claim (org_id, id, number, way, account_id, state, tries, created_at, expires_at)
        VALUES ($1, $2, $3, 'text', $4, 'sent', 0, $5, $6)",
        org,
        other,
        NUMBER,
        caller,
        now,
        now + Duration::minutes(10)
    )?;
    Ok(())
}

/// A second number of the business, which it may release.
async fn put_number(tx: &mut Tx, place: &Place) -> Result<()> {
    let sql = "INSERT INTO sending_number (org_id, sender, kind, assigned_by, assigned_at)
        VALUES ($1, '+15125550788', 'number', 'operator', $2) ON CONFLICT (org_id, sender) DO NOTHING";
    q!(tx, execute, sql, place.org, place.now)?;
    Ok(())
}

/// A pending shorter retention period.
async fn put_period(tx: &mut Tx, place: &Place) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO retention (org_id, kind, days, effective_at, before_days) VALUES ($1, 'photos', 365, $2, 1825)
         ON CONFLICT (org_id, kind) DO UPDATE SET days = 365, effective_at = excluded.effective_at, before_days = 1825",
        place.org,
        place.now + Duration::hours(1)
    )?;
    Ok(())
}

async fn put_device(tx: &mut Tx, place: &Place) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO push_device (org_id, id, account_id, label, endpoint, p256dh, auth, created_at)
        VALUES ($1, $2, $3, 'A phone', 'https://fcm.googleapis.com/fcm/send/other', $4, $5, $6)",
        place.org,
        place.other,
        place.caller,
        super::super::DEVICE.0,
        super::super::DEVICE.1,
        place.now
    )?;
    Ok(())
}

pub(super) async fn put(tx: &mut Tx, place: &Place) -> Result<()> {
    put_claim(&mut *tx, place).await?;
    put_number(&mut *tx, place).await?;
    put_period(&mut *tx, place).await?;
    let Place { org, lead, other, now, .. } = *place;
    for table in ["automation_decision", "canned_reply", "recipient", "alert", "push_device"] {
        qb!(&mut *tx, execute, |b| {
            b.push("DELETE FROM ").push(table).push(" WHERE id = ").push_bind(other);
        })?;
    }
    q!(
        &mut *tx,
        execute,
        "INSERT INTO automation_decision (org_id, id, lead_id, at, event, rule, sent, reason, evidence)
        VALUES ($1, $2, $3, $4, 'lead_released', 'auto_reply', FALSE, 'a story', '{}')",
        org,
        other,
        lead,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO canned_reply (org_id, id, title, body, created_at)
        VALUES ($1, $2, 'Hours', 'We open at 8.', $3)",
        org,
        other,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO recipient (org_id, id, channel, address, created_at)
        VALUES ($1, $2, 'sms', '+15125550188', $3)",
        org,
        other,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO alert (org_id, id, kind, dedupe_key, title, body, is_urgent, created_at, due_at,
        notified_at, step) VALUES ($1, $2, 'new_lead', 'a story', 'A lead', 'Ann', FALSE, $3, $3, $3, 0)",
        org,
        other,
        now
    )?;
    put_device(tx, place).await
}
