//! Gives money back to a card, and looks whether it arrived. What Stripe's answer leaves open is decided by its own list
//! of refunds, where ours bears our id (docs/card-payments.md).

use shared::{
    domain::{
        money::checkout::{self, CardRefund, WentBack},
        tenancy::org::{self, Profile, keys},
    },
    platform::{
        error::{Error, Result},
        id::{OrgId, PaymentId},
    },
    providers::payments::{Doubt, Keys, PayError, Refund, takes_key},
};

use crate::Context;

/// Runs once the minute of grace is over, and again as long as Stripe works on it or it is in doubt. Harmless when it is
/// done.
///
/// # Errors
/// [`Error::Unavailable`] when Stripe does not answer or does not say: it is tried again.
pub async fn run(context: &Context, org: OrgId, id: PaymentId) -> Result<()> {
    let mut conn = context.db.read().await?;
    let Some(refund) = checkout::refund_due(&mut conn, org, id).await? else { return Ok(()) };
    let Some(owner) = org::find(&mut conn, refund.org_id).await? else { return Ok(()) };
    let profile = org::profile(&mut conn, owner).await?;
    let keys = keys::stripe_of(&mut conn, &context.secret, refund.org_id, refund.account.as_deref()).await?;
    drop(conn);
    let step = Step { context, profile: &profile, refund: &refund };
    let ended = match keys {
        Some(keys) => step.run(&keys).await,
        None => step.without_keys().await,
    };
    if let Err(Error::Unavailable(why)) = &ended {
        step.late(why).await?;
    }
    ended
}

/// Not now, and again later.
fn later(why: &str) -> Error {
    Error::Unavailable(format!("Stripe {why}"))
}

/// One try.
struct Step<'a> {
    context: &'a Context,
    profile: &'a Profile,
    refund: &'a CardRefund,
}

impl Step<'_> {
    async fn without_keys(&self) -> Result<()> {
        self.reach(false).await?;
        self.turned_away(checkout::NOT_CONNECTED).await
    }

    /// Where nobody can be asked, the business may say how it ended.
    async fn reach(&self, is_reachable: bool) -> Result<()> {
        if self.refund.is_unreachable != is_reachable {
            return Ok(());
        }
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::refund_reach(&mut tx, origin, self.refund, is_reachable).await?;
        tx.commit().await?;
        announcer.changed();
        Ok(())
    }

    /// The settings say whether Stripe takes the key.
    async fn note_key(&self, keys: &Keys, is_taken: Option<bool>) -> Result<()> {
        let Some(is_taken) = is_taken else { return Ok(()) };
        let mut tx = self.context.db.begin().await?;
        keys::note_taken(&mut tx, &self.context.origin, self.refund.org_id, keys, is_taken).await?;
        tx.commit().await
    }

    async fn run(&self, keys: &Keys) -> Result<()> {
        let refund = self.refund;
        // Before anything is asked for, too: a copy of an install may have asked for it already.
        let listed = self.context.stripe.refunds(keys, &refund.payment).await;
        self.note_key(keys, takes_key(&listed)).await?;
        self.reach(checkout::can_be_asked(&listed)).await?;
        match listed {
            Ok(all) => match self.ours(&all) {
                Some(found) => return self.made(&found).await,
                None if refund.provider_id.is_some() => return Err(later("does not list a refund of ours")),
                // It was certainly not made: it is asked for now.
                None => {}
            },
            Err(PayError::Retry { reason, .. }) if refund.attempted_at.is_none() => return Err(later(&reason)),
            Err(error) => return self.turned_away(&error.to_string()).await,
        }
        match self.context.stripe.left_of(keys, &refund.payment, refund.paid_cents).await {
            Ok(left) if left >= refund.amount_cents => self.ask(keys).await,
            Ok(left) => self.failed(keys, &format!("says that {} of the payment is left", left.shown())).await,
            Err(PayError::Retry { reason, .. }) => Err(later(&reason)),
            // Nothing was asked for so far, or Stripe's list says that nothing came of it.
            Err(PayError::Key(why) | PayError::Refused(why)) => self.failed(keys, &why).await,
        }
    }

    /// Nobody can be asked whether it was made.
    async fn turned_away(&self, why: &str) -> Result<()> {
        match (&self.refund.provider_id, self.refund.attempted_at) {
            // Stripe has it; how it ended is asked later.
            (Some(_), _) if why != checkout::NOT_CONNECTED => Err(later(why)),
            (Some(_), _) | (None, Some(_)) => {
                self.in_doubt(why).await?;
                Err(later(why))
            }
            (None, None) => self.end(why, None).await,
        }
    }

    fn ours(&self, all: &[Refund]) -> Option<Refund> {
        let (known, own) = (self.refund.provider_id.as_deref(), self.refund.id.to_string());
        let is_ours = |one: &&Refund| Some(one.id.as_str()) == known || one.reference.as_deref() == Some(own.as_str());
        all.iter().find(is_ours).cloned()
    }

    async fn ask(&self, keys: &Keys) -> Result<()> {
        let Some(key) = self.attempt(false).await? else { return Ok(()) };
        let (refund, stripe) = (self.refund, &self.context.stripe);
        let of = (refund.payment.as_str(), refund.amount_cents);
        match stripe.refund(keys, of, &refund.id.to_string(), &key).await {
            Ok(said) => self.made(&said).await,
            Err(PayError::Retry { reason, doubt: Doubt::NotDone, .. }) => Err(later(&reason)),
            Err(PayError::Retry { reason, doubt, .. }) => {
                self.settle_doubt(keys, doubt, &reason).await?;
                Err(later(&reason))
            }
            Err(PayError::Key(why) | PayError::Refused(why)) => self.failed(keys, &why).await,
        }
    }

    async fn attempt(&self, is_anew: bool) -> Result<Option<String>> {
        let mut tx = self.context.db.begin().await?;
        let key = checkout::refund_attempt(&mut tx, &self.context.origin, self.refund, is_anew).await?;
        tx.commit().await?;
        Ok(key)
    }

    /// It may have been made. Where Stripe keeps repeating a failure of its own for the key, and lists nothing, the next
    /// try has a key of its own.
    async fn settle_doubt(&self, keys: &Keys, doubt: Doubt, why: &str) -> Result<()> {
        self.in_doubt(why).await?;
        let is_spent =
            matches!(doubt, Doubt::Stored { is_replayed } if is_replayed || self.refund.attempted_at.is_some());
        if is_spent && let Ok(all) = self.context.stripe.refunds(keys, &self.refund.payment).await {
            match self.ours(&all) {
                Some(found) => self.made(&found).await?,
                None => self.attempt(true).await.map(|_| ())?,
            }
        }
        Ok(())
    }

    async fn in_doubt(&self, why: &str) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::refund_unknown(&mut tx, origin, self.profile, self.refund, why).await?;
        tx.commit().await?;
        announcer.changed();
        Ok(())
    }

    /// It will be tried again.
    async fn late(&self, why: &str) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::refund_late(&mut tx, origin, self.profile, self.refund, why).await?;
        tx.commit().await?;
        announcer.changed();
        Ok(())
    }

    async fn made(&self, said: &Refund) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        checkout::refund_made(&mut tx, origin, self.profile, self.refund, said).await?;
        tx.commit().await?;
        announcer.changed();
        Ok(())
    }

    /// Stripe refused it. Its list has the last word, and stands in the books.
    async fn failed(&self, keys: &Keys, why: &str) -> Result<()> {
        match checkout::what_went_back(&self.context.stripe, keys, &self.refund.payment).await {
            Ok(back) => match self.ours(&back.refunds) {
                Some(found) => self.made(&found).await,
                None => self.end(why, Some(&back)).await,
            },
            // It was asked for before, and nobody says now what became of that.
            Err(_) if self.refund.attempted_at.is_some() => {
                self.in_doubt(why).await?;
                Err(later(why))
            }
            Err(_) => self.end(why, None).await,
        }
    }

    /// It was not made, and will not be. What went back instead stands in the books first: the alert names it.
    async fn end(&self, why: &str, back: Option<&WentBack>) -> Result<()> {
        let Context { db, origin, announcer, .. } = self.context;
        let mut tx = db.begin().await?;
        if let Some(back) = back {
            let house = self.context.intake(self.profile);
            checkout::went_back_noted(&mut tx, &house, &self.refund.payment, back).await?;
        }
        let is_seen = back.is_some_and(|back| back.is_whole);
        checkout::refund_failed(&mut tx, origin, self.profile, self.refund, (why, is_seen)).await?;
        tx.commit().await?;
        announcer.changed();
        Ok(())
    }
}
