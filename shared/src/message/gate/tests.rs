//! What the gate lets out and what it stops, as stories of one message each.

use chrono::TimeZone;

use super::*;

const ALL: SetUp = SetUp { sms: true, email: true };
/// A number of Austin, Texas.
const ANN: &str = "+15125550142";

/// A Wednesday, noon in Texas.
fn noon() -> DateTime<Utc> {
    chrono::Utc.with_ymd_and_hms(2026, 3, 4, 18, 0, 0).unwrap()
}

fn facts(kind: Kind, channel: Channel) -> Facts<'static> {
    static USUAL: std::sync::LazyLock<Sending> = std::sync::LazyLock::new(Sending::default);
    Facts {
        channel,
        kind,
        to: if channel == Channel::Sms { ANN } else { "ann@example.com" },
        class: kind.class(),
        created_at: noon(),
        deadline_at: noon() + kind.worth_sending_for(channel),
        switches: Switches::ALL_ON,
        sending: &USUAL,
        opted_out: None,
        is_blocked: false,
        cannot_be_texted: false,
        zip: None,
        agreed_to_offers: false,
        promotional_in_a_day: 0,
        texts_today: 0,
        last_in_at: None,
        last_by_person_at: None,
        paused_until: None,
    }
}

fn said(facts: &Facts<'_>, now: DateTime<Utc>) -> Verdict {
    may_send(facts, ALL, now).0
}

fn no(why: &str) -> Verdict {
    Verdict::No(why.to_owned())
}

#[test]
fn the_gate_names_the_rule_that_stops_a_message() {
    let off = Switches { automated_communications: false, lead_intake: false, ..Switches::ALL_ON };
    let reply = facts(Kind::AutoReply, Channel::Sms);
    assert!(matches!(said(&reply, noon()), Verdict::Yes { .. }));
    let switched_off = Facts { switches: off, ..reply.clone() };
    assert_eq!(said(&switched_off, noon()), no("automated communications are switched off"));
    let no_sms = SetUp { sms: false, email: true };
    assert_eq!(may_send(&reply, no_sms, noon()).0, no("SMS is not set up"));
    assert_eq!(said(&reply, noon() + Duration::minutes(16)), Verdict::TooLate);
    let notice = Facts { switches: off, ..facts(Kind::OwnerNotice, Channel::Email) };
    assert_eq!(said(&notice, noon()), no("lead intake is switched off"));
    let account = Facts { switches: off, ..facts(Kind::AccountNotice, Channel::Email) };
    assert_eq!(said(&account, noon()), Verdict::Yes { until: None });
}

#[test]
fn nobody_calls_a_provider_that_asked_us_to_wait() {
    let until = noon() + Duration::seconds(30);
    let reply = Facts { paused_until: Some(until), ..facts(Kind::AutoReply, Channel::Sms) };
    assert_eq!(said(&reply, noon()), Verdict::Wait(until));
    assert!(matches!(said(&reply, until), Verdict::Yes { .. }));
}
