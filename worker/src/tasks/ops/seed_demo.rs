//! Re-seeds the demonstration once per day of its time zone.

use shared::{ops::demo_seed, platform::error::Result};

use crate::Context;

/// Idempotent. A run that died is started again.
pub async fn run(context: &Context) -> Result<()> {
    let is_due = demo_seed::is_due(&mut context.db.acquire_reader().await?, context.origin.now()).await?;
    if !is_due {
        return Ok(());
    }
    let ctx = demo_seed::SeedContext {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        storage: &context.storage,
    };
    demo_seed::seed_demo(&context.db, &ctx).await?;
    context.announcer.notify_changed();
    Ok(())
}
