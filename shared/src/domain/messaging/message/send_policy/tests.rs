//! Tests of the send policy, rule by rule, with the reasons that are shown.

use std::sync::LazyLock;

use chrono::TimeZone;
use serde_json::{Value, json};

use super::*;

mod budget_limits;
mod clock;

const ALL: SendChannels = SendChannels { sms: true, email: true, takes_money: false };
const KINDS: [MessageKind; 23] = MessageKind::OUTGOING;

/// Sent to customers without a person, and not required by the law or by the customer's own action.
const WRITTEN_BY_RULES: [MessageKind; 10] = [
    MessageKind::AutoReply,
    MessageKind::MissedCall,
    MessageKind::Nudge,
    MessageKind::TextReply,
    MessageKind::EstimateFollowUp,
    MessageKind::ChangeOrderFollowUp,
    MessageKind::Visit,
    MessageKind::OnTheWay,
    MessageKind::Dunning,
    MessageKind::ReviewRequest,
];

/// A Wednesday, noon in Texas.
fn noon() -> DateTime<Utc> {
    chrono::Utc.with_ymd_and_hms(2026, 3, 4, 18, 0, 0).unwrap()
}

/// The verdict at noon, with the evidence as it is stored.
fn send_decision(facts: &SendContext<'_>) -> (SendVerdict, Value) {
    let (verdict, evidence) = may_send(facts, ALL, noon());
    (verdict, json!(evidence))
}

fn facts(kind: MessageKind, channel: MessageChannel) -> SendContext<'static> {
    static USUAL: LazyLock<SendingSettings> = LazyLock::new(SendingSettings::default);
    /// A number of Austin, Texas.
    static ANN: LazyLock<[Recipient; 2]> = LazyLock::new(|| {
        let stored = [(MessageChannel::Sms, "+15125550142"), (MessageChannel::Email, "ann@example.com")];
        stored.map(|(channel, address)| Recipient::from_stored(channel, address.to_owned()))
    });
    SendContext {
        kind,
        to: &ANN[usize::from(channel == MessageChannel::Email)],
        class: kind.class(),
        created_at: noon(),
        deadline_at: noon() + kind.max_age(channel),
        switches: FeatureSwitches::ALL_ON,
        sending: &USUAL,
        opted_out: None,
        is_on_file: true,
        is_blocked: false,
        cannot_be_texted: false,
        zip: None,
        agreed_to_offers: kind.class() == ContactClass::Promotional,
        promotional_in_a_day: 0,
        spent: SendBudgetUsage::default(),
        has_written: false,
        by_form: true,
        by_booking: false,
        last_in_at: None,
        last_wrote_at: None,
        last_by_person_at: None,
        paused_until: None,
        ask_ended: None,
        ended: None,
        has_its_hour: kind.expires_after_contact_hours(),
        is_demo: false,
        has_sender: true,
        reads_only: false,
        trust: TrustContext::FULL,
    }
}

#[test]
fn opt_out_reason_precedes_new_business_limit() {
    let trust = TrustContext { level: crate::domain::tenancy::trust_level::TrustLevel::New, ..TrustContext::FULL };
    let message = SendContext { trust, ..facts(MessageKind::AutoReply, MessageChannel::Sms) };
    assert_eq!(send_verdict(&message, noon()), no(trust_level::NOT_PROVEN));
    assert_eq!(send_verdict(&SendContext { opted_out: Some("stopped"), ..message }, noon()), no("they said STOP"));
}

#[test]
fn read_only_business_sends_customers_only_stop_and_help_replies() {
    for kind in MessageKind::OUTGOING {
        for channel in [MessageChannel::Sms, MessageChannel::Email] {
            let message = SendContext { reads_only: true, ..facts(kind, channel) };
            let is_stopped = send_verdict(&message, noon()) == no(SUBSCRIPTION_ENDED);
            let is_owed = matches!(kind, MessageKind::StopConfirmation | MessageKind::HelpReply);
            assert_eq!(is_stopped, kind.is_for_customers() && !is_owed, "{kind:?} {channel:?}");
        }
    }
}

fn texted_at(number: &str) -> Recipient {
    Recipient::from_stored(MessageChannel::Sms, number.to_owned())
}

fn text(kind: MessageKind) -> SendContext<'static> {
    facts(kind, MessageChannel::Sms)
}

fn send_verdict(facts: &SendContext<'_>, now: DateTime<Utc>) -> SendVerdict {
    may_send(facts, ALL, now).0
}

fn goes(facts: &SendContext<'_>, now: DateTime<Utc>) -> bool {
    matches!(send_verdict(facts, now), SendVerdict::Yes { .. })
}

fn no(why: &str) -> SendVerdict {
    SendVerdict::No(why.to_owned())
}

#[test]
fn refusal_names_the_rule_that_stops_message() {
    let off = FeatureSwitches {
        automated_communications: false,
        lead_intake: false,
        job_tracking: false,
        review_collection: false,
        kpi_reporting: false,
    };
    let reply = text(MessageKind::AutoReply);
    assert!(goes(&reply, noon()));
    let no_sms = SendChannels { sms: false, email: true, takes_money: false };
    assert_eq!(may_send(&reply, no_sms, noon()).0, no("SMS is not set up"));
    let no_number = SendContext { has_sender: false, ..reply.clone() };
    assert_eq!(may_send(&no_number, ALL, noon()).0, no(sms_link::NO_NUMBER));
    let no_email = SendChannels { sms: true, email: false, takes_money: false };
    assert_eq!(
        may_send(&facts(MessageKind::AutoReply, MessageChannel::Email), no_email, noon()).0,
        no("email is not set up")
    );
    assert_eq!(send_verdict(&reply, noon() + Duration::minutes(16)), SendVerdict::TooLate);
    for kind in KINDS {
        for channel in [MessageChannel::Sms, MessageChannel::Email] {
            let verdict = send_verdict(&SendContext { switches: off, ..facts(kind, channel) }, noon());
            let expected = match kind {
                MessageKind::AutoReply | MessageKind::MissedCall | MessageKind::Nudge | MessageKind::TextReply => {
                    no("automated communications are switched off")
                }
                MessageKind::OwnerNotice | MessageKind::Digest => no("lead intake is switched off"),
                MessageKind::Pulse => no("KPI reporting is switched off"),
                MessageKind::EstimateFollowUp
                | MessageKind::ChangeOrderFollowUp
                | MessageKind::Visit
                | MessageKind::OnTheWay
                | MessageKind::Dunning => no("job tracking is switched off"),
                MessageKind::ReviewRequest => no("review collection is switched off"),
                _ => send_verdict(&facts(kind, channel), noon()),
            };
            assert_eq!(verdict, expected, "{kind:?} {channel:?}");
        }
    }
}

#[test]
fn paused_provider_is_not_called_before_pause_ends() {
    let until = noon() + Duration::seconds(30);
    for channel in [MessageChannel::Sms, MessageChannel::Email] {
        for kind in KINDS {
            let message = SendContext { paused_until: Some(until), ..facts(kind, channel) };
            assert_eq!(send_verdict(&message, noon()), SendVerdict::Wait(until), "{kind:?}");
            assert!(goes(&message, until), "{kind:?}");
        }
    }
}

#[test]
fn opt_out_stops_texts_except_confirmation_and_only_promotional_emails() {
    for kind in KINDS {
        let stopped = SendContext { opted_out: Some("stopped"), ..text(kind) };
        // The reason shown is the strongest of all that apply.
        let everything = SendContext {
            switches: FeatureSwitches {
                automated_communications: false,
                lead_intake: false,
                ..FeatureSwitches::ALL_ON
            },
            is_blocked: true,
            cannot_be_texted: true,
            agreed_to_offers: true,
            spent: SendBudgetUsage { texts: 1_000, to_number: 1_000, in_exchange: 1_000, ..SendBudgetUsage::default() },
            last_in_at: Some(noon()),
            paused_until: Some(noon() + Duration::hours(1)),
            ..stopped.clone()
        };
        if kind == MessageKind::StopConfirmation {
            assert!(goes(&stopped, noon()));
        } else {
            assert_eq!(send_verdict(&stopped, noon()), no("they said STOP"), "{kind:?}");
            assert_eq!(send_verdict(&everything, noon()), no("they said STOP"), "{kind:?}");
        }
        let email = SendContext { opted_out: Some("stopped"), ..facts(kind, MessageChannel::Email) };
        if kind.class() == ContactClass::Promotional {
            assert_eq!(send_verdict(&email, noon()), no("they asked for no more such emails"));
        } else {
            assert!(goes(&email, noon()), "what concerns their own matter goes: {kind:?}");
        }
    }
}

#[test]
fn possible_opt_out_stops_customer_texts_until_reviewed() {
    for kind in KINDS {
        let verdict = send_verdict(&SendContext { opted_out: Some("paused"), ..text(kind) }, noon());
        if kind.is_for_customers() && kind != MessageKind::StopConfirmation {
            assert_eq!(verdict, no("they may have asked to stop; nothing is sent until you have looked"), "{kind:?}");
        } else {
            assert!(matches!(verdict, SendVerdict::Yes { .. }), "{kind:?}: {verdict:?}");
        }
    }
}

#[test]
fn blocked_customer_gets_no_automatic_messages() {
    for kind in KINDS {
        for channel in [MessageChannel::Sms, MessageChannel::Email] {
            let blocked = SendContext { is_blocked: true, ..facts(kind, channel) };
            if kind.is_automatic() && kind.is_for_customers() {
                assert_eq!(
                    send_verdict(&blocked, noon()),
                    no("you blocked this customer for automatic messages"),
                    "{kind:?}"
                );
            } else {
                assert!(goes(&blocked, noon()), "{kind:?}");
            }
        }
    }
}

#[test]
fn unregistered_number_and_landline_are_not_texted() {
    let pending = SendingSettings { registration: CarrierRegistration::Pending, ..SendingSettings::default() };
    for kind in KINDS {
        let (unregistered, landline) =
            (SendContext { sending: &pending, ..text(kind) }, SendContext { cannot_be_texted: true, ..text(kind) });
        let why = "your number is not registered for texting yet; text from your own phone";
        assert_eq!(send_verdict(&unregistered, noon()), no(why), "{kind:?}");
        if kind.is_for_customers() {
            assert_eq!(send_verdict(&landline, noon()), no("this number cannot receive texts"), "{kind:?}");
        } else {
            assert!(goes(&landline, noon()), "{kind:?}");
        }
        let email = SendContext { sending: &pending, cannot_be_texted: true, ..facts(kind, MessageChannel::Email) };
        assert!(goes(&email, noon()), "{kind:?}");
    }
    let no_number = texted_at("512");
    let nonsense = SendContext { to: &no_number, ..text(MessageKind::Manual) };
    assert_eq!(send_verdict(&nonsense, noon()), no("this is not a phone number"));
}

#[test]
fn nudge_is_not_sent_after_contact_since_its_creation() {
    let before = noon() - Duration::minutes(1);
    let after = noon() + Duration::minutes(1);
    let now = noon() + Duration::minutes(2);
    for kind in KINDS {
        let talked = [
            SendContext { last_wrote_at: Some(after), ..text(kind) },
            SendContext { last_by_person_at: Some(after), ..text(kind) },
        ];
        for facts in talked {
            if kind == MessageKind::Nudge {
                assert_eq!(send_verdict(&facts, now), no("you have been in touch meanwhile"));
            } else {
                assert!(goes(&facts, now), "{kind:?}");
            }
        }
        let earlier = SendContext { last_wrote_at: Some(before), last_by_person_at: Some(before), ..text(kind) };
        assert!(goes(&earlier, now), "{kind:?}");
        let rang_again = SendContext { last_in_at: Some(after), ..text(kind) };
        assert!(goes(&rang_again, now), "{kind:?}: another missed call is no answer");
    }
}

#[test]
fn ended_review_request_is_not_sent_by_any_channel() {
    for channel in [MessageChannel::Sms, MessageChannel::Email] {
        let request = facts(MessageKind::ReviewRequest, channel);
        assert!(goes(&request, noon()));
        let ended = SendContext { ask_ended: Some("they have left a review"), ..request };
        assert_eq!(send_verdict(&ended, noon()), no("they have left a review"));
    }
    let unasked = SendContext { agreed_to_offers: false, ..text(MessageKind::ReviewRequest) };
    assert_eq!(send_verdict(&unasked, noon()), no("they did not agree to get offers and review requests by text"));
    assert!(goes(
        &SendContext { agreed_to_offers: false, ..facts(MessageKind::ReviewRequest, MessageChannel::Email) },
        noon()
    ));
}

#[test]
fn time_bound_text_is_held_until_morning_only_if_still_useful() {
    let night = noon() + Duration::hours(10);
    for kind in KINDS.into_iter().filter(|kind| kind.is_for_customers() && kind.class() == ContactClass::Informational)
    {
        let made = SendContext { created_at: night, deadline_at: night + Duration::minutes(30), ..text(kind) };
        let morning = noon() + Duration::hours(20);
        let helps = SendContext { deadline_at: morning + Duration::hours(1), ..made.clone() };
        assert_eq!(
            send_verdict(&helps, night),
            send_verdict(&SendContext { deadline_at: morning, ..helps.clone() }, night),
            "{kind:?}"
        );
        assert!(
            matches!(send_verdict(&helps, night), SendVerdict::HoldMessage { until, .. } if until == morning),
            "{kind:?}"
        );
        match send_verdict(&made, night) {
            SendVerdict::No(why) if kind.expires_after_contact_hours() => {
                assert!(why.ends_with("would be of no use"), "{why}");
            }
            SendVerdict::HoldMessage { .. } if !kind.expires_after_contact_hours() => {}
            other => panic!("{kind:?}: {other:?}"),
        }
    }
}

fn offer() -> SendContext<'static> {
    SendContext { class: ContactClass::Promotional, agreed_to_offers: true, ..text(MessageKind::Nudge) }
}

#[test]
fn offers_need_consent_and_are_limited_to_three_a_day() {
    let unasked = SendContext { agreed_to_offers: false, ..offer() };
    assert_eq!(send_verdict(&unasked, noon()), no("they did not agree to get offers and review requests by text"));
    for sent in 0..6 {
        let facts = SendContext { promotional_in_a_day: sent, ..offer() };
        if sent < 3 {
            assert!(goes(&facts, noon()), "{sent}");
        } else {
            let until = noon() + Duration::hours(24);
            let why = "they got 3 such texts within 24 hours".to_owned();
            assert_eq!(send_verdict(&facts, noon()), SendVerdict::HoldMessage { until, why }, "{sent}");
        }
    }
    // Texas allows no offers before noon on Sunday: the hold ends when one may go.
    let saturday = noon() + Duration::days(3) - Duration::hours(3);
    let facts = SendContext { promotional_in_a_day: 3, deadline_at: saturday + Duration::days(1), ..offer() };
    let SendVerdict::HoldMessage { until, .. } = send_verdict(&facts, saturday) else { panic!("it goes") };
    assert_eq!(until, chrono::Utc.with_ymd_and_hms(2026, 3, 8, 17, 0, 0).unwrap());
}

#[test]
fn decision_facts_are_stored_with_message() {
    let seven = SendBudgetUsage { texts: 7, ..SendBudgetUsage::default() };
    let spent = SendContext { spent: seven, opted_out: None, zip: Some("33101"), ..text(MessageKind::Manual) };
    let (_, evidence) = send_decision(&spent);
    assert_eq!(evidence["clock"], "2026-03-04T18:00:00Z");
    assert_eq!(
        (&evidence["switchOn"], &evidence["class"], &evidence["hoursFor"]),
        (&json!(true), &json!("conversational"), &json!("informational"))
    );
    assert_eq!(
        (&evidence["optedOut"], &evidence["textsToday"], &evidence["dailyTextBudget"]),
        (&Value::Null, &json!(7), &json!(500))
    );
    assert_eq!(evidence["hours"]["foundBy"], json!(["area code 512", "ZIP 33101"]));
    assert_eq!(evidence["hours"]["rule"], "Texas 8 AM to 9 PM, Florida 8 AM to 9 PM");
    let (_, evidence) = send_decision(&facts(MessageKind::OwnerNotice, MessageChannel::Email));
    assert!(evidence.get("textsToday").is_none() && evidence.get("hours").is_none(), "{evidence}");
}
