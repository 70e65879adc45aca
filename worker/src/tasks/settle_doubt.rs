//! Asks the provider whether it has a text that is in doubt.

use shared::{
    domain::messaging::message::{
        reconcile::{self, Doubtful},
        send::Outgoing,
    },
    platform::{access_link::copy, error::Result, id::MessageId},
    providers::{Accepted, SendError, sms::Found},
};

use crate::Context;

/// Runs once; harmless when the doubt is settled. A provider that cannot be asked is asked again by the queue.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(message) = reconcile::find(&mut conn, id).await? else { return Ok(()) };
    let known = reconcile::known_provider_ids(&mut conn, &message).await?;
    let to = (message.org_id, message.to_address.as_str());
    let body = copy::as_sent(&mut conn, &context.secret, to, &message.body).await?;
    drop(conn);
    let ours = match listed(context, &message, &body, &known).await {
        Ok(found) => found,
        // Nobody can say any more: it stays as it is, for a person.
        Err(SendError::NotSetUp { .. }) => return Ok(()),
        Err(e) => return Err(shared::platform::error::Error::Unavailable(format!("the provider's list: {e}"))),
    };
    let mut tx = context.db.begin().await?;
    match ours {
        Some(found) => reconcile::found(&mut tx, &context.origin, &message, &found).await?,
        None => reconcile::not_found(&mut tx, &context.origin, &message).await?,
    }
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

/// Looks at the list once more right before a text goes again: it may have waited since, and the provider may hold it by
/// now. How the try ended then, without a call; none where it is to be made.
pub(super) async fn last_look(context: &Context, message: &Outgoing) -> Option<Result<Accepted, SendError>> {
    let repeat = Doubtful::of_repeat(message)?;
    let again = |why: String| Some(Err(SendError::Retry { reason: why, after: None }));
    let known = async { reconcile::known_provider_ids(&mut context.db.read().await?, &repeat).await };
    let known: Result<Vec<String>> = known.await;
    let known = match known {
        Ok(known) => known,
        Err(e) => return again(format!("what the provider has of it is not known: {e}")),
    };
    match listed(context, &repeat, &repeat.body, &known).await {
        Ok(found) => found.map(|found| {
            let Found { sid, status, bill, .. } = found;
            Ok(Accepted { provider_id: sid, provider_status: Some(status), stored_as: None, bill })
        }),
        Err(SendError::NotSetUp { .. }) => None,
        Err(e) => again(format!("the provider could not be asked once more whether it has it: {}", e.reason())),
    }
}

/// The text as the provider lists it, if it does.
async fn listed(
    context: &Context,
    message: &Doubtful,
    body: &str,
    known: &[String],
) -> Result<Option<Found>, SendError> {
    let found = context.sms.find_sent(&message.to_address, message.sent_from(), message.sent_after(), body).await?;
    Ok(found.into_iter().find(|found| !known.contains(&found.sid)))
}
