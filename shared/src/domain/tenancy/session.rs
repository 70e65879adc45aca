//! Sessions: who is signed in on which device. Only the SHA-256 of a token is kept.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use sqlx::FromRow;

use crate::{
    domain::tenancy::{
        account::{Account, Role},
        audit::Actor,
        org, push_device,
    },
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

mod device;
pub mod store_key;

pub use device::{Device, end_device, end_others, list};

/// A device that was not used for so long must sign in again.
pub const IDLE: Duration = Duration::days(14);
/// No session lives longer than this, however much it is used.
pub const ABSOLUTE: Duration = Duration::days(30);
/// How long after proving who they are somebody may do what a stolen phone must not (trust requirement 54).
pub const FRESH_FOR: Duration = Duration::minutes(15);
/// "Last seen" is written at most this often: it is a write for a read.
const SEEN_STEP: Duration = Duration::hours(1);
const USER_AGENT_CHARS: usize = 300;

/// A session that stands, with its person and business.
#[derive(Clone, Debug, FromRow)]
pub struct Session {
    pub account_id: AccountId,
    pub org_id: OrgId,
    pub role: Role,
    pub name: String,
    pub email: String,
    pub two_factor_enabled: bool,
    pub org_slug: String,
    pub org_name: String,
    pub org_timezone: String,
    last_seen_at: DateTime<Utc>,
    /// Whether they have used a link that was mailed to their address.
    pub is_email_proved: bool,
    /// When they last typed their password, or the code that follows it.
    proved_at: DateTime<Utc>,
}

impl Session {
    /// Whether they proved who they are a short while ago.
    #[must_use]
    pub fn is_fresh(&self, now: DateTime<Utc>) -> bool {
        now - self.proved_at < FRESH_FOR
    }

    /// Whether [`touch`] is due.
    #[must_use]
    pub fn is_seen_stale(&self, now: DateTime<Utc>) -> bool {
        now - self.last_seen_at >= SEEN_STEP
    }
}

/// Opens a session and returns its token: 256 bits, in the cookie's alphabet. It is not kept anywhere.
pub async fn open(tx: &mut Tx, origin: &Origin, account: &Account, actor: &Actor) -> Result<String> {
    tx.guard_writable(account.org_id);
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
    let now = origin.now();
    let agent = actor.user_agent.as_deref().map(|a| a.chars().take(USER_AGENT_CHARS).collect::<String>());
    q!(
        tx,
        execute,
        "INSERT INTO session (token_hash, org_id, account_id, created_at, last_seen_at, expires_at, ip, user_agent)
         VALUES ($1, $2, $3, $4, $4, $5, $6, $7)",
        hash(&token),
        account.org_id,
        account.id,
        now,
        now + ABSOLUTE,
        actor.ip.as_deref(),
        agent
    )?;
    Ok(token)
}

/// The session behind a token, if it still stands. The token is the key, so this is asked before any org is known.
pub async fn find(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Option<Session>> {
    Ok(q!(
        conn,
        fetch_optional as Session,
        "SELECT s.account_id, s.org_id, a.role, a.name, a.email, a.two_factor_enabled, o.slug AS org_slug,
             o.name AS org_name, o.timezone AS org_timezone, s.last_seen_at,
             COALESCE(s.proved_at, s.created_at) AS proved_at, a.email_proved_at IS NOT NULL AS is_email_proved
         FROM session s JOIN account a ON a.id = s.account_id JOIN org o ON o.id = s.org_id
         WHERE s.token_hash = $1 AND a.org_id = s.org_id AND a.is_active = TRUE AND s.expires_at > $2 AND s.last_seen_at > $3",
        hash(token),
        now,
        now - IDLE
    )?)
}

/// The session behind a token, held until the transaction ends: for what is left behind when the session is gone (a key, an
/// invitation, an address that is told of everything). Whoever signs this device out at this moment waits, and finds what
/// was left; or was first, and there is no session. Held after the business, as by whoever takes somebody's rights away.
pub async fn hold(tx: &mut Tx, now: DateTime<Utc>, org: OrgId, token: &str) -> Result<Option<Session>> {
    org::lock(&mut *tx, org).await?;
    let sql = "UPDATE session SET last_seen_at = last_seen_at WHERE org_id = $1 AND token_hash = $2";
    if q!(&mut *tx, execute, sql, org, hash(token))? == 0 {
        return Ok(None);
    }
    find(tx, now, token).await
}

/// Notes that the session is in use.
pub async fn touch(tx: &mut Tx, now: DateTime<Utc>, token: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE session SET last_seen_at = $2 WHERE token_hash = $1 AND last_seen_at < $2",
        hash(token),
        now
    )?;
    Ok(())
}

/// Notes that they proved who they are.
pub async fn prove(tx: &mut Tx, now: DateTime<Utc>, token: &str) -> Result<()> {
    q!(tx, execute, "UPDATE session SET proved_at = $2 WHERE token_hash = $1", hash(token), now)?;
    Ok(())
}

/// The same session under a new token, which is returned: whoever had the old one is out at once. It is as fresh as it
/// was: who changes what they sign in with has not proved the rest of it. None when the session is gone.
pub async fn renew(tx: &mut Tx, origin: &Origin, token: &str) -> Result<Option<String>> {
    let renewed = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
    let sql = "UPDATE session SET token_hash = $2 WHERE token_hash = $1";
    let moved = q!(&mut *tx, execute, sql, hash(token), hash(&renewed))?;
    // This device goes on being alerted.
    let sql = "UPDATE push_device SET session_hash = $2 WHERE session_hash = $1";
    q!(tx, execute, sql, hash(token), hash(&renewed))?;
    Ok((moved == 1).then_some(renewed))
}

/// Ends the session, and the alerts on its device. One that is gone already is as good as ended.
pub async fn end(tx: &mut Tx, token: &str) -> Result<()> {
    q!(&mut *tx, execute, "DELETE FROM session WHERE token_hash = $1", hash(token))?;
    push_device::end_session(tx, &hash(token)).await
}

/// Ends every session of a person: they are signed out everywhere.
pub async fn end_all(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM session WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

/// Removes what no token can open any more.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM session WHERE expires_at <= $1 OR last_seen_at <= $2", now, now - IDLE)?;
    tx.commit().await
}

/// How a token is kept.
pub(crate) fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}
