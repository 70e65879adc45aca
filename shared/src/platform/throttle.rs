//! Slows down guessing of passwords. A try is counted before the password is looked at, so that parallel tries
//! cannot slip through together; success takes the count back.

use std::net::IpAddr;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};

use crate::platform::{
    clock::Origin,
    db::{AsConn, Db, Tx, q},
    error::{Error, Result},
    secret::SecretKey,
    text,
};

mod network;
mod spraying;

pub use network::{WIDER, network, of as network_of, wider};
use spraying::Spray;

/// Tries at a password that are looked at without a wait between them; after the last of them, if it was wrong, one waits.
const FREE_TRIES: i64 = 3;
/// The same for the code of a second factor, which changes while one types.
const FREE_CODES: i64 = 5;
const LONGEST_DELAY: i64 = 60;
/// A pair of account and network that was quiet for this long starts anew.
const PAIR_WINDOW: Duration = Duration::hours(1);
/// Failures per account and hour, whatever networks they come from.
const ACCOUNT_LIMIT: i64 = 100;
/// How many of them one network may make: a single one does not use up the account's.
const NETWORK_SHARE: i64 = 20;
const ACCOUNT_WINDOW: Duration = Duration::hours(1);
/// Mails to reset one account's password, within the life of a link: in a browser or network of its own, from one other
/// network, and from all others together.
const OWN_MAILS: i64 = 5;
const MAILS_OF_ONE: i64 = 2;
const MAILS_OF_STRANGERS: i64 = 5;
const MAILS_WINDOW: Duration = Duration::minutes(30);
/// Mails of one kind to one mailbox in a day, where nobody has proven the address.
pub const MAILS_TO_UNPROVEN: i64 = 10;
/// Registrations per network and hour.
const REGISTRATION_LIMIT: i64 = 20;
/// The longest window: older counts are removed.
const A_DAY: Duration = Duration::days(1);

/// What a try is counted under. Holds keyed hashes only.
#[derive(Clone, Debug)]
pub struct Keys {
    pair: Vec<u8>,
    /// The network's part of the account's hour.
    share: Vec<u8>,
    account: Vec<u8>,
    /// Tries without a wait between them.
    free: i64,
    /// Whether they are made in a browser that is the person's: while strangers use up the account's limit,
    /// its owner still gets in there. A network is none of theirs alone.
    is_at_home: bool,
    /// None for a code: whoever types one knew the password.
    spray: Option<Spray>,
}

impl Keys {
    /// `email` as stored (lower-cased).
    #[must_use]
    pub fn new(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network(ip);
        Self {
            pair: secret.blur("sign-in", &format!("{email}|{place}")),
            share: secret.blur("sign-in share", &format!("{email}|{place}")),
            account: secret.blur("sign-in account", email),
            free: FREE_TRIES,
            is_at_home: false,
            spray: Some(Spray::new(secret, email, ip)),
        }
    }

    /// The same for the code that follows the password. Who knows the password cannot lock its owner out: another
    /// network's tries are counted apart, and a known browser is let through the account's limit.
    #[must_use]
    pub fn of_code(secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Self {
        let place = network(ip);
        Self {
            pair: secret.blur("code", &format!("{email}|{place}")),
            share: secret.blur("code share", &format!("{email}|{place}")),
            account: secret.blur("code account", email),
            free: FREE_CODES,
            is_at_home: false,
            spray: None,
        }
    }

    /// The same in a browser that is the person's (`security::device`), wherever it is: strangers' tries, however many and
    /// from whatever network, do not keep it out (trust requirement 50). Its own are counted apart, so that a thief of
    /// its cookie guesses as slowly as anybody and uses up nothing of the account's.
    #[must_use]
    pub fn on(self, secret: &SecretKey, device: &str) -> Self {
        let whose = URL_SAFE_NO_PAD.encode(&self.account);
        Self { pair: secret.blur("sign-in device", &format!("{whose}|{device}")), is_at_home: true, ..self }
    }

    /// Whether the try is made in a browser that is the person's.
    #[must_use]
    pub fn is_at_home(&self) -> bool {
        self.is_at_home
    }

    /// The limits of the hour: what is counted, and how much of it may fail.
    fn hours(&self) -> [(&[u8], i64); 2] {
        [(self.share.as_slice(), NETWORK_SHARE), (self.account.as_slice(), ACCOUNT_LIMIT)]
    }

    /// The answer past one of them. A mailed link helps nobody who waits for a code.
    fn held(&self, wait: Duration) -> Error {
        let retry_after_seconds = whole_seconds(wait);
        match self.spray {
            Some(_) => Error::SignInHeld { retry_after_seconds },
            None => Error::TooMany { retry_after_seconds },
        }
    }

    /// What a network's other accounts have to do with the try.
    fn strangers(&self) -> Option<&Spray> {
        self.spray.as_ref().filter(|_| !self.is_at_home)
    }
}

/// The wait after the `failures`th failure: nothing as long as they are fewer than `free`, then 1, 2, 4 … 60 seconds (trust
/// requirements 50 and 56).
#[must_use]
pub fn delay(failures: i64, free: i64) -> Duration {
    if failures < free {
        return Duration::zero();
    }
    let doubled = u32::try_from((failures - free).min(6)).unwrap_or_default();
    Duration::seconds((1_i64 << doubled).min(LONGEST_DELAY))
}

/// Whether a try may be made now, without counting it: asked before a turn at hashing is waited for, so that whoever has
/// to wait holds no place. [`reserve`] decides.
///
/// # Errors
/// [`Error::TooMany`] when it may not be made yet, [`Error::SignInHeld`] past a limit of the hour.
pub async fn look(conn: &mut dyn AsConn, now: DateTime<Utc>, keys: &Keys) -> Result<()> {
    let sql = "SELECT blocked_until FROM sign_in_throttle WHERE key_hash = $1 AND blocked_until > $2";
    if let Some(until) = q!(&mut *conn, fetch_optional scalar DateTime<Utc>, sql, keys.pair.as_slice(), now)? {
        return Err(too_many(until - now));
    }
    if let Some(spray) = keys.strangers()
        && let Some(until) = spraying::waits_until(&mut *conn, spray, now).await?
    {
        return Err(too_many(until - now));
    }
    if keys.is_at_home {
        return Ok(());
    }
    let sql = "SELECT window_start FROM sign_in_throttle WHERE key_hash = $1 AND window_start > $2 AND failures >= $3";
    for (key, limit) in keys.hours() {
        let since = q!(&mut *conn, fetch_optional scalar DateTime<Utc>, sql, key, now - ACCOUNT_WINDOW, limit)?;
        if let Some(since) = since {
            return Err(keys.held(since + ACCOUNT_WINDOW - now));
        }
    }
    Ok(())
}

/// Counts a try as failed before it is made. Commit this before looking at the password.
///
/// # Errors
/// [`Error::TooMany`] when it may not be made yet, [`Error::SignInHeld`] past a limit of the hour; it is then not counted
/// (roll back).
pub async fn reserve(tx: &mut Tx, origin: &Origin, keys: &Keys) -> Result<()> {
    let now = origin.now();
    let counted = q!(
        &mut *tx,
        fetch_optional scalar i64,
        "INSERT INTO sign_in_throttle (key_hash, failures, window_start, blocked_until) VALUES ($1, 1, $2, $2)
         ON CONFLICT (key_hash) DO UPDATE SET window_start = $2,
             failures = CASE WHEN sign_in_throttle.window_start <= $3 THEN 1 ELSE sign_in_throttle.failures + 1 END
         WHERE sign_in_throttle.blocked_until <= $2 RETURNING failures",
        keys.pair.as_slice(),
        now,
        now - PAIR_WINDOW
    )?;
    let Some(failures) = counted else {
        let until = q!(
            tx,
            fetch_one scalar DateTime<Utc>,
            "SELECT blocked_until FROM sign_in_throttle WHERE key_hash = $1",
            keys.pair.as_slice()
        )?;
        return Err(too_many(until - now));
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE sign_in_throttle SET blocked_until = $2 WHERE key_hash = $1",
        keys.pair.as_slice(),
        now + delay(failures, keys.free)
    )?;
    if keys.is_at_home {
        return Ok(());
    }
    for (key, limit) in keys.hours() {
        let (failures, since) = count_in_window(tx, key, now, ACCOUNT_WINDOW).await?;
        if failures > limit {
            return Err(keys.held(since + ACCOUNT_WINDOW - now));
        }
    }
    match &keys.spray {
        Some(spray) => spraying::reserve(tx, origin, spray).await,
        None => Ok(()),
    }
}

/// After a success: the try was none, the pair starts anew, and the account belongs to the network from now on.
pub async fn clear(tx: &mut Tx, now: DateTime<Utc>, keys: &Keys) -> Result<()> {
    if let Some(spray) = &keys.spray {
        spraying::succeeded(&mut *tx, spray, now).await?;
    }
    forget(tx, &keys.pair).await?;
    if keys.is_at_home {
        return Ok(());
    }
    for (key, _) in keys.hours() {
        let sql = "UPDATE sign_in_throttle SET failures = failures - 1 WHERE key_hash = $1 AND failures > 0";
        q!(&mut *tx, execute, sql, key)?;
    }
    Ok(())
}

/// After somebody has proven the mailbox and chosen a password: wrong ones from before count no more for the account, nor
/// for the network that they did it from. Codes go on counting: who reads the mail may still guess at those.
pub async fn start_anew(tx: &mut Tx, secret: &SecretKey, email: &str, ip: Option<IpAddr>) -> Result<()> {
    let keys = Keys::new(secret, email, ip);
    for key in [&keys.pair, &keys.share, &keys.account] {
        forget(tx, key).await?;
    }
    Ok(())
}

async fn forget(tx: &mut Tx, key: &[u8]) -> Result<()> {
    q!(tx, execute, "DELETE FROM sign_in_throttle WHERE key_hash = $1", key)?;
    Ok(())
}

/// After a sign-in that took no try, as with a passkey: the account belongs to the network from now on.
pub async fn belongs(tx: &mut Tx, now: DateTime<Utc>, keys: &Keys) -> Result<()> {
    match &keys.spray {
        Some(spray) => spraying::succeeded(tx, spray, now).await,
        None => Ok(()),
    }
}

/// Counts a registration from this network.
///
/// # Errors
/// [`Error::TooMany`] past the limit of the hour.
pub async fn count_registration(tx: &mut Tx, origin: &Origin, secret: &SecretKey, ip: Option<IpAddr>) -> Result<()> {
    count_by_network(tx, origin, secret, "registration", ip, REGISTRATION_LIMIT).await
}

/// Counts something that is done from a network against a limit of the hour. The /48 around an IPv6 network has
/// [`WIDER`] times the limit: who holds one has a new network at will.
///
/// # Errors
/// [`Error::TooMany`] past either limit.
pub async fn count_by_network(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    what: &'static str,
    ip: Option<IpAddr>,
    limit: i64,
) -> Result<()> {
    // What one network may not do any more is not taken from those around it.
    count(&mut *tx, origin, secret, what, &network(ip), limit).await?;
    match wider(ip) {
        Some(place) => count(tx, origin, secret, what, &place, limit * WIDER).await,
        None => Ok(()),
    }
}

/// Counts something that a stranger does, under its own name and place, against a limit of the hour.
///
/// # Errors
/// [`Error::TooMany`] past the limit.
pub async fn count(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: i64,
) -> Result<()> {
    count_within(tx, origin, &secret.blur(what, place), (limit, ACCOUNT_WINDOW)).await
}

/// The same against a limit of the day.
///
/// # Errors
/// [`Error::TooMany`] past the limit.
pub async fn count_of_day(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: i64,
) -> Result<()> {
    count_within(tx, origin, &secret.blur(what, place), (limit, A_DAY)).await
}

async fn count_within(tx: &mut Tx, origin: &Origin, key: &[u8], (limit, window): (i64, Duration)) -> Result<()> {
    let now = origin.now();
    let (count, since) = count_in_window(tx, key, now, window).await?;
    if count > limit { Err(too_many(since + window - now)) } else { Ok(()) }
}

/// The same where nobody is told: whether it is within the limit.
pub async fn is_within(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: i64,
) -> Result<bool> {
    is_ok(count(tx, origin, secret, what, place, limit).await)
}

fn is_ok(counted: Result<()>) -> Result<bool> {
    match counted {
        Ok(()) => Ok(true),
        Err(Error::TooMany { .. }) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Counts a mail to an address that nobody has proven against the limit of its kind for the hour, and against that of the
/// day. The addresses of one mailbox are counted together.
///
/// # Errors
/// [`Error::TooMany`] past either limit.
pub async fn count_mail(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    (what, limit): (&'static str, i64),
    email: &str,
) -> Result<()> {
    let mailbox = text::mailbox(email);
    count(&mut *tx, origin, secret, what, &mailbox, limit).await?;
    let of_day = secret.blur("mails of a day", &format!("{what}|{mailbox}"));
    count_within(tx, origin, &of_day, (MAILS_TO_UNPROVEN, A_DAY)).await
}

/// The same where nobody is told: whether it may go.
pub async fn may_mail(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    what: (&'static str, i64),
    email: &str,
) -> Result<bool> {
    is_ok(count_mail(tx, origin, secret, what, email).await)
}

/// Whether as many as the limit of the hour were counted, without counting anything.
pub async fn is_at(
    conn: &mut dyn AsConn,
    origin: &Origin,
    secret: &SecretKey,
    what: &'static str,
    place: &str,
    limit: i64,
) -> Result<bool> {
    Ok(counted(conn, &secret.blur(what, place), origin.now()).await? >= limit)
}

async fn counted(conn: &mut dyn AsConn, key: &[u8], now: DateTime<Utc>) -> Result<i64> {
    let sql = "SELECT failures FROM sign_in_throttle WHERE key_hash = $1 AND window_start > $2";
    let found = q!(conn, fetch_optional scalar i64, sql, key, now - ACCOUNT_WINDOW)?;
    Ok(found.unwrap_or_default())
}

/// Whether one more mail to reset a password may go to this address. In a browser or a network that the account has
/// signed in from its person has an allowance that no stranger can use up. Everybody else shares one, of which one network
/// gets a part, counted by mailbox; its window is as long as a link lives, so that there is always a good link in the
/// mailbox or another one may be sent.
pub async fn may_mail_reset(
    tx: &mut Tx,
    origin: &Origin,
    secret: &SecretKey,
    (email, ip): (&str, Option<IpAddr>),
    device: Option<&str>,
) -> Result<bool> {
    let spray = Spray::new(secret, email, ip);
    let own = match device {
        Some(device) => Some(format!("{email}|device|{device}")),
        None if spraying::is_resident(&mut *tx, &spray, origin.now()).await? => {
            Some(format!("{email}|{}", network(ip)))
        }
        None => None,
    };
    let counted = |what, place: String, limit| (secret.blur(what, &place), limit);
    let counts = match own {
        Some(place) => vec![counted("reset mails at home", place, OWN_MAILS)],
        None => vec![
            counted("reset mails of a network", format!("{}|{}", text::mailbox(email), network(ip)), MAILS_OF_ONE),
            counted("reset mails", text::mailbox(email), MAILS_OF_STRANGERS),
        ],
    };
    for (key, limit) in counts {
        // What one network may not send any more is not taken from the others.
        if count_in_window(&mut *tx, &key, origin.now(), MAILS_WINDOW).await?.0 > limit {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether strangers have used up the tries of an account for now: only in a known browser it is signed in to then.
pub async fn is_used_up(conn: &mut dyn AsConn, secret: &SecretKey, email: &str, now: DateTime<Utc>) -> Result<bool> {
    Ok(counted(conn, &Keys::new(secret, email, None).account, now).await? >= ACCOUNT_LIMIT)
}

/// Removes counts that no longer matter.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM sign_in_throttle WHERE window_start < $1", now - A_DAY)?;
    tx.commit().await?;
    spraying::prune(db, now).await
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
             failures = CASE WHEN sign_in_throttle.window_start <= $3 THEN 1 ELSE sign_in_throttle.failures + 1 END,
             window_start = CASE WHEN sign_in_throttle.window_start <= $3 THEN $2 ELSE sign_in_throttle.window_start END
         RETURNING failures, window_start",
        key,
        now,
        now - window
    )?)
}

fn too_many(wait: Duration) -> Error {
    Error::TooMany { retry_after_seconds: whole_seconds(wait) }
}

/// Rounded up: a client that waits as told is not refused again.
fn whole_seconds(wait: Duration) -> i64 {
    ((wait.num_milliseconds() + 999) / 1000).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_three_mistypes_there_is_a_wait_that_doubles_up_to_a_minute() {
        let waits: Vec<_> = (1..=12).map(|n| delay(n, FREE_TRIES).num_seconds()).collect();
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        let waits: Vec<_> = (1..=8).map(|n| delay(n, FREE_CODES).num_seconds()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8], "five codes");
    }

    #[test]
    fn a_wait_is_told_in_whole_seconds_and_never_too_short() {
        for (millis, told) in [(1, 1), (1000, 1), (1001, 2), (-5, 1)] {
            let Error::TooMany { retry_after_seconds } = too_many(Duration::milliseconds(millis)) else {
                panic!("another error")
            };
            assert_eq!(retry_after_seconds, told, "{millis}");
        }
    }
}
