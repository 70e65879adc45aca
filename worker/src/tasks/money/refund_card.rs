//! Refunds to a card, and checks the outcome. In doubt Stripe's list of refunds decides, where ours carry our id
//! (docs/card-payments.md).

use shared::{
    domain::{
        money::checkout::{self, CardRefund, RefundRefusal},
        tenancy::org::{self, OrgProfile, keys},
    },
    platform::{
        error::{Error, Result},
        id::{OrgId, PaymentId},
    },
    providers::payments::{
        RequestOutcome, StripeCredentials, StripeError, StripeRefund, StripeRefundStatus, key_validity,
    },
};

use crate::Context;

/// Runs after the minute of grace, and again while the refund is pending or in doubt. No effect when it is done.
/// Errors: [`Error::Unavailable`] when Stripe does not answer, or leaves the outcome open: retried.
pub async fn run(context: &Context, org: OrgId, id: PaymentId) -> Result<()> {
    let mut conn = context.db.acquire_reader().await?;
    let Some(refund) = checkout::find_pending_refund(&mut conn, org, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, refund.org_id).await? else { return Ok(()) };
    let profile = org::load_profile(&mut conn, owner).await?;
    let found =
        keys::load_stripe_keys_for_account(&mut conn, &context.secret, refund.org_id, refund.account.as_deref())
            .await?;
    drop(conn);
    let found = keys::choose_keys(&context.stripe, found).await;
    let is_former = found.as_ref().is_some_and(|found| found.is_former);
    let step = RefundAttempt { context, profile: &profile, refund: &refund, is_former };
    let ended = match found {
        Some(found) => step.run_attempt(&found.keys).await,
        None => step.fail_without_keys().await,
    };
    if let Err(Error::Unavailable(why)) = &ended {
        step.mark_delayed(why).await?;
    }
    ended
}

fn retry_later(why: &str) -> Error {
    Error::Unavailable(format!("Stripe {why}"))
}

struct RefundAttempt<'a> {
    context: &'a Context,
    profile: &'a OrgProfile,
    refund: &'a CardRefund,
    /// Its account was replaced, and the keys are kept for a while.
    is_former: bool,
}

impl RefundAttempt<'_> {
    async fn fail_without_keys(&self) -> Result<()> {
        self.set_reachable(false).await?;
        self.handle_unreachable(checkout::NOT_CONNECTED).await
    }

    /// Records whether Stripe can be asked; where it cannot, the business may state the outcome.
    async fn set_reachable(&self, is_reachable: bool) -> Result<()> {
        if self.refund.is_unreachable != is_reachable {
            return Ok(());
        }
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::record_refund_reachability(&mut tx, origin, self.refund, is_reachable).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Ok(())
    }

    async fn record_key_status(&self, keys: &StripeCredentials, is_taken: Option<bool>) -> Result<()> {
        let Some(is_taken) = is_taken else { return Ok(()) };
        let mut tx = self.context.db.begin().await?;
        keys::record_key_acceptance(&mut tx, &self.context.origin, self.refund.org_id, keys, is_taken).await?;
        tx.commit().await
    }

    async fn run_attempt(&self, keys: &StripeCredentials) -> Result<()> {
        let refund = self.refund;
        // Also before the first request: a copy of an install may have made the refund already.
        let listed = self.context.stripe.list_refunds(keys, &refund.payment).await;
        self.record_key_status(keys, key_validity(&listed)).await?;
        self.set_reachable(checkout::can_query_provider(&listed, self.is_former)).await?;
        match listed {
            Ok(all) => match self.find_own_refund(&all) {
                Some(found) => return self.mark_made(keys, &found).await,
                None if refund.provider_id.is_some() => return Err(retry_later("does not list a refund of ours")),
                // Certainly not made: it is requested now.
                None => {}
            },
            Err(StripeError::Retry { reason, .. }) if refund.attempted_at.is_none() => {
                return Err(retry_later(&reason));
            }
            Err(error) => return self.handle_unreachable(&error.to_string()).await,
        }
        match self.context.stripe.fetch_refundable_amount(keys, &refund.payment, refund.paid_cents).await {
            Ok(left) if left >= refund.amount_cents => self.request_refund(keys).await,
            Ok(left) => {
                let why = format!("says that {} of the payment is left", left.format_usd());
                self.handle_refusal(keys, &why, false).await
            }
            Err(StripeError::Retry { reason, .. }) => Err(retry_later(&reason)),
            // Nothing was requested yet, or Stripe's list shows that nothing came of it.
            Err(StripeError::Key(why) | StripeError::Refused(why)) => self.handle_refusal(keys, &why, false).await,
        }
    }

    /// Stripe cannot be asked whether the refund was made.
    async fn handle_unreachable(&self, why: &str) -> Result<()> {
        match (&self.refund.provider_id, self.refund.attempted_at) {
            // Stripe has it; the outcome is asked for later.
            (Some(_), _) if why != checkout::NOT_CONNECTED => Err(retry_later(why)),
            (Some(_), _) | (None, Some(_)) => {
                self.mark_unknown_outcome(why).await?;
                Err(retry_later(why))
            }
            (None, None) => self.mark_failed(RefundRefusal { why, was_requested: false, returned: None }).await,
        }
    }

    fn find_own_refund(&self, all: &[StripeRefund]) -> Option<StripeRefund> {
        let (known, own) = (self.refund.provider_id.as_deref(), self.refund.id.to_string());
        let is_ours =
            |one: &&StripeRefund| Some(one.id.as_str()) == known || one.reference.as_deref() == Some(own.as_str());
        all.iter().find(is_ours).cloned()
    }

    async fn request_refund(&self, keys: &StripeCredentials) -> Result<()> {
        let Some(key) = self.begin_attempt(false).await? else { return Ok(()) };
        let (refund, stripe) = (self.refund, &self.context.stripe);
        let of = (refund.payment.as_str(), refund.amount_cents);
        match stripe.create_refund(keys, of, &refund.id.to_string(), &key).await {
            Ok(made) => self.mark_made(keys, &made).await,
            Err(StripeError::Retry { reason, doubt: RequestOutcome::NotDone, .. }) => Err(retry_later(&reason)),
            Err(StripeError::Retry { reason, doubt, .. }) => {
                self.resolve_unknown_outcome(keys, doubt, &reason).await?;
                Err(retry_later(&reason))
            }
            Err(StripeError::Key(why) | StripeError::Refused(why)) => self.handle_refusal(keys, &why, true).await,
        }
    }

    async fn begin_attempt(&self, is_anew: bool) -> Result<Option<String>> {
        let mut tx = self.context.db.begin().await?;
        let key = checkout::record_refund_attempt(&mut tx, &self.context.origin, self.refund, is_anew).await?;
        tx.commit().await?;
        Ok(key)
    }

    /// The refund may have been made. If Stripe keeps repeating a stored failure for the key and lists no refund, the
    /// next try uses a new key.
    async fn resolve_unknown_outcome(&self, keys: &StripeCredentials, doubt: RequestOutcome, why: &str) -> Result<()> {
        self.mark_unknown_outcome(why).await?;
        let is_spent = matches!(doubt, RequestOutcome::Stored { is_replayed } if is_replayed || self.refund.attempted_at.is_some());
        if is_spent && let Ok(all) = self.context.stripe.list_refunds(keys, &self.refund.payment).await {
            match self.find_own_refund(&all) {
                Some(found) => self.mark_made(keys, &found).await?,
                None => self.begin_attempt(true).await.map(|_| ())?,
            }
        }
        Ok(())
    }

    async fn mark_unknown_outcome(&self, why: &str) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::record_refund_unknown(&mut tx, origin, self.profile, self.refund, why).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Ok(())
    }

    async fn mark_delayed(&self, why: &str) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::alert_if_refund_overdue(&mut tx, origin, self.profile, self.refund, why).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Ok(())
    }

    /// One that Stripe could not bring to the card is recorded with the other returns of the payment: its alert says what
    /// is left.
    async fn mark_made(&self, keys: &StripeCredentials, refund: &StripeRefund) -> Result<()> {
        let Context { db, origin, announcer, stripe, .. } = self.context;
        let returned = if refund.status == StripeRefundStatus::Failed {
            let asked = checkout::fetch_returned_funds(stripe, keys, &self.refund.payment).await;
            Some(asked.map_err(|e| retry_later(&e.to_string()))?)
        } else {
            None
        };
        let mut tx = db.begin().await?;
        if let Some(returned) = &returned {
            let ctx = self.context.org_context(self.profile);
            checkout::apply_returned_funds(&mut tx, &ctx, &self.refund.payment, returned).await?;
        }
        checkout::record_refund_accepted(&mut tx, origin, self.profile, self.refund, refund).await?;
        tx.commit().await?;
        announcer.notify_changed();
        Ok(())
    }

    /// Stripe refused the refund, or this run's request for it. Its list decides, and is recorded.
    async fn handle_refusal(&self, keys: &StripeCredentials, why: &str, was_requested: bool) -> Result<()> {
        let refusal = RefundRefusal { why, was_requested, returned: None };
        match checkout::fetch_returned_funds(&self.context.stripe, keys, &self.refund.payment).await {
            Ok(back) => match self.find_own_refund(&back.refunds) {
                Some(found) => self.mark_made(keys, &found).await,
                None => self.mark_failed(RefundRefusal { returned: Some(&back), ..refusal }).await,
            },
            Err(_) => self.mark_failed(refusal).await,
        }
    }

    /// The refund was not made and will not be, unless another run or an unread list leaves it in doubt. Other refunds
    /// are recorded first: the alert names them.
    async fn mark_failed(&self, refusal: RefundRefusal<'_>) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        if let Some(back) = refusal.returned {
            let ctx = self.context.org_context(self.profile);
            checkout::apply_returned_funds(&mut tx, &ctx, &self.refund.payment, back).await?;
        }
        let has_failed = checkout::record_refund_failed(&mut tx, origin, self.profile, self.refund, refusal).await?;
        tx.commit().await?;
        announcer.notify_changed();
        if has_failed { Ok(()) } else { Err(retry_later(refusal.why)) }
    }
}
