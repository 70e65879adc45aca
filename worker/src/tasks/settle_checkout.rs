//! Asks Stripe what became of a visit to its pay page, and makes the ledger say the same.

use shared::{
    domain::{
        money::checkout::{self, Checkout},
        tenancy::org::{self, Profile, keys},
    },
    platform::{
        error::{Error, Result},
        id::CheckoutId,
    },
    providers::payments::{Keys, PayError},
};

use crate::Context;

/// May run at any time and as often as it likes.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer, or no longer takes the key: it is tried again.
pub async fn run(context: &Context, id: CheckoutId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(visit) = checkout::find(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, visit.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let in_force = keys::stripe(&mut conn, &context.secret, visit.org_id).await?.map(|keys| keys.account());
    let is_former = in_force.is_none_or(|account| !visit.is_of(&account));
    // Without keys nobody can be asked: they were taken away, and what came in meanwhile stands in Stripe.
    let Some(keys) = keys::stripe_of(&mut conn, &context.secret, visit.org_id, visit.account.as_deref()).await? else {
        return out_of_sight(context, &profile, &visit).await;
    };
    let may_be_disputed = checkout::may_be_disputed(&mut conn, visit.org_id).await?;
    drop(conn);
    let visit = known(context, &keys, visit).await?;
    let evidence = match checkout::ask(&context.stripe, &keys, &visit, may_be_disputed).await {
        Ok(Some(evidence)) => evidence,
        Ok(None) => return Ok(()),
        Err(PayError::Key(_) | PayError::Refused(_)) if is_former && visit.is_at_bank() => {
            return out_of_sight(context, &profile, &visit).await;
        }
        Err(error) => return Err(Error::Unavailable(format!("Stripe {error}"))),
    };
    let mut tx = context.db.begin().await?;
    checkout::note(&mut tx, &context.intake(&profile), &visit, &evidence).await?;
    if is_former {
        checkout::follow_former(&mut tx, &context.origin, &visit).await?;
    }
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

async fn out_of_sight(context: &Context, profile: &Profile, visit: &Checkout) -> Result<()> {
    let mut tx = context.db.begin().await?;
    checkout::out_of_sight(&mut tx, &context.intake(profile), visit).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}

/// With Stripe's id of the page, where only its payment was known: the answer that named it was lost.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer.
async fn known(context: &Context, keys: &Keys, mut visit: Checkout) -> Result<Checkout> {
    if visit.provider_id.is_some() || visit.payment_provider_id.is_none() {
        return Ok(visit);
    }
    let found = checkout::look_for_paid(&context.stripe, keys, &visit).await;
    let Some(page) = found.map_err(|e| Error::Unavailable(format!("Stripe {e}")))? else { return Ok(visit) };
    let mut tx = context.db.begin().await?;
    checkout::page_found(&mut tx, &visit, &page.id).await?;
    tx.commit().await?;
    visit.provider_id = Some(page.id);
    Ok(visit)
}
