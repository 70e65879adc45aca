//! Business hours by example, and with thousands of random weeks around the clock changes.

use chrono::{DateTime, Duration, NaiveDate, NaiveTime, Utc, Weekday};
use chrono_tz::Tz;

use super::{BusinessHours, BusinessWeek, ClosedDate, OpenSpan, OpenState, WallTime, next_local_time};
use crate::{clock::Entropy, error::Error};

const ZONES: [Tz; 6] = [
    Tz::America__Chicago,
    Tz::America__Phoenix,
    Tz::America__New_York,
    Tz::America__Los_Angeles,
    Tz::Pacific__Honolulu,
    Tz::America__St_Johns,
];

fn span(opens: &str, closes: &str) -> OpenSpan {
    OpenSpan { opens: WallTime::parse(opens), closes: WallTime::parse(closes) }
}

fn date(written: &str) -> NaiveDate {
    written.parse().unwrap()
}

fn utc(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

fn closed_week() -> BusinessWeek {
    BusinessWeek { mon: vec![], tue: vec![], wed: vec![], thu: vec![], fri: vec![], sat: vec![], sun: vec![] }
}

fn faults(hours: &BusinessHours) -> Vec<(&'static str, String)> {
    match hours.validate_hours() {
        Ok(()) => Vec::new(),
        Err(Error::Invalid(fields)) => fields.into_messages(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn default_hours_serialize_in_the_api_format_and_back() {
    let json = serde_json::to_value(BusinessHours::default()).unwrap();
    assert_eq!(json["week"]["mon"], serde_json::json!([{"opens": "08:00", "closes": "17:00"}]));
    assert_eq!(json["week"]["sun"], serde_json::json!([]));
    assert_eq!(json["closedDates"], serde_json::json!([]));
    assert_eq!(serde_json::from_value::<BusinessHours>(json).unwrap(), BusinessHours::default());
}

#[test]
fn every_fault_is_reported_under_its_field() {
    assert_eq!(faults(&BusinessHours::default()), []);
    let mut hours = BusinessHours::default();
    hours.week.mon = vec![span("08:00", "5 pm"), span("25:00", "12:00")];
    hours.week.tue = vec![span("08:00", "12:00"), span("11:00", "17:00")];
    hours.week.wed = vec![span("08:00", "09:00"); 5];
    let named: Vec<_> = faults(&hours).into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        named,
        [
            "hours.week.mon[0].closes",
            "hours.week.mon[1].opens",
            "hours.week.tue[1].opens",
            "hours.week.wed",
            "hours.week.wed[1].opens",
            "hours.week.wed[2].opens",
            "hours.week.wed[3].opens",
        ]
    );
}

#[test]
fn closed_dates_are_limited_in_number_and_label_length_and_unique() {
    let closed = |day: i64, label: String| ClosedDate { date: date("2026-01-01") + Duration::days(day), label };
    let with = |closed_dates| BusinessHours { closed_dates, ..BusinessHours::default() };
    assert_eq!(faults(&with((0..200).map(|day| closed(day, "é".repeat(60))).collect())), []);
    let too_many = faults(&with((0..201).map(|day| closed(day, String::new())).collect()));
    assert_eq!(
        too_many,
        [("hours.closedDates", "Keep at most 200 closed dates; remove some that are past".to_owned())]
    );
    let long = faults(&with(vec![closed(0, "é".repeat(61))]));
    assert_eq!(long[0].1, "The name of January 1, 2026 is too long; use at most 60 characters");
    let twice = faults(&with(vec![closed(0, String::new()), closed(0, String::new())]));
    assert_eq!(twice[0].1, "January 1, 2026 is in the list twice");
}

#[test]
fn overnight_span_from_friday_continues_into_closed_saturday() {
    let mut hours = BusinessHours { week: closed_week(), ..BusinessHours::default() };
    hours.week.fri = vec![span("21:00", "02:00")];
    hours.week.sat = vec![span("21:00", "02:00")];
    hours.closed_dates = vec![ClosedDate { date: date("2026-07-04"), label: "July 4th".to_owned() }];
    let zone = Tz::America__Chicago;
    // Midnight in Chicago is 05:00 UTC in summer.
    assert_eq!(hours.state_at(zone, utc("2026-07-04T01:59:59Z")), OpenState::AfterHours);
    assert_eq!(hours.state_at(zone, utc("2026-07-04T02:00:00Z")), OpenState::Open);
    assert_eq!(hours.state_at(zone, utc("2026-07-04T06:59:59Z")), OpenState::Open);
    assert_eq!(hours.state_at(zone, utc("2026-07-04T07:00:00Z")), OpenState::Holiday("July 4th".to_owned()));
    assert_eq!(hours.state_at(zone, utc("2026-07-05T03:00:00Z")), OpenState::Holiday("July 4th".to_owned()));
    assert_eq!(hours.closes_at(zone, utc("2026-07-04T03:00:00Z")), Some(utc("2026-07-04T07:00:00Z")));
    assert_eq!(hours.next_open_at(zone, utc("2026-07-04T07:00:00Z")), Some(utc("2026-07-11T02:00:00Z")));
}

#[test]
fn midnight_to_midnight_span_covers_the_day_and_full_week_never_closes() {
    let mut hours = BusinessHours { week: closed_week(), ..BusinessHours::default() };
    hours.week.sun = vec![span("00:00", "00:00")];
    let zone = Tz::America__New_York;
    // Sunday 2026-11-01 has 25 hours, 2027-03-14 has 23.
    for (from, to) in
        [("2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"), ("2027-03-14T05:00:00Z", "2027-03-15T04:00:00Z")]
    {
        assert_eq!(hours.next_open_at(zone, utc(from) - Duration::hours(9)), Some(utc(from)));
        assert_eq!(hours.closes_at(zone, utc(from)), Some(utc(to)));
    }
    let all = vec![span("00:00", "24:00")];
    hours.week = BusinessWeek {
        mon: all.clone(),
        tue: all.clone(),
        wed: all.clone(),
        thu: all.clone(),
        fri: all.clone(),
        sat: all.clone(),
        sun: all,
    };
    assert_eq!(hours.closes_at(zone, utc("2026-11-01T05:30:00Z")), None);
    assert_eq!(hours.state_at(zone, utc("2026-11-01T05:30:00Z")), OpenState::Open);
}

#[test]
fn next_open_is_none_without_an_opening_in_the_search_horizon() {
    let never = BusinessHours { week: closed_week(), ..BusinessHours::default() };
    assert_eq!(never.next_open_at(Tz::America__Chicago, utc("2026-11-01T05:30:00Z")), None);
    let closed = |days| ClosedDate { date: date("2026-11-01") + Duration::days(days), label: String::new() };
    let away = BusinessHours { closed_dates: (0..120).map(closed).collect(), ..BusinessHours::default() };
    assert_eq!(away.next_open_at(Tz::America__Chicago, utc("2026-11-01T12:00:00Z")), None);
    assert!(away.next_open_at(Tz::America__Chicago, utc("2027-01-30T12:00:00Z")).is_some());
}

#[test]
fn next_local_keeps_wall_clock_time_across_dst_changes() {
    let nine = NaiveTime::from_hms_opt(9, 0, 0).unwrap();
    let zone = Tz::America__Chicago;
    assert_eq!(next_local_time(zone, utc("2026-10-31T14:00:00Z"), nine), utc("2026-11-01T15:00:00Z"));
    assert_eq!(next_local_time(zone, utc("2027-03-13T15:00:00Z"), nine), utc("2027-03-14T14:00:00Z"));
    let half_two = NaiveTime::from_hms_opt(2, 30, 20).unwrap();
    assert_eq!(next_local_time(zone, utc("2027-03-14T06:00:00Z"), half_two), utc("2027-03-14T08:00:00Z"));
    let half_one = NaiveTime::from_hms_opt(1, 30, 0).unwrap();
    let first = utc("2026-11-01T06:30:00Z");
    assert_eq!(next_local_time(zone, utc("2026-11-01T05:00:00Z"), half_one), first);
    assert_eq!(
        next_local_time(zone, first, half_one),
        utc("2026-11-02T07:30:00Z"),
        "the second 1:30 of that night is not sent"
    );
}

fn pick(entropy: &Entropy, below: i64) -> i64 {
    i64::from(u32::from_le_bytes(entropy.random_bytes())) % below
}

/// A random week with up to three openings a day at odd times, some across midnight, and closed dates near the change.
fn any_hours(entropy: &Entropy, around: NaiveDate) -> BusinessHours {
    let time = || {
        let minutes = pick(entropy, 96) * 15;
        WallTime::parse(&format!("{:02}:{:02}", minutes / 60, minutes % 60))
    };
    let day = || (0..pick(entropy, 4)).map(|_| OpenSpan { opens: time(), closes: time() }).collect::<Vec<_>>();
    let week = BusinessWeek { mon: day(), tue: day(), wed: day(), thu: day(), fri: day(), sat: day(), sun: day() };
    let closed = |days| ClosedDate { date: around + Duration::days(days), label: format!("day {days}") };
    BusinessHours { week, closed_dates: (-3..4).filter(|_| pick(entropy, 4) == 0).map(closed).collect() }
}

/// Whether it is open by wall time alone; correct for every hour that occurs exactly once.
fn open_by_the_wall(hours: &BusinessHours, zone: Tz, at: DateTime<Utc>) -> bool {
    let local = at.with_timezone(&zone).naive_local();
    let begins = |date: NaiveDate| {
        let shut = hours.closed_dates.iter().any(|closed| closed.date == date);
        let day: Weekday = chrono::Datelike::weekday(&date);
        hours.week.spans_on(day).iter().filter(move |_| !shut)
    };
    let times = |span: &OpenSpan| (span.opens.to_naive_time().unwrap(), span.closes.to_naive_time().unwrap());
    let (today, now) = (local.date(), local.time());
    begins(today).map(times).any(|(o, c)| o <= now && (c <= o || now < c))
        || begins(today.pred_opt().unwrap()).map(times).any(|(o, c)| c <= o && now < c)
}

#[test]
fn next_open_is_the_first_open_instant_not_before_the_given_time() {
    let entropy = Entropy::from_seed(3);
    let (mut found, mut shut) = (0, 0);
    for case in 0..1_200 {
        let zone = ZONES[case % ZONES.len()];
        let change = if case % 2 == 0 { "2026-11-01" } else { "2027-03-14" };
        let hours = any_hours(&entropy, date(change));
        let after = utc(&format!("{change}T00:00:00Z")) + Duration::seconds(pick(&entropy, 4 * 86_400) - 2 * 86_400);
        let Some(next) = hours.next_open_at(zone, after) else {
            assert!(
                (0..24 * 14).all(|h| hours.state_at(zone, after + Duration::hours(h)) != OpenState::Open),
                "case {case}"
            );
            continue;
        };
        assert!(next >= after, "case {case}: {hours:?}");
        assert_eq!(hours.state_at(zone, next), OpenState::Open, "case {case}: {hours:?} in {zone} after {after}");
        let mut at = after;
        while at < next && at < after + Duration::days(3) {
            assert_ne!(hours.state_at(zone, at), OpenState::Open, "case {case}: {hours:?} in {zone} at {at}");
            at += Duration::minutes(7);
        }
        shut += usize::from(next > after);
        found += 1;
    }
    assert!(found > 1_000 && shut > 300, "{found} openings, {shut} of them later: the cases are too alike");
}

#[test]
fn closes_at_is_closed_and_everything_before_it_is_open() {
    let entropy = Entropy::from_seed(4);
    let mut closings = 0;
    for case in 0..1_200 {
        let zone = ZONES[case % ZONES.len()];
        let change = if case % 2 == 0 { "2026-11-01" } else { "2027-03-14" };
        let hours = any_hours(&entropy, date(change));
        let at = utc(&format!("{change}T00:00:00Z")) + Duration::minutes(pick(&entropy, 4 * 1440) - 2 * 1440);
        let Some(closes) = hours.closes_at(zone, at) else { continue };
        assert_ne!(hours.state_at(zone, closes), OpenState::Open, "case {case}: {hours:?}");
        let mut inside = at;
        while inside < closes {
            assert_eq!(hours.state_at(zone, inside), OpenState::Open, "case {case}: {hours:?} in {zone} at {inside}");
            inside += Duration::minutes(11);
        }
        closings += 1;
    }
    assert!(closings > 300, "{closings}");
}

#[test]
fn state_at_every_quarter_hour_agrees_with_the_wall_clock() {
    let entropy = Entropy::from_seed(5);
    for case in 0..600 {
        let zone = ZONES[case % ZONES.len()];
        let change = date(if case % 2 == 0 { "2026-11-01" } else { "2027-03-14" });
        let hours = any_hours(&entropy, change);
        for quarter in 0..96 * 3 {
            let at = change.pred_opt().unwrap().and_time(NaiveTime::MIN).and_utc() + Duration::minutes(15 * quarter);
            let local = at.with_timezone(&zone).naive_local();
            // Repeated and skipped hours follow the module's own rule, which the tests above cover.
            if local.date() == change && (1..4).contains(&chrono::Timelike::hour(&local)) {
                continue;
            }
            let state = hours.state_at(zone, at);
            assert_eq!(state == OpenState::Open, open_by_the_wall(&hours, zone, at), "{hours:?} in {zone} at {at}");
            let shut = hours.closed_dates.iter().find(|closed| closed.date == local.date());
            if state != OpenState::Open {
                let expected = shut.map_or(OpenState::AfterHours, |closed| OpenState::Holiday(closed.label.clone()));
                assert_eq!(state, expected, "{hours:?} in {zone} at {at}");
            }
        }
    }
}
