//! A payment, the keys for card payments, and a logo.

use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use shared::platform::{
    db::{Tx, q},
    error::Result,
};
use tests::{app::TestApp, fake_stripe::FakeStripe, http::pixel, people::Shop};
use uuid::Uuid;

use super::Place;

/// The account that the business has begun to connect, which Stripe knows.
pub(super) const ACCOUNT: &str = "acct_rights";
/// A refund in doubt for which Stripe cannot be asked: the keys of the business cannot be decrypted.
pub(super) const IN_DOUBT: Uuid = Uuid::from_u128(97);
const BY_CARD: Uuid = Uuid::from_u128(98);
/// The state parameter of the return from Stripe.
pub(in crate::rights) const STATE: &str = "a way back from Stripe";

fn logo(org: shared::platform::id::OrgId) -> String {
    format!("{org}/logo-story.png")
}

pub(super) async fn set_up(app: &mut TestApp, shop: &Shop) {
    app.use_stripe(&FakeStripe::start().await);
    app.context.storage.put(&logo(shop.id()), &pixel()).await.unwrap();
}

/// A payment that was recorded just now, and the business with its logo.
pub(super) async fn put(tx: &mut Tx, place: &Place, operation: &str) -> Result<()> {
    let Place { org, lead, customer, other, now, .. } = *place;
    for id in [other, BY_CARD] {
        q!(&mut *tx, execute, "DELETE FROM payment WHERE id = $1 OR refund_of = $1", id)?;
    }
    if operation == "settleRefund" {
        put_in_doubt(&mut *tx, place).await?;
    }
    q!(
        &mut *tx,
        execute,
        "INSERT INTO payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status, number,
             created_at)
         VALUES ($1, $2, $3, $4, 'payment', 'cash', 5000, '2026-11-21', 'settled', 900, $5)",
        org,
        other,
        lead,
        customer,
        now
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO org_secret (org_id, name, sealed, hint, updated_at) VALUES ($1, 'stripe', $2, 'sk_test_…4242', $3)
         ON CONFLICT (org_id, name) DO NOTHING",
        org,
        vec![0_u8; 40],
        now
    )?;
    q!(&mut *tx, execute, "DELETE FROM connected_account WHERE org_id = $1", org)?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO connected_account (org_id, id, account, livemode, charges_enabled, details_submitted,
             requirements_due, created_at, state_hash, state_account_id, state_expires_at)
         VALUES ($1, $2, $3, TRUE, FALSE, FALSE, 0, $4, $5, $6, $7)",
        org,
        other,
        ACCOUNT,
        now,
        Sha256::digest(STATE.as_bytes()).to_vec(),
        place.caller,
        now + Duration::hours(1)
    )?;
    q!(tx, execute, "UPDATE org SET logo_key = $2 WHERE id = $1", org, logo(org))?;
    Ok(())
}

async fn put_in_doubt(tx: &mut Tx, place: &Place) -> Result<()> {
    let sql = "INSERT INTO payment (org_id, id, lead_id, customer_id, kind, method, amount_cents, received_on, status,
             refund_of, provider_id, attempted_at, created_at)
         VALUES ($1, $2, $3, $4, $5, 'card', 2000, '2026-11-21', $6, $7, $8, $9, $10)";
    let Place { org, lead, customer, now, .. } = *place;
    // Other operations may have stored valid keys.
    q!(&mut *tx, execute, "DELETE FROM org_secret WHERE org_id = $1", org)?;
    let (paid, none) = (Some("pi_rights"), None::<Uuid>);
    q!(
        &mut *tx,
        execute,
        sql,
        org,
        BY_CARD,
        lead,
        customer,
        "payment",
        "settled",
        none,
        paid,
        None::<DateTime<Utc>>,
        now
    )?;
    let (of, unnamed) = (Some(BY_CARD), None::<&str>);
    q!(tx, execute, sql, org, IN_DOUBT, lead, customer, "refund", "unknown", of, unnamed, Some(now), now)?;
    Ok(())
}
