//! Passkeys: sign-in with an authenticator (phone, laptop, security key) instead of a password. Each verifies
//! possession and user, so it counts as both factors. A challenge is stored on the server, works once, and only for the
//! browser it was made for.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use sqlx::FromRow;
use url::Url;
use utoipa::ToSchema;
use uuid::Uuid;
pub use webauthn_rs::prelude::PublicKeyCredential;
use webauthn_rs::prelude::{Passkey as Credential, RegisterPublicKeyCredential, Webauthn, WebauthnBuilder};

use super::Account;
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::{org, session},
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, OrgId},
        public_url::PublicUrl,
    },
};

pub mod challenge;

use challenge::ChallengePurpose;

const MOST: i64 = 20;

#[derive(Debug)]
pub struct RelyingParty(Webauthn);

impl RelyingParty {
    /// # Errors
    /// [`Error::Conflict`] when the public address is an IP address or not https: browsers offer no passkeys there.
    pub fn from_public_url(public_url: &PublicUrl) -> Result<Self> {
        const NOT_HERE: Error = ConflictCode::PasskeysUnavailable.into_error();
        let host = public_url.host();
        let is_name = host.parse::<std::net::IpAddr>().is_err() && !host.starts_with('[');
        if !is_name || !(public_url.is_https() || host == "localhost") {
            return Err(NOT_HERE);
        }
        let origin =
            Url::parse(&public_url.origin()).map_err(|e| Error::Internal(format!("the public address: {e}")))?;
        let party = WebauthnBuilder::new(host, &origin).and_then(|builder| builder.rp_name("Toolbox").build());
        party.map(Self).map_err(|e| Error::Internal(format!("passkeys: {e}")))
    }
}

/// A ceremony that was begun, for the browser.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyChallenge {
    /// Goes back with the browser's answer; good once, for five minutes.
    pub challenge: String,
    /// What the browser is asked: `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions` as JSON
    /// (`WebAuthn`, Level 3).
    #[schema(value_type = Object)]
    pub public_key: Value,
}

/// A passkey, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Passkey)]
pub struct PasskeyView {
    pub id: Uuid,
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<Vec<PasskeyView>> {
    let sql = "SELECT id, name, created_at, last_used_at FROM passkey WHERE org_id = $1 AND account_id = $2
         ORDER BY created_at, id";
    Ok(q!(conn, fetch_all as PasskeyView, sql, org, account)?)
}

pub async fn count_by_account(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM passkey WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Starts adding a passkey; `holder` is the session token.
pub async fn begin_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    account: &Account,
    holder: &str,
) -> Result<PasskeyChallenge> {
    let sql = "SELECT credential_id FROM passkey WHERE org_id = $1 AND account_id = $2";
    let there = q!(&mut *tx, fetch_all scalar Vec<u8>, sql, account.org_id, account.id)?;
    let begun = party.0.start_passkey_registration(account.id.0, account.email.as_str(), &account.name, Some(there));
    let (mut asked, state) = begun.map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
    let challenge = challenge::store_challenge(tx, origin, ChallengePurpose::Add, holder, &state).await?;
    // Discoverable: found without a typed address.
    if let Some(selection) = &mut asked.public_key.authenticator_selection {
        // The library does not export the enum.
        let required = serde_json::from_value(json!("required"));
        selection.resident_key = required.map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
        selection.require_resident_key = true;
    }
    Ok(PasskeyChallenge { challenge, public_key: serialize_options(&asked.public_key)? })
}

/// # Errors
/// [`Error::Conflict`] when the challenge has expired, the passkey exists, or there are too many; [`Error::Invalid`] on
/// `credential` when it does not match the challenge.
pub async fn finish_registration(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    account: &Account,
    (challenge, holder): (&str, &str),
    (answer, name): (&RegisterPublicKeyCredential, &str),
) -> Result<PasskeyView> {
    const THERE: Error = ConflictCode::PasskeyRegistered.into_error();
    const FULL: Error = ConflictCode::PasskeysFull.into_error();
    org::lock(&mut *tx, account.org_id).await?;
    let state = challenge::consume_challenge(&mut *tx, origin.now(), ChallengePurpose::Add, challenge, holder)
        .await?
        .ok_or_else(challenge_expired)?;
    // The library also refuses this, but with an ambiguous error.
    if is_owned_by(&mut *tx, account, &answer.raw_id).await? {
        return Err(THERE);
    }
    let made = party.0.finish_passkey_registration(answer, &state).map_err(|e| {
        tracing::debug!(cause = %e, "a passkey does not fit its challenge");
        invalid_credential()
    })?;
    if count_by_account(&mut *tx, account.org_id, account.id).await? >= MOST {
        return Err(FULL);
    }
    tx.guard_writable(account.org_id);
    let added = q!(
        tx,
        fetch_optional as PasskeyView,
        "INSERT INTO passkey (org_id, id, account_id, credential_id, credential, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING
         RETURNING id, name, created_at, last_used_at",
        account.org_id,
        origin.uuid_v7(),
        account.id,
        made.cred_id().as_slice(),
        serialize_credential(&made)?,
        name,
        origin.now()
    )?;
    added.ok_or(THERE)
}

async fn is_owned_by(tx: &mut Tx, account: &Account, credential_id: &[u8]) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM passkey WHERE org_id = $1 AND account_id = $2 AND credential_id = $3)";
    Ok(q!(tx, fetch_one scalar bool, sql, account.org_id, account.id, credential_id)?)
}

pub async fn rename(tx: &mut Tx, org: OrgId, account: AccountId, id: Uuid, name: &str) -> Result<PasskeyView> {
    tx.guard_writable(org);
    let sql = "UPDATE passkey SET name = $4 WHERE org_id = $1 AND account_id = $2 AND id = $3
         RETURNING id, name, created_at, last_used_at";
    q!(tx, fetch_optional as PasskeyView, sql, org, account, id, name)?.ok_or(Error::NotFound)
}

pub async fn remove_passkey(tx: &mut Tx, org: OrgId, account: AccountId, id: Uuid) -> Result<String> {
    tx.guard_writable(org);
    let sql = "DELETE FROM passkey WHERE org_id = $1 AND account_id = $2 AND id = $3 RETURNING name";
    q!(tx, fetch_optional scalar String, sql, org, account, id)?.ok_or(Error::NotFound)
}

/// Removes all passkeys of an account, made before its address was proven. Returns how many.
pub async fn remove_all(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<u64> {
    tx.guard_writable(org);
    Ok(q!(tx, execute, "DELETE FROM passkey WHERE org_id = $1 AND account_id = $2", org, account)?)
}

/// Starts a sign-in of any account; `holder` is a cookie of the browser.
pub async fn begin_sign_in(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    holder: &str,
) -> Result<PasskeyChallenge> {
    begin_authentication(tx, origin, party, (ChallengePurpose::SignIn, holder)).await
}

/// Starts a re-authentication; `holder` is the session token.
pub async fn begin_reauthentication(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    holder: &str,
) -> Result<PasskeyChallenge> {
    begin_authentication(tx, origin, party, (ChallengePurpose::Prove, holder)).await
}

async fn begin_authentication(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    (purpose, holder): (ChallengePurpose, &str),
) -> Result<PasskeyChallenge> {
    let begun = party.0.start_discoverable_authentication();
    let (asked, state) = begun.map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
    let challenge = challenge::store_challenge(tx, origin, purpose, holder, &state).await?;
    Ok(PasskeyChallenge { challenge, public_key: serialize_options(&asked.public_key)? })
}

/// Whether a passkey of this account answered the challenge with user verification. The challenge is used up either
/// way, so commit in both cases.
pub async fn verify_reauthentication(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    (account, challenge, holder): (AccountId, &str, &str),
    answer: &PublicKeyCredential,
) -> Result<bool> {
    let found =
        verify_answer(tx, origin, party, (ChallengePurpose::Prove, challenge, holder), (answer, Some(account))).await?;
    Ok(found.is_some())
}

/// The account whose passkey answered. The challenge is used up either way, so commit also when none is found.
pub async fn verify_sign_in(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    (challenge, holder): (&str, &str),
    answer: &PublicKeyCredential,
) -> Result<Option<Account>> {
    verify_answer(tx, origin, party, (ChallengePurpose::SignIn, challenge, holder), (answer, None)).await
}

async fn verify_answer(
    tx: &mut Tx,
    origin: &ClockRng,
    party: &RelyingParty,
    (purpose, challenge, holder): (ChallengePurpose, &str, &str),
    (answer, whose): (&PublicKeyCredential, Option<AccountId>),
) -> Result<Option<Account>> {
    let state = challenge::consume_challenge(&mut *tx, origin.now(), purpose, challenge, holder).await?;
    let Some(state) = state else { return Ok(None) };
    let Ok((account, credential_id)) = party.0.identify_discoverable_authentication(answer) else { return Ok(None) };
    if whose.is_some_and(|whose| whose.0 != account) {
        return Ok(None);
    }
    let Some(found) = lock_passkey(&mut *tx, AccountId(account), credential_id).await? else { return Ok(None) };
    let mut credential: Credential = serde_json::from_str(&found.credential)
        .map_err(|e| Error::Internal(format!("a passkey cannot be read: {e}")))?;
    // Checks user verification and the signature counter.
    let result = match party.0.finish_discoverable_authentication_v2(answer, state, &credential) {
        Ok(result) if result.user_verified() => result,
        Ok(_) => return Ok(None),
        Err(e) => {
            tracing::info!(cause = %e, "a passkey was refused");
            return Ok(None);
        }
    };
    credential.update_credential(&result);
    let sql = "UPDATE passkey SET credential = $3, last_used_at = $4 WHERE org_id = $1 AND id = $2";
    q!(&mut *tx, execute, sql, found.org_id, found.id, serialize_credential(&credential)?, origin.now())?;
    let account = super::get(tx, found.org_id, AccountId(account)).await?;
    Ok(Some(account).filter(|account| account.is_active))
}

#[derive(FromRow)]
struct PasskeyRow {
    org_id: OrgId,
    id: Uuid,
    credential: String,
}

/// Locks the row until the transaction ends, so that two answers cannot use one counter value. The credential id is the
/// key, so no business is known yet.
async fn lock_passkey(tx: &mut Tx, account: AccountId, credential_id: &[u8]) -> Result<Option<PasskeyRow>> {
    let sql = "UPDATE passkey SET credential = credential WHERE credential_id = $1 AND account_id = $2
         RETURNING org_id, id, credential";
    Ok(q!(tx, fetch_optional as PasskeyRow, sql, credential_id, account)?)
}

fn serialize_options(asked: &impl Serialize) -> Result<Value> {
    serde_json::to_value(asked).map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))
}

fn serialize_credential(credential: &Credential) -> Result<String> {
    serde_json::to_string(credential).map_err(|e| Error::Internal(format!("a passkey cannot be written: {e}")))
}

fn challenge_expired() -> Error {
    ConflictCode::ChallengeExpired.into_error()
}

fn invalid_credential() -> Error {
    let mut errors = FieldErrors::default();
    errors.add("credential", "This passkey cannot be used here");
    Error::Invalid(errors)
}

/// A token of 256 bits, for the page and the browser's cookie.
#[must_use]
pub fn new_token(origin: &ClockRng) -> String {
    URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>())
}

fn hash_token(token: &str) -> Vec<u8> {
    session::hash_token(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relying_party_requires_https_domain_or_localhost() {
        let can = |url: &str| RelyingParty::from_public_url(&PublicUrl::parse(url).unwrap()).is_ok();
        assert!(can("https://toolbox.example") && can("http://localhost:8080") && can("https://a.example:8443/x"));
        assert!(!can("http://toolbox.example") && !can("https://192.0.2.1") && !can("https://[2001:db8::1]:8443"));
    }
}
