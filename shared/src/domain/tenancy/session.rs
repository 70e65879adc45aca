//! Sessions: sign-ins by device. Only the SHA-256 of a token is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};
use sqlx::FromRow;

use crate::{
    domain::tenancy::{
        account::{Account, Role},
        audit::AuditActor,
        org, push_device,
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, insert_row, q},
        email_address::EmailAddress,
        error::Result,
        id::{AccountId, OrgId},
        language::Language,
    },
};

mod device;
pub mod store_key;

pub use device::{SignedInDevice, list, revoke_device, revoke_other_sessions};

pub const IDLE: Duration = Duration::days(14);
/// Maximum lifetime, regardless of use.
pub const ABSOLUTE: Duration = Duration::days(30);
/// Validity of a re-authentication for actions that a stolen phone must not allow (trust requirement 54).
pub const FRESH_FOR: Duration = Duration::minutes(15);
/// Minimum interval of "last seen" writes, which cost a write per read.
const SEEN_STEP: Duration = Duration::hours(1);
const USER_AGENT_CHARS: usize = 300;

#[derive(Clone, Debug, FromRow)]
pub struct Session {
    pub account_id: AccountId,
    pub org_id: OrgId,
    pub role: Role,
    pub name: String,
    pub email: EmailAddress,
    pub two_factor_enabled: bool,
    /// Chosen for the app; none until the person chooses.
    pub language: Option<Language>,
    pub org_slug: String,
    pub org_name: String,
    pub org_timezone: String,
    last_seen_at: DateTime<Utc>,
    /// Whether they have used a link mailed to their address.
    pub is_email_proved: bool,
    /// Last entry of the password, or of the code after it.
    proved_at: DateTime<Utc>,
}

impl Session {
    #[must_use]
    pub fn is_recently_authenticated(&self, now: DateTime<Utc>) -> bool {
        now - self.proved_at < FRESH_FOR
    }

    #[must_use]
    pub fn is_last_seen_stale(&self, now: DateTime<Utc>) -> bool {
        now - self.last_seen_at >= SEEN_STEP
    }
}

/// Opens a session and returns its token: 256 bits, in the cookie alphabet; the token is not stored.
pub async fn create_session(tx: &mut Tx, origin: &ClockRng, account: &Account, actor: &AuditActor) -> Result<String> {
    tx.guard_writable(account.org_id);
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    let now = origin.now();
    let agent = actor.user_agent.as_deref().map(|a| a.chars().take(USER_AGENT_CHARS).collect::<String>());
    insert_row!(
        tx,
        execute,
        session {
            token_hash: hash_token(&token),
            org_id: account.org_id,
            account_id: account.id,
            created_at: now,
            last_seen_at: now,
            expires_at: now + ABSOLUTE,
            ip: actor.ip.as_deref(),
            user_agent: agent,
        }
    )?;
    Ok(token)
}

/// The session of a token, if valid. The token is the key, so no business is known yet.
pub async fn find_by_token(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str) -> Result<Option<Session>> {
    Ok(q!(
        conn,
        fetch_optional as Session,
        "SELECT s.account_id, s.org_id, a.role, a.name, a.email, a.two_factor_enabled, a.language, o.slug AS org_slug,
             o.name AS org_name, o.timezone AS org_timezone, s.last_seen_at,
             COALESCE(s.proved_at, s.created_at) AS proved_at, a.email_proved_at IS NOT NULL AS is_email_proved
         FROM session s JOIN account a ON a.id = s.account_id JOIN org o ON o.id = s.org_id
         WHERE s.token_hash = $1 AND a.org_id = s.org_id AND a.is_active = TRUE AND s.expires_at > $2 AND s.last_seen_at > $3",
        hash_token(token),
        now,
        now - IDLE
    )?)
}

/// The session of a token, locked until the transaction ends, for creating something that outlives it (an API key, an
/// invitation, a recipient). A concurrent sign-out waits and sees it, or came first and there is no session. Lock
/// order: the business first, as when rights are withdrawn.
pub async fn lock_by_token(tx: &mut Tx, now: DateTime<Utc>, org: OrgId, token: &str) -> Result<Option<Session>> {
    org::lock(&mut *tx, org).await?;
    let sql = "UPDATE session SET last_seen_at = last_seen_at WHERE org_id = $1 AND token_hash = $2";
    if q!(&mut *tx, execute, sql, org, hash_token(token))? == 0 {
        return Ok(None);
    }
    find_by_token(tx, now, token).await
}

pub async fn record_activity(tx: &mut Tx, now: DateTime<Utc>, token: &str) -> Result<()> {
    q!(
        tx,
        execute,
        "UPDATE session SET last_seen_at = $2 WHERE token_hash = $1 AND last_seen_at < $2",
        hash_token(token),
        now
    )?;
    Ok(())
}

pub async fn record_reauthentication(tx: &mut Tx, now: DateTime<Utc>, token: &str) -> Result<()> {
    q!(tx, execute, "UPDATE session SET proved_at = $2 WHERE token_hash = $1", hash_token(token), now)?;
    Ok(())
}

/// Replaces the session's token, which ends the old one at once, and returns the new one. Freshness is unchanged:
/// changing one credential does not prove the others. None when the session is gone.
pub async fn rotate_token(tx: &mut Tx, origin: &ClockRng, token: &str) -> Result<Option<String>> {
    let renewed = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    let sql = "UPDATE session SET token_hash = $2 WHERE token_hash = $1";
    let moved = q!(&mut *tx, execute, sql, hash_token(token), hash_token(&renewed))?;
    // Alerts continue on this device.
    push_device::move_to_session(tx, &hash_token(token), &hash_token(&renewed)).await?;
    Ok((moved == 1).then_some(renewed))
}

/// Ends the session and its device's alerts. Idempotent.
pub async fn revoke_session(tx: &mut Tx, token: &str) -> Result<()> {
    q!(&mut *tx, execute, "DELETE FROM session WHERE token_hash = $1", hash_token(token))?;
    push_device::delete_session_device(tx, &hash_token(token)).await
}

pub async fn revoke_all_sessions(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM session WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

pub async fn prune_expired_sessions(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM session WHERE expires_at <= $1 OR last_seen_at <= $2", now, now - IDLE)?;
    tx.commit().await
}

pub(crate) fn hash_token(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Ends all sessions but the one with this token hash.
pub(crate) async fn revoke_sessions_except(tx: &mut Tx, org: OrgId, account: AccountId, kept: &[u8]) -> Result<()> {
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    q!(tx, execute, sql, org, account, kept)?;
    Ok(())
}
