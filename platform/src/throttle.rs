//! Rate limits on password guessing. An attempt is counted before the password is checked, so that parallel attempts
//! cannot bypass the limit; success removes the count.

use std::net::IpAddr;

use chrono::{DateTime, Duration, Utc};

use crate::{
    clock::ClockRng,
    db::{AsConn, Db, Tx, q},
    error::{Error, Result},
    secret::SecretKey,
    text,
};

mod network;
pub mod sign_in;
mod spraying;

pub use network::{
    WIDER_LIMIT_FACTOR, network_key, network_of, provider_network_key, surrounding_network_key, wider_network_key,
};
use spraying::SprayKeys;

const ACCOUNT_WINDOW: Duration = Duration::hours(1);
/// Password reset mails per account within the life of a link: from a known browser or network, from one other network,
/// and from all others together.
const OWN_MAILS: i64 = 5;
const MAILS_OF_ONE: i64 = 2;
const MAILS_OF_STRANGERS: i64 = 5;
const MAILS_WINDOW: Duration = Duration::minutes(30);
/// Mails of one kind per day to a mailbox that is not verified.
pub const MAILS_TO_UNPROVEN: i64 = 10;
/// Per network and hour.
const REGISTRATION_LIMIT: i64 = 20;
/// Longest window; older counts are removed.
const A_DAY: Duration = Duration::days(1);
/// How far the clocks of our machines may be apart. A count or a wait from further ahead was written by a clock that was
/// wrong, and no longer holds.
const CLOCK_TOLERANCE: Duration = Duration::minutes(5);

/// Errors: [`Error::RateLimited`] past the hourly limit.
pub async fn count_registration(tx: &mut Tx, origin: &ClockRng, secret: &SecretKey, ip: Option<IpAddr>) -> Result<()> {
    count_by_network(tx, origin, secret, "registration", ip, REGISTRATION_LIMIT).await
}

/// Counts an action of a network against an hourly limit. The surrounding IPv6 /48 has [`WIDER_LIMIT_FACTOR`] times the
/// limit, because its holder can use any number of /64 networks. Errors: [`Error::RateLimited`] past either limit.
pub async fn count_by_network(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    what: &'static str,
    ip: Option<IpAddr>,
    limit: i64,
) -> Result<()> {
    // An attempt refused for the network does not count for the wider one.
    count_action(&mut *tx, origin, secret, what, &network_key(ip), WindowLimit::per_hour(limit)).await?;
    let Some(place) = wider_network_key(ip) else { return Ok(()) };
    count_action(tx, origin, secret, what, &place, WindowLimit::per_hour(limit * WIDER_LIMIT_FACTOR)).await
}

/// How often an action may be done within a window that starts with its first.
#[derive(Clone, Copy, Debug)]
pub struct WindowLimit {
    count: i64,
    window: Duration,
}

impl WindowLimit {
    #[must_use]
    pub const fn per_hour(count: i64) -> Self {
        Self { count, window: ACCOUNT_WINDOW }
    }

    #[must_use]
    pub const fn per_day(count: i64) -> Self {
        Self { count, window: A_DAY }
    }
}

/// Counts an anonymous action by name and place. Errors: [`Error::RateLimited`] past the limit.
pub async fn count_action(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: WindowLimit,
) -> Result<()> {
    let now = origin.now();
    let (count, since) = count_in_window(tx, &secret.keyed_hash(what, place), now, limit.window).await?;
    if count > limit.count { Err(rate_limit_error(since + limit.window - now)) } else { Ok(()) }
}

/// Counts and returns whether it is within the limit, for silent limits.
pub async fn try_count_action(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: WindowLimit,
) -> Result<bool> {
    is_under_limit(count_action(tx, origin, secret, what, place, limit).await)
}

fn is_under_limit(counted: Result<()>) -> Result<bool> {
    match counted {
        Ok(()) => Ok(true),
        Err(Error::RateLimited { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Counts a mail to an unverified address against the hourly limit of its kind and the daily limit. Addresses of one
/// mailbox are counted together. Errors: [`Error::RateLimited`] past either limit.
pub async fn count_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (what, limit): (&'static str, i64),
    email: &str,
) -> Result<()> {
    let mailbox = text::normalize_mailbox(email);
    count_action(&mut *tx, origin, secret, what, &mailbox, WindowLimit::per_hour(limit)).await?;
    let (of_day, limit) = (format!("{what}|{mailbox}"), WindowLimit::per_day(MAILS_TO_UNPROVEN));
    count_action(tx, origin, secret, "mails of a day", &of_day, limit).await
}

/// As above, returning whether it may be sent, for silent limits.
pub async fn try_count_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    what: (&'static str, i64),
    email: &str,
) -> Result<bool> {
    is_under_limit(count_mail(tx, origin, secret, what, email).await)
}

/// Whether the hourly limit is reached; counts nothing.
pub async fn is_at_limit(
    conn: &mut dyn AsConn,
    origin: &ClockRng,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: i64,
) -> Result<bool> {
    Ok(load_count(conn, &secret.keyed_hash(what, place), origin.now()).await? >= limit)
}

async fn load_count(conn: &mut dyn AsConn, key: &[u8], now: DateTime<Utc>) -> Result<i64> {
    let sql = "SELECT failures FROM sign_in_throttle WHERE key_hash = $1 AND window_start > $2 AND window_start <= $3";
    let found = q!(conn, fetch_optional scalar i64, sql, key, now - ACCOUNT_WINDOW, now + CLOCK_TOLERANCE)?;
    Ok(found.unwrap_or_default())
}

/// Whose allowance a password reset mail was counted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetMailAllowance {
    /// Of a browser or network that the account has signed in from.
    KnownPlace,
    Strangers,
    UsedUp,
}

/// Counts one password reset mail; none may be sent when the allowance is used up. A browser or network that the account
/// has signed in from has its own, which strangers cannot use up. All others share one, counted by mailbox, of which one
/// network gets a part. The window equals a link's validity, so that the mailbox holds a valid link or another one may
/// be sent.
pub async fn try_count_reset_mail(
    tx: &mut Tx,
    origin: &ClockRng,
    secret: &SecretKey,
    (email, ip): (&str, Option<IpAddr>),
    device: Option<&str>,
) -> Result<ResetMailAllowance> {
    let spray = SprayKeys::new(secret, email, ip);
    let own = match device {
        Some(device) => Some(format!("{email}|device|{device}")),
        None if spraying::is_known_network(&mut *tx, &spray, origin.now()).await? => {
            Some(format!("{email}|{}", network_key(ip)))
        }
        None => None,
    };
    let counted = |what, place: String, limit| (secret.keyed_hash(what, &place), limit);
    let allowance = if own.is_some() { ResetMailAllowance::KnownPlace } else { ResetMailAllowance::Strangers };
    let counts = match own {
        Some(place) => vec![counted("reset mails at home", place, OWN_MAILS)],
        None => vec![
            counted(
                "reset mails of a network",
                format!("{}|{}", text::normalize_mailbox(email), network_key(ip)),
                MAILS_OF_ONE,
            ),
            counted("reset mails", text::normalize_mailbox(email), MAILS_OF_STRANGERS),
        ],
    };
    for (key, limit) in counts {
        // A refusal for one network does not count against the shared limit.
        if count_in_window(&mut *tx, &key, origin.now(), MAILS_WINDOW).await?.0 > limit {
            return Ok(ResetMailAllowance::UsedUp);
        }
    }
    Ok(allowance)
}

pub async fn prune_counts(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM sign_in_throttle WHERE window_start < $1", now - A_DAY)?;
    tx.commit().await?;
    spraying::prune_network_sign_ins(db, now).await
}

async fn count_in_window(
    tx: &mut Tx,
    key: &[u8],
    now: DateTime<Utc>,
    window: Duration,
) -> Result<(i64, DateTime<Utc>)> {
    Ok(q!(
        tx,
        fetch_one as (i64, DateTime<Utc>),
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET
             failures = CASE WHEN sign_in_throttle.window_start <= $3 OR sign_in_throttle.window_start > $4 THEN 1
                 ELSE sign_in_throttle.failures + 1 END,
             window_start = CASE WHEN sign_in_throttle.window_start <= $3 OR sign_in_throttle.window_start > $4 THEN $2
                 ELSE sign_in_throttle.window_start END
         RETURNING failures, window_start",
        key,
        now,
        now - window,
        now + CLOCK_TOLERANCE
    )?)
}

fn rate_limit_error(wait: Duration) -> Error {
    Error::RateLimited { retry_after_seconds: whole_seconds(wait) }
}

/// Rounded up, so that a client that waits this long is not refused again.
fn whole_seconds(wait: Duration) -> i64 {
    ((wait.num_milliseconds() + 999) / 1000).max(1)
}

/// Locks a counter, so that what it counts is counted and then inserted by one transaction at a time.
pub async fn lock_counter(tx: &mut Tx, key: &[u8], now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2";
    q!(tx, execute, sql, key, now)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_rounded_up_to_at_least_one_second() {
        for (millis, expected) in [(1, 1), (1000, 1), (1001, 2), (-5, 1)] {
            let Error::RateLimited { retry_after_seconds } = rate_limit_error(Duration::milliseconds(millis)) else {
                panic!("another error")
            };
            assert_eq!(retry_after_seconds, expected, "{millis}");
        }
    }
}
