//! The devices a person is signed in on: which there are, and ending them one by one or all but one.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{IDLE, hash};
use crate::{
    domain::tenancy::push_device,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
    },
};

/// A device that somebody is signed in on, as they see it themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SignedInDevice)]
pub struct Device {
    /// Names the session, and opens nothing.
    pub id: Uuid,
    /// What the browser calls itself.
    pub user_agent: Option<String>,
    /// From where it signed in.
    pub ip: Option<String>,
    pub signed_in_at: DateTime<Utc>,
    /// To the hour.
    pub last_seen_at: DateTime<Utc>,
    /// Whether it is the one that asks.
    pub is_this: bool,
}

#[derive(FromRow)]
struct Row {
    token_hash: Vec<u8>,
    created_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
    ip: Option<String>,
    user_agent: Option<String>,
}

/// The first half of what the session is kept under: its owner can name it by that, and nobody finds the token by it.
fn name(token_hash: &[u8]) -> Uuid {
    let half = token_hash.first_chunk::<16>();
    half.map_or_else(Uuid::nil, |half| Uuid::from_bytes(*half))
}

async fn rows(conn: &mut dyn AsConn, now: DateTime<Utc>, org: OrgId, account: AccountId) -> Result<Vec<Row>> {
    let sql = "SELECT token_hash, created_at, last_seen_at, ip, user_agent FROM session
         WHERE org_id = $1 AND account_id = $2 AND expires_at > $3 AND last_seen_at > $4
         ORDER BY last_seen_at DESC, created_at DESC, token_hash";
    Ok(q!(conn, fetch_all as Row, sql, org, account, now, now - IDLE)?)
}

/// Where somebody is signed in: the device that asks first, then the latest.
pub async fn list(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    org: OrgId,
    account: AccountId,
    token: &str,
) -> Result<Vec<Device>> {
    let this = hash(token);
    let mut devices: Vec<Device> = rows(conn, now, org, account)
        .await?
        .into_iter()
        .map(|row| Device {
            id: name(&row.token_hash),
            is_this: row.token_hash == this,
            user_agent: row.user_agent,
            ip: row.ip,
            signed_in_at: row.created_at,
            last_seen_at: row.last_seen_at,
        })
        .collect();
    devices.sort_by_key(|device| !device.is_this);
    Ok(devices)
}

/// Signs one of somebody's devices out.
///
/// # Errors
/// [`Error::NotFound`] when they are signed in on no such device.
pub async fn end_device(tx: &mut Tx, origin: &Origin, org: OrgId, account: AccountId, id: Uuid) -> Result<()> {
    let known = rows(&mut *tx, origin.now(), org, account).await?;
    let row = known.into_iter().find(|row| name(&row.token_hash) == id).ok_or(Error::NotFound)?;
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash = $3";
    q!(&mut *tx, execute, sql, org, account, row.token_hash.as_slice())?;
    push_device::end_session(&mut *tx, &row.token_hash).await?;
    look_again(tx, origin, org).await
}

/// Signs somebody out everywhere but here, and alerts their other devices no more (trust requirement 55). Returns how many
/// there were.
pub async fn end_others(tx: &mut Tx, origin: &Origin, org: OrgId, account: AccountId, token: &str) -> Result<u64> {
    let this = hash(token);
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    let ended = q!(&mut *tx, execute, sql, org, account, this.as_slice())?;
    push_device::end_others(&mut *tx, org, account, &this).await?;
    look_again(tx, origin, org).await?;
    Ok(ended)
}

/// Open pages look at who they are again, and those that were signed out are closed.
async fn look_again(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}
