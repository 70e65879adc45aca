//! Alerts on the outcome of a refund, and the end of those that waited for it.

use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::ledger::{self, PaymentStatus},
        tenancy::org::OrgProfile,
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

/// The outcome of a refund is known: its open alerts end and say so. `is_seen`: Stripe's own list says it.
pub async fn end_open_alerts(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    (id, amount): (PaymentId, Cents),
    (status, is_seen): (PaymentStatus, bool),
) -> Result<()> {
    let Some((title, body)) = describe_refund_outcome(amount, status, is_seen) else { return Ok(()) };
    for key in OPEN_ALERTS {
        alert::end_alert(&mut *tx, origin, org, &format!("refund:{id}:{key}"), (&title, body)).await?;
    }
    Ok(())
}

/// Title and text; none while the outcome is open.
fn describe_refund_outcome(amount: Cents, status: PaymentStatus, is_seen: bool) -> Option<(String, &'static str)> {
    let amount = amount.format_usd();
    match (status, is_seen) {
        (PaymentStatus::Settled, true) => Some((
            format!("Stripe sent the refund of {amount}"),
            "Banks take a few days. Do not give it back a second time.",
        )),
        (PaymentStatus::Settled, false) => Some((
            format!("The refund of {amount} is marked as refunded"),
            "Stripe did not confirm it. Check in Stripe. Do not give it back a second time.",
        )),
        (PaymentStatus::Failed, true) => {
            Some((format!("The refund of {amount} was not made"), "No money went back by it."))
        }
        (PaymentStatus::Failed, false) => Some((
            format!("The refund of {amount} is marked as not refunded"),
            "Stripe did not confirm it. Check in Stripe.",
        )),
        _ => None,
    }
}

/// A refund recorded as not made, by Stripe's answer or by the business, was made.
pub(super) async fn alert_refund_made(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    id: PaymentId,
) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ended_alert_states_as_fact_only_what_stripe_lists() {
        let words = |status, is_seen| describe_refund_outcome(Cents(5_000), status, is_seen).unwrap();
        let (title, body) = words(PaymentStatus::Settled, true);
        assert!(title == "Stripe sent the refund of $50.00" && body.starts_with("Banks take a few days."), "{body}");
        assert_eq!(words(PaymentStatus::Failed, true).1, "No money went back by it.");
        for status in [PaymentStatus::Settled, PaymentStatus::Failed] {
            let (title, body) = words(status, false);
            assert!(title.contains("is marked as"), "{title}");
            assert!(body.starts_with("Stripe did not confirm it. Check in Stripe."), "{body}");
        }
        assert_eq!(describe_refund_outcome(Cents(5_000), PaymentStatus::Pending, true), None);
    }
}
