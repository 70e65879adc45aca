//! Sends the receipt of a payment, once the minute is over in which the payment could be taken back.

use shared::{
    domain::{
        money::ledger::receipt::{self, FIRST, Receipt},
        tenancy::org,
    },
    platform::{error::Result, id::PaymentId},
};

use crate::Context;

/// Runs once; harmless when the receipt has gone out, or the payment was taken back. Of money that went back meanwhile
/// there is none, and the reason is noted.
pub async fn run(context: &Context, id: PaymentId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(owner) = receipt::pending(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    if let Some((lead, why)) = receipt::gone_back(&mut conn, profile.org.id, id, context.origin.now()).await? {
        drop(conn);
        let mut tx = context.db.begin().await?;
        receipt::note_gone_back(&mut tx, &context.origin, &profile, lead, why).await?;
        tx.commit().await?;
        context.announcer.changed();
        return Ok(());
    }
    let receipt = Receipt::of(&mut conn, &profile, id, context.origin.now()).await?;
    drop(conn);
    let pdf = receipt.draw(&context.storage).await?;
    let file = receipt.file(&context.origin, &pdf);
    context.storage.put(&file.full_key, &pdf).await?;
    let mut tx = context.db.begin().await?;
    // Asked again: another try of this task may have been faster, and the payment may have been taken back.
    if receipt::pending(&mut tx, id).await?.is_none() {
        return Ok(());
    }
    receipt.send(&mut tx, &context.origin, &profile, file, FIRST).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
