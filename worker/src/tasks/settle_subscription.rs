//! Asks Stripe how a subscription stands, and notes it.

use shared::{
    ops::subscription::{self},
    platform::{
        db::tenant_scope::across_businesses,
        error::{Error, Result},
        id::SubscriptionId,
    },
    providers::payments::{
        PayError,
        billing::Subscription,
        subscription_fact::{Fact, Status},
    },
};

use crate::Context;

/// May run at any time and as often as it likes.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer, or no longer takes the key: it is tried again.
pub async fn run(context: &Context, id: SubscriptionId) -> Result<()> {
    // Without keys nobody can be asked: they were taken away, and what came in meanwhile stands in Stripe.
    let Some(config) = &context.billing else { return Ok(()) };
    let known = subscription::find(&mut context.db.read().await?, id).await?;
    // With keys of the other world neither.
    let Some(known) = known.filter(|known| known.is_of(&config.keys)) else { return Ok(()) };
    // Before the question, not after the answer: what Stripe tells of meanwhile is newer.
    let asked_at = context.origin.now();
    let Some(told) = taken(context.stripe.subscription(&config.keys, &known.provider_id).await, id)? else {
        return Ok(());
    };
    let Some(mut fact) = told.fact(asked_at, true) else {
        return Err(Error::Unavailable("Stripe names a state of subscriptions that this version does not know".into()));
    };
    // Also of what is over: what was left unpaid gave no days of grace with its end.
    if fact.owes() || fact.status == Status::Canceled {
        let since = context.stripe.owed_since(&config.keys, &known.provider_id).await;
        fact.owed_since = taken(since, id)?.flatten();
    }
    note(context, &told, fact).await
}

/// An answer; none where Stripe knows nothing of a subscription.
///
/// # Errors
/// [`Error::Unavailable`] when there was none.
pub(super) fn taken<T>(answer: std::result::Result<T, PayError>, id: SubscriptionId) -> Result<Option<T>> {
    match answer {
        Ok(told) => Ok(Some(told)),
        Err(PayError::Refused(why)) => {
            // What is known stays: a subscription of another account's, after the keys were changed, is none that
            // ended.
            tracing::warn!(subscription = %id, why, "Stripe says nothing of a subscription");
            Ok(None)
        }
        Err(e) => Err(Error::Unavailable(format!("Stripe {e}"))),
    }
}

/// Notes what was told.
///
/// # Errors
/// When the database is away.
pub(super) async fn note(context: &Context, told: &Subscription, fact: Fact) -> Result<()> {
    // Stripe may say of it that it is nobody's, as it was when it was paid for.
    let mut tx = across_businesses(context.db.begin()).await?;
    subscription::learn(&mut tx, context.billing_house(), told, fact).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
