//! Bills a job a minute after its completion: a draft invoice, or the invoice itself.

use shared::{
    domain::{
        money::invoice::complete::{bill_completed_job, find_completed_job},
        tenancy::org,
    },
    platform::{error::Result, id::EventId},
};

use super::finalize_document;
use crate::Context;

/// Idempotent. No effect when the job was billed, or its completion undone.
pub async fn run(context: &Context, event: EventId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some((owner, job)) = find_completed_job(&mut conn, event).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    drop(conn);
    let mut tx = context.db.begin().await?;
    // Checked again in the transaction: it may have been undone, or billed by another try of this task.
    if find_completed_job(&mut tx, event).await?.is_none() {
        return Ok(());
    }
    let goes_out = bill_completed_job(&mut tx, &context.org_context(&profile), job).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    match goes_out {
        Some(invoice) => finalize_document::run(context, invoice.0).await,
        None => Ok(()),
    }
}
