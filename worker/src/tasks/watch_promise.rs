//! Looks at a promise of an answer when its time is nearly over, and when it is over.

use shared::{
    domain::messaging::response_sla,
    platform::{error::Result, id::PromiseId},
};

use crate::Context;

/// Runs once; harmless when it was kept meanwhile, and when it was looked at before.
pub async fn run(context: &Context, id: PromiseId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    response_sla::come_due(&mut tx, &context.origin, id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
