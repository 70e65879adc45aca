//! Signed-in devices of a person: the list, and ending one or all others.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{IDLE, SEEN_STEP, hash_token, store_key};
use crate::{
    domain::tenancy::push_device,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
    },
};

/// A signed-in device, as its account sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedInDevice {
    /// Names the session, and opens nothing.
    pub id: Uuid,
    /// What the browser calls itself.
    pub user_agent: Option<String>,
    /// From where it signed in.
    pub ip: Option<String>,
    pub signed_in_at: DateTime<Utc>,
    /// To the hour.
    pub last_seen_at: DateTime<Utc>,
    /// The latest time at which it can show data without a connection, by the lease that is set now. None: it can only
    /// while its app stays open.
    pub offline_until: Option<DateTime<Utc>>,
    /// Whether it is the one that asks.
    pub is_this: bool,
}

#[derive(FromRow)]
struct SessionDeviceRow {
    token_hash: Vec<u8>,
    created_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
    ip: Option<String>,
    user_agent: Option<String>,
}

/// The first half of the token hash: identifies the session without revealing the token.
fn public_session_id(token_hash: &[u8]) -> Uuid {
    let half = token_hash.first_chunk::<16>();
    half.map_or_else(Uuid::nil, |half| Uuid::from_bytes(*half))
}

async fn list_session_rows(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    org: OrgId,
    account: AccountId,
) -> Result<Vec<SessionDeviceRow>> {
    let sql = "SELECT token_hash, created_at, last_seen_at, ip, user_agent FROM session
         WHERE org_id = $1 AND account_id = $2 AND expires_at > $3 AND last_seen_at > $4
         ORDER BY last_seen_at DESC, created_at DESC, token_hash";
    Ok(q!(conn, fetch_all as SessionDeviceRow, sql, org, account, now, now - IDLE)?)
}

/// Signed-in devices: the asking one first, then the latest.
pub async fn list(
    conn: &mut dyn AsConn,
    now: DateTime<Utc>,
    org: OrgId,
    account: AccountId,
    token: &str,
) -> Result<Vec<SignedInDevice>> {
    let this = hash_token(token);
    let lease = store_key::load_lease(&mut *conn, org).await?;
    let mut devices: Vec<SignedInDevice> = list_session_rows(conn, now, org, account)
        .await?
        .into_iter()
        .map(|row| SignedInDevice {
            id: public_session_id(&row.token_hash),
            is_this: row.token_hash == this,
            user_agent: row.user_agent,
            ip: row.ip,
            signed_in_at: row.created_at,
            last_seen_at: row.last_seen_at,
            // Its last contact was less than a step later.
            offline_until: (!lease.is_zero()).then(|| row.last_seen_at + SEEN_STEP + lease),
        })
        .collect();
    devices.sort_by_key(|device| !device.is_this);
    Ok(devices)
}

/// # Errors
/// [`Error::NotFound`] when they have no such device.
pub async fn revoke_device(tx: &mut Tx, origin: &ClockRng, org: OrgId, account: AccountId, id: Uuid) -> Result<()> {
    let sessions = list_session_rows(&mut *tx, origin.now(), org, account).await?;
    let row = sessions.into_iter().find(|row| public_session_id(&row.token_hash) == id).ok_or(Error::NotFound)?;
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash = $3";
    q!(&mut *tx, execute, sql, org, account, row.token_hash.as_slice())?;
    push_device::delete_session_device(&mut *tx, &row.token_hash).await?;
    announce_sign_out(tx, origin, org).await
}

/// Signs out all other devices and stops their alerts (trust requirement 55). Returns how many.
pub async fn revoke_other_sessions(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    account: AccountId,
    token: &str,
) -> Result<u64> {
    let this = hash_token(token);
    let sql = "DELETE FROM session WHERE org_id = $1 AND account_id = $2 AND token_hash <> $3";
    let ended = q!(&mut *tx, execute, sql, org, account, this.as_slice())?;
    push_device::delete_other_devices(&mut *tx, org, account, &this).await?;
    announce_sign_out(tx, origin, org).await?;
    Ok(ended)
}

/// Notifies open pages: they reload the current user, and signed-out ones close.
async fn announce_sign_out(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}
