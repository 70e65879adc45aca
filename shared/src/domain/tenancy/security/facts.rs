//! What is looked at for the score and the report: rows of the database, and what the program was told at its start.

use std::{path::Path, time::SystemTime};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::tenancy::session,
    platform::{
        clock::Entropy,
        db::{AsConn, q, tenant_scope::Standing},
        error::Result,
        id::{AccountId, OrgId},
        live,
        public_url::PublicUrl,
        secret::{self, SecretKey},
        throttle,
    },
    providers::mail::MailWay,
};

/// The span in which letters are counted.
const LATELY: Duration = Duration::days(1);

/// What the program itself knows, without the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Install {
    /// Browsers reach it by https alone, and keep the session's cookie for this very host.
    pub is_https: bool,
    /// Email reaches people, rather than files.
    pub mail_leaves: bool,
    /// What is sealed can be opened again, and only for what it was sealed for.
    pub seals: bool,
    pub key: Key,
    /// The schema is that of this program.
    pub is_current: bool,
    /// Whether the database itself keeps businesses apart.
    pub second_wall: Standing,
    /// When a copy of the database was last made and found whole.
    pub last_backup: Option<DateTime<Utc>>,
}

/// What the database tells of the install.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub is_current: bool,
    pub second_wall: Standing,
    pub last_backup: Option<DateTime<Utc>>,
}

/// Where the install's secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// `SECRET_KEY`: whoever runs the server keeps it.
    Environment,
    /// The file that was made at the first start.
    File { made_at: DateTime<Utc>, is_private: bool },
}

impl Key {
    /// Looks at the file in the data folder.
    #[must_use]
    pub fn look(data_dir: &Path) -> Self {
        let Ok(found) = std::fs::metadata(secret::file(data_dir)) else { return Self::Environment };
        #[cfg(unix)]
        let is_private = [0o600, 0o400].contains(&(std::os::unix::fs::MetadataExt::mode(&found) & 0o777));
        #[cfg(not(unix))]
        let is_private = false;
        Self::File { made_at: found.modified().unwrap_or(SystemTime::UNIX_EPOCH).into(), is_private }
    }
}

impl Install {
    /// `told` is asked of the database by the caller.
    #[must_use]
    pub fn look(
        public_url: &PublicUrl,
        mail: &MailWay,
        (secret, data_dir): (&SecretKey, &Path),
        entropy: &Entropy,
        told: Told,
    ) -> Self {
        let Told { is_current, second_wall, last_backup } = told;
        Self {
            is_https: public_url.is_https(),
            mail_leaves: !matches!(mail, MailWay::File(_)),
            seals: secret.seals(entropy),
            key: Key::look(data_dir),
            is_current,
            second_wall,
            last_backup,
        }
    }
}

/// What the database shows of one person.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Person {
    pub two_factor: bool,
    pub password_changed_at: DateTime<Utc>,
    /// Devices on which they are signed in.
    pub sessions: i64,
    /// Whether strangers have used up the tries of this account for now.
    #[sqlx(default)]
    pub is_locked: bool,
}

/// What the database shows of a business.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct Business {
    /// People who can sign in.
    pub people: i64,
    pub without_second_factor: i64,
    /// Passwords that are not kept as argon2id.
    pub weak_hashes: i64,
    pub owners: i64,
    /// Security alerts that are switched off.
    pub alerts_off: i64,
    /// Lines of the audit log.
    pub audit_lines: i64,
    pub audit_ok: Option<bool>,
    pub audit_checked_at: Option<DateTime<Utc>>,
    pub audit_detail: Option<String>,
    /// When the owner was last mailed the end of the log.
    pub anchored_at: Option<DateTime<Utc>>,
    /// The newest sign of life of any worker.
    pub worker_seen: Option<DateTime<Utc>>,
    /// When a call came last without a valid signature to an address that is the business's own; for an operator, or to
    /// one of the install.
    pub refused_at: Option<DateTime<Utc>>,
    /// Letters to its own people of the last day that did not arrive, or may not have.
    pub emails_lost: i64,
}

/// Looks at one person.
pub async fn person(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: AccountId,
    email: &str,
    now: DateTime<Utc>,
) -> Result<Person> {
    let found = q!(
        &mut *conn,
        fetch_one as Person,
        "SELECT a.two_factor_enabled AS two_factor, a.password_changed_at,
             (SELECT COUNT(*) FROM session s WHERE s.org_id = a.org_id AND s.account_id = a.id AND s.expires_at > $3
                 AND s.last_seen_at > $4) AS sessions
         FROM account a WHERE a.org_id = $1 AND a.id = $2",
        org,
        account,
        now,
        now - session::IDLE
    )?;
    let is_locked = throttle::is_used_up(conn, secret, email, now).await?;
    Ok(Person { is_locked, ..found })
}

/// Looks at a business. What comes to the install's own addresses is a matter of its operators alone: it tells nothing
/// of a business that is kept on it.
pub async fn business(conn: &mut dyn AsConn, org: OrgId, is_operator: bool, now: DateTime<Utc>) -> Result<Business> {
    let found = q!(
        &mut *conn,
        fetch_one as Business,
        "SELECT
             (SELECT COUNT(*) FROM account WHERE org_id = $1 AND is_active = TRUE) AS people,
             (SELECT COUNT(*) FROM account WHERE org_id = $1 AND is_active = TRUE AND two_factor_enabled = FALSE)
                 AS without_second_factor,
             (SELECT COUNT(*) FROM account WHERE org_id = $1 AND password_hash NOT LIKE '$argon2id$%') AS weak_hashes,
             (SELECT COUNT(*) FROM account WHERE org_id = $1 AND is_active = TRUE AND role = 'owner') AS owners,
             (SELECT COUNT(*) FROM security_alert WHERE org_id = $1 AND enabled = FALSE) AS alerts_off,
             (SELECT COALESCE(MAX(seq), 0) FROM audit_head WHERE org_id = $1) AS audit_lines,
             (SELECT ok FROM audit_check WHERE org_id = $1) AS audit_ok,
             (SELECT checked_at FROM audit_check WHERE org_id = $1) AS audit_checked_at,
             (SELECT detail FROM audit_check WHERE org_id = $1) AS audit_detail,
             (SELECT MAX(made_at) FROM audit_anchor WHERE org_id = $1) AS anchored_at,
             (SELECT MAX(seen_at) FROM worker_sign) AS worker_seen,
             (SELECT MAX(refused_at) FROM org_webhook_health WHERE org_id = $1) AS refused_at,
             (SELECT COUNT(*) FROM message m WHERE m.org_id = $1 AND m.id >= $2 AND m.direction = 'out'
                 AND m.channel = 'email' AND m.status IN ('failed', 'unknown')
                 AND EXISTS (SELECT 1 FROM account a WHERE a.org_id = $1 AND a.email = m.to_address)) AS emails_lost",
        org,
        // Ids sort by time, and messages of one org are found by them.
        live::floor(now - LATELY)
    )?;
    if !is_operator {
        return Ok(found);
    }
    let sql = "SELECT MAX(refused_at) FROM webhook_health";
    let at_install = q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql)?;
    Ok(Business { refused_at: found.refused_at.max(at_install), ..found })
}

/// How long ago, in whole days.
pub(super) fn days(now: DateTime<Utc>, at: DateTime<Utc>) -> i64 {
    (now - at).max(Duration::zero()).num_days()
}
