//! The compliance report: what was looked at and found, as markdown, with what is not in place said as plainly as what is.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use super::{
    AlertView,
    check::{Control, SecurityReport, SecurityStatus},
    facts::Business,
};

/// What stands in the report.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub status: &'a SecurityStatus,
    pub report: &'a SecurityReport,
    pub business: &'a Business,
    pub alerts: &'a [AlertView],
}

/// `security-compliance-Toolbox-AI-2026-11-22.md`: of the name, what any disk takes.
#[must_use]
pub fn file_name(organisation: &str, now: DateTime<Utc>, zone: Tz) -> String {
    let words: Vec<String> = organisation
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    format!("security-compliance-{}-{}.md", words.join("-"), now.with_timezone(&zone).format("%Y-%m-%d"))
}

/// The report.
#[must_use]
pub fn markdown(organisation: &str, found: &Found<'_>, now: DateTime<Utc>) -> String {
    let measures = &found.report.security_measures;
    let mut text = String::with_capacity(4_096);
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "# Security compliance report: {}\n\nMade on {} UTC. Every line was looked at when this report was made; nothing is taken from a template.\n\nSecurity score: {} of 100",
        plain(organisation),
        now.format("%Y-%m-%d %H:%M"),
        found.status.security_score
    );
    group(&mut text, "Authentication", &measures.authentication);
    group(&mut text, "Data protection", &measures.data_protection);
    group(&mut text, "Infrastructure", &measures.infrastructure);
    group(&mut text, "Monitoring", &measures.monitoring);
    let _ = writeln!(text, "\n## Audit log\n\n- Lines: {}", found.business.audit_lines);
    let checked = found.business.audit_checked_at;
    let looked = checked.map_or_else(|| "not yet".to_owned(), |at| format!("{} UTC", at.format("%Y-%m-%d %H:%M")));
    let _ = writeln!(text, "- Last looked through: {looked}");
    if let Some(detail) = &found.business.audit_detail {
        let _ = writeln!(text, "- Found: {}", plain(detail));
    }
    text.push_str("\n## Security alerts\n\n");
    for alert in found.alerts {
        let state = if alert.enabled { "on" } else { "**not in place** (switched off)" };
        let _ = writeln!(text, "- {}: {state}", alert.name);
    }
    text.push_str("\n## Recommendations\n\n");
    if found.status.recommendations.is_empty() {
        text.push_str("- None: all that is looked at is in place.\n");
    }
    for advice in &found.status.recommendations {
        let _ = writeln!(text, "- {}", plain(advice));
    }
    text
}

fn group(text: &mut String, title: &str, controls: &[Control]) {
    let _ = writeln!(text, "\n## {title}\n");
    for control in controls {
        let state = if control.ok { "in place" } else { "**not in place**" };
        let _ = writeln!(text, "- {}: {state} ({})", control.name, plain(&control.detail));
    }
}

/// Words of people as one line in which markdown finds nothing to draw.
fn plain(words: &str) -> String {
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
        Alert,
        check::{self, tests as looked},
        facts::Install,
    };

    fn made(organisation: &str, install: &Install, is_on: bool) -> String {
        let (person, business, now) = (looked::person(), looked::business(), looked::now());
        let controls = check::all(&person, &business, install, now);
        let status = check::status(&person, install, &controls);
        let report = check::report(controls);
        let alerts = [AlertView {
            alert_id: Alert::StopRate,
            name: Alert::StopRate.name(),
            description: Alert::StopRate.when(),
            enabled: is_on,
            last_fired_at: None,
        }];
        let found = Found { status: &status, report: &report, business: &business, alerts: &alerts };
        markdown(organisation, &found, now)
    }

    #[test]
    fn what_is_not_in_place_is_said() {
        let whole = made("Acme Plumbing", &looked::install(), true);
        assert!(whole.starts_with("# Security compliance report: Acme Plumbing\n"), "{whole}");
        assert!(!whole.contains("not in place") && whole.contains("Security score: 100 of 100"), "{whole}");
        let without = made("Acme Plumbing", &Install { last_backup: None, ..looked::install() }, false);
        assert!(without.contains("- Verified backup: **not in place** (no backup is known)"), "{without}");
        assert!(without.contains("- Many people say STOP: **not in place** (switched off)"), "{without}");
        assert!(without.contains("- Have a backup made each night"), "{without}");
    }

    #[test]
    fn the_name_of_a_business_draws_nothing() {
        let text = made("Acme *& Sons*\n# <b>", &looked::install(), true);
        assert_eq!(text.lines().next(), Some("# Security compliance report: Acme \\*& Sons\\* \\# \\<b\\>"));
    }

    #[test]
    fn the_file_is_named_after_the_organisation_and_the_day() {
        let late = "2026-11-22T04:00:00Z".parse().unwrap();
        let zone = chrono_tz::America::Chicago;
        assert_eq!(file_name("Toolbox AI", late, zone), "security-compliance-Toolbox-AI-2026-11-21.md");
        assert_eq!(file_name("../a/b\r\n", late, zone), "security-compliance-a-b-2026-11-21.md");
        assert_eq!(file_name("Ñandú & Co.", late, zone), "security-compliance-Ñandú-Co-2026-11-21.md");
    }
}
