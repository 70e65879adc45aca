//! When a customer who does not answer an estimate is asked whether they have questions.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        intake::lead::Intake,
        messaging::followup::{self, About, Planned, Step},
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{EstimateId, EventId, LeadId},
    },
};

/// The hours of the business between which they are asked.
const ASKED_FROM: (u32, u32) = (10, 0);
const ASKED_UNTIL: (u32, u32) = (20, 30);

/// Plans the questions after a sending; those of an earlier one have been stopped.
pub(super) async fn plan(
    tx: &mut Tx,
    house: &Intake<'_>,
    about: About,
    (lead, id): (LeadId, EstimateId),
    event: EventId,
) -> Result<()> {
    let (origin, profile) = (house.origin, house.profile);
    let org = profile.org.id;
    let steps = steps(origin.now(), profile.org.zone(), &profile.settings.estimates.follow_up_days);
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, id)? + 1;
    followup::plan(tx, origin, org, lead, about, id.0, generation, &steps, Some(event)).await
}

/// When the customer is asked whether they have questions: on these days after `sent_at`, in the morning of the
/// business.
fn steps(sent_at: DateTime<Utc>, zone: Tz, days: &[i64]) -> Vec<Planned> {
    let sent_on = sent_at.with_timezone(&zone).date_naive();
    let planned = |day: i64| {
        let on = sent_on.checked_add_days(Days::new(u64::try_from(day).ok()?))?;
        let [due_at, give_up_at] = [wall(on, ASKED_FROM, zone)?, wall(on, ASKED_UNTIL, zone)?];
        Some(Planned { step: Step::Day(day), due_at, give_up_at })
    };
    days.iter().filter_map(|day| planned(*day)).collect()
}

/// This hour of the day there. Where the clocks leave it out, an hour later.
fn wall(on: NaiveDate, (hour, minute): (u32, u32), zone: Tz) -> Option<DateTime<Utc>> {
    let local = on.and_hms_opt(hour, minute, 0)?;
    let at = zone.from_local_datetime(&local).earliest();
    let at = at.or_else(|| zone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest());
    at.map(|at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_customer_is_asked_at_ten_in_the_morning_of_the_business_whatever_the_clocks_do() {
        let zone = chrono_tz::America::Chicago;
        // The clocks go back on November 1st and forward on March 14th.
        let table = [
            (
                Utc.with_ymd_and_hms(2026, 10, 30, 15, 0, 0),
                ["2026-11-01 16:00", "2026-11-04 16:00", "2026-11-09 16:00"],
            ),
            (Utc.with_ymd_and_hms(2027, 3, 12, 16, 0, 0), ["2027-03-14 15:00", "2027-03-17 15:00", "2027-03-22 15:00"]),
            // Late in the evening it is already the next day in London, but not there.
            (Utc.with_ymd_and_hms(2026, 7, 2, 3, 0, 0), ["2026-07-03 15:00", "2026-07-06 15:00", "2026-07-11 15:00"]),
        ];
        for (sent_at, wanted) in table {
            let planned = steps(sent_at.unwrap(), zone, &[2, 5, 10]);
            let said: Vec<_> = planned.iter().map(|step| step.due_at.format("%Y-%m-%d %H:%M").to_string()).collect();
            assert_eq!(said, wanted);
            assert!(planned.iter().all(|step| step.give_up_at - step.due_at == TimeDelta::minutes(630)));
        }
        assert_eq!(steps(DateTime::UNIX_EPOCH, zone, &[]), []);
    }
}
