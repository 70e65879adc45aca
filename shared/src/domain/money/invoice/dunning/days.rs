//! Reminder days of an invoice: at 10:00 in the business's time zone, across clock changes.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        messaging::followup::{FollowUpStep, PlannedStep},
        tenancy::org::OrgProfile,
    },
    platform::business_hours,
};

/// Time window of the reminders, in the business's time zone.
const SEND_FROM: NaiveTime = NaiveTime::from_hms_opt(10, 0, 0).expect("a time of the day");
const SEND_UNTIL: NaiveTime = NaiveTime::from_hms_opt(20, 30, 0).expect("a time of the day");

/// Due date and offsets of the reminders in days.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReminderCalendar<'a> {
    due_on: NaiveDate,
    promised_on: Option<NaiveDate>,
    days: &'a [i64],
    pub zone: Tz,
}

impl ReminderCalendar<'_> {
    /// Reminders still to come on `today`. A promised day replaces the due date, and no reminder comes before it has
    /// passed.
    pub fn upcoming_steps(&self, today: NaiveDate) -> Vec<PlannedStep> {
        let moved = self.promised_on.filter(|promised| *promised > self.due_on);
        let from = moved.unwrap_or(self.due_on);
        let days = self.days.iter().filter(|day| moved.is_none() || **day > 0);
        let on = |day: &i64| Some((*day, from.checked_add_signed(TimeDelta::try_days(*day)?)?));
        let ahead = days.filter_map(on).filter(|(_, on)| *on > today && self.promised_on.is_none_or(|day| *on > day));
        ahead.map(|(day, on)| self.build_step(day, on)).collect()
    }

    /// The same for an invoice ticked later: once all its days are over, one reminder at the next possible time.
    pub fn catch_up_steps(&self, now: DateTime<Utc>) -> Vec<PlannedStep> {
        let local = now.with_timezone(&self.zone);
        let steps = self.upcoming_steps(local.date_naive());
        if !steps.is_empty() {
            return steps;
        }
        let next = if local.time() < SEND_FROM { local.date_naive() } else { local.date_naive() + Days::new(1) };
        if self.promised_on.is_some_and(|day| next <= day) {
            return Vec::new();
        }
        vec![self.build_step((next - self.due_on).num_days(), next)]
    }

    fn build_step(&self, day: i64, on: NaiveDate) -> PlannedStep {
        let at = |time: NaiveTime| business_hours::local_to_utc(self.zone, on.and_time(time));
        PlannedStep { step: FollowUpStep::Due(day), due_at: at(SEND_FROM), expires_at: at(SEND_UNTIL) }
    }
}

/// None without a due date.
pub(super) fn reminder_calendar(
    profile: &OrgProfile,
    due_on: Option<NaiveDate>,
    promised_on: Option<NaiveDate>,
) -> Option<ReminderCalendar<'_>> {
    let (days, zone) = (&profile.settings.invoicing.dunning_days, profile.org.zone());
    Some(ReminderCalendar { due_on: due_on?, promised_on, days, zone })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn dates(calendar: ReminderCalendar<'_>, today: &str) -> Vec<String> {
        let steps = calendar.upcoming_steps(day(today));
        steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.format("%m-%d %H:%M"))).collect()
    }

    const DAYS: [i64; 6] = [-3, 0, 3, 7, 14, 30];

    #[test]
    fn reminders_fall_at_ten_local_time_on_their_days_across_dst() {
        let zone = chrono_tz::America::Chicago;
        let calendar = ReminderCalendar { due_on: day("2026-10-31"), promised_on: None, days: &DAYS, zone };
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
        let none = ReminderCalendar { days: &[], ..calendar };
        assert_eq!(dates(none, "2026-10-01"), [""; 0]);
    }

    #[test]
    fn payment_promise_shifts_reminders_past_promised_date() {
        let zone = chrono_tz::America::Chicago;
        let calendar =
            ReminderCalendar { due_on: day("2026-11-10"), promised_on: Some(day("2026-11-20")), days: &DAYS, zone };
        let moved = ["due_3 11-23 16:00", "due_7 11-27 16:00", "due_14 12-04 16:00", "due_30 12-20 16:00"];
        assert_eq!(dates(calendar, "2026-11-12"), moved);
        let early = ReminderCalendar { promised_on: Some(day("2026-11-08")), ..calendar };
        assert_eq!(dates(early, "2026-11-01")[0], "due_0 11-10 16:00", "before it is due it is still due then");
    }

    #[test]
    fn reminders_enabled_after_last_day_plan_one_at_next_ten_oclock() {
        let zone = chrono_tz::America::Chicago;
        let calendar = ReminderCalendar { due_on: day("2026-09-01"), promised_on: None, days: &DAYS, zone };
        let at = |now: &str| {
            let steps = calendar.catch_up_steps(now.parse().unwrap());
            steps.iter().map(|step| format!("{} {}", step.step.name(), step.due_at.to_rfc3339())).collect::<Vec<_>>()
        };
        assert_eq!(at("2026-11-21T15:59:00Z"), ["due_81 2026-11-21T16:00:00+00:00"]);
        assert_eq!(at("2026-11-21T16:00:00Z"), ["due_82 2026-11-22T16:00:00+00:00"]);
        assert_eq!(at("2026-09-16T16:00:00Z"), ["due_30 2026-10-01T15:00:00+00:00"]);
    }
}
