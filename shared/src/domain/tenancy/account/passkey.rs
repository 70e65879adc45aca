//! Passkeys: what an authenticator (a phone, a laptop, a security key) signs in with in place of a password. Each proves
//! that its holder has the device and that the device knows them, so a passkey counts as both factors.
//!
//! A challenge is kept here and not in the browser, is good once, and only for the browser that it was made for.

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
    domain::tenancy::{org, session},
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, OrgId},
        public_url::PublicUrl,
    },
};

pub mod challenge;

use challenge::Purpose;

/// Passkeys of one account: more is a mistake.
const MOST: i64 = 20;

/// This install, as authenticators know it.
#[derive(Debug)]
pub struct RelyingParty(Webauthn);

impl RelyingParty {
    /// # Errors
    /// [`Error::Conflict`] where browsers have no passkeys: the address is an IP address, or has no https.
    pub fn of(public_url: &PublicUrl) -> Result<Self> {
        const NOT_HERE: Error =
            Error::Conflict("Passkeys need an https address with a name. Sign in with your password.");
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
#[schema(as = PasskeyChallenge)]
pub struct Begun {
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
pub struct View {
    pub id: Uuid,
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Somebody's passkeys, the oldest first.
pub async fn list(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<Vec<View>> {
    let sql = "SELECT id, name, created_at, last_used_at FROM passkey WHERE org_id = $1 AND account_id = $2
         ORDER BY created_at, id";
    Ok(q!(conn, fetch_all as View, sql, org, account)?)
}

pub async fn count(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM passkey WHERE org_id = $1 AND account_id = $2";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Begins to add one; `holder` is the session's token.
pub async fn begin_adding(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    account: &Account,
    holder: &str,
) -> Result<Begun> {
    let sql = "SELECT credential_id FROM passkey WHERE org_id = $1 AND account_id = $2";
    let there = q!(&mut *tx, fetch_all scalar Vec<u8>, sql, account.org_id, account.id)?;
    let begun = party.0.start_passkey_registration(account.id.0, &account.email, &account.name, Some(there));
    let (asked, state) = begun.map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
    let challenge = challenge::keep(tx, origin, Purpose::Add, holder, &state).await?;
    let mut public_key = public_key(&asked)?;
    // It has to be found without an address being typed.
    if let Some(selection) = public_key.get_mut("authenticatorSelection") {
        selection["residentKey"] = json!("required");
        selection["requireResidentKey"] = json!(true);
    }
    Ok(Begun { challenge, public_key })
}

/// Adds the one that the browser made for a challenge.
///
/// # Errors
/// [`Error::Conflict`] when the challenge is over, the passkey is there already, or there are too many;
/// [`Error::Invalid`] on `credential` when it does not fit the challenge.
pub async fn add(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    account: &Account,
    (challenge, holder): (&str, &str),
    (answer, name): (&RegisterPublicKeyCredential, &str),
) -> Result<View> {
    const THERE: Error = Error::Conflict("This passkey is registered already.");
    const FULL: Error = Error::Conflict("You have twenty passkeys. Remove one first.");
    org::lock(&mut *tx, account.org_id).await?;
    let state = challenge::take(&mut *tx, origin.now(), Purpose::Add, challenge, holder).await?.ok_or_else(too_late)?;
    // The library refuses it too, with an error that it also has for other faults.
    if is_of(&mut *tx, account, &answer.raw_id).await? {
        return Err(THERE);
    }
    let made = party.0.finish_passkey_registration(answer, &state).map_err(|e| {
        tracing::debug!(cause = %e, "a passkey does not fit its challenge");
        unfit()
    })?;
    if count(&mut *tx, account.org_id, account.id).await? >= MOST {
        return Err(FULL);
    }
    tx.guard_writable(account.org_id);
    let added = q!(
        tx,
        fetch_optional as View,
        "INSERT INTO passkey (org_id, id, account_id, credential_id, credential, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential_id) DO NOTHING
         RETURNING id, name, created_at, last_used_at",
        account.org_id,
        origin.uuid(),
        account.id,
        made.cred_id().as_slice(),
        stored(&made)?,
        name,
        origin.now()
    )?;
    added.ok_or(THERE)
}

/// Whether a credential is one of the account's own.
async fn is_of(tx: &mut Tx, account: &Account, credential_id: &[u8]) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM passkey WHERE org_id = $1 AND account_id = $2 AND credential_id = $3)";
    Ok(q!(tx, fetch_one scalar bool, sql, account.org_id, account.id, credential_id)?)
}

/// Gives one another name.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn rename(tx: &mut Tx, org: OrgId, account: AccountId, id: Uuid, name: &str) -> Result<View> {
    tx.guard_writable(org);
    let sql = "UPDATE passkey SET name = $4 WHERE org_id = $1 AND account_id = $2 AND id = $3
         RETURNING id, name, created_at, last_used_at";
    q!(tx, fetch_optional as View, sql, org, account, id, name)?.ok_or(Error::NotFound)
}

/// Removes one. Returns its name.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn remove(tx: &mut Tx, org: OrgId, account: AccountId, id: Uuid) -> Result<String> {
    tx.guard_writable(org);
    let sql = "DELETE FROM passkey WHERE org_id = $1 AND account_id = $2 AND id = $3 RETURNING name";
    q!(tx, fetch_optional scalar String, sql, org, account, id)?.ok_or(Error::NotFound)
}

/// Removes all of somebody's: whoever proved the address of an account ends everything that was made before. Returns how
/// many there were.
pub async fn remove_all(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<u64> {
    tx.guard_writable(org);
    Ok(q!(tx, execute, "DELETE FROM passkey WHERE org_id = $1 AND account_id = $2", org, account)?)
}

/// Begins a sign-in of whoever it will be; `holder` is a cookie of the browser.
pub async fn begin_sign_in(tx: &mut Tx, origin: &Origin, party: &RelyingParty, holder: &str) -> Result<Begun> {
    begin(tx, origin, party, (Purpose::SignIn, holder)).await
}

/// Begins a proof of whoever is signed in; `holder` is the session's token.
pub async fn begin_proof(tx: &mut Tx, origin: &Origin, party: &RelyingParty, holder: &str) -> Result<Begun> {
    begin(tx, origin, party, (Purpose::Prove, holder)).await
}

async fn begin(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    (purpose, holder): (Purpose, &str),
) -> Result<Begun> {
    let begun = party.0.start_discoverable_authentication();
    let (asked, state) = begun.map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
    let challenge = challenge::keep(tx, origin, purpose, holder, &state).await?;
    Ok(Begun { challenge, public_key: public_key(&asked)? })
}

/// Whether a passkey of this account answered the challenge of a proof, with its user verified. The challenge is used up
/// either way: commit this also when it is not.
///
/// # Errors
/// 503 when the database is away.
pub async fn proves(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    (account, challenge, holder): (AccountId, &str, &str),
    answer: &PublicKeyCredential,
) -> Result<bool> {
    let found = answered(tx, origin, party, (Purpose::Prove, challenge, holder), (answer, Some(account))).await?;
    Ok(found.is_some())
}

/// Whose passkey answered a challenge. The challenge is used up either way: commit this also when nobody is found.
///
/// # Errors
/// 503 when the database is away.
pub async fn signs_in(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    (challenge, holder): (&str, &str),
    answer: &PublicKeyCredential,
) -> Result<Option<Account>> {
    answered(tx, origin, party, (Purpose::SignIn, challenge, holder), (answer, None)).await
}

/// Whose passkey answered a challenge of this purpose; where `whose` is given, only theirs counts.
async fn answered(
    tx: &mut Tx,
    origin: &Origin,
    party: &RelyingParty,
    (purpose, challenge, holder): (Purpose, &str, &str),
    (answer, whose): (&PublicKeyCredential, Option<AccountId>),
) -> Result<Option<Account>> {
    let state = challenge::take(&mut *tx, origin.now(), purpose, challenge, holder).await?;
    let Some(state) = state else { return Ok(None) };
    let Ok((account, credential_id)) = party.0.identify_discoverable_authentication(answer) else { return Ok(None) };
    if whose.is_some_and(|whose| whose.0 != account) {
        return Ok(None);
    }
    let Some(found) = find(&mut *tx, AccountId(account), credential_id).await? else { return Ok(None) };
    let mut credential: Credential = serde_json::from_str(&found.credential)
        .map_err(|e| Error::Internal(format!("a passkey cannot be read: {e}")))?;
    // Whether its user was verified, and whether its counter went on, is looked at here.
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
    q!(&mut *tx, execute, sql, found.org_id, found.id, stored(&credential)?, origin.now())?;
    let account = super::get(tx, found.org_id, AccountId(account)).await?;
    Ok(Some(account).filter(|account| account.is_active))
}

#[derive(FromRow)]
struct Row {
    org_id: OrgId,
    id: Uuid,
    credential: String,
}

/// Held until the transaction ends, so that two answers of one authenticator cannot pass with one counter. The
/// credential's id is the key, so this is asked before any org is known.
async fn find(tx: &mut Tx, account: AccountId, credential_id: &[u8]) -> Result<Option<Row>> {
    let sql = "UPDATE passkey SET credential = credential WHERE credential_id = $1 AND account_id = $2
         RETURNING org_id, id, credential";
    Ok(q!(tx, fetch_optional as Row, sql, credential_id, account)?)
}

fn public_key(asked: &impl Serialize) -> Result<Value> {
    let mut whole = serde_json::to_value(asked).map_err(|e| Error::Internal(format!("a passkey's challenge: {e}")))?;
    Ok(whole.get_mut("publicKey").map(Value::take).unwrap_or_default())
}

fn stored(credential: &Credential) -> Result<String> {
    serde_json::to_string(credential).map_err(|e| Error::Internal(format!("a passkey cannot be written: {e}")))
}

fn too_late() -> Error {
    Error::Conflict("This took too long. Please start again.")
}

fn unfit() -> Error {
    let mut errors = FieldErrors::default();
    errors.add("credential", "This passkey cannot be used here");
    Error::Invalid(errors)
}

/// A token of 256 bits, for the page and for the browser's cookie.
#[must_use]
pub fn token(origin: &Origin) -> String {
    URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>())
}

/// How a token is kept.
fn hash(token: &str) -> Vec<u8> {
    session::hash(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relying_party_only_where_browsers_have_passkeys() {
        let can = |url: &str| RelyingParty::of(&PublicUrl::parse(url).unwrap()).is_ok();
        assert!(can("https://toolbox.example") && can("http://localhost:8080") && can("https://a.example:8443/x"));
        assert!(!can("http://toolbox.example") && !can("https://192.0.2.1") && !can("https://[2001:db8::1]:8443"));
    }
}
