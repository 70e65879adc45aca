//! Password spraying: few guesses each at many accounts, which no count of one account notices. The accounts that failed
//! from one network are counted, and beyond a handful the next new one has to wait.
//!
//! An office behind one address is not locked out: a success takes its account out of the count, an account that has
//! signed in from the network lately does not wait, and nor does a browser that the account has signed in with.

use std::net::IpAddr;

use chrono::{DateTime, Duration, Utc};

use super::{delay, network, too_many};
use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, q},
    error::Result,
    secret::SecretKey,
};

/// Accounts of one network that may fail before the next waits.
const FREE_ACCOUNTS: i64 = 10;
/// How long a failure counts.
const WINDOW: Duration = Duration::hours(6);
/// How long an account belongs to a network that it has signed in from.
const RESIDENT_FOR: Duration = Duration::days(30);

/// One account, tried from one network. Holds keyed hashes only.
#[derive(Clone, Debug)]
pub(super) struct Spray {
    gate: Vec<u8>,
    network: Vec<u8>,
    account: Vec<u8>,
}

impl Spray {
    pub(super) fn new(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network(ip);
        Self {
            gate: secret.blur("spraying", &place),
            network: secret.blur("sign-in network", &place),
            account: secret.blur("sign-in account", email),
        }
    }
}

/// Until when the network has to wait before it may try this account; none when it need not.
pub(super) async fn waits_until(
    conn: &mut dyn AsConn,
    spray: &Spray,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    if is_resident(&mut *conn, spray, now).await? {
        return Ok(None);
    }
    let sql = "SELECT blocked_until FROM sign_in_throttle WHERE key_hash = $1 AND blocked_until > $2";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, spray.gate.as_slice(), now)?)
}

/// Whether this account has lately signed in from this network.
pub(super) async fn is_resident(conn: &mut dyn AsConn, spray: &Spray, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM network_sign_in
         WHERE network_hash = $1 AND account_hash = $2 AND succeeded_at > $3)";
    let (network, account) = (spray.network.as_slice(), spray.account.as_slice());
    Ok(q!(conn, fetch_one scalar bool, sql, network, account, now - RESIDENT_FOR)?)
}

/// Counts the account as failed before its password is looked at.
///
/// # Errors
/// [`crate::platform::error::Error::TooMany`] when the network has to wait.
pub(super) async fn reserve(tx: &mut Tx, origin: &Origin, spray: &Spray) -> Result<()> {
    let now = origin.now();
    // Of tries at once each waits for the one before it here, so that they cannot slip through together.
    q!(
        &mut *tx,
        execute,
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 0, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2",
        spray.gate.as_slice(),
        now
    )?;
    let is_resident = is_resident(&mut *tx, spray, now).await?;
    if let Some(until) = waits_until(&mut *tx, spray, now).await? {
        return Err(too_many(until - now));
    }
    q!(
        &mut *tx,
        execute,
        "INSERT INTO network_sign_in (network_hash, account_hash, failed_at) VALUES ($1, $2, $3)
         ON CONFLICT (network_hash, account_hash) DO UPDATE SET failed_at = $3",
        spray.network.as_slice(),
        spray.account.as_slice(),
        now
    )?;
    if is_resident {
        return Ok(());
    }
    let failed = q!(
        &mut *tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM network_sign_in WHERE network_hash = $1 AND failed_at > $2",
        spray.network.as_slice(),
        now - WINDOW
    )?;
    let sql = "UPDATE sign_in_throttle SET blocked_until = $2 WHERE key_hash = $1";
    q!(tx, execute, sql, spray.gate.as_slice(), now + delay(failed, FREE_ACCOUNTS))?;
    Ok(())
}

/// The account has signed in from the network. The wait of the network stays: else whoever has an account of their own
/// would end it at will.
pub(super) async fn succeeded(tx: &mut Tx, spray: &Spray, now: DateTime<Utc>) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO network_sign_in (network_hash, account_hash, succeeded_at) VALUES ($1, $2, $3)
         ON CONFLICT (network_hash, account_hash) DO UPDATE SET failed_at = NULL, succeeded_at = $3",
        spray.network.as_slice(),
        spray.account.as_slice(),
        now
    )?;
    Ok(())
}

/// Removes what counts no more.
pub(super) async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "DELETE FROM network_sign_in
         WHERE (failed_at IS NULL OR failed_at < $1) AND (succeeded_at IS NULL OR succeeded_at < $2)",
        now - WINDOW,
        now - RESIDENT_FOR
    )?;
    tx.commit().await
}
