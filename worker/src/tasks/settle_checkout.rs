//! Asks Stripe what became of a visit to its pay page, and makes the ledger say the same.

use shared::{
    checkout,
    error::{Error, Result},
    id::CheckoutId,
    org,
    org::keys,
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
    // Without keys nobody can be asked: they were taken away, and what came in meanwhile stands in Stripe.
    let Some(keys) = keys::stripe_of(&mut conn, &context.secret, visit.org_id, visit.account.as_deref()).await?
    else {
        return Ok(());
    };
    let may_be_disputed = checkout::may_be_disputed(&mut conn, visit.org_id).await?;
    drop(conn);
    let asked = checkout::ask(&context.stripe, &keys, &visit, may_be_disputed).await;
    let Some(evidence) = asked.map_err(|e| Error::Unavailable(format!("Stripe {e}")))? else { return Ok(()) };
    let mut tx = context.db.begin().await?;
    checkout::note(&mut tx, &context.intake(&profile), &visit, &evidence).await?;
    tx.commit().await?;
    context.announcer.changed();
    Ok(())
}
