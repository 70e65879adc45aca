//! Review requests: hours and daily limit.

use chrono::{NaiveTime, TimeDelta};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{check_range, set_if_given};
use crate::platform::{business_hours::WallTime, error::FieldErrors};

/// Review requests are never sent outside these hours, whatever a business sets.
const EARLIEST: NaiveTime = NaiveTime::from_hms_opt(8, 0, 0).expect("a time of the day");
const LATEST: NaiveTime = NaiveTime::from_hms_opt(20, 0, 0).expect("a time of the day");
/// A shorter span leaves no time to send requests.
const SHORTEST: TimeDelta = TimeDelta::hours(2);

/// What must have happened before a customer is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ReviewAskWhen)]
pub enum ReviewRequestTiming {
    /// The work is done.
    #[default]
    Completed,
    /// It is paid too.
    Paid,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewSettings {
    pub ask_when: ReviewRequestTiming,
    /// So long after that.
    pub delay_minutes: i64,
    /// On the customer's clock.
    pub from: WallTime,
    pub until: WallTime,
    /// So many customers are asked for the first time on one day.
    pub daily_cap: i64,
    /// Whether who does not answer is asked again after three days, and after seven.
    pub follow_ups: bool,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self {
            ask_when: ReviewRequestTiming::default(),
            delay_minutes: 120,
            from: WallTime::parse("09:00"),
            until: WallTime::parse("19:00"),
            daily_cap: 50,
            follow_ups: true,
        }
    }
}

impl ReviewSettings {
    /// Hours in the customer's time zone.
    #[must_use]
    pub fn sending_hours(&self) -> (NaiveTime, NaiveTime) {
        (self.from.to_naive_time().unwrap_or(EARLIEST), self.until.to_naive_time().unwrap_or(LATEST))
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewsPatch {
    pub ask_when: Option<ReviewRequestTiming>,
    #[schema(minimum = 0, maximum = 4320)]
    pub delay_minutes: Option<i64>,
    pub from: Option<WallTime>,
    pub until: Option<WallTime>,
    #[schema(minimum = 1, maximum = 1000)]
    pub daily_cap: Option<i64>,
    pub follow_ups: Option<bool>,
}

impl ReviewsPatch {
    pub(super) fn apply_to(&self, page: &mut ReviewSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.ask_when, self.ask_when.as_ref());
        set_if_given(&mut page.delay_minutes, self.delay_minutes.as_ref());
        set_if_given(&mut page.from, self.from.as_ref());
        set_if_given(&mut page.until, self.until.as_ref());
        set_if_given(&mut page.daily_cap, self.daily_cap.as_ref());
        set_if_given(&mut page.follow_ups, self.follow_ups.as_ref());
        check_range(errors, "reviews.delayMinutes", page.delay_minutes, 0..=4320);
        check_range(errors, "reviews.dailyCap", page.daily_cap, 1..=1000);
        for (field, time) in [("reviews.from", page.from), ("reviews.until", page.until)] {
            if !time.to_naive_time().is_some_and(|time| (EARLIEST..=LATEST).contains(&time)) {
                errors.add(field, "Write a time from 08:00 to 20:00, such as 09:00 or 18:30");
            }
        }
        let lasts = page.from.to_naive_time().zip(page.until.to_naive_time()).map(|(from, until)| until - from);
        if lasts.is_some_and(|lasts| lasts < SHORTEST) {
            errors.add("reviews.until", "Leave at least two hours to ask in");
        }
    }
}
