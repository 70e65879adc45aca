//! Facts of review requests and reviews.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::domain::growth::metrics::{
    fact::{MetricContribution, MetricFact, local_day},
    measure::Measure,
};

#[derive(Clone, Copy, Debug)]
pub struct ReviewRequestMetricInput {
    pub asked_at: Option<DateTime<Utc>>,
}

impl ReviewRequestMetricInput {
    #[must_use]
    pub fn build_contribution(self, zone: Tz) -> MetricContribution {
        MetricContribution::new(
            self.asked_at.map(|at| MetricFact::count_one(local_day(zone, at), Measure::ReviewsAsked)),
            None,
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ReviewMetricInput {
    pub received_at: DateTime<Utc>,
    /// In tenths.
    pub stars: i64,
}

impl ReviewMetricInput {
    #[must_use]
    pub fn build_contribution(self, zone: Tz) -> MetricContribution {
        let day = local_day(zone, self.received_at);
        MetricContribution::new(
            [MetricFact::count_one(day, Measure::Reviews), MetricFact::new(day, Measure::Stars, self.stars)],
            None,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn review_request_counts_when_sent_and_review_when_received() {
        let zone = chrono_tz::America::Los_Angeles;
        let at: DateTime<Utc> = "2026-09-18T06:59:00Z".parse().unwrap();
        assert!(ReviewRequestMetricInput { asked_at: None }.build_contribution(zone).is_empty());
        let asked = ReviewRequestMetricInput { asked_at: Some(at) }.build_contribution(zone);
        let day = "2026-09-17".parse().unwrap();
        assert_eq!(asked.facts(), [MetricFact::count_one(day, Measure::ReviewsAsked)]);
        let came = ReviewMetricInput { received_at: at, stars: 45 }.build_contribution(zone);
        assert_eq!(
            came.facts(),
            [MetricFact::count_one(day, Measure::Reviews), MetricFact::new(day, Measure::Stars, 45)]
        );
    }
}
