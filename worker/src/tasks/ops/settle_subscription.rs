//! Asks Stripe for the status of a subscription and records it.

use shared::{
    ops::subscription::{self},
    platform::{
        db::tenant_scope::across_tenants,
        error::{Error, Result},
        id::SubscriptionId,
    },
    providers::payments::{
        StripeError,
        billing::StripeSubscription,
        subscription_snapshot::{StripeSubscriptionStatus, SubscriptionSnapshot},
    },
};

use crate::Context;

/// Idempotent. Errors: [`Error::Unavailable`] when Stripe does not answer, or refuses the key: retried.
pub async fn run(context: &Context, id: SubscriptionId) -> Result<()> {
    // The keys were removed: Stripe cannot be asked, and later changes are visible only there.
    let Some(config) = &context.billing else { return Ok(()) };
    let stored = subscription::find_by_id(&mut context.db.acquire_reader().await?, id).await?;
    // Nor with keys of the other mode (test or live).
    let Some(stored) = stored.filter(|stored| stored.matches_keys(&config.keys)) else { return Ok(()) };
    // Taken before the request: events that arrive meanwhile are newer.
    let asked_at = context.origin.now();
    let Some(fetched) = found_or_none(context.stripe.fetch_subscription(&config.keys, &stored.provider_id).await, id)?
    else {
        return Ok(());
    };
    let Some(mut fact) = fetched.to_snapshot(asked_at, true) else {
        return Err(Error::Unavailable("Stripe names a state of subscriptions that this version does not know".into()));
    };
    // Also for an ended one: a debt left unpaid gave no days of grace at its end.
    if fact.has_payment_due() || fact.status == StripeSubscriptionStatus::Canceled {
        let since = context.stripe.fetch_owed_since(&config.keys, &stored.provider_id).await;
        fact.owed_since = found_or_none(since, id)?.flatten();
    }
    record_snapshot(context, &fetched, fact).await
}

/// `None` where Stripe does not know the subscription. Errors: [`Error::Unavailable`] when there was no answer.
pub(super) fn found_or_none<T>(answer: std::result::Result<T, StripeError>, id: SubscriptionId) -> Result<Option<T>> {
    match answer {
        Ok(fetched) => Ok(Some(fetched)),
        Err(StripeError::Refused(why)) => {
            // The known status stays: after a change of keys the subscription may belong to another account, and has
            // not ended.
            tracing::warn!(subscription = %id, why, "Stripe says nothing of a subscription");
            Ok(None)
        }
        Err(e) => Err(Error::Unavailable(format!("Stripe {e}"))),
    }
}

pub(super) async fn record_snapshot(
    context: &Context,
    fetched: &StripeSubscription,
    fact: SubscriptionSnapshot,
) -> Result<()> {
    // Stripe's answer may name no business, as before it was claimed.
    let mut tx = across_tenants(context.db.begin()).await?;
    subscription::apply_snapshot(&mut tx, context.billing_context(), fetched, fact).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
