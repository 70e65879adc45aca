//! Waiting time until the first answer, by rules and by people separately, in minutes with decimals.

use chrono::Duration;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, MeasureSums, read::FigureInputs, read::FirstResponseRow, rows};
use crate::platform::{money::rounded_quotient, period::Period};

const MS_IN_A_MINUTE: f64 = 60_000.0;
/// Limits of a quick answer and of one in time (features 12).
const QUICK: Duration = Duration::minutes(5);
const IN_TIME: Duration = Duration::hours(1);

/// Waiting times of those who were answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WaitFigures)]
pub struct ResponseTimes {
    pub count: i64,
    /// In minutes, never rounded to nothing; null without answers.
    pub median_minutes: Option<f64>,
    /// Nine of ten waited no longer.
    pub p90_minutes: Option<f64>,
}

/// First answers.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AnswerFigures)]
pub struct ResponseTimeFigures {
    /// By rules.
    pub auto: ResponseTimes,
    /// Answers by people only; automatic messages do not count.
    pub human: ResponseTimes,
    /// How long requests waited for their first answer, by anyone: the mean of the days' means (`avgResponseMinutes` of
    /// `DailyMetrics`) over only the days on which it is not 0, so that each such day counts once, however many
    /// requests it had. In minutes; null without answers.
    pub average_minutes: Option<f64>,
    /// Requests that came while the business was open and that a person answered within five minutes, in percent of
    /// all that did; null when none came.
    pub human_within_five_minutes: Option<f64>,
    /// The same within an hour.
    pub human_within_an_hour: Option<f64>,
    /// Where its rows are.
    pub rows: String,
}

pub(super) fn compute_response_times(inputs: &FigureInputs<'_>, period: Period) -> ResponseTimeFigures {
    let waited: Vec<&FirstResponseRow> =
        inputs.waited.iter().filter(|waited| period.contains_day(waited.day)).collect();
    ResponseTimeFigures {
        auto: response_time_percentiles(waited.iter().filter_map(|waited| waited.auto_ms).collect()),
        human: response_time_percentiles(waited.iter().filter_map(|waited| waited.human_ms).collect()),
        average_minutes: mean_of_daily_means(inputs.sums_by_day(period)),
        human_within_five_minutes: percent_within(inputs, &waited, QUICK),
        human_within_an_hour: percent_within(inputs, &waited, IN_TIME),
        rows: rows::leads_path(period, "&answered=any"),
    }
}

pub(super) fn mean_minutes_of_day(sums: &MeasureSums) -> Option<f64> {
    mean_minutes(sums.get(Measure::AnswerMs), sums.get(Measure::Answered))
}

/// Mean over days with a value, divisor at least 1 (product §9, decisions 21); none without any, since 0 would mean
/// immediate answers.
fn mean_of_daily_means<'a>(days: impl Iterator<Item = &'a MeasureSums>) -> Option<f64> {
    let means: Vec<f64> = days.filter_map(mean_minutes_of_day).collect();
    let waits = || means.iter().filter(|mean| **mean > 0.0);
    let count = u32::try_from(waits().count()).unwrap_or(u32::MAX);
    (!means.is_empty()).then(|| waits().sum::<f64>() / f64::from(count.max(1)))
}

fn mean_minutes(ms: i64, count: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "sums of waits stay far below 2^53 ms")]
    (count > 0).then(|| ms as f64 / count as f64 / MS_IN_A_MINUTE)
}

fn response_time_percentiles(mut all: Vec<i64>) -> ResponseTimes {
    all.sort_unstable();
    let count = all.len();
    let middle = match (count, count % 2) {
        (0, _) => None,
        (_, 1) => ms_to_minutes(all[count / 2], 1),
        _ => ms_to_minutes(all[count / 2 - 1] + all[count / 2], 2),
    };
    // Nearest rank: the smallest value that nine of ten do not exceed.
    let p90 = all.get((count * 9).div_ceil(10).saturating_sub(1)).and_then(|ms| ms_to_minutes(*ms, 1));
    ResponseTimes { count: i64::try_from(count).unwrap_or(i64::MAX), median_minutes: middle, p90_minutes: p90 }
}

fn ms_to_minutes(ms: i64, of: i64) -> Option<f64> {
    mean_minutes(ms, of)
}

/// A lead that still waits within the limit counts neither way.
fn percent_within(inputs: &FigureInputs<'_>, waited: &[&FirstResponseRow], limit: Duration) -> Option<f64> {
    let decided = |one: &&&FirstResponseRow| one.human_ms.is_some() || one.asked_at + limit < inputs.now;
    let all: Vec<_> = waited.iter().filter(decided).filter(|one| inputs.was_business_open(one.asked_at)).collect();
    let quick = all.iter().filter(|one| one.human_ms.is_some_and(|ms| ms <= limit.num_milliseconds())).count();
    let (quick, all) = (i64::try_from(quick).unwrap_or(i64::MAX), i64::try_from(all.len()).unwrap_or(i64::MAX));
    (all > 0).then(|| rounded_quotient(quick * 1000, all) / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_90th_percentile_are_exact_and_never_zero() {
        let of = |all: &[i64]| {
            let waits = response_time_percentiles(all.to_vec());
            (waits.count, waits.median_minutes, waits.p90_minutes)
        };
        assert_eq!(of(&[]), (0, None, None));
        assert_eq!(of(&[3_000]), (1, Some(0.05), Some(0.05)));
        assert_eq!(of(&[60_000, 3_000]), (2, Some(0.525), Some(1.0)));
        let ten: Vec<i64> = (1..=10).rev().map(|n| n * 60_000).collect();
        assert_eq!(of(&ten), (10, Some(5.5), Some(9.0)));
        assert_eq!(of(&ten[..9]), (9, Some(6.0), Some(10.0)));
        assert!(of(&[1]).1 > Some(0.0));
    }

    #[test]
    fn daily_mean_wait_weighs_days_equally_and_skips_zero_days() {
        let day = |(count, ms): (i64, i64)| {
            let mut sums = MeasureSums::default();
            sums.add(Measure::Answered, count);
            sums.add(Measure::AnswerMs, ms);
            sums
        };
        let of = |all: &[(i64, i64)]| mean_of_daily_means(all.iter().copied().map(day).collect::<Vec<_>>().iter());
        assert_eq!((of(&[]), of(&[(0, 0); 7])), (None, None), "nobody was answered");
        // Nine that waited ten seconds each, one that waited ten minutes: by request it would be 69 seconds.
        assert_eq!(of(&[(9, 90_000), (0, 0), (1, 600_000)]), Some(f64::midpoint(10.0 / 60.0, 10.0)));
        assert_eq!(of(&[(1, 3_000)]), Some(0.05));
        assert_eq!(of(&[(2, 0), (1, 3_000)]), Some(0.05), "at once is a value of 0");
        assert_eq!(of(&[(2, 0)]), Some(0.0));
    }
}
