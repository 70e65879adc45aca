//! Self-booking: notice, horizon, gaps, services, and areas.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{error::FieldErrors, text};

/// Slot intervals in minutes.
const GRIDS: [i64; 5] = [15, 30, 60, 120, 240];
const MOST_SERVICES: usize = 20;
const LONGEST_SERVICE: usize = 60;
const MOST_ZIPS: usize = 300;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingSettings {
    /// Whether customers may book at all; they can once a crew is bookable.
    pub is_on: bool,
    /// No time is offered sooner.
    pub notice_hours: i64,
    pub days_ahead: i64,
    /// Kept free before and after every job, for the way and what takes longer.
    pub buffer_minutes: i64,
    /// How far apart the times are: 15, 30, 60, 120 or 240.
    pub grid_minutes: i64,
    /// Jobs of one crew on one day at which online booking stops; 0 is no limit.
    pub daily_cap: i64,
    /// Times held within 24 hours for people whose phone and email are not proven: for one network, and for all.
    pub unproven_per_network: i64,
    pub unproven_per_day: i64,
    /// Percent of a day's visits that people known only by a tap in an email may book; 100 is no limit.
    pub email_only_percent: i64,
    /// Whether the deposit of an approved estimate is paid before a time for the work is chosen.
    pub deposit_first: bool,
    /// What can be booked, and how many minutes it takes. Empty: every service, as long as a job takes.
    pub durations: BTreeMap<String, i64>,
    /// Where the business goes: ZIP codes, or their first digits. Empty: everywhere.
    pub zips: Vec<String>,
}

impl Default for BookingSettings {
    fn default() -> Self {
        Self {
            is_on: true,
            notice_hours: 24,
            days_ahead: 30,
            buffer_minutes: 30,
            grid_minutes: 30,
            daily_cap: 0,
            unproven_per_network: 3,
            unproven_per_day: 20,
            email_only_percent: 50,
            deposit_first: false,
            durations: BTreeMap::new(),
            zips: Vec::new(),
        }
    }
}

impl BookingSettings {
    #[must_use]
    pub fn serves_zip(&self, zip: &str) -> bool {
        self.zips.is_empty() || self.zips.iter().any(|area| zip.starts_with(area.as_str()))
    }

    /// Minutes of a visit for a service, by name or label; none where it cannot be booked. `usual`: those of any job.
    #[must_use]
    pub fn service_minutes(&self, service: &str, usual: i64) -> Option<i64> {
        if self.durations.is_empty() {
            return Some(usual);
        }
        let own = self.durations.iter().find(|(name, _)| name.eq_ignore_ascii_case(service));
        own.map(|(_, minutes)| *minutes)
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BookingPatch {
    pub is_on: Option<bool>,
    #[schema(minimum = 0, maximum = 336)]
    pub notice_hours: Option<i64>,
    #[schema(minimum = 1, maximum = 90)]
    pub days_ahead: Option<i64>,
    #[schema(minimum = 0, maximum = 240)]
    pub buffer_minutes: Option<i64>,
    /// 15, 30, 60, 120 or 240.
    pub grid_minutes: Option<i64>,
    #[schema(minimum = 0, maximum = 50)]
    pub daily_cap: Option<i64>,
    #[schema(minimum = 0, maximum = 100)]
    pub unproven_per_network: Option<i64>,
    #[schema(minimum = 0, maximum = 500)]
    pub unproven_per_day: Option<i64>,
    #[schema(minimum = 0, maximum = 100)]
    pub email_only_percent: Option<i64>,
    pub deposit_first: Option<bool>,
    /// At most 20, each 15 to 1440 minutes.
    pub durations: Option<BTreeMap<String, i64>>,
    /// Three to five digits each.
    #[schema(max_items = 300)]
    pub zips: Option<Vec<String>>,
}

fn validate_durations(typed: &BTreeMap<String, i64>, errors: &mut FieldErrors) -> BTreeMap<String, i64> {
    const FIELD: &str = "booking.durations";
    if typed.len() > MOST_SERVICES {
        errors.add(FIELD, format!("Keep at most {MOST_SERVICES} services"));
    }
    let mut found = BTreeMap::new();
    for (name, minutes) in typed {
        let name =
            text::single_line(FIELD, Some(name), LONGEST_SERVICE).parse_required("Give every service a name", errors);
        check_range(errors, FIELD, *minutes, 15..=1440);
        found.insert(name, *minutes);
    }
    found
}

pub(super) fn validate_zip_areas(field: &'static str, typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    let found: BTreeSet<&str> = typed.iter().map(|zip| zip.trim()).filter(|zip| !zip.is_empty()).collect();
    if found.len() > MOST_ZIPS {
        errors.add(field, format!("Keep at most {MOST_ZIPS} ZIP codes"));
    }
    let is_area = |zip: &&str| (3..=5).contains(&zip.len()) && zip.bytes().all(|digit| digit.is_ascii_digit());
    if !found.iter().all(is_area) {
        errors.add(field, "Write ZIP codes of five digits, or their first three or four");
    }
    found.into_iter().map(ToOwned::to_owned).collect()
}

impl BookingPatch {
    pub(super) fn apply_to(&self, page: &mut BookingSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.durations {
            page.durations = validate_durations(typed, errors);
        }
        if let Some(typed) = &self.zips {
            page.zips = validate_zip_areas("booking.zips", typed, errors);
        }
        set_if_given(&mut page.is_on, self.is_on.as_ref());
        set_if_given(&mut page.notice_hours, self.notice_hours.as_ref());
        set_if_given(&mut page.days_ahead, self.days_ahead.as_ref());
        set_if_given(&mut page.buffer_minutes, self.buffer_minutes.as_ref());
        set_if_given(&mut page.grid_minutes, self.grid_minutes.as_ref());
        set_if_given(&mut page.daily_cap, self.daily_cap.as_ref());
        set_if_given(&mut page.unproven_per_network, self.unproven_per_network.as_ref());
        set_if_given(&mut page.unproven_per_day, self.unproven_per_day.as_ref());
        set_if_given(&mut page.email_only_percent, self.email_only_percent.as_ref());
        set_if_given(&mut page.deposit_first, self.deposit_first.as_ref());
        check_range(errors, "booking.unprovenPerNetwork", page.unproven_per_network, 0..=100);
        check_range(errors, "booking.unprovenPerDay", page.unproven_per_day, 0..=500);
        check_range(errors, "booking.emailOnlyPercent", page.email_only_percent, 0..=100);
        check_range(errors, "booking.noticeHours", page.notice_hours, 0..=336);
        check_range(errors, "booking.daysAhead", page.days_ahead, 1..=90);
        check_range(errors, "booking.bufferMinutes", page.buffer_minutes, 0..=240);
        check_range(errors, "booking.dailyCap", page.daily_cap, 0..=50);
        if !GRIDS.contains(&page.grid_minutes) {
            errors.add("booking.gridMinutes", "Choose 15, 30, 60, 120 or 240 minutes");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_minutes_are_found_by_name_or_label_and_usual_without_a_list() {
        let open = BookingSettings::default();
        assert_eq!(open.service_minutes("Gutters", 120), Some(120));
        let own = BookingSettings { durations: BTreeMap::from([("hvac".to_owned(), 90)]), ..open };
        assert_eq!(["hvac", "HVAC", "plumbing"].map(|name| own.service_minutes(name, 120)), [Some(90), Some(90), None]);
    }
}
