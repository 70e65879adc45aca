//! Table tests of the status of the five tools.

use chrono::{DateTime, Duration, Utc};

use super::*;
use crate::{
    domain::{
        messaging::message::MessageChannel,
        tenancy::org::{FeatureSwitches, Org, OrgSettings, OrgWordings},
    },
    platform::recipient::Recipient,
};

fn profile() -> OrgProfile {
    OrgProfile {
        org: Org { phone: None, review_link: Some("https://example.com/r".into()), ..Org::acme() },
        switches: FeatureSwitches::ALL_ON,
        settings: OrgSettings::default(),
        wordings: OrgWordings::default(),
        has_bookable_crew: false,
        has_device: false,
        reaches_office: false,
        has_hook: false,
        recipients: vec![Recipient::from_stored(MessageChannel::Email, "a@b.example".into())],
    }
}

fn probes(texts: bool, email: bool) -> ProviderProbes {
    let probe = |ok| ProbeResult { ok, detail: "asked".into() };
    ProviderProbes { texts: probe(texts), email: probe(email) }
}

fn alive(now: DateTime<Utc>) -> SystemFacts {
    SystemFacts { worker_seen: Some(now), counted_at: Some(now), ..SystemFacts::default() }
}

fn healths(profile: &OrgProfile, facts: &SystemFacts, probes: &ProviderProbes, now: DateTime<Utc>) -> Vec<ToolHealth> {
    build_tool_statuses(profile, facts, probes, now).into_iter().map(|tool| tool.status).collect()
}

#[test]
fn tools_are_all_operational_when_nothing_is_wrong() {
    let now = DateTime::UNIX_EPOCH;
    let tools = build_tool_statuses(&profile(), &alive(now), &probes(true, true), now);
    assert_eq!(tools.len(), 5);
    let details: Vec<&str> = tools.iter().map(|tool| tool.detail.as_str()).collect();
    assert_eq!(
        details,
        [
            WELL,
            WELL,
            "no job is booked yet, so nothing is sent",
            "no job is done yet, so no one is asked for a review",
            "no report was sent yet",
        ]
    );
    for tool in tools {
        assert_eq!(serde_json::to_value(tool.status).unwrap(), "operational", "{tool:?}");
    }
}

#[test]
fn job_tracker_is_idle_until_a_job_is_booked_or_a_visit_message_sent() {
    let now = DateTime::UNIX_EPOCH + Duration::days(9);
    let (booked, sent) = (Some(now - Duration::days(2)), Some(now - Duration::days(1)));
    for (last_booked, last_job_message, last) in
        [(booked, sent, sent), (booked, None, booked), (None, sent, sent), (sent, booked, sent)]
    {
        let facts = SystemFacts { last_booked, last_job_message, ..alive(now) };
        let tracker = build_tool_statuses(&profile(), &facts, &probes(true, true), now).swap_remove(2);
        assert_eq!(
            (tracker.tool, tracker.last_success_at, tracker.detail.as_str()),
            (ProductTool::JobTracker, last, WELL)
        );
    }
}

#[test]
fn worker_clock_offset_degrades_tools_and_is_shown() {
    let now = DateTime::UNIX_EPOCH;
    let facts = SystemFacts { clock_off_ms: Some(7_200_000), ..alive(now) };
    let tools = build_tool_statuses(&profile(), &facts, &probes(true, true), now);
    assert_eq!(tools[0].status, ToolHealth::Degraded);
    assert!(tools[0].detail.contains("120 min ahead"), "{}", tools[0].detail);
}

#[test]
fn work_late_by_two_minutes_degrades_tools_and_by_eleven_stops_them() {
    use ToolHealth::{Degraded, Down, Operational};
    let now = DateTime::UNIX_EPOCH + Duration::days(1);
    for (minutes, health) in [(0, Operational), (2, Degraded), (11, Down)] {
        let at = Some(now - Duration::minutes(minutes));
        let waiting = SystemFacts { oldest_due: at, ..alive(now) };
        let held = SystemFacts { oldest_lease: at, ..alive(now) };
        let silent = SystemFacts { worker_seen: at, ..alive(now) };
        for facts in [waiting, held, silent] {
            assert_eq!(healths(&profile(), &facts, &probes(true, true), now), [health; 5], "{minutes}");
        }
    }
    assert_eq!(healths(&profile(), &SystemFacts::default(), &probes(true, true), now), [Down; 5], "never seen");
}

#[test]
fn missing_provider_or_setting_affects_only_dependent_tools() {
    use ToolHealth::{Degraded, Down, Operational};
    let now = DateTime::UNIX_EPOCH;
    let fine = alive(now);
    let seen = |texts, email| healths(&profile(), &fine, &probes(texts, email), now);
    assert_eq!(seen(false, true), [Operational, Degraded, Operational, Degraded, Operational]);
    assert_eq!(seen(true, false), [Degraded, Degraded, Operational, Operational, Degraded]);
    assert_eq!(seen(false, false), [Degraded, Down, Operational, Degraded, Degraded]);
    let failed = SystemFacts { failed_texts: 1, ..alive(now) };
    assert_eq!(healths(&profile(), &failed, &probes(true, true), now)[1], Degraded);
    let mut bare = profile();
    bare.recipients.clear();
    bare.org.review_link = None;
    let healths = healths(&bare, &fine, &probes(true, true), now);
    assert_eq!(healths, [Degraded, Operational, Operational, Degraded, Degraded]);
}

#[test]
fn held_texts_make_auto_reply_not_operational_with_reason() {
    use ToolHealth::{Degraded, Down};
    let now = DateTime::UNIX_EPOCH;
    let mut pending = profile();
    pending.settings.sending.registration = crate::domain::tenancy::org::settings::CarrierRegistration::Pending;
    let mut without = profile();
    without.org.sms_number = None;
    for (profile, why) in [(pending, "not registered for texting"), (without, sms_link::NO_NUMBER)] {
        let tools = build_tool_statuses(&profile, &alive(now), &probes(true, true), now);
        assert_eq!(tools[1].status, Degraded);
        assert!(tools[1].detail.starts_with("Texts: ") && tools[1].detail.contains(why), "{}", tools[1].detail);
    }
    let why = Some("the subscription has ended".to_owned());
    let facts = SystemFacts { held: SendBlocks { texts: why.clone(), emails: why }, ..alive(now) };
    let tools = build_tool_statuses(&profile(), &facts, &probes(true, true), now);
    assert_eq!(tools[1].status, Down);
    let checks: Vec<_> = tools[1].checks.iter().filter(|check| !check.ok).map(|check| check.detail.as_str()).collect();
    let ended = "the subscription has ended";
    assert_eq!(checks, [ended, ended, "neither texts nor email can leave"]);
    assert_eq!(tools[0].status, ToolHealth::Operational, "its own people are notified");
}

#[test]
fn messages_in_doubt_are_counted_without_degrading_the_tool() {
    let now = DateTime::UNIX_EPOCH;
    let facts = SystemFacts { in_doubt: 2, ..alive(now) };
    let tools = build_tool_statuses(&profile(), &facts, &probes(true, true), now);
    let check = tools[1].checks.iter().find(|check| check.name == "In doubt").unwrap();
    assert!(check.ok && check.detail.starts_with("2 messages"), "{check:?}");
    assert_eq!(tools[1].status, ToolHealth::Operational);
}

#[test]
fn wrong_or_stale_figures_degrade_reporting() {
    use ToolHealth::{Degraded, Operational};
    let now = DateTime::UNIX_EPOCH + Duration::days(9);
    let at = |hours| Some(now - Duration::hours(hours));
    for (counted_at, days_wrong, health) in [
        (at(20), Some(0), Operational),
        (at(20), None, Operational),
        (at(20), Some(3), Degraded),
        (at(51), Some(0), Degraded),
        (None, None, Degraded),
    ] {
        let facts = SystemFacts { counted_at, days_wrong, ..alive(now) };
        assert_eq!(healths(&profile(), &facts, &probes(true, true), now)[4], health, "{counted_at:?} {days_wrong:?}");
    }
}

#[test]
fn switched_off_tool_is_operational_and_shown_as_off() {
    let mut off = profile();
    off.switches.kpi_reporting = false;
    let now = DateTime::UNIX_EPOCH;
    let tools = build_tool_statuses(&off, &alive(now), &probes(true, true), now);
    assert_eq!((tools[4].status, tools[4].detail.as_str()), (ToolHealth::Operational, "switched off in Automation"));
}

#[test]
fn full_disk_is_the_cause_shown_for_every_tool() {
    use ToolHealth::{Degraded, Down, Operational};
    let now = DateTime::UNIX_EPOCH + Duration::days(1);
    let silent = SystemFacts { worker_seen: Some(now - Duration::minutes(11)), ..alive(now) };
    for facts in [alive(now), silent] {
        let writes = StoreWrites { database: WriteState::Full, ..StoreWrites::default() };
        let tools = build_tool_statuses(&profile(), &SystemFacts { writes, ..facts }, &probes(true, true), now);
        for tool in tools {
            assert_eq!(tool.status, Down);
            assert_eq!(
                tool.detail,
                "There is no room left, so new requests cannot be saved. Ask the person who runs your Toolbox."
            );
        }
    }
    let writes = StoreWrites { files: WriteState::Full, ..StoreWrites::default() };
    let facts = SystemFacts { writes, ..alive(now) };
    let seen = healths(&profile(), &facts, &probes(true, true), now);
    assert_eq!(seen, [Degraded, Operational, Degraded, Operational, Operational]);
}

#[test]
fn waiting_messages_degrade_auto_reply_after_five_minutes() {
    let now = DateTime::UNIX_EPOCH + Duration::days(1);
    let at =
        |minutes| SystemFacts { waiting: 930, waiting_since: Some(now - Duration::minutes(minutes)), ..alive(now) };
    let auto_reply =
        |facts: &SystemFacts| build_tool_statuses(&profile(), facts, &probes(true, true), now).swap_remove(1);
    assert_eq!(auto_reply(&at(4)).status, ToolHealth::Operational);
    let late = auto_reply(&at(12));
    assert_eq!(late.status, ToolHealth::Degraded);
    assert_eq!(late.detail, "Waiting: 930 messages wait to leave, the oldest for 12 minutes");
    let many = auto_reply(&SystemFacts { waiting: 1_001, ..at(12) });
    assert_eq!(many.detail, "Waiting: 1,000+ messages wait to leave, the oldest for 12 minutes");
}
