//! One-time tokens of a few minutes: for a sign-in waiting for its code, one that must set up a second factor first,
//! and a password reset. Only the SHA-256 of a token is stored.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::Account;
use crate::{
    domain::tenancy::session,
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

/// A token is valid for its purpose only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum TokenPurpose {
    /// The password was verified; the second factor's code is missing.
    Code,
    /// The password was verified; the business requires a second factor and none is set up.
    SetUp,
    /// Password reset (trust requirement 57).
    Reset,
}

impl TokenPurpose {
    #[must_use]
    pub fn token_lifetime(self) -> Duration {
        match self {
            Self::Code => Duration::minutes(10),
            Self::SetUp | Self::Reset => Duration::minutes(30),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct OneTimeTokenSubject {
    pub org_id: OrgId,
    pub account_id: AccountId,
}

/// Creates one and returns its token: 256 bits.
pub async fn create_token(tx: &mut Tx, origin: &ClockRng, account: &Account, purpose: TokenPurpose) -> Result<String> {
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    store_token(tx, origin, account, purpose, &token).await?;
    Ok(token)
}

pub(super) async fn store_token(
    tx: &mut Tx,
    origin: &ClockRng,
    account: &Account,
    purpose: TokenPurpose,
    token: &str,
) -> Result<()> {
    tx.guard_writable(account.org_id);
    let now = origin.now();
    q!(
        tx,
        execute,
        "INSERT INTO one_time_token (token_hash, org_id, account_id, purpose, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        session::hash_token(token),
        account.org_id,
        account.id,
        purpose,
        now,
        now + purpose.token_lifetime()
    )?;
    Ok(())
}

/// The account of a valid token. The token is the key, so no business is known yet.
pub async fn find_by_token(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    token: &str,
    purpose: TokenPurpose,
) -> Result<Option<OneTimeTokenSubject>> {
    Ok(q!(
        conn,
        fetch_optional as OneTimeTokenSubject,
        "SELECT t.org_id, t.account_id FROM one_time_token t JOIN account a ON a.org_id = t.org_id AND a.id = t.account_id
         WHERE t.token_hash = $1 AND t.purpose = $2 AND t.expires_at > $3 AND a.is_active = TRUE",
        session::hash_token(token),
        purpose,
        now
    )?)
}

pub(super) async fn is_stored(conn: &mut dyn AsConn, org: OrgId, token: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM one_time_token WHERE org_id = $1 AND token_hash = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, session::hash_token(token))?)
}

/// Uses it up: true for one of concurrent callers.
pub async fn consume_token(tx: &mut Tx, now: DateTime<Utc>, token: &str, purpose: TokenPurpose) -> Result<bool> {
    let used = q!(
        tx,
        execute,
        "DELETE FROM one_time_token WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3",
        session::hash_token(token),
        purpose,
        now
    )?;
    Ok(used == 1)
}

/// Ends all tokens of an account after a change of password or second factor.
pub async fn revoke_all_tokens(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM one_time_token WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

pub async fn prune_expired_tokens(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM one_time_token WHERE expires_at <= $1", now)?;
    tx.commit().await
}
