//! A card payment that its payer disputes with their bank: the bank takes the money back at once, and it returns when
//! the business is found to be right. The ledger says so, the invoice is marked, and nobody is reminded meanwhile.

use super::Checkout;
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
        money::{
            invoice,
            ledger::{Status, card},
        },
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{InvoiceId, OrgId},
        live::{self, Topic},
        money::Cents,
    },
    providers::payments::Dispute,
};

/// The note of what the bank took back.
pub(crate) const DISPUTED: &str = "disputed with their bank";

/// How a dispute stands, by what Stripe calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The bank asks, and has taken nothing.
    Asked,
    /// It asked, and is content.
    Content,
    /// The money is with the bank until it decides.
    Contested,
    Won,
    Lost,
}

impl Standing {
    fn of(status: &str) -> Self {
        match status {
            "warning_needs_response" | "warning_under_review" => Self::Asked,
            // A bank that only asked, and was told before it took anything, is content too.
            "warning_closed" | "prevented" => Self::Content,
            "won" => Self::Won,
            "lost" => Self::Lost,
            _ => Self::Contested,
        }
    }

    fn is_settled_well(self) -> bool {
        matches!(self, Self::Content | Self::Won)
    }
}

/// Takes what Stripe answers of the disputes of a payment, as often as it is asked. `visit` names the payment.
pub(super) async fn note(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, disputes: &[Dispute]) -> Result<()> {
    for one in disputes {
        take(&mut *tx, house, visit, one).await?;
    }
    // One that is won says nothing of another.
    let is_over = disputes.iter().all(|one| Standing::of(&one.status).is_settled_well());
    if is_over && !disputes.is_empty() {
        mark(tx, house, visit, false).await?;
    }
    Ok(())
}

async fn take(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, dispute: &Dispute) -> Result<()> {
    let (standing, amount) = (Standing::of(&dispute.status), dispute.amount);
    let known = card::known(&mut *tx, house.profile.org.id, None, &dispute.id).await?;
    match (standing, known) {
        (Standing::Won | Standing::Content, Some(id)) => {
            card::stands(&mut *tx, house.origin, house.profile.org.id, id, None, Status::Failed).await?;
        }
        // It was over before we heard of its beginning, which will then change nothing.
        (Standing::Won, None) => book(tx, house, visit, (&dispute.id, amount, Status::Failed)).await?,
        (Standing::Contested | Standing::Lost, None) => {
            mark(tx, house, visit, true).await?;
            book(tx, house, visit, (&dispute.id, amount, Status::Settled)).await?;
        }
        // Won at first: banks have another round.
        (Standing::Lost, Some(id)) => {
            if card::taken_again(&mut *tx, house.origin, house.profile.org.id, id).await? {
                mark(tx, house, visit, true).await?;
                return tell(tx, house, visit, (&dispute.id, ":again"), standing, amount).await;
            }
        }
        (Standing::Asked, _) => mark(tx, house, visit, true).await?,
        (Standing::Content, None) | (Standing::Contested, Some(_)) => {}
    }
    tell(tx, house, visit, (&dispute.id, ""), standing, amount).await
}

async fn book(
    tx: &mut Tx,
    house: &Intake<'_>,
    visit: &Checkout,
    (id, amount, status): (&str, Cents, Status),
) -> Result<()> {
    let Some(payment) = &visit.payment_provider_id else { return Ok(()) };
    card::found(tx, house.origin, house.profile, payment, (id, amount, status), DISPUTED).await.map(|_| ())
}

/// Marks the invoices that the payment pays, or did.
async fn mark(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout, is_disputed: bool) -> Result<()> {
    let org = house.profile.org.id;
    for id in paid_by(&mut *tx, org, visit).await? {
        invoice::contested(&mut *tx, house, id, is_disputed).await?;
    }
    Ok(())
}

async fn paid_by(tx: &mut Tx, org: OrgId, visit: &Checkout) -> Result<Vec<InvoiceId>> {
    Ok(q!(
        tx,
        fetch_all scalar InvoiceId,
        "SELECT a.invoice_id FROM allocation a JOIN payment p ON p.org_id = a.org_id AND p.id = a.payment_id
         WHERE a.org_id = $1 AND p.provider_id = $2 AND p.kind = 'payment' ORDER BY a.invoice_id",
        org,
        &visit.payment_provider_id
    )?)
}

/// Stripe says that there may be a dispute, and the key may not look: only the business can.
pub(super) async fn unseen(tx: &mut Tx, house: &Intake<'_>, visit: &Checkout) -> Result<()> {
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::Kind::PaymentFailed,
            format!("checkout:{}:dispute-unseen", visit.id),
            "A card payment may be disputed".to_owned(),
            "The key at Stripe may not read disputes, so the books do not say it. Let it read them, or look in Stripe."
                .to_owned(),
        )
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}

/// What of it the business gave back in another way: the customer would have it twice.
async fn returned(tx: &mut Tx, org: OrgId, visit: &Checkout) -> Result<String> {
    let Some(payment) = &visit.payment_provider_id else { return Ok(String::new()) };
    let back = card::back_otherwise(tx, org, payment).await?;
    let said = || format!(" You gave {} of this payment back in another way before: tell Stripe.", back.shown());
    Ok(if back > Cents::ZERO { said() } else { String::new() })
}

async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    visit: &Checkout,
    (id, round): (&str, &str),
    standing: Standing,
    amount: Cents,
) -> Result<()> {
    let (origin, profile, amount) = (house.origin, house.profile, amount.shown());
    let back = match standing {
        Standing::Contested | Standing::Asked => returned(&mut *tx, profile.org.id, visit).await?,
        Standing::Won | Standing::Content | Standing::Lost => String::new(),
    };
    let (key, title, body) = match standing {
        Standing::Contested => (
            "",
            format!("A card payment of {amount} is disputed"),
            "The customer's bank took it back and asks for proof. Answer in Stripe before its deadline.",
        ),
        Standing::Asked => (
            "",
            format!("A card payment of {amount} is disputed"),
            "The customer's bank asks for proof. Answer in Stripe before its deadline.",
        ),
        Standing::Won | Standing::Content => {
            (":over", format!("The dispute over {amount} is settled"), "The money is yours.")
        }
        Standing::Lost => (
            ":over",
            format!("The dispute over {amount} is lost"),
            "The bank gave the money back to the customer. What is still owed is up to the two of you.",
        ),
    };
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(alert::Kind::PaymentFailed, format!("dispute:{id}{key}{round}"), title, format!("{body}{back}"))
    };
    alert::raise(&mut *tx, origin, profile, alert).await?;
    live::announce(tx, origin, profile.org.id, Topic::Lead, visit.lead_id.0, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dispute_that_is_won_or_dropped_leaves_the_money() {
        for (status, wanted) in [
            ("warning_needs_response", Standing::Asked),
            ("warning_closed", Standing::Content),
            ("prevented", Standing::Content),
            ("needs_response", Standing::Contested),
            ("under_review", Standing::Contested),
            ("won", Standing::Won),
            ("lost", Standing::Lost),
            ("a word of next year", Standing::Contested),
        ] {
            assert_eq!(Standing::of(status), wanted, "{status}");
            assert_eq!(wanted.is_settled_well(), matches!(status, "won" | "warning_closed" | "prevented"));
        }
    }
}
