//! No text leaves outside the recipient's hours: every state by every hour of both nights, and chance.

use proptest::prelude::*;

use super::*;
use crate::platform::contact_hours::oracle;

fn utc(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

/// A text whose class for the hours is `class`, made long enough ago that no exemption holds.
fn of_class(class: Class, now: DateTime<Utc>) -> Facts<'static> {
    let (kind, created_at) = match class {
        Class::Conversational => (Kind::AutoReply, now),
        Class::Informational => (Kind::Manual, now - Duration::hours(1)),
        Class::Promotional => (Kind::Nudge, now - Duration::hours(1)),
    };
    Facts { class, agreed_to_offers: true, created_at, deadline_at: now + Duration::days(1), ..text(kind) }
}

#[test]
fn fifty_one_states_by_24_hours_by_both_nights_for_each_class() {
    let (mut sent, mut held) = (0, 0);
    for place in oracle::STATES {
        let to = format!("+1{}5550142", place.1);
        for day in ["2026-11-01T00:00:00Z", "2027-03-14T00:00:00Z"] {
            // The day begins at another instant in every zone: 24 hours of the latest, and what comes before them.
            for hour in 0..24 + 12 {
                for minute in [0, 59] {
                    let now = utc(day) + Duration::hours(hour) + Duration::minutes(minute);
                    for class in Class::ALL {
                        let facts = Facts { to: &to, ..of_class(class, now) };
                        let verdict = said(&facts, now);
                        // The last minute of a window is no time to begin.
                        let expected = oracle::is_open(class, now, place)
                            && oracle::is_open(class, now + Duration::seconds(59), place);
                        assert_eq!(
                            matches!(verdict, Verdict::Yes { .. }),
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

/// Held until an instant that is open to the oracle and to the gate, with a reason to show.
fn opens_when_it_says(
    facts: &Facts<'_>,
    class: Class,
    place: (&'static str, &'static str, i64, bool),
    now: DateTime<Utc>,
    verdict: &Verdict,
) {
    let Verdict::Hold { until, why } = verdict else { panic!("{place:?} {now}: {verdict:?}") };
    assert!(*until > now && *until <= now + Duration::days(3), "{place:?} {now}: until {until}");
    assert!(oracle::is_open(class, *until, place), "{place:?} {now}: until {until}");
    assert!(!oracle::is_open(class, *until - Duration::seconds(1), place), "{place:?} {now}: it opened before {until}");
    assert!(
        why.starts_with("it's ") || why.starts_with("it is ") || why.starts_with("the hours for texts there end"),
        "{why}"
    );
    let later = Facts { deadline_at: *until, ..facts.clone() };
    assert!(goes(&later, *until), "{place:?}: {:?}", said(&later, *until));
}

#[test]
fn the_number_and_the_zip_are_asked_both_and_the_stricter_stands() {
    // 9 in the morning in Miami is 4 in Hawaii.
    let morning = utc("2026-11-03T14:00:00Z");
    let miami = Facts { to: "+13055550142", created_at: morning - Duration::hours(1), ..text(Kind::Manual) };
    let miami = Facts { deadline_at: morning + Duration::days(1), ..miami };
    assert!(goes(&miami, morning));
    let hawaii = Facts { zip: Some("96801"), ..miami.clone() };
    let Verdict::Hold { until, why } = said(&hawaii, morning) else { panic!("it goes") };
    assert_eq!(
        (until, why.as_str()),
        (utc("2026-11-03T18:00:00Z"), "it's 4:00 AM in Hawaii; texts go out 8 AM to 9 PM")
    );
    // And the other way about: a Hawaiian number, work in Miami, late in the Florida evening.
    let evening = utc("2026-11-04T02:30:00Z");
    let late = Facts { to: "+18085550142", zip: Some("33101"), created_at: evening - Duration::hours(1), ..miami };
    assert!(matches!(said(&Facts { deadline_at: evening + Duration::days(1), ..late }, evening), Verdict::Hold { .. }));
}

#[test]
fn texas_sunday_morning_and_rhode_island_saturday_get_no_offers() {
    for (to, at) in [
        ("+12145550142", "2026-11-01T17:59:00Z"),
        ("+12145550142", "2027-03-14T16:59:00Z"),
        ("+14015550142", "2026-10-31T13:30:00Z"),
        ("+14015550142", "2026-10-31T21:30:00Z"),
    ] {
        let now = utc(at);
        let verdict = said(&Facts { to, ..of_class(Class::Promotional, now) }, now);
        assert!(matches!(verdict, Verdict::Hold { .. }), "{to} {at}: {verdict:?}");
    }
}

#[test]
fn an_answer_goes_at_night_if_it_goes_at_once() {
    // 2:30 in the night of the change, in Texas.
    let night = utc("2026-11-01T08:30:00Z");
    let at = |kind: Kind, after: i64| {
        let now = night + Duration::seconds(after);
        said(&Facts { created_at: night, deadline_at: now, ..text(kind) }, now)
    };
    let held =
        |verdict: Verdict| matches!(verdict, Verdict::Hold { until, .. } if until == utc("2026-11-01T14:00:00Z"));
    assert_eq!(at(Kind::AutoReply, 60), Verdict::Yes { until: None });
    assert!(held(at(Kind::AutoReply, 61)), "a form is answered within a minute or in the morning");
    for kind in [Kind::MissedCall, Kind::TextReply] {
        assert_eq!(at(kind, 600), Verdict::Yes { until: None }, "{kind:?}");
        assert!(held(at(kind, 601)), "{kind:?}");
    }
    for kind in [Kind::HelpReply, Kind::StopConfirmation] {
        assert_eq!(at(kind, 3_600), Verdict::Yes { until: None }, "{kind:?}");
    }
    assert!(held(at(Kind::Nudge, 0)), "a reminder answers nobody");
    let owner = Sending { hold_replies_at_night: true, ..Sending::default() };
    for kind in [Kind::AutoReply, Kind::MissedCall, Kind::TextReply] {
        let facts = Facts { created_at: night, sending: &owner, deadline_at: night, ..text(kind) };
        assert!(held(said(&facts, night)), "the business chose to wait for the morning: {kind:?}");
    }
}

#[test]
fn what_a_person_writes_goes_at_night_only_into_a_conversation() {
    let night = utc("2026-11-01T08:30:00Z");
    let manual = |last_in: Option<Duration>| {
        let last_in_at = last_in.map(|ago| night - ago);
        said(&Facts { created_at: night, deadline_at: night, last_in_at, ..text(Kind::Manual) }, night)
    };
    assert_eq!(manual(Some(Duration::minutes(5))), Verdict::Yes { until: None });
    assert_eq!(manual(Some(Duration::hours(12))), Verdict::Yes { until: None });
    for last_in in [None, Some(Duration::hours(12) + Duration::seconds(1)), Some(Duration::days(30))] {
        let Verdict::Hold { until, why } = manual(last_in) else { panic!("{last_in:?} goes") };
        assert_eq!(until, utc("2026-11-01T14:00:00Z"));
        assert_eq!(why, "it's 2:30 AM in Texas; texts go out 8 AM to 9 PM");
    }
}

#[test]
fn what_could_not_leave_in_time_waits_for_the_morning() {
    // 21:00 in Texas on the evening of the change: standard time.
    let closes = utc("2026-11-02T03:00:00Z");
    let at = |left: i64| {
        let now = closes - Duration::seconds(left);
        said(&of_class(Class::Informational, now), now)
    };
    assert_eq!(at(60), Verdict::Yes { until: Some(closes) });
    let why = "the hours for texts there end in less than a minute".to_owned();
    let morning = utc("2026-11-02T14:00:00Z");
    assert_eq!(at(59), Verdict::Hold { until: morning, why: why.clone() });
    assert_eq!(at(1), Verdict::Hold { until: morning, why });
    let shut = at(0);
    assert!(
        matches!(&shut, Verdict::Hold { until, why } if *until == morning && why.starts_with("it's 9:00 PM in Texas")),
        "{shut:?}"
    );
}

#[test]
fn the_people_of_the_business_and_email_have_no_hours() {
    let night = utc("2026-11-01T08:30:00Z");
    for kind in KINDS {
        let email = Facts { created_at: night, deadline_at: night, ..facts(kind, Channel::Email) };
        assert_eq!(said(&email, night), Verdict::Yes { until: None }, "{kind:?}");
        if !kind.is_for_customers() {
            let alert = Facts { created_at: night, deadline_at: night, ..text(kind) };
            assert_eq!(said(&alert, night), Verdict::Yes { until: None }, "{kind:?}");
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
    fn yes_only_inside_the_hours_and_every_hold_ends_where_it_may_go(
        (state, kind, zip, minute, age, marks, offers) in any_facts()
    ) {
        let now = utc("2026-10-25T00:00:00Z") + Duration::minutes(minute);
        let (place, kind) = (oracle::STATES[state], KINDS[kind]);
        let to = format!("+1{}5550142", place.1);
        let is = |bit: u8| marks & (1 << bit) != 0;
        let owner = Sending { hold_replies_at_night: is(0), ..Sending::default() };
        let class = if is(1) && kind == Kind::Nudge { Class::Promotional } else { kind.class() };
        let facts = Facts {
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
        let now_class = class_now(&facts, now);
        match said(&facts, now) {
            Verdict::Yes { until } => {
                prop_assert!(!kind.is_for_customers() || oracle::is_open(now_class, now, place), "{:?} {:?} {}", kind, place, now);
                if let Some(until) = until {
                    prop_assert!(until - now >= LEAST_LEFT);
                    prop_assert!(oracle::is_open(now_class, until - Duration::seconds(1), place));
                }
            }
            Verdict::Hold { until, why } => {
                prop_assert!(until > now && !why.is_empty());
                // Moved by chance, as the sender moves it, it still may go.
                for put_off in [Duration::zero(), Duration::minutes(17), contact_hours::LONGEST_PUT_OFF] {
                    let then = until + put_off;
                    let later = Facts { deadline_at: then, promotional_in_a_day: 0, ..facts.clone() };
                    prop_assert!(goes(&later, then), "{:?} {:?} held at {} until {}: {:?}", kind, place, now, until, said(&later, then));
                }
            }
            Verdict::No(why) => prop_assert!(!why.is_empty()),
            Verdict::TooLate | Verdict::Wait(_) => prop_assert!(false, "neither late nor asked to wait"),
        }
    }
}
