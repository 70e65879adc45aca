//! Makes one try of a webhook call and records its outcome.

use shared::{
    domain::tenancy::trust_level::usage,
    ops::webhooks,
    platform::{
        error::{Error, Result},
        id::WebhookDeliveryId,
    },
};

use crate::Context;

/// No effect when no try is due. Any reaction of the receiver is a recorded outcome, and the call plans its own next
/// try; the queue retries only our own faults. Errors: [`shared::platform::error::Error::Unavailable`] when the
/// database is away, or the secret cannot be opened.
pub async fn run(context: &Context, id: WebhookDeliveryId) -> Result<()> {
    let now = context.origin.now();
    let mut conn = context.db.acquire_reader().await?;
    let Some(due) = webhooks::load_due_delivery(&mut conn, &context.secret, now, id).await? else { return Ok(()) };
    let may_send = usage::require_open_sending(&mut conn, due.org, context.billing.is_some()).await;
    drop(conn);
    match may_send {
        Ok(()) => {}
        // Made before the business was held to it.
        Err(Error::TrustLimit(why)) => {
            let mut tx = context.db.begin().await?;
            webhooks::refuse_delivery(&mut tx, &context.origin, &due, &why).await?;
            tx.commit().await?;
            context.announcer.notify_changed();
            return Ok(());
        }
        Err(other) => return Err(other),
    }
    let answer = context.caller.post_json(&due.url, due.signed_headers(now)?, due.body.clone()).await;
    let mut tx = context.db.begin().await?;
    webhooks::record_attempt(&mut tx, &context.origin, &due, &answer).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
