//! Asks Stripe what is left of a card payment before a refund of it is recorded, to the card or in another way: the books may
//! not know yet of what went back on Stripe's own pages.

use shared::{
    domain::{
        money::{
            checkout,
            ledger::{
                Method, NewRefund,
                card::{self, Held},
            },
        },
        tenancy::org::keys,
    },
    platform::{error::Error, id::PaymentId, money::Cents},
    providers::payments::{Keys, PayError},
};

use crate::{auth::OrgMember, error::ApiResult, routes::org::profile_of, state::AppState};

/// Lets a refund through that gives back no more than was paid. With no transaction open. Where Stripe does not answer now,
/// a refund to the card asks once more before it leaves; one in cash is the business's own word.
///
/// # Errors
/// 409 when Stripe says that less is left, or does not let us ask; the books say then what Stripe says.
pub(super) async fn check(state: &AppState, member: &OrgMember, id: PaymentId, new: &NewRefund) -> ApiResult<()> {
    let mut conn = state.db()?.read().await?;
    let Some(held) = card::at_stripe(&mut conn, member.org(), id).await? else { return Ok(()) };
    let is_to_card = new.method.unwrap_or(held.method) == Method::Card;
    let keys = keys::stripe_of(&mut conn, &state.settings.secret, member.org(), held.account.as_deref()).await?;
    let is_connected = keys::stripe(&mut conn, &state.settings.secret, member.org()).await?.is_some();
    drop(conn);
    let Some(keys) = keys else {
        if !is_to_card {
            return Ok(());
        }
        let why = "This payment is in a Stripe account that is not connected. Refund it in Stripe, or choose another way to give it back.";
        return Err(Error::Conflict(why).into());
    };
    let left = match state.stripe.left_of(&keys, &held.payment, held.amount_cents).await {
        Ok(left) => left,
        Err(PayError::Retry { .. }) => return Ok(()),
        Err(PayError::Key(_) | PayError::Refused(_)) if !is_to_card => return Ok(()),
        // The keys of before are kept for a day, and Stripe may know them no more.
        Err(PayError::Key(_)) if !is_connected => {
            let why = "Stripe is not connected. Nothing was refunded. Connect it again, or choose another way to give it back.";
            return Err(Error::Conflict(why).into());
        }
        Err(PayError::Key(why) | PayError::Refused(why)) => {
            return Err(Error::Clash(format!("Stripe {why}. Nothing was refunded.")).into());
        }
    };
    let wanted = new.amount.unwrap_or(Cents(held.amount_cents.0 - held.back_cents.0));
    let left = Cents((left.0 - held.unknown_there_cents.0).max(0));
    if wanted <= left {
        return Ok(());
    }
    note(state, member, &keys, &held).await?;
    Err(Error::Clash(format!("Stripe says that {} of this payment is left. Nothing was refunded.", left.shown()))
        .into())
}

/// What went back without us stands in the books from now on. Where Stripe does not say it now, the nightly comparison
/// books it.
async fn note(state: &AppState, member: &OrgMember, keys: &Keys, held: &Held) -> ApiResult<()> {
    let Ok(back) = checkout::what_went_back(&state.stripe, keys, &held.payment).await else { return Ok(()) };
    let mut tx = state.db()?.begin().await?;
    let profile = profile_of(&mut tx, member).await?;
    checkout::went_back_noted(&mut tx, &state.intake(&profile), &held.payment, &back).await?;
    tx.commit().await?;
    state.wake();
    Ok(())
}
