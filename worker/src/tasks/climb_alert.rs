//! Takes an urgent alert that nobody has seen to the next person.

use shared::{alert::climb, error::Result, id::AlertId};

use crate::Context;

/// Runs once; harmless when somebody has seen it.
pub async fn run(context: &Context, id: AlertId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    climb::step(&mut tx, &context.origin, &context.public_url, id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
