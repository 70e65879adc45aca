//! Gives money back to a card, and looks whether it arrived.

use shared::{
    checkout::{self, CardRefund},
    error::{Error, Result},
    id::PaymentId,
    org,
    org::keys,
    providers::payments::{Keys, PayError, Refund},
};

use crate::Context;

/// Runs once the minute of grace is over, and again as long as Stripe works on it. Harmless when it is done.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer: it is tried again, under the same key.
pub async fn run(context: &Context, id: PaymentId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(refund) = checkout::refund_due(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, refund.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let keys = keys::stripe(&mut conn, &context.secret, refund.org_id).await?;
    drop(conn);
    let said = match keys {
        Some(keys) => ask(context, &keys, &refund).await,
        None => Err(PayError::Key("is not set up any more".into())),
    };
    let mut tx = context.db.begin().await?;
    match said {
        Ok(said) => checkout::refund_made(&mut tx, &context.origin, &profile, &refund, &said).await?,
        Err(PayError::Retry { reason, .. }) => return Err(Error::Unavailable(format!("Stripe {reason}"))),
        Err(PayError::Key(why) | PayError::Refused(why)) => {
            checkout::refund_failed(&mut tx, &context.origin, &profile, &refund, &why).await?;
        }
    }
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

/// Asks for it; the same again changes nothing at Stripe, and answers how it stands.
async fn ask(context: &Context, keys: &Keys, refund: &CardRefund) -> Result<Refund, PayError> {
    match &refund.provider_id {
        None => context.stripe.refund(keys, &refund.payment, refund.amount_cents, &refund.id.to_string()).await,
        Some(known) => {
            let all = context.stripe.refunds(keys, &refund.payment).await?;
            let found = all.into_iter().find(|one| one.id == *known);
            found.ok_or_else(|| PayError::Retry { reason: "does not list a refund of ours".into(), after: None })
        }
    }
}
