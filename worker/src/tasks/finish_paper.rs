//! Brings an estimate or an invoice to its end when whoever began it did not: draws its PDF, opens it, and sends it.

use shared::{
    domain::{
        money::{estimate, invoice},
        tenancy::org::{self, Profile},
    },
    platform::{
        error::Result,
        id::{EstimateId, InvoiceId, OrgId},
    },
};
use uuid::Uuid;

use crate::Context;

/// Runs once; harmless when it has been finished.
pub async fn run(context: &Context, id: Uuid) -> Result<()> {
    let mut conn = context.db.read().await?;
    let estimate = estimate::draw::org_of(&mut conn, EstimateId(id)).await?;
    let invoice = invoice::draw::org_of(&mut conn, InvoiceId(id)).await?;
    drop(conn);
    match (estimate, invoice) {
        (Some(owner), _) => finish_estimate(context, owner, EstimateId(id)).await,
        (None, Some(owner)) => finish_invoice(context, owner, InvoiceId(id)).await,
        (None, None) => Ok(()),
    }
}

async fn profile(context: &Context, owner: OrgId) -> Result<Option<Profile>> {
    let mut conn = context.db.read().await?;
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(None) };
    org::profile(&mut conn, owner).await.map(Some)
}

async fn finish_estimate(context: &Context, owner: OrgId, id: EstimateId) -> Result<()> {
    let Some(profile) = profile(context, owner).await? else { return Ok(()) };
    let mut conn = context.db.read().await?;
    let Some(left) = estimate::unfinished(&mut conn, owner, id).await? else { return Ok(()) };
    drop(conn);
    let house = context.intake(&profile);
    let drawn = estimate::draw(&context.storage, &house, left).await?;
    let mut tx = context.db.begin().await?;
    estimate::finish(&mut tx, &house, &drawn).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

async fn finish_invoice(context: &Context, owner: OrgId, id: InvoiceId) -> Result<()> {
    let Some(profile) = profile(context, owner).await? else { return Ok(()) };
    let house = context.intake(&profile);
    let mut conn = context.db.read().await?;
    let Some(left) = invoice::unfinished(&mut conn, &house, id).await? else { return Ok(()) };
    drop(conn);
    let drawn = invoice::draw(&context.storage, &house, left).await?;
    let mut tx = context.db.begin().await?;
    invoice::finish(&mut tx, &house, &drawn).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
