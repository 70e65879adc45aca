//! Puts a text that has come in into its conversation, and lets the rules answer.

use shared::{error::Result, id::MessageId, incoming, lead::Intake, org};

use crate::Context;

/// Runs once; harmless when the text was taken already.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(org) = incoming::org_of_text(&mut conn, id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, org).await?;
    drop(conn);
    let intake = Intake {
        origin: &context.origin,
        secret: &context.secret,
        public_url: &context.public_url,
        profile: &profile,
        texts_leave: context.sms.is_set_up(),
    };
    let mut tx = context.db.begin().await?;
    incoming::take_stored(&mut tx, &intake, id).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
