//! Expires a Stripe page whose amount is not due any more.

use shared::{
    domain::{
        money::checkout::{self, CheckoutEvidence, CheckoutSession, CloseDecision},
        tenancy::org::{self, OrgProfile, keys},
    },
    platform::{
        error::{Error, Result},
        id::CheckoutId,
    },
    providers::payments::{StripeCheckoutStatus, StripeCredentials, StripeError},
};

use crate::Context;

/// Idempotent: a page whose amount is due stays open; a payment made just before is recorded. Errors:
/// [`Error::Unavailable`] when Stripe does not answer: retried.
pub async fn run(context: &Context, id: CheckoutId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(visit) = checkout::find_by_id(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, visit.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    let in_force =
        keys::load_stripe_keys(&mut conn, &context.secret, visit.org_id).await?.map(|keys| keys.account_key());
    let ctx = context.org_context(&profile);
    let CloseDecision::Expire(visit) = checkout::decide_close(&mut conn, &ctx, id, in_force.as_deref()).await? else {
        return Ok(());
    };
    let keys =
        keys::load_stripe_keys_for_account(&mut conn, &context.secret, visit.org_id, visit.account.as_deref()).await?;
    drop(conn);
    let asked = match (&visit.provider_id, keys) {
        (None, _) => return record_closed(context, &profile, &visit, None).await,
        (Some(_), None) => Err(StripeError::Key("is no longer set up".into())),
        (Some(page), Some(keys)) => expire_session(context, &keys, &visit, page).await,
    };
    let is_former = in_force.is_none_or(|account| !visit.belongs_to_account(&account));
    match asked {
        Ok(evidence) => record_closed(context, &profile, &visit, evidence).await,
        Err(StripeError::Retry { reason, .. }) => Err(Error::Unavailable(format!("Stripe {reason}"))),
        Err(StripeError::Key(why)) if !is_former => Err(Error::Unavailable(format!("Stripe {why}"))),
        Err(StripeError::Key(_) | StripeError::Refused(_)) => {
            let mut tx = context.db.begin().await?;
            checkout::record_close_failed(&mut tx, &ctx, &visit).await?;
            tx.commit().await?;
            context.announcer.notify_changed();
            Ok(())
        }
    }
}

/// Expires the page; returns the payment if one was made just before.
async fn expire_session(
    context: &Context,
    keys: &StripeCredentials,
    visit: &CheckoutSession,
    page: &str,
) -> Result<Option<CheckoutEvidence>, StripeError> {
    let session = context.stripe.expire_checkout_session(keys, page).await?;
    match session.status {
        StripeCheckoutStatus::Paid => return checkout::fetch_evidence(&context.stripe, keys, visit, false).await,
        // Stripe refused to close it, so it may still be paid.
        StripeCheckoutStatus::Open => return Err(StripeError::Refused("did not close the page".into())),
        StripeCheckoutStatus::Processing | StripeCheckoutStatus::Failed | StripeCheckoutStatus::Expired => {}
    }
    Ok(Some(CheckoutEvidence { session, refunds: Vec::new(), disputes: Some(Vec::new()) }))
}

async fn record_closed(
    context: &Context,
    profile: &OrgProfile,
    visit: &CheckoutSession,
    evidence: Option<CheckoutEvidence>,
) -> Result<()> {
    let mut tx = context.db.begin().await?;
    if let Some(evidence) = &evidence {
        checkout::settle_checkout(&mut tx, &context.org_context(profile), visit, evidence).await?;
    }
    checkout::mark_closed(&mut tx, visit).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}
