//! For any hours, zone and notification channels, the time to answer runs from when the business is notified.

use chrono::{DateTime, Duration, NaiveTime, Utc};
use chrono_tz::Tz;
use proptest::prelude::*;

use super::due_by;
use crate::{
    domain::{
        messaging::alert::notification_time,
        tenancy::org::{
            OrgSettings,
            settings::{NotificationFrequency, NotificationSchedule},
        },
    },
    platform::business_hours::{BusinessHours, BusinessWeek, OpenSpan, OpenState, WallTime},
};

pub(crate) const ZONES: [Tz; 6] = [
    chrono_tz::America::New_York,
    chrono_tz::America::Chicago,
    chrono_tz::America::Phoenix,
    chrono_tz::America::St_Johns,
    chrono_tz::Pacific::Honolulu,
    chrono_tz::Pacific::Guam,
];

/// 2026-10-25, before both DST changes.
const BEGINS: i64 = 1_792_886_400;
pub(crate) const YEAR_MINUTES: i64 = 365 * 24 * 60;

fn span() -> impl Strategy<Value = OpenSpan> {
    (0_u32..24, 0_u32..24).prop_map(|(opens, closes)| {
        let at = |hour: u32| WallTime::parse(&NaiveTime::from_hms_opt(hour, 0, 0).unwrap().format("%H:%M").to_string());
        OpenSpan { opens: at(opens), closes: at(closes) }
    })
}

fn hours() -> impl Strategy<Value = BusinessHours> {
    prop::collection::vec(prop::collection::vec(span(), 0..2), 7).prop_map(|days| {
        let mut days = days.into_iter();
        let mut next = || days.next().unwrap();
        let week =
            BusinessWeek { mon: next(), tue: next(), wed: next(), thu: next(), fri: next(), sat: next(), sun: next() };
        BusinessHours { week, closed_dates: Vec::new() }
    })
}

pub(crate) fn settings() -> impl Strategy<Value = OrgSettings> {
    let frequencies = prop::sample::select(vec![
        NotificationFrequency::Immediate,
        NotificationFrequency::Hourly,
        NotificationFrequency::Daily,
        NotificationFrequency::Weekly,
    ]);
    let schedules = prop::sample::select(vec![
        NotificationSchedule::Anytime,
        NotificationSchedule::BusinessHours,
        NotificationSchedule::Custom,
    ]);
    (hours(), frequencies, schedules).prop_map(|(hours, frequency, schedule)| {
        let mut settings = OrgSettings { hours, ..OrgSettings::default() };
        (settings.notifications.frequency, settings.notifications.schedule) = (frequency, schedule);
        settings
    })
}

pub(crate) fn instant(minute: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(BEGINS + minute * 60, 0).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn due_time_leaves_time_to_answer_after_the_alert(
        settings in settings(),
        zone in prop::sample::select(ZONES.to_vec()),
        minute in 0..YEAR_MINUTES,
        within in prop::sample::select(vec![10_i64, 30, 60, 120, 480, 1_440, 2_880]),
    ) {
        let (made, within) = (instant(minute), Duration::minutes(within));
        let notified_at = notification_time::next_notify_at(&settings, zone, false, made).to_instant(made);
        let due = due_by(&settings.hours, zone, (made, Some(notified_at)), within);
        prop_assert!(due >= notified_at + within, "due {due}, notified {notified_at}");
        let by_hours = settings.hours.response_due_at(zone, made, within);
        // Notified at once: nothing changes.
        prop_assert_eq!(due_by(&settings.hours, zone, (made, Some(made)), within), by_hours);
        // Due while the business is open, if it ever is.
        let opens = |at: DateTime<Utc>| settings.hours.state_at(zone, at - Duration::seconds(1)) == OpenState::Open;
        let opens_soon = settings.hours.next_open_at(zone, made).is_some_and(|at| at < made + Duration::days(8));
        prop_assert!(!opens_soon || within > Duration::hours(2) || opens(due), "due {due} while it is closed");
    }
}

#[test]
fn late_alert_moves_due_time_by_the_whole_promise() {
    let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    // A Wednesday; Chicago is five hours behind, and the business is open from 8:00 to 17:00.
    let (hours, zone) = (BusinessHours::default(), chrono_tz::America::Chicago);
    let (made, notified_at) = (at("2026-09-16T14:00:00Z"), at("2026-09-17T13:00:00Z"));
    let due = |minutes| due_by(&hours, zone, (made, Some(notified_at)), Duration::minutes(minutes));
    assert_eq!(due(60), at("2026-09-17T14:00:00Z"), "notified at 8:00 AM the next day, due at 9:00 AM");
    assert_eq!(due(10), at("2026-09-17T13:10:00Z"));
    assert_eq!(
        due(48 * 60),
        at("2026-09-21T14:00:00Z"),
        "two days later is a Saturday: an hour after opening on Monday"
    );
}
