//! Notifies a crew of schedule changes, once there was none for a minute.

use shared::{
    domain::work::crew::notice,
    platform::{error::Result, id::CrewId},
};

use crate::Context;

/// No effect while changes go on, or when all were reported.
pub async fn run(context: &Context, id: CrewId) -> Result<()> {
    let mut tx = context.db.begin().await?;
    notice::notify_crew(&mut tx, &context.origin, id).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
