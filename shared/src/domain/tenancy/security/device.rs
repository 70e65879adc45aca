//! Known browsers of a person: each has its own cookie that outlives sessions, and a new one raises an alert
//! (`messaging::security_alert`).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};

use crate::{
    domain::tenancy::account::Account,
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
    },
};

/// Browsers' maximum cookie lifetime (400 days).
pub const KEPT: Duration = Duration::days(400);

fn hash_token(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownDeviceStatus {
    SignedIn,
    /// The person chose a password in it by a mailed link, without a sign-in since.
    Proved,
}

pub async fn find_device_status(conn: &mut dyn AsConn, email: &str, token: &str) -> Result<Option<KnownDeviceStatus>> {
    let sql = "SELECT d.is_unused FROM known_device d JOIN account a ON a.org_id = d.org_id AND a.id = d.account_id
         WHERE d.token_hash = $2 AND a.email = $1";
    let is_unused = q!(conn, fetch_optional scalar bool, sql, email, hash_token(token))?;
    Ok(is_unused.map(|is_unused| if is_unused { KnownDeviceStatus::Proved } else { KnownDeviceStatus::SignedIn }))
}

/// Whether anybody has signed in with this browser. For a sign-in that names no account yet.
pub async fn is_known_device(conn: &mut dyn AsConn, token: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM known_device WHERE token_hash = $1 AND is_unused = FALSE)";
    Ok(q!(conn, fetch_one scalar bool, sql, hash_token(token))?)
}

/// Records a browser in which a password was chosen by a mailed link. Returns its new token, which has its own attempt
/// limit. Its first sign-in raises the new-browser alert.
pub async fn record_password_reset_device(tx: &mut Tx, origin: &ClockRng, account: &Account) -> Result<String> {
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    q!(
        tx,
        execute,
        "INSERT INTO known_device (org_id, account_id, token_hash, first_seen_at, last_seen_at, is_unused)
         VALUES ($1, $2, $3, $4, $4, TRUE)",
        account.org_id,
        account.id,
        hash_token(&token),
        origin.now()
    )?;
    Ok(token)
}

pub(crate) struct SignInDevice {
    pub(crate) token: String,
    /// The person has used other browsers before, and this one never.
    pub(crate) is_unfamiliar: bool,
}

/// Records a sign-in with the presented token, if any.
pub(crate) async fn store_sign_in_device(
    tx: &mut Tx,
    origin: &ClockRng,
    account: &Account,
    shown: Option<&str>,
) -> Result<SignInDevice> {
    let (org, now) = (account.org_id, origin.now());
    if let Some(token) = shown {
        let is_known = q!(
            &mut *tx,
            execute,
            "UPDATE known_device SET last_seen_at = $4
             WHERE org_id = $1 AND account_id = $2 AND token_hash = $3 AND NOT is_unused",
            org,
            account.id,
            hash_token(token),
            now
        )? > 0;
        if is_known {
            return Ok(SignInDevice { token: token.to_owned(), is_unfamiliar: false });
        }
        let sql = "DELETE FROM known_device WHERE org_id = $1 AND account_id = $2 AND token_hash = $3";
        q!(&mut *tx, execute, sql, org, account.id, hash_token(token))?;
    }
    // An unknown token may have been planted, so a new one is made.
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>());
    let has_others = q!(
        &mut *tx,
        fetch_one scalar bool,
        "SELECT EXISTS (SELECT 1 FROM known_device WHERE org_id = $1 AND account_id = $2)",
        org,
        account.id
    )?;
    q!(
        &mut *tx,
        execute,
        "INSERT INTO known_device (org_id, account_id, token_hash, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $4)",
        org,
        account.id,
        hash_token(&token),
        now
    )?;
    Ok(SignInDevice { token, is_unfamiliar: has_others })
}

/// Names a browser by a prefix of its hash, which grants nothing.
pub(crate) fn token_fingerprint(token: &str) -> String {
    hash_token(token).iter().take(8).fold(String::new(), |name, byte| format!("{name}{byte:02x}"))
}

/// Forgets a person's browsers except `but`: a previous user of the password is unknown on all browsers, and raises an
/// alert on the next sign-in (trust requirements 50 and 55).
pub async fn forget_other_devices(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    account: AccountId,
    but: Option<&str>,
) -> Result<()> {
    let kept = hash_token(but.unwrap_or_default());
    let sql = "DELETE FROM known_device WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    if q!(&mut *tx, execute, sql, org, account, kept)? == 0 {
        return Ok(());
    }
    // A placeholder row without a usable token: the next browser is then not the person's first.
    let nobodys = origin.entropy.random_bytes::<32>().to_vec();
    q!(
        tx,
        execute,
        "INSERT INTO known_device (org_id, account_id, token_hash, first_seen_at, last_seen_at) VALUES ($1, $2, $3, $4, $4)",
        org,
        account,
        nobodys,
        origin.now()
    )?;
    Ok(())
}

pub async fn prune_unused_devices(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM known_device WHERE last_seen_at < $1", now - KEPT)?;
    tx.commit().await
}
