//! Job defaults, and the job messages that customers get.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{business_hours::WallTime, error::FieldErrors, text};

/// Arrival windows in minutes.
const ARRIVALS: [i64; 6] = [0, 15, 30, 60, 120, 240];
const MOST_CHECKS: usize = 20;
const LONGEST_CHECK: usize = 120;

/// What must be photographed before a job can be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum RequiredPhotos {
    #[default]
    None,
    After,
    BeforeAndAfter,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each message is on or off by itself")]
pub struct JobSettings {
    /// Default duration of a job.
    pub duration_minutes: i64,
    /// How wide the window is in which the crew arrives: 0, 15, 30, 60, 120 or 240.
    pub arrival_minutes: i64,
    pub required_photos: RequiredPhotos,
    /// What every new job's checklist holds.
    pub checklist: Vec<String>,
    /// When the customer is reminded, the day before.
    pub day_before_at: WallTime,
    /// Whether the customer gets notices that the visit is booked, moved or cancelled.
    pub booked: bool,
    pub day_before: bool,
    pub hour_before: bool,
    pub on_the_way: bool,
    pub late: bool,
    pub finished: bool,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self {
            duration_minutes: 120,
            arrival_minutes: 0,
            required_photos: RequiredPhotos::default(),
            checklist: Vec::new(),
            day_before_at: WallTime::parse("09:00"),
            booked: true,
            day_before: true,
            hour_before: true,
            on_the_way: true,
            late: true,
            finished: true,
        }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobsPatch {
    #[schema(minimum = 15, maximum = 1440)]
    pub duration_minutes: Option<i64>,
    /// 0, 15, 30, 60, 120 or 240.
    pub arrival_minutes: Option<i64>,
    pub required_photos: Option<RequiredPhotos>,
    #[schema(max_items = 20)]
    pub checklist: Option<Vec<String>>,
    pub day_before_at: Option<WallTime>,
    pub booked: Option<bool>,
    pub day_before: Option<bool>,
    pub hour_before: Option<bool>,
    pub on_the_way: Option<bool>,
    pub late: Option<bool>,
    pub finished: Option<bool>,
}

fn validate_checklist(typed: &[String], errors: &mut FieldErrors) -> Vec<String> {
    const FIELD: &str = "jobs.checklist";
    let found: Vec<String> = typed
        .iter()
        .filter_map(|check| text::single_line(FIELD, Some(check), LONGEST_CHECK).parse_optional(errors))
        .collect();
    if found.len() > MOST_CHECKS {
        errors.add(FIELD, format!("Keep at most {MOST_CHECKS} lines"));
    }
    found
}

impl JobsPatch {
    pub(super) fn apply_to(&self, page: &mut JobSettings, errors: &mut FieldErrors) {
        if let Some(typed) = &self.checklist {
            page.checklist = validate_checklist(typed, errors);
        }
        set_if_given(&mut page.duration_minutes, self.duration_minutes.as_ref());
        set_if_given(&mut page.arrival_minutes, self.arrival_minutes.as_ref());
        set_if_given(&mut page.required_photos, self.required_photos.as_ref());
        set_if_given(&mut page.day_before_at, self.day_before_at.as_ref());
        set_if_given(&mut page.booked, self.booked.as_ref());
        set_if_given(&mut page.day_before, self.day_before.as_ref());
        set_if_given(&mut page.hour_before, self.hour_before.as_ref());
        set_if_given(&mut page.on_the_way, self.on_the_way.as_ref());
        set_if_given(&mut page.late, self.late.as_ref());
        set_if_given(&mut page.finished, self.finished.as_ref());
        check_range(errors, "jobs.durationMinutes", page.duration_minutes, 15..=1440);
        if !ARRIVALS.contains(&page.arrival_minutes) {
            errors.add("jobs.arrivalMinutes", "Choose 0, 15, 30, 60, 120 or 240 minutes");
        }
        if page.day_before_at.to_naive_time().is_none() {
            errors.add("jobs.dayBeforeAt", "Write a time such as 09:00 or 17:30");
        }
    }
}
