//! Asks Stripe for the outcome of a checkout and updates the ledger.

use shared::{
    domain::{
        money::checkout::{self, CheckoutSession},
        tenancy::org::{self, OrgProfile, keys},
    },
    platform::{
        error::{Error, Result},
        id::CheckoutId,
    },
    providers::payments::{StripeCredentials, StripeError},
};

use crate::Context;

/// Idempotent. Errors: [`Error::Unavailable`] when Stripe does not answer, or refuses the key: retried.
pub async fn run(context: &Context, id: CheckoutId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(visit) = checkout::find_by_id(&mut conn, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, visit.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    let in_force =
        keys::load_stripe_keys(&mut conn, &context.secret, visit.org_id).await?.map(|keys| keys.account_key());
    let is_former = in_force.is_none_or(|account| !visit.belongs_to_account(&account));
    // The keys were removed: Stripe cannot be asked, and later payments are visible only there.
    let Some(keys) =
        keys::load_stripe_keys_for_account(&mut conn, &context.secret, visit.org_id, visit.account.as_deref()).await?
    else {
        return mark_out_of_sight(context, &profile, &visit).await;
    };
    let may_be_disputed = checkout::has_dispute_events(&mut conn, visit.org_id).await?;
    drop(conn);
    let keys = keys.choose_accepted(&context.stripe).await.keys;
    let visit = with_session_id(context, &keys, visit).await?;
    let evidence = match checkout::fetch_evidence(&context.stripe, &keys, &visit, may_be_disputed).await {
        Ok(Some(evidence)) => evidence,
        Ok(None) => return Ok(()),
        Err(StripeError::Key(_) | StripeError::Refused(_)) if is_former && visit.is_awaiting_bank() => {
            return mark_out_of_sight(context, &profile, &visit).await;
        }
        Err(error) => return Err(Error::Unavailable(format!("Stripe {error}"))),
    };
    let mut tx = context.db.begin().await?;
    checkout::settle_checkout(&mut tx, &context.org_context(&profile), &visit, &evidence).await?;
    if is_former {
        checkout::enqueue_former_account_check(&mut tx, &context.origin, &visit, &evidence).await?;
    }
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

async fn mark_out_of_sight(context: &Context, profile: &OrgProfile, visit: &CheckoutSession) -> Result<()> {
    let mut tx = context.db.begin().await?;
    checkout::record_untrackable(&mut tx, &context.org_context(profile), visit).await?;
    tx.commit().await?;
    context.announcer.notify_changed();
    Ok(())
}

/// Adds Stripe's id of the page where only the payment is known, because the answer with it was lost. Errors:
/// [`Error::Unavailable`] when Stripe does not answer.
async fn with_session_id(
    context: &Context,
    keys: &StripeCredentials,
    mut visit: CheckoutSession,
) -> Result<CheckoutSession> {
    if visit.provider_id.is_some() || visit.payment_provider_id.is_none() {
        return Ok(visit);
    }
    let found = checkout::find_page(&context.stripe, keys, &visit).await;
    let Some(page) = found.map_err(|e| Error::Unavailable(format!("Stripe {e}")))? else { return Ok(visit) };
    let mut tx = context.db.begin().await?;
    checkout::record_page_id(&mut tx, &visit, &page.id).await?;
    tx.commit().await?;
    visit.provider_id = Some(page.id);
    Ok(visit)
}
