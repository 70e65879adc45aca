//! Checks a promised response time shortly before and at its end.

use shared::{
    domain::messaging::response_sla,
    platform::{error::Result, id::SlaId},
};

use crate::Context;

/// Idempotent. No effect when the promise was kept.
pub async fn run(context: &Context, id: SlaId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    response_sla::on_due(&mut tx, &context.origin, id).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
