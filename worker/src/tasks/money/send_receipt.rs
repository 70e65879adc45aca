//! Sends the receipt of a payment after the minute in which the payment can be undone.

use shared::{
    domain::{
        money::ledger::receipt::{self, FIRST_TURN, PaymentReceipt},
        tenancy::org,
    },
    platform::{error::Result, id::PaymentId},
};

use crate::Context;

/// Idempotent. No effect when the receipt was sent, or the payment undone. A refunded payment gets none, and the reason
/// is recorded.
pub async fn run(context: &Context, id: PaymentId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(owner) = receipt::find_pending_receipt(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    if let Some((lead, why)) =
        receipt::find_returned_payment(&mut conn, profile.org.id, id, context.origin.now()).await?
    {
        drop(conn);
        let mut tx = context.db.begin().await?;
        receipt::record_receipt_withheld(&mut tx, &context.origin, &profile, lead, why).await?;
        tx.commit().await?;
        context.announcer.notify_changed();
        return Ok(());
    }
    let receipt = PaymentReceipt::for_payment(&mut conn, &profile, id, context.origin.now()).await?;
    drop(conn);
    let pdf = receipt.render_pdf(&context.storage).await?;
    let file = receipt.to_file(&context.origin, &pdf);
    context.storage.put(&file.full_key, &pdf).await?;
    let mut tx = context.db.begin().await?;
    // Checked again in the transaction: another try may have been faster, or the payment was undone.
    if receipt::find_pending_receipt(&mut tx, id).await?.is_none() {
        return Ok(());
    }
    receipt.send_email(&mut tx, &context.origin, &profile, file, FIRST_TURN).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
