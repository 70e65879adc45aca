//! The security of a business: what is suspicious and told, what is looked at and counted, and what is reported.
//!
//! Security alerts go to the owners: to their devices at once and to their own addresses by email, whatever the list of
//! recipients says, unless an owner switched the alert off. What concerns the install too goes to its operators as well,
//! whatever any owner wants to hear ([`Cause::operators`]). Each is told at most once a day for one cause.

use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

use crate::{
    domain::tenancy::account::Role,
    platform::{
        clock::Origin,
        db::{AsConn, Db, Tx, q},
        error::{Error, Result},
        id::{AccountId, OrgId},
        public_url::PublicUrl,
    },
};

pub mod check;
pub mod compliance;
pub mod device;
pub mod facts;
pub mod refused;
mod tell;
pub mod watch;

pub(crate) use tell::key_of_business;
pub use tell::{Told, raise, tell};

/// Where all of it is shown.
const PAGE: &str = "/app/admin";
/// The span in which suspicious things are counted.
const WINDOW: Duration = Duration::hours(1);
/// Failed sign-ins of one account within the hour that are no slips any more.
const MANY_FAILURES: i64 = 10;
/// Things of others, or that are not there, that one person asks for within the hour (trust, A3).
pub const MANY_FOREIGN_IDS: usize = 20;

/// What the owners are told of. The names are kept for ever: add, never rename.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = SecurityAlertId)]
pub enum Alert {
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

impl Alert {
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
            Self::ForeignIds => "Somebody looks for other people's records",
            Self::RefusedWebhooks => "Forged calls of providers",
            Self::StopRate => "Many people say STOP",
            Self::DeliveryFailures => "Messages do not arrive",
            Self::AuditBroken => "The audit log was changed",
            Self::AuditAnchor => "Daily seal of the audit log",
        }
    }

    /// When it fires, in a sentence.
    #[must_use]
    pub fn when(self) -> &'static str {
        match self {
            Self::NewDevice => "Somebody signs in from a browser they have not used before.",
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
#[schema(as = SecurityAlert)]
pub struct AlertView {
    pub alert_id: Alert,
    pub name: &'static str,
    /// When it fires.
    pub description: &'static str,
    pub enabled: bool,
    pub last_fired_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct Row {
    alert: Alert,
    enabled: bool,
    fired_at: Option<DateTime<Utc>>,
}

/// All alerts in the program's order.
pub async fn alerts(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<AlertView>> {
    let sql = "SELECT alert, enabled, fired_at FROM security_alert WHERE org_id = $1";
    let rows = q!(conn, fetch_all as Row, sql, org)?;
    let view = |alert: Alert| {
        let row = rows.iter().find(|row| row.alert == alert);
        AlertView {
            alert_id: alert,
            name: alert.name(),
            description: alert.when(),
            enabled: row.is_none_or(|row| row.enabled),
            last_fired_at: row.and_then(|row| row.fired_at),
        }
    };
    Ok(Alert::ALL.into_iter().map(view).collect())
}

/// Whether the business wants it.
pub async fn is_on(conn: &mut dyn AsConn, org: OrgId, alert: Alert) -> Result<bool> {
    let sql = "SELECT enabled FROM security_alert WHERE org_id = $1 AND alert = $2";
    Ok(q!(conn, fetch_optional scalar bool, sql, org, alert)?.unwrap_or(true))
}

/// Switches an alert.
pub async fn switch(tx: &mut Tx, org: OrgId, alert: Alert, enabled: bool) -> Result<AlertView> {
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
    alerts(tx, org).await?.into_iter().find(|view| view.alert_id == alert).ok_or(Error::NotFound)
}

/// Something suspicious, to be told.
#[derive(Clone, Debug)]
pub struct Cause {
    pub alert: Alert,
    /// What it is about: with the day it makes one alert of many of the same.
    pub subject: String,
    pub title: String,
    /// What happened and what to do, without a customer's data. Blank lines part paragraphs.
    pub body: String,
    /// People of the business beside its owners who are mailed: the person themselves.
    pub also: Vec<String>,
}

impl Cause {
    /// Whether it concerns the install too, so that its operators are told, whatever the business wants to hear.
    #[must_use]
    pub fn operators(&self) -> bool {
        match self.alert {
            Alert::ForeignIds | Alert::RefusedWebhooks => true,
            Alert::NewDevice
            | Alert::SignInFailures
            | Alert::StopRate
            | Alert::DeliveryFailures
            | Alert::AuditBroken
            | Alert::AuditAnchor => false,
        }
    }
}

/// Somebody who owns the business.
#[derive(FromRow)]
pub(crate) struct Owner {
    pub(crate) id: AccountId,
    pub(crate) email: String,
}

/// Its stored name.
fn key_of(alert: Alert) -> &'static str {
    match alert {
        Alert::NewDevice => "new_device",
        Alert::SignInFailures => "sign_in_failures",
        Alert::ForeignIds => "foreign_ids",
        Alert::RefusedWebhooks => "refused_webhooks",
        Alert::StopRate => "stop_rate",
        Alert::DeliveryFailures => "delivery_failures",
        Alert::AuditBroken => "audit_broken",
        Alert::AuditAnchor => "audit_anchor",
    }
}

/// Those who own the business and can sign in.
pub(crate) async fn owners(conn: &mut dyn AsConn, org: OrgId) -> Result<Vec<Owner>> {
    Ok(q!(
        conn,
        fetch_all as Owner,
        "SELECT id, email FROM account WHERE org_id = $1 AND role = $2 AND is_active = TRUE ORDER BY created_at, id",
        org,
        Role::Owner
    )?)
}

/// Notes that it fired.
pub(crate) async fn fired(tx: &mut Tx, origin: &Origin, org: OrgId, alert: Alert) -> Result<()> {
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

/// Counts something suspicious. Returns how often it was within the hour, this time too.
async fn count(tx: &mut Tx, origin: &Origin, org: OrgId, alert: Alert, subject: &str, times: i64) -> Result<i64> {
    let now = origin.now();
    Ok(q!(
        tx,
        fetch_one scalar i64,
        "INSERT INTO security_tally (org_id, alert, subject, count, window_start) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org_id, alert, subject) DO UPDATE SET
             count = CASE WHEN security_tally.window_start <= $6 THEN excluded.count
                 ELSE security_tally.count + excluded.count END,
             window_start = CASE WHEN security_tally.window_start <= $6 THEN excluded.window_start
                 ELSE security_tally.window_start END
         RETURNING count",
        org,
        alert,
        subject,
        times,
        now,
        now - WINDOW
    )?)
}

/// A sign-in has failed. `account` is none for an address that nobody has: it is counted all the same, so that it takes
/// as long.
pub async fn note_failure(
    tx: &mut Tx,
    origin: &Origin,
    public_url: &PublicUrl,
    org: OrgId,
    account: Option<(AccountId, &str)>,
) -> Result<()> {
    let subject = account.map_or_else(|| "nobody".to_owned(), |(id, _)| id.to_string());
    let failures = count(&mut *tx, origin, org, Alert::SignInFailures, &subject, 1).await?;
    let Some((_, email)) = account.filter(|_| failures == MANY_FAILURES) else { return Ok(()) };
    let cause = Cause {
        alert: Alert::SignInFailures,
        subject,
        title: "Many failed sign-ins".to_owned(),
        body: format!(
            "Somebody tried {MANY_FAILURES} times within an hour to sign in as {email} and failed. Further tries are slowed down; nothing was locked.\n\nIf it was not you: choose a password that you use nowhere else, and turn on two-factor authentication."
        ),
        also: vec![email.to_owned()],
    };
    raise(tx, origin, public_url, org, &cause).await?;
    Ok(())
}

/// Who looked for what is not theirs.
#[derive(Clone, Debug)]
pub struct Seeker {
    pub org: OrgId,
    pub account: AccountId,
    pub email: String,
}

/// One person has asked for so many records that are not theirs or not there: tells the owners of their business, and
/// the operators of the install. Returns whether they are told now.
pub async fn note_foreign_ids(tx: &mut Tx, told: &Told<'_>, seeker: &Seeker) -> Result<bool> {
    let cause = Cause {
        alert: Alert::ForeignIds,
        subject: seeker.account.to_string(),
        title: "Somebody looks for other people's records".to_owned(),
        body: format!(
            "{} asked for {MANY_FOREIGN_IDS} records within an hour that belong to another business or do not exist. Nothing was shown.\n\nAsk them what they were doing. If it was not them: end their sessions and have them choose a new password.",
            seeker.email
        ),
        also: Vec::new(),
    };
    tell(tx, told, Some(seeker.org), &cause).await
}

/// Forgets counts whose hour is over.
pub async fn prune(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let mut tx = db.begin().await?;
    q!(&mut tx, execute, "DELETE FROM security_tally WHERE window_start < $1", now - WINDOW)?;
    tx.commit().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alert_has_a_name_and_says_when_it_fires() {
        for alert in Alert::ALL {
            assert!(!alert.name().is_empty() && alert.when().ends_with('.'), "{alert:?}");
            assert_eq!(serde_json::to_value(alert).unwrap(), key_of(alert), "stored and spoken of by one name");
        }
    }
}
