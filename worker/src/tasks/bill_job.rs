//! Bills a job that was done a minute ago: a draft of its invoice, or the invoice itself.

use shared::{
    domain::{
        money::invoice::complete::{job_completed, pending},
        tenancy::org,
    },
    platform::{error::Result, id::EventId},
};

use super::finish_paper;
use crate::Context;

/// Runs once; harmless when the job has been billed, or its completion was taken back.
pub async fn run(context: &Context, event: EventId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some((owner, job)) = pending(&mut conn, event).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, owner).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    drop(conn);
    let mut tx = context.db.begin().await?;
    // Asked again: it may have been taken back, or billed by another try of this task.
    if pending(&mut tx, event).await?.is_none() {
        return Ok(());
    }
    let goes_out = job_completed(&mut tx, &context.intake(&profile), job).await?;
    tx.commit().await?;
    context.announcer.changed();
    match goes_out {
        Some(invoice) => finish_paper::run(context, invoice.0).await,
        None => Ok(()),
    }
}
