//! What the gate lets out and what it stops, rule by rule with the words that are shown.

use chrono::TimeZone;

use super::*;

mod clock;

const ALL: SetUp = SetUp { sms: true, email: true, takes_money: false };
/// A number of Austin, Texas.
const ANN: &str = "+15125550142";
/// Every kind that goes out.
const KINDS: [Kind; 23] = Kind::OUTGOING;

/// What goes to customers without a person, beyond what the law or the customer's own deed asks for.
const WRITTEN_BY_RULES: [Kind; 10] = [
    Kind::AutoReply,
    Kind::MissedCall,
    Kind::Nudge,
    Kind::TextReply,
    Kind::EstimateFollowUp,
    Kind::ChangeOrderFollowUp,
    Kind::Visit,
    Kind::OnTheWay,
    Kind::Dunning,
    Kind::ReviewRequest,
];

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
        is_on_file: true,
        is_blocked: false,
        cannot_be_texted: false,
        zip: None,
        agreed_to_offers: kind.class() == Class::Promotional,
        promotional_in_a_day: 0,
        spent: Spent::default(),
        has_written: false,
        by_form: true,
        by_booking: false,
        last_in_at: None,
        last_wrote_at: None,
        last_by_person_at: None,
        paused_until: None,
        ask_ended: None,
        ended: None,
        has_its_hour: kind.has_its_hour(),
        is_demo: false,
        has_sender: true,
        reads_only: false,
        trust: Trust::FULL,
    }
}

#[test]
fn a_stop_is_named_before_what_a_new_business_may_not_do() {
    let trust = Trust { level: crate::domain::tenancy::trust_level::TrustLevel::New, ..Trust::FULL };
    let message = Facts { trust, ..facts(Kind::AutoReply, Channel::Sms) };
    assert_eq!(said(&message, noon()), no(trust_level::NOT_PROVEN));
    assert_eq!(said(&Facts { opted_out: Some("stopped"), ..message }, noon()), no("they said STOP"));
}

#[test]
fn a_business_that_only_reads_answers_no_customer_but_for_stop_and_help_and_is_told_of_them_itself() {
    for kind in Kind::OUTGOING {
        for channel in [Channel::Sms, Channel::Email] {
            let message = Facts { reads_only: true, ..facts(kind, channel) };
            let is_stopped = said(&message, noon()) == no(SUBSCRIPTION_ENDED);
            let is_owed = matches!(kind, Kind::StopConfirmation | Kind::HelpReply);
            assert_eq!(is_stopped, kind.is_for_customers() && !is_owed, "{kind:?} {channel:?}");
        }
    }
}

fn text(kind: Kind) -> Facts<'static> {
    facts(kind, Channel::Sms)
}

fn said(facts: &Facts<'_>, now: DateTime<Utc>) -> Verdict {
    may_send(facts, ALL, now).0
}

fn goes(facts: &Facts<'_>, now: DateTime<Utc>) -> bool {
    matches!(said(facts, now), Verdict::Yes { .. })
}

fn no(why: &str) -> Verdict {
    Verdict::No(why.to_owned())
}

#[test]
fn the_gate_names_the_rule_that_stops_a_message() {
    let off = Switches {
        automated_communications: false,
        lead_intake: false,
        job_tracking: false,
        review_collection: false,
        kpi_reporting: false,
    };
    let reply = text(Kind::AutoReply);
    assert!(goes(&reply, noon()));
    let no_sms = SetUp { sms: false, email: true, takes_money: false };
    assert_eq!(may_send(&reply, no_sms, noon()).0, no("SMS is not set up"));
    let no_number = Facts { has_sender: false, ..reply.clone() };
    assert_eq!(may_send(&no_number, ALL, noon()).0, no(sms_link::NO_NUMBER));
    let no_email = SetUp { sms: true, email: false, takes_money: false };
    assert_eq!(may_send(&facts(Kind::AutoReply, Channel::Email), no_email, noon()).0, no("email is not set up"));
    assert_eq!(said(&reply, noon() + Duration::minutes(16)), Verdict::TooLate);
    for kind in KINDS {
        for channel in [Channel::Sms, Channel::Email] {
            let verdict = said(&Facts { switches: off, ..facts(kind, channel) }, noon());
            let expected = match kind {
                Kind::AutoReply | Kind::MissedCall | Kind::Nudge | Kind::TextReply => {
                    no("automated communications are switched off")
                }
                Kind::OwnerNotice | Kind::Digest => no("lead intake is switched off"),
                Kind::Pulse => no("KPI reporting is switched off"),
                Kind::EstimateFollowUp | Kind::ChangeOrderFollowUp | Kind::Visit | Kind::OnTheWay | Kind::Dunning => {
                    no("job tracking is switched off")
                }
                Kind::ReviewRequest => no("review collection is switched off"),
                _ => said(&facts(kind, channel), noon()),
            };
            assert_eq!(verdict, expected, "{kind:?} {channel:?}");
        }
    }
}

#[test]
fn nobody_calls_a_provider_that_asked_us_to_wait() {
    let until = noon() + Duration::seconds(30);
    for channel in [Channel::Sms, Channel::Email] {
        for kind in KINDS {
            let message = Facts { paused_until: Some(until), ..facts(kind, channel) };
            assert_eq!(said(&message, noon()), Verdict::Wait(until), "{kind:?}");
            assert!(goes(&message, until), "{kind:?}");
        }
    }
}

#[test]
fn stop_holds_for_every_text_but_its_confirmation_and_of_emails_for_what_is_promotional() {
    for kind in KINDS {
        let stopped = Facts { opted_out: Some("stopped"), ..text(kind) };
        // Whatever else speaks for or against it, the reason shown is the one that counts.
        let everything = Facts {
            switches: Switches { automated_communications: false, lead_intake: false, ..Switches::ALL_ON },
            is_blocked: true,
            cannot_be_texted: true,
            agreed_to_offers: true,
            spent: Spent { texts: 1_000, to_number: 1_000, in_exchange: 1_000, ..Spent::default() },
            last_in_at: Some(noon()),
            paused_until: Some(noon() + Duration::hours(1)),
            ..stopped.clone()
        };
        if kind == Kind::StopConfirmation {
            assert!(goes(&stopped, noon()));
        } else {
            assert_eq!(said(&stopped, noon()), no("they said STOP"), "{kind:?}");
            assert_eq!(said(&everything, noon()), no("they said STOP"), "{kind:?}");
        }
        let email = Facts { opted_out: Some("stopped"), ..facts(kind, Channel::Email) };
        if kind.class() == Class::Promotional {
            assert_eq!(said(&email, noon()), no("they asked for no more such emails"));
        } else {
            assert!(goes(&email, noon()), "what concerns their own matter goes: {kind:?}");
        }
    }
}

#[test]
fn perhaps_a_stop_holds_for_customers_until_somebody_has_looked() {
    for kind in KINDS {
        let verdict = said(&Facts { opted_out: Some("paused"), ..text(kind) }, noon());
        if kind.is_for_customers() && kind != Kind::StopConfirmation {
            assert_eq!(verdict, no("they may have asked to stop; nothing is sent until you have looked"), "{kind:?}");
        } else {
            assert!(matches!(verdict, Verdict::Yes { .. }), "{kind:?}: {verdict:?}");
        }
    }
}

#[test]
fn a_blocked_customer_gets_what_a_person_writes_and_nothing_by_itself() {
    for kind in KINDS {
        for channel in [Channel::Sms, Channel::Email] {
            let blocked = Facts { is_blocked: true, ..facts(kind, channel) };
            if kind.is_automatic() && kind.is_for_customers() {
                assert_eq!(said(&blocked, noon()), no("you blocked this customer for automatic messages"), "{kind:?}");
            } else {
                assert!(goes(&blocked, noon()), "{kind:?}");
            }
        }
    }
}

#[test]
fn an_unregistered_number_and_a_landline_are_not_texted() {
    let pending = Sending { registration: Registration::Pending, ..Sending::default() };
    for kind in KINDS {
        let (unregistered, landline) =
            (Facts { sending: &pending, ..text(kind) }, Facts { cannot_be_texted: true, ..text(kind) });
        let why = "your number is not registered for texting yet; text from your own phone";
        assert_eq!(said(&unregistered, noon()), no(why), "{kind:?}");
        if kind.is_for_customers() {
            assert_eq!(said(&landline, noon()), no("this number cannot receive texts"), "{kind:?}");
        } else {
            assert!(goes(&landline, noon()), "{kind:?}");
        }
        let email = Facts { sending: &pending, cannot_be_texted: true, ..facts(kind, Channel::Email) };
        assert!(goes(&email, noon()), "{kind:?}");
    }
    let nonsense = Facts { to: "512", ..text(Kind::Manual) };
    assert_eq!(said(&nonsense, noon()), no("this is not a phone number"));
}

#[test]
fn the_budget_brakes_what_rules_write_and_nothing_else() {
    for budget in [0, 1, 100] {
        let sending = Sending { daily_text_budget: budget, ..Sending::default() };
        let why = format!("today's budget of {budget} automatic texts is used up");
        for kind in KINDS {
            let texts = |texts| Spent { texts, ..Spent::default() };
            let spent = Facts { sending: &sending, spent: texts(budget), ..text(kind) };
            if WRITTEN_BY_RULES.contains(&kind) {
                assert_eq!(said(&spent, noon()), no(&why), "{kind:?}");
            } else {
                assert!(goes(&spent, noon()), "{kind:?}");
            }
            if budget > 0 {
                assert!(goes(&Facts { spent: texts(budget - 1), ..spent }, noon()), "{kind:?}");
            }
        }
    }
}

#[test]
fn a_reminder_does_not_interrupt_a_conversation() {
    let before = noon() - Duration::minutes(1);
    let after = noon() + Duration::minutes(1);
    let now = noon() + Duration::minutes(2);
    for kind in KINDS {
        let talked = [
            Facts { last_wrote_at: Some(after), ..text(kind) },
            Facts { last_by_person_at: Some(after), ..text(kind) },
        ];
        for facts in talked {
            if kind == Kind::Nudge {
                assert_eq!(said(&facts, now), no("you have been in touch meanwhile"));
            } else {
                assert!(goes(&facts, now), "{kind:?}");
            }
        }
        let earlier = Facts { last_wrote_at: Some(before), last_by_person_at: Some(before), ..text(kind) };
        assert!(goes(&earlier, now), "{kind:?}");
        let rang_again = Facts { last_in_at: Some(after), ..text(kind) };
        assert!(goes(&rang_again, now), "{kind:?}: another missed call is no answer");
    }
}

#[test]
fn a_request_for_a_review_that_has_ended_is_not_sent_by_any_way() {
    for channel in [Channel::Sms, Channel::Email] {
        let request = facts(Kind::ReviewRequest, channel);
        assert!(goes(&request, noon()));
        let ended = Facts { ask_ended: Some("they have left a review"), ..request };
        assert_eq!(said(&ended, noon()), no("they have left a review"));
    }
    let unasked = Facts { agreed_to_offers: false, ..text(Kind::ReviewRequest) };
    assert_eq!(said(&unasked, noon()), no("they did not agree to get offers and review requests by text"));
    assert!(goes(&Facts { agreed_to_offers: false, ..facts(Kind::ReviewRequest, Channel::Email) }, noon()));
}

#[test]
fn what_has_its_hour_is_kept_for_the_morning_only_if_it_still_helps_then() {
    let night = noon() + Duration::hours(10);
    for kind in KINDS.into_iter().filter(|kind| kind.is_for_customers() && kind.class() == Class::Informational) {
        let made = Facts { created_at: night, deadline_at: night + Duration::minutes(30), ..text(kind) };
        let morning = noon() + Duration::hours(20);
        let helps = Facts { deadline_at: morning + Duration::hours(1), ..made.clone() };
        assert_eq!(said(&helps, night), said(&Facts { deadline_at: morning, ..helps.clone() }, night), "{kind:?}");
        assert!(matches!(said(&helps, night), Verdict::Hold { until, .. } if until == morning), "{kind:?}");
        match said(&made, night) {
            Verdict::No(why) if kind.has_its_hour() => assert!(why.ends_with("would be of no use"), "{why}"),
            Verdict::Hold { .. } if !kind.has_its_hour() => {}
            other => panic!("{kind:?}: {other:?}"),
        }
    }
}

/// An offer to somebody who agreed to offers.
fn offer() -> Facts<'static> {
    Facts { class: Class::Promotional, agreed_to_offers: true, ..text(Kind::Nudge) }
}

#[test]
fn offers_go_to_those_who_agreed_and_three_in_a_day_at_most() {
    let unasked = Facts { agreed_to_offers: false, ..offer() };
    assert_eq!(said(&unasked, noon()), no("they did not agree to get offers and review requests by text"));
    for sent in 0..6 {
        let facts = Facts { promotional_in_a_day: sent, ..offer() };
        if sent < 3 {
            assert!(goes(&facts, noon()), "{sent}");
        } else {
            let until = noon() + Duration::hours(24);
            let why = "they got 3 such texts within 24 hours".to_owned();
            assert_eq!(said(&facts, noon()), Verdict::Hold { until, why }, "{sent}");
        }
    }
    // The day after tomorrow's Sunday, Texas has no offers before noon: the hold ends when one may go.
    let saturday = noon() + Duration::days(3) - Duration::hours(3);
    let facts = Facts { promotional_in_a_day: 3, deadline_at: saturday + Duration::days(1), ..offer() };
    let Verdict::Hold { until, .. } = said(&facts, saturday) else { panic!("it goes") };
    assert_eq!(until, chrono::Utc.with_ymd_and_hms(2026, 3, 8, 17, 0, 0).unwrap());
}

#[test]
fn strangers_cannot_have_one_number_or_its_neighbours_texted_again_and_again() {
    let (number, exchange) =
        (Spent { to_number: 6, ..Spent::default() }, Spent { in_exchange: 20, ..Spent::default() });
    let whys = [
        (number, "number", "this number got 6 automatic texts today and never wrote back"),
        (exchange, "exchange", "20 new numbers with the same first digits were texted within an hour, as in a fraud"),
    ];
    for (spent, name, why) in whys {
        for kind in KINDS {
            let braked = Facts { spent, ..text(kind) };
            let of_this_kind = WRITTEN_BY_RULES.contains(&kind) && name == "number";
            if of_this_kind || kind == Kind::AutoReply {
                let (verdict, saw) = may_send(&braked, ALL, noon());
                assert_eq!((verdict, &saw["brake"]), (no(why), &json!(name)), "{kind:?}");
            } else {
                assert!(goes(&braked, noon()), "{kind:?}");
            }
            assert!(goes(&Facts { has_written: true, ..braked.clone() }, noon()), "{kind:?}: they are in conversation");
            let inside = Facts { by_form: false, ..braked };
            assert!(name == "number" || goes(&inside, noon()), "{kind:?}: it was typed into no form from outside");
        }
        let one_less = Spent {
            to_number: (spent.to_number - 1).max(0),
            in_exchange: (spent.in_exchange - 1).max(0),
            ..Spent::default()
        };
        assert!(goes(&Facts { spent: one_less, ..text(Kind::AutoReply) }, noon()));
    }
    let stopped = Facts { spent: number, opted_out: Some("stopped"), ..text(Kind::AutoReply) };
    assert!(may_send(&stopped, ALL, noon()).1.get("brake").is_none(), "it was not the brake");
}

#[test]
fn strangers_cannot_have_one_address_emailed_again_and_again() {
    let spent = |to_number| Spent { to_number, ..Spent::default() };
    let why = "this address got 6 automatic emails today and is not confirmed as the customer's";
    for kind in KINDS {
        let braked = Facts { spent: spent(6), ..facts(kind, Channel::Email) };
        if WRITTEN_BY_RULES.contains(&kind) {
            let (verdict, saw) = may_send(&braked, ALL, noon());
            assert_eq!((verdict, &saw["brake"]), (no(why), &json!("address")), "{kind:?}");
        } else {
            assert!(goes(&braked, noon()), "{kind:?}");
        }
        assert!(goes(&Facts { spent: spent(5), ..braked.clone() }, noon()), "{kind:?}");
        assert!(goes(&Facts { has_written: true, ..braked }, noon()), "{kind:?}: it is the customer's");
    }
}

#[test]
fn visits_booked_in_the_name_of_a_known_customer_have_limits_of_their_own() {
    let known = Facts { has_written: true, by_booking: true, ..text(Kind::Visit) };
    let of = |booked_to_number, by_bookings| Spent { by_bookings, booked_to_number, ..Spent::default() };
    let (own, all) = (
        no("they got 6 messages today about visits that others may have booked in their name"),
        no("today's 125 texts about visits that others may have booked are used up"),
    );
    assert!(goes(&Facts { spent: of(5, 124), ..known.clone() }, noon()));
    let whys = [(of(6, 6), "bookings_to_one", own.clone()), (of(0, 125), "bookings", all)];
    for (spent, name, why) in whys {
        let (verdict, saw) = may_send(&Facts { spent, ..known.clone() }, ALL, noon());
        assert_eq!((verdict, &saw["brake"]), (why, &json!(name)));
        assert!(goes(&Facts { spent, by_booking: false, ..known.clone() }, noon()), "{name}: who has shown to be them");
    }
    let question = Facts { has_written: true, by_booking: true, spent: of(6, 6), ..text(Kind::AutoReply) };
    assert!(goes(&question, noon()), "they are asked whether it was they");
    let sixth = Spent { to_number: 6, ..Spent::default() };
    let mail = Facts { has_written: true, by_booking: true, spent: sixth, ..facts(Kind::Visit, Channel::Email) };
    let (verdict, saw) = may_send(&mail, ALL, noon());
    assert_eq!((verdict, &saw["brake"]), (own, &json!("bookings_to_one")));
    assert!(goes(&Facts { by_booking: false, ..mail }, noon()));
}

#[test]
fn what_decided_is_kept_with_the_message() {
    let seven = Spent { texts: 7, ..Spent::default() };
    let spent = Facts { spent: seven, opted_out: None, zip: Some("33101"), ..text(Kind::Manual) };
    let (_, saw) = may_send(&spent, ALL, noon());
    assert_eq!(saw["clock"], "2026-03-04T18:00:00Z");
    assert_eq!(
        (&saw["switchOn"], &saw["class"], &saw["hoursFor"]),
        (&json!(true), &json!("conversational"), &json!("informational"))
    );
    assert_eq!((&saw["optedOut"], &saw["textsToday"], &saw["dailyTextBudget"]), (&Value::Null, &json!(7), &json!(500)));
    assert_eq!(saw["hours"]["foundBy"], json!(["area code 512", "ZIP 33101"]));
    assert_eq!(saw["hours"]["rule"], "Texas 8 AM to 9 PM, Florida 8 AM to 9 PM");
    let (_, saw) = may_send(&facts(Kind::OwnerNotice, Channel::Email), ALL, noon());
    assert!(saw.get("textsToday").is_none() && saw.get("hours").is_none(), "{saw}");
}
