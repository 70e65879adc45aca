//! Tells every business what has waited for its hours or its summary. Part of the minute's tick.

use shared::{domain::messaging::alert::notify, ops::send_freeze, platform::error::Result};

use crate::Context;

/// Any number of workers may run it: each alert is told by the one who marks it. Nothing is told while the install is
/// frozen: what it is a copy of may have. Returns how many messages were queued.
pub async fn run(context: &Context) -> Result<usize> {
    let mut conn = context.db.read().await?;
    if send_freeze::frozen(&mut conn).await?.is_some() {
        return Ok(0);
    }
    let orgs = notify::due_orgs(&mut conn, context.origin.now()).await?;
    drop(conn);
    let mut queued = 0;
    for org in orgs {
        let mut tx = context.db.begin().await?;
        queued += notify::tell(&mut tx, &context.origin, &context.public_url, org).await?;
        tx.commit().await?;
    }
    if queued > 0 {
        context.announcer.changed();
    }
    Ok(queued)
}
