//! Alerts on the outcome of a refund, and the end of those that waited for it.

use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::ledger::{self, PaymentStatus},
        tenancy::org::Profile,
    },
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

/// A refund recorded as not made, by Stripe's answer or by the business, was made.
pub(super) async fn alert_refund_made(tx: &mut Tx, origin: &ClockRng, profile: &Profile, id: PaymentId) -> Result<()> {
    let refund = ledger::load_payment(&mut *tx, profile.org.id, id, origin.now()).await?;
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("refund:{id}:made"),
            format!("A refund of {} was made after all", refund.amount.format_usd()),
            "Your books said that it was not made. Stripe lists it, and your books are corrected. If you gave the money back in another way since, it went back twice.".to_owned(),
        )
    };
    alert::raise_alert(tx, origin, profile, alert).await.map(|_| ())
}
