//! Time saved: automatic actions, at the minutes that the business sets for each.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, MeasureSums, rows};
use crate::{domain::tenancy::org::FigureSettings as Settings, platform::period::Period};

const MINUTES_IN_AN_HOUR: f64 = 60.0;

/// Automatic actions of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SparedFigure)]
pub struct ActionTimeSaved {
    pub actions: i64,
    /// What each takes a person, as the settings say now.
    pub minutes_each: i64,
    pub hours: f64,
}

/// Hours that were saved, by what was done.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeSavedFigures {
    pub hours: f64,
    pub auto_replies: ActionTimeSaved,
    /// Reminders and questions that were sent by themselves.
    pub follow_ups: ActionTimeSaved,
    /// Visits that customers booked, moved or cancelled by themselves.
    pub scheduling: ActionTimeSaved,
    /// Where its rows are.
    pub rows: String,
}

pub(super) fn compute_time_saved(sums: &MeasureSums, settings: &Settings, period: Period) -> TimeSavedFigures {
    let action_time = |measure, minutes_each| {
        let actions = sums.get(measure);
        ActionTimeSaved { actions, minutes_each, hours: minutes_to_hours(actions * minutes_each) }
    };
    TimeSavedFigures {
        hours: minutes_to_hours(saved_minutes(sums, settings)),
        auto_replies: action_time(Measure::AutoReplies, settings.auto_reply_minutes),
        follow_ups: action_time(Measure::FollowUps, settings.follow_up_minutes),
        scheduling: action_time(Measure::Schedulings, settings.scheduling_minutes),
        rows: rows::leads_path(period, "&by=automation"),
    }
}

pub(super) fn saved_minutes(sums: &MeasureSums, settings: &Settings) -> i64 {
    sums.get(Measure::AutoReplies) * settings.auto_reply_minutes
        + sums.get(Measure::FollowUps) * settings.follow_up_minutes
        + sums.get(Measure::Schedulings) * settings.scheduling_minutes
}

pub(super) fn minutes_to_hours(minutes: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "minutes stay far below 2^53")]
    let minutes = minutes as f64;
    minutes / MINUTES_IN_AN_HOUR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_hours_are_sum_of_minutes_per_kind() {
        let mut sums = MeasureSums::default();
        sums.add(Measure::AutoReplies, 12);
        sums.add(Measure::FollowUps, 15);
        sums.add(Measure::Schedulings, 3);
        let saved = compute_time_saved(&sums, &Settings::default(), Period::week_ending("2026-09-17".parse().unwrap()));
        let parts = [saved.auto_replies.hours, saved.follow_ups.hours, saved.scheduling.hours];
        assert_eq!((saved.hours, parts), (2.5, [1.0, 1.0, 0.5]));
    }
}
