//! Asks Stripe for the refundable rest of a card payment before any refund of it is recorded: the ledger may not know
//! refunds made on Stripe's own pages yet.

use shared::{
    conflicts::{ConflictCode, ConflictReason},
    domain::{
        money::{
            checkout,
            ledger::{
                NewRefund, PaymentMethod,
                card::{self, StripePayment},
            },
        },
        tenancy::org::keys,
    },
    platform::{id::PaymentId, money::Cents},
    providers::payments::{StripeCredentials, StripeError},
};

use crate::{auth::OrgMember, error::ApiResult, routes::tenancy::org::load_profile, state::AppState};

/// Lets a refund pass that returns no more than was paid. Call with no transaction open. If Stripe does not answer now,
/// a card refund asks again before it is sent, and a cash refund waits for the answer ([`check_unseen_rest`]). Errors: 409
/// when Stripe reports less (the ledger then takes over Stripe's figures), or denies access.
pub(super) async fn check_refundable(
    state: &AppState,
    member: &OrgMember,
    id: PaymentId,
    new: &NewRefund,
) -> ApiResult<()> {
    let mut conn = state.db()?.acquire_reader().await?;
    let Some(held) = card::find_stripe_payment(&mut conn, member.org(), id).await? else { return Ok(()) };
    let is_to_card = new.method.unwrap_or(held.method) == PaymentMethod::Card;
    let found =
        keys::load_stripe_keys_for_account(&mut conn, &state.settings.secret, member.org(), held.account.as_deref())
            .await?;
    let is_connected = keys::load_stripe_keys(&mut conn, &state.settings.secret, member.org()).await?.is_some();
    drop(conn);
    let Some(found) = keys::choose_keys(&state.stripe, found).await else {
        if !is_to_card {
            return Ok(());
        }
        return Err(ConflictCode::StripeAccountNotConnected.into());
    };
    let keys = found.keys;
    let left = match state.stripe.fetch_refundable_amount(&keys, &held.payment, held.amount_cents).await {
        Ok(left) => left,
        Err(error) if !is_to_card => return check_unseen_rest(error, &keys, found.is_former),
        Err(StripeError::Retry { .. }) => return Ok(()),
        // Former keys are kept for a day, and Stripe may have revoked them.
        Err(StripeError::Key(_)) if !is_connected => {
            return Err(ConflictCode::StripeNotConnected.into());
        }
        Err(StripeError::Key(why) | StripeError::Refused(why)) => {
            return Err(ConflictReason::stripe_refused_refund(&why).into());
        }
    };
    let wanted = new.amount.unwrap_or(Cents(held.amount_cents.0 - held.back_cents.0));
    let left = Cents((left.0 - held.unknown_there_cents.0).max(0));
    if wanted <= left {
        return Ok(());
    }
    record_external_returns(state, member, &keys, &held).await?;
    Err(rest_refusal(&held, left).into())
}

/// Cash is gone at once, and the money may have gone back in Stripe already: it waits as long as Stripe's answer may
/// still come. Where nobody can get that answer any more, the ledger alone decides.
fn check_unseen_rest(error: StripeError, keys: &StripeCredentials, is_former_account: bool) -> ApiResult<()> {
    // A connected account is asked with the key of the install.
    let is_own_key_refused = matches!(error, StripeError::Key(_)) && keys.connected.is_none();
    if !checkout::can_query_provider::<()>(&Err(error), is_former_account) {
        return Ok(());
    }
    let code = if is_own_key_refused { ConflictCode::StripeKeyRefused } else { ConflictCode::StripeRestUnknown };
    Err(code.into())
}

/// Stripe's figure is named only where refunds that Stripe does not know take nothing off it.
fn rest_refusal(held: &StripePayment, left: Cents) -> ConflictReason {
    if held.in_doubt_cents > Cents::ZERO {
        ConflictReason::other_refund_in_doubt(held.in_doubt_cents)
    } else if held.pending_cents > Cents::ZERO {
        ConflictReason::other_refund_pending(held.pending_cents, left)
    } else if held.unknown_there_cents > Cents::ZERO {
        ConflictReason::refund_exceeds_rest(left)
    } else {
        ConflictReason::stripe_rest_smaller(left)
    }
}

/// Records refunds that were made at Stripe. If Stripe does not answer now, the nightly comparison does it.
async fn record_external_returns(
    state: &AppState,
    member: &OrgMember,
    keys: &StripeCredentials,
    held: &StripePayment,
) -> ApiResult<()> {
    let Ok(back) = checkout::fetch_returned_funds(&state.stripe, keys, &held.payment).await else { return Ok(()) };
    let mut tx = state.db()?.begin().await?;
    let profile = load_profile(&mut tx, member).await?;
    checkout::apply_returned_funds(&mut tx, &state.org_context(&profile), &held.payment, &back).await?;
    tx.commit().await?;
    state.notify_committed();
    Ok(())
}
