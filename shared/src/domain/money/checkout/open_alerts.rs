//! Alerts that wait for the outcome of a refund.

use crate::{
    domain::{messaging::alert, money::ledger::PaymentStatus},
    platform::{
        clock::ClockRng,
        db::Tx,
        error::Result,
        id::{OrgId, PaymentId},
        money::Cents,
    },
};

/// Keys of the alerts that wait for the outcome of a refund.
const OPEN_ALERTS: [&str; 4] = ["unknown", "refused-key", "unreachable", "late"];

/// The outcome of a refund is known: its open alerts end and say so.
pub async fn end_open_alerts(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, amount): (PaymentId, Cents),
    status: PaymentStatus,
) -> Result<()> {
    let amount = amount.format_usd();
    let (title, body) = match status {
        PaymentStatus::Settled => {
            (format!("The refund of {amount} arrived"), "The money has gone back. Do not give it back a second time.")
        }
        PaymentStatus::Failed => (format!("The refund of {amount} was not made"), "No money went back by it."),
        _ => return Ok(()),
    };
    for key in OPEN_ALERTS {
        alert::end_alert(&mut *tx, origin, org, &format!("refund:{id}:{key}"), (&title, body)).await?;
    }
    Ok(())
}
