//! What a token of a few minutes stands for: a sign-in whose password was right and whose code is still to come, one that
//! has to set up a second factor first, and a password that is to be set anew. Each is good once, and only the SHA-256 of
//! its token is kept.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use super::Account;
use crate::{
    domain::tenancy::session,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

/// What a ticket is for. The token of one purpose is none of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
pub enum Purpose {
    /// The password was right; the code of the second factor is to come.
    Code,
    /// The password was right, and the business wants a second factor that is not there yet.
    SetUp,
    /// The password is to be set anew (trust requirement 57).
    Reset,
}

impl Purpose {
    /// How long its token is good.
    #[must_use]
    pub fn life(self) -> Duration {
        match self {
            Self::Code => Duration::minutes(10),
            Self::SetUp | Self::Reset => Duration::minutes(30),
        }
    }
}

/// Whom a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Ticket {
    pub org_id: OrgId,
    pub account_id: AccountId,
}

/// Opens one and returns its token: 256 bits.
pub async fn open(tx: &mut Tx, origin: &Origin, account: &Account, purpose: Purpose) -> Result<String> {
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
    keep(tx, origin, account, purpose, &token).await?;
    Ok(token)
}

/// The same under a token that was made elsewhere.
pub(super) async fn keep(tx: &mut Tx, origin: &Origin, account: &Account, purpose: Purpose, token: &str) -> Result<()> {
    tx.guard_writable(account.org_id);
    let now = origin.now();
    q!(
        tx,
        execute,
        "INSERT INTO account_ticket (token_hash, org_id, account_id, purpose, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        session::hash(token),
        account.org_id,
        account.id,
        purpose,
        now,
        now + purpose.life()
    )?;
    Ok(())
}

/// Whom it stands for, while it is good and they may sign in. The token is the key, so this is asked before any org is
/// known.
pub async fn find(conn: &mut dyn AsConn, now: DateTime<Utc>, token: &str, purpose: Purpose) -> Result<Option<Ticket>> {
    Ok(q!(
        conn,
        fetch_optional as Ticket,
        "SELECT t.org_id, t.account_id FROM account_ticket t JOIN account a ON a.org_id = t.org_id AND a.id = t.account_id
         WHERE t.token_hash = $1 AND t.purpose = $2 AND t.expires_at > $3 AND a.is_active = TRUE",
        session::hash(token),
        purpose,
        now
    )?)
}

/// Whether a ticket stands under this token.
pub(super) async fn is_kept(conn: &mut dyn AsConn, org: OrgId, token: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM account_ticket WHERE org_id = $1 AND token_hash = $2)";
    Ok(q!(conn, fetch_one scalar bool, sql, org, session::hash(token))?)
}

/// Uses it up: true for one caller only, however many come at once.
pub async fn take(tx: &mut Tx, now: DateTime<Utc>, token: &str, purpose: Purpose) -> Result<bool> {
    let used = q!(
        tx,
        execute,
        "DELETE FROM account_ticket WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3",
        session::hash(token),
        purpose,
        now
    )?;
    Ok(used == 1)
}

/// None of theirs is good any more: the password or the second factor they stood on has changed.
pub async fn end_all(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM account_ticket WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

/// Removes those whose time is over.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM account_ticket WHERE expires_at <= $1", now)?;
    tx.commit().await
}
