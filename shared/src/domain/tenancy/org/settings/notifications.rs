//! Notification frequency and hours for the business's people.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{business_hours::WallTime, error::FieldErrors};

/// How often members get alerts that are not urgent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationFrequency {
    #[default]
    Immediate,
    Hourly,
    Daily,
    Weekly,
}

/// At which hours they are notified. Emergencies pass at any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationSchedule {
    Anytime,
    #[default]
    BusinessHours,
    /// Between `businessStart` and `businessEnd`.
    Custom,
}

/// When members are notified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationSettings {
    pub frequency: NotificationFrequency,
    pub schedule: NotificationSchedule,
    pub business_start: WallTime,
    /// Before the start means on the next day.
    pub business_end: WallTime,
    /// Minutes until an unseen urgent alert is sent as a text.
    pub escalate_after_minutes: i64,
    /// And to the next person after so long again.
    pub escalate_next_after_minutes: i64,
}

impl Default for NotificationSettings {
    fn default() -> Self {
        Self {
            frequency: NotificationFrequency::default(),
            schedule: NotificationSchedule::default(),
            business_start: WallTime::parse("09:00"),
            business_end: WallTime::parse("17:00"),
            escalate_after_minutes: 2,
            escalate_next_after_minutes: 5,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotificationsPatch {
    pub frequency: Option<NotificationFrequency>,
    pub schedule: Option<NotificationSchedule>,
    pub business_start: Option<WallTime>,
    pub business_end: Option<WallTime>,
    #[schema(minimum = 1, maximum = 60)]
    pub escalate_after_minutes: Option<i64>,
    #[schema(minimum = 1, maximum = 120)]
    pub escalate_next_after_minutes: Option<i64>,
}

impl NotificationsPatch {
    pub(super) fn apply_to(&self, page: &mut NotificationSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.frequency, self.frequency.as_ref());
        set_if_given(&mut page.schedule, self.schedule.as_ref());
        set_if_given(&mut page.business_start, self.business_start.as_ref());
        set_if_given(&mut page.business_end, self.business_end.as_ref());
        set_if_given(&mut page.escalate_after_minutes, self.escalate_after_minutes.as_ref());
        set_if_given(&mut page.escalate_next_after_minutes, self.escalate_next_after_minutes.as_ref());
        let ends = "notifications.businessEnd";
        for (field, time) in [("notifications.businessStart", page.business_start), (ends, page.business_end)] {
            if time.to_naive_time().is_none() {
                errors.add(field, "Write a time such as 09:00 or 17:30");
            }
        }
        if page.business_start == page.business_end {
            errors.add(ends, "This must differ from the start");
        }
        check_range(errors, "notifications.escalateAfterMinutes", page.escalate_after_minutes, 1..=60);
        check_range(errors, "notifications.escalateNextAfterMinutes", page.escalate_next_after_minutes, 1..=120);
    }
}
