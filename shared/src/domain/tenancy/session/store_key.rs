//! Keys for a browser's offline data. The server stores them encrypted and gives them to a valid session only; the
//! browser stores ciphertext.
//!
//! Two keys: one per session for cached views, deleted with the session; one per person and browser for unsent offline
//! work, available again after the next sign-in.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret, SecretBox};
use sqlx::types::Json;
use uuid::Uuid;

use super::{find_by_token, hash_token};
use crate::{
    domain::tenancy::org::settings::DeviceSettings,
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        encryption::{
            renewal::{self, Reencryption, ReencryptionCount},
            retired,
        },
        error::{Error, Result},
        id::{AccountId, OrgId},
        secret::SecretKey,
    },
};

/// AES-256.
const LENGTH: usize = 32;
const STORE: &str = "offline store";
const UNSENT: &str = "unsent work";
/// An active app asks a few times an hour per tab.
const MOST_AN_HOUR: i64 = 120;
/// Browsers per person with unsent work.
const MOST_BROWSERS: i64 = 32;
/// The server also rejects unsent work older than this.
const KEPT: Duration = Duration::days(90);
const USED_STEP: Duration = Duration::days(1);

#[derive(Debug)]
pub struct StoreKeys {
    store: SecretBox<Vec<u8>>,
    unsent: SecretBox<Vec<u8>>,
    /// How long the browser may use them without asking again. 0: only while the app is open.
    pub lease: Duration,
}

impl StoreKeys {
    #[must_use]
    pub fn to_base64(&self) -> (String, String) {
        (STANDARD.encode(self.store.expose_secret()), STANDARD.encode(self.unsent.expose_secret()))
    }
}

type SessionRef<'a> = (OrgId, AccountId, &'a str);

/// Returns the keys of a valid session; `store_id` identifies the browser's store.
///
/// # Errors
/// [`Error::NotFound`] when the session is gone; [`Error::RateLimited`] when asked too often.
pub async fn issue_store_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    of: (OrgId, AccountId, &str),
    store_id: Uuid,
) -> Result<StoreKeys> {
    let kept = count_request(&mut *tx, origin.now(), of).await?;
    // The row is locked now: a concurrent sign-out waits, or came first.
    find_by_token(&mut *tx, origin.now(), of.2).await?.ok_or(Error::NotFound)?;
    let store = load_session_key(&mut *tx, origin, ring, of, kept).await?;
    let unsent = load_browser_key(&mut *tx, origin, ring, (of.0, of.1), store_id).await?;
    Ok(StoreKeys { store, unsent, lease: load_lease(tx, of.0).await? })
}

async fn count_request(
    tx: &mut Tx,
    now: DateTime<Utc>,
    (org, account, token): SessionRef<'_>,
) -> Result<Option<Vec<u8>>> {
    let hour = Duration::hours(1);
    let sql = "UPDATE session SET
             store_key_asked = CASE WHEN store_key_since > $4 THEN store_key_asked + 1 ELSE 1 END,
             store_key_since = CASE WHEN store_key_since > $4 THEN store_key_since ELSE $5 END
         WHERE org_id = $1 AND account_id = $2 AND token_hash = $3
         RETURNING store_key_asked, store_key";
    let found =
        q!(tx, fetch_optional as (i64, Option<Vec<u8>>), sql, org, account, hash_token(token), now - hour, now)?;
    let (asked, kept) = found.ok_or(Error::NotFound)?;
    if asked > MOST_AN_HOUR {
        return Err(Error::RateLimited { retry_after_seconds: hour.num_seconds() });
    }
    Ok(kept)
}

fn generate_key(origin: &ClockRng) -> Vec<u8> {
    origin.entropy.random_bytes::<LENGTH>().to_vec()
}

async fn load_session_key(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    (org, account, token): SessionRef<'_>,
    kept: Option<Vec<u8>>,
) -> Result<SecretBox<Vec<u8>>> {
    let about: [&[u8]; 2] = [org.0.as_bytes(), account.0.as_bytes()];
    if let Some(key) = kept.and_then(|sealed| ring.decrypt_bytes(STORE, &about, &sealed)) {
        return Ok(SecretBox::new(Box::new(key)));
    }
    // Missing, or encrypted with a lost key: cached views are fetched again under a new key.
    let key = SecretBox::new(Box::new(generate_key(origin)));
    let sealed = ring.encrypt_bytes(&origin.entropy, STORE, &about, key.expose_secret());
    let sql = "UPDATE session SET store_key = $3 WHERE org_id = $1 AND token_hash = $2";
    q!(tx, execute, sql, org, hash_token(token), sealed)?;
    Ok(key)
}

async fn load_browser_key(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    (org, account): (OrgId, AccountId),
    store_id: Uuid,
) -> Result<SecretBox<Vec<u8>>> {
    let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store_id.as_bytes()];
    let sealed = ring.encrypt_bytes(&origin.entropy, UNSENT, &about, &generate_key(origin));
    let sql =
        "INSERT INTO offline_store_key (org_id, account_id, store_id, sealed, used_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, account_id, store_id) DO NOTHING";
    if q!(&mut *tx, execute, sql, org, account, store_id, sealed, origin.now())? == 0 {
        let sql = "UPDATE offline_store_key SET used_at = $4
             WHERE org_id = $1 AND account_id = $2 AND store_id = $3 AND used_at < $5";
        q!(&mut *tx, execute, sql, org, account, store_id, origin.now(), origin.now() - USED_STEP)?;
    } else {
        prune_excess_browsers(&mut *tx, org, account, store_id).await?;
    }
    let sql = "SELECT sealed FROM offline_store_key WHERE org_id = $1 AND account_id = $2 AND store_id = $3";
    let sealed = q!(&mut *tx, fetch_one scalar Vec<u8>, sql, org, account, store_id)?;
    match ring.decrypt_bytes(UNSENT, &about, &sealed) {
        Some(key) => Ok(SecretBox::new(Box::new(key))),
        None => replace_browser_key(tx, origin, ring, (org, account), store_id).await,
    }
}

/// A new key in place of one whose key is lost; what the browser had not sent stays unreadable. A process that was not
/// restarted since a rotation replaces nothing.
async fn replace_browser_key(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    (org, account): (OrgId, AccountId),
    store_id: Uuid,
) -> Result<SecretBox<Vec<u8>>> {
    if !retired::is_key_in_force(&mut *tx, ring).await? {
        return Err(Error::Internal("the key of unsent work does not open: was SECRET_KEY changed?".to_owned()));
    }
    let key = SecretBox::new(Box::new(generate_key(origin)));
    let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store_id.as_bytes()];
    let sealed = ring.encrypt_bytes(&origin.entropy, UNSENT, &about, key.expose_secret());
    let sql = "UPDATE offline_store_key SET sealed = $4 WHERE org_id = $1 AND account_id = $2 AND store_id = $3";
    q!(tx, execute, sql, org, account, store_id, sealed)?;
    Ok(key)
}

/// Limits the rows against invented browsers. The asking browser is kept, also among others of the same time.
async fn prune_excess_browsers(tx: &mut Tx, org: OrgId, account: AccountId, asks: Uuid) -> Result<()> {
    q!(
        tx,
        execute,
        "DELETE FROM offline_store_key WHERE org_id = $1 AND account_id = $2 AND store_id <> $3 AND store_id NOT IN
             (SELECT store_id FROM offline_store_key WHERE org_id = $1 AND account_id = $2 AND store_id <> $3
              ORDER BY used_at DESC, store_id LIMIT $4)",
        org,
        account,
        asks,
        MOST_BROWSERS - 1
    )?;
    Ok(())
}

pub(super) async fn load_lease(conn: &mut dyn AsConn, org: OrgId) -> Result<Duration> {
    let sql = "SELECT value FROM org_setting WHERE org_id = $1 AND name = 'devices'";
    let set = q!(conn, fetch_optional scalar Json<DeviceSettings>, sql, org)?;
    Ok(Duration::hours(set.map_or_else(DeviceSettings::default, |set| set.0).offline_hours))
}

/// After deactivation: unsent work in the person's browsers becomes unreadable.
pub async fn delete_unsent_keys(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM offline_store_key WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

pub async fn prune_unused_keys(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM offline_store_key WHERE used_at < $1", now - KEPT)?;
    tx.commit().await
}

pub(crate) async fn reencrypt_store_keys(
    tx: &mut Tx,
    origin: &ClockRng,
    ring: &SecretKey,
    org: OrgId,
) -> Result<ReencryptionCount> {
    let mut count = ReencryptionCount::default();
    let sql = "SELECT token_hash, account_id, store_key FROM session WHERE org_id = $1 AND store_key IS NOT NULL";
    for (token, account, sealed) in q!(&mut *tx, fetch_all as (Vec<u8>, AccountId, Vec<u8>), sql, org)? {
        let about: [&[u8]; 2] = [org.0.as_bytes(), account.0.as_bytes()];
        let renewed = renewal::reencrypt_bytes(ring, &origin.entropy, (STORE, &about), &sealed);
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(new) = renewed {
            let sql = "UPDATE session SET store_key = $3 WHERE org_id = $1 AND token_hash = $2 AND store_key = $4";
            q!(&mut *tx, execute, sql, org, token, new, sealed)?;
        }
    }
    let sql = "SELECT account_id, store_id, sealed FROM offline_store_key WHERE org_id = $1";
    for (account, store, sealed) in q!(&mut *tx, fetch_all as (AccountId, Uuid, Vec<u8>), sql, org)? {
        let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store.as_bytes()];
        let renewed = renewal::reencrypt_bytes(ring, &origin.entropy, (UNSENT, &about), &sealed);
        count.record_result(&renewed);
        if let Reencryption::Reencrypted(new) = renewed {
            let sql = "UPDATE offline_store_key SET sealed = $4
                 WHERE org_id = $1 AND account_id = $2 AND store_id = $3 AND sealed = $5";
            q!(&mut *tx, execute, sql, org, account, store, new, sealed)?;
        }
    }
    Ok(count)
}

/// Removes keys that no key of the ring opens: their browsers get new ones. Returns how many.
pub(crate) async fn delete_lost_keys(tx: &mut Tx, ring: &SecretKey, org: OrgId) -> Result<u64> {
    let mut removed = 0;
    let sql = "SELECT token_hash, account_id, store_key FROM session WHERE org_id = $1 AND store_key IS NOT NULL";
    for (token, account, sealed) in q!(&mut *tx, fetch_all as (Vec<u8>, AccountId, Vec<u8>), sql, org)? {
        if ring.decrypt_bytes(STORE, &[org.0.as_bytes(), account.0.as_bytes()], &sealed).is_none() {
            let sql = "UPDATE session SET store_key = NULL WHERE org_id = $1 AND token_hash = $2 AND store_key = $3";
            removed += q!(&mut *tx, execute, sql, org, token, sealed)?;
        }
    }
    let sql = "SELECT account_id, store_id, sealed FROM offline_store_key WHERE org_id = $1";
    for (account, store, sealed) in q!(&mut *tx, fetch_all as (AccountId, Uuid, Vec<u8>), sql, org)? {
        let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store.as_bytes()];
        if ring.decrypt_bytes(UNSENT, &about, &sealed).is_none() {
            let sql = "DELETE FROM offline_store_key
                 WHERE org_id = $1 AND account_id = $2 AND store_id = $3 AND sealed = $4";
            removed += q!(&mut *tx, execute, sql, org, account, store, sealed)?;
        }
    }
    Ok(removed)
}
