//! Time that nobody had to spend: deeds that were done without a person, at the minutes the business says they take.

use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, Period, Sums, rows};
use crate::domain::tenancy::org::settings::Figures as Settings;

const MINUTES_IN_AN_HOUR: f64 = 60.0;

/// Deeds of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SparedFigure)]
pub struct Spared {
    pub actions: i64,
    /// What each takes a person, as the settings say now.
    pub minutes_each: i64,
    pub hours: f64,
}

/// Hours that were saved, by what was done.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimeSavedFigures)]
pub struct TimeSaved {
    pub hours: f64,
    pub auto_replies: Spared,
    /// Reminders and questions that were sent by themselves.
    pub follow_ups: Spared,
    /// Visits that customers booked, moved or cancelled by themselves.
    pub scheduling: Spared,
    /// Where its rows are.
    pub rows: String,
}

pub(super) fn of(sums: &Sums, settings: &Settings, period: Period) -> TimeSaved {
    let spared = |measure, minutes_each| {
        let actions = sums.get(measure);
        Spared { actions, minutes_each, hours: hours(actions * minutes_each) }
    };
    TimeSaved {
        hours: hours(minutes(sums, settings)),
        auto_replies: spared(Measure::AutoReplies, settings.auto_reply_minutes),
        follow_ups: spared(Measure::FollowUps, settings.follow_up_minutes),
        scheduling: spared(Measure::Schedulings, settings.scheduling_minutes),
        rows: rows::leads(period, "&by=automation"),
    }
}

/// All minutes together.
pub(super) fn minutes(sums: &Sums, settings: &Settings) -> i64 {
    sums.get(Measure::AutoReplies) * settings.auto_reply_minutes
        + sums.get(Measure::FollowUps) * settings.follow_up_minutes
        + sums.get(Measure::Schedulings) * settings.scheduling_minutes
}

pub(super) fn hours(minutes: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "minutes stay far below 2^53")]
    let minutes = minutes as f64;
    minutes / MINUTES_IN_AN_HOUR
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_minutes_and_the_whole_is_their_sum() {
        let mut sums = Sums::default();
        sums.add(Measure::AutoReplies, 12);
        sums.add(Measure::FollowUps, 15);
        sums.add(Measure::Schedulings, 3);
        let saved = of(&sums, &Settings::default(), Period::week("2026-09-17".parse().unwrap()));
        let parts = [saved.auto_replies.hours, saved.follow_ups.hours, saved.scheduling.hours];
        assert_eq!((saved.hours, parts), (2.5, [1.0, 1.0, 0.5]));
    }
}
