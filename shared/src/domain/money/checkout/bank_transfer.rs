//! Payments that are at the bank for days. They cannot be cancelled, and the customer is not asked to pay again.

use super::{CheckoutSession, close};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
    },
};

/// Stripe's page is completed, and the bank has not answered. Also a page that was closed here before Stripe said so,
/// because its account was replaced. Open pages of the lead may ask for the same money: that of the same paper is
/// expired, the others are checked.
pub(super) async fn record_processing(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession) -> Result<()> {
    let (origin, org) = (ctx.origin, visit.org_id);
    close::expire_other_page(&mut *tx, origin, visit).await?;
    let sql = "UPDATE checkout SET status = 'open', url = NULL, is_closing = FALSE
         WHERE org_id = $1 AND id = $2 AND (status <> 'open' OR url IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM checkout o WHERE o.org_id = $1 AND o.about_id = $3 AND o.id <> $2
                 AND o.status IN ('opening', 'open'))";
    if q!(&mut *tx, execute, sql, org, visit.id, visit.about_id)? == 1 {
        return close::enqueue_expiry_checks(tx, origin, org, visit.lead_id).await;
    }
    // It was known before, or the customer has paid twice: one page of a paper is followed as its payment.
    let sql = "SELECT EXISTS (SELECT 1 FROM checkout WHERE org_id = $1 AND about_id = $2 AND id <> $3
         AND status IN ('opening', 'open'))";
    if q!(&mut *tx, fetch_one scalar bool, sql, org, visit.about_id, visit.id)? {
        alert_second_transfer(tx, ctx, visit).await?;
    }
    Ok(())
}

async fn alert_second_transfer(tx: &mut Tx, ctx: &OrgContext<'_>, visit: &CheckoutSession) -> Result<()> {
    let alert = NewAlert {
        lead: Some(visit.lead_id),
        ..NewAlert::new(
            alert::AlertKind::PaymentFailed,
            format!("checkout:{}:second-transfer", visit.id),
            format!("A second bank payment of {} is on its way", visit.amount_cents.format_usd()),
            "The customer has paid the same document twice by bank. If both arrive, one of them is a credit. Look in Stripe, also in the account that you used before."
                .to_owned(),
        )
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}
