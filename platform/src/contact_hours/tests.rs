//! Contact hours compared with the oracle.

use std::collections::HashSet;

use chrono::{DateTime, Datelike, Duration, NaiveDate, Utc};

use super::{
    ContactClass, ContactWindow, HORIZON_DAYS, add_send_jitter, check_window, law, oracle, oracle::STATES, places,
    words,
};
use crate::{clock::Entropy, phone::Phone};

fn phone(area_code: &str) -> Phone {
    Phone::parse(&format!("+1{area_code}5550142")).unwrap()
}

fn is_open(class: ContactClass, phone: &Phone, zip: Option<&str>, at: DateTime<Utc>) -> bool {
    matches!(check_window(class, phone, zip, at).0, ContactWindow::Open { .. })
}

fn utc(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

#[test]
fn window_in_51_states_agrees_with_the_oracle_across_both_dst_changes() {
    let (mut open, mut shut) = (0, 0);
    for place in STATES {
        let (state, code, ..) = place;
        // Both clock changes are on Sundays; Saturday and Monday are included. Half-hour steps, for Rhode Island.
        for start in ["2026-10-31T00:00:00Z", "2027-03-13T00:00:00Z"] {
            for half in 0..48 * 3 + 20 {
                let at = utc(start) + Duration::minutes(30 * half);
                let expected = oracle::is_open(ContactClass::Promotional, at, place);
                let (got, saw) = check_window(ContactClass::Promotional, &phone(code), None, at);
                assert_eq!(
                    matches!(got, ContactWindow::Open { .. }),
                    expected,
                    "{state} {code} at {at}: {got:?} {saw:?}"
                );
                assert_eq!(saw.states, [state]);
                open += usize::from(expected);
                shut += usize::from(!expected);
            }
        }
    }
    assert!(open > 4_000 && shut > 4_000, "{open} open, {shut} shut");
}

#[test]
fn texas_sunday_opens_at_noon_and_rhode_island_saturday_at_ten() {
    let at = |code, written| is_open(ContactClass::Promotional, &phone(code), None, utc(written));
    // CST is UTC-6, EDT is UTC-4.
    assert!(!at("214", "2026-11-08T17:59:59Z"));
    assert!(at("214", "2026-11-08T18:00:00Z"));
    assert!(!at("401", "2026-10-31T13:30:00Z"));
    assert!(at("401", "2026-10-31T14:00:00Z"));
    assert!(at("401", "2026-10-31T20:59:00Z"));
    assert!(!at("401", "2026-10-31T21:30:00Z"));
}

#[test]
fn window_for_hawaiian_phone_and_miami_zip_is_open_only_if_both_are() {
    let (mut both, hawaii) = (0, phone("808"));
    for half in 0..48 {
        let at = utc("2026-11-03T00:00:00Z") + Duration::minutes(30 * half);
        for class in [ContactClass::Informational, ContactClass::Promotional] {
            let alone = is_open(class, &hawaii, None, at);
            let miami = is_open(class, &phone("305"), None, at);
            let joint = is_open(class, &hawaii, Some("33101-1234"), at);
            assert_eq!(joint, alone && miami, "{class:?} at {at}");
            both += usize::from(joint);
        }
    }
    let (_, saw) = check_window(ContactClass::Promotional, &hawaii, Some("33101-1234"), utc("2026-11-03T00:00:00Z"));
    assert_eq!(saw.found_by, ["area code 808", "ZIP 33101"]);
    assert_eq!(saw.rule, "Hawaii 9 AM to 8 PM, Florida 9 AM to 8 PM");
    // 8 to 21 in both is 13 to 21 in Miami; 9 to 20 in both is 14 to 20 there.
    assert_eq!(both, 2 * 8 + 2 * 6);
}

#[test]
fn closed_reason_names_place_local_time_and_rule() {
    let why = |class, code, zip, written| match check_window(class, &phone(code), zip, utc(written)).0 {
        ContactWindow::Closed { why, opens } => (why, opens),
        ContactWindow::Open { .. } => panic!("open"),
    };
    let (words, opens) = why(ContactClass::Promotional, "305", None, "2026-11-03T12:12:00Z");
    assert_eq!(words, "it's 7:12 AM in Florida; texts go out 9 AM to 8 PM");
    assert_eq!(opens, utc("2026-11-03T14:00:00Z"));
    let (words, _) = why(ContactClass::Promotional, "808", Some("33101"), "2026-11-03T13:30:00Z");
    assert_eq!(words, "it's 3:30 AM in Hawaii; texts go out 9 AM to 8 PM");
    let (words, _) = why(ContactClass::Informational, "850", None, "2026-11-03T13:12:00Z");
    assert_eq!(words, "it's 7:12 AM in Florida (Central time); texts go out 8 AM to 9 PM");
    let (words, opens) = why(ContactClass::Promotional, "205", None, "2026-11-08T18:00:00Z");
    assert_eq!(words, "it is Sunday in Alabama; texts of this kind may not go there on Sundays");
    assert_eq!(opens, utc("2026-11-09T15:00:00Z"));
    let (words, opens) = why(ContactClass::Promotional, "801", None, "2026-11-26T19:00:00Z");
    assert_eq!(words, "it is a public holiday in Utah; texts of this kind may not go there on such days");
    assert_eq!(opens, utc("2026-11-27T16:00:00Z"));
    let (words, _) = why(ContactClass::Promotional, "800", None, "2026-11-03T16:30:00Z");
    assert_eq!(words, "it's 8:30 AM in the Pacific time zone, where this number may be; texts go out 9 AM to 8 PM");
    let (words, opens) = why(ContactClass::Promotional, "401", Some("96960"), "2026-11-03T16:30:00Z");
    assert!(words.starts_with("there is no hour that is allowed in all of these places: Rhode Island, "), "{words}");
    for zip in ["96913", "96931", "96950"] {
        let (words, _) = why(ContactClass::Informational, "671", Some(zip), "2026-11-03T16:30:00Z");
        assert!(words.starts_with("it's 2:30 AM in ") && !words.contains("Palau"), "{zip}: {words}");
    }
    assert_eq!(opens, utc("2026-11-18T16:30:00Z"), "asked again when all that was looked at is past");
}

#[test]
fn conversational_window_is_always_open_and_evidence_round_trips() {
    let night = utc("2026-11-01T06:30:00Z");
    assert_eq!(
        check_window(ContactClass::Conversational, &phone("401"), None, night).0,
        ContactWindow::Open { until: None }
    );
    let (_, saw) = check_window(ContactClass::Promotional, &phone("401"), None, night);
    assert_eq!((saw.zones.as_slice(), saw.states.as_slice()), (&["America/New_York".into()][..], &["RI".into()][..]));
    assert_eq!(saw.rule, "Rhode Island not today");
    assert!(saw.source.iter().any(|row| row.starts_with("RI: R.I. Gen. Laws 5-61-2(2)")), "{saw:?}");
    let json = serde_json::to_string(&saw).unwrap();
    assert_eq!(serde_json::from_str::<super::QuietHoursEvidence>(&json).unwrap(), saw);
}

#[test]
fn promotional_window_in_canada_is_ten_to_six_on_weekends() {
    let at = |written| is_open(ContactClass::Promotional, &phone("416"), None, utc(written));
    assert!(!at("2026-11-07T14:30:00Z") && at("2026-11-07T15:00:00Z"));
    assert!(at("2026-11-07T22:59:00Z") && !at("2026-11-07T23:00:00Z"));
    assert!(at("2026-11-06T23:00:00Z") && !at("2026-11-07T01:00:00Z"));
}

/// Existing area codes, each with several ZIP codes.
fn sample() -> Vec<(Phone, Option<&'static str>)> {
    let codes = ["808", "305", "850", "401", "214", "605", "801", "907", "800", "928", "709", "671", "270", "205"];
    let zips = [None, Some("33101"), Some("02903"), Some("96801"), Some("86001"), Some("no zip")];
    codes.iter().flat_map(|code| zips.map(|zip| (phone(code), zip))).collect()
}

#[test]
fn window_stays_open_until_its_end_and_is_closed_at_it() {
    let entropy = Entropy::from_seed(8);
    for (phone, zip) in sample() {
        for class in [ContactClass::Informational, ContactClass::Promotional] {
            // Both clock changes and Thanksgiving.
            let days = ["2026-10-31T00:00:00Z", "2027-03-13T00:00:00Z", "2026-11-25T00:00:00Z"];
            let chance = i64::from(u16::from_le_bytes(entropy.random_bytes()));
            let day = utc(days[usize::from(entropy.random_bytes::<1>()[0]) % days.len()]);
            holds_to_its_end(class, &phone, zip, day + Duration::minutes(chance % (3 * 1440)));
        }
    }
}

fn holds_to_its_end(class: ContactClass, phone: &Phone, zip: Option<&str>, at: DateTime<Utc>) {
    let open = |at| is_open(class, phone, zip, at);
    let from = match check_window(class, phone, zip, at).0 {
        ContactWindow::Open { .. } => at,
        ContactWindow::Closed { why, .. } if why.starts_with("there is no hour") => {
            assert!((0..HORIZON_DAYS * 24).all(|hour| !open(at + Duration::hours(hour))));
            return;
        }
        ContactWindow::Closed { opens, .. } => {
            assert!(opens > at && !open(opens - Duration::seconds(1)), "{phone} {zip:?} {at}");
            let mut shut = at;
            while shut < opens && shut < at + Duration::days(1) {
                assert!(!open(shut), "{class:?} {phone} {zip:?} at {shut}");
                shut += Duration::minutes(13);
            }
            opens
        }
    };
    let ContactWindow::Open { until: Some(until) } = check_window(class, phone, zip, from).0 else {
        panic!("shut at {from}")
    };
    if from > at {
        assert!(
            open(add_send_jitter(from, &Entropy::from_seed(1))) && open(from + Duration::minutes(30)),
            "{phone} {zip:?}"
        );
    }
    let mut inside = from;
    while inside < until {
        assert!(open(inside), "{class:?} {phone} {zip:?} at {inside}");
        inside += Duration::minutes(1);
    }
    assert!(open(until - Duration::seconds(1)) && !open(until), "{class:?} {phone} {zip:?} until {until}");
}

#[test]
fn rescheduled_time_is_within_30_minutes_of_opening_and_inside_the_window() {
    let opens = utc("2026-11-03T14:00:00Z");
    let entropy = Entropy::from_seed(9);
    let mut minutes = HashSet::new();
    for round in 0..2_000 {
        let at = add_send_jitter(opens, &entropy);
        assert!(opens <= at && at < opens + Duration::minutes(30), "{at}");
        minutes.insert((at - opens).num_minutes());
        assert!(
            round % 20 > 0
                || sample().iter().take(6).all(|(phone, zip)| {
                    let ContactWindow::Closed { opens, .. } =
                        check_window(ContactClass::Promotional, phone, *zip, at - Duration::hours(8)).0
                    else {
                        return true;
                    };
                    is_open(ContactClass::Promotional, phone, *zip, add_send_jitter(opens, &entropy))
                })
        );
    }
    assert_eq!(minutes.len(), 30, "the half hour is used evenly");
}

#[test]
fn every_area_code_and_zip_has_a_zone_and_a_named_state() {
    assert!(places::area_codes().len() > 400 && places::zips().len() > 900);
    for (key, place) in places::area_codes().iter().chain(places::zips()) {
        assert!(matches!(key.len(), 3..=5) && key.bytes().all(|byte| byte.is_ascii_digit()), "{key}");
        assert!(!place.zones.is_empty() && !place.states.is_empty(), "{key}");
        for state in &place.states {
            assert_ne!(words::state_name(state.clone().leak()), state, "{key} has a state without a name");
        }
    }
    let listed: HashSet<_> = places::area_codes().values().flat_map(|place| place.states.clone()).collect();
    assert!(STATES.iter().all(|(state, ..)| listed.contains(*state)));
    for (typed, known) in [
        ("33101", true),
        (" 33101-1234", true),
        ("3310", false),
        ("K1A 0B1", false),
        ("09012", false),
        ("ééééé", false),
    ] {
        assert_eq!(places::find_by_zip(typed).is_some(), known, "{typed}");
    }
}

#[test]
fn every_legal_rule_is_valid_and_allows_some_hours_on_a_monday() {
    assert!(law::table().len() > 40);
    let monday = NaiveDate::from_ymd_opt(2026, 11, 2).unwrap();
    for row in law::table() {
        assert!(row.allowed_minutes().is_none_or(|(from, to)| from < to), "{row:?}");
        assert!(row.area == "*" || row.area == "Canada" || words::state_name(row.area.as_str()) != row.area, "{row:?}");
        let state = (row.area.len() == 2).then_some(row.area.as_str());
        assert!(law::allowed_hours(row.class, state, monday).is_some(), "{row:?}");
    }
    for class in ContactClass::ALL {
        let name = serde_json::to_value(class).unwrap();
        assert_eq!(name.as_str().unwrap(), format!("{class:?}").to_lowercase());
    }
}

#[test]
fn federal_holidays_include_their_observed_days() {
    let holidays = |year: i32| {
        let first = NaiveDate::from_ymd_opt(year, 1, 1).unwrap();
        let days = first.iter_days().take_while(move |day| day.year() == year).filter(|day| law::is_holiday(*day));
        days.map(|day| day.format("%m-%d").to_string()).collect::<Vec<_>>()
    };
    // July 4, 2026, June 19 and December 25, 2027 and January 1, 2028 are Saturdays; July 4, 2027 is a Sunday.
    let of_2026 =
        ["01-01", "01-19", "02-16", "05-25", "06-19", "07-03", "07-04", "09-07", "10-12", "11-11", "11-26", "12-25"];
    assert_eq!(holidays(2026), of_2026);
    let of_2027 = [
        "01-01", "01-18", "02-15", "05-31", "06-18", "06-19", "07-04", "07-05", "09-06", "10-11", "11-11", "11-25",
        "12-24", "12-25", "12-31",
    ];
    assert_eq!(holidays(2027), of_2027);
}
