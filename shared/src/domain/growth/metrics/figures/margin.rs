//! Margin of the money received: from the costs of completed jobs, and from the business's own estimate where no costs
//! are recorded (decisions 18, features 49).
//!
//! The margin of a period is that of the jobs completed in it: value less cost, with the business's percentage for jobs
//! without costs. It is applied to the money received. A monthly overhead is subtracted by the day.

use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Measure, MeasureSums, net_revenue, rows};
use crate::{
    domain::{tenancy::org::FigureSettings as Settings, work::job::MarginRatio},
    platform::{
        money::{Cents, Ppm, divide_half_up, rounded_quotient},
        period::Period,
    },
};

/// What is left of the revenue.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MarginFigure)]
pub struct MarginFigures {
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

/// From completed jobs; without any that has a value, the business's percentage.
fn ratio_from_sums(sums: &MeasureSums, usual: Ppm) -> MarginRatio {
    let get = |measure| i128::from(sums.get(measure));
    let (worth, costed, cost) = (get(Measure::JobCents), get(Measure::CostedCents), get(Measure::CostCents));
    let all = i128::from(Ppm::ALL.0);
    if worth <= 0 {
        return MarginRatio { of: i128::from(usual.0), whole: all, is_estimate: true };
    }
    let left = (costed - cost) * all + (worth - costed) * i128::from(usual.0);
    let is_estimate = sums.get(Measure::CostedJobs) < sums.get(Measure::JobsDone);
    MarginRatio { of: left, whole: worth * all, is_estimate }
}

/// Share of the monthly overhead; future days cost nothing yet.
fn prorated_overhead(settings: &Settings, period: Period, today: NaiveDate) -> Cents {
    let Some(monthly) = settings.monthly_overhead else { return Cents::ZERO };
    let period = Period { to: period.to.min(today), ..period };
    let parts = period.days_by_month().into_iter();
    parts.map(|(days, of)| Cents(divide_half_up(i128::from(monthly.0) * i128::from(days), i128::from(of)))).sum()
}

pub(super) fn compute_margin(
    sums: &MeasureSums,
    settings: &Settings,
    period: Period,
    today: NaiveDate,
) -> MarginFigures {
    let (revenue, share) = (net_revenue(sums), ratio_from_sums(sums, settings.margin_percent));
    let overhead = prorated_overhead(settings, period, today);
    let left = share.apply_to(revenue);
    let amount = Cents(left.0 - overhead.0);
    let percent =
        if revenue > Cents::ZERO { rounded_quotient(amount.0 * 1000, revenue.0) / 10.0 } else { share.to_percent() };
    MarginFigures {
        amount,
        percent,
        cost: Cents(revenue.0 - left.0),
        overhead,
        is_estimate: share.is_estimate,
        rows: rows::completed_jobs_path(period),
    }
}

pub(super) fn month_figures(sums: &MeasureSums, settings: &Settings, period: Period, today: NaiveDate) -> MonthFigures {
    let MarginFigures { amount, cost, overhead, is_estimate, .. } = compute_margin(sums, settings, period, today);
    let revenue = net_revenue(sums);
    MonthFigures {
        month: period.from,
        revenue,
        cost,
        overhead,
        profit: amount,
        // Nothing received and nothing done: nothing is estimated, however many leads came in.
        is_estimate: is_estimate && (revenue != Cents::ZERO || sums.get(Measure::JobsDone) > 0),
        rows: rows::payments_path(period, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> NaiveDate {
        written.parse().unwrap()
    }

    fn sums(of: &[(Measure, i64)]) -> MeasureSums {
        let mut sums = MeasureSums::default();
        for (measure, amount) in of {
            sums.add(*measure, *amount);
        }
        sums
    }

    fn margin_figures(of: &[(Measure, i64)], overhead: Option<Cents>) -> (i64, f64, i64, i64, bool) {
        let settings = Settings { monthly_overhead: overhead, ..Settings::default() };
        let today = day("2026-09-15");
        let margin = super::compute_margin(&sums(of), &settings, Period::month_to_date(today), today);
        (margin.amount.0, margin.percent, margin.cost.0, margin.overhead.0, margin.is_estimate)
    }

    #[test]
    fn margin_without_costs_uses_business_percentage_and_is_estimated() {
        assert_eq!(
            margin_figures(&[(Measure::CollectedCents, 8_900_000)], None),
            (5_785_000, 65.0, 3_115_000, 0, true)
        );
        let done = [(Measure::CollectedCents, 100_000), (Measure::JobsDone, 1), (Measure::JobCents, 100_000)];
        assert_eq!(margin_figures(&done, None), (65_000, 65.0, 35_000, 0, true));
        assert_eq!(margin_figures(&[], None), (0, 65.0, 0, 0, true));
    }

    #[test]
    fn month_without_revenue_and_jobs_is_no_estimate() {
        let today = day("2026-09-15");
        let month = |of: &[(Measure, i64)]| {
            month_figures(&sums(of), &Settings::default(), Period::month_to_date(today), today).is_estimate
        };
        assert!(!month(&[]) && !month(&[(Measure::FollowUps, 3)]), "nothing is estimated");
        assert!(month(&[(Measure::JobsDone, 1)]) && month(&[(Measure::CollectedCents, 100)]));
    }

    #[test]
    fn margin_with_costs_is_revenue_minus_costs() {
        let one = [
            (Measure::CollectedCents, 100_000),
            (Measure::JobsDone, 1),
            (Measure::JobCents, 100_000),
            (Measure::CostedJobs, 1),
            (Measure::CostedCents, 100_000),
            (Measure::CostCents, 30_000),
        ];
        assert_eq!(margin_figures(&one, None), (70_000, 70.0, 30_000, 0, false));
        // Beside one without: 700 and 65 % of 500.
        let two =
            [&one[3..], &[(Measure::CollectedCents, 150_000), (Measure::JobsDone, 2), (Measure::JobCents, 150_000)]];
        assert_eq!(margin_figures(&two.concat(), None), (102_500, 68.3, 47_500, 0, true));
        let lost = [&one[..5], &[(Measure::CostCents, 130_000)]].concat();
        assert_eq!(margin_figures(&lost, None), (-30_000, -30.0, 130_000, 0, false));
    }

    #[test]
    fn margin_deducts_refunds_and_daily_overhead() {
        let back = [(Measure::CollectedCents, 100_000), (Measure::RefundedCents, 20_000)];
        assert_eq!(margin_figures(&back, None), (52_000, 65.0, 28_000, 0, true));
        // Half of September.
        assert_eq!(margin_figures(&back, Some(Cents(60_000))), (22_000, 27.5, 28_000, 30_000, true));
        assert_eq!(margin_figures(&[(Measure::RefundedCents, 20_000)], None), (-13_000, 65.0, -7_000, 0, true));
    }
}
