//! Ends a subscription at Stripe that was begun beside another and never paid, so that nobody pays it too.

use shared::{
    ops::subscription::{self},
    platform::{
        error::{Error, Result},
        id::SubscriptionId,
    },
    providers::payments::subscription_fact::Status,
};

use super::settle_subscription::{note, taken};
use crate::Context;

/// May run at any time and as often as it likes: what was paid meanwhile is noted and left alone.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer, or no longer takes the key: it is tried again.
pub async fn run(context: &Context, id: SubscriptionId) -> Result<()> {
    let Some(config) = &context.billing else { return Ok(()) };
    let known = subscription::find(&mut context.db.read().await?, id).await?;
    let Some(known) = known.filter(|known| known.fact.status == Status::Incomplete && known.is_of(&config.keys)) else {
        return Ok(());
    };
    let asked_at = context.origin.now();
    // Asked before it is ended: an event that it was paid may still be under way.
    let stands = context.stripe.subscription(&config.keys, &known.provider_id).await;
    let Some(mut told) = taken(stands, id)? else { return Ok(()) };
    let unknown = || Error::Unavailable("Stripe names a state of subscriptions that this version does not know".into());
    let mut fact = told.fact(asked_at, true).ok_or_else(unknown)?;
    if fact.status == Status::Incomplete {
        let dropped = context.stripe.drop_subscription(&config.keys, &known.provider_id).await;
        let Some(ended) = taken(dropped, id)? else { return Ok(()) };
        fact = ended.fact(asked_at, true).ok_or_else(unknown)?;
        told = ended;
    }
    note(context, &told, fact).await
}
