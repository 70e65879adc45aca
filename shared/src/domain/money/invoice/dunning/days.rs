//! On which days an invoice is reminded of: at ten in the morning of the business, whatever the clocks do.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        messaging::followup::{Planned, Step},
        tenancy::org::Profile,
    },
    platform::business_hours,
};

/// The hours of the business between which they are reminded.
const FROM: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("a time of the day");
const UNTIL: NaiveTime = NaiveTime::from_hms_opt(20, 30, 0).expect("a time of the day");

/// When it is reminded of, and by how many days each is past the day it counts from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calendar<'a> {
    due_on: NaiveDate,
    promised_on: Option<NaiveDate>,
    days: &'a [i64],
    pub zone: Tz,
}

impl Calendar<'_> {
    /// The reminders that are still to come on `today`. A promise counts in place of the day it is due, and nobody is
    /// reminded before it is broken.
    pub fn steps(&self, today: NaiveDate) -> Vec<Planned> {
        let moved = self.promised_on.filter(|promised| *promised > self.due_on);
        let from = moved.unwrap_or(self.due_on);
        let days = self.days.iter().filter(|day| moved.is_none() || **day > 0);
        let on = |day: &i64| Some((*day, from.checked_add_signed(TimeDelta::try_days(*day)?)?));
        let ahead = days.filter_map(on).filter(|(_, on)| *on > today && self.promised_on.is_none_or(|day| *on > day));
        ahead.map(|(day, on)| self.step(day, on)).collect()
    }

    /// The same for one that is ticked later: where all its days are over, it is reminded of once, at the next hour for
    /// it.
    pub fn ticked(&self, now: DateTime<Utc>) -> Vec<Planned> {
        let local = now.with_timezone(&self.zone);
        let steps = self.steps(local.date_naive());
        if !steps.is_empty() {
            return steps;
        }
        let next = if local.time() < FROM { local.date_naive() } else { local.date_naive() + Days::new(1) };
        if self.promised_on.is_some_and(|day| next <= day) {
            return Vec::new();
        }
        vec![self.step((next - self.due_on).num_days(), next)]
    }

    fn step(&self, day: i64, on: NaiveDate) -> Planned {
        let at = |time: NaiveTime| business_hours::instant(self.zone, on.and_time(time));
        Planned { step: Step::Due(day), due_at: at(FROM), give_up_at: at(UNTIL) }
    }
}

/// The days of one that is due on a day; none without one.
pub(super) fn calendar(
    profile: &Profile,
    due_on: Option<NaiveDate>,
    promised_on: Option<NaiveDate>,
) -> Option<Calendar<'_>> {
    let (days, zone) = (&profile.settings.invoicing.dunning_days, profile.org.zone());
    Some(Calendar { due_on: due_on?, promised_on, days, zone })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn dates(calendar: Calendar<'_>, today: &str) -> Vec<String> {
        let steps = calendar.steps(day(today));
        steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.format("%m-%d %H:%M"))).collect()
    }

    const DAYS: [i64; 6] = [-3, 0, 3, 7, 14, 30];

    #[test]
    fn an_invoice_is_reminded_of_at_ten_on_its_days_whatever_the_clocks_do() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-10-31"), promised_on: None, days: &DAYS, zone };
        // The clocks go back on November 1st.
        let all = [
            "due_-3 10-28 15:00",
            "due_0 10-31 15:00",
            "due_3 11-03 16:00",
            "due_7 11-07 16:00",
            "due_14 11-14 16:00",
            "due_30 11-30 16:00",
        ];
        assert_eq!(dates(calendar, "2026-10-17"), all);
        assert_eq!(dates(calendar, "2026-10-28"), all[1..], "never on the day it goes out");
        assert_eq!(dates(calendar, "2026-12-24"), [""; 0]);
        let none = Calendar { days: &[], ..calendar };
        assert_eq!(dates(none, "2026-10-01"), [""; 0]);
    }

    #[test]
    fn a_promise_moves_the_reminders_behind_it() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-11-10"), promised_on: Some(day("2026-11-20")), days: &DAYS, zone };
        let moved = ["due_3 11-23 16:00", "due_7 11-27 16:00", "due_14 12-04 16:00", "due_30 12-20 16:00"];
        assert_eq!(dates(calendar, "2026-11-12"), moved);
        let early = Calendar { promised_on: Some(day("2026-11-08")), ..calendar };
        assert_eq!(dates(early, "2026-11-01")[0], "due_0 11-10 16:00", "before it is due it is still due then");
    }

    #[test]
    fn one_that_is_ticked_when_all_its_days_are_over_is_reminded_of_once_at_the_next_ten() {
        let zone = chrono_tz::America::Chicago;
        let calendar = Calendar { due_on: day("2026-09-01"), promised_on: None, days: &DAYS, zone };
        let at = |now: &str| {
            let steps = calendar.ticked(now.parse().unwrap());
            steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.to_rfc3339())).collect::<Vec<_>>()
        };
        assert_eq!(at("2026-11-21T15:59:00Z"), ["due_81 2026-11-21T16:00:00+00:00"]);
        assert_eq!(at("2026-11-21T16:00:00Z"), ["due_82 2026-11-22T16:00:00+00:00"]);
        assert_eq!(at("2026-09-16T16:00:00Z"), ["due_30 2026-10-01T15:00:00+00:00"]);
    }
}
