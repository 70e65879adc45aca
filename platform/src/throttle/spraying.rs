//! Password spraying: few guesses each at many accounts, which per-account limits miss. Accounts that failed from one
//! network are counted, and beyond the limit further new ones have to wait.
//!
//! An office behind one address is not locked out: a success removes its account from the count, and neither an account
//! that recently signed in from the network nor a known browser has to wait. Nothing is counted over all accounts of a
//! wider network (an IPv6 /48 or /32): an attacker with a part of it could make its other customers wait.

use std::net::IpAddr;

use chrono::{DateTime, Duration, Utc};

use super::{
    CLOCK_TOLERANCE, network_key, rate_limit_error,
    sign_in::{failure_delay, latest_wait_end},
};
use crate::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q},
    error::Result,
    secret::SecretKey,
};

/// Failed accounts per network before further ones wait.
const FREE_ACCOUNTS: i64 = 10;
const WINDOW: Duration = Duration::hours(6);
/// How long an account is known in a network after a sign-in.
const KNOWN_NETWORK_TTL: Duration = Duration::days(30);

/// One account and the network of one address, as keyed hashes.
#[derive(Clone, Debug)]
pub(super) struct SprayKeys {
    gate: Vec<u8>,
    network: Vec<u8>,
    account: Vec<u8>,
}

impl SprayKeys {
    pub(super) fn new(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network_key(ip);
        Self {
            gate: secret.keyed_hash("spraying", &place),
            network: secret.keyed_hash("sign-in network", &place),
            account: secret.keyed_hash("sign-in account", email),
        }
    }
}

pub(super) async fn find_blocked_until(
    conn: &mut dyn AsConn,
    spray: &SprayKeys,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    if is_known_network(&mut *conn, spray, now).await? {
        return Ok(None);
    }
    let sql = "SELECT blocked_until FROM sign_in_throttle
         WHERE key_hash = $1 AND blocked_until > $2 AND blocked_until <= $3";
    Ok(q!(conn, fetch_optional scalar DateTime<Utc>, sql, spray.gate.as_slice(), now, latest_wait_end(now))?)
}

pub(super) async fn is_known_network(conn: &mut dyn AsConn, spray: &SprayKeys, now: DateTime<Utc>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM network_sign_in
         WHERE network_hash = $1 AND account_hash = $2 AND succeeded_at > $3)";
    let (network, account) = (spray.network.as_slice(), spray.account.as_slice());
    Ok(q!(conn, fetch_one scalar bool, sql, network, account, now - KNOWN_NETWORK_TTL)?)
}

/// Counts the account as failed before its password is checked. Errors: [`crate::error::Error::RateLimited`] when
/// the network has to wait.
pub(super) async fn reserve_account(tx: &mut Tx, origin: &ClockRng, spray: &SprayKeys) -> Result<()> {
    let now = origin.now();
    // Serialises concurrent attempts, so that they cannot bypass the limit together.
    q!(
        &mut *tx,
        execute,
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 0, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2",
        spray.gate.as_slice(),
        now
    )?;
    let is_resident = is_known_network(&mut *tx, spray, now).await?;
    if let Some(until) = find_blocked_until(&mut *tx, spray, now).await? {
        return Err(rate_limit_error(until - now));
    }
    record_failed_account(&mut *tx, now, spray).await?;
    if is_resident { Ok(()) } else { set_network_delay(tx, now, spray).await }
}

async fn record_failed_account(tx: &mut Tx, now: DateTime<Utc>, spray: &SprayKeys) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO network_sign_in (network_hash, account_hash, failed_at) VALUES ($1, $2, $3)
         ON CONFLICT (network_hash, account_hash) DO UPDATE SET failed_at = $3",
        spray.network.as_slice(),
        spray.account.as_slice(),
        now
    )?;
    Ok(())
}

async fn set_network_delay(tx: &mut Tx, now: DateTime<Utc>, spray: &SprayKeys) -> Result<()> {
    let failed = q!(
        &mut *tx,
        fetch_one scalar i64,
        "SELECT COUNT(*) FROM network_sign_in WHERE network_hash = $1 AND failed_at > $2 AND failed_at <= $3",
        spray.network.as_slice(),
        now - WINDOW,
        now + CLOCK_TOLERANCE
    )?;
    let sql = "UPDATE sign_in_throttle SET blocked_until = $2 WHERE key_hash = $1";
    q!(tx, execute, sql, spray.gate.as_slice(), now + failure_delay(failed, FREE_ACCOUNTS))?;
    Ok(())
}

/// The network's wait stays after a success; otherwise an attacker could end it by signing in to an own account.
pub(super) async fn record_sign_in(tx: &mut Tx, spray: &SprayKeys, now: DateTime<Utc>) -> Result<()> {
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

pub(super) async fn prune_network_sign_ins(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "DELETE FROM network_sign_in
         WHERE (failed_at IS NULL OR failed_at < $1) AND (succeeded_at IS NULL OR succeeded_at < $2)",
        now - WINDOW,
        now - KNOWN_NETWORK_TTL
    )?;
    tx.commit().await
}
