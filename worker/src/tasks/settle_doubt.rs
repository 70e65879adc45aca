//! Asks the provider whether it has a text that is in doubt.

use shared::{error::Result, id::MessageId, link::copy, message::doubt, providers::SendError};

use crate::Context;

/// Runs once; harmless when the doubt is settled. A provider that cannot be asked is asked again by the queue.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(message) = doubt::find(&mut conn, id).await? else { return Ok(()) };
    let known = doubt::known_provider_ids(&mut conn, &message).await?;
    let to = (message.org_id, message.to_address.as_str());
    let body = copy::as_sent(&mut conn, &context.secret, to, &message.body).await?;
    drop(conn);
    let listed = context.sms.find_sent(&message.to_address, message.sent_from(), message.sent_after(), &body).await;
    let ours = match listed {
        Ok(found) => found.into_iter().find(|found| !known.contains(&found.sid)),
        // Nobody can say any more: it stays as it is, for a person.
        Err(SendError::NotSetUp { .. }) => return Ok(()),
        Err(e) => return Err(shared::error::Error::Unavailable(format!("the provider's list: {e}"))),
    };
    let mut tx = context.db.begin().await?;
    match ours {
        Some(found) => doubt::found(&mut tx, &context.origin, &message, &found).await?,
        None => doubt::not_found(&mut tx, &context.origin, &message).await?,
    }
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
