//! What each control makes of an install, a business and a person.

use super::*;

pub(in crate::domain::tenancy::security) fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + Duration::days(20_000)
}

pub(in crate::domain::tenancy::security) fn person() -> Person {
    Person { two_factor: true, password_changed_at: now() - Duration::days(10), sessions: 2, is_locked: false }
}

pub(in crate::domain::tenancy::security) fn business() -> Business {
    Business {
        people: 3,
        without_second_factor: 0,
        weak_hashes: 0,
        owners: 2,
        alerts_off: 0,
        audit_lines: 120,
        audit_ok: Some(true),
        audit_checked_at: Some(now() - Duration::hours(3)),
        audit_detail: Some("All 120 lines are as they were written.".to_owned()),
        anchored_at: Some(now() - Duration::hours(20)),
        worker_seen: Some(now()),
        refused_at: None,
        emails_lost: 0,
    }
}

pub(in crate::domain::tenancy::security) fn install() -> Install {
    Install {
        is_https: true,
        mail_leaves: true,
        seals: true,
        key: Key::File { made_at: now() - Duration::days(30), is_private: true },
        is_current: true,
        second_wall: Standing::Stands,
        last_backup: Some(now() - Duration::hours(8)),
    }
}

#[test]
fn with_everything_in_place_it_is_a_hundred_and_there_is_nothing_to_do() {
    let controls = all(&person(), &business(), &install(), now());
    let status = status(&person(), &install(), &controls);
    assert_eq!((status.security_score, status.recommendations), (100, Vec::new()));
    assert!(controls.iter().all(|control| control.ok && control.advice.is_none() && !control.detail.is_empty()));
}

#[test]
fn whatever_is_not_in_place_lowers_the_score_and_says_how_to_raise_it() {
    type Fault = fn(&mut Person, &mut Business, &mut Install);
    let faults: [(&str, Fault); 21] = [
        ("Two-factor authentication on your account", |p, _, _| p.two_factor = false),
        ("Password age", |p, _, _| p.password_changed_at = now() - Duration::days(365)),
        ("Open sessions", |p, _, _| p.sessions = 6),
        ("Encrypted connection (HTTPS)", |_, _, i| i.is_https = false),
        ("Two-factor authentication for everybody", |_, b, _| b.without_second_factor = 1),
        ("Password hashing (Argon2id)", |_, b, _| b.weak_hashes = 1),
        ("More than one owner", |_, b, _| b.owners = 1),
        ("Secrets encrypted at rest (AES-256-GCM)", |_, _, i| i.seals = false),
        ("Secret key outside the database", |_, _, i| i.key = Key::File { made_at: now(), is_private: false }),
        ("Age of the secret key", |_, _, i| {
            i.key = Key::File { made_at: now() - Duration::days(730), is_private: true };
        }),
        ("Businesses kept apart by the database (row-level security)", |_, _, i| {
            i.second_wall = Standing::Bypassed;
        }),
        ("Businesses kept apart by the database (row-level security)", |_, _, i| i.second_wall = Standing::Open(1)),
        ("Verified backup", |_, _, i| i.last_backup = Some(now() - Duration::hours(27))),
        ("Database schema up to date", |_, _, i| i.is_current = false),
        ("Worker alive", |_, b, _| b.worker_seen = None),
        ("Audit log unbroken", |_, b, _| b.audit_ok = Some(false)),
        ("Audit log sealed by mail", |_, b, _| b.anchored_at = None),
        ("Security alerts", |_, b, _| b.alerts_off = 1),
        ("Alerts reach people by email", |_, _, i| i.mail_leaves = false),
        ("Alerts reach people by email", |_, b, _| b.emails_lost = 1),
        ("No forged calls of providers", |_, b, _| b.refused_at = Some(now() - Duration::hours(1))),
    ];
    for (name, fault) in faults {
        let (mut person, mut business, mut install) = (person(), business(), install());
        fault(&mut person, &mut business, &mut install);
        let controls = all(&person, &business, &install, now());
        let missing: Vec<_> = controls.iter().filter(|control| !control.ok).collect();
        assert!(missing.iter().any(|control| control.name == name && control.advice.is_some()), "{name}");
        let status = status(&person, &install, &controls);
        assert!(status.security_score < 100, "{name}");
        assert_eq!(status.recommendations.len(), missing.len(), "{name}");
    }
}

#[test]
fn what_cannot_be_looked_at_is_not_said() {
    let named = |install: &Install| {
        all(&person(), &business(), install, now()).iter().any(|control| control.name == "Age of the secret key")
    };
    assert!(named(&install()));
    assert!(!named(&Install { key: Key::Environment, ..install() }));
}

#[test]
fn of_a_wall_that_the_database_cannot_have_nothing_is_said() {
    let named = |second_wall| {
        let controls = all(&person(), &business(), &Install { second_wall, ..install() }, now());
        controls.into_iter().any(|control| control.name.contains("row-level security"))
    };
    assert!(!named(Standing::Absent) && named(Standing::Stands));
}

#[test]
fn the_most_worth_is_recommended_first() {
    let (person, mut business, mut install) = (Person { two_factor: false, ..person() }, business(), install());
    business.alerts_off = 2;
    install.is_https = false;
    let controls = all(&person, &business, &install, now());
    let status = status(&person, &install, &controls);
    assert!(status.recommendations[0].starts_with("Turn on two-factor"), "{:?}", status.recommendations);
    assert!(!status.session_secure);
}

#[test]
fn every_control_is_in_one_of_the_four_groups() {
    let controls = all(&person(), &business(), &install(), now());
    let count = controls.len();
    let measures = report(controls).security_measures;
    let groups = [&measures.authentication, &measures.data_protection, &measures.infrastructure, &measures.monitoring];
    assert!(groups.iter().all(|group| !group.is_empty()));
    assert_eq!(groups.iter().map(|group| group.len()).sum::<usize>(), count);
}
