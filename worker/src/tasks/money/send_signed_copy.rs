//! Draws and stores the signed copy of an approved estimate, and sends it to customer and business.

use shared::{
    domain::{money::estimate::sign, tenancy::org},
    platform::{error::Result, id::EstimateId},
};

use crate::Context;

/// Idempotent.
pub async fn run(context: &Context, id: EstimateId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(owner) = sign::find_org_id(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    let Some(left) = sign::find_pending_copy(&mut conn, &profile, id).await? else { return Ok(()) };
    drop(conn);
    let ctx = context.org_context(&profile);
    let copy = sign::render_copy(&context.storage, &ctx, left).await?;
    let mut tx = context.db.begin().await?;
    sign::deliver_copy(&mut tx, &ctx, copy).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
