//! Adds an incoming text to its conversation and applies the automatic replies.

use shared::{
    domain::{messaging::inbound, tenancy::org},
    platform::{db::tenant_scope::across_tenants, error::Result, id::MessageId},
};

use crate::Context;

/// Idempotent.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(org) = inbound::find_org_of_text(&mut conn, id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, org).await?;
    drop(conn);
    let mut conn = across_tenants(context.db.acquire_reader()).await?;
    let other_writer_at = inbound::find_other_writer_of_text(&mut conn, profile.org.id, id).await?;
    drop(conn);
    let mut tx = context.db.begin().await?;
    inbound::process_stored_text(&mut tx, &context.org_context(&profile), id, other_writer_at).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
