//! The key with which another program brings a business's reviews. It is shown once, when it is made; the table keeps its
//! hash. It holds 256 bits of chance, so nobody guesses it and a plain hash is enough.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::platform::{
    clock::Origin,
    db::{AsConn, Tx, q},
    error::Result,
    id::OrgId,
};

const PREFIX: &str = "rvk_";
/// Where it is used, below our public address; the key follows.
pub const PATH: &str = "/api/webhooks/reviews/";
/// 32 bytes in base64url.
const LENGTH: usize = PREFIX.len() + 43;

/// How the way for other programs stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewWebhook)]
pub struct Webhook {
    pub is_set: bool,
    /// The address without the key, which is shown once only.
    pub url: String,
    /// `rvk_…Ab3d`.
    pub hint: Option<String>,
    pub created_at: Option<DateTime<Utc>>,
    pub last_received_at: Option<DateTime<Utc>>,
}

/// A key that was just made: this once.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReviewWebhookKey)]
pub struct NewKey {
    pub key: String,
    /// The whole address, with the key.
    pub url: String,
    pub hint: String,
    pub created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Row {
    hint: String,
    created_at: DateTime<Utc>,
    last_received_at: Option<DateTime<Utc>>,
}

fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

/// How it stands. `url` is the address without a key.
pub async fn get(conn: &mut dyn AsConn, org: OrgId, url: String) -> Result<Webhook> {
    let sql = "SELECT hint, created_at, last_received_at FROM review_key WHERE org_id = $1";
    let row = q!(conn, fetch_optional as Row, sql, org)?;
    Ok(Webhook {
        is_set: row.is_some(),
        url,
        created_at: row.as_ref().map(|row| row.created_at),
        last_received_at: row.as_ref().and_then(|row| row.last_received_at),
        hint: row.map(|row| row.hint),
    })
}

/// Makes a key; the one before it is dead from now on. `url` is the address without a key.
pub async fn make(tx: &mut Tx, origin: &Origin, org: OrgId, url: &str) -> Result<NewKey> {
    let key = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>()));
    let hint = format!("{PREFIX}…{}", &key[key.len() - 4..]);
    q!(
        tx,
        execute,
        "INSERT INTO review_key (org_id, key_hash, hint, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id) DO UPDATE SET key_hash = excluded.key_hash, hint = excluded.hint,
             created_at = excluded.created_at, last_received_at = NULL",
        org,
        hash(&key),
        &hint,
        origin.now()
    )?;
    Ok(NewKey { url: format!("{url}{key}"), key, hint, created_at: origin.now() })
}

/// Takes the key away. True when there was one.
pub async fn remove(tx: &mut Tx, org: OrgId) -> Result<bool> {
    Ok(q!(tx, execute, "DELETE FROM review_key WHERE org_id = $1", org)? > 0)
}

/// Whose key this is. What does not look like one of ours is not looked for.
pub async fn owner(conn: &mut dyn AsConn, key: &str) -> Result<Option<OrgId>> {
    if key.len() != LENGTH || !key.starts_with(PREFIX) {
        return Ok(None);
    }
    let sql = "SELECT org_id FROM review_key WHERE key_hash = $1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, hash(key))?)
}

/// Something came by it.
pub async fn used(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    q!(tx, execute, "UPDATE review_key SET last_received_at = $2 WHERE org_id = $1", org, origin.now())?;
    Ok(())
}
