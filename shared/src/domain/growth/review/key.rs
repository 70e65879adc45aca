//! Webhook key of another program that sends reviews. It is shown once, when created; the table keeps its hash. It has
//! 256 random bits, so a plain hash is enough.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, FutureExt, ready};
use serde::Serialize;
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::account::AccessEvent,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::Result,
        id::OrgId,
    },
};

const PREFIX: &str = "rvk_";
/// Webhook path below the public address; the key follows.
pub const PATH: &str = "/api/webhooks/reviews/";
/// 32 bytes in base64url.
const LENGTH: usize = PREFIX.len() + 43;

/// State of the intake from other programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewWebhook {
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
pub struct NewReviewWebhookKey {
    pub key: String,
    /// The whole address, with the key.
    pub url: String,
    pub hint: String,
    pub created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct ReviewKeyRow {
    hint: String,
    created_at: DateTime<Utc>,
    last_received_at: Option<DateTime<Utc>>,
}

fn hash_key(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

/// `url` is the address without a key.
pub async fn load_webhook(conn: &mut dyn AsConn, org: OrgId, url: String) -> Result<ReviewWebhook> {
    let sql = "SELECT hint, created_at, last_received_at FROM review_key WHERE org_id = $1";
    let row = q!(conn, fetch_optional as ReviewKeyRow, sql, org)?;
    Ok(ReviewWebhook {
        is_set: row.is_some(),
        url,
        created_at: row.as_ref().map(|row| row.created_at),
        last_received_at: row.as_ref().and_then(|row| row.last_received_at),
        hint: row.map(|row| row.hint),
    })
}

/// Creates a key and invalidates the one before. `url` is the address without a key.
pub async fn rotate_key(tx: &mut Tx, origin: &ClockRng, org: OrgId, url: &str) -> Result<NewReviewWebhookKey> {
    let key = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>()));
    let hint = format!("{PREFIX}…{}", &key[key.len() - 4..]);
    q!(
        tx,
        execute,
        "INSERT INTO review_key (org_id, key_hash, hint, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (org_id) DO UPDATE SET key_hash = excluded.key_hash, hint = excluded.hint,
             created_at = excluded.created_at, last_received_at = NULL",
        org,
        hash_key(&key),
        &hint,
        origin.now()
    )?;
    Ok(NewReviewWebhookKey { url: format!("{url}{key}"), key, hint, created_at: origin.now() })
}

/// Listener of the ends of access: the first prover was not signed in, so a stranger may hold the key.
pub(crate) fn revoke_key_of_stranger<'a>(
    tx: &'a mut Tx,
    _: &'a ClockRng,
    org: OrgId,
    event: AccessEvent<'a>,
) -> BoxFuture<'a, Result<()>> {
    match event {
        AccessEvent::StrangerSuspected { .. } => Box::pin(async move { revoke_key(tx, org).await.map(|_| ()) }),
        AccessEvent::CrewsLeft(_) | AccessEvent::FirstProof => ready(Ok(())).boxed(),
    }
}

pub async fn revoke_key(tx: &mut Tx, org: OrgId) -> Result<bool> {
    Ok(q!(tx, execute, "DELETE FROM review_key WHERE org_id = $1", org)? > 0)
}

pub async fn find_org_by_key(conn: &mut dyn AsConn, key: &str) -> Result<Option<OrgId>> {
    if key.len() != LENGTH || !key.starts_with(PREFIX) {
        return Ok(None);
    }
    let sql = "SELECT org_id FROM review_key WHERE key_hash = $1";
    Ok(q!(conn, fetch_optional scalar OrgId, sql, hash_key(key))?)
}

pub async fn record_key_use(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    q!(tx, execute, "UPDATE review_key SET last_received_at = $2 WHERE org_id = $1", org, origin.now())?;
    Ok(())
}
