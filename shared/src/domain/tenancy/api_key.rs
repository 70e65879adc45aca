//! Keys with which other programs of a business use the API: named, good for some rooms only, and shown once, when they
//! are made. The table keeps their hash: they hold 256 bits of chance, so nobody guesses one and a plain hash is enough.
//!
//! A key acts as somebody of the office, under its own name, and stands as long as the owner who made it is one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::session::Session,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, FieldErrors, Result},
        id::{AccountId, ApiKeyId, OrgId},
        text::line,
    },
};

mod scope;

pub use scope::Scope;

/// By which a scanner of source code, or a person, knows one.
const PREFIX: &str = "tbk_";
/// 32 bytes in base64url.
const LENGTH: usize = PREFIX.len() + 43;
/// More than a business has programs.
const MOST: i64 = 20;
pub const MAX_NAME: usize = 60;
/// "Last used" is written at most this often: it is a write for a read.
const USED_STEP: Duration = Duration::minutes(5);

/// A key, as its owner sees it from its second look on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub name: String,
    /// `tbk_…Ab3d`.
    pub hint: String,
    pub scopes: Vec<Scope>,
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

/// As a person typed it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ApiKeyForm {
    pub name: Option<String>,
    pub scopes: Vec<Scope>,
}

/// Who stands behind a key that was shown to us.
#[derive(Clone, Debug)]
pub struct Bearer {
    pub id: ApiKeyId,
    /// Somebody of the office, named as the key is.
    pub session: Session,
    pub scopes: Vec<Scope>,
    last_used_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Row {
    id: ApiKeyId,
    name: String,
    hint: String,
    scopes: String,
    created_at: DateTime<Utc>,
    last_used_at: Option<DateTime<Utc>>,
    made_by: String,
}

#[derive(FromRow)]
struct BearerRow {
    key_id: ApiKeyId,
    scopes: String,
    last_used_at: Option<DateTime<Utc>>,
    #[sqlx(flatten)]
    session: Session,
}

impl Row {
    fn view(self) -> ApiKey {
        ApiKey {
            id: self.id,
            name: self.name,
            hint: self.hint,
            scopes: scope::read(&self.scopes),
            created_at: self.created_at,
            last_used_at: self.last_used_at,
            made_by: self.made_by,
        }
    }
}

impl Bearer {
    /// Whether the key opens what asks for `wanted`.
    #[must_use]
    pub fn may(&self, wanted: Scope) -> bool {
        self.scopes.iter().any(|scope| scope.opens(wanted))
    }

    /// Whether [`touch`] is due.
    #[must_use]
    pub fn is_used_stale(&self, now: DateTime<Utc>) -> bool {
        self.last_used_at.is_none_or(|last| now - last >= USED_STEP)
    }
}

fn hash(key: &str) -> Vec<u8> {
    Sha256::digest(key.as_bytes()).to_vec()
}

/// The keys of a business that stand, by name.
pub async fn list(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<ApiKey>> {
    let rows = q!(
        conn,
        fetch_all as Row,
        "SELECT k.id, k.name, k.hint, k.scopes, k.created_at, k.last_used_at, a.name AS made_by
         FROM api_key k JOIN account a ON a.org_id = k.org_id AND a.id = k.account_id
         WHERE k.org_id = $1 AND k.revoked_at IS NULL AND a.is_active = TRUE AND a.role = 'owner' ORDER BY k.name, k.id",
        org
    )?;
    Ok(rows.into_iter().map(Row::view).collect())
}

/// Makes a key for `owner`, who is one.
///
/// # Errors
/// [`Error::Invalid`] on the fields that do not fit, [`Error::Conflict`] when there are twenty already.
pub async fn make(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    owner: (AccountId, &str),
    form: &ApiKeyForm,
) -> Result<NewApiKey> {
    tx.guard_writable(org);
    let mut errors = FieldErrors::default();
    let name = line("name", form.name.as_deref(), MAX_NAME).required("Name the program that will use it", &mut errors);
    if form.scopes.is_empty() {
        errors.add("scopes", "Choose what it may do");
    }
    errors.finish()?;
    let sql = "SELECT COUNT(*) FROM api_key WHERE org_id = $1 AND revoked_at IS NULL";
    if q!(&mut *tx, fetch_one scalar i64, sql, org)? >= MOST {
        return Err(Error::Conflict("There are twenty keys already. Please take one away first."));
    }
    let key = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<32>()));
    let hint = format!("{PREFIX}…{}", &key[key.len() - 4..]);
    let scopes = scope::written(&form.scopes);
    let id = ApiKeyId(origin.uuid());
    q!(
        tx,
        execute,
        "INSERT INTO api_key (org_id, id, account_id, name, key_hash, hint, scopes, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        org,
        id,
        owner.0,
        &name,
        hash(&key),
        &hint,
        &scopes,
        origin.now()
    )?;
    let (created_at, made_by) = (origin.now(), owner.1.to_owned());
    let made = ApiKey { id, name, hint, scopes: scope::read(&scopes), created_at, last_used_at: None, made_by };
    Ok(NewApiKey { key, made })
}

/// Takes a key away: from the commit on it opens nothing.
///
/// # Errors
/// [`Error::NotFound`] when the business has no such key, or it was taken away before.
pub async fn revoke(tx: &mut Tx, origin: &Origin, org: OrgId, id: ApiKeyId) -> Result<()> {
    tx.guard_writable(org);
    let sql = "UPDATE api_key SET revoked_at = $3 WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL";
    if q!(tx, execute, sql, org, id, origin.now())? == 0 { Err(Error::NotFound) } else { Ok(()) }
}

/// How many keys of somebody stand.
pub async fn count_of(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<i64> {
    let sql = "SELECT COUNT(*) FROM api_key WHERE org_id = $1 AND account_id = $2 AND revoked_at IS NULL";
    Ok(q!(conn, fetch_one scalar i64, sql, org, account)?)
}

/// Takes all of somebody's keys away: their password was another's, or they own the business no more. Returns how many
/// there were.
pub async fn revoke_of(tx: &mut Tx, origin: &Origin, org: OrgId, account: AccountId) -> Result<u64> {
    tx.guard_writable(org);
    let sql = "UPDATE api_key SET revoked_at = $3 WHERE org_id = $1 AND account_id = $2 AND revoked_at IS NULL";
    Ok(q!(tx, execute, sql, org, account, origin.now())?)
}

/// Who stands behind a key, if it stands. The key is what is asked by, so this comes before any org is known. What does
/// not look like one of ours is not looked for.
pub async fn find(conn: &mut dyn AsConn, key: &str) -> Result<Option<Bearer>> {
    if key.len() != LENGTH || !key.starts_with(PREFIX) {
        return Ok(None);
    }
    let row = q!(
        conn,
        fetch_optional as BearerRow,
        "SELECT k.id AS key_id, k.scopes, k.last_used_at, k.created_at AS last_seen_at, a.id AS account_id,
             k.org_id AS org_id, 'office' AS role, k.name AS name, a.email, a.two_factor_enabled, o.slug AS org_slug,
             o.name AS org_name, o.timezone AS org_timezone, k.created_at AS proved_at, FALSE AS is_email_proved
         FROM api_key k JOIN account a ON a.id = k.account_id JOIN org o ON o.id = k.org_id
         WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND a.org_id = k.org_id AND a.is_active = TRUE
             AND a.role = 'owner'",
        hash(key)
    )?;
    Ok(row.map(|row| Bearer {
        id: row.key_id,
        session: row.session,
        scopes: scope::read(&row.scopes),
        last_used_at: row.last_used_at,
    }))
}

/// Notes that a key is in use.
pub async fn touch(tx: &mut Tx, now: DateTime<Utc>, bearer: &Bearer) -> Result<()> {
    let org = bearer.session.org_id;
    q!(tx, execute, "UPDATE api_key SET last_used_at = $3 WHERE org_id = $1 AND id = $2", org, bearer.id, now)?;
    Ok(())
}
