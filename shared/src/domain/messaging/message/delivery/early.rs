//! Reports that came before the answer to the request they are about: kept, and joined when the provider's number of the
//! text is known.

use chrono::{DateTime, Duration, Utc};

use super::{Report, report};
use crate::platform::{
    clock::Origin,
    db::{Tx, q},
    error::Result,
};

/// A report that belongs to nothing of ours is forgotten after this time.
const KEEP_UNMATCHED: Duration = Duration::days(7);

pub(super) async fn keep(tx: &mut Tx, report: &Report<'_>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO early_report (provider_id, status, code, received_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (provider_id, status) DO NOTHING",
        report.provider_id,
        report.status,
        report.code.map(i64::from),
        report.received_at
    )?;
    Ok(())
}

/// Applies the reports that were kept for this number, and forgets them.
pub(super) async fn join(tx: &mut Tx, origin: &Origin, provider_id: &str) -> Result<()> {
    let mut kept = q!(
        &mut *tx,
        fetch_all as (String, Option<i64>, DateTime<Utc>),
        "DELETE FROM early_report WHERE provider_id = $1 RETURNING status, code, received_at",
        provider_id
    )?;
    kept.sort_by_key(|(_, _, received_at)| *received_at);
    for (status, code, received_at) in kept {
        let code = code.and_then(|code| i32::try_from(code).ok());
        let early = Report { message: None, provider_id, status: &status, code, received_at };
        // A boxed step back into the ordinary way: a join holds no more than a report each of a handful of states.
        Box::pin(report(tx, origin, &early)).await?;
    }
    Ok(())
}

/// Joins reports whose message became known at the same moment as they came in, and forgets those of strangers.
pub(crate) async fn tidy(tx: &mut Tx, origin: &Origin) -> Result<()> {
    let missed = q!(
        &mut *tx,
        fetch_all scalar String,
        "SELECT DISTINCT e.provider_id FROM early_report e CROSS JOIN message m
         WHERE m.provider_id = e.provider_id AND m.channel = 'sms' AND m.direction = 'out' AND m.status <> 'sending'"
    )?;
    for provider_id in missed {
        join(tx, origin, &provider_id).await?;
    }
    q!(tx, execute, "DELETE FROM early_report WHERE received_at < $1", origin.now() - KEEP_UNMATCHED)?;
    Ok(())
}
