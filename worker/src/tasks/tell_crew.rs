//! Tells the people of a crew what has changed of their day, once nobody has changed anything for a minute.

use shared::{
    domain::work::crew::notice,
    platform::{error::Result, id::CrewId},
};

use crate::Context;

/// Runs once; harmless when somebody is still changing things, and when all of it was told.
pub async fn run(context: &Context, id: CrewId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    notice::tell(&mut tx, &context.origin, id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
