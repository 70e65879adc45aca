//! Status changes of a connected account: in force, paused or ended.

use chrono::{DateTime, Utc};

use super::{
    AccountLook, ConnectedAccount, EndedBy, ReachedAccount, SETTINGS_PATH, build_check_task, find_current, mark_ended,
    unreachable::{end_no_access, record_unreachable},
};
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
        tasks::{self, NewTask},
    },
    providers::payments::StripeCredentials,
};

/// Stores the status of the account and applies it: the account comes into force, or its keys are taken away because the
/// connection was ended in Stripe. A connection that ended meanwhile changes nothing.
pub async fn apply_account_status(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    connection: &ConnectedAccount,
    look: &AccountLook,
) -> Result<()> {
    let (origin, org) = (ctx.origin, ctx.profile.org.id);
    org::lock(&mut *tx, org).await?;
    let Some(found) = find_current(&mut *tx, org).await?.filter(|found| found.id == connection.id) else {
        return Ok(());
    };
    let keys = org::load_stripe_keys(&mut *tx, ctx.secret, org).await?;
    match look {
        AccountLook::Reached(reached) => update_account_status(&mut *tx, ctx, &found, (reached, keys.as_ref())).await?,
        AccountLook::Ended => handle_disconnect(&mut *tx, ctx, &found, keys.as_ref()).await?,
        AccountLook::OutOfReach if found.matches_keys(keys.as_ref()) => {
            record_unreachable(&mut *tx, ctx, &found).await?;
        }
        // Nobody uses it.
        AccountLook::OutOfReach => return Ok(()),
    }
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

async fn update_account_status(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    (reached, keys): (&ReachedAccount, Option<&StripeCredentials>),
) -> Result<()> {
    let account = &reached.account;
    let way_back_until = store_account_status(&mut *tx, ctx, found, reached).await?;
    if found.unreachable_at.is_some() {
        end_no_access(&mut *tx, ctx, found).await?;
    }
    if found.matches_keys(keys) {
        if found.charges_enabled && !account.charges_enabled {
            return notify_payments_paused(tx, ctx, found).await;
        }
        return Ok(());
    }
    match (account.charges_enabled && account.details_submitted, found.confirmed_at) {
        (true, Some(_)) => activate_account(tx, ctx, found).await,
        (true, None) => ask_to_finish(tx, ctx, found, way_back_until).await,
        (false, _) => Ok(()),
    }
}

/// Returns until when the owner may come back with the state parameter.
async fn store_account_status(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    ReachedAccount { account, platform }: &ReachedAccount,
) -> Result<Option<DateTime<Utc>>> {
    let due = i64::try_from(account.count_due_details()).unwrap_or(i64::MAX);
    let until = q!(
        tx,
        fetch_optional scalar Option<DateTime<Utc>>,
        "UPDATE connected_account SET charges_enabled = $3, details_submitted = $4, requirements_due = $5, checked_at = $6,
             platform = COALESCE(platform, $7), unreachable_at = NULL
         WHERE org_id = $1 AND id = $2 RETURNING state_expires_at",
        found.org_id,
        found.id,
        account.charges_enabled,
        account.details_submitted,
        due,
        ctx.origin.now(),
        platform.as_deref()
    )?;
    Ok(until.flatten())
}

/// Stripe is done, and the owner left its page without coming back: they get one alert. Until their way back has expired
/// they may be on it, and another look follows then.
async fn ask_to_finish(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    found: &ConnectedAccount,
    way_back_until: Option<DateTime<Utc>>,
) -> Result<()> {
    let origin = ctx.origin;
    if let Some(until) = way_back_until.filter(|until| *until > origin.now()) {
        let look = build_check_task(origin, found.org_id, &format!("{}:way-back:{}", found.id, until.timestamp()));
        return tasks::enqueue(tx, origin, vec![NewTask { run_at: until, ..look }]).await.map(|_| ());
    }
    let body = "Stripe has all it asked for. Open Settings, Card payments, and press Finish connecting. Then customers can pay by card.";
    let alert = build_account_alert(finish_key(found), ("Finish connecting your Stripe account", body));
    alert::raise_alert(tx, origin, ctx.profile, alert).await.map(|_| ())
}

fn finish_key(found: &ConnectedAccount) -> String {
    format!("connected:{}:finish", found.id)
}

/// Cards are taken with it from now on. Pages of the previous account are no longer handed out.
async fn activate_account(tx: &mut Tx, ctx: &OrgContext<'_>, found: &ConnectedAccount) -> Result<()> {
    let Some(keys) = found.stripe_keys() else { return Ok(()) };
    let (origin, secret, org) = (ctx.origin, ctx.secret, found.org_id);
    checkout::switch_account(&mut *tx, origin, secret, org, Some(&keys)).await?;
    org::store_stripe_keys(&mut *tx, origin, secret, org, &keys).await?;
    reconciliation::begin_run_with_new_keys(&mut *tx, origin, org).await?;
    let words = ("Your Stripe account is connected", "There is nothing to do.");
    alert::end_alert(&mut *tx, origin, org, &finish_key(found), words).await?;
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
    let alert = build_account_alert(key, (title, body));
    alert::raise_alert(tx, ctx.origin, ctx.profile, alert).await.map(|_| ())
}

pub(super) fn build_account_alert(key: String, (title, body): (&str, &str)) -> NewAlert {
    NewAlert {
        path: Some(SETTINGS_PATH.to_owned()),
        ..NewAlert::new(alert::AlertKind::CardPayments, key, title.to_owned(), body.to_owned())
    }
}
