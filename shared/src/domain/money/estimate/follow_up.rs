//! Follow-up questions to a customer who does not answer an estimate.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        messaging::followup::{self, FollowUpStep, FollowUpSubject, PlannedStep},
        tenancy::org::OrgContext,
    },
    platform::{
        db::{Tx, q},
        error::Result,
        id::{EstimateId, EventId, LeadId},
    },
};

/// Time window of the questions, in the business's time zone.
const ASKED_FROM: (u32, u32) = (10, 0);
const ASKED_UNTIL: (u32, u32) = (20, 30);

/// Plans the questions after a sending; the caller has stopped those of an earlier one.
pub(super) async fn schedule_follow_ups(
    tx: &mut Tx,
    ctx: &OrgContext<'_>,
    about: FollowUpSubject,
    (lead, id): (LeadId, EstimateId),
    event: EventId,
) -> Result<()> {
    let (origin, profile) = (ctx.origin, ctx.profile);
    let org = profile.org.id;
    let steps = follow_up_steps(origin.now(), profile.org.zone(), &profile.settings.estimates.follow_up_days);
    let newest = "SELECT COALESCE(MAX(generation), 0) FROM follow_up WHERE org_id = $1 AND about_id = $2";
    let generation = q!(&mut *tx, fetch_one scalar i64, newest, org, id)? + 1;
    followup::schedule_plan(tx, origin, org, lead, about, id.0, generation, &steps, Some(event)).await
}

/// Times of the questions: on these days after `sent_at`, in the morning of the business.
fn follow_up_steps(sent_at: DateTime<Utc>, zone: Tz, days: &[i64]) -> Vec<PlannedStep> {
    let sent_on = sent_at.with_timezone(&zone).date_naive();
    let planned = |day: i64| {
        let on = sent_on.checked_add_days(Days::new(u64::try_from(day).ok()?))?;
        let [due_at, expires_at] = [local_instant(on, ASKED_FROM, zone)?, local_instant(on, ASKED_UNTIL, zone)?];
        Some(PlannedStep { step: FollowUpStep::Day(day), due_at, expires_at })
    };
    days.iter().filter_map(|day| planned(*day)).collect()
}

/// This local time, or an hour later where a clock change skips it.
fn local_instant(on: NaiveDate, (hour, minute): (u32, u32), zone: Tz) -> Option<DateTime<Utc>> {
    let local = on.and_hms_opt(hour, minute, 0)?;
    let at = zone.from_local_datetime(&local).earliest();
    let at = at.or_else(|| zone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest());
    at.map(|at| at.with_timezone(&Utc))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follow_ups_are_due_at_ten_local_time_across_dst_changes() {
        let zone = chrono_tz::America::Chicago;
        // The clocks go back on November 1st and forward on March 14th.
        let table = [
            (
                Utc.with_ymd_and_hms(2026, 10, 30, 15, 0, 0),
                ["2026-11-01 16:00", "2026-11-04 16:00", "2026-11-09 16:00"],
            ),
            (Utc.with_ymd_and_hms(2027, 3, 12, 16, 0, 0), ["2027-03-14 15:00", "2027-03-17 15:00", "2027-03-22 15:00"]),
            // Late in the evening it is already the next day in UTC, but not in the zone.
            (Utc.with_ymd_and_hms(2026, 7, 2, 3, 0, 0), ["2026-07-03 15:00", "2026-07-06 15:00", "2026-07-11 15:00"]),
        ];
        for (sent_at, wanted) in table {
            let planned = follow_up_steps(sent_at.unwrap(), zone, &[2, 5, 10]);
            let times: Vec<_> = planned.iter().map(|step| step.due_at.format("%Y-%m-%d %H:%M").to_string()).collect();
            assert_eq!(times, wanted);
            assert!(planned.iter().all(|step| step.expires_at - step.due_at == TimeDelta::minutes(630)));
        }
        assert_eq!(follow_up_steps(DateTime::UNIX_EPOCH, zone, &[]), []);
    }
}
