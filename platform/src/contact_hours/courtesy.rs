//! Hours for requests in the business's own interest: within hours set by the business, in every time zone the person
//! may be in, and for texts within the legal hours too.

use chrono::{DateTime, NaiveTime, Utc};
use chrono_tz::Tz;

use super::{ContactClass, ContactWindow, check_window, places, resolve_places};
use crate::{business_hours, phone::Phone};

/// Each step moves to the next hour allowed by any condition; two weeks have far fewer.
const MAX_ITERATIONS: usize = 100;

#[derive(Clone, Copy, Debug)]
pub struct CourtesyRecipient<'a> {
    pub phone: Option<&'a Phone>,
    pub zip: Option<&'a str>,
    /// Fallback time zone: that of the business.
    pub business: Tz,
}

impl CourtesyRecipient<'_> {
    fn time_zones(&self) -> Vec<Tz> {
        let by_zip = || self.zip.and_then(places::find_by_zip).map(|(_, place)| place.zones.clone());
        let mut zones = match self.phone {
            Some(phone) => {
                resolve_places(phone, self.zip).0.iter().flat_map(|place| place.zones.iter().copied()).collect()
            }
            None => by_zip().unwrap_or_default(),
        };
        if zones.is_empty() {
            zones.push(self.business);
        }
        zones
    }
}

/// The first instant from `at` on that is between `from` and `until` (exclusive) in all their time zones and, for a
/// text, within the legal hours for promotional texts. On clock changes wall time counts.
#[must_use]
pub fn next_courtesy_time(
    person: CourtesyRecipient<'_>,
    (from, until): (NaiveTime, NaiveTime),
    at: DateTime<Utc>,
) -> DateTime<Utc> {
    let zones = person.time_zones();
    let mut at = at;
    for _ in 0..MAX_ITERATIONS {
        let opens = zones.iter().map(|zone| next_open_in_zone(*zone, from, until, at)).max().unwrap_or(at);
        let lawful = match person.phone.map(|phone| check_window(ContactClass::Promotional, phone, person.zip, opens).0)
        {
            Some(ContactWindow::Closed { opens, .. }) => opens,
            Some(ContactWindow::Open { .. }) | None => opens,
        };
        if lawful == at {
            break;
        }
        at = lawful;
    }
    at
}

/// `at`, or when the clocks of this zone next show `from`.
fn next_open_in_zone(zone: Tz, from: NaiveTime, until: NaiveTime, at: DateTime<Utc>) -> DateTime<Utc> {
    let local = at.with_timezone(&zone);
    let today = business_hours::local_to_utc(zone, local.date_naive().and_time(from));
    let closes = business_hours::local_to_utc(zone, local.date_naive().and_time(until));
    if at < today {
        today
    } else if at < closes {
        at
    } else {
        let tomorrow = local.date_naive().succ_opt().unwrap_or(local.date_naive());
        business_hours::local_to_utc(zone, tomorrow.and_time(from))
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
        next_courtesy_time(
            CourtesyRecipient { phone: phone.as_ref(), zip, business: Chicago },
            nine_to_seven(),
            at(text),
        )
    }

    #[test]
    fn request_after_seven_pm_waits_until_nine_am() {
        let austin = Some("(512) 555-0142");
        let table = [
            // Thursday, 16:00, 18:59, 19:00, 20:30, 0:00, 8:50.
            ("2026-09-17T21:00:00Z", "2026-09-17T21:00:00Z"),
            ("2026-09-17T23:59:00Z", "2026-09-17T23:59:00Z"),
            ("2026-09-18T00:00:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T01:30:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T05:00:00Z", "2026-09-18T14:00:00Z"),
            ("2026-09-18T13:50:00Z", "2026-09-18T14:00:00Z"),
            // The Saturdays before both clock changes. Texas allows no such text before noon on Sundays.
            ("2026-11-01T01:00:00Z", "2026-11-01T18:00:00Z"),
            ("2027-03-14T02:00:00Z", "2027-03-14T17:00:00Z"),
        ];
        for (asked_at, wanted) in table {
            assert_eq!(asked(austin, Some("78701"), asked_at), at(wanted), "{asked_at}");
        }
        // Email: 9:00 local time on both nights.
        assert_eq!(asked(None, Some("78701"), "2026-11-01T01:00:00Z"), at("2026-11-01T15:00:00Z"));
        assert_eq!(asked(None, None, "2027-03-14T02:00:00Z"), at("2027-03-14T14:00:00Z"));
    }

    #[test]
    fn decent_time_is_reckoned_in_all_zones_of_the_customer() {
        // 10:00 in Chicago, 8:00 in Los Angeles, 5:00 in Honolulu.
        assert_eq!(asked(None, Some("90012"), "2026-09-17T15:00:00Z"), at("2026-09-17T16:00:00Z"));
        let honolulu = asked(Some("(808) 555-0142"), Some("78701"), "2026-09-17T15:00:00Z");
        assert_eq!(honolulu, at("2026-09-17T19:00:00Z"), "nine in Honolulu is two in Austin");
        // 20:00 in Austin is 15:00 in Honolulu: the next time allowed in both.
        assert_eq!(asked(Some("(808) 555-0142"), Some("78701"), "2026-09-18T01:00:00Z"), at("2026-09-18T19:00:00Z"));
    }

    proptest! {
        #[test]
        fn decent_time_is_within_hours_lawful_and_idempotent(
            minutes in 0_i64..60 * 24 * 400,
            area in prop::sample::select(vec!["512", "303", "213", "212", "808", "907"]),
            zone in prop::sample::select(vec![Chicago, Denver, Los_Angeles, New_York]),
            by_text in any::<bool>(),
        ) {
            let phone = Phone::parse(&format!("+1{area}5550142")).unwrap();
            let person = CourtesyRecipient { phone: by_text.then_some(&phone), zip: None, business: zone };
            let wished = at("2026-09-17T00:00:00Z") + Duration::minutes(minutes);
            let found = next_courtesy_time(person, nine_to_seven(), wished);
            prop_assert!(found >= wished && found - wished <= Duration::days(4));
            prop_assert_eq!(next_courtesy_time(person, nine_to_seven(), found), found);
            for zone in person.time_zones() {
                let local = found.with_timezone(&zone).time();
                prop_assert!(local >= clock("09:00:00") && local < clock("19:00:00"), "{} in {}", local, zone);
            }
            if by_text {
                let is_lawful = matches!(check_window(ContactClass::Promotional, &phone, None, found).0, ContactWindow::Open { .. });
                prop_assert!(is_lawful);
            }
        }
    }
}
