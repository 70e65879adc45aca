//! Security of a business: its alerts with their switches, counters, and reports.
//!
//! Alerts go to all owners, by device and by email to their own addresses, regardless of the recipients list, unless an
//! owner disabled the alert. Alerts about the install also go to its operators, regardless of owners' settings
//! ([`SecurityFinding::notifies_operators`]). Each cause is reported at most once a day.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::account::Role,
    platform::{
        clock::ClockRng,
        db::{AsConn, Db, Tx, q},
        email_address::EmailAddress,
        error::{Error, Result},
        id::{AccountId, OrgId},
        text_enum::display_serialized,
    },
};

pub mod check;
pub mod compliance;
pub mod device;
pub mod facts;

pub(crate) use device::{SignInDevice, store_sign_in_device, token_fingerprint};

const WINDOW: Duration = Duration::hours(1);
/// Requests per hour of one person for foreign or missing records (trust, A3).
pub const MANY_FOREIGN_IDS: usize = 20;

/// Security alerts to the owners. Stored names: add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SecurityAlertId {
    /// Somebody signed in on a device they had not used before.
    NewDevice,
    SignInFailures,
    ForeignIds,
    RefusedWebhooks,
    StopRate,
    DeliveryFailures,
    AuditBroken,
    /// No suspicion: the end of the audit log, once a day.
    AuditAnchor,
}

display_serialized!(SecurityAlertId);

impl SecurityAlertId {
    pub const ALL: [Self; 8] = [
        Self::NewDevice,
        Self::SignInFailures,
        Self::ForeignIds,
        Self::RefusedWebhooks,
        Self::StopRate,
        Self::DeliveryFailures,
        Self::AuditBroken,
        Self::AuditAnchor,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NewDevice => "Sign-in from a new device",
            Self::SignInFailures => "Many failed sign-ins",
            Self::ForeignIds => "Someone is looking for other people's records",
            Self::RefusedWebhooks => "Forged provider calls",
            Self::StopRate => "Many people say STOP",
            Self::DeliveryFailures => "Messages do not arrive",
            Self::AuditBroken => "The audit log was changed",
            Self::AuditAnchor => "Daily seal of the audit log",
        }
    }

    #[must_use]
    pub fn trigger_description(self) -> &'static str {
        match self {
            Self::NewDevice => "Someone signs in from a browser they have not used before.",
            Self::SignInFailures => "One account has 10 failed sign-ins within an hour.",
            Self::ForeignIds => "One person asks for 20 records within an hour that are not yours or not there.",
            Self::RefusedWebhooks => "10 calls without a valid signature come to one address within an hour.",
            Self::StopRate => "Of the people texted in 24 hours, 5 or more and at least 1 in 20 say STOP.",
            Self::DeliveryFailures => "Of the messages of 24 hours, 10 or more and at least 1 in 5 do not arrive.",
            Self::AuditBroken => "A line of the audit log is not what it was when it was written.",
            Self::AuditAnchor => "Once a day when something was written: an email that proves the log's state.",
        }
    }
}

/// An alert with its switch, as the owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityAlert {
    pub alert_id: SecurityAlertId,
    pub name: &'static str,
    /// When it fires.
    pub description: &'static str,
    pub enabled: bool,
    pub last_fired_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct SecurityAlertRow {
    alert: SecurityAlertId,
    enabled: bool,
    fired_at: Option<DateTime<Utc>>,
}

pub async fn list_alerts(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<SecurityAlert>> {
    let sql = "SELECT alert, enabled, fired_at FROM security_alert WHERE org_id = $1";
    let rows = q!(conn, fetch_all as SecurityAlertRow, sql, org)?;
    let view = |alert: SecurityAlertId| {
        let row = rows.iter().find(|row| row.alert == alert);
        SecurityAlert {
            alert_id: alert,
            name: alert.name(),
            description: alert.trigger_description(),
            enabled: row.is_none_or(|row| row.enabled),
            last_fired_at: row.and_then(|row| row.fired_at),
        }
    };
    Ok(SecurityAlertId::ALL.into_iter().map(view).collect())
}

pub async fn is_alert_enabled(conn: &mut dyn AsConn, org: OrgId, alert: SecurityAlertId) -> Result<bool> {
    let sql = "SELECT enabled FROM security_alert WHERE org_id = $1 AND alert = $2";
    Ok(q!(conn, fetch_optional scalar bool, sql, org, alert)?.unwrap_or(true))
}

pub async fn set_alert_enabled(
    tx: &mut Tx,
    org: OrgId,
    alert: SecurityAlertId,
    enabled: bool,
) -> Result<SecurityAlert> {
    tx.guard_writable(org);
    q!(
        &mut *tx,
        execute,
        "INSERT INTO security_alert (org_id, alert, enabled) VALUES ($1, $2, $3)
         ON CONFLICT (org_id, alert) DO UPDATE SET enabled = excluded.enabled",
        org,
        alert,
        enabled
    )?;
    list_alerts(tx, org).await?.into_iter().find(|view| view.alert_id == alert).ok_or(Error::NotFound)
}

#[derive(Clone, Debug)]
pub struct SecurityFinding {
    pub alert: SecurityAlertId,
    /// Subject: one alert per subject and day.
    pub subject: String,
    pub title: String,
    /// What happened and what to do, without customer data. Blank lines separate paragraphs.
    pub body: String,
    /// Additional receivers besides the owners: the affected person.
    pub also: Vec<EmailAddress>,
}

impl SecurityFinding {
    /// Whether it concerns the install, so that operators are notified regardless of the business's settings.
    #[must_use]
    pub fn notifies_operators(&self) -> bool {
        match self.alert {
            SecurityAlertId::ForeignIds | SecurityAlertId::RefusedWebhooks => true,
            SecurityAlertId::NewDevice
            | SecurityAlertId::SignInFailures
            | SecurityAlertId::StopRate
            | SecurityAlertId::DeliveryFailures
            | SecurityAlertId::AuditBroken
            | SecurityAlertId::AuditAnchor => false,
        }
    }
}

#[derive(FromRow)]
pub(crate) struct OwnerContact {
    pub(crate) id: AccountId,
    pub(crate) email: EmailAddress,
}

pub(crate) async fn list_owners(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<OwnerContact>> {
    Ok(q!(
        conn,
        fetch_all as OwnerContact,
        "SELECT id, email FROM account WHERE org_id = $1 AND role = $2 AND is_active = TRUE ORDER BY created_at, id",
        org,
        Role::Owner
    )?)
}

pub(crate) async fn record_fired(tx: &mut Tx, origin: &ClockRng, org: OrgId, alert: SecurityAlertId) -> Result<()> {
    q!(
        tx,
        execute,
        "INSERT INTO security_alert (org_id, alert, enabled, fired_at) VALUES ($1, $2, TRUE, $3)
         ON CONFLICT (org_id, alert) DO UPDATE SET fired_at = excluded.fired_at",
        org,
        alert,
        origin.now()
    )?;
    Ok(())
}

/// Counts an incident. Returns the count within the hour, including this one.
pub(crate) async fn count_occurrences(
    tx: &mut Tx,
    origin: &ClockRng,
    org: OrgId,
    alert: SecurityAlertId,
    subject: &str,
    times: i64,
) -> Result<i64> {
    let now = origin.now();
    Ok(q!(
        tx,
        fetch_one scalar i64,
        "INSERT INTO security_counter (org_id, alert, subject, count, window_start) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, alert, subject) DO UPDATE SET
             count = CASE WHEN security_counter.window_start <= $6 THEN excluded.count
                 ELSE security_counter.count + excluded.count END,
             window_start = CASE WHEN security_counter.window_start <= $6 THEN excluded.window_start
                 ELSE security_counter.window_start END
         RETURNING count",
        org,
        alert,
        subject,
        times,
        now,
        now - WINDOW
    )?)
}

#[derive(Clone, Debug)]
pub struct Principal {
    pub org: OrgId,
    pub account: AccountId,
    pub email: EmailAddress,
}

pub async fn prune_tallies(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM security_counter WHERE window_start < $1", now - WINDOW)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alert_has_a_name_and_says_when_it_fires() {
        for alert in SecurityAlertId::ALL {
            assert!(!alert.name().is_empty() && alert.trigger_description().ends_with('.'), "{alert:?}");
        }
    }
}
