//! Security score: each control is checked, has a weight, and advice when missing. Every statement is the result of a
//! check. The score counts what the caller can put in place: for owners the business, for operators the install too.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::facts::{AccountSecurityFacts, InstallSecurityFacts, OrgSecurityFacts, SecretKeySource, days_since};
use crate::platform::db::tenant_scope::RlsStatus;

/// Maximum age of a password and of a key, in days.
const OLD_PASSWORD: i64 = 365;
const OLD_KEY: i64 = 730;
/// Sessions above this count are unusual.
const MANY_SESSIONS: i64 = 5;
/// Worker heartbeats come every 15 seconds.
const WORKER_SILENT: Duration = Duration::minutes(10);
/// The log is verified and anchored daily; one missed turn is tolerated.
const LOOKED_THROUGH: Duration = Duration::hours(50);
/// Backups run nightly (trust 83).
const BACKED_UP: Duration = Duration::hours(26);
const REFUSED_LATELY: Duration = Duration::days(1);
/// Advice for an owner on a control of the install.
const ASK_OPERATOR: &str = "Ask the person who runs your Toolbox.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityControlGroup {
    Authentication,
    DataProtection,
    Infrastructure,
    Monitoring,
}

/// One control, as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecurityControl {
    pub name: &'static str,
    /// Whether it is in place.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// How to put it in place; none when it is.
    pub advice: Option<&'static str>,
    /// Where in the app that is done.
    pub link: Option<&'static str>,
    #[serde(skip)]
    group: SecurityControlGroup,
    #[serde(skip)]
    weight: i64,
    /// Advice for who runs the install; none where the business itself can act.
    #[serde(skip)]
    operator_advice: Option<&'static str>,
    /// Whether it counts for the score and is recommended.
    #[serde(skip)]
    is_counted: bool,
}

impl SecurityControl {
    fn new(group: SecurityControlGroup, weight: i64, name: &'static str) -> Self {
        let (detail, operator_advice) = (String::new(), None);
        Self { name, ok: true, detail, advice: None, link: None, group, weight, operator_advice, is_counted: true }
    }

    fn with_result(self, ok: bool, detail: impl Into<String>) -> Self {
        Self { ok, detail: detail.into(), ..self }
    }

    fn with_advice(self, advice: &'static str, link: Option<&'static str>) -> Self {
        if self.ok { self } else { Self { advice: Some(advice), link, ..self } }
    }

    /// A control that only the operator can put in place.
    fn with_operator_advice(self, advice: &'static str) -> Self {
        let asked = self.with_advice(ASK_OPERATOR, None);
        Self { operator_advice: Some(advice), is_counted: false, ..asked }
    }
}

/// The controls for a caller who also runs the install: all are in their hands.
#[must_use]
pub fn as_operator(controls: Vec<SecurityControl>) -> Vec<SecurityControl> {
    let as_own = |control: SecurityControl| {
        let advice = if control.ok { None } else { control.operator_advice.or(control.advice) };
        SecurityControl { advice, is_counted: true, ..control }
    };
    controls.into_iter().map(as_own).collect()
}

/// How secure it is, as the status card shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityStatus {
    /// From 0 to 100: what is in place, of what was looked at, by weight.
    pub security_score: i64,
    pub two_factor_enabled: bool,
    /// Whether strangers have used up the tries of this account for now.
    pub account_locked: bool,
    /// Whether the cookie of this session is bound to this host over https.
    pub session_secure: bool,
    /// What raises the score, the most worth first.
    pub recommendations: Vec<String>,
}

/// The controls by group, as the overview and the report list them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecurityMeasures {
    pub authentication: Vec<SecurityControl>,
    pub data_protection: Vec<SecurityControl>,
    pub infrastructure: Vec<SecurityControl>,
    pub monitoring: Vec<SecurityControl>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecurityReport {
    pub security_measures: SecurityMeasures,
}

#[must_use]
pub fn account_controls(
    person: &AccountSecurityFacts,
    install: &InstallSecurityFacts,
    now: DateTime<Utc>,
) -> Vec<SecurityControl> {
    use SecurityControlGroup::{Authentication, DataProtection};
    let age = days_since(now, person.password_changed_at);
    vec![
        SecurityControl::new(Authentication, 20, "Two-factor authentication on your account")
            .with_result(person.two_factor, if person.two_factor { "on" } else { "off" })
            .with_advice("Turn on two-factor authentication for your account.", Some("/app/account")),
        SecurityControl::new(Authentication, 5, "Password age")
            .with_result(age < OLD_PASSWORD, format!("changed {} ago", format_count(age, "day")))
            .with_advice("Change your password: it is more than a year old.", Some("/app/account")),
        SecurityControl::new(Authentication, 5, "Open sessions")
            .with_result(
                person.sessions <= MANY_SESSIONS,
                format!("signed in on {}", format_count(person.sessions, "device")),
            )
            .with_advice("End sessions on devices that you no longer use.", Some("/app/account")),
        SecurityControl::new(DataProtection, 15, "Encrypted connection (HTTPS)")
            .with_result(
                install.is_https,
                if install.is_https { "https, enforced by HSTS" } else { "the public address is http" },
            )
            .with_operator_advice("Serve Toolbox over https: set PUBLIC_URL to an https address."),
        SecurityControl::new(DataProtection, 5, "Session cookie bound to this host")
            .with_result(
                install.is_https,
                if install.is_https { "__Host-, Secure, HttpOnly, SameSite" } else { "not Secure over http" },
            )
            .with_operator_advice("Serve Toolbox over https: only then can the cookie be bound to it."),
    ]
}

/// Controls of a business, the caller's own first.
#[must_use]
pub fn org_controls(
    person: &AccountSecurityFacts,
    business: &OrgSecurityFacts,
    install: &InstallSecurityFacts,
    now: DateTime<Utc>,
) -> Vec<SecurityControl> {
    let mut all = account_controls(person, install, now);
    all.extend(team_controls(business));
    all.extend(data_controls(install, now));
    all.extend(tenant_isolation_control(install));
    all.extend(operations_controls(business, install, now));
    all.extend(monitoring_controls(business, install, now));
    all
}

fn team_controls(business: &OrgSecurityFacts) -> Vec<SecurityControl> {
    use SecurityControlGroup::Authentication;
    let without = business.without_second_factor;
    vec![
        SecurityControl::new(Authentication, 10, "Two-factor authentication for everyone")
            .with_result(
                without == 0,
                format!("{} of {} sign in without it", without, format_people_count(business.people)),
            )
            .with_advice("Have everyone turn on two-factor authentication.", Some("/app/account")),
        SecurityControl::new(Authentication, 5, "Password hashing (Argon2id)")
            .with_result(
                business.weak_hashes == 0,
                format!("{} kept otherwise", format_count(business.weak_hashes, "password")),
            )
            .with_advice("Have those people sign in once: their passwords are then stored again.", None),
        SecurityControl::new(Authentication, 3, "More than one owner")
            .with_result(business.owners > 1, format_count(business.owners, "owner"))
            .with_advice(
                "Make a second person an owner, so that no one is locked out of the business.",
                Some("/app/settings/people"),
            ),
    ]
}

fn data_controls(install: &InstallSecurityFacts, now: DateTime<Utc>) -> Vec<SecurityControl> {
    use SecurityControlGroup::DataProtection;
    let (is_private, age, kept) = match &install.key {
        SecretKeySource::Environment => (true, None, "kept by the person who runs your Toolbox".to_owned()),
        SecretKeySource::File { made_at, is_private } => {
            let age = days_since(now, *made_at);
            (*is_private, Some(age), format!("a file of its own, {} old", format_count(age, "day")))
        }
    };
    let mut found = vec![
        SecurityControl::new(DataProtection, 5, "Secrets encrypted at rest (AES-256-GCM)")
            .with_result(
                install.seals,
                if install.seals { "sealed and opened just now" } else { "the key does not open what it seals" },
            )
            .with_operator_advice("Restore the secret key that this database was written with."),
        SecurityControl::new(DataProtection, 5, "Secret key kept apart from the data")
            .with_result(is_private, kept)
            .with_operator_advice("Make the file secret.key in DATA_DIR readable by the server alone (mode 0600)."),
    ];
    // The age of a key from the environment is unknown.
    found.extend(age.map(|age| {
        SecurityControl::new(DataProtection, 2, "Age of the secret key")
            .with_result(age < OLD_KEY, format_count(age, "day"))
            .with_operator_advice("Plan a new secret key: this one is more than two years old.")
    }));
    found
}

/// Row-level security, if the database supports it. `SQLite` does not, and no control is shown.
fn tenant_isolation_control(install: &InstallSecurityFacts) -> Option<SecurityControl> {
    let (serving, reports) = (&install.second_wall, install.reports_wall.as_ref());
    if *serving == RlsStatus::Unsupported {
        return None;
    }
    let reports_gap = reports.and_then(|status| describe_rls_gap(status, "the database role for reports"));
    let gaps: Vec<String> = describe_rls_gap(serving, "the database role").into_iter().chain(reports_gap).collect();
    let found =
        if gaps.is_empty() { "on every table that holds rows of a business".to_owned() } else { gaps.join("; ") };
    let advice = if *serving == RlsStatus::Enforced {
        "Name in DATABASE_REPORTS_URL the PostgreSQL role of DATABASE_URL: one that owns no table, is no superuser and has no BYPASSRLS."
    } else {
        "Have Toolbox serve with a PostgreSQL role that owns no table (DATABASE_URL, DATABASE_REPORTS_URL), migrate with the one that owns them (DATABASE_MIGRATE_URL), and run api migrate."
    };
    let control = SecurityControl::new(
        SecurityControlGroup::DataProtection,
        5,
        "Businesses kept apart by the database (row-level security)",
    )
    .with_result(gaps.is_empty(), found)
    .with_operator_advice(advice);
    Some(control)
}

/// What keeps the policies from holding for a role. `None` where nothing does.
fn describe_rls_gap(status: &RlsStatus, role: &str) -> Option<String> {
    match status {
        RlsStatus::Unsupported | RlsStatus::Enforced => None,
        RlsStatus::OwnedTables => Some(format!("{role} owns the tables and could take it away")),
        RlsStatus::Bypassed => Some(format!("{role} passes by every policy")),
        RlsStatus::MissingPolicies(tables) => {
            let tables = format_count(i64::try_from(*tables).unwrap_or(i64::MAX), "table");
            Some(format!("{role} finds {tables} without it"))
        }
    }
}

fn operations_controls(
    business: &OrgSecurityFacts,
    install: &InstallSecurityFacts,
    now: DateTime<Utc>,
) -> Vec<SecurityControl> {
    use SecurityControlGroup::Infrastructure;
    let is_backed_up = install.last_backup.is_some_and(|at| now - at <= BACKED_UP);
    let lives = business.worker_seen.is_some_and(|at| now - at <= WORKER_SILENT);
    vec![
        SecurityControl::new(Infrastructure, 15, "Nightly copy of all data, checked")
            .with_result(is_backed_up, format_last_at(install.last_backup, "no copy is known"))
            .with_operator_advice("Have a backup made each night, and keep it on another machine."),
        SecurityControl::new(Infrastructure, 5, "Data and program fit together")
            .with_result(
                install.is_current,
                if install.is_current { "as this version of Toolbox has it" } else { "older than this version" },
            )
            .with_operator_advice("Run api migrate."),
        SecurityControl::new(Infrastructure, 5, "Background work runs")
            .with_result(lives, format_last_at(business.worker_seen, "never seen"))
            .with_operator_advice("Start the worker: without it nothing is sent and nothing is watched."),
    ]
}

fn monitoring_controls(
    business: &OrgSecurityFacts,
    install: &InstallSecurityFacts,
    now: DateTime<Utc>,
) -> Vec<SecurityControl> {
    use SecurityControlGroup::Monitoring;
    let is_fresh = |at: Option<DateTime<Utc>>| at.is_some_and(|at| now - at <= LOOKED_THROUGH);
    let is_whole = business.audit_ok == Some(true) && is_fresh(business.audit_checked_at);
    let found = business.audit_detail.clone().unwrap_or_else(|| "not checked yet".to_owned());
    let was_refused = business.refused_at.is_some_and(|at| now - at <= REFUSED_LATELY);
    vec![
        SecurityControl::new(Monitoring, 10, "Audit log unbroken")
            .with_result(is_whole, found)
            .with_advice("Have the audit log checked now, and read what it says.", Some("/app/admin")),
        SecurityControl::new(Monitoring, 3, "Audit log sealed by mail")
            .with_result(is_fresh(business.anchored_at), format_last_at(business.anchored_at, "not yet"))
            .with_operator_advice("Keep the worker running: it mails the seal once a day."),
        SecurityControl::new(Monitoring, 5, "Security alerts")
            .with_result(business.alerts_off == 0, format!("{} switched off", business.alerts_off))
            .with_advice("Switch all security alerts on.", Some("/app/admin")),
        alert_delivery_control(business, install),
        SecurityControl::new(Monitoring, 2, "No forged provider calls")
            .with_result(!was_refused, format_last_at(business.refused_at, "none ever"))
            .with_operator_advice(
                "Look at the providers' addresses: calls without a valid signature came in the last 24 hours.",
            ),
    ]
}

/// The addresses are the business's concern, the mail server is the operator's.
fn alert_delivery_control(business: &OrgSecurityFacts, install: &InstallSecurityFacts) -> SecurityControl {
    let is_fine = install.mail_leaves && business.emails_lost == 0;
    let control = SecurityControl::new(SecurityControlGroup::Monitoring, 5, "Alerts reach people by email")
        .with_result(is_fine, mail_delivery_detail(business, install));
    if install.mail_leaves {
        control.with_advice(
            "Check the email addresses of your people: emails to them did not arrive.",
            Some("/app/settings/people"),
        )
    } else {
        control.with_operator_advice("Set a mail server (SMTP_URL).")
    }
}

fn mail_delivery_detail(business: &OrgSecurityFacts, install: &InstallSecurityFacts) -> String {
    let way = if install.mail_leaves { "email is set up" } else { "email is not set up" };
    format!("{way}; lost in the last 24 hours: {}", format_count(business.emails_lost, "letter"))
}

fn format_count(count: i64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn format_people_count(count: i64) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

fn format_last_at(at: Option<DateTime<Utc>>, never: &str) -> String {
    at.map_or_else(|| never.to_owned(), |at| format!("last {} UTC", at.format("%Y-%m-%d %H:%M")))
}

/// Weighted share of counted controls in place, 0 to 100.
#[must_use]
pub fn compute_score(controls: &[SecurityControl]) -> i64 {
    let counted = || controls.iter().filter(|control| control.is_counted);
    let whole: i64 = counted().map(|control| control.weight).sum();
    let there: i64 = counted().filter(|control| control.ok).map(|control| control.weight).sum();
    if whole == 0 { 0 } else { (there * 100 + whole / 2) / whole }
}

#[must_use]
pub fn build_status(
    person: &AccountSecurityFacts,
    install: &InstallSecurityFacts,
    controls: &[SecurityControl],
) -> SecurityStatus {
    let mut missing: Vec<&SecurityControl> =
        controls.iter().filter(|control| !control.ok && control.is_counted).collect();
    missing.sort_by_key(|control| std::cmp::Reverse(control.weight));
    SecurityStatus {
        security_score: compute_score(controls),
        two_factor_enabled: person.two_factor,
        account_locked: person.is_locked,
        session_secure: install.is_https,
        recommendations: missing.into_iter().filter_map(|control| control.advice.map(ToOwned::to_owned)).collect(),
    }
}

#[must_use]
pub fn build_report(controls: Vec<SecurityControl>) -> SecurityReport {
    let mut measures = SecurityMeasures {
        authentication: Vec::new(),
        data_protection: Vec::new(),
        infrastructure: Vec::new(),
        monitoring: Vec::new(),
    };
    for control in controls {
        match control.group {
            SecurityControlGroup::Authentication => &mut measures.authentication,
            SecurityControlGroup::DataProtection => &mut measures.data_protection,
            SecurityControlGroup::Infrastructure => &mut measures.infrastructure,
            SecurityControlGroup::Monitoring => &mut measures.monitoring,
        }
        .push(control);
    }
    SecurityReport { security_measures: measures }
}

#[cfg(test)]
pub(super) mod tests;
