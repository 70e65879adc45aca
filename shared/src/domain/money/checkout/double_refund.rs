//! A card payment that was refunded in Stripe after the business had given money of it back in another way.

use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::ledger::card,
        tenancy::org::OrgProfile,
    },
    platform::{clock::ClockRng, db::Tx, error::Result, id::PaymentId, money::Cents},
};

pub(super) async fn alert_double_refund(
    tx: &mut Tx,
    origin: &ClockRng,
    profile: &OrgProfile,
    (payment, id): (&str, PaymentId),
) -> Result<()> {
    let org = profile.org.id;
    let otherwise = card::sum_refunded_elsewhere(&mut *tx, org, payment).await?;
    if otherwise <= Cents::ZERO {
        return Ok(());
    }
    let refund = crate::domain::money::ledger::load_payment(&mut *tx, org, id, origin.now()).await?;
    let Some(of) = refund.refund_of else { return Ok(()) };
    let Some(held) = card::find_stripe_payment(&mut *tx, org, of).await? else { return Ok(()) };
    // A refund of ours that has not left is not counted as money that went back.
    let in_stripe = held.back_cents.0 - held.unknown_there_cents.0;
    let beyond = Cents(in_stripe + otherwise.0 - held.amount_cents.0);
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("refund:{id}:twice"),
            format!("A refund of {} was made in Stripe", refund.amount.format_usd()),
            alert_text(otherwise, beyond),
        )
    };
    alert::raise_alert(tx, origin, profile, alert).await.map(|_| ())
}

/// `beyond`: the amount returned beyond the payment.
fn alert_text(otherwise: Cents, beyond: Cents) -> String {
    let before = format!("You gave {} of this payment back in another way before.", otherwise.format_usd());
    if beyond > Cents::ZERO {
        let beyond = beyond.format_usd();
        return format!(
            "{before} Together that is {beyond} more than was paid. Ask the customer for it: it is not on their bill."
        );
    }
    format!("{before} Make sure that the customer does not get the same money twice.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn double_refund_notice_states_excess_amount() {
        let text = alert_text(Cents(10_000), Cents(6_000));
        assert!(text.starts_with("You gave $100.00 of this payment back in another way before. "), "{text}");
        assert!(text.contains("$60.00 more than was paid"), "{text}");
        assert!(alert_text(Cents(4_000), Cents(-2_000)).ends_with("does not get the same money twice."));
    }
}
