//! Brings an estimate to its end when whoever began it did not: draws its PDF, opens it, and sends it.

use shared::{error::Result, estimate, id::EstimateId, org};
use uuid::Uuid;

use crate::Context;

/// Runs once; harmless when it has been finished.
pub async fn run(context: &Context, id: Uuid) -> Result<()> {
    let id = EstimateId(id);
    let mut conn = context.db.read().await?;
    let Some(owner) = estimate::draw::org_of(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let Some(left) = estimate::unfinished(&mut conn, profile.org.id, id).await? else { return Ok(()) };
    drop(conn);
    let house = context.intake(&profile);
    let drawn = estimate::draw(&context.storage, &house, left).await?;
    let mut tx = context.db.begin().await?;
    estimate::finish(&mut tx, &house, &drawn).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
