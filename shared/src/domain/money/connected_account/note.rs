//! What Stripe says of a connected account: it comes into force, needs something, or is gone.

use super::{ConnectedAccount, EndedBy, current, finish};
use crate::{
    domain::{
        intake::lead::Intake,
        messaging::alert::{self, NewAlert},
        money::checkout,
        tenancy::org::{self, keys},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        live::{self, Topic},
    },
    providers::payments::{Keys, connect::Account},
};

/// Where an owner does something about it.
const SETTINGS: &str = "/app/settings?tab=money";

/// Writes down how the account of a connection stands; `said` is none when Stripe says that this install has no access to
/// it any more. Whatever follows happens with it: the account comes into force, or its keys are taken away. A connection
/// that ended meanwhile changes nothing.
///
/// # Errors
/// When the database is away.
pub async fn note(
    tx: &mut Tx,
    house: &Intake<'_>,
    connection: &ConnectedAccount,
    said: Option<&Account>,
) -> Result<()> {
    let (origin, org) = (house.origin, house.profile.org.id);
    org::lock(&mut *tx, org).await?;
    let Some(found) = current(&mut *tx, org).await?.filter(|found| found.id == connection.id) else { return Ok(()) };
    let keys = keys::stripe(&mut *tx, house.secret, org).await?;
    match said {
        None => lost(&mut *tx, house, &found, keys.as_ref()).await?,
        Some(account) => stands(&mut *tx, house, &found, (account, keys.as_ref())).await?,
    }
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}

async fn stands(
    tx: &mut Tx,
    house: &Intake<'_>,
    found: &ConnectedAccount,
    (account, keys): (&Account, Option<&Keys>),
) -> Result<()> {
    let due = i64::try_from(account.due()).unwrap_or(i64::MAX);
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
        house.origin.now()
    )?;
    if found.is_in_force(keys) {
        if found.charges_enabled && !account.charges_enabled {
            return stopped(tx, house, found).await;
        }
        return Ok(());
    }
    if account.charges_enabled && account.details_submitted && found.confirmed_at.is_some() {
        return in_force(tx, house, found).await;
    }
    Ok(())
}

/// From now on cards are taken with it. Pages of the account before are handed out no more.
async fn in_force(tx: &mut Tx, house: &Intake<'_>, found: &ConnectedAccount) -> Result<()> {
    let Some(keys) = found.keys() else { return Ok(()) };
    let (origin, secret, org) = (house.origin, house.secret, found.org_id);
    checkout::change_account(&mut *tx, origin, secret, org, Some(&keys)).await?;
    keys::set_stripe(&mut *tx, origin, secret, org, &keys).await?;
    let body = "Customers can pay invoices and deposits by card now. The money goes to your Stripe account.";
    tell(tx, house, found, ("ready", "Card payments are ready", body)).await
}

/// Stripe takes no payments for it until its owner has done something there.
async fn stopped(tx: &mut Tx, house: &Intake<'_>, found: &ConnectedAccount) -> Result<()> {
    let body = "Customers cannot pay by card until you give Stripe what it asks for. Open Settings, Money, and press Continue at Stripe.";
    tell(tx, house, found, ("stopped", "Stripe has paused your card payments", body)).await
}

/// Stripe says that the connection was ended there.
async fn lost(tx: &mut Tx, house: &Intake<'_>, found: &ConnectedAccount, keys: Option<&Keys>) -> Result<()> {
    let (origin, org) = (house.origin, found.org_id);
    finish(&mut *tx, origin, found, EndedBy::Stripe).await?;
    if !found.is_in_force(keys) {
        return Ok(());
    }
    checkout::change_account(&mut *tx, origin, house.secret, org, None).await?;
    keys::forget_stripe(&mut *tx, org).await?;
    let body = "The connection was ended in Stripe. Customers cannot pay by card, and refunds to cards are made in Stripe itself. Open Settings, Money, to connect again.";
    tell(tx, house, found, ("ended", "Card payments are off: Stripe was disconnected", body)).await
}

async fn tell(
    tx: &mut Tx,
    house: &Intake<'_>,
    found: &ConnectedAccount,
    (what, title, body): (&str, &str, &str),
) -> Result<()> {
    let key = format!("connected:{}:{what}:{}", found.id, house.origin.now().timestamp());
    let alert = NewAlert {
        path: Some(SETTINGS.to_owned()),
        ..NewAlert::new(alert::Kind::CardPayments, key, title.to_owned(), body.to_owned())
    };
    alert::raise(tx, house.origin, house.profile, alert).await.map(|_| ())
}
