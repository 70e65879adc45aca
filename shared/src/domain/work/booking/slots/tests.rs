//! Offers on ordinary days, at both clock changes, over midnight, and beside other work.

use chrono_tz::America::Chicago;
use proptest::{prelude::*, test_runner::Config};

use super::*;
use crate::platform::business_hours::{BusinessWeek, ClosedDate};

fn at(text: &str) -> DateTime<Utc> {
    format!("{text}:00Z").parse().unwrap()
}

fn local(text: &str) -> DateTime<Utc> {
    business_hours::local_to_utc(Chicago, format!("{text}:00").parse().unwrap())
}

fn crew(n: u128) -> CrewId {
    CrewId(Uuid::from_u128(n))
}

fn week(spans: &str) -> BusinessWeek {
    let day: serde_json::Value = spans
        .split(' ')
        .filter_map(|span| span.split_once('-'))
        .map(|(opens, closes)| serde_json::json!({"opens": opens, "closes": closes}))
        .collect();
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
    let days: serde_json::Map<_, _> = names.iter().map(|name| ((*name).to_owned(), day.clone())).collect();
    serde_json::from_value(days.into()).unwrap()
}

fn every_day(spans: &str) -> BusinessHours {
    BusinessHours { week: week(spans), closed_dates: Vec::new() }
}

fn book(hours: &BusinessHours, span: TimeRange, busy: &[&[TimeRange]]) -> AvailabilityCalendar {
    let hands = (1_i64..).zip(busy).map(|(n, busy)| {
        let times = crew_open_hours(None, hours, Chicago, (span.0 - Duration::days(1), span.1 + Duration::days(1)));
        CrewAvailability::new(crew(u128::try_from(n).unwrap()), n, times, busy.to_vec(), Chicago)
    });
    AvailabilityCalendar {
        zone: Chicago,
        buffer: Duration::minutes(30),
        cap: 0,
        hands: hands.collect(),
        unassigned: Vec::new(),
    }
}

fn offered(book: &AvailabilityCalendar, day: &str, minutes: i64, grid: i64) -> Vec<String> {
    let first = local(&format!("{day}T00:00"));
    let last = first + Duration::hours(25);
    let starts = book.list_start_times((first, last), Duration::minutes(minutes), grid);
    let shown = starts.into_iter().map(|at| at.with_timezone(&Chicago));
    shown.filter(|at| at.date_naive().to_string() == day).map(|at| at.format("%H:%M").to_string()).collect()
}

#[test]
fn next_times_are_three_that_do_not_overlap() {
    let slot = |text: &str| BookingSlot { starts_at: local(text), label: String::new() };
    let day = |date: &str, times: &[&str]| BookingDay {
        date: date.parse().unwrap(),
        slots: times.iter().map(|time| slot(&format!("{date}T{time}"))).collect(),
    };
    let days =
        vec![day("2026-11-24", &["15:00", "15:30", "16:00"]), day("2026-11-25", &["08:00", "09:00", "10:00", "12:00"])];
    let offer = SlotOffer { days, next: None };
    let picked = |minutes| -> Vec<String> {
        let next = TimesOffer::from_slots(offer.clone(), Duration::minutes(minutes), false).next;
        next.iter().map(|time| time.starts_at.with_timezone(&Chicago).format("%d %H:%M").to_string()).collect()
    };
    assert_eq!(picked(120), ["24 15:00", "25 08:00", "25 10:00"]);
    assert_eq!(picked(30), ["24 15:00", "24 15:30", "24 16:00"]);
    assert!(TimesOffer::from_slots(SlotOffer::default(), Duration::minutes(60), true).next.is_empty());
}

fn around(day: &str) -> TimeRange {
    let noon = local(&format!("{day}T12:00"));
    (noon - Duration::days(1), noon + Duration::days(1))
}

#[test]
fn last_slot_ends_by_closing_time() {
    let open = book(&every_day("08:00-12:00"), around("2026-11-24"), &[&[]]);
    assert_eq!(offered(&open, "2026-11-24", 120, 30), ["08:00", "08:30", "09:00", "09:30", "10:00"]);
    assert_eq!(offered(&open, "2026-11-24", 120, 60), ["08:00", "09:00", "10:00"]);
    assert_eq!(offered(&open, "2026-11-24", 241, 30), Vec::<String>::new());
}

#[test]
fn buffer_is_kept_before_and_after_other_jobs() {
    let job = (local("2026-11-24T10:00"), local("2026-11-24T11:00"));
    let open = book(&every_day("08:00-14:00"), around("2026-11-24"), &[&[job]]);
    assert_eq!(offered(&open, "2026-11-24", 60, 30), ["08:00", "08:30", "11:30", "12:00", "12:30", "13:00"]);
}

#[test]
fn closed_date_also_closes_crews_with_own_hours() {
    let day: NaiveDate = "2026-11-26".parse().unwrap();
    let business = BusinessHours {
        week: BusinessWeek::default(),
        closed_dates: vec![ClosedDate { date: day, label: "Thanksgiving".into() }],
    };
    let own = every_day("06:00-09:00");
    let times = crew_open_hours(Some(&own), &business, Chicago, around("2026-11-26"));
    assert!(!times.iter().any(|(from, _)| from.with_timezone(&Chicago).date_naive() == day));
    assert!(times.iter().any(|(from, _)| *from == local("2026-11-27T06:00")));
}

#[test]
fn opening_hours_over_midnight_are_one_span() {
    let night = book(&every_day("20:00-02:00"), around("2026-11-24"), &[&[]]);
    let starts = offered(&night, "2026-11-24", 120, 60);
    assert_eq!(starts, ["00:00", "20:00", "21:00", "22:00", "23:00"]);
    let always = book(&every_day("00:00-00:00"), around("2026-11-24"), &[&[]]);
    assert!(offered(&always, "2026-11-24", 120, 60).contains(&"23:00".to_owned()), "days without a gap are one");
}

#[test]
fn slots_on_dst_nights_stay_on_grid_without_duplicates() {
    let night = every_day("00:00-06:00");
    let spring = book(&night, around("2027-03-14"), &[&[]]);
    assert_eq!(offered(&spring, "2027-03-14", 60, 60), ["00:00", "01:00", "03:00", "04:00", "05:00"]);
    let autumn = book(&night, around("2026-11-01"), &[&[]]);
    assert_eq!(offered(&autumn, "2026-11-01", 60, 60), ["00:00", "01:00", "02:00", "03:00", "04:00", "05:00"]);
    let four = book(&every_day("00:00-00:00"), around("2026-11-01"), &[&[]]);
    assert_eq!(offered(&four, "2026-11-01", 60, 240), ["00:00", "04:00", "08:00", "12:00", "16:00", "20:00"]);
}

#[test]
fn free_crews_are_ordered_by_fewest_jobs_then_list_order() {
    let job = (local("2026-11-24T13:00"), local("2026-11-24T14:00"));
    let (hours, span) = (every_day("08:00-17:00"), around("2026-11-24"));
    let nine = (local("2026-11-24T09:00"), local("2026-11-24T10:00"));
    assert_eq!(book(&hours, span, &[&[], &[]]).find_free_crews(nine.0, nine.1), [crew(1), crew(2)]);
    assert_eq!(book(&hours, span, &[&[job], &[]]).find_free_crews(nine.0, nine.1), [crew(2), crew(1)]);
    let capped = AvailabilityCalendar { cap: 1, ..book(&hours, span, &[&[job], &[]]) };
    assert_eq!(capped.find_free_crews(nine.0, nine.1), [crew(2)], "the first has its one job of the day");
}

#[test]
fn unassigned_job_takes_capacity_of_one_crew() {
    let (hours, span) = (every_day("08:00-17:00"), around("2026-11-24"));
    let nine = (local("2026-11-24T09:00"), local("2026-11-24T10:00"));
    let promised =
        |crews: &[&[TimeRange]]| AvailabilityCalendar { unassigned: vec![nine], ..book(&hours, span, crews) };
    assert!(promised(&[&[]]).find_free_crews(nine.0, nine.1).is_empty());
    assert_eq!(promised(&[&[], &[]]).find_free_crews(nine.0, nine.1).len(), 2);
}

#[test]
fn fitting_visits_of_a_day_are_counted_over_all_crews_and_around_jobs() {
    let hours = every_day("08:00-17:00");
    let day = (local("2026-11-24T00:00"), local("2026-11-25T00:00"));
    let count = |free: AvailabilityCalendar| free.count_fitting_visits(day, Duration::hours(2), 30);
    let span = around("2026-11-24");
    assert_eq!(count(book(&hours, span, &[&[]])), 3, "8:00, 10:30 and 13:00, with the buffer between them");
    assert_eq!(count(book(&hours, span, &[&[], &[]])), 6);
    let job = (local("2026-11-24T10:00"), local("2026-11-24T12:00"));
    assert_eq!(count(book(&hours, span, &[&[job]])), 2, "12:30 and 15:00");
    assert_eq!(count(AvailabilityCalendar { unassigned: vec![job], ..book(&hours, span, &[&[], &[]]) }), 5);
    assert_eq!(count(AvailabilityCalendar { cap: 1, ..book(&hours, span, &[&[], &[]]) }), 2, "one job a day each");
    assert_eq!(count(book(&hours, span, &[])), 0);
    let late = (local("2026-11-24T14:00"), day.1);
    assert_eq!(book(&hours, span, &[&[]]).count_fitting_visits(late, Duration::hours(2), 30), 1, "of what is left");
}

#[test]
fn start_off_the_slot_grid_is_not_offered() {
    let open = book(&every_day("08:00-17:00"), around("2026-11-24"), &[&[]]);
    let (set, span) = (BookingSettings::default(), (at("2026-11-23T00:00"), at("2026-11-26T00:00")));
    assert!(open.is_offered(&set, span, local("2026-11-24T09:30")));
    for off in [Duration::minutes(15), Duration::seconds(1), Duration::milliseconds(1), Duration::nanoseconds(1)] {
        assert!(!open.is_offered(&set, span, local("2026-11-24T09:30") + off), "{off}");
    }
    assert!(!open.is_offered(&set, span, at("2026-11-26T00:00")), "the end is not within");
}

proptest! {
    #![proptest_config(Config { cases: 48, ..Config::default() })]

    /// With any bookings of offered times, visits of a crew keep the buffer and stay within its hours.
    #[test]
    fn booked_visits_of_a_crew_never_overlap(
        picks in proptest::collection::vec((0_usize..400, 1_i64..17), 1..30),
        buffer in prop_oneof![Just(0_i64), Just(15), Just(45), Just(90)],
        crews in 1_usize..4,
        is_autumn in any::<bool>(),
    ) {
        let day = if is_autumn { "2026-11-01" } else { "2027-03-14" };
        let (hours, span) = (every_day("06:00-12:00 13:00-02:00"), around(day));
        let mut done: Vec<Vec<TimeRange>> = vec![Vec::new(); crews];
        for (pick, quarters) in picks {
            let busy: Vec<&[TimeRange]> = done.iter().map(Vec::as_slice).collect();
            let now = AvailabilityCalendar { buffer: Duration::minutes(buffer), ..book(&hours, span, &busy) };
            let length = Duration::minutes(quarters * 15);
            let starts: Vec<_> = now.list_start_times(span, length, 15).into_iter().collect();
            let Some(&begins) = starts.get(pick % starts.len().max(1)) else { continue };
            let by = now.find_free_crews(begins, begins + length)[0];
            let index = usize::try_from(by.0.as_u128()).unwrap() - 1;
            done[index].push((begins, begins + length));
        }
        for visits in &mut done {
            visits.sort_unstable();
            for pair in visits.windows(2) {
                prop_assert!(pair[0].1 + Duration::minutes(buffer) <= pair[1].0, "{pair:?}");
            }
            for visit in visits.iter() {
                let hour = |at: DateTime<Utc>| at.with_timezone(&Chicago).hour();
                prop_assert!(!(2..6).contains(&hour(visit.0)) && hour(visit.0) != 12, "{visit:?}");
            }
        }
    }
}
