//! A business's provider keys: encrypted with the install's secret, so that a database copy reveals none, and never
//! shown after entry.

use chrono::{DateTime, Duration, Utc};

use crate::{
    domain::tenancy::provider_callbacks::CallbackEndpoint,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
        secret::SecretKey,
    },
    providers::payments::{Stripe, StripeCredentials, UNNAMED_ACCOUNT_PREFIX},
};

pub(crate) mod encrypted_keys;
pub mod stripe_form;

use encrypted_keys::{load_encrypted_keys, store_encrypted_keys};

pub(crate) const STRIPE: &str = "stripe";
pub(crate) const PURPOSE: &str = "key of a business";
/// Validity of the previous one: as long as Stripe signs with both after a roll (docs.stripe.com/webhooks, "Roll
/// endpoint signing secrets").
const ROLLED_FOR: Duration = Duration::hours(24);

/// Retention of a former account's keys: until its last page has ended, which is open for at most a day.
pub const FORMER_KEYS_RETENTION: Duration = Duration::hours(26);

/// Path of the Stripe webhook for a business: its own, or the shared one for connected accounts.
#[must_use]
pub fn webhook_path(org: OrgId, keys: Option<&StripeCredentials>) -> String {
    let of = if keys.is_some_and(|keys| keys.connected.is_some()) {
        CallbackEndpoint::Connected
    } else {
        CallbackEndpoint::Payments
    };
    of.path((of == CallbackEndpoint::Payments).then_some(org))
}

/// The current keys; none when there are none, or when they were encrypted with another secret and must be re-entered.
pub async fn load_stripe_keys(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
) -> Result<Option<StripeCredentials>> {
    load_encrypted_keys(conn, secret, org, STRIPE).await
}

/// The keys that reach the account of a payment or page.
#[derive(Clone, Debug)]
pub struct AccountKeys {
    pub keys: StripeCredentials,
    /// The keys were replaced, and are kept for a while.
    pub is_former: bool,
    /// The keys in force, where they may be new ones of the same account.
    rolled: Option<StripeCredentials>,
}

impl AccountKeys {
    fn in_force(keys: StripeCredentials) -> Self {
        Self { keys, is_former: false, rolled: None }
    }

    /// The keys in force in place of former ones that Stripe refuses, where both may be of one account. Never called
    /// inside a transaction.
    pub async fn choose_accepted(self, stripe: &Stripe) -> Self {
        let Some(rolled) = self.rolled.clone() else { return self };
        match stripe.verify_keys(&self.keys).await {
            Err(error) if error.is_unknown_key() => Self::in_force(rolled),
            _ => self,
        }
    }
}

/// [`AccountKeys::choose_accepted`] where there are keys.
pub async fn choose_keys(stripe: &Stripe, found: Option<AccountKeys>) -> Option<AccountKeys> {
    match found {
        Some(found) => Some(found.choose_accepted(stripe).await),
        None => None,
    }
}

/// The keys of the account that holds a payment or page: the current ones, or former ones replaced within a day. None
/// when that account is no longer reachable. Without `account` the current ones.
pub async fn load_stripe_keys_for_account(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<AccountKeys>> {
    let in_force = load_stripe_keys(&mut *conn, secret, org).await?;
    let Some(account) = account else { return Ok(in_force.map(AccountKeys::in_force)) };
    if in_force.as_ref().is_some_and(|keys| keys.account_key() == account) {
        return Ok(in_force.map(AccountKeys::in_force));
    }
    // A rolled key may belong to the same account if Stripe did not name it: Stripe's answer decides.
    let rolled = in_force.filter(|keys| may_be_of_account(keys, account));
    match load_encrypted_keys(conn, secret, org, &former_key_name(account)).await? {
        Some(keys) => Ok(Some(AccountKeys { keys, is_former: true, rolled })),
        None => Ok(rolled.map(AccountKeys::in_force)),
    }
}

/// Whether Stripe named only one of two accounts, or neither: two keys of one account may then differ.
fn may_be_of_account(keys: &StripeCredentials, account: &str) -> bool {
    [account, &keys.account_key()].iter().any(|name| name.starts_with(UNNAMED_ACCOUNT_PREFIX))
}

/// When the account of a payment was replaced, while its keys are still stored; none otherwise.
pub async fn account_replaced_since(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: Option<&str>,
) -> Result<Option<DateTime<Utc>>> {
    let Some(account) = account else { return Ok(None) };
    if load_stripe_keys(&mut *conn, secret, org).await?.is_some_and(|keys| keys.account_key() == account) {
        return Ok(None);
    }
    let sql = "SELECT updated_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org, former_key_name(account))?)
}

/// Name of a former account's keys, stored until its pages are closed.
fn former_key_name(account: &str) -> String {
    format!("{STRIPE}:{account}")
}

pub async fn store_stripe_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    keys: &StripeCredentials,
) -> Result<()> {
    store_encrypted_keys(tx, origin, secret, org, (STRIPE, keys)).await
}

/// Stores a replaced account's keys so that its open pages can be closed.
pub(crate) async fn store_former_stripe_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    org: OrgId,
    keys: &StripeCredentials,
) -> Result<()> {
    store_encrypted_keys(tx, origin, secret, org, (&former_key_name(&keys.account_key()), keys)).await
}

/// Deletes the keys of former accounts whose last page has expired.
pub async fn prune_former_keys(tx: &mut Tx, before: DateTime<Utc>) -> Result<()> {
    q!(tx, execute, "DELETE FROM org_secret WHERE name LIKE 'stripe:%' AND updated_at < $1", before)?;
    Ok(())
}

/// Records whether Stripe accepts the keys. A connected account uses the operator's key, so it is skipped.
pub async fn record_key_acceptance(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    keys: &StripeCredentials,
    is_taken: bool,
) -> Result<()> {
    if keys.connected.is_some() {
        return Ok(());
    }
    if is_taken {
        let sql = "UPDATE org_secret SET refused_at = NULL
             WHERE org_id = $1 AND hint = $2 AND refused_at IS NOT NULL";
        q!(tx, execute, sql, org, keys.masked_key())?;
    } else {
        let sql = "UPDATE org_secret SET refused_at = $3 WHERE org_id = $1 AND hint = $2 AND refused_at IS NULL";
        q!(tx, execute, sql, org, keys.masked_key(), origin.now())?;
    }
    Ok(())
}

pub async fn refused_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT refused_at FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(conn, fetch_optional scalar Option<DateTime<Utc>>, sql, org, STRIPE)?.flatten())
}

pub async fn last_event_at(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<DateTime<Utc>>> {
    let sql = "SELECT received_at FROM stripe_event WHERE org_id = $1 ORDER BY received_at DESC LIMIT 1";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, org)?)
}

pub async fn delete_stripe_keys(tx: &mut Tx, org: OrgId) -> Result<bool> {
    let sql = "DELETE FROM org_secret WHERE org_id = $1 AND name = $2";
    Ok(q!(tx, execute, sql, org, STRIPE)? > 0)
}

pub(crate) async fn delete_all_keys(tx: &mut Tx, org: OrgId) -> Result<()> {
    q!(tx, execute, "DELETE FROM org_secret WHERE org_id = $1", org)?;
    Ok(())
}
