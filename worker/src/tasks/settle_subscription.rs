//! Asks Stripe how a subscription stands, and notes it.

use shared::{
    billing,
    db::second_wall::across_businesses,
    error::{Error, Result},
    id::SubscriptionId,
    providers::payments::PayError,
};

use crate::Context;

/// May run at any time and as often as it likes.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer, or no longer takes the key: it is tried again.
pub async fn run(context: &Context, id: SubscriptionId) -> Result<()> {
    // Without keys nobody can be asked: they were taken away, and what came in meanwhile stands in Stripe.
    let Some(config) = &context.billing else { return Ok(()) };
    let mut conn = context.db.read().await?;
    let Some(known) = billing::find(&mut conn, id).await? else { return Ok(()) };
    drop(conn);
    // Before the question, not after the answer: what Stripe tells of meanwhile is newer.
    let asked_at = context.origin.now();
    let told = match context.stripe.subscription(&config.keys, &known.provider_id).await {
        Ok(told) => told,
        Err(PayError::Refused(why)) => {
            // What is known stays: a subscription of another account's, after the keys were changed, is none that
            // ended.
            tracing::warn!(subscription = %id, why, "Stripe says nothing of a subscription");
            return Ok(());
        }
        Err(e) => return Err(Error::Unavailable(format!("Stripe {e}"))),
    };
    let Some(fact) = told.fact(asked_at, true) else {
        return Err(Error::Unavailable("Stripe names a state of subscriptions that this version does not know".into()));
    };
    // Stripe may say of it that it is nobody's, as it was when it was paid for.
    let mut tx = across_businesses(context.db.begin()).await?;
    billing::learn(&mut tx, context.billing_house(), &told, fact).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
