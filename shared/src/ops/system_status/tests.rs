//! The five tools as tables: what is seen, and what is said of it.

use chrono::{DateTime, Duration, Utc};

use super::*;
use crate::domain::{
    messaging::message::Channel,
    tenancy::org::{Org, Recipient, Settings, Switches, Wordings},
};

fn profile() -> Profile {
    Profile {
        org: Org { phone: None, review_link: Some("https://example.com/r".into()), ..Org::acme() },
        switches: Switches::ALL_ON,
        settings: Settings::default(),
        wordings: Wordings::default(),
        has_bookable_crew: false,
        has_device: false,
        reaches_office: false,
        has_hook: false,
        recipients: vec![Recipient { channel: Channel::Email, address: "a@b.example".into() }],
    }
}

fn probes(texts: bool, email: bool) -> Probes {
    let probe = |ok| Probe { ok, detail: "asked".into() };
    Probes { texts: probe(texts), email: probe(email) }
}

/// A worker that was seen just now, and figures that were counted.
fn alive(now: DateTime<Utc>) -> Facts {
    Facts { worker_seen: Some(now), counted_at: Some(now), ..Facts::default() }
}

fn healths(profile: &Profile, facts: &Facts, probes: &Probes, now: DateTime<Utc>) -> Vec<Health> {
    status(profile, facts, probes, now).into_iter().map(|tool| tool.status).collect()
}

#[test]
fn all_five_are_operational_when_nothing_is_wrong() {
    let now = DateTime::UNIX_EPOCH;
    let tools = status(&profile(), &alive(now), &probes(true, true), now);
    assert_eq!(tools.len(), 5);
    let said: Vec<&str> = tools.iter().map(|tool| tool.detail.as_str()).collect();
    assert_eq!(
        said,
        [
            WELL,
            WELL,
            "no job is booked yet, so nothing is sent",
            "no job is done yet, so nobody is asked for a review",
            "no report was sent yet",
        ]
    );
    for tool in tools {
        assert_eq!(serde_json::to_value(tool.status).unwrap(), "operational", "{tool:?}");
    }
}

#[test]
fn worker_whose_clock_is_off_degrades_the_tools_and_says_by_how_much() {
    let now = DateTime::UNIX_EPOCH;
    let facts = Facts { clock_off_ms: Some(7_200_000), ..alive(now) };
    let tools = status(&profile(), &facts, &probes(true, true), now);
    assert_eq!(tools[0].status, Health::Degraded);
    assert!(tools[0].detail.contains("120 min ahead"), "{}", tools[0].detail);
}

#[test]
fn late_work_degrades_every_tool_and_lost_work_stops_it() {
    use Health::{Degraded, Down, Operational};
    let now = DateTime::UNIX_EPOCH + Duration::days(1);
    for (minutes, health) in [(0, Operational), (2, Degraded), (11, Down)] {
        let at = Some(now - Duration::minutes(minutes));
        let waiting = Facts { oldest_due: at, ..alive(now) };
        let held = Facts { oldest_lease: at, ..alive(now) };
        let silent = Facts { worker_seen: at, ..alive(now) };
        for facts in [waiting, held, silent] {
            assert_eq!(healths(&profile(), &facts, &probes(true, true), now), [health; 5], "{minutes}");
        }
    }
    assert_eq!(healths(&profile(), &Facts::default(), &probes(true, true), now), [Down; 5], "never seen");
}

#[test]
fn each_missing_thing_shows_where_it_matters() {
    use Health::{Degraded, Down, Operational};
    let now = DateTime::UNIX_EPOCH;
    let fine = alive(now);
    let seen = |texts, email| healths(&profile(), &fine, &probes(texts, email), now);
    assert_eq!(seen(false, true), [Operational, Degraded, Operational, Degraded, Operational]);
    assert_eq!(seen(true, false), [Degraded, Degraded, Operational, Operational, Degraded]);
    assert_eq!(seen(false, false), [Degraded, Down, Operational, Degraded, Degraded]);
    let failed = Facts { failed_texts: 1, ..alive(now) };
    assert_eq!(healths(&profile(), &failed, &probes(true, true), now)[1], Degraded);
    let mut bare = profile();
    bare.recipients.clear();
    bare.org.review_link = None;
    let healths = healths(&bare, &fine, &probes(true, true), now);
    assert_eq!(healths, [Degraded, Operational, Operational, Degraded, Degraded]);
}

#[test]
fn a_business_whose_texts_are_held_is_not_operational_and_says_why() {
    use Health::{Degraded, Down};
    let now = DateTime::UNIX_EPOCH;
    let mut pending = profile();
    pending.settings.sending.registration = crate::domain::tenancy::org::settings::Registration::Pending;
    let mut without = profile();
    without.org.sms_number = None;
    for (profile, why) in [(pending, "not registered for texting"), (without, sms_link::NO_NUMBER)] {
        let tools = status(&profile, &alive(now), &probes(true, true), now);
        assert_eq!(tools[1].status, Degraded);
        assert!(tools[1].detail.starts_with("Texts: ") && tools[1].detail.contains(why), "{}", tools[1].detail);
    }
    let why = Some("the subscription has ended".to_owned());
    let facts = Facts { held: Held { texts: why.clone(), emails: why }, ..alive(now) };
    let tools = status(&profile(), &facts, &probes(true, true), now);
    assert_eq!(tools[1].status, Down);
    let checks: Vec<_> = tools[1].checks.iter().filter(|check| !check.ok).map(|check| check.detail.as_str()).collect();
    let ended = "the subscription has ended";
    assert_eq!(checks, [ended, ended, "neither texts nor email can leave"]);
    assert_eq!(tools[0].status, Health::Operational, "its own people are told");
}

#[test]
fn what_is_in_doubt_is_counted_and_shown() {
    let now = DateTime::UNIX_EPOCH;
    let facts = Facts { in_doubt: 2, ..alive(now) };
    let tools = status(&profile(), &facts, &probes(true, true), now);
    let check = tools[1].checks.iter().find(|check| check.name == "In doubt").unwrap();
    assert!(check.ok && check.detail.starts_with("2 messages"), "{check:?}");
    assert_eq!(tools[1].status, Health::Operational);
}

#[test]
fn figures_that_were_wrong_or_not_counted_show() {
    use Health::{Degraded, Operational};
    let now = DateTime::UNIX_EPOCH + Duration::days(9);
    let at = |hours| Some(now - Duration::hours(hours));
    for (counted_at, days_wrong, health) in [
        (at(20), Some(0), Operational),
        (at(20), None, Operational),
        (at(20), Some(3), Degraded),
        (at(51), Some(0), Degraded),
        (None, None, Degraded),
    ] {
        let facts = Facts { counted_at, days_wrong, ..alive(now) };
        assert_eq!(healths(&profile(), &facts, &probes(true, true), now)[4], health, "{counted_at:?} {days_wrong:?}");
    }
}

#[test]
fn a_tool_that_is_switched_off_is_well_and_says_so() {
    let mut off = profile();
    off.switches.kpi_reporting = false;
    let now = DateTime::UNIX_EPOCH;
    let tools = status(&off, &alive(now), &probes(true, true), now);
    assert_eq!((tools[4].status, tools[4].detail.as_str()), (Health::Operational, "switched off in Automation"));
}
