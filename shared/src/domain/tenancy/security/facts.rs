//! Facts for score and report: database rows and start-up configuration.

use std::{path::Path, time::SystemTime};

use chrono::{DateTime, Duration, Utc};
use sqlx::FromRow;

use crate::{
    domain::tenancy::session,
    platform::{
        clock::Entropy,
        db::{AsConn, q, tenant_scope::RlsStatus},
        error::Result,
        id::{AccountId, OrgId},
        live,
        public_url::PublicUrl,
        secret::{self, SecretKey},
        throttle,
    },
    providers::mail::MailTransport,
};

const LATELY: Duration = Duration::days(1);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallSecurityFacts {
    /// HTTPS only, with host-bound session cookies.
    pub is_https: bool,
    /// Email is sent, not written to files.
    pub mail_leaves: bool,
    /// Encryption self-test: decrypts only for the original purpose.
    pub seals: bool,
    pub key: SecretKeySource,
    pub is_current: bool,
    /// Row-level security.
    pub second_wall: RlsStatus,
    /// The same for the role that reads reports. `None` without a replica, and while it does not answer.
    pub reports_wall: Option<RlsStatus>,
    /// Time of the last verified database backup.
    pub last_backup: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallDatabaseFacts {
    pub is_current: bool,
    pub second_wall: RlsStatus,
    pub reports_wall: Option<RlsStatus>,
    pub last_backup: Option<DateTime<Utc>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretKeySource {
    /// `SECRET_KEY`, kept by the operator.
    Environment,
    /// The file created at the first start.
    File { made_at: DateTime<Utc>, is_private: bool },
}

impl SecretKeySource {
    #[must_use]
    pub fn detect_source(data_dir: &Path) -> Self {
        let Ok(found) = std::fs::metadata(secret::key_file::key_file_path(data_dir)) else { return Self::Environment };
        #[cfg(unix)]
        let is_private = [0o600, 0o400].contains(&(std::os::unix::fs::MetadataExt::mode(&found) & 0o777));
        #[cfg(not(unix))]
        let is_private = false;
        Self::File { made_at: found.modified().unwrap_or(SystemTime::UNIX_EPOCH).into(), is_private }
    }
}

impl InstallSecurityFacts {
    /// The caller loads `facts` from the database.
    #[must_use]
    pub fn collect_facts(
        public_url: &PublicUrl,
        mail: &MailTransport,
        (secret, data_dir): (&SecretKey, &Path),
        entropy: &Entropy,
        facts: InstallDatabaseFacts,
    ) -> Self {
        let InstallDatabaseFacts { is_current, second_wall, reports_wall, last_backup } = facts;
        Self {
            is_https: public_url.is_https(),
            mail_leaves: !matches!(mail, MailTransport::File(_)),
            seals: secret.check_round_trip(entropy),
            key: SecretKeySource::detect_source(data_dir),
            is_current,
            second_wall,
            reports_wall,
            last_backup,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AccountSecurityFacts {
    pub two_factor: bool,
    pub password_changed_at: DateTime<Utc>,
    pub sessions: i64,
    /// Whether strangers have exhausted the account's sign-in attempts.
    #[sqlx(default)]
    pub is_locked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OrgSecurityFacts {
    /// Active accounts.
    pub people: i64,
    pub without_second_factor: i64,
    /// Passwords not hashed with argon2id.
    pub weak_hashes: i64,
    pub owners: i64,
    pub alerts_off: i64,
    pub audit_lines: i64,
    pub audit_ok: Option<bool>,
    pub audit_checked_at: Option<DateTime<Utc>>,
    pub audit_detail: Option<String>,
    /// Time of the last anchor mail.
    pub anchored_at: Option<DateTime<Utc>>,
    pub worker_seen: Option<DateTime<Utc>>,
    /// Last call with an invalid signature to the business's own address; for operators also to the install's.
    pub refused_at: Option<DateTime<Utc>>,
    /// Emails to its own people within a day that failed or may have failed.
    pub emails_lost: i64,
}

pub async fn load_account_facts(
    conn: &mut dyn AsConn,
    secret: &SecretKey,
    org: OrgId,
    account: AccountId,
    email: &str,
    now: DateTime<Utc>,
) -> Result<AccountSecurityFacts> {
    let found = q!(
        &mut *conn,
        fetch_one as AccountSecurityFacts,
        "SELECT a.two_factor_enabled AS two_factor, a.password_changed_at,
             (SELECT COUNT(*) FROM session s WHERE s.org_id = a.org_id AND s.account_id = a.id AND s.expires_at > $3
                 AND s.last_seen_at > $4) AS sessions
         FROM account a WHERE a.org_id = $1 AND a.id = $2",
        org,
        account,
        now,
        now - session::IDLE
    )?;
    let is_locked = throttle::sign_in::is_account_locked(conn, secret, email, now).await?;
    Ok(AccountSecurityFacts { is_locked, ..found })
}

/// Facts of a business. Calls to install addresses are shown to operators only: they say nothing about a business.
pub async fn load_org_facts(
    conn: &mut dyn AsConn,
    org: OrgId,
    is_operator: bool,
    now: DateTime<Utc>,
) -> Result<OrgSecurityFacts> {
    let found = q!(
        &mut *conn,
        fetch_one as OrgSecurityFacts,
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
             (SELECT MAX(seen_at) FROM worker_heartbeat) AS worker_seen,
             (SELECT MAX(refused_at) FROM org_webhook_health WHERE org_id = $1) AS refused_at,
             (SELECT COUNT(*) FROM message m WHERE m.org_id = $1 AND m.id >= $2 AND m.direction = 'out'
                 AND m.channel = 'email' AND m.status IN ('failed', 'unknown')
                 AND EXISTS (SELECT 1 FROM account a WHERE a.org_id = $1 AND a.email = m.to_address)) AS emails_lost",
        org,
        // Ids are ordered by time, and a business's messages are indexed by id.
        live::min_id_at(now - LATELY)
    )?;
    if !is_operator {
        return Ok(found);
    }
    let sql = "SELECT MAX(refused_at) FROM webhook_health";
    let at_install = q!(conn, fetch_one scalar Option<DateTime<Utc>>, sql)?;
    Ok(OrgSecurityFacts { refused_at: found.refused_at.max(at_install), ..found })
}

pub(super) fn days_since(now: DateTime<Utc>, at: DateTime<Utc>) -> i64 {
    (now - at).max(Duration::zero()).num_days()
}
