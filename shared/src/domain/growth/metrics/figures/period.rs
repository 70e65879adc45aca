//! Days that are looked at together.

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
    /// So many days, the last of which is `to`.
    #[must_use]
    pub fn days(to: NaiveDate, days: u64) -> Self {
        Self { from: to.checked_sub_days(Days::new(days.saturating_sub(1))).unwrap_or(to), to }
    }

    /// The last seven days, today among them (product §9).
    #[must_use]
    pub fn week(today: NaiveDate) -> Self {
        Self::days(today, 7)
    }

    /// The calendar month until today.
    #[must_use]
    pub fn month_of(today: NaiveDate) -> Self {
        Self { from: today.with_day(1).unwrap_or(today), to: today }
    }

    /// As many days before it.
    #[must_use]
    pub fn before(self) -> Self {
        let to = self.from.pred_opt().unwrap_or(self.from);
        Self::days(to, u64::try_from(self.length()).unwrap_or(1))
    }

    /// The whole calendar month before the one in which it begins.
    #[must_use]
    pub fn month_before(self) -> Self {
        let to = self.from.with_day(1).and_then(|first| first.pred_opt()).unwrap_or(self.from);
        Self::month_of(to)
    }

    /// So many calendar months, oldest first; the last is this one until today.
    #[must_use]
    pub fn months(today: NaiveDate, months: u32) -> Vec<Self> {
        let first = today.with_day(1).unwrap_or(today);
        let begins = (0..months).rev().filter_map(|ago| first.checked_sub_months(Months::new(ago)));
        begins.map(|from| Self { from, to: last_of_month(from).min(today) }).collect()
    }

    /// How many days it has.
    #[must_use]
    pub fn length(self) -> i64 {
        (self.to - self.from).num_days() + 1
    }

    #[must_use]
    pub fn holds(self, day: NaiveDate) -> bool {
        (self.from..=self.to).contains(&day)
    }

    /// Its days by calendar month: how many of each, and how many that month has.
    pub(super) fn by_month(self) -> Vec<(i64, i64)> {
        let (mut found, mut from) = (Vec::new(), self.from);
        while from <= self.to {
            let last = last_of_month(from);
            found.push(((last.min(self.to) - from).num_days() + 1, i64::from(last.day())));
            let Some(next) = last.succ_opt() else { break };
            from = next;
        }
        found
    }
}

fn last_of_month(day: NaiveDate) -> NaiveDate {
    let next = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
    next.and_then(|next| next.pred_opt()).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn said(period: Period) -> String {
        format!("{} {}", period.from, period.to)
    }

    #[test]
    fn weeks_and_months_are_counted_by_the_calendar() {
        let week = Period::week(day("2026-03-03"));
        assert_eq!((said(week), week.length()), ("2026-02-25 2026-03-03".to_owned(), 7));
        assert_eq!(said(week.before()), "2026-02-18 2026-02-24");
        let month = Period::month_of(day("2026-03-03"));
        assert_eq!(said(month), "2026-03-01 2026-03-03");
        assert_eq!(said(month.month_before()), "2026-02-01 2026-02-28");
        assert!(month.holds(day("2026-03-01")) && !month.holds(day("2026-03-04")));
    }

    #[test]
    fn twelve_months_end_with_this_one() {
        let months: Vec<String> = Period::months(day("2026-03-31"), 12).into_iter().map(said).collect();
        assert_eq!(months.len(), 12);
        assert_eq!((months[0].as_str(), months[10].as_str()), ("2025-04-01 2025-04-30", "2026-02-01 2026-02-28"));
        assert_eq!(months[11], "2026-03-01 2026-03-31");
    }

    #[test]
    fn a_week_across_two_months_has_days_of_both() {
        assert_eq!(Period::week(day("2026-03-03")).by_month(), [(4, 28), (3, 31)]);
        assert_eq!(Period::month_of(day("2026-09-10")).by_month(), [(10, 30)]);
    }
}
