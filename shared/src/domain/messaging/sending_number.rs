//! Sending numbers: which business a number belongs to, and who shares the install's Messaging Service.
//!
//! A number belongs to exactly one business (`sending_number`); `org.sms_number` is the one of its numbers that it sends
//! from, and `org.messaging_service` the service where it has none. Only this module writes the three. What is said of
//! them stands in docs/sending-numbers.md.
//!
//! The queries of [`route`] and [`reach`] look at several businesses. Their callers take connections with
//! [`crate::platform::db::tenant_scope::across_businesses`].

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::{
        messaging::inbound::missed,
        tenancy::org::{self, Org},
    },
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
    },
    providers::sms::Sender,
};

pub mod claim;
pub mod contact;
pub mod list;
pub mod reach;
pub mod route;

/// How a business came by a sender. The names are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = NumberAssignedBy)]
pub enum AssignedBy {
    /// It is the install's, and this is its first business.
    FirstBusiness,
    Operator,
    /// The owner proved it by a code.
    Code,
    /// It stood in the settings before numbers were assigned.
    Kept,
}

/// Number or service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
enum Kind {
    Number,
    Service,
}

/// A sender of one business.
#[derive(Clone, Debug, FromRow)]
pub struct Assigned {
    pub org_id: OrgId,
    pub sender: String,
    pub assigned_by: AssignedBy,
    pub assigned_at: DateTime<Utc>,
}

/// Gives the install's own sender to the first business, once, and keeps every business's service in step with the
/// configuration. Run at each start and at each registration; harmless when nothing is to be done. A connection that
/// shows all businesses.
pub async fn settle(tx: &mut Tx, origin: &Origin, sender: Option<&Sender>, default_slug: Option<&str>) -> Result<()> {
    let Some(sender) = sender else { return Ok(()) };
    let service = sender.service();
    let name = service.or(sender.number()).unwrap_or_default();
    let first = match org::resolve_public(&mut *tx, None, default_slug).await {
        Ok(org) => org,
        Err(Error::NoBusiness) => return Ok(()),
        Err(e) => return Err(e),
    };
    let is_new = q!(
        &mut *tx,
        execute,
        "INSERT INTO install_sender (sender, given_at) VALUES ($1, $2) ON CONFLICT (sender) DO NOTHING",
        name,
        origin.now()
    )? == 1;
    if is_new {
        q!(&mut *tx, execute, "UPDATE sending_contact SET sender = $1 WHERE sender = 'install'", name)?;
        give_to_first(tx, origin, sender, &first).await?;
    }
    in_step(tx, service).await
}

/// The install's sender goes to the first business, even where another one has it in its settings: that was typed.
async fn give_to_first(tx: &mut Tx, origin: &Origin, sender: &Sender, first: &Org) -> Result<()> {
    match sender {
        Sender::Service(sid) => share(tx, origin, first.id, sid, (AssignedBy::FirstBusiness, None)).await,
        Sender::Number(number) => {
            let before = holder(&mut *tx, number).await?;
            if before.as_ref().is_some_and(|before| before.org_id == first.id) {
                return Ok(());
            }
            if let Some(before) = &before {
                tracing::warn!(org = %before.org_id, "the install's number is the first business's; it was in another's settings");
            }
            assign(tx, origin, first.id, number, (AssignedBy::FirstBusiness, None)).await.map(|_| ())
        }
    }
}

/// No business sends by a service that is not the install's any more.
async fn in_step(tx: &mut Tx, service: Option<&str>) -> Result<()> {
    q!(
        &mut *tx,
        execute,
        "UPDATE org SET messaging_service = NULL WHERE messaging_service IS NOT NULL AND messaging_service <> COALESCE($1, '')",
        service
    )?;
    if let Some(service) = service {
        q!(
            tx,
            execute,
            "UPDATE org SET messaging_service = $1 WHERE messaging_service IS NULL
                 AND id IN (SELECT org_id FROM sending_number WHERE sender = $1 AND kind = 'service')",
            service
        )?;
    }
    Ok(())
}

/// Whose number it is.
pub async fn holder(conn: &mut dyn AsConn, number: &str) -> Result<Option<Assigned>> {
    let sql =
        "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number WHERE sender = $1 AND kind = 'number'";
    Ok(q!(conn, fetch_optional as Assigned, sql, number)?)
}

/// The senders of one business, the newest first.
pub async fn of(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Assigned>> {
    let sql = "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number
         WHERE org_id = $1 AND kind = 'number' ORDER BY assigned_at DESC, sender";
    Ok(q!(conn, fetch_all as Assigned, sql, org)?)
}

/// Makes a number this business's alone, takes it from whoever had it, and returns whom it was taken from. People who
/// said STOP to that number stay stopped.
pub async fn assign(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    number: &str,
    (by, account): (AssignedBy, Option<AccountId>),
) -> Result<Option<OrgId>> {
    reach::hold_sender(&mut *tx, number).await?;
    let before = release(tx, origin, number).await?;
    insert(tx, origin, (org, number, Kind::Number), (by, account)).await?;
    // One that came by itself does not replace a number that the business chose.
    q!(
        &mut *tx,
        execute,
        "UPDATE org SET sms_number = $2 WHERE id = $1 AND (sms_number IS NULL OR $3 <> 'first_business'
             OR EXISTS (SELECT 1 FROM sending_number n WHERE n.org_id = $1 AND n.sender = org.sms_number
                 AND n.assigned_by = 'first_business'))",
        org,
        number,
        by
    )?;
    reach::inherit(tx, origin, number, org).await?;
    changed(tx, origin, org).await?;
    Ok(before.filter(|before| *before != org))
}

/// Takes a number away, and returns whose it was. What came to it before is nobody else's to read.
pub async fn release(tx: &mut Tx, origin: &Origin, number: &str) -> Result<Option<OrgId>> {
    let sql = "DELETE FROM sending_number WHERE sender = $1 AND kind = 'number' RETURNING org_id";
    let before = q!(&mut *tx, fetch_optional scalar OrgId, sql, number)?;
    let Some(org) = before else { return Ok(None) };
    missed::forget(&mut *tx, Some(number)).await?;
    let next = of(&mut *tx, org).await?.into_iter().next().map(|one| one.sender);
    let sql = "UPDATE org SET sms_number = $3 WHERE id = $1 AND sms_number = $2";
    q!(&mut *tx, execute, sql, org, number, next)?;
    changed(tx, origin, org).await?;
    Ok(Some(org))
}

/// A business gives up one of its numbers: it is nobody's until the operator assigns it. False when it is not theirs.
pub async fn give_up(tx: &mut Tx, origin: &Origin, org: OrgId, number: &str) -> Result<bool> {
    reach::hold_sender(&mut *tx, number).await?;
    if holder(&mut *tx, number).await?.is_none_or(|holder| holder.org_id != org) {
        return Ok(false);
    }
    release(tx, origin, number).await.map(|_| true)
}

/// Lets a business send by the install's Messaging Service. People who said STOP to it stay stopped.
pub async fn share(
    tx: &mut Tx,
    origin: &Origin,
    org: OrgId,
    service: &str,
    by: (AssignedBy, Option<AccountId>),
) -> Result<()> {
    reach::hold_sender(&mut *tx, service).await?;
    insert(tx, origin, (org, service, Kind::Service), by).await?;
    q!(&mut *tx, execute, "UPDATE org SET messaging_service = $2 WHERE id = $1", org, service)?;
    reach::inherit(tx, origin, service, org).await?;
    changed(tx, origin, org).await
}

/// Ends that. False when the business did not share it.
pub async fn unshare(tx: &mut Tx, origin: &Origin, org: OrgId, service: &str) -> Result<bool> {
    let sql = "DELETE FROM sending_number WHERE org_id = $1 AND sender = $2 AND kind = 'service'";
    let ended = q!(&mut *tx, execute, sql, org, service)? == 1;
    let sql = "UPDATE org SET messaging_service = NULL WHERE id = $1 AND messaging_service = $2";
    q!(&mut *tx, execute, sql, org, service)?;
    changed(tx, origin, org).await?;
    Ok(ended)
}

async fn insert(
    tx: &mut Tx,
    origin: &Origin,
    (org, sender, kind): (OrgId, &str, Kind),
    (by, account): (AssignedBy, Option<AccountId>),
) -> Result<()> {
    let stored = q!(
        tx,
        execute,
        "INSERT INTO sending_number (org_id, sender, kind, assigned_by, account_id, assigned_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (org_id, sender) DO NOTHING",
        org,
        sender,
        kind,
        by,
        account,
        origin.now()
    );
    match stored {
        // Somebody else was given it at this very moment.
        Err(sqlx::Error::Database(e)) if e.is_unique_violation() => Err(Error::Conflict(claim::TAKEN)),
        Err(e) => Err(e.into()),
        Ok(_) => Ok(()),
    }
}

/// Open pages look at the settings again.
async fn changed(tx: &mut Tx, origin: &Origin, org: OrgId) -> Result<()> {
    live::announce(tx, origin, org, Topic::Settings, org.0, None).await
}
