//! Asks the provider whether it has a text whose outcome is in doubt.

use shared::{
    domain::messaging::message::{
        reconcile::{self, UnconfirmedMessage},
        send::ClaimedMessage,
    },
    platform::{access_link::copy, error::Result, id::MessageId},
    providers::{AcceptedMessage, SendError, sms::SmsLookupResult},
};

use crate::Context;

/// Idempotent. The queue retries when the provider cannot be asked.
pub async fn run(context: &Context, id: MessageId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(message) = reconcile::find_unconfirmed(&mut conn, id).await? else { return Ok(()) };
    let provider_ids = reconcile::known_provider_ids(&mut conn, &message).await?;
    let to = (message.org_id, message.to_address.as_e164());
    let body = copy::render_sent_text(&mut conn, &context.secret, to, &message.body).await?;
    drop(conn);
    let ours = match find_listed_text(context, &message, &body, &provider_ids).await {
        Ok(found) => found,
        // The provider can no longer be asked: the doubt is left to a person.
        Err(SendError::NotSetUp { .. }) => return Ok(()),
        Err(e) => return Err(shared::platform::error::Error::Unavailable(format!("the provider's list: {e}"))),
    };
    let mut tx = context.db.begin().await?;
    match ours {
        Some(found) => reconcile::confirm_accepted(&mut tx, &context.origin, &message, &found).await?,
        None => reconcile::process_not_found(&mut tx, &context.origin, &message).await?,
    }
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

/// Checks the list once more before a repeated send: the provider may have the text by now. Returns that outcome;
/// `None` when the text is to be sent.
pub(super) async fn recheck_provider(
    context: &Context,
    message: &ClaimedMessage,
) -> Option<Result<AcceptedMessage, SendError>> {
    let repeat = UnconfirmedMessage::from_resend(message)?;
    let again = |why: String| Some(Err(SendError::Retry { reason: why, after: None }));
    let provider_ids = async { reconcile::known_provider_ids(&mut context.db.acquire_reader().await?, &repeat).await };
    let provider_ids: Result<Vec<String>> = provider_ids.await;
    let provider_ids = match provider_ids {
        Ok(provider_ids) => provider_ids,
        Err(e) => return again(format!("what the provider has of it is not known: {e}")),
    };
    match find_listed_text(context, &repeat, &repeat.body, &provider_ids).await {
        Ok(found) => found.map(|found| {
            let SmsLookupResult { sid, status, bill, .. } = found;
            Ok(AcceptedMessage { provider_id: sid, provider_status: Some(status), stored_as: None, bill })
        }),
        Err(SendError::NotSetUp { .. }) => None,
        Err(e) => again(format!("the provider could not be asked once more whether it has it: {}", e.reason())),
    }
}

async fn find_listed_text(
    context: &Context,
    message: &UnconfirmedMessage,
    body: &str,
    provider_ids: &[String],
) -> Result<Option<SmsLookupResult>, SendError> {
    let found = context
        .sms
        .find_sent_messages(&message.to_address, message.sender_number(), message.sent_after(), body)
        .await?;
    Ok(found.into_iter().find(|found| !provider_ids.contains(&found.sid)))
}
