//! Ranges of days.

use chrono::{Datelike, Days, Months, NaiveDate};
use serde::Serialize;
use utoipa::ToSchema;

/// From one day to another, both among them, as the business's calendar has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Period {
    pub from: NaiveDate,
    pub to: NaiveDate,
}

impl Period {
    #[must_use]
    pub fn days_ending(to: NaiveDate, days: u64) -> Self {
        Self { from: to.checked_sub_days(Days::new(days.saturating_sub(1))).unwrap_or(to), to }
    }

    /// The last seven days, today among them (product §9).
    #[must_use]
    pub fn week_ending(today: NaiveDate) -> Self {
        Self::days_ending(today, 7)
    }

    #[must_use]
    pub fn month_to_date(today: NaiveDate) -> Self {
        Self { from: today.with_day(1).unwrap_or(today), to: today }
    }

    #[must_use]
    pub fn preceding_period(self) -> Self {
        let to = self.from.pred_opt().unwrap_or(self.from);
        Self::days_ending(to, u64::try_from(self.day_count()).unwrap_or(1))
    }

    #[must_use]
    pub fn preceding_month(self) -> Self {
        let to = self.from.with_day(1).and_then(|first| first.pred_opt()).unwrap_or(self.from);
        Self::month_to_date(to)
    }

    /// Calendar months, oldest first; the last is the current one until today.
    #[must_use]
    pub fn months_to_date(today: NaiveDate, months: u32) -> Vec<Self> {
        let first = today.with_day(1).unwrap_or(today);
        let begins = (0..months).rev().filter_map(|ago| first.checked_sub_months(Months::new(ago)));
        begins.map(|from| Self { from, to: last_day_of_month(from).min(today) }).collect()
    }

    #[must_use]
    pub fn day_count(self) -> i64 {
        (self.to - self.from).num_days() + 1
    }

    #[must_use]
    pub fn contains_day(self, day: NaiveDate) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// Per calendar month: its days in this period, and its length.
    #[must_use]
    pub fn days_by_month(self) -> Vec<(i64, i64)> {
        let (mut found, mut from) = (Vec::new(), self.from);
        while from <= self.to {
            let last = last_day_of_month(from);
            found.push(((last.min(self.to) - from).num_days() + 1, i64::from(last.day())));
            let Some(next) = last.succ_opt() else { break };
            from = next;
        }
        found
    }
}

fn last_day_of_month(day: NaiveDate) -> NaiveDate {
    let next = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    next.and_then(|next| next.pred_opt()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn day_range(period: Period) -> String {
        format!("{} {}", period.from, period.to)
    }

    #[test]
    fn week_is_seven_days_and_month_starts_on_the_first() {
        let week = Period::week_ending(day("2026-03-03"));
        assert_eq!((day_range(week), week.day_count()), ("2026-02-25 2026-03-03".to_owned(), 7));
        assert_eq!(day_range(week.preceding_period()), "2026-02-18 2026-02-24");
        let month = Period::month_to_date(day("2026-03-03"));
        assert_eq!(day_range(month), "2026-03-01 2026-03-03");
        assert_eq!(day_range(month.preceding_month()), "2026-02-01 2026-02-28");
        assert!(month.contains_day(day("2026-03-01")) && !month.contains_day(day("2026-03-04")));
    }

    #[test]
    fn twelve_month_series_ends_with_current_month() {
        let months: Vec<String> = Period::months_to_date(day("2026-03-31"), 12).into_iter().map(day_range).collect();
        assert_eq!(months.len(), 12);
        assert_eq!((months[0].as_str(), months[10].as_str()), ("2025-04-01 2025-04-30", "2026-02-01 2026-02-28"));
        assert_eq!(months[11], "2026-03-01 2026-03-31");
    }

    #[test]
    fn week_spanning_two_months_counts_days_of_both() {
        assert_eq!(Period::week_ending(day("2026-03-03")).days_by_month(), [(4, 28), (3, 31)]);
        assert_eq!(Period::month_to_date(day("2026-09-10")).days_by_month(), [(10, 30)]);
    }
}
