//! When somebody may be asked for something that is ours and not theirs: within the hours that a business has set, on
//! every clock the person may live by, and for texts within the law's hours too.

use chrono::{DateTime, NaiveTime, Utc};
use chrono_tz::Tz;

use super::{Class, Window, places, places_of, window};
use crate::platform::{business_hours, phone::Phone};

/// Each look moves to the next hour that any of the conditions allows; a fortnight has far fewer of them.
const MOST_LOOKS: usize = 100;

/// Whom it is to reach, and how.
#[derive(Clone, Copy, Debug)]
pub struct Person<'a> {
    /// The number that would be texted; none when it goes by email.
    pub phone: Option<&'a Phone>,
    pub zip: Option<&'a str>,
    /// Where the business is: where they are too, if nothing else says so.
    pub business: Tz,
}

impl Person<'_> {
    /// Every clock they may live by.
    fn zones(&self) -> Vec<Tz> {
        let by_zip = || self.zip.and_then(places::by_zip).map(|(_, place)| place.zones.clone());
        let mut zones = match self.phone {
            Some(phone) => places_of(phone, self.zip).0.iter().flat_map(|place| place.zones.iter().copied()).collect(),
            None => by_zip().unwrap_or_default(),
        };
        if zones.is_empty() {
            zones.push(self.business);
        }
        zones
    }
}

/// The first instant from `at` on at which they may be asked: from `from` up to but not at `until` on all their clocks,
/// and for a text within the law's hours for what is promotional. On the night the clocks change it is the hour that the
/// clocks show.
#[must_use]
pub fn next(person: Person<'_>, (from, until): (NaiveTime, NaiveTime), at: DateTime<Utc>) -> DateTime<Utc> {
    let zones = person.zones();
    let mut at = at;
    for _ in 0..MOST_LOOKS {
        let opens = zones.iter().map(|zone| opens(*zone, from, until, at)).max().unwrap_or(at);
        let lawful = match person.phone.map(|phone| window(Class::Promotional, phone, person.zip, opens).0) {
            Some(Window::Closed { opens, .. }) => opens,
            Some(Window::Open { .. }) | None => opens,
        };
        if lawful == at {
            break;
        }
        at = lawful;
    }
    at
}

/// `at`, or when the clocks of this zone next show `from`.
fn opens(zone: Tz, from: NaiveTime, until: NaiveTime, at: DateTime<Utc>) -> DateTime<Utc> {
    let local = at.with_timezone(&zone);
    let today = business_hours::instant(zone, local.date_naive().and_time(from));
    let closes = business_hours::instant(zone, local.date_naive().and_time(until));
    if at < today {
        today
    } else if at < closes {
        at
    } else {
        let tomorrow = local.date_naive().succ_opt().unwrap_or(local.date_naive());
        business_hours::instant(zone, tomorrow.and_time(from))
    }
}

#[cfg(test)]
mod tests {
    use chrono::Duration;
    use chrono_tz::America::{Chicago, Denver, Los_Angeles, New_York};
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn clock(text: &str) -> NaiveTime {
        text.parse().unwrap()
    }

    fn nine_to_seven() -> (NaiveTime, NaiveTime) {
        (clock("09:00:00"), clock("19:00:00"))
    }

    fn asked(phone: Option<&str>, zip: Option<&str>, text: &str) -> DateTime<Utc> {
        let phone = phone.map(|number| Phone::parse(number).unwrap());
        next(Person { phone: phone.as_ref(), zip, business: Chicago }, nine_to_seven(), at(text))
    }

    #[test]
    fn what_comes_after_seven_waits_for_nine() {
        let austin = Some("(512) 555-0142");
        let table = [
            // Four in the afternoon, a minute to seven, seven, half past eight, midnight, ten to nine: a Thursday.
            ("2026-09-17T21:00:00Z", "2026-09-17T21:00:00Z"),
            ("2026-09-17T23:59:00Z", "2026-09-17T23:59:00Z"),
            ("2026-09-18T00:00:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T01:30:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T05:00:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T13:50:00Z", "2026-09-18T14:00:00Z"),
            // The Saturday before the clocks go back, and the one before they go forward. On Sundays nobody in Texas
            // is texted such a thing before noon.
            ("2026-11-01T01:00:00Z", "2026-11-01T18:00:00Z"),
            ("2027-03-14T02:00:00Z", "2027-03-14T17:00:00Z"),
        ];
        for (asked_at, wanted) in table {
            assert_eq!(asked(austin, Some("78701"), asked_at), at(wanted), "{asked_at}");
        }
        // By email nine is nine on both of those nights.
        assert_eq!(asked(None, Some("78701"), "2026-11-01T01:00:00Z"), at("2026-11-01T15:00:00Z"));
        assert_eq!(asked(None, None, "2027-03-14T02:00:00Z"), at("2027-03-14T14:00:00Z"));
    }

    #[test]
    fn it_is_their_clock_that_counts_and_all_of_them_where_there_are_several() {
        // Ten in the morning in Chicago, eight in Los Angeles, five in Honolulu.
        assert_eq!(asked(None, Some("90012"), "2026-09-17T15:00:00Z"), at("2026-09-17T16:00:00Z"));
        let honolulu = asked(Some("(808) 555-0142"), Some("78701"), "2026-09-17T15:00:00Z");
        assert_eq!(honolulu, at("2026-09-17T19:00:00Z"), "nine in Honolulu is two in Austin");
        // In Austin it is eight in the evening when it is three in Honolulu: the next time both are awake.
        assert_eq!(asked(Some("(808) 555-0142"), Some("78701"), "2026-09-18T01:00:00Z"), at("2026-09-18T19:00:00Z"));
    }

    proptest! {
        #[test]
        fn whenever_it_is_the_answer_is_later_decent_and_stays_where_it_is(
            minutes in 0_i64..60 * 24 * 400,
            area in prop::sample::select(vec!["512", "303", "213", "212", "808", "907"]),
            zone in prop::sample::select(vec![Chicago, Denver, Los_Angeles, New_York]),
            by_text in any::<bool>(),
        ) {
            let phone = Phone::parse(&format!("+1{area}5550142")).unwrap();
            let person = Person { phone: by_text.then_some(&phone), zip: None, business: zone };
            let wished = at("2026-09-17T00:00:00Z") + Duration::minutes(minutes);
            let found = next(person, nine_to_seven(), wished);
            prop_assert!(found >= wished && found - wished <= Duration::days(4));
            prop_assert_eq!(next(person, nine_to_seven(), found), found);
            for zone in person.zones() {
                let local = found.with_timezone(&zone).time();
                prop_assert!(local >= clock("09:00:00") && local < clock("19:00:00"), "{} in {}", local, zone);
            }
            if by_text {
                let is_lawful = matches!(window(Class::Promotional, &phone, None, found).0, Window::Open { .. });
                prop_assert!(is_lawful);
            }
        }
    }
}
