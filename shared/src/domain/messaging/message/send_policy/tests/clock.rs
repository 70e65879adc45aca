//! No text leaves outside the recipient's hours: every state at every hour of both DST nights, and random cases.

use proptest::prelude::*;

use super::*;
use crate::{
    domain::messaging::message::send_policy::recipient_hours::{LEAST_LEFT, effective_class},
    platform::contact_hours,
    tests::oracle,
};

fn utc(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

/// A text whose class for the hours is `class`, made long enough ago that no exemption holds.
fn of_class(class: ContactClass, now: DateTime<Utc>) -> SendContext<'static> {
    let (kind, created_at) = match class {
        ContactClass::Conversational => (MessageKind::AutoReply, now),
        ContactClass::Informational => (MessageKind::Manual, now - Duration::hours(1)),
        ContactClass::Promotional => (MessageKind::Nudge, now - Duration::hours(1)),
    };
    SendContext { class, agreed_to_offers: true, created_at, deadline_at: now + Duration::days(1), ..text(kind) }
}

#[test]
fn contact_hours_hold_in_every_state_across_dst_for_each_class() {
    let (mut sent, mut held) = (0, 0);
    for place in oracle::STATES {
        let to = texted_at(&format!("+1{}5550142", place.1));
        for day in ["2026-11-01T00:00:00Z", "2027-03-14T00:00:00Z"] {
            // The day begins at another instant in every zone: 24 hours of the latest zone, and the hours before them.
            for hour in 0..24 + 12 {
                for minute in [0, 59] {
                    let now = utc(day) + Duration::hours(hour) + Duration::minutes(minute);
                    for class in ContactClass::ALL {
                        let facts = SendContext { to: &to, ..of_class(class, now) };
                        let verdict = send_verdict(&facts, now);
                        // No text starts in the last minute of a window.
                        let expected = oracle::is_open(class, now, place)
                            && oracle::is_open(class, now + Duration::seconds(59), place);
                        assert_eq!(
                            matches!(verdict, SendVerdict::Yes { .. }),
                            expected,
                            "{class:?} {place:?} {now}: {verdict:?}"
                        );
                        sent += usize::from(expected);
                        if !expected {
                            held += 1;
                            opens_when_it_says(&facts, class, place, now, &verdict);
                        }
                    }
                }
            }
        }
    }
    assert!(sent > 8_000 && held > 8_000, "{sent} sent, {held} held");
}

/// Held until an instant that is open to the oracle and to the send policy, with a reason to show.
fn opens_when_it_says(
    facts: &SendContext<'_>,
    class: ContactClass,
    place: (&'static str, &'static str, i64, bool),
    now: DateTime<Utc>,
    verdict: &SendVerdict,
) {
    let SendVerdict::HoldMessage { until, why } = verdict else { panic!("{place:?} {now}: {verdict:?}") };
    assert!(*until > now && *until <= now + Duration::days(3), "{place:?} {now}: until {until}");
    assert!(oracle::is_open(class, *until, place), "{place:?} {now}: until {until}");
    assert!(!oracle::is_open(class, *until - Duration::seconds(1), place), "{place:?} {now}: it opened before {until}");
    assert!(
        why.starts_with("it's ") || why.starts_with("it is ") || why.starts_with("the hours for texts there end"),
        "{why}"
    );
    let later = SendContext { deadline_at: *until, ..facts.clone() };
    assert!(goes(&later, *until), "{place:?}: {:?}", send_verdict(&later, *until));
}

#[test]
fn contact_hours_of_number_and_zip_apply_and_stricter_wins() {
    // 9 in the morning in Miami is 4 in Hawaii.
    let morning = utc("2026-11-03T14:00:00Z");
    let (in_miami, in_hawaii) = (texted_at("+13055550142"), texted_at("+18085550142"));
    let miami = SendContext { to: &in_miami, created_at: morning - Duration::hours(1), ..text(MessageKind::Manual) };
    let miami = SendContext { deadline_at: morning + Duration::days(1), ..miami };
    assert!(goes(&miami, morning));
    let hawaii = SendContext { zip: Some("96801"), ..miami.clone() };
    let SendVerdict::HoldMessage { until, why } = send_verdict(&hawaii, morning) else { panic!("it goes") };
    assert_eq!(
        (until, why.as_str()),
        (utc("2026-11-03T18:00:00Z"), "it's 4:00 AM in Hawaii; texts go out 8 AM to 9 PM")
    );
    // And the other way about: a Hawaiian number, work in Miami, late in the Florida evening.
    let evening = utc("2026-11-04T02:30:00Z");
    let late = SendContext { to: &in_hawaii, zip: Some("33101"), created_at: evening - Duration::hours(1), ..miami };
    assert!(matches!(
        send_verdict(&SendContext { deadline_at: evening + Duration::days(1), ..late }, evening),
        SendVerdict::HoldMessage { .. }
    ));
}

#[test]
fn offers_are_held_on_texas_sunday_morning_and_rhode_island_saturday() {
    for (to, at) in [
        ("+12145550142", "2026-11-01T17:59:00Z"),
        ("+12145550142", "2027-03-14T16:59:00Z"),
        ("+14015550142", "2026-10-31T13:30:00Z"),
        ("+14015550142", "2026-10-31T21:30:00Z"),
    ] {
        let now = utc(at);
        let to = texted_at(to);
        let verdict = send_verdict(&SendContext { to: &to, ..of_class(ContactClass::Promotional, now) }, now);
        assert!(matches!(verdict, SendVerdict::HoldMessage { .. }), "{to} {at}: {verdict:?}");
    }
}

#[test]
fn reply_is_sent_at_night_only_when_immediate() {
    // 2:30 in the night of the change, in Texas.
    let night = utc("2026-11-01T08:30:00Z");
    let at = |kind: MessageKind, after: i64| {
        let now = night + Duration::seconds(after);
        send_verdict(&SendContext { created_at: night, deadline_at: now, ..text(kind) }, now)
    };
    let held = |verdict: SendVerdict| matches!(verdict, SendVerdict::HoldMessage { until, .. } if until == utc("2026-11-01T14:00:00Z"));
    assert_eq!(at(MessageKind::AutoReply, 60), SendVerdict::Yes { until: None });
    assert!(held(at(MessageKind::AutoReply, 61)), "a form is answered within a minute or in the morning");
    for kind in [MessageKind::MissedCall, MessageKind::TextReply] {
        assert_eq!(at(kind, 600), SendVerdict::Yes { until: None }, "{kind:?}");
        assert!(held(at(kind, 601)), "{kind:?}");
    }
    for kind in [MessageKind::HelpReply, MessageKind::StopConfirmation] {
        assert_eq!(at(kind, 3_600), SendVerdict::Yes { until: None }, "{kind:?}");
    }
    assert!(held(at(MessageKind::Nudge, 0)), "a reminder answers nobody");
    let owner = SendingSettings { hold_replies_at_night: true, ..SendingSettings::default() };
    for kind in [MessageKind::AutoReply, MessageKind::MissedCall, MessageKind::TextReply] {
        let facts = SendContext { created_at: night, sending: &owner, deadline_at: night, ..text(kind) };
        assert!(held(send_verdict(&facts, night)), "the business chose to wait for the morning: {kind:?}");
    }
}

#[test]
fn visit_notice_that_answers_text_is_sent_at_night_for_ten_minutes() {
    let night = utc("2026-11-01T08:30:00Z");
    let at = |class: ContactClass, after: i64| {
        let now = night + Duration::seconds(after);
        let facts = SendContext { class, created_at: night, ..text(MessageKind::Visit) };
        send_verdict(&SendContext { deadline_at: now + Duration::days(1), ..facts }, now)
    };
    assert_eq!(at(ContactClass::Conversational, 0), SendVerdict::Yes { until: None });
    assert_eq!(at(ContactClass::Conversational, 600), SendVerdict::Yes { until: None });
    for late in [at(ContactClass::Conversational, 601), at(ContactClass::Informational, 0)] {
        assert!(matches!(late, SendVerdict::HoldMessage { .. }), "{late:?}");
    }
}

#[test]
fn manual_text_is_sent_at_night_only_within_conversation() {
    let night = utc("2026-11-01T08:30:00Z");
    let manual = |last_in: Option<Duration>| {
        let last_in_at = last_in.map(|ago| night - ago);
        send_verdict(
            &SendContext { created_at: night, deadline_at: night, last_in_at, ..text(MessageKind::Manual) },
            night,
        )
    };
    assert_eq!(manual(Some(Duration::minutes(5))), SendVerdict::Yes { until: None });
    assert_eq!(manual(Some(Duration::hours(12))), SendVerdict::Yes { until: None });
    for last_in in [None, Some(Duration::hours(12) + Duration::seconds(1)), Some(Duration::days(30))] {
        let SendVerdict::HoldMessage { until, why } = manual(last_in) else { panic!("{last_in:?} goes") };
        assert_eq!(until, utc("2026-11-01T14:00:00Z"));
        assert_eq!(why, "it's 2:30 AM in Texas; texts go out 8 AM to 9 PM");
    }
}

#[test]
fn text_near_end_of_contact_hours_is_held_until_morning() {
    // 21:00 in Texas on the evening of the change: standard time.
    let closes = utc("2026-11-02T03:00:00Z");
    let at = |left: i64| {
        let now = closes - Duration::seconds(left);
        send_verdict(&of_class(ContactClass::Informational, now), now)
    };
    assert_eq!(at(60), SendVerdict::Yes { until: Some(closes) });
    let why = "the hours for texts there end in less than a minute".to_owned();
    let morning = utc("2026-11-02T14:00:00Z");
    assert_eq!(at(59), SendVerdict::HoldMessage { until: morning, why: why.clone() });
    assert_eq!(at(1), SendVerdict::HoldMessage { until: morning, why });
    let shut = at(0);
    assert!(
        matches!(&shut, SendVerdict::HoldMessage { until, why } if *until == morning && why.starts_with("it's 9:00 PM in Texas")),
        "{shut:?}"
    );
}

#[test]
fn emails_and_staff_alerts_have_no_contact_hours() {
    let night = utc("2026-11-01T08:30:00Z");
    for kind in KINDS {
        let email = SendContext { created_at: night, deadline_at: night, ..facts(kind, MessageChannel::Email) };
        assert_eq!(send_verdict(&email, night), SendVerdict::Yes { until: None }, "{kind:?}");
        if !kind.is_for_customers() {
            let alert = SendContext { created_at: night, deadline_at: night, ..text(kind) };
            assert_eq!(send_verdict(&alert, night), SendVerdict::Yes { until: None }, "{kind:?}");
        }
    }
}

fn any_facts() -> impl Strategy<Value = (usize, usize, Option<&'static str>, i64, i64, u8, i64)> {
    let zips = vec![None, Some("33101"), Some("02903"), Some("96801"), Some("75201"), Some("99501"), Some("x")];
    // From before the autumn night to after the spring night.
    let minutes = 0..200_i64 * 1_440;
    (0..oracle::STATES.len(), 0..KINDS.len(), prop::sample::select(zips), minutes, 0..900_i64, 0..64_u8, 0..5_i64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn texts_leave_only_in_contact_hours_and_holds_end_when_allowed(
        (state, kind, zip, minute, age, marks, offers) in any_facts()
    ) {
        let now = utc("2026-10-25T00:00:00Z") + Duration::minutes(minute);
        let (place, kind) = (oracle::STATES[state], KINDS[kind]);
        let to = texted_at(&format!("+1{}5550142", place.1));
        let is = |bit: u8| marks & (1 << bit) != 0;
        let owner = SendingSettings { hold_replies_at_night: is(0), ..SendingSettings::default() };
        let class = if is(1) && kind == MessageKind::Nudge { ContactClass::Promotional } else { kind.class() };
        let facts = SendContext {
            to: &to,
            class,
            zip,
            sending: &owner,
            created_at: now - Duration::seconds(age),
            deadline_at: now + Duration::minutes(5),
            agreed_to_offers: is(2),
            promotional_in_a_day: offers,
            last_in_at: is(3).then(|| now - Duration::hours(13)),
            is_blocked: is(4) && is(5),
            ..text(kind)
        };
        let now_class = effective_class(&facts, now);
        match send_verdict(&facts, now) {
            SendVerdict::Yes { until } => {
                prop_assert!(!kind.is_for_customers() || oracle::is_open(now_class, now, place), "{:?} {:?} {}", kind, place, now);
                if let Some(until) = until {
                    prop_assert!(until - now >= LEAST_LEFT);
                    prop_assert!(oracle::is_open(now_class, until - Duration::seconds(1), place));
                }
            }
            SendVerdict::HoldMessage { until, why } => {
                prop_assert!(until > now && !why.is_empty());
                // It may still go after the sender's random delay.
                for put_off in [Duration::zero(), Duration::minutes(17), contact_hours::MAX_SEND_JITTER] {
                    let then = until + put_off;
                    let later = SendContext { deadline_at: then, promotional_in_a_day: 0, ..facts.clone() };
                    prop_assert!(goes(&later, then), "{:?} {:?} held at {} until {}: {:?}", kind, place, now, until, send_verdict(&later, then));
                }
            }
            SendVerdict::No(why) => prop_assert!(!why.is_empty()),
            SendVerdict::TooLate | SendVerdict::Wait(_) => prop_assert!(false, "neither late nor asked to wait"),
        }
    }
}
