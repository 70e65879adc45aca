//! The browsers that agreed to be told: which device of whom, and whether alerts still reach it.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    domain::tenancy::session,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::{Error, Result},
        id::{AccountId, AlertId, DeviceId, OrgId},
        live::{self, Topic},
        tasks::{self, NewTask},
        text,
    },
    providers::{
        Accepted, Refusal, SendError,
        push::{Services, Subscription, is_gone},
    },
};

/// One person has this many devices at most (trust requirement 79).
const MOST: i64 = 20;
/// A dead device is shown, so that somebody can turn alerts on again, and then forgotten.
const KEEP_DEAD: Duration = Duration::days(90);
const LABEL_CHARS: usize = 80;
const SESSION_OVER: &str = "the session there has ended: sign in again on it";

/// What a browser says of itself.
#[derive(Clone, Debug, Deserialize)]
pub struct NewDevice {
    pub endpoint: String,
    pub keys: Keys,
    pub label: Option<String>,
}

/// The keys an alert is sealed with.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[schema(as = PushKeys)]
pub struct Keys {
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
    /// When it last said that it showed a test.
    pub seen_at: Option<DateTime<Utc>>,
    /// Since when it gets nothing any more.
    pub dead_at: Option<DateTime<Utc>>,
    /// What went wrong last.
    pub fault: Option<String>,
    /// Whether it belongs to the person who asks.
    pub is_this_account: bool,
}

/// A device to send to.
#[derive(Clone, Debug, FromRow)]
pub struct Device {
    pub org_id: OrgId,
    pub id: DeviceId,
    endpoint: String,
    p256dh: String,
    auth: String,
}

impl Device {
    /// Where to send, and sealed for whom.
    #[must_use]
    pub fn subscription(&self) -> Subscription {
        Subscription { endpoint: self.endpoint.clone(), p256dh: self.p256dh.clone(), auth: self.auth.clone() }
    }
}

/// Stores a device, or brings it up to date: the same browser is one device, of the person who is signed in on it now.
///
/// # Errors
/// [`Error::Invalid`] when it is none that may be sent to, [`Error::Conflict`] when the person has too many.
pub async fn add(
    tx: &mut Tx,
    origin: &Origin,
    services: &Services,
    (org, account, token): (OrgId, AccountId, &str),
    new: &NewDevice,
) -> Result<DeviceView> {
    let found = Subscription::check(&new.endpoint, &new.keys.p256dh, &new.keys.auth, services);
    let device = found.map_err(Error::Invalid)?;
    let label = text::line("label", new.label.as_deref(), LABEL_CHARS);
    let mut errors = crate::platform::error::FieldErrors::default();
    let label = label.optional(&mut errors);
    errors.finish()?;
    // Somebody else was signed in on it before.
    let sql = "DELETE FROM push_device WHERE endpoint = $1 AND (org_id <> $2 OR account_id <> $3)";
    q!(&mut *tx, execute, sql, &device.endpoint, org, account)?;
    let id = q!(
        &mut *tx,
        fetch_one scalar DeviceId,
        "INSERT INTO push_device (org_id, id, account_id, session_hash, label, endpoint, p256dh, auth, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (endpoint) DO UPDATE SET session_hash = excluded.session_hash, label = excluded.label,
             p256dh = excluded.p256dh, auth = excluded.auth, dead_at = NULL, fault = NULL
         RETURNING id",
        org,
        DeviceId(origin.uuid()),
        account,
        session::hash(token),
        label.unwrap_or_else(|| device.service()),
        &device.endpoint,
        &device.p256dh,
        &device.auth,
        origin.now()
    )?;
    keep_to_the_limit(&mut *tx, org, account).await?;
    announce(&mut *tx, origin, org).await?;
    get(tx, org, account, id).await
}

/// Dead ones make room; what is then too many is refused.
async fn keep_to_the_limit(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    let count = "SELECT COUNT(*) FROM push_device WHERE org_id = $1 AND account_id = $2";
    if q!(&mut *tx, fetch_one scalar i64, count, org, account)? <= MOST {
        return Ok(());
    }
    let dead = "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2 AND dead_at IS NOT NULL";
    q!(&mut *tx, execute, dead, org, account)?;
    if q!(tx, fetch_one scalar i64, count, org, account)? > MOST {
        return Err(Error::Conflict("You already have 20 devices with alerts. Please remove one first."));
    }
    Ok(())
}

/// Every device of the business; `account` is who asks.
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

/// One device of the business.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn get(conn: &mut dyn AsConn, org: OrgId, account: AccountId, id: DeviceId) -> Result<DeviceView> {
    list(conn, org, account).await?.into_iter().find(|device| device.id == id).ok_or(Error::NotFound)
}

/// Forgets a device.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn remove(tx: &mut Tx, origin: &Origin, org: OrgId, id: DeviceId) -> Result<()> {
    let removed = q!(&mut *tx, execute, "DELETE FROM push_device WHERE org_id = $1 AND id = $2", org, id)?;
    if removed == 0 {
        return Err(Error::NotFound);
    }
    announce(tx, origin, org).await
}

/// Asks for a test alert on a device. Returns the test's own id.
///
/// # Errors
/// [`Error::NotFound`], or [`Error::Conflict`] when it gets nothing any more.
pub async fn test(tx: &mut Tx, origin: &Origin, org: OrgId, account: AccountId, id: DeviceId) -> Result<Uuid> {
    if get(&mut *tx, org, account, id).await?.dead_at.is_some() {
        return Err(Error::Conflict("This device gets nothing any more. Turn alerts on again on it."));
    }
    let test = origin.uuid();
    let task = NewTask {
        org: Some(org),
        kind: tasks::Kind::TestDevice,
        subject: Some(id.0),
        run_at: origin.now(),
        unique_key: format!("test_device:{test}"),
    };
    tasks::enqueue(tx, origin, vec![task]).await?;
    Ok(test)
}

/// The device itself says that it showed a test.
///
/// # Errors
/// [`Error::NotFound`].
pub async fn seen(tx: &mut Tx, origin: &Origin, org: OrgId, id: DeviceId) -> Result<()> {
    let sql = "UPDATE push_device SET seen_at = $3, fault = NULL WHERE org_id = $1 AND id = $2 AND dead_at IS NULL";
    if q!(&mut *tx, execute, sql, org, id, origin.now())? == 0 {
        return Err(Error::NotFound);
    }
    announce(tx, origin, org).await
}

/// The device behind a test's task, if it still takes alerts.
pub async fn alive(conn: &mut dyn AsConn, id: DeviceId) -> Result<Option<Device>> {
    let sql = "SELECT org_id, id, endpoint, p256dh, auth FROM push_device WHERE id = $1 AND dead_at IS NULL";
    Ok(q!(conn, fetch_optional as Device, sql, id)?)
}

/// Whether anybody of the office has a device that takes alerts.
pub(crate) async fn is_any_alive(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM push_device WHERE org_id = $1 AND dead_at IS NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

/// The devices of the owner and the office that alerts no longer reach, and since when. One that the same person has
/// set up anew is none.
pub(crate) async fn silent(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<(String, DateTime<Utc>)>> {
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

/// The devices that have not had this alert: of the owner and the office, or of the one person it is for.
pub(crate) async fn not_reached(conn: &mut dyn AsConn, org: OrgId, alert: AlertId) -> Result<Vec<Device>> {
    Ok(q!(
        conn,
        fetch_all as Device,
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

/// Notes how a try to reach a device ended. One whose subscription has ended, or that is bound to another key, is dead:
/// no later try could reach it. True when another try makes sense.
pub async fn record(
    tx: &mut Tx,
    origin: &Origin,
    device: &Device,
    outcome: &std::result::Result<Accepted, SendError>,
) -> Result<bool> {
    let now = origin.now();
    let (reached, dead, fault, again) = match outcome {
        Ok(_) => (Some(now), None, None, false),
        Err(e) => {
            let is_dead = is_gone(e) || matches!(e, SendError::Refused { kind: Refusal::SetUp, .. });
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
    announce(tx, origin, device.org_id).await?;
    Ok(again)
}

/// A device whose session ended is told nothing any more: somebody else may hold it.
pub async fn end_session(tx: &mut Tx, session_hash: &[u8]) -> Result<()> {
    q!(tx, execute, "DELETE FROM push_device WHERE session_hash = $1", session_hash)?;
    Ok(())
}

/// Nothing is told any more to a person's devices but the one of this session.
pub async fn end_others(tx: &mut Tx, org: OrgId, account: AccountId, session_hash: &[u8]) -> Result<()> {
    let sql = "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2
         AND (session_hash IS NULL OR session_hash <> $3)";
    q!(tx, execute, sql, org, account, session_hash)?;
    Ok(())
}

/// Nothing is told any more to whoever may not sign in.
pub async fn end_account(tx: &mut Tx, org: OrgId, account: AccountId) -> Result<()> {
    q!(tx, execute, "DELETE FROM push_device WHERE org_id = $1 AND account_id = $2", org, account)?;
    Ok(())
}

/// Devices whose session ran out by itself are shown as dead, so that their silence is seen; the long dead are forgotten.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
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

/// The list of devices stands in the settings.
async fn announce(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}
