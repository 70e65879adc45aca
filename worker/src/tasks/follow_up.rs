//! Says what was planned, unless something happened first.

use shared::{
    domain::messaging::followup::{self, House},
    platform::{error::Result, id::FollowUpId},
};

use crate::Context;

/// Runs once; harmless when the step has been carried out or stopped.
pub async fn run(context: &Context, id: FollowUpId) -> Result<()> {
    let house = House {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        set_up: context.set_up(),
    };
    let mut tx = context.db.begin().await?;
    followup::run(&mut tx, house, id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
