//! Puts a text that has come in into its conversation, and lets the rules answer.

use shared::{
    domain::{messaging::inbound, tenancy::org},
    platform::{error::Result, id::MessageId},
};

use crate::Context;

/// Runs once; harmless when the text was taken already.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(org) = inbound::org_of_text(&mut conn, id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, org).await?;
    drop(conn);
    let mut tx = context.db.begin().await?;
    inbound::take_stored(&mut tx, &context.intake(&profile), id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
