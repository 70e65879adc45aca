//! Makes one try of a call to a webhook, and writes down what became of it.

use shared::{
    ops::webhooks,
    platform::{error::Result, id::HookCallId},
};

use crate::Context;

/// Runs when a try is due; harmless when it is not, or its call is over. Whatever the receiver does is a recorded end of
/// the try, which plans the next one itself; only faults of ours are tried again by the queue.
///
/// # Errors
/// [`shared::platform::error::Error::Unavailable`] when the database is away, or the secret cannot be opened.
pub async fn run(context: &Context, id: HookCallId) -> Result<()> {
    let now = context.origin.now();
    let mut conn = context.db.read().await?;
    let Some(due) = webhooks::due(&mut conn, &context.secret, now, id).await? else { return Ok(()) };
    drop(conn);
    let said = context.caller.post(&due.url, due.headers(now)?, due.body.clone()).await;
    let mut tx = context.db.begin().await?;
    webhooks::record(&mut tx, &context.origin, &due, &said).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
