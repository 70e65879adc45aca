//! Security score: each control is checked, has a weight, and advice when missing. Every statement is the result of a
//! check. The score counts what the caller can put in place: for owners the business, for operators the install too.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::facts::{AccountSecurityFacts, InstallSecurityFacts, OrgSecurityFacts, days_since};

mod org_control;

use org_control::{
    data_controls, format_count, monitoring_controls, operations_controls, team_controls, tenant_isolation_control,
};

/// Maximum age of a password, in days.
const OLD_PASSWORD: i64 = 365;
/// Sessions above this count are unusual.
const MANY_SESSIONS: i64 = 5;
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
