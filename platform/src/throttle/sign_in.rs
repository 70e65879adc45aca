//! Limits on attempts to sign in: by account and network, by account, and by network.

use std::net::IpAddr;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};

use super::{
    ACCOUNT_WINDOW, CLOCK_TOLERANCE, count_in_window, load_count, network_key, provider_network_key, rate_limit_error,
    spraying::{self, SprayKeys},
    whole_seconds, wider_network_key,
};
use crate::{
    clock::ClockRng,
    db::{AsConn, Tx, q},
    error::{Error, Result},
    secret::SecretKey,
};

/// Password attempts without a delay; a delay follows when the last of them was wrong.
const FREE_TRIES: i64 = 3;
/// For second-factor codes, which change while one types.
const FREE_CODES: i64 = 5;
const LONGEST_DELAY: i64 = 60;
/// An idle pair of account and network is reset after this time.
const PAIR_WINDOW: Duration = Duration::hours(1);
/// Failures per account and hour over all networks.
const ACCOUNT_LIMIT: i64 = 100;
/// Shares in it of one network, of an IPv6 /48 and of an IPv6 /32, so that none of them can use up the limit.
const NETWORK_SHARE: i64 = 20;
const WIDER_SHARE: i64 = 40;
const PROVIDER_SHARE: i64 = 60;

/// Counter keys of an attempt: keyed hashes only.
#[derive(Clone, Debug)]
pub struct SignInKeys {
    pair: Vec<u8>,
    /// Of the network and of those around it, with their limits.
    shares: Vec<(Vec<u8>, i64)>,
    account: Vec<u8>,
    free: i64,
    /// Whether it is made in a known browser of the person, which can sign in while others use up the account's limit.
    /// Networks are shared and do not count as such.
    is_at_home: bool,
    /// None for a code: its sender knew the password.
    spray: Option<SprayKeys>,
}

impl SignInKeys {
    /// `email` as stored (lower-cased).
    #[must_use]
    pub fn new(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network_key(ip);
        Self {
            pair: secret.keyed_hash("sign-in", &format!("{email}|{place}")),
            shares: build_shares(secret, "sign-in share", email, ip),
            account: secret.keyed_hash("sign-in account", email),
            free: FREE_TRIES,
            is_at_home: false,
            spray: Some(SprayKeys::new(secret, email, ip)),
        }
    }

    /// Keys for the code after the password. Someone who knows the password cannot lock out the owner: other networks'
    /// attempts are counted apart, and a known browser bypasses the account's limit.
    #[must_use]
    pub fn for_code(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network_key(ip);
        Self {
            pair: secret.keyed_hash("code", &format!("{email}|{place}")),
            shares: build_shares(secret, "code share", email, ip),
            account: secret.keyed_hash("code account", email),
            free: FREE_CODES,
            is_at_home: false,
            spray: None,
        }
    }

    /// Keys for a known browser of the person (`security::device`) on any network: strangers' attempts do not block it
    /// (trust requirement 50). Its own are counted apart, so that a thief of its cookie is limited like others and uses
    /// up nothing of the account's limit.
    #[must_use]
    pub fn on_known_device(self, secret: &SecretKey, device: &str) -> Self {
        let whose = URL_SAFE_NO_PAD.encode(&self.account);
        Self { pair: secret.keyed_hash("sign-in device", &format!("{whose}|{device}")), is_at_home: true, ..self }
    }

    #[must_use]
    pub fn is_known_device(&self) -> bool {
        self.is_at_home
    }

    fn hourly_limits(&self) -> Vec<(&[u8], i64)> {
        let shares = self.shares.iter().map(|(key, limit)| (key.as_slice(), *limit));
        shares.chain([(self.account.as_slice(), ACCOUNT_LIMIT)]).collect()
    }

    /// Error past an hourly limit. A mailed link does not help when a code is missing.
    fn limit_error(&self, wait: Duration) -> Error {
        let retry_after_seconds = whole_seconds(wait);
        match self.spray {
            Some(_) => Error::SignInLocked { retry_after_seconds },
            None => Error::RateLimited { retry_after_seconds },
        }
    }

    /// The network's attempts on other accounts, unless in a known browser.
    fn spray_to_check(&self) -> Option<&SprayKeys> {
        self.spray.as_ref().filter(|_| !self.is_at_home)
    }
}

fn build_shares(secret: &SecretKey, what: &'static str, email: &str, ip: Option<IpAddr>) -> Vec<(Vec<u8>, i64)> {
    let places = [
        (Some(network_key(ip)), NETWORK_SHARE),
        (wider_network_key(ip), WIDER_SHARE),
        (provider_network_key(ip), PROVIDER_SHARE),
    ];
    let known = places.into_iter().filter_map(|(place, limit)| Some((place?, limit)));
    known.map(|(place, limit)| (secret.keyed_hash(what, &format!("{email}|{place}")), limit)).collect()
}

/// Delay after the `failures`th failure: none below `free`, then 1, 2, 4 … 60 seconds (trust requirements 50 and 56).
#[must_use]
pub fn failure_delay(failures: i64, free: i64) -> Duration {
    if failures < free {
        return Duration::zero();
    }
    let doubled = u32::try_from((failures - free).min(6)).unwrap_or_default();
    Duration::seconds((1_i64 << doubled).min(LONGEST_DELAY))
}

/// Latest end of a wait that a clock within the tolerance can have set.
pub(super) fn latest_wait_end(now: DateTime<Utc>) -> DateTime<Utc> {
    now + Duration::seconds(LONGEST_DELAY) + CLOCK_TOLERANCE
}

/// Checks without counting whether an attempt is allowed, before waiting for a hashing slot, so that delayed attempts
/// hold none. [`reserve_attempt`] decides. Errors: [`Error::RateLimited`] during a delay, [`Error::SignInLocked`] past
/// an hourly limit.
pub async fn check_allowed(conn: &mut dyn AsConn, now: DateTime<Utc>, keys: &SignInKeys) -> Result<()> {
    let sql = "SELECT blocked_until FROM sign_in_throttle
         WHERE key_hash = $1 AND blocked_until > $2 AND blocked_until <= $3";
    let (pair, latest) = (keys.pair.as_slice(), latest_wait_end(now));
    if let Some(until) = q!(&mut *conn, fetch_optional scalar DateTime<Utc>, sql, pair, now, latest)? {
        return Err(rate_limit_error(until - now));
    }
    if let Some(spray) = keys.spray_to_check()
        && let Some(until) = spraying::find_blocked_until(&mut *conn, spray, now).await?
    {
        return Err(rate_limit_error(until - now));
    }
    if keys.is_at_home {
        return Ok(());
    }
    let sql = "SELECT window_start FROM sign_in_throttle
         WHERE key_hash = $1 AND window_start > $2 AND window_start <= $4 AND failures >= $3";
    let (from, to) = (now - ACCOUNT_WINDOW, now + CLOCK_TOLERANCE);
    for (key, limit) in keys.hourly_limits() {
        let since = q!(&mut *conn, fetch_optional scalar DateTime<Utc>, sql, key, from, limit, to)?;
        if let Some(since) = since {
            return Err(keys.limit_error(since + ACCOUNT_WINDOW - now));
        }
    }
    Ok(())
}

/// Counts an attempt as failed before it is made. Commit this before checking the password. Errors:
/// [`Error::RateLimited`] during a delay, [`Error::SignInLocked`] past an hourly limit; the attempt is then not counted
/// (roll back).
pub async fn reserve_attempt(tx: &mut Tx, origin: &ClockRng, keys: &SignInKeys) -> Result<()> {
    let now = origin.now();
    let counted = q!(
        &mut *tx,
        fetch_optional scalar i64,
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2,
             failures = CASE WHEN sign_in_throttle.window_start <= $3 OR sign_in_throttle.window_start > $4 THEN 1
                 ELSE sign_in_throttle.failures + 1 END
         WHERE sign_in_throttle.blocked_until <= $2 OR sign_in_throttle.blocked_until > $5 RETURNING failures",
        keys.pair.as_slice(),
        now,
        now - PAIR_WINDOW,
        now + CLOCK_TOLERANCE,
        latest_wait_end(now)
    )?;
    let Some(failures) = counted else {
        let until = q!(
            tx,
            fetch_one scalar DateTime<Utc>,
            "SELECT blocked_until FROM sign_in_throttle WHERE key_hash = $1",
            keys.pair.as_slice()
        )?;
        return Err(rate_limit_error(until - now));
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE sign_in_throttle SET blocked_until = $2 WHERE key_hash = $1",
        keys.pair.as_slice(),
        now + failure_delay(failures, keys.free)
    )?;
    if keys.is_at_home {
        return Ok(());
    }
    for (key, limit) in keys.hourly_limits() {
        let (failures, since) = count_in_window(tx, key, now, ACCOUNT_WINDOW).await?;
        if failures > limit {
            return Err(keys.limit_error(since + ACCOUNT_WINDOW - now));
        }
    }
    match &keys.spray {
        Some(spray) => spraying::reserve_account(tx, origin, spray).await,
        None => Ok(()),
    }
}

/// After a success: removes the attempt, resets the pair, and marks the network as known to the account.
pub async fn record_success(tx: &mut Tx, now: DateTime<Utc>, keys: &SignInKeys) -> Result<()> {
    if let Some(spray) = &keys.spray {
        spraying::record_sign_in(&mut *tx, spray, now).await?;
    }
    delete_count(tx, &keys.pair).await?;
    if keys.is_at_home {
        return Ok(());
    }
    for (key, _) in keys.hourly_limits() {
        let sql = "UPDATE sign_in_throttle SET failures = failures - 1 WHERE key_hash = $1 AND failures > 0";
        q!(&mut *tx, execute, sql, key)?;
    }
    Ok(())
}

/// After the mailbox is verified and a password chosen: earlier wrong passwords no longer count for the account or this
/// network. Codes keep their count, because a reader of the mailbox may still guess them.
pub async fn reset_account(tx: &mut Tx, secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Result<()> {
    let keys = SignInKeys::new(secret, email, ip);
    delete_count(&mut *tx, &keys.pair).await?;
    for (key, _) in keys.hourly_limits() {
        delete_count(&mut *tx, key).await?;
    }
    Ok(())
}

async fn delete_count(tx: &mut Tx, key: &[u8]) -> Result<()> {
    q!(tx, execute, "DELETE FROM sign_in_throttle WHERE key_hash = $1", key)?;
    Ok(())
}

/// After a sign-in without a counted attempt, as with a passkey: marks the network as known to the account.
pub async fn record_trusted_sign_in(tx: &mut Tx, now: DateTime<Utc>, keys: &SignInKeys) -> Result<()> {
    match &keys.spray {
        Some(spray) => spraying::record_sign_in(tx, spray, now).await,
        None => Ok(()),
    }
}

/// Whether others have used up the account's attempts; only a known browser can then sign in.
pub async fn is_account_locked(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    email: &str,
    now: DateTime<Utc>,
) -> Result<bool> {
    Ok(load_count(conn, &SignInKeys::new(secret, email, None).account, now).await? >= ACCOUNT_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_after_free_tries_doubles_up_to_a_minute() {
        let waits: Vec<_> = (1..=12).map(|n| failure_delay(n, FREE_TRIES).num_seconds()).collect();
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        let waits: Vec<_> = (1..=8).map(|n| failure_delay(n, FREE_CODES).num_seconds()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8], "five codes");
    }
}
