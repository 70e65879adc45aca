//! Sends a planned follow-up, unless an event has stopped it.

use shared::{
    domain::messaging::followup::{self, FollowUpContext},
    platform::{error::Result, id::FollowUpId},
};

use crate::Context;

/// Idempotent. No effect when the step was carried out or stopped.
pub async fn run(context: &Context, id: FollowUpId) -> Result<()> {
    let ctx = FollowUpContext {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        set_up: context.send_channels(),
    };
    let mut tx = context.db.begin().await?;
    followup::run_step(&mut tx, ctx, id).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
