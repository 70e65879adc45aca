//! Compliance report in markdown: all checks, including missing controls.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{
    SecurityAlert,
    check::{SecurityControl, SecurityReport, SecurityStatus},
    facts::OrgSecurityFacts,
};

#[derive(Clone, Copy, Debug)]
pub struct ComplianceReportInput<'a> {
    pub status: &'a SecurityStatus,
    pub report: &'a SecurityReport,
    pub business: &'a OrgSecurityFacts,
    pub alerts: &'a [SecurityAlert],
}

/// `security-compliance-Toolbox-AI-2026-11-22.md`, with file-safe characters of the name only.
#[must_use]
pub fn file_name(organisation: &str, now: DateTime<Utc>, zone: Tz) -> String {
    let words: Vec<String> = organisation
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    format!("security-compliance-{}-{}.md", words.join("-"), now.with_timezone(&zone).format("%Y-%m-%d"))
}

#[must_use]
pub fn render_markdown(organisation: &str, found: &ComplianceReportInput<'_>, now: DateTime<Utc>) -> String {
    let measures = &found.report.security_measures;
    let mut text = String::with_capacity(4_096);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "# Security compliance report: {}\n\nMade on {} UTC. Every line was looked at when this report was made; nothing is taken from a template.\n\nSecurity score: {} of 100",
        escape_markdown(organisation),
        now.format("%Y-%m-%d %H:%M"),
        found.status.security_score
    );
    write_control_group(&mut text, "Authentication", &measures.authentication);
    write_control_group(&mut text, "Data protection", &measures.data_protection);
    write_control_group(&mut text, "Infrastructure", &measures.infrastructure);
    write_control_group(&mut text, "Monitoring", &measures.monitoring);
    let _ = writeln!(text, "\n## Audit log\n\n- Lines: {}", found.business.audit_lines);
    let checked = found.business.audit_checked_at;
    let looked = checked.map_or_else(|| "not yet".to_owned(), |at| format!("{} UTC", at.format("%Y-%m-%d %H:%M")));
    let _ = writeln!(text, "- Last checked: {looked}");
    if let Some(detail) = &found.business.audit_detail {
        let _ = writeln!(text, "- Found: {}", escape_markdown(detail));
    }
    text.push_str("\n## Security alerts\n\n");
    for alert in found.alerts {
        let state = if alert.enabled { "on" } else { "**not in place** (switched off)" };
        let _ = writeln!(text, "- {}: {state}", alert.name);
    }
    text.push_str("\n## Recommendations\n\n");
    if found.status.recommendations.is_empty() {
        text.push_str("- None: you have done all that you can.\n");
    }
    for advice in &found.status.recommendations {
        let _ = writeln!(text, "- {}", escape_markdown(advice));
    }
    text
}

fn write_control_group(text: &mut String, title: &str, controls: &[SecurityControl]) {
    let _ = writeln!(text, "\n## {title}\n");
    for control in controls {
        let state = if control.ok { "in place" } else { "**not in place**" };
        let _ = writeln!(text, "- {}: {state} ({})", control.name, escape_markdown(&control.detail));
    }
}

/// Text on one line, with markdown syntax escaped.
fn escape_markdown(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    for c in words.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '!' => line.extend(['\\', c]),
            c if c.is_control() => line.push(' '),
            c => line.push(c),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::tenancy::security::{
        SecurityAlertId,
        check::{self, tests as looked},
        facts::InstallSecurityFacts,
    };

    fn made(organisation: &str, install: &InstallSecurityFacts, is_on: bool) -> String {
        let (person, business, now) = (looked::secure_account(), looked::secure_org(), looked::fixed_now());
        let controls = check::org_controls(&person, &business, install, now);
        let status = check::build_status(&person, install, &controls);
        let report = check::build_report(controls);
        let alerts = [SecurityAlert {
            alert_id: SecurityAlertId::StopRate,
            name: SecurityAlertId::StopRate.name(),
            description: SecurityAlertId::StopRate.trigger_description(),
            enabled: is_on,
            last_fired_at: None,
        }];
        let found = ComplianceReportInput { status: &status, report: &report, business: &business, alerts: &alerts };
        render_markdown(organisation, &found, now)
    }

    #[test]
    fn missing_control_is_reported_as_not_in_place() {
        let whole = made("Acme Plumbing", &looked::secure_install(), true);
        assert!(whole.starts_with("# Security compliance report: Acme Plumbing\n"), "{whole}");
        assert!(!whole.contains("not in place") && whole.contains("Security score: 100 of 100"), "{whole}");
        let without =
            made("Acme Plumbing", &InstallSecurityFacts { last_backup: None, ..looked::secure_install() }, false);
        assert!(
            without.contains("- Nightly copy of all data, checked: **not in place** (no copy is known)"),
            "{without}"
        );
        assert!(without.contains("- Many people say STOP: **not in place** (switched off)"), "{without}");
        assert!(without.contains("- None: you have done all that you can."), "{without}");
    }

    #[test]
    fn business_name_is_escaped_in_markdown_report() {
        let text = made("Acme *& Sons*\n# <b>", &looked::secure_install(), true);
        assert_eq!(text.lines().next(), Some("# Security compliance report: Acme \\*& Sons\\* \\# \\<b\\>"));
    }

    #[test]
    fn file_name_contains_organisation_name_and_local_date() {
        let late = "2026-11-22T04:00:00Z".parse().unwrap();
        let zone = chrono_tz::America::Chicago;
        assert_eq!(file_name("Toolbox AI", late, zone), "security-compliance-Toolbox-AI-2026-11-21.md");
        assert_eq!(file_name("../a/b\r\n", late, zone), "security-compliance-a-b-2026-11-21.md");
        assert_eq!(file_name("Ñandú & Co.", late, zone), "security-compliance-Ñandú-Co-2026-11-21.md");
    }
}
