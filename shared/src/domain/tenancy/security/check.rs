//! The score: each control is looked at, weighs what it is worth, and says how to raise the score when it is not in
//! place. Nothing here is said without having been looked at.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::facts::{Business, Install, Key, Person, days};
use crate::platform::db::tenant_scope::Standing;

/// A password and a key older than this are due to be changed.
const OLD_PASSWORD: i64 = 365;
const OLD_KEY: i64 = 730;
/// More devices than a person uses.
const MANY_SESSIONS: i64 = 5;
/// A worker gives a sign of life each 15 seconds.
const WORKER_SILENT: Duration = Duration::minutes(10);
/// The log is looked through each day, and the owner is mailed each day; a turn may be left out.
const LOOKED_THROUGH: Duration = Duration::hours(50);
/// Backups are made each night (trust 83).
const BACKED_UP: Duration = Duration::hours(26);
const REFUSED_LATELY: Duration = Duration::days(1);

/// The product's four groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Authentication,
    DataProtection,
    Infrastructure,
    Monitoring,
}

/// One control, as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SecurityControl)]
pub struct Control {
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
    group: Group,
    #[serde(skip)]
    weight: i64,
}

impl Control {
    fn new(group: Group, weight: i64, name: &'static str) -> Self {
        Self { name, ok: true, detail: String::new(), advice: None, link: None, group, weight }
    }

    fn found(self, ok: bool, detail: impl Into<String>) -> Self {
        Self { ok, detail: detail.into(), ..self }
    }

    fn else_do(self, advice: &'static str, link: Option<&'static str>) -> Self {
        if self.ok { self } else { Self { advice: Some(advice), link, ..self } }
    }
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
    pub authentication: Vec<Control>,
    pub data_protection: Vec<Control>,
    pub infrastructure: Vec<Control>,
    pub monitoring: Vec<Control>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SecurityReport {
    pub security_measures: SecurityMeasures,
}

/// What is one person's own.
#[must_use]
pub fn own(person: &Person, install: &Install, now: DateTime<Utc>) -> Vec<Control> {
    use Group::{Authentication, DataProtection};
    let age = days(now, person.password_changed_at);
    vec![
        Control::new(Authentication, 20, "Two-factor authentication on your account")
            .found(person.two_factor, if person.two_factor { "on" } else { "off" })
            .else_do("Turn on two-factor authentication for your account.", Some("/app/account")),
        Control::new(Authentication, 5, "Password age")
            .found(age < OLD_PASSWORD, format!("changed {} ago", counted(age, "day")))
            .else_do("Change your password: it is more than a year old.", Some("/app/account")),
        Control::new(Authentication, 5, "Open sessions")
            .found(person.sessions <= MANY_SESSIONS, format!("signed in on {}", counted(person.sessions, "device")))
            .else_do("End sessions on devices that you do not use any more.", Some("/app/account")),
        Control::new(DataProtection, 15, "Encrypted connection (HTTPS)")
            .found(
                install.is_https,
                if install.is_https { "https, enforced by HSTS" } else { "the public address is http" },
            )
            .else_do("Serve Toolbox over https: set PUBLIC_URL to an https address.", None),
        Control::new(DataProtection, 5, "Session cookie bound to this host")
            .found(
                install.is_https,
                if install.is_https { "__Host-, Secure, HttpOnly, SameSite" } else { "not Secure over http" },
            )
            .else_do("Serve Toolbox over https: only then can the cookie be bound to it.", None),
    ]
}

/// All that is a business's: what is the caller's own first.
#[must_use]
pub fn all(person: &Person, business: &Business, install: &Install, now: DateTime<Utc>) -> Vec<Control> {
    let mut all = own(person, install, now);
    all.extend(people(business));
    all.extend(data(install, now));
    all.extend(apart(&install.second_wall));
    all.extend(running(business, install, now));
    all.extend(watched(business, install, now));
    all
}

fn people(business: &Business) -> Vec<Control> {
    use Group::Authentication;
    let without = business.without_second_factor;
    vec![
        Control::new(Authentication, 10, "Two-factor authentication for everybody")
            .found(without == 0, format!("{} of {} sign in without it", without, counted_people(business.people)))
            .else_do("Have everybody turn on two-factor authentication.", Some("/app/account")),
        Control::new(Authentication, 5, "Password hashing (Argon2id)")
            .found(business.weak_hashes == 0, format!("{} kept otherwise", counted(business.weak_hashes, "password")))
            .else_do("Have those people sign in once: their passwords are kept anew then.", None),
        Control::new(Authentication, 3, "More than one owner")
            .found(business.owners > 1, counted(business.owners, "owner"))
            .else_do(
                "Make a second person owner, so that nobody is locked out of the business.",
                Some("/app/settings"),
            ),
    ]
}

fn data(install: &Install, now: DateTime<Utc>) -> Vec<Control> {
    use Group::DataProtection;
    let (is_private, age, kept) = match &install.key {
        Key::Environment => (true, None, "kept by whoever runs the server (SECRET_KEY)".to_owned()),
        Key::File { made_at, is_private } => {
            let age = days(now, *made_at);
            (*is_private, Some(age), format!("a file of its own, {} old", counted(age, "day")))
        }
    };
    let mut found = vec![
        Control::new(DataProtection, 5, "Secrets encrypted at rest (AES-256-GCM)")
            .found(
                install.seals,
                if install.seals { "sealed and opened just now" } else { "the key does not open what it seals" },
            )
            .else_do("Restore the secret key that this database was written with.", None),
        Control::new(DataProtection, 5, "Secret key outside the database")
            .found(is_private, kept)
            .else_do("Make the file secret.key in DATA_DIR readable by the server alone (mode 0600).", None),
    ];
    // How old a key of the environment is, nobody can look at.
    found.extend(age.map(|age| {
        Control::new(DataProtection, 2, "Age of the secret key")
            .found(age < OLD_KEY, counted(age, "day"))
            .else_do("Plan a new secret key: this one is more than two years old.", None)
    }));
    found
}

/// Where the database can keep businesses apart by itself, whether it does. `SQLite` cannot, and nothing is said of it.
fn apart(standing: &Standing) -> Option<Control> {
    let found = match standing {
        Standing::Absent => return None,
        Standing::Stands => "on every table that holds rows of a business".to_owned(),
        Standing::Owned => "the database role owns the tables and could take it away".to_owned(),
        Standing::Bypassed => "the database role passes by every policy".to_owned(),
        Standing::Open(tables) => {
            format!("{} without it", counted(i64::try_from(*tables).unwrap_or(i64::MAX), "table"))
        }
    };
    let control = Control::new(Group::DataProtection, 5, "Businesses kept apart by the database (row-level security)")
        .found(*standing == Standing::Stands, found)
        .else_do(
            "Have Toolbox serve with a PostgreSQL role that owns no table (DATABASE_URL), migrate with the one that owns them (DATABASE_MIGRATE_URL), and run api migrate.",
            None,
        );
    Some(control)
}

fn running(business: &Business, install: &Install, now: DateTime<Utc>) -> Vec<Control> {
    use Group::Infrastructure;
    let is_backed_up = install.last_backup.is_some_and(|at| now - at <= BACKED_UP);
    let lives = business.worker_seen.is_some_and(|at| now - at <= WORKER_SILENT);
    vec![
        Control::new(Infrastructure, 15, "Verified backup")
            .found(is_backed_up, since(install.last_backup, "no backup is known"))
            .else_do("Have a backup made each night, and keep it on another machine.", None),
        Control::new(Infrastructure, 5, "Database schema up to date")
            .found(
                install.is_current,
                if install.is_current { "as this version of Toolbox has it" } else { "older than this version" },
            )
            .else_do("Run api migrate.", None),
        Control::new(Infrastructure, 5, "Worker alive")
            .found(lives, since(business.worker_seen, "no worker was ever seen"))
            .else_do(
                "Start the worker: without it nothing is sent and nothing is watched.",
                Some("/app/settings?tab=control-panel"),
            ),
    ]
}

fn watched(business: &Business, install: &Install, now: DateTime<Utc>) -> Vec<Control> {
    use Group::Monitoring;
    let is_fresh = |at: Option<DateTime<Utc>>| at.is_some_and(|at| now - at <= LOOKED_THROUGH);
    let is_whole = business.audit_ok == Some(true) && is_fresh(business.audit_checked_at);
    let found = business.audit_detail.clone().unwrap_or_else(|| "not looked through yet".to_owned());
    let was_refused = business.refused_at.is_some_and(|at| now - at <= REFUSED_LATELY);
    vec![
        Control::new(Monitoring, 10, "Audit log unbroken")
            .found(is_whole, found)
            .else_do("Have the audit log looked through now, and read what it says.", Some("/app/admin")),
        Control::new(Monitoring, 3, "Audit log sealed by mail")
            .found(is_fresh(business.anchored_at), since(business.anchored_at, "not yet"))
            .else_do("Keep the worker running: it mails the seal once a day.", None),
        Control::new(Monitoring, 5, "Security alerts")
            .found(business.alerts_off == 0, format!("{} switched off", business.alerts_off))
            .else_do("Switch all security alerts on.", Some("/app/admin")),
        Control::new(Monitoring, 5, "Alerts reach people by email")
            .found(install.mail_leaves && business.emails_lost == 0, letters(business, install))
            .else_do(
                if install.mail_leaves {
                    "Look at the addresses of your people and at the mail server: letters to them did not arrive."
                } else {
                    "Set a mail server (SMTP_URL)."
                },
                None,
            ),
        Control::new(Monitoring, 2, "No forged calls of providers")
            .found(!was_refused, since(business.refused_at, "none ever"))
            .else_do(
                "Look at the providers' addresses: calls without a valid signature came in the last 24 hours.",
                Some("/app/settings?tab=control-panel"),
            ),
    ]
}

fn letters(business: &Business, install: &Install) -> String {
    let way = if install.mail_leaves { "a mail server is set" } else { "no mail server is set" };
    format!("{way}; lost in the last 24 hours: {}", counted(business.emails_lost, "letter"))
}

/// "1 day", "2 days".
fn counted(count: i64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn counted_people(count: i64) -> String {
    if count == 1 { "1 person".to_owned() } else { format!("{count} people") }
}

fn since(at: Option<DateTime<Utc>>, never: &str) -> String {
    at.map_or_else(|| never.to_owned(), |at| format!("last {} UTC", at.format("%Y-%m-%d %H:%M")))
}

/// What is in place of a hundred, by weight.
#[must_use]
pub fn score(controls: &[Control]) -> i64 {
    let whole: i64 = controls.iter().map(|control| control.weight).sum();
    let there: i64 = controls.iter().filter(|control| control.ok).map(|control| control.weight).sum();
    if whole == 0 { 0 } else { (there * 100 + whole / 2) / whole }
}

/// The status card of one person over what they may see.
#[must_use]
pub fn status(person: &Person, install: &Install, controls: &[Control]) -> SecurityStatus {
    let mut missing: Vec<&Control> = controls.iter().filter(|control| !control.ok).collect();
    missing.sort_by_key(|control| std::cmp::Reverse(control.weight));
    SecurityStatus {
        security_score: score(controls),
        two_factor_enabled: person.two_factor,
        account_locked: person.is_locked,
        session_secure: install.is_https,
        recommendations: missing.into_iter().filter_map(|control| control.advice.map(ToOwned::to_owned)).collect(),
    }
}

/// By group, in the order in which they were looked at.
#[must_use]
pub fn report(controls: Vec<Control>) -> SecurityReport {
    let mut measures = SecurityMeasures {
        authentication: Vec::new(),
        data_protection: Vec::new(),
        infrastructure: Vec::new(),
        monitoring: Vec::new(),
    };
    for control in controls {
        match control.group {
            Group::Authentication => &mut measures.authentication,
            Group::DataProtection => &mut measures.data_protection,
            Group::Infrastructure => &mut measures.infrastructure,
            Group::Monitoring => &mut measures.monitoring,
        }
        .push(control);
    }
    SecurityReport { security_measures: measures }
}

#[cfg(test)]
pub(super) mod tests;
