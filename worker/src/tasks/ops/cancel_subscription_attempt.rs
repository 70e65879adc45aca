//! Ends an unpaid second subscription at Stripe, so that it is not paid as well.

use shared::{
    ops::subscription::{self},
    platform::{
        error::{Error, Result},
        id::SubscriptionId,
    },
    providers::payments::subscription_snapshot::StripeSubscriptionStatus,
};

use super::settle_subscription::{found_or_none, record_snapshot};
use crate::Context;

/// Idempotent: one that was paid meanwhile is recorded and kept. Errors: [`Error::Unavailable`] when Stripe does not
/// answer, or refuses the key: retried.
pub async fn run(context: &Context, id: SubscriptionId) -> Result<()> {
    let Some(config) = &context.billing else { return Ok(()) };
    let saved = subscription::find_by_id(&mut context.db.acquire_reader().await?, id).await?;
    let Some(saved) = saved
        .filter(|saved| saved.fact.status == StripeSubscriptionStatus::Incomplete && saved.matches_keys(&config.keys))
    else {
        return Ok(());
    };
    let asked_at = context.origin.now();
    // Asked first: the event of its payment may still be on its way.
    let fetched = context.stripe.fetch_subscription(&config.keys, &saved.provider_id).await;
    let Some(mut current) = found_or_none(fetched, id)? else { return Ok(()) };
    let unknown = || Error::Unavailable("Stripe names a state of subscriptions that this version does not know".into());
    let mut fact = current.to_snapshot(asked_at, true).ok_or_else(unknown)?;
    if fact.status == StripeSubscriptionStatus::Incomplete {
        let dropped = context.stripe.cancel_subscription(&config.keys, &saved.provider_id).await;
        let Some(ended) = found_or_none(dropped, id)? else { return Ok(()) };
        fact = ended.to_snapshot(asked_at, true).ok_or_else(unknown)?;
        current = ended;
    }
    record_snapshot(context, &current, fact).await
}
