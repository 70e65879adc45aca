//! The browsers a person signs in with: each keeps a cookie of its own, longer than any session, and one that was never
//! there is told of.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use sha2::{Digest, Sha256};

use super::{Alert, Cause, raise};
use crate::{
    domain::tenancy::account::Account,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::Result,
        id::{AccountId, OrgId},
        public_url::PublicUrl,
    },
};

/// As long as browsers keep a cookie (400 days at most).
pub const KEPT: Duration = Duration::days(400);

fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// What is known of a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The person has signed in with it.
    SignedIn,
    /// They chose a password in it by a mailed link, and have not signed in since.
    Proved,
}

/// What the browser that shows `token` is to who signs in with this address.
pub async fn standing(conn: &mut dyn AsConn, email: &str, token: &str) -> Result<Option<Standing>> {
    let sql = "SELECT d.is_unused FROM known_device d JOIN account a ON a.org_id = d.org_id AND a.id = d.account_id
         WHERE d.token_hash = $2 AND a.email = $1";
    let is_unused = q!(conn, fetch_optional scalar bool, sql, email, hash(token))?;
    Ok(is_unused.map(|is_unused| if is_unused { Standing::Proved } else { Standing::SignedIn }))
}

/// Somebody has chosen a password in this browser by a link that was mailed to them. Returns the token that it keeps: tries
/// at the password are its own from now on. Its first sign-in is told of like that of any other new browser.
pub async fn proved(tx: &mut Tx, origin: &Origin, account: &Account) -> Result<String> {
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
    q!(
        tx,
        execute,
        "INSERT INTO known_device (org_id, account_id, token_hash, first_seen_at, last_seen_at, is_unused)
         VALUES ($1, $2, $3, $4, $4, TRUE)",
        account.org_id,
        account.id,
        hash(&token),
        origin.now()
    )?;
    Ok(token)
}

/// Somebody has signed in on a browser that showed `shown`, if anything. Returns the token that it keeps from now on.
/// The owners and the person hear of it unless it is the person's first browser of all.
pub async fn seen(
    tx: &mut Tx,
    origin: &Origin,
    public_url: &PublicUrl,
    account: &Account,
    shown: Option<&str>,
    user_agent: Option<&str>,
) -> Result<String> {
    let (org, now) = (account.org_id, origin.now());
    if let Some(token) = shown {
        let is_known = q!(
            &mut *tx,
            execute,
            "UPDATE known_device SET last_seen_at = $4
             WHERE org_id = $1 AND account_id = $2 AND token_hash = $3 AND NOT is_unused",
            org,
            account.id,
            hash(token),
            now
        )? > 0;
        if is_known {
            return Ok(token.to_owned());
        }
        let sql = "DELETE FROM known_device WHERE org_id = $1 AND account_id = $2 AND token_hash = $3";
        q!(&mut *tx, execute, sql, org, account.id, hash(token))?;
    }
    // A token that nobody knows may have been planted: this browser gets one of its own.
    let token = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>());
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
        hash(&token),
        now
    )?;
    if has_others {
        raise(tx, origin, public_url, org, &cause(account, &token, now, user_agent)).await?;
    }
    Ok(token)
}

/// The browser that a header names, in our words: the header itself may say anything.
fn family(user_agent: &str) -> &'static str {
    const FAMILIES: [(&str, &str); 6] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrome", "Chrome"),
        ("CriOS", "Chrome"),
        ("Safari", "Safari"),
    ];
    FAMILIES.iter().find(|(mark, _)| user_agent.contains(mark)).map_or("unknown", |(_, name)| *name)
}

fn cause(account: &Account, token: &str, now: DateTime<Utc>, user_agent: Option<&str>) -> Cause {
    // Each browser is a cause of its own, and is named by nothing that opens anything.
    let subject = hash(token).iter().take(8).fold(account.id.to_string(), |id, byte| format!("{id}{byte:02x}"));
    Cause {
        alert: Alert::NewDevice,
        subject,
        title: "Sign-in from a new device".to_owned(),
        body: format!(
            "{} signed in from a browser they had not used before.\n\nWhen: {} UTC. Browser: {}.\n\nIf it was not you: change your password now, and look at Your sessions.",
            account.email,
            now.format("%Y-%m-%d %H:%M"),
            user_agent.map_or("unknown", family)
        ),
        also: vec![account.email.clone()],
    }
}

/// Forgets the browsers somebody has signed in with, all but the one that shows `but`: whoever had their password meanwhile
/// is at home nowhere, and told of when they sign in again (trust requirements 50 and 55).
pub async fn forget(tx: &mut Tx, origin: &Origin, org: OrgId, account: AccountId, but: Option<&str>) -> Result<()> {
    let kept = hash(but.unwrap_or_default());
    let sql = "DELETE FROM known_device WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    if q!(&mut *tx, execute, sql, org, account, kept)? == 0 {
        return Ok(());
    }
    // One that nobody can show takes their place: the next browser is not the person's first of all.
    let nobodys = origin.entropy.bytes::<32>().to_vec();
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

/// Forgets browsers whose cookie is gone.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM known_device WHERE last_seen_at < $1", now - KEPT)?;
    tx.commit().await
}
