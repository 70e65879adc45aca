//! API keys of a business: named, limited to scopes, and shown once when made. Only a hash is stored; with 256 random
//! bits a plain hash is enough.
//!
//! A key acts as an office member under its own name, and is valid while the owner who made it is an owner.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    domain::tenancy::session::Session,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, insert_row, q},
        error::{Error, FieldErrors, Result},
        field_schemas,
        id::{AccountId, ApiKeyId, OrgId},
        text::single_line,
    },
};

mod scope;

pub use scope::ApiScope;

/// Recognisable prefix for secret scanners and people.
const PREFIX: &str = "tbk_";
/// 32 bytes in base64url after the prefix.
const LENGTH: usize = PREFIX.len() + 43;
const MOST: i64 = 20;
pub const MAX_NAME: usize = 60;
/// Minimum interval of "last used" writes, which cost a write per read.
const USED_STEP: Duration = Duration::minutes(5);

/// A key, as its owner sees it from its second look on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub name: String,
    /// `tbk_…Ab3d`.
    pub hint: String,
    pub scopes: Vec<ApiScope>,
    pub created_at: DateTime<Utc>,
    /// To within five minutes.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Who made it.
    pub made_by: String,
}

/// A key that was just made: this once.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewApiKey {
    /// Goes into the header `Authorization: Bearer …`.
    pub key: String,
    #[serde(flatten)]
    pub made: ApiKey,
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[schema(as = ApiKeyRequest)]
pub struct ApiKeyForm {
    /// The program that will use it.
    #[schema(required, schema_with = field_schemas::required_line::<60>)]
    pub name: Option<String>,
    #[serde(default)]
    #[schema(required, min_items = 1)]
    pub scopes: Vec<ApiScope>,
}

#[derive(Clone, Debug)]
pub struct AuthenticatedApiKey {
    pub id: ApiKeyId,
    /// An office member named like the key.
    pub session: Session,
    pub scopes: Vec<ApiScope>,
    last_used_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct ApiKeyRow {
    id: ApiKeyId,
    name: String,
    hint: String,
    scopes: String,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
    made_by: String,
}

#[derive(FromRow)]
struct AuthenticatedApiKeyRow {
    key_id: ApiKeyId,
    scopes: String,
    last_used_at: Option<DateTime<Utc>>,
    #[sqlx(flatten)]
    session: Session,
}

impl ApiKeyRow {
    fn into_api_key(self) -> ApiKey {
        ApiKey {
            id: self.id,
            name: self.name,
            hint: self.hint,
            scopes: scope::parse_scopes(&self.scopes),
            created_at: self.created_at,
            last_used_at: self.last_used_at,
            made_by: self.made_by,
        }
    }
}

impl AuthenticatedApiKey {
    #[must_use]
    pub fn has_scope(&self, wanted: ApiScope) -> bool {
        self.scopes.iter().any(|scope| scope.allows_scope(wanted))
    }

    #[must_use]
    pub fn is_last_used_stale(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at.is_none_or(|last| now - last >= USED_STEP)
    }
}

fn hash_key(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<ApiKey>> {
    let rows = q!(
        conn,
        fetch_all as ApiKeyRow,
        "SELECT k.id, k.name, k.hint, k.scopes, k.created_at, k.last_used_at, a.name AS made_by
         FROM api_key k JOIN account a ON a.org_id = k.org_id AND a.id = k.account_id
         WHERE k.org_id = $1 AND k.revoked_at IS NULL AND a.is_active = TRUE AND a.role = 'owner' ORDER BY k.name, k.id",
        org
    )?;
    Ok(rows.into_iter().map(ApiKeyRow::into_api_key).collect())
}

/// Makes a key for `owner`, who must be an owner.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::Conflict`] at twenty keys.
pub async fn create(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    owner: (AccountId, &str),
    form: &ApiKeyForm,
) -> Result<NewApiKey> {
    tx.guard_writable(org);
    let mut errors = FieldErrors::default();
    let name = single_line("name", form.name.as_deref(), MAX_NAME)
        .parse_required("Name the program that will use it", &mut errors);
    if form.scopes.is_empty() {
        errors.add("scopes", "Choose what it may do");
    }
    errors.into_result()?;
    let sql = "SELECT COUNT(*) FROM api_key WHERE org_id = $1 AND revoked_at IS NULL";
    if q!(&mut *tx, fetch_one scalar i64, sql, org)? >= MOST {
        return Err(ConflictCode::ApiKeysFull.into_error());
    }
    let key = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<32>()));
    let hint = format!("{PREFIX}…{}", &key[key.len() - 4..]);
    let scopes = scope::format_scopes(&form.scopes);
    let id = ApiKeyId(origin.uuid_v7());
    insert_row!(
        tx,
        execute,
        api_key {
            org_id: org,
            id,
            account_id: owner.0,
            name: &name,
            key_hash: hash_key(&key),
            hint: &hint,
            scopes: &scopes,
            created_at: origin.now(),
        }
    )?;
    let (created_at, made_by) = (origin.now(), owner.1.to_owned());
    let made = ApiKey { id, name, hint, scopes: scope::parse_scopes(&scopes), created_at, last_used_at: None, made_by };
    Ok(NewApiKey { key, made })
}

/// Revokes a key: invalid from the commit on.
///
/// # Errors
/// [`Error::NotFound`] when there is no such key or it was revoked before.
pub async fn revoke(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: ApiKeyId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE api_key SET revoked_at = $3 WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL";
    if q!(tx, execute, sql, org, id, origin.now())? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

pub async fn count_by_account(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM api_key WHERE org_id = $1 AND account_id = $2 AND revoked_at IS NULL";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Revokes all keys of an account after a password reset or loss of the owner role. Returns how many.
pub async fn revoke_by_account(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: AccountId) -> Result<u64> {
    tx.guard_writable(org);
    let sql = "UPDATE api_key SET revoked_at = $3 WHERE org_id = $1 AND account_id = $2 AND revoked_at IS NULL";
    Ok(q!(tx, execute, sql, org, account, origin.now())?)
}

/// The holder of a valid key. The key is the lookup key, so no business is known yet. Malformed keys are not looked up.
pub async fn find_active_key(conn: &mut dyn AsConn, key: &str) -> Result<Option<AuthenticatedApiKey>> {
    if key.len() != LENGTH || !key.starts_with(PREFIX) {
        return Ok(None);
    }
    let row = q!(
        conn,
        fetch_optional as AuthenticatedApiKeyRow,
        "SELECT k.id AS key_id, k.scopes, k.last_used_at, k.created_at AS last_seen_at, a.id AS account_id,
             k.org_id AS org_id, 'office' AS role, k.name AS name, a.email, a.two_factor_enabled, a.language, o.slug
             AS org_slug, o.name AS org_name, o.timezone AS org_timezone, k.created_at AS proved_at,
             FALSE AS is_email_proved
         FROM api_key k JOIN account a ON a.id = k.account_id JOIN org o ON o.id = k.org_id
         WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND a.org_id = k.org_id AND a.is_active = TRUE
             AND a.role = 'owner'",
        hash_key(key)
    )?;
    Ok(row.map(|row| AuthenticatedApiKey {
        id: row.key_id,
        session: row.session,
        scopes: scope::parse_scopes(&row.scopes),
        last_used_at: row.last_used_at,
    }))
}

pub async fn record_use(tx: &mut Tx, now: DateTime<Utc>, bearer: &AuthenticatedApiKey) -> Result<()> {
    let org = bearer.session.org_id;
    q!(tx, execute, "UPDATE api_key SET last_used_at = $3 WHERE org_id = $1 AND id = $2", org, bearer.id, now)?;
    Ok(())
}
