//! Margin of a job: its value less its cost.

use crate::platform::money::{Cents, Ppm, divide_half_up, rounded_quotient};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarginRatio {
    pub of: i128,
    pub whole: i128,
    pub is_estimate: bool,
}

impl MarginRatio {
    pub fn apply_to(self, amount: Cents) -> Cents {
        Cents(divide_half_up(i128::from(amount.0) * self.of, self.whole))
    }

    /// In percent, to one decimal.
    pub fn to_percent(self) -> f64 {
        rounded_quotient(divide_half_up(self.of * 1000, self.whole), 1) / 10.0
    }
}

/// Amount, percent and whether it is an estimate; none without a price.
pub(super) fn compute_job_margin(value: Option<Cents>, cost: Option<Cents>, usual: Ppm) -> Option<(Cents, f64, bool)> {
    let value = value.filter(|value| *value > Cents::ZERO)?;
    let (of, whole) = match cost {
        Some(cost) => (i128::from(value.0 - cost.0), i128::from(value.0)),
        None => (i128::from(usual.0), i128::from(Ppm::ALL.0)),
    };
    let share = MarginRatio { of, whole, is_estimate: cost.is_none() };
    Some((share.apply_to(value), share.to_percent(), share.is_estimate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_margin_uses_own_cost_or_usual_percentage() {
        let usual = Ppm(650_000);
        assert_eq!(compute_job_margin(Some(Cents(100_000)), None, usual), Some((Cents(65_000), 65.0, true)));
        assert_eq!(
            compute_job_margin(Some(Cents(100_000)), Some(Cents(30_001)), usual),
            Some((Cents(69_999), 70.0, false))
        );
        assert_eq!(
            compute_job_margin(Some(Cents(10_000)), Some(Cents(25_000)), usual),
            Some((Cents(-15_000), -150.0, false))
        );
        for unpriced in [None, Some(Cents::ZERO)] {
            assert_eq!(compute_job_margin(unpriced, Some(Cents(1)), usual), None);
        }
    }
}
