//! Reports that came before the response to their request: kept until the provider's id of the text is known.

use chrono::{DateTime, Duration, Utc};

use super::{DeliveryReport, process_delivery_report};
use crate::platform::{
    clock::ClockRng,
    db::{Tx, q},
    error::Result,
};

/// Reports that match no message are deleted after this time.
const KEEP_UNMATCHED: Duration = Duration::days(7);

pub(super) async fn store_early_report(tx: &mut Tx, report: &DeliveryReport<'_>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO unmatched_delivery_report (provider_id, status, code, received_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (provider_id, status) DO NOTHING",
        report.provider_id,
        report.status,
        report.code.map(i64::from),
        report.received_at
    )?;
    Ok(())
}

pub(super) async fn apply_early_reports(tx: &mut Tx, origin: &ClockRng, provider_id: &str) -> Result<()> {
    let mut kept = q!(
        &mut *tx,
        fetch_all as (String, Option<i64>, DateTime<Utc>),
        "DELETE FROM unmatched_delivery_report WHERE provider_id = $1 RETURNING status, code, received_at",
        provider_id
    )?;
    kept.sort_by_key(|(_, _, received_at)| *received_at);
    for (status, code, received_at) in kept {
        let code = code.and_then(|code| i32::try_from(code).ok());
        let early = DeliveryReport { message: None, provider_id, status: &status, code, received_at };
        // Boxed recursion; bounded, because a join holds at most one report for each of a few states.
        Box::pin(process_delivery_report(tx, origin, &early)).await?;
    }
    Ok(())
}

/// Joins reports whose message became known at the moment they came in, and deletes those of unknown messages.
pub(crate) async fn prune_early_reports(tx: &mut Tx, origin: &ClockRng) -> Result<()> {
    let missed = q!(
        &mut *tx,
        fetch_all scalar String,
        "SELECT DISTINCT e.provider_id FROM unmatched_delivery_report e CROSS JOIN message m
         WHERE m.provider_id = e.provider_id AND m.channel = 'sms' AND m.direction = 'out' AND m.status <> 'sending'"
    )?;
    for provider_id in missed {
        apply_early_reports(tx, origin, &provider_id).await?;
    }
    q!(tx, execute, "DELETE FROM unmatched_delivery_report WHERE received_at < $1", origin.now() - KEEP_UNMATCHED)?;
    Ok(())
}
