//! Sends alerts that waited for business hours or the summary. Part of the minute's tick.

use shared::{domain::messaging::alert::notify, ops::send_freeze, platform::error::Result};

use crate::Context;

/// Any number of workers may run it: the worker that marks an alert sends it. None while the install is frozen: the
/// original install may have sent them. Returns the number of queued messages.
pub async fn run(context: &Context) -> Result<usize> {
    let mut conn = context.db.acquire_reader().await?;
    if send_freeze::find_freeze(&mut conn).await?.is_some() {
        return Ok(0);
    }
    let orgs = notify::list_due_orgs(&mut conn, context.origin.now()).await?;
    drop(conn);
    let mut queued = 0;
    for org in orgs {
        let mut tx = context.db.begin().await?;
        queued += notify::notify_due_alerts(&mut tx, &context.origin, &context.public_url, org).await?;
        tx.commit().await?;
    }
    if queued > 0 {
        context.announcer.notify_changed();
    }
    Ok(queued)
}
