//! Sending numbers: the business of each number, and the businesses that share the install's Messaging Service.
//!
//! A number belongs to exactly one business (`sending_number`). `org.sms_number` is the one that it sends from, and
//! `org.messaging_service` the service where it has none. Only this module writes the three (docs/sending-numbers.md).
//! The queries of [`route`] and [`opt_out_scope`] read several businesses, on connections from
//! [`crate::platform::db::tenant_scope::across_tenants`].

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    conflicts::ConflictCode,
    domain::{
        messaging::{inbound::catch_up, opt_out, texting_registration},
        tenancy::org::{self, Org},
    },
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        live::{self, Topic},
    },
    providers::sms::SmsSender,
};

pub mod claim;
pub mod contact;
pub mod list;
pub mod notice;
pub mod operator_assignment;
pub mod opt_out_scope;
pub mod order;
pub mod pool;
pub mod route;

/// How a business came by a sender. The names are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum NumberAssignedBy {
    /// It is the install's, and this is its first business.
    FirstBusiness,
    Operator,
    /// The owner proved it by a code.
    Code,
    /// From the settings, before numbers were assigned.
    Kept,
    /// The owner bought it.
    Bought,
    /// The owner took it over from the account.
    TakenOver,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
enum SenderKind {
    Number,
    Service,
}

#[derive(Clone, Debug, FromRow)]
pub struct SenderAssignment {
    pub org_id: OrgId,
    pub sender: String,
    pub assigned_by: NumberAssignedBy,
    pub assigned_at: DateTime<Utc>,
}

/// Gives the install's own sender to the first business, once, and keeps every business's service in step with the
/// configuration. Run at each start and each registration; idempotent. Needs a connection that sees all businesses.
pub async fn sync_default_sender(
    tx: &mut Tx,
    origin: &ClockRng,
    sender: Option<&SmsSender>,
    default_slug: Option<&str>,
) -> Result<()> {
    let Some(sender) = sender else { return Ok(()) };
    let name = sender.service_sid().or(sender.phone_number()).unwrap_or_default();
    let first = match org::resolve_public(&mut *tx, None, default_slug).await {
        Ok(org) => Some(org),
        // It waits for the business that `DEFAULT_ORG` names.
        Err(Error::NoBusiness) => None,
        Err(e) => return Err(e),
    };
    if let Some(first) = first
        && mark_install_sender_given(&mut *tx, origin, name).await?
    {
        org::lock(&mut *tx, first.id).await?;
        assign_to_first_org(tx, origin, sender, &first).await?;
    }
    sync_messaging_service(tx, sender.service_sid()).await
}

/// Records that the install's own sender was assigned: no later start or registration does it. True for the first time.
/// Lock order of an assignment: first this row, then the business ([`org::lock`]), then the sender.
pub async fn mark_install_sender_given(tx: &mut Tx, origin: &ClockRng, sender: &str) -> Result<bool> {
    let sql = "INSERT INTO install_sender (sender, given_at) VALUES ($1, $2) ON CONFLICT (sender) DO NOTHING";
    Ok(q!(tx, execute, sql, sender, origin.now())? == 1)
}

/// For a business that is removed before anyone proved an address of it: the install's sender goes to the next first
/// business, as if this one had never registered. A service that others share stays theirs.
pub async fn return_install_sender(tx: &mut Tx, org: OrgId) -> Result<()> {
    q!(
        tx,
        execute,
        "DELETE FROM install_sender WHERE sender IN (SELECT n.sender FROM sending_number n WHERE n.org_id = $1)
             AND NOT EXISTS (SELECT 1 FROM sending_number o WHERE o.sender = install_sender.sender AND o.org_id <> $1)",
        org
    )?;
    Ok(())
}

/// The first business gets it even where another one has it in its settings, because that was only typed.
async fn assign_to_first_org(tx: &mut Tx, origin: &ClockRng, sender: &SmsSender, first: &Org) -> Result<()> {
    match sender {
        SmsSender::Service(sid) => {
            share_service(tx, origin, first.id, sid, (NumberAssignedBy::FirstBusiness, None)).await
        }
        SmsSender::Number(number) => {
            let before = find_holder(&mut *tx, number).await?;
            if before.as_ref().is_some_and(|before| before.org_id == first.id) {
                return Ok(());
            }
            if let Some(before) = &before {
                tracing::warn!(org = %before.org_id, "the install's number is the first business's; it was in another's settings");
            }
            assign_number(tx, origin, first.id, number, (NumberAssignedBy::FirstBusiness, None)).await.map(|_| ())
        }
    }
}

async fn sync_messaging_service(tx: &mut Tx, service: Option<&str>) -> Result<()> {
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

/// Whether the install sends from it by its configuration, now or earlier.
pub async fn is_install_sender(conn: &mut dyn AsConn, sender: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM install_sender WHERE sender = $1)";
    Ok(q!(conn, fetch_one scalar bool, sql, sender)?)
}

pub async fn find_holder(conn: &mut dyn AsConn, number: &str) -> Result<Option<SenderAssignment>> {
    let sql =
        "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number WHERE sender = $1 AND kind = 'number'";
    Ok(q!(conn, fetch_optional as SenderAssignment, sql, number)?)
}

/// Whether a business of this install has or had it. Nobody but the operator gives such a number to another business: the
/// texts of the former holder's customers would come with it.
pub async fn was_held(conn: &mut dyn AsConn, number: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM held_number WHERE number = $1)";
    Ok(q!(conn, fetch_one scalar bool, sql, number)?)
}

/// The install's service where this business shares it with others.
async fn find_service_shared_by(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<String>> {
    let sql = "SELECT o.messaging_service FROM org o WHERE o.id = $1 AND EXISTS (SELECT 1 FROM sending_number n
             WHERE n.sender = o.messaging_service AND n.kind = 'service' AND n.org_id <> $1)";
    Ok(q!(conn, fetch_optional scalar Option<String>, sql, org)?.flatten())
}

pub async fn list_senders_of_org(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<SenderAssignment>> {
    let sql = "SELECT org_id, sender, assigned_by, assigned_at FROM sending_number
         WHERE org_id = $1 AND kind = 'number' ORDER BY assigned_at DESC, sender";
    Ok(q!(conn, fetch_all as SenderAssignment, sql, org)?)
}

/// Assigns a number to this business alone, and returns the business that had it. A STOP to the number stays in force.
pub async fn assign_number(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    number: &str,
    (by, account): (NumberAssignedBy, Option<AccountId>),
) -> Result<Option<OrgId>> {
    opt_out_scope::lock_sender(&mut *tx, number).await?;
    let sent_from = org::find(&mut *tx, org).await?.and_then(|found| found.sms_number);
    let before = unassign_number(tx, origin, number).await?;
    insert_assignment(tx, origin, (org, number, SenderKind::Number), (by, account)).await?;
    // An automatic assignment does not replace a number that the business chose.
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
    opt_out::store::inherit_opt_outs(tx, origin, number, org).await?;
    announce_settings_change(tx, origin, org).await?;
    texting_registration::follow_sending_number(tx, origin, org, sent_from.as_deref(), Some(by)).await?;
    let former = before.filter(|former| former.org != org);
    if let Some(former) = &former {
        former.follow_registration(tx, origin, number).await?;
    }
    Ok(former.map(|former| former.org))
}

/// Takes a number away and returns its former business. No other business gets what came to it before.
pub async fn release_number(tx: &mut Tx, origin: &ClockRng, number: &str) -> Result<Option<OrgId>> {
    let Some(former) = unassign_number(tx, origin, number).await? else { return Ok(None) };
    former.follow_registration(tx, origin, number).await?;
    Ok(Some(former.org))
}

/// The business that a number was taken from.
struct FormerHolder {
    org: OrgId,
    sent_from_it: bool,
}

impl FormerHolder {
    /// Its next number may need another registration.
    async fn follow_registration(&self, tx: &mut Tx, origin: &ClockRng, number: &str) -> Result<()> {
        if !self.sent_from_it {
            return Ok(());
        }
        texting_registration::follow_sending_number(tx, origin, self.org, Some(number), None).await
    }
}

async fn unassign_number(tx: &mut Tx, origin: &ClockRng, number: &str) -> Result<Option<FormerHolder>> {
    let sql = "DELETE FROM sending_number WHERE sender = $1 AND kind = 'number' RETURNING org_id";
    let before = q!(&mut *tx, fetch_optional scalar OrgId, sql, number)?;
    let Some(org) = before else { return Ok(None) };
    catch_up::delete_cursor(&mut *tx, Some(number)).await?;
    let next = list_senders_of_org(&mut *tx, org).await?.into_iter().next().map(|one| one.sender);
    let sql = "UPDATE org SET sms_number = $3 WHERE id = $1 AND sms_number = $2";
    let sent_from_it = q!(&mut *tx, execute, sql, org, number, next)? == 1;
    announce_settings_change(tx, origin, org).await?;
    Ok(Some(FormerHolder { org, sent_from_it }))
}

/// The number is unassigned until the operator assigns it, or a code proves it. False when it is not the business's.
pub async fn give_up_number(tx: &mut Tx, origin: &ClockRng, org: OrgId, number: &str) -> Result<bool> {
    opt_out_scope::lock_sender(&mut *tx, number).await?;
    if find_holder(&mut *tx, number).await?.is_none_or(|holder| holder.org_id != org) {
        return Ok(false);
    }
    release_number(tx, origin, number).await.map(|_| true)
}

/// Lets a business send by the install's Messaging Service. A STOP to the service stays in force.
pub async fn share_service(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    service: &str,
    by: (NumberAssignedBy, Option<AccountId>),
) -> Result<()> {
    opt_out_scope::lock_sender(&mut *tx, service).await?;
    insert_assignment(tx, origin, (org, service, SenderKind::Service), by).await?;
    q!(&mut *tx, execute, "UPDATE org SET messaging_service = $2 WHERE id = $1", org, service)?;
    opt_out::store::inherit_opt_outs(tx, origin, service, org).await?;
    announce_settings_change(tx, origin, org).await
}

/// False when the business did not share it.
pub async fn unshare_service(tx: &mut Tx, origin: &ClockRng, org: OrgId, service: &str) -> Result<bool> {
    let sql = "DELETE FROM sending_number WHERE org_id = $1 AND sender = $2 AND kind = 'service'";
    let ended = q!(&mut *tx, execute, sql, org, service)? == 1;
    let sql = "UPDATE org SET messaging_service = NULL WHERE id = $1 AND messaging_service = $2";
    q!(&mut *tx, execute, sql, org, service)?;
    announce_settings_change(tx, origin, org).await?;
    Ok(ended)
}

async fn insert_assignment(
    tx: &mut Tx,
    origin: &ClockRng,
    (org, sender, kind): (OrgId, &str, SenderKind),
    (by, account): (NumberAssignedBy, Option<AccountId>),
) -> Result<()> {
    let stored = q!(
        &mut *tx,
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
        // Another business was given it at this moment.
        Err(sqlx::Error::Database(e)) if e.is_unique_violation() => Err(ConflictCode::SendingNumberTaken.into_error()),
        Err(e) => Err(e.into()),
        Ok(_) if kind == SenderKind::Number => remember_number(tx, origin, sender).await,
        Ok(_) => Ok(()),
    }
}

async fn remember_number(tx: &mut Tx, origin: &ClockRng, number: &str) -> Result<()> {
    let sql = "INSERT INTO held_number (number, first_held_at) VALUES ($1, $2) ON CONFLICT (number) DO NOTHING";
    q!(tx, execute, sql, number, origin.now())?;
    Ok(())
}

/// Makes open pages load the settings again.
async fn announce_settings_change(tx: &mut Tx, origin: &ClockRng, org: OrgId) -> Result<()> {
    live::publish_event(tx, origin, org, Topic::Settings, org.0, None).await
}
