//! What is known of a payment at Stripe: its account, charge and payout.

use crate::platform::{
    db::{Tx, q},
    error::Result,
    id::{OrgId, PaymentId},
};

pub(crate) async fn store_account(tx: &mut Tx, org: OrgId, id: PaymentId, account: Option<&str>) -> Result<()> {
    q!(tx, execute, "UPDATE payment SET account = $3 WHERE org_id = $1 AND id = $2", org, id, account)?;
    Ok(())
}

/// Names the account on card payments from before accounts were stored.
pub(crate) async fn fill_account(tx: &mut Tx, org: OrgId, account: &str) -> Result<()> {
    let sql = "UPDATE payment SET account = $2 WHERE org_id = $1 AND account IS NULL AND kind = 'payment'
         AND provider_id IS NOT NULL";
    q!(tx, execute, sql, org, account)?;
    Ok(())
}

pub(crate) async fn rename_account(tx: &mut Tx, org: OrgId, before: &str, now: &str) -> Result<()> {
    q!(tx, execute, "UPDATE payment SET account = $3 WHERE org_id = $1 AND account = $2", org, before, now)?;
    Ok(())
}

/// `account` lists the payment, so it is in that account, whatever key it came with. False when no payment is known by
/// this id.
pub(crate) async fn store_charge(tx: &mut Tx, org: OrgId, payment: &str, charge: &str, account: &str) -> Result<bool> {
    let sql = "UPDATE payment SET charge_id = $3, account = $4
         WHERE org_id = $1 AND provider_id = $2 AND kind = 'payment'";
    Ok(q!(tx, execute, sql, org, payment, charge, account)? > 0)
}

/// `source` is the charge or the refund of a line of the payout.
pub(crate) async fn store_payout(tx: &mut Tx, org: OrgId, source: &str, payout: &str) -> Result<()> {
    let sql = "UPDATE payment SET payout_id = $3 WHERE org_id = $1 AND (charge_id = $2 OR provider_id = $2)";
    q!(tx, execute, sql, org, source, payout)?;
    Ok(())
}

/// Leaves a known payout as it is.
pub(crate) async fn fill_payout(tx: &mut Tx, org: OrgId, source: &str, payout: &str) -> Result<()> {
    let sql = "UPDATE payment SET payout_id = $3 WHERE org_id = $1 AND payout_id IS NULL
         AND (charge_id = $2 OR provider_id = $2)";
    q!(tx, execute, sql, org, source, payout)?;
    Ok(())
}
