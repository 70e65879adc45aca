//! Card disputes: the bank takes the money back at once and returns it if the business wins. The ledger records it, the
//! invoice is marked, and reminders pause.

use super::CheckoutSession;
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::{
            invoice,
            ledger::{PaymentStatus, card},
        },
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{InvoiceId, OrgId, PaymentId},
        live::{self, Topic},
        money::Cents,
    },
    providers::payments::StripeDispute,
};

pub(crate) const DISPUTED_WITH_BANK: &str = "disputed with their bank";

/// In the keys of alerts: the bank has taken the money again after it had come back.
const REOPENED: &str = ":again";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DisputeStatus {
    /// An inquiry: no money was taken.
    Inquiry,
    /// It ended without taking money: a closed inquiry, or a prevented dispute.
    InquiryClosed,
    /// It ended before a dispute, and the customer has the money back (Visa RDR).
    Refunded,
    /// The bank holds the money until it decides.
    UnderReview,
    Won,
    Lost,
}

impl DisputeStatus {
    /// The money decides, the status says how far it is.
    fn from_stripe(dispute: &StripeDispute) -> Self {
        match (dispute.status.as_str(), dispute.has_withdrawn_funds()) {
            ("warning_closed" | "prevented", false) => Self::InquiryClosed,
            ("warning_closed" | "prevented", true) => Self::Refunded,
            ("won" | "lost", false) => Self::Won,
            ("lost", true) => Self::Lost,
            (_, false) => Self::Inquiry,
            // Won, and not returned yet, too.
            (_, true) => Self::UnderReview,
        }
    }

    fn is_resolved_in_favor(self) -> bool {
        matches!(self, Self::InquiryClosed | Self::Won)
    }
}

/// Idempotent. `visit` identifies the payment.
pub(super) async fn apply_disputes(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    disputes: &[StripeDispute],
) -> Result<()> {
    for one in disputes {
        apply_dispute(&mut *tx, ctx, visit, one).await?;
    }
    // One won dispute says nothing about the others.
    let is_over = disputes.iter().all(|one| DisputeStatus::from_stripe(one).is_resolved_in_favor());
    if is_over && !disputes.is_empty() {
        mark_invoices(tx, ctx, visit, false).await?;
    }
    Ok(())
}

async fn apply_dispute(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    dispute: &StripeDispute,
) -> Result<()> {
    let (org, status, amount) = (ctx.profile.org.id, DisputeStatus::from_stripe(dispute), dispute.booked_amount());
    let is_again = if let Some(id) = card::find_refund_id(&mut *tx, org, None, &dispute.id).await? {
        correct_chargeback(&mut *tx, ctx, id, dispute).await?
    } else {
        record_dispute(&mut *tx, ctx, visit, (&dispute.id, amount, status)).await?;
        false
    };
    if is_again || status == DisputeStatus::Inquiry {
        mark_invoices(&mut *tx, ctx, visit, true).await?;
    }
    // Won, and the money is on its way back: no proof is asked for any more.
    if dispute.status == "won" && status == DisputeStatus::UnderReview && !is_again {
        return Ok(());
    }
    // What follows a reopened dispute is reported too.
    let is_reopened =
        is_again || alert::has_alert_with_key(&mut *tx, org, &format!("dispute:{}{REOPENED}", dispute.id)).await?;
    let round = if is_reopened { REOPENED } else { "" };
    alert_dispute(tx, ctx, visit, (&dispute.id, round), status, amount).await
}

async fn record_dispute(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    (id, amount, status): (&str, Cents, DisputeStatus),
) -> Result<()> {
    match status {
        // It ended before its opening event arrived; that event must then change nothing.
        DisputeStatus::Won => record_chargeback(tx, ctx, visit, (id, amount, PaymentStatus::Failed)).await,
        DisputeStatus::UnderReview | DisputeStatus::Lost | DisputeStatus::Refunded => {
            mark_invoices(&mut *tx, ctx, visit, true).await?;
            record_chargeback(tx, ctx, visit, (id, amount, PaymentStatus::Settled)).await
        }
        DisputeStatus::Inquiry | DisputeStatus::InquiryClosed => Ok(()),
    }
}

/// Brings the row of a dispute to what the bank holds. Where Stripe lists what moved, only that counts: a bank returns a
/// part, or takes the money again in another round, under any status. True when it was taken again.
async fn correct_chargeback(tx: &mut Tx, ctx: &OrgContext<'_>, id: PaymentId, dispute: &StripeDispute) -> Result<bool> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    match (dispute.withdrawn, DisputeStatus::from_stripe(dispute)) {
        (Some(withdrawn), _) if withdrawn > Cents::ZERO => {
            card::set_refund_amount(&mut *tx, origin, org, id, withdrawn).await?;
            card::reapply_dispute(tx, origin, org, id).await
        }
        (None, DisputeStatus::Lost) => card::reapply_dispute(tx, origin, org, id).await,
        (Some(_), _) | (None, DisputeStatus::Won | DisputeStatus::InquiryClosed) => {
            card::apply_refund_status(tx, origin, org, id, None, PaymentStatus::Failed).await?;
            Ok(false)
        }
        (None, DisputeStatus::Inquiry | DisputeStatus::UnderReview | DisputeStatus::Refunded) => Ok(false),
    }
}

async fn record_chargeback(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    (id, amount, status): (&str, Cents, PaymentStatus),
) -> Result<()> {
    let Some(payment) = &visit.payment_provider_id else { return Ok(()) };
    card::record_external_refund(tx, ctx.origin, ctx.profile, payment, (id, amount, status), DISPUTED_WITH_BANK)
        .await
        .map(|_| ())
}

async fn mark_invoices(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession, is_disputed: bool) -> Result<()> {
    let org = ctx.profile.org.id;
    for id in list_paid_invoices(&mut *tx, org, visit).await? {
        invoice::set_payment_disputed(&mut *tx, ctx, id, is_disputed).await?;
    }
    Ok(())
}

async fn list_paid_invoices(tx: &mut Tx, org: OrgId, visit: &CheckoutSession) -> Result<Vec<InvoiceId>> {
    Ok(q!(
        tx,
        fetch_all scalar InvoiceId,
        "SELECT a.invoice_id FROM payment_allocation a JOIN payment p ON p.org_id = a.org_id AND p.id = a.payment_id
         WHERE a.org_id = $1 AND p.provider_id = $2 AND p.kind = 'payment' ORDER BY a.invoice_id",
        org,
        &visit.payment_provider_id
    )?)
}

/// Stripe reports a possible dispute, and the key may not read disputes: only the business can check.
pub(super) async fn alert_unreadable_disputes(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
) -> Result<()> {
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("checkout:{}:dispute-unseen", visit.id),
            "A card payment may be disputed".to_owned(),
            "The key at Stripe may not read disputes, so the books do not say it. Let it read them, or look in Stripe."
                .to_owned(),
        )
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

/// The part of the payment that the business returned in another way: the customer would have it twice.
async fn already_refunded_text(tx: &mut Tx, org: OrgId, visit: &CheckoutSession) -> Result<String> {
    let Some(payment) = &visit.payment_provider_id else { return Ok(String::new()) };
    let back = card::sum_refunded_elsewhere(tx, org, payment).await?;
    let text = || format!(" You gave {} of this payment back in another way before: tell Stripe.", back.format_usd());
    Ok(if back > Cents::ZERO { text() } else { String::new() })
}

async fn alert_dispute(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    visit: &CheckoutSession,
    (id, round): (&str, &str),
    status: DisputeStatus,
    amount: Cents,
) -> Result<()> {
    let (origin, profile, amount) = (ctx.origin, ctx.profile, amount.format_usd());
    let back = match status {
        DisputeStatus::UnderReview | DisputeStatus::Inquiry | DisputeStatus::Refunded => {
            already_refunded_text(&mut *tx, profile.org.id, visit).await?
        }
        DisputeStatus::Won | DisputeStatus::InquiryClosed | DisputeStatus::Lost => String::new(),
    };
    let (key, title, body) = match status {
        DisputeStatus::UnderReview => (
            "",
            format!("A card payment of {amount} is disputed"),
            "The customer's bank took it back and asks for proof. Answer in Stripe before its deadline.",
        ),
        DisputeStatus::Inquiry => (
            "",
            format!("A card payment of {amount} is disputed"),
            "The customer's bank asks for proof. Answer in Stripe before its deadline.",
        ),
        DisputeStatus::Won | DisputeStatus::InquiryClosed => {
            (":over", format!("The dispute over {amount} is settled"), "The money is yours.")
        }
        // An earlier version reported it as settled under the other key.
        DisputeStatus::Refunded => (
            ":refunded",
            format!("{amount} went back to the customer before a dispute"),
            "The card network refunded it, and no proof is asked for. What is still owed is up to the two of you.",
        ),
        // The round before may have been reported as settled, under the key of a reopened one too.
        DisputeStatus::Lost => (
            if round.is_empty() { ":over" } else { ":lost" },
            format!("The dispute over {amount} is lost"),
            "The bank gave the money back to the customer. What is still owed is up to the two of you.",
        ),
    };
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("dispute:{id}{key}{round}"),
            title,
            format!("{body}{back}"),
        )
    };
    alert::raise_alert(&mut *tx, origin, profile, alert).await?;
    live::publish_event(tx, origin, profile.org.id, Topic::Lead, visit.lead_id.0, None).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispute_is_settled_well_only_if_it_ended_and_no_money_is_gone() {
        for (status, withdrawn, wanted) in [
            ("warning_needs_response", None, DisputeStatus::Inquiry),
            ("warning_closed", None, DisputeStatus::InquiryClosed),
            ("prevented", None, DisputeStatus::InquiryClosed),
            ("prevented", Some(500), DisputeStatus::Refunded),
            ("prevented", Some(0), DisputeStatus::InquiryClosed),
            ("needs_response", None, DisputeStatus::UnderReview),
            ("under_review", Some(500), DisputeStatus::UnderReview),
            ("won", None, DisputeStatus::Won),
            ("won", Some(500), DisputeStatus::UnderReview),
            ("lost", None, DisputeStatus::Lost),
            ("lost", Some(500), DisputeStatus::Lost),
            ("a word of next year", None, DisputeStatus::UnderReview),
            ("a word of next year", Some(500), DisputeStatus::UnderReview),
        ] {
            let withdrawn = withdrawn.map(Cents);
            let dispute = StripeDispute { id: "du_1".into(), amount: Cents(500), status: status.into(), withdrawn };
            let found = DisputeStatus::from_stripe(&dispute);
            assert_eq!(found, wanted, "{status} {withdrawn:?}");
            let is_well = matches!(wanted, DisputeStatus::InquiryClosed | DisputeStatus::Won);
            assert_eq!(found.is_resolved_in_favor(), is_well, "{status} {withdrawn:?}");
        }
    }
}
