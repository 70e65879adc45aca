//! Keys of what a browser keeps for working offline. The server holds them sealed and gives them to a live session only;
//! the browser keeps ciphertext.
//!
//! Two keys: one of the session, for copies of what was shown, which goes with the session; and one of a person in one
//! browser, for what was done offline and is not sent yet, which the same person gets again after signing in.

use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Duration, Utc};
use secrecy::{ExposeSecret, SecretBox};
use sqlx::types::Json;
use uuid::Uuid;

use super::{find, hash};
use crate::{
    domain::tenancy::org::settings::Devices,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        encryption::renewal::{self, Count, Renewed},
        error::{Error, Result},
        id::{AccountId, OrgId},
        secret::SecretKey,
    },
};

/// AES-256.
const LENGTH: usize = 32;
const STORE: &str = "offline store";
const UNSENT: &str = "unsent work";
/// An app in use asks a few times an hour, each of its tabs by itself.
const MOST_AN_HOUR: i64 = 120;
/// Browsers of one person that may hold unsent work.
const MOST_BROWSERS: i64 = 32;
/// What was not sent for so long is not taken by the server any more either.
const KEPT: Duration = Duration::days(90);
/// "Last used" is written at most this often.
const USED_STEP: Duration = Duration::days(1);

/// What a browser gets.
#[derive(Debug)]
pub struct StoreKeys {
    /// Of the session.
    store: SecretBox<Vec<u8>>,
    /// Of the person in this browser.
    unsent: SecretBox<Vec<u8>>,
    /// For how long the browser may use them without asking again. 0: only while the app is open.
    pub lease: Duration,
}

impl StoreKeys {
    /// The key of the session and that of the browser, as the browser gets them.
    #[must_use]
    pub fn in_base64(&self) -> (String, String) {
        (STANDARD.encode(self.store.expose_secret()), STANDARD.encode(self.unsent.expose_secret()))
    }
}

type Of<'a> = (OrgId, AccountId, &'a str);

/// Gives a live session its keys; `store_id` names the browser's store.
///
/// # Errors
/// [`Error::NotFound`] when the session is gone; [`Error::TooMany`] when they were asked for too often.
pub async fn give(
    tx: &mut Tx,
    origin: &Origin,
    ring: &SecretKey,
    of: (OrgId, AccountId, &str),
    store_id: Uuid,
) -> Result<StoreKeys> {
    let kept = count(&mut *tx, origin.now(), of).await?;
    // The row is held now: whoever ends the session waits, or was first.
    find(&mut *tx, origin.now(), of.2).await?.ok_or(Error::NotFound)?;
    let store = of_session(&mut *tx, origin, ring, of, kept).await?;
    let unsent = of_browser(&mut *tx, origin, ring, (of.0, of.1), store_id).await?;
    Ok(StoreKeys { store, unsent, lease: lease(tx, of.0).await? })
}

/// Counts the question, and gives the session's sealed key if it has one.
async fn count(tx: &mut Tx, now: DateTime<Utc>, (org, account, token): Of<'_>) -> Result<Option<Vec<u8>>> {
    let hour = Duration::hours(1);
    let sql = "UPDATE session SET
             store_key_asked = CASE WHEN store_key_since > $4 THEN store_key_asked + 1 ELSE 1 END,
             store_key_since = CASE WHEN store_key_since > $4 THEN store_key_since ELSE $5 END
         WHERE org_id = $1 AND account_id = $2 AND token_hash = $3
         RETURNING store_key_asked, store_key";
    let found = q!(tx, fetch_optional as (i64, Option<Vec<u8>>), sql, org, account, hash(token), now - hour, now)?;
    let (asked, kept) = found.ok_or(Error::NotFound)?;
    if asked > MOST_AN_HOUR {
        return Err(Error::TooMany { retry_after_seconds: hour.num_seconds() });
    }
    Ok(kept)
}

fn fresh(origin: &Origin) -> Vec<u8> {
    origin.entropy.bytes::<LENGTH>().to_vec()
}

async fn of_session(
    tx: &mut Tx,
    origin: &Origin,
    ring: &SecretKey,
    (org, account, token): Of<'_>,
    kept: Option<Vec<u8>>,
) -> Result<SecretBox<Vec<u8>>> {
    let about: [&[u8]; 2] = [org.0.as_bytes(), account.0.as_bytes()];
    if let Some(key) = kept.and_then(|sealed| ring.open(STORE, &about, &sealed)) {
        return Ok(SecretBox::new(Box::new(key)));
    }
    // None yet, or sealed with a key that is gone: the copies are fetched anew under another.
    let key = SecretBox::new(Box::new(fresh(origin)));
    let sealed = ring.seal(&origin.entropy, STORE, &about, key.expose_secret());
    let sql = "UPDATE session SET store_key = $3 WHERE org_id = $1 AND token_hash = $2";
    q!(tx, execute, sql, org, hash(token), sealed)?;
    Ok(key)
}

async fn of_browser(
    tx: &mut Tx,
    origin: &Origin,
    ring: &SecretKey,
    (org, account): (OrgId, AccountId),
    store_id: Uuid,
) -> Result<SecretBox<Vec<u8>>> {
    let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store_id.as_bytes()];
    let sealed = ring.seal(&origin.entropy, UNSENT, &about, &fresh(origin));
    let sql = "INSERT INTO unsent_key (org_id, account_id, store_id, sealed, used_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, account_id, store_id) DO NOTHING";
    if q!(&mut *tx, execute, sql, org, account, store_id, sealed, origin.now())? == 0 {
        let sql = "UPDATE unsent_key SET used_at = $4
             WHERE org_id = $1 AND account_id = $2 AND store_id = $3 AND used_at < $5";
        q!(&mut *tx, execute, sql, org, account, store_id, origin.now(), origin.now() - USED_STEP)?;
    } else {
        keep_latest(&mut *tx, org, account, store_id).await?;
    }
    let sql = "SELECT sealed FROM unsent_key WHERE org_id = $1 AND account_id = $2 AND store_id = $3";
    let sealed = q!(tx, fetch_one scalar Vec<u8>, sql, org, account, store_id)?;
    let failed = || Error::Internal("the key of unsent work does not open: was SECRET_KEY changed?".to_owned());
    Ok(SecretBox::new(Box::new(ring.open(UNSENT, &about, &sealed).ok_or_else(failed)?)))
}

/// Nobody fills the table with browsers that do not exist. The one that asks stays, also among others of its instant.
async fn keep_latest(tx: &mut Tx, org: OrgId, account: AccountId, asks: Uuid) -> Result<()> {
    q!(
        tx,
        execute,
        "DELETE FROM unsent_key WHERE org_id = $1 AND account_id = $2 AND store_id <> $3 AND store_id NOT IN
             (SELECT store_id FROM unsent_key WHERE org_id = $1 AND account_id = $2 AND store_id <> $3
              ORDER BY used_at DESC, store_id LIMIT $4)",
        org,
        account,
        asks,
        MOST_BROWSERS - 1
    )?;
    Ok(())
}

async fn lease(conn: &mut dyn AsConn, org: OrgId) -> Result<Duration> {
    let sql = "SELECT value FROM org_setting WHERE org_id = $1 AND name = 'devices'";
    let set = q!(conn, fetch_optional scalar Json<Devices>, sql, org)?;
    Ok(Duration::hours(set.map_or_else(Devices::default, |set| set.0).offline_hours))
}

/// Somebody does not work here any more: what their browsers hold unsent is never read again.
pub async fn forget(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM unsent_key WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

/// Forgets browsers that were not used for long.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM unsent_key WHERE used_at < $1", now - KEPT)?;
    tx.commit().await
}

/// Seals the keys of a business anew, with the key in force.
pub(crate) async fn renew(tx: &mut Tx, origin: &Origin, ring: &SecretKey, org: OrgId) -> Result<Count> {
    let mut count = Count::default();
    let sql = "SELECT token_hash, account_id, store_key FROM session WHERE org_id = $1 AND store_key IS NOT NULL";
    for (token, account, sealed) in q!(&mut *tx, fetch_all as (Vec<u8>, AccountId, Vec<u8>), sql, org)? {
        let about: [&[u8]; 2] = [org.0.as_bytes(), account.0.as_bytes()];
        let renewed = renewal::renew(ring, &origin.entropy, (STORE, &about), &sealed);
        count.add(&renewed);
        if let Renewed::Anew(new) = renewed {
            let sql = "UPDATE session SET store_key = $3 WHERE org_id = $1 AND token_hash = $2 AND store_key = $4";
            q!(&mut *tx, execute, sql, org, token, new, sealed)?;
        }
    }
    let sql = "SELECT account_id, store_id, sealed FROM unsent_key WHERE org_id = $1";
    for (account, store, sealed) in q!(&mut *tx, fetch_all as (AccountId, Uuid, Vec<u8>), sql, org)? {
        let about: [&[u8]; 3] = [org.0.as_bytes(), account.0.as_bytes(), store.as_bytes()];
        let renewed = renewal::renew(ring, &origin.entropy, (UNSENT, &about), &sealed);
        count.add(&renewed);
        if let Renewed::Anew(new) = renewed {
            let sql = "UPDATE unsent_key SET sealed = $4
                 WHERE org_id = $1 AND account_id = $2 AND store_id = $3 AND sealed = $5";
            q!(&mut *tx, execute, sql, org, account, store, new, sealed)?;
        }
    }
    Ok(count)
}
