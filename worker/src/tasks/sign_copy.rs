//! Draws the signed copy of an estimate that was approved, keeps it, and sends it to the customer and the business.

use shared::{
    domain::{money::estimate::sign, tenancy::org},
    platform::{error::Result, id::EstimateId},
};

use crate::Context;

/// Runs once; harmless when the copy is made.
pub async fn run(context: &Context, id: EstimateId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(owner) = sign::org_of(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let Some(left) = sign::uncopied(&mut conn, &profile, id).await? else { return Ok(()) };
    drop(conn);
    let house = context.intake(&profile);
    let copy = sign::draw_copy(&context.storage, &house, left).await?;
    let mut tx = context.db.begin().await?;
    sign::hand_out(&mut tx, &house, copy).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
