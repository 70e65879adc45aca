//! Expires a Stripe page whose amount is not due any more.

use shared::{
    domain::{
        money::checkout::{self, CheckoutEvidence, CheckoutSession, CloseDecision, CloseFailure},
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
/// [`Error::Unavailable`] when Stripe does not answer, or refuses the key in force: retried.
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
    let keys = keys::choose_keys(&context.stripe, keys).await.map(|found| found.keys);
    let is_former = in_force.is_none_or(|account| !visit.belongs_to_account(&account));
    let closing = PageClosing { context, profile: &profile, visit: &visit, is_former };
    let asked = match (&visit.provider_id, &keys) {
        (None, _) => return closing.record_closed(None).await,
        (Some(_), None) => Err(StripeError::Key("is no longer set up".into())),
        (Some(page), Some(keys)) => expire_session(context, keys, &visit, page).await,
    };
    match (asked, keys) {
        (Ok(evidence), _) => closing.record_closed(evidence).await,
        (Err(StripeError::Retry { reason, .. }), _) => Err(Error::Unavailable(format!("Stripe {reason}"))),
        (Err(error @ StripeError::Key(_)), Some(keys)) if !is_former => closing.record_refused_key(&keys, &error).await,
        (Err(StripeError::Key(_)), _) => closing.record_close_failed(CloseFailure::NoAccess).await,
        (Err(StripeError::Refused(_)), _) => closing.record_close_failed(CloseFailure::Refused).await,
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

struct PageClosing<'a> {
    context: &'a Context,
    profile: &'a OrgProfile,
    visit: &'a CheckoutSession,
    /// The account of the page is not in force.
    is_former: bool,
}

impl PageClosing<'_> {
    async fn record_closed(&self, evidence: Option<CheckoutEvidence>) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        if let Some(evidence) = &evidence {
            let ctx = self.context.org_context(self.profile);
            checkout::settle_checkout(&mut tx, &ctx, self.visit, evidence).await?;
            if self.is_former {
                checkout::enqueue_former_account_check(&mut tx, origin, self.visit, evidence).await?;
            }
        }
        checkout::mark_closed(&mut tx, origin, self.visit).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Ok(())
    }

    async fn record_close_failed(&self, failure: CloseFailure) -> Result<()> {
        let mut tx = self.context.db.begin().await?;
        let ctx = self.context.org_context(self.profile);
        checkout::record_close_failed(&mut tx, &ctx, self.visit, failure).await?;
        tx.commit().await?;
        self.context.announcer.notify_changed();
        Ok(())
    }

    /// Stripe refuses the key in force. The business is told, and the page is closed with the next key.
    async fn record_refused_key(&self, keys: &StripeCredentials, error: &StripeError) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let is_connected = keys.connected.is_some();
        let failure = if is_connected { CloseFailure::ConnectionRefused } else { CloseFailure::KeyRefused };
        let mut tx = db.begin().await?;
        if error.is_unknown_key() {
            keys::record_key_acceptance(&mut tx, origin, self.visit.org_id, keys, false).await?;
        }
        checkout::alert_not_closed(&mut tx, &self.context.org_context(self.profile), self.visit, failure).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Err(Error::Unavailable(format!("Stripe {error}")))
    }
}
