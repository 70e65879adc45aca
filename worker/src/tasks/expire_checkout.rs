//! Expires a page of Stripe's that does not ask for what is due any more.

use shared::{
    domain::{
        money::checkout::{self, Checkout, Closing, Evidence},
        tenancy::org::{self, Profile, keys},
    },
    platform::{
        error::{Error, Result},
        id::CheckoutId,
    },
    providers::payments::{Keys, PayError, Standing},
};

use crate::Context;

/// May run at any time and as often as it likes: a page that asks for what is due stays open. What was paid there a moment
/// before is noted.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer: it is tried again.
pub async fn run(context: &Context, id: CheckoutId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(visit) = checkout::find(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, visit.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let in_force = keys::stripe(&mut conn, &context.secret, visit.org_id).await?.map(|keys| keys.account());
    let house = context.intake(&profile);
    let Closing::Expire(visit) = checkout::closing(&mut conn, &house, id, in_force.as_deref()).await? else {
        return Ok(());
    };
    let keys = keys::stripe_of(&mut conn, &context.secret, visit.org_id, visit.account.as_deref()).await?;
    drop(conn);
    let asked = match (&visit.provider_id, keys) {
        (None, _) => return closed(context, &profile, &visit, None).await,
        (Some(_), None) => Err(PayError::Key("is not set up any more".into())),
        (Some(page), Some(keys)) => expire(context, &keys, &visit, page).await,
    };
    let is_former = in_force.is_none_or(|account| !visit.is_of(&account));
    match asked {
        Ok(evidence) => closed(context, &profile, &visit, evidence).await,
        Err(PayError::Retry { reason, .. }) => Err(Error::Unavailable(format!("Stripe {reason}"))),
        Err(PayError::Key(why)) if !is_former => Err(Error::Unavailable(format!("Stripe {why}"))),
        Err(PayError::Key(_) | PayError::Refused(_)) => {
            let mut tx = context.db.begin().await?;
            checkout::not_closed(&mut tx, &house, &visit).await?;
            tx.commit().await?;
            context.announcer.changed();
            Ok(())
        }
    }
}

/// Expires it; where somebody paid a moment before, with all that is known of the payment.
async fn expire(context: &Context, keys: &Keys, visit: &Checkout, page: &str) -> Result<Option<Evidence>, PayError> {
    let session = context.stripe.close(keys, page).await?;
    match session.standing {
        Standing::Paid => return checkout::ask(&context.stripe, keys, visit, false).await,
        // Stripe refused to close it, and it may still be paid.
        Standing::Open => return Err(PayError::Refused("did not close the page".into())),
        Standing::Underway | Standing::Failed | Standing::Expired => {}
    }
    Ok(Some(Evidence { session, refunds: Vec::new(), disputes: Some(Vec::new()) }))
}

async fn closed(context: &Context, profile: &Profile, visit: &Checkout, evidence: Option<Evidence>) -> Result<()> {
    let mut tx = context.db.begin().await?;
    if let Some(evidence) = &evidence {
        checkout::note(&mut tx, &context.intake(profile), visit, evidence).await?;
    }
    checkout::closed(&mut tx, visit).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
