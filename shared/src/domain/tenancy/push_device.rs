//! Push devices: subscribed browsers by person, and whether alerts reach them.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    conflicts::ConflictCode,
    domain::tenancy::session,
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, insert_row, q},
        error::{Error, Result},
        field_schemas,
        id::{AccountId, AlertId, DeviceId, OrgId},
        live::{self, Topic},
        tasks::{self, NewTask},
        text,
    },
    providers::{
        AcceptedMessage, RefusalReason, SendError,
        push::{PushServices, PushSubscription, is_subscription_gone},
    },
};

/// Devices per person (trust requirement 79).
const MOST: i64 = 20;
/// A dead device stays listed this long, so that alerts can be turned on again.
const KEEP_DEAD: Duration = Duration::days(90);
const LABEL_CHARS: usize = 80;
const SESSION_OVER: &str = "the session there has ended: sign in again on it";

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = PushDeviceRequest)]
pub struct NewPushDevice {
    /// An https address of a browser's push service.
    #[schema(max_length = 2048)]
    pub endpoint: String,
    pub keys: PushKeys,
    #[schema(schema_with = field_schemas::nullable_line::<80>)]
    pub label: Option<String>,
}

/// The keys an alert is sealed with.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushKeys {
    /// A point of P-256, in base64url.
    #[schema(max_length = 128)]
    pub p256dh: String,
    /// 16 bytes, in base64url.
    #[schema(max_length = 128)]
    pub auth: String,
}

/// A device as the people of the business see it.
#[derive(Clone, Debug, FromRow, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PushDevice)]
pub struct DeviceView {
    pub id: DeviceId,
    /// Whose, and what kind of device: "Chrome on Android".
    pub label: String,
    pub created_at: DateTime<Utc>,
    /// When an alert last reached its push service.
    pub last_sent_at: Option<DateTime<Utc>>,
    /// When the device last reported a shown test.
    pub seen_at: Option<DateTime<Utc>>,
    /// Since when it gets nothing any more.
    pub dead_at: Option<DateTime<Utc>>,
    /// What went wrong last.
    pub fault: Option<String>,
    /// Whether it belongs to the person who asks.
    pub is_this_account: bool,
}

#[derive(Clone, Debug, FromRow)]
pub struct PushDeviceTarget {
    pub org_id: OrgId,
    pub id: DeviceId,
    endpoint: String,
    p256dh: String,
    auth: String,
}

impl PushDeviceTarget {
    #[must_use]
    pub fn subscription(&self) -> PushSubscription {
        PushSubscription { endpoint: self.endpoint.clone(), p256dh: self.p256dh.clone(), auth: self.auth.clone() }
    }
}

/// Stores or updates a device: one browser is one device, of the person signed in now.
///
/// # Errors
/// [`Error::Invalid`] for a forbidden endpoint, [`Error::Conflict`] at the device limit.
pub async fn register_device(
    tx: &mut Tx,
    origin: &ClockRng,
    services: &PushServices,
    (org, account, token): (OrgId, AccountId, &str),
    new: &NewPushDevice,
) -> Result<DeviceView> {
    let found = PushSubscription::from_parts(&new.endpoint, &new.keys.p256dh, &new.keys.auth, services);
    let device = found.map_err(Error::Invalid)?;
    let label = text::single_line("label", new.label.as_deref(), LABEL_CHARS);
    let mut errors = crate::platform::error::FieldErrors::default();
    let label = label.parse_optional(&mut errors);
    errors.into_result()?;
    // Removes the device of a person previously signed in on this browser.
    let sql = "DELETE FROM push_device WHERE endpoint = $1 AND (org_id <> $2 OR account_id <> $3)";
    q!(&mut *tx, execute, sql, &device.endpoint, org, account)?;
    let id = insert_row!(&mut *tx, fetch_one scalar DeviceId, push_device {
        org_id: org,
        id: DeviceId(origin.uuid_v7()),
        account_id: account,
        session_hash: session::hash_token(token),
        label: label.unwrap_or_else(|| device.service_host()),
        endpoint: &device.endpoint,
        p256dh: &device.p256dh,
        auth: &device.auth,
        created_at: origin.now(),
    }, "ON CONFLICT (endpoint) DO UPDATE SET session_hash = excluded.session_hash, label = excluded.label,
         p256dh = excluded.p256dh, auth = excluded.auth, dead_at = NULL, fault = NULL RETURNING id")?;
    enforce_device_limit(&mut *tx, org, account).await?;
    announce_change(&mut *tx, origin, org).await?;
    get(tx, org, account, id).await
}

/// Deletes dead devices first, and refuses the rest.
async fn enforce_device_limit(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    let count = "SELECT COUNT(*) FROM push_device WHERE org_id = $1 AND account_id = $2";
    if q!(&mut *tx, fetch_one scalar i64, count, org, account)? <= MOST {
        return Ok(());
    }
    let dead = "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2 AND dead_at IS NOT NULL";
    q!(&mut *tx, execute, dead, org, account)?;
    if q!(tx, fetch_one scalar i64, count, org, account)? > MOST {
        return Err(ConflictCode::DevicesFull.into_error());
    }
    Ok(())
}

pub async fn list(conn: &mut dyn AsConn, org: OrgId, account: AccountId) -> Result<Vec<DeviceView>> {
    Ok(crate::platform::db::qb!(conn, fetch_all as DeviceView, |b| {
        b.push("SELECT d.id, CASE WHEN d.account_id = ").push_bind(account);
        b.push(" THEN d.label ELSE a.name || ': ' || d.label END AS label, d.created_at, d.last_sent_at, d.seen_at,");
        b.push(" d.dead_at, d.fault, d.account_id = ").push_bind(account).push(" AS is_this_account");
        b.push(" FROM push_device d JOIN account a ON a.org_id = d.org_id AND a.id = d.account_id WHERE d.org_id = ")
            .push_bind(org);
        b.push(" ORDER BY d.created_at, d.id");
    })?)
}

pub async fn get(conn: &mut dyn AsConn, org: OrgId, account: AccountId, id: DeviceId) -> Result<DeviceView> {
    list(conn, org, account).await?.into_iter().find(|device| device.id == id).ok_or(Error::NotFound)
}

pub async fn remove_device(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: DeviceId) -> Result<()> {
    let removed = q!(&mut *tx, execute, "DELETE FROM push_device WHERE org_id = $1 AND id = $2", org, id)?;
    if removed == 0 {
        return Err(Error::NotFound);
    }
    announce_change(tx, origin, org).await
}

/// Requests a test alert. Returns the test's id.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when the device is dead.
pub async fn enqueue_test_push(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    account: AccountId,
    id: DeviceId,
) -> Result<Uuid> {
    if get(&mut *tx, org, account, id).await?.dead_at.is_some() {
        return Err(ConflictCode::DeviceUnreachable.into_error());
    }
    let test = origin.uuid_v7();
    let task = NewTask {
        org: Some(org),
        kind: tasks::TaskKind::TestDevice,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("test_device:{test}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    Ok(test)
}

/// Confirmation by the device that it showed a test.
pub async fn record_test_seen(tx: &mut Tx, origin: &ClockRng, org: OrgId, id: DeviceId) -> Result<()> {
    let sql = "UPDATE push_device SET seen_at = $3, fault = NULL WHERE org_id = $1 AND id = $2 AND dead_at IS NULL";
    if q!(&mut *tx, execute, sql, org, id, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    announce_change(tx, origin, org).await
}

pub async fn find_active_device(conn: &mut dyn AsConn, id: DeviceId) -> Result<Option<PushDeviceTarget>> {
    let sql = "SELECT org_id, id, endpoint, p256dh, auth FROM push_device WHERE id = $1 AND dead_at IS NULL";
    Ok(q!(conn, fetch_optional as PushDeviceTarget, sql, id)?)
}

pub(crate) async fn has_active_device(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM push_device WHERE org_id = $1 AND dead_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// Dead devices of owner and office with the time of death, except those that the same person has replaced.
pub(crate) async fn list_dead_devices(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<(String, DateTime<Utc>)>> {
    Ok(q!(
        conn,
        fetch_all as (String, DateTime<Utc>),
        "SELECT a.name || ': ' || d.label, d.dead_at FROM push_device d JOIN account a ON a.id = d.account_id
         WHERE d.org_id = $1 AND d.dead_at IS NOT NULL AND a.org_id = d.org_id AND a.is_active = TRUE
             AND a.role IN ('owner', 'office')
             AND NOT EXISTS (SELECT 1 FROM push_device n WHERE n.org_id = d.org_id AND n.account_id = d.account_id
                 AND n.label = d.label AND n.dead_at IS NULL)
         ORDER BY d.dead_at, d.id",
        org
    )?)
}

/// Devices without this alert yet: of owner and office, or of its one addressee.
pub(crate) async fn list_undelivered_devices(
    conn: &mut dyn AsConn,
    org: OrgId,
    alert: AlertId,
) -> Result<Vec<PushDeviceTarget>> {
    Ok(q!(
        conn,
        fetch_all as PushDeviceTarget,
        "SELECT d.org_id, d.id, d.endpoint, d.p256dh, d.auth FROM push_device d JOIN account a ON a.id = d.account_id
         WHERE d.org_id = $1 AND d.dead_at IS NULL AND a.org_id = d.org_id AND a.is_active = TRUE
             AND EXISTS (SELECT 1 FROM alert w WHERE w.org_id = d.org_id AND w.id = $2 AND (w.account_id = a.id
                 OR (w.account_id IS NULL AND a.role IN ('owner', 'office'))))
             AND NOT EXISTS (SELECT 1 FROM alert_push p WHERE p.org_id = d.org_id AND p.alert_id = $2 AND p.device_id = d.id)
         ORDER BY d.id",
        org,
        alert
    )?)
}

/// Records a delivery attempt. An ended subscription or a wrong key makes the device dead, since retries cannot
/// succeed. True when a retry makes sense.
pub async fn record_delivery_result(
    tx: &mut Tx,
    origin: &ClockRng,
    device: &PushDeviceTarget,
    outcome: &std::result::Result<AcceptedMessage, SendError>,
) -> Result<bool> {
    let now = origin.now();
    let (reached, dead, fault, again) = match outcome {
        Ok(_) => (Some(now), None, None, false),
        Err(e) => {
            let is_dead = is_subscription_gone(e) || matches!(e, SendError::Refused { kind: RefusalReason::SetUp, .. });
            let is_lost = matches!(e, SendError::Refused { .. } | SendError::NotSetUp { .. });
            (None, is_dead.then_some(now), Some(e.reason()), !is_lost)
        }
    };
    q!(
        &mut *tx,
        execute,
        "UPDATE push_device SET last_sent_at = COALESCE($3, last_sent_at), dead_at = COALESCE(dead_at, $4), fault = $5
         WHERE org_id = $1 AND id = $2 AND endpoint = $6",
        device.org_id,
        device.id,
        reached,
        dead,
        fault,
        &device.endpoint
    )?;
    announce_change(tx, origin, device.org_id).await?;
    Ok(again)
}

/// Deletes the device of an ended session: another person may use it.
pub async fn delete_session_device(tx: &mut Tx, session_hash: &[u8]) -> Result<()> {
    q!(tx, execute, "DELETE FROM push_device WHERE session_hash = $1", session_hash)?;
    Ok(())
}

pub async fn delete_other_devices(tx: &mut Tx, org: OrgId, account: AccountId, session_hash: &[u8]) -> Result<()> {
    let sql = "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2
         AND (session_hash IS NULL OR session_hash <> $3)";
    q!(tx, execute, sql, org, account, session_hash)?;
    Ok(())
}

pub async fn delete_account_devices(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

/// Marks devices of expired sessions as dead, so that it is visible, and deletes those dead for long.
pub async fn prune_expired_devices(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(
        &mut tx,
        execute,
        "UPDATE push_device SET dead_at = $1, fault = $2 WHERE dead_at IS NULL AND session_hash IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM session s WHERE s.token_hash = push_device.session_hash)",
        now,
        SESSION_OVER
    )?;
    q!(&mut tx, execute, "DELETE FROM push_device WHERE dead_at < $1", now - KEEP_DEAD)?;
    tx.commit().await
}

async fn announce_change(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}

/// The device of a session that got another token.
pub(crate) async fn move_to_session(tx: &mut Tx, before: &[u8], now: &[u8]) -> Result<()> {
    q!(tx, execute, "UPDATE push_device SET session_hash = $2 WHERE session_hash = $1", before, now)?;
    Ok(())
}
