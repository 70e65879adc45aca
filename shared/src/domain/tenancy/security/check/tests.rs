//! Tests of the controls for installs, businesses and persons.

use chrono::Duration;

use super::{super::facts::SecretKeySource, *};
use crate::platform::db::tenant_scope::RlsStatus;

pub(in crate::domain::tenancy::security) fn fixed_now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_000)
}

pub(in crate::domain::tenancy::security) fn secure_account() -> AccountSecurityFacts {
    AccountSecurityFacts {
        two_factor: true,
        password_changed_at: fixed_now() - Duration::days(10),
        sessions: 2,
        is_locked: false,
    }
}

pub(in crate::domain::tenancy::security) fn secure_org() -> OrgSecurityFacts {
    OrgSecurityFacts {
        people: 3,
        without_second_factor: 0,
        weak_hashes: 0,
        owners: 2,
        alerts_off: 0,
        audit_lines: 120,
        audit_ok: Some(true),
        audit_checked_at: Some(fixed_now() - Duration::hours(3)),
        audit_detail: Some("All 120 lines are as they were written.".to_owned()),
        anchored_at: Some(fixed_now() - Duration::hours(20)),
        worker_seen: Some(fixed_now()),
        refused_at: None,
        emails_lost: 0,
    }
}

pub(in crate::domain::tenancy::security) fn secure_install() -> InstallSecurityFacts {
    InstallSecurityFacts {
        is_https: true,
        mail_leaves: true,
        seals: true,
        key: SecretKeySource::File { made_at: fixed_now() - Duration::days(30), is_private: true },
        is_current: true,
        second_wall: RlsStatus::Enforced,
        reports_wall: Some(RlsStatus::Enforced),
        last_backup: Some(fixed_now() - Duration::hours(8)),
    }
}

#[test]
fn score_is_100_without_recommendations_when_all_controls_pass() {
    let controls = org_controls(&secure_account(), &secure_org(), &secure_install(), fixed_now());
    let status = build_status(&secure_account(), &secure_install(), &controls);
    assert_eq!((status.security_score, status.recommendations), (100, Vec::new()));
    assert!(controls.iter().all(|control| control.ok && control.advice.is_none() && !control.detail.is_empty()));
}

#[test]
fn missing_control_lowers_score_and_gets_a_recommendation() {
    type Fault = fn(&mut AccountSecurityFacts, &mut OrgSecurityFacts, &mut InstallSecurityFacts);
    let faults: [(&str, Fault); 22] = [
        ("Two-factor authentication on your account", |p, _, _| p.two_factor = false),
        ("Password age", |p, _, _| p.password_changed_at = fixed_now() - Duration::days(365)),
        ("Open sessions", |p, _, _| p.sessions = 6),
        ("Encrypted connection (HTTPS)", |_, _, i| i.is_https = false),
        ("Two-factor authentication for everyone", |_, b, _| b.without_second_factor = 1),
        ("Password hashing (Argon2id)", |_, b, _| b.weak_hashes = 1),
        ("More than one owner", |_, b, _| b.owners = 1),
        ("Secrets encrypted at rest (AES-256-GCM)", |_, _, i| i.seals = false),
        ("Secret key kept apart from the data", |_, _, i| {
            i.key = SecretKeySource::File { made_at: fixed_now(), is_private: false }
        }),
        ("Age of the secret key", |_, _, i| {
            i.key = SecretKeySource::File { made_at: fixed_now() - Duration::days(730), is_private: true };
        }),
        ("Businesses kept apart by the database (row-level security)", |_, _, i| {
            i.second_wall = RlsStatus::Bypassed;
        }),
        ("Businesses kept apart by the database (row-level security)", |_, _, i| {
            i.second_wall = RlsStatus::MissingPolicies(1);
        }),
        ("Businesses kept apart by the database (row-level security)", |_, _, i| {
            i.reports_wall = Some(RlsStatus::Bypassed);
        }),
        ("Nightly copy of all data, checked", |_, _, i| i.last_backup = Some(fixed_now() - Duration::hours(27))),
        ("Data and program fit together", |_, _, i| i.is_current = false),
        ("Background work runs", |_, b, _| b.worker_seen = None),
        ("Audit log unbroken", |_, b, _| b.audit_ok = Some(false)),
        ("Audit log sealed by mail", |_, b, _| b.anchored_at = None),
        ("Security alerts", |_, b, _| b.alerts_off = 1),
        ("Alerts reach people by email", |_, _, i| i.mail_leaves = false),
        ("Alerts reach people by email", |_, b, _| b.emails_lost = 1),
        ("No forged provider calls", |_, b, _| b.refused_at = Some(fixed_now() - Duration::hours(1))),
    ];
    for (name, fault) in faults {
        let (mut person, mut business, mut install) = (secure_account(), secure_org(), secure_install());
        fault(&mut person, &mut business, &mut install);
        let own = org_controls(&person, &business, &install, fixed_now());
        let (counted, left): (Vec<_>, Vec<_>) = own.iter().filter(|one| !one.ok).partition(|one| one.is_counted);
        assert!(counted.iter().chain(&left).any(|one| one.name == name && one.advice.is_some()), "{name}");
        assert!(left.iter().all(|one| one.advice == Some(ASK_OPERATOR)), "{name}");
        let status = build_status(&person, &install, &own);
        assert_eq!(status.security_score < 100, !counted.is_empty(), "{name}");
        assert_eq!(status.recommendations.len(), counted.len(), "{name}");
        let all = build_status(&person, &install, &as_operator(own.clone()));
        assert!(all.security_score < 100, "{name}");
        assert_eq!(all.recommendations.len(), counted.len() + left.len(), "{name}");
        assert!(!all.recommendations.iter().any(|advice| advice == ASK_OPERATOR), "{name}");
    }
}

#[test]
fn owner_reads_no_variable_of_the_install() {
    let install = InstallSecurityFacts {
        is_https: false,
        mail_leaves: false,
        seals: false,
        key: SecretKeySource::Environment,
        is_current: false,
        second_wall: RlsStatus::Bypassed,
        reports_wall: Some(RlsStatus::OwnedTables),
        last_backup: None,
    };
    let business = OrgSecurityFacts { worker_seen: None, anchored_at: None, ..secure_org() };
    for control in org_controls(&secure_account(), &business, &install, fixed_now()) {
        let words =
            format!("{} {} {}", control.name, control.detail, control.advice.unwrap_or_default()).to_lowercase();
        for hidden in ["_url", "secret_key", "data_dir", "worker", "backup", "api migrate", "smtp"] {
            assert!(!words.contains(hidden), "{hidden}: {words}");
        }
    }
}

#[test]
fn control_that_cannot_be_checked_is_omitted() {
    let named = |install: &InstallSecurityFacts| {
        org_controls(&secure_account(), &secure_org(), install, fixed_now())
            .iter()
            .any(|control| control.name == "Age of the secret key")
    };
    assert!(named(&secure_install()));
    assert!(!named(&InstallSecurityFacts { key: SecretKeySource::Environment, ..secure_install() }));
}

#[test]
fn row_level_security_control_is_omitted_where_database_lacks_it() {
    let named = |second_wall| {
        let controls = org_controls(
            &secure_account(),
            &secure_org(),
            &InstallSecurityFacts { second_wall, ..secure_install() },
            fixed_now(),
        );
        controls.into_iter().any(|control| control.name.contains("row-level security"))
    };
    assert!(!named(RlsStatus::Unsupported) && named(RlsStatus::Enforced));
}

#[test]
fn role_of_reports_that_bypasses_policies_is_named() {
    let control = |second_wall, reports_wall| {
        let install = InstallSecurityFacts { second_wall, reports_wall, ..secure_install() };
        let controls = as_operator(org_controls(&secure_account(), &secure_org(), &install, fixed_now()));
        let found = controls.into_iter().find(|control| control.name.contains("row-level security")).unwrap();
        (found.detail, found.advice.unwrap_or_default())
    };
    let (detail, advice) = control(RlsStatus::Enforced, Some(RlsStatus::Bypassed));
    assert_eq!(detail, "the database role for reports passes by every policy");
    assert!(advice.starts_with("Name in DATABASE_REPORTS_URL the PostgreSQL role of DATABASE_URL"), "{advice}");
    let (detail, _) = control(RlsStatus::OwnedTables, Some(RlsStatus::MissingPolicies(2)));
    let both = "the database role owns the tables and could take it away; the database role for reports finds 2 tables without it";
    assert_eq!(detail, both);
    assert_eq!(control(RlsStatus::Enforced, None).0, "on every table that holds rows of a business");
}

#[test]
fn recommendations_start_with_most_valuable_control() {
    let (person, mut business, mut install) =
        (AccountSecurityFacts { two_factor: false, ..secure_account() }, secure_org(), secure_install());
    business.alerts_off = 2;
    install.is_https = false;
    let controls = org_controls(&person, &business, &install, fixed_now());
    let status = build_status(&person, &install, &controls);
    assert!(status.recommendations[0].starts_with("Turn on two-factor"), "{:?}", status.recommendations);
    assert!(!status.session_secure);
}

#[test]
fn every_control_is_in_one_of_the_four_groups() {
    let controls = org_controls(&secure_account(), &secure_org(), &secure_install(), fixed_now());
    let count = controls.len();
    let measures = build_report(controls).security_measures;
    let groups = [&measures.authentication, &measures.data_protection, &measures.infrastructure, &measures.monitoring];
    assert!(groups.iter().all(|group| !group.is_empty()));
    assert_eq!(groups.iter().map(|group| group.len()).sum::<usize>(), count);
}
