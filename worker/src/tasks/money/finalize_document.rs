//! Completes an estimate or invoice that was left unfinished: PDF, opening, sending.

use shared::{
    domain::{
        money::{estimate, invoice},
        tenancy::org::{self, OrgProfile},
    },
    platform::{
        error::Result,
        id::{EstimateId, InvoiceId, OrgId},
    },
};
use uuid::Uuid;

use crate::Context;

/// Idempotent. No effect when it is finished.
pub async fn run(context: &Context, id: Uuid) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let estimate = estimate::render::find_org_id(&mut conn, EstimateId(id)).await?;
    let invoice = invoice::render::find_org_id(&mut conn, InvoiceId(id)).await?;
    drop(conn);
    match (estimate, invoice) {
        (Some(owner), _) => finalize_estimate(context, owner, EstimateId(id)).await,
        (None, Some(owner)) => finalize_invoice(context, owner, InvoiceId(id)).await,
        (None, None) => Ok(()),
    }
}

async fn load_profile(context: &Context, owner: OrgId) -> Result<Option<OrgProfile>> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(None) };
    org::load_profile(&mut conn, owner).await.map(Some)
}

async fn finalize_estimate(context: &Context, owner: OrgId, id: EstimateId) -> Result<()> {
    let Some(profile) = load_profile(context, owner).await? else { return Ok(()) };
    let mut conn = context.db.acquire_reader().await?;
    let Some(left) = estimate::find_unrendered(&mut conn, owner, id).await? else { return Ok(()) };
    drop(conn);
    let ctx = context.org_context(&profile);
    let drawn = estimate::render_pdf(&context.storage, &ctx, left).await?;
    let mut tx = context.db.begin().await?;
    estimate::finish_issue(&mut tx, &ctx, &drawn).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn finalize_invoice(context: &Context, owner: OrgId, id: InvoiceId) -> Result<()> {
    let Some(profile) = load_profile(context, owner).await? else { return Ok(()) };
    let ctx = context.org_context(&profile);
    let mut conn = context.db.acquire_reader().await?;
    let Some(left) = invoice::find_unrendered(&mut conn, &ctx, id).await? else { return Ok(()) };
    drop(conn);
    let drawn = invoice::render_pdf(&context.storage, &ctx, left).await?;
    let mut tx = context.db.begin().await?;
    invoice::finish_issue(&mut tx, &ctx, &drawn).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
