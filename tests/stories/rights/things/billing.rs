//! A subscription of the business, with an invoice, at Stripe and here.

use chrono::{DateTime, Duration, Utc};
use shared::platform::{
    db::{Tx, q},
    error::Result,
    id::{OrgId, SubscriptionId},
};
use tests::{app::TestApp, fake_stripe::FakeStripe};

use super::Place;

const AT_STRIPE: &str = "sub_rights";

/// The subscription stays at Stripe.
pub(super) async fn set_up(app: &mut TestApp) {
    let stripe = FakeStripe::start().await;
    stripe.add_subscription(AT_STRIPE, "cus_rights", app.now());
    stripe.is_paid(AT_STRIPE, app.now());
    stripe.knows_account(super::money::ACCOUNT);
    app.use_platform(&stripe);
    app.use_billing(&stripe);
}

/// Paid, or as the operation needs it: none for starting one, unclaimed for a claim, cancelled for a resumption.
pub(super) async fn put(tx: &mut Tx, place: &Place, operation: &str) -> Result<()> {
    let Place { org, other, now, .. } = *place;
    q!(&mut *tx, execute, "DELETE FROM subscription WHERE org_id = $1 OR provider_id = $2", org, AT_STRIPE)?;
    if operation == "createSubscription" {
        return Ok(());
    }
    let owner = (operation != "claimSubscription").then_some(org);
    let cancel_at = (operation == "keepSubscription").then(|| now + Duration::days(9));
    insert(tx, (SubscriptionId(other), owner), now, cancel_at).await
}

async fn insert(
    tx: &mut Tx,
    (id, org): (SubscriptionId, Option<OrgId>),
    now: DateTime<Utc>,
    cancel_at: Option<DateTime<Utc>>,
) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO subscription (id, org_id, provider_id, customer_id, fact_at, is_answer, status, plan, period_start,
             period_end, cancel_at, for_nonpayment, has_begun, created_at)
         VALUES ($1, $2, $3, 'cus_rights', $4, FALSE, 'active', 'monthly', $4, $5, $6, FALSE, TRUE, $4)",
        id,
        org,
        AT_STRIPE,
        now,
        now + Duration::days(30),
        cancel_at
    )?;
    Ok(())
}
