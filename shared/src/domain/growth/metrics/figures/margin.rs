//! What is left of what came in: by the costs of the jobs that were done, and by the business's own estimate where
//! nobody noted any (decisions 18, features 49).
//!
//! The margin of some days is that of the jobs completed on them: what they are worth less what they have cost, and the
//! business's own percentage of those whose costs are not known. It is taken of the money that came in. A monthly
//! overhead is taken off by the day.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, Period, Sums, decimals, revenue, rows};
use crate::{
    domain::tenancy::org::settings::Figures as Settings,
    platform::money::{Cents, Ppm, half_up},
};

/// What is left of the revenue.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MarginFigure)]
pub struct Margin {
    /// US dollars: revenue less cost and overhead.
    pub amount: Cents,
    /// Of the revenue, to one decimal; without revenue that of the jobs.
    pub percent: f64,
    /// What the work behind the revenue has cost.
    pub cost: Cents,
    pub overhead: Cents,
    /// Some of it rests on the business's own percentage, because costs are not known: "est.".
    pub is_estimate: bool,
    /// Where its rows are.
    pub rows: String,
}

/// A calendar month of the chart.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MonthFigures)]
pub struct MonthFigures {
    /// Its first day.
    pub month: NaiveDate,
    /// US dollars.
    pub revenue: Cents,
    /// Of the work, without overhead.
    pub cost: Cents,
    pub overhead: Cents,
    pub profit: Cents,
    pub is_estimate: bool,
    /// Where its rows are.
    pub rows: String,
}

/// How much of a dollar is left, as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    of: i128,
    whole: i128,
    is_estimate: bool,
}

impl Share {
    /// By the jobs that were done; without any that is worth something, what the business says.
    fn of(sums: &Sums, usual: Ppm) -> Self {
        let get = |measure| i128::from(sums.get(measure));
        let (worth, costed, cost) = (get(Measure::JobCents), get(Measure::CostedCents), get(Measure::CostCents));
        let all = i128::from(Ppm::ALL.0);
        if worth <= 0 {
            return Self { of: i128::from(usual.0), whole: all, is_estimate: true };
        }
        let left = (costed - cost) * all + (worth - costed) * i128::from(usual.0);
        let is_estimate = sums.get(Measure::CostedJobs) < sums.get(Measure::JobsDone);
        Self { of: left, whole: worth * all, is_estimate }
    }

    fn taken_of(self, amount: Cents) -> Cents {
        Cents(half_up(i128::from(amount.0) * self.of, self.whole))
    }

    /// In percent, to one decimal.
    fn percent(self) -> f64 {
        decimals(half_up(self.of * 1000, self.whole), 1) / 10.0
    }
}

/// What of the monthly overhead falls on these days; days that are still to come cost nothing yet.
fn overhead(settings: &Settings, period: Period, today: NaiveDate) -> Cents {
    let Some(monthly) = settings.monthly_overhead else { return Cents::ZERO };
    let period = Period { to: period.to.min(today), ..period };
    let parts = period.by_month().into_iter();
    parts.map(|(days, of)| Cents(half_up(i128::from(monthly.0) * i128::from(days), i128::from(of)))).sum()
}

pub(super) fn of(sums: &Sums, settings: &Settings, period: Period, today: NaiveDate) -> Margin {
    let (revenue, share) = (revenue(sums), Share::of(sums, settings.margin_percent));
    let overhead = overhead(settings, period, today);
    let left = share.taken_of(revenue);
    let amount = Cents(left.0 - overhead.0);
    let percent = if revenue > Cents::ZERO { decimals(amount.0 * 1000, revenue.0) / 10.0 } else { share.percent() };
    Margin {
        amount,
        percent,
        cost: Cents(revenue.0 - left.0),
        overhead,
        is_estimate: share.is_estimate,
        rows: rows::jobs_done(period),
    }
}

pub(super) fn month(sums: &Sums, settings: &Settings, period: Period, today: NaiveDate) -> MonthFigures {
    let Margin { amount, cost, overhead, is_estimate, .. } = of(sums, settings, period, today);
    MonthFigures {
        month: period.from,
        revenue: revenue(sums),
        cost,
        overhead,
        profit: amount,
        // Nothing came in and nothing was done: there is nothing to estimate.
        is_estimate: is_estimate && !sums.is_zero(),
        rows: rows::payments(period, ""),
    }
}

/// What is left of one job: its amount, percent and whether that is an estimate; none without a price.
#[must_use]
pub fn of_job(value: Option<Cents>, cost: Option<Cents>, usual: Ppm) -> Option<(Cents, f64, bool)> {
    let value = value.filter(|value| *value > Cents::ZERO)?;
    let (of, whole) = match cost {
        Some(cost) => (i128::from(value.0 - cost.0), i128::from(value.0)),
        None => (i128::from(usual.0), i128::from(Ppm::ALL.0)),
    };
    let share = Share { of, whole, is_estimate: cost.is_none() };
    Some((share.taken_of(value), share.percent(), share.is_estimate))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn sums(of: &[(Measure, i64)]) -> Sums {
        let mut sums = Sums::default();
        for (measure, amount) in of {
            sums.add(*measure, *amount);
        }
        sums
    }

    fn said(of: &[(Measure, i64)], overhead: Option<Cents>) -> (i64, f64, i64, i64, bool) {
        let settings = Settings { monthly_overhead: overhead, ..Settings::default() };
        let today = day("2026-09-15");
        let margin = super::of(&sums(of), &settings, Period::month_of(today), today);
        (margin.amount.0, margin.percent, margin.cost.0, margin.overhead.0, margin.is_estimate)
    }

    #[test]
    fn without_costs_it_is_the_businesss_own_percentage_and_says_so() {
        assert_eq!(said(&[(Measure::CollectedCents, 8_900_000)], None), (5_785_000, 65.0, 3_115_000, 0, true));
        let done = [(Measure::CollectedCents, 100_000), (Measure::JobsDone, 1), (Measure::JobCents, 100_000)];
        assert_eq!(said(&done, None), (65_000, 65.0, 35_000, 0, true));
        assert_eq!(said(&[], None), (0, 65.0, 0, 0, true));
    }

    #[test]
    fn with_costs_it_is_what_is_left() {
        let one = [
            (Measure::CollectedCents, 100_000),
            (Measure::JobsDone, 1),
            (Measure::JobCents, 100_000),
            (Measure::CostedJobs, 1),
            (Measure::CostedCents, 100_000),
            (Measure::CostCents, 30_000),
        ];
        assert_eq!(said(&one, None), (70_000, 70.0, 30_000, 0, false));
        // Beside one without: 700 and 65 % of 500.
        let two =
            [&one[3..], &[(Measure::CollectedCents, 150_000), (Measure::JobsDone, 2), (Measure::JobCents, 150_000)]];
        assert_eq!(said(&two.concat(), None), (102_500, 68.3, 47_500, 0, true));
        let lost = [&one[..5], &[(Measure::CostCents, 130_000)]].concat();
        assert_eq!(said(&lost, None), (-30_000, -30.0, 130_000, 0, false));
    }

    #[test]
    fn what_went_back_is_no_revenue_and_overhead_is_taken_by_the_day() {
        let back = [(Measure::CollectedCents, 100_000), (Measure::RefundedCents, 20_000)];
        assert_eq!(said(&back, None), (52_000, 65.0, 28_000, 0, true));
        // Half of September.
        assert_eq!(said(&back, Some(Cents(60_000))), (22_000, 27.5, 28_000, 30_000, true));
        assert_eq!(said(&[(Measure::RefundedCents, 20_000)], None), (-13_000, 65.0, -7_000, 0, true));
    }

    #[test]
    fn a_job_has_its_own() {
        let usual = Ppm(650_000);
        assert_eq!(of_job(Some(Cents(100_000)), None, usual), Some((Cents(65_000), 65.0, true)));
        assert_eq!(of_job(Some(Cents(100_000)), Some(Cents(30_001)), usual), Some((Cents(69_999), 70.0, false)));
        assert_eq!(of_job(Some(Cents(10_000)), Some(Cents(25_000)), usual), Some((Cents(-15_000), -150.0, false)));
        for unpriced in [None, Some(Cents::ZERO)] {
            assert_eq!(of_job(unpriced, Some(Cents(1)), usual), None);
        }
    }
}
