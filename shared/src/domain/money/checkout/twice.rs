//! A card payment that was refunded in Stripe after the business had given money of it back in another way.

use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::ledger::card,
        tenancy::org::Profile,
    },
    platform::{clock::Origin, db::Tx, error::Result, id::PaymentId, money::Cents},
};

/// A payment of which something was given back in cash, by check or in another way was refunded in Stripe too.
pub(super) async fn tell(
    tx: &mut Tx,
    origin: &Origin,
    profile: &Profile,
    (payment, id): (&str, PaymentId),
) -> Result<()> {
    let org = profile.org.id;
    let otherwise = card::back_otherwise(&mut *tx, org, payment).await?;
    if otherwise <= Cents::ZERO {
        return Ok(());
    }
    let refund = crate::domain::money::ledger::payment(&mut *tx, org, id, origin.now()).await?;
    let Some(of) = refund.refund_of else { return Ok(()) };
    let Some(held) = card::at_stripe(&mut *tx, org, of).await? else { return Ok(()) };
    // A refund of ours that has not left is no money that went back.
    let in_stripe = held.back_cents.0 - held.unknown_there_cents.0;
    let beyond = Cents(in_stripe + otherwise.0 - held.amount_cents.0);
    let alert = NewAlert {
        lead: Some(refund.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("refund:{id}:twice"),
            format!("A refund of {} was made in Stripe", refund.amount.shown()),
            said(otherwise, beyond),
        )
    };
    alert::raise(tx, origin, profile, alert).await.map(|_| ())
}

/// What is said of it. `beyond` is what went back beyond the payment.
fn said(otherwise: Cents, beyond: Cents) -> String {
    let before = format!("You gave {} of this payment back in another way before.", otherwise.shown());
    if beyond > Cents::ZERO {
        let beyond = beyond.shown();
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
    fn what_went_back_twice_is_told_with_what_is_too_much() {
        let text = said(Cents(10_000), Cents(6_000));
        assert!(text.starts_with("You gave $100.00 of this payment back in another way before. "), "{text}");
        assert!(text.contains("$60.00 more than was paid"), "{text}");
        assert!(said(Cents(4_000), Cents(-2_000)).ends_with("does not get the same money twice."));
    }
}
