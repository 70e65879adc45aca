//! Controls of a business and of its install, without those of the caller's own account.

use chrono::{DateTime, Duration, Utc};

use super::{
    super::facts::{InstallSecurityFacts, OrgSecurityFacts, SecretKeySource, days_since},
    SecurityControl, SecurityControlGroup,
};
use crate::platform::db::tenant_scope::RlsStatus;

/// Maximum age of a key, in days.
const OLD_KEY: i64 = 730;
/// Worker heartbeats come every 15 seconds.
const WORKER_SILENT: Duration = Duration::minutes(10);
/// The log is verified and anchored daily; one missed turn is tolerated.
const LOOKED_THROUGH: Duration = Duration::hours(50);
/// Backups run nightly (trust 83).
const BACKED_UP: Duration = Duration::hours(26);
const REFUSED_LATELY: Duration = Duration::days(1);

pub(super) fn team_controls(business: &OrgSecurityFacts) -> Vec<SecurityControl> {
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

pub(super) fn data_controls(install: &InstallSecurityFacts, now: DateTime<Utc>) -> Vec<SecurityControl> {
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
pub(super) fn tenant_isolation_control(install: &InstallSecurityFacts) -> Option<SecurityControl> {
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

pub(super) fn operations_controls(
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

pub(super) fn monitoring_controls(
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

pub(super) fn format_count(count: i64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn format_people_count(count: i64) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

fn format_last_at(at: Option<DateTime<Utc>>, never: &str) -> String {
    at.map_or_else(|| never.to_owned(), |at| format!("last {} UTC", at.format("%Y-%m-%d %H:%M")))
}
