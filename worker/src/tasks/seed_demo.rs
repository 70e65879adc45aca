//! Seeds the demonstration anew, once for each day of its zone.

use shared::{ops::demo_seed, platform::error::Result};

use crate::Context;

/// Runs until it is of today; harmless when it is. One that died on the way is begun anew.
pub async fn run(context: &Context) -> Result<()> {
    let is_due = demo_seed::is_due(&mut context.db.read().await?, context.origin.now()).await?;
    if !is_due {
        return Ok(());
    }
    let house = demo_seed::House {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        storage: &context.storage,
    };
    demo_seed::seed(&context.db, &house).await?;
    context.announcer.changed();
    Ok(())
}
