//! Status changes of a connected account: in force, paused or ended.

use super::{ConnectedAccount, EndedBy, find_current, mark_ended};
use crate::{
    domain::{
        messaging::alert::{self, NewAlert},
        money::{checkout, reconciliation},
        tenancy::org::{self, OrgContext},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        live::{self, Topic},
    },
    providers::payments::{StripeCredentials, connect::StripeAccount},
};

const SETTINGS_PATH: &str = "/app/settings?tab=money";

/// Stores the status of the account and applies it: the account comes into force, or its keys are taken away. `account`
/// is none when Stripe reports that this install has no access any more. A connection that ended meanwhile changes
/// nothing.
pub async fn apply_account_status(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    connection: &ConnectedAccount,
    account: Option<&StripeAccount>,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    org::lock(&mut *tx, org).await?;
    let Some(found) = find_current(&mut *tx, org).await?.filter(|found| found.id == connection.id) else {
        return Ok(());
    };
    let keys = org::load_stripe_keys(&mut *tx, ctx.secret, org).await?;
    match account {
        None => handle_disconnect(&mut *tx, ctx, &found, keys.as_ref()).await?,
        Some(account) => update_account_status(&mut *tx, ctx, &found, (account, keys.as_ref())).await?,
    }
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

async fn update_account_status(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    (account, keys): (&StripeAccount, Option<&StripeCredentials>),
) -> Result<()> {
    let due = i64::try_from(account.count_due_details()).unwrap_or(i64::MAX);
    q!(
        &mut *tx,
        execute,
        "UPDATE connected_account SET charges_enabled = $3, details_submitted = $4, requirements_due = $5, checked_at = $6
         WHERE org_id = $1 AND id = $2",
        found.org_id,
        found.id,
        account.charges_enabled,
        account.details_submitted,
        due,
        ctx.origin.now()
    )?;
    if found.matches_keys(keys) {
        if found.charges_enabled && !account.charges_enabled {
            return notify_payments_paused(tx, ctx, found).await;
        }
        return Ok(());
    }
    if account.charges_enabled && account.details_submitted && found.confirmed_at.is_some() {
        return activate_account(tx, ctx, found).await;
    }
    Ok(())
}

/// Cards are taken with it from now on. Pages of the previous account are no longer handed out.
async fn activate_account(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let Some(keys) = found.stripe_keys() else { return Ok(()) };
    let (origin, secret, org) = (ctx.origin, ctx.secret, found.org_id);
    checkout::switch_account(&mut *tx, origin, secret, org, Some(&keys)).await?;
    org::store_stripe_keys(&mut *tx, origin, secret, org, &keys).await?;
    reconciliation::begin_run_with_new_keys(&mut *tx, origin, org).await?;
    let body = "Customers can pay invoices and deposits by card now. The money goes to your Stripe account.";
    raise_account_alert(tx, ctx, found, ("ready", "Card payments are ready", body)).await
}

/// Stripe takes no payments for it until its owner acts there.
async fn notify_payments_paused(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let body = "Customers cannot pay by card until you give Stripe what it asks for. Open Settings, Card payments, and press Continue at Stripe.";
    raise_account_alert(tx, ctx, found, ("stopped", "Stripe has paused your card payments", body)).await
}

async fn handle_disconnect(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    keys: Option<&StripeCredentials>,
) -> Result<()> {
    let (origin, org) = (ctx.origin, found.org_id);
    mark_ended(&mut *tx, origin, found, EndedBy::Stripe).await?;
    if !found.matches_keys(keys) {
        return Ok(());
    }
    checkout::switch_account(&mut *tx, origin, ctx.secret, org, None).await?;
    org::delete_stripe_keys(&mut *tx, org).await?;
    let body = "The connection was ended in Stripe. Customers cannot pay by card, and refunds to cards are made in Stripe itself. Open Settings, Card payments, to connect again.";
    raise_account_alert(tx, ctx, found, ("ended", "Card payments are off: Stripe was disconnected", body)).await
}

async fn raise_account_alert(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    (what, title, body): (&str, &str, &str),
) -> Result<()> {
    let key = format!("connected:{}:{what}:{}", found.id, ctx.origin.now().timestamp());
    let alert = NewAlert {
        path: Some(SETTINGS_PATH.to_owned()),
        ..NewAlert::new(alert::AlertKind::CardPayments, key, title.to_owned(), body.to_owned())
    };
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}
