//! Facts of a completed job: its value and cost.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::metrics::{
            fact::{MetricContribution, MetricFact, local_day},
            measure::Measure,
        },
        work::job::JobState,
    },
    platform::money::Cents,
};

#[derive(Clone, Debug)]
pub struct JobMetricInput {
    pub status: JobState,
    pub completed_at: Option<DateTime<Utc>>,
    pub value: Option<Cents>,
    pub cost: Option<Cents>,
}

impl JobMetricInput {
    /// On the day of completion; a reopened job does not count.
    #[must_use]
    pub fn build_contribution(&self, zone: Tz) -> MetricContribution {
        let (JobState::Completed, Some(at)) = (self.status, self.completed_at) else {
            return MetricContribution::default();
        };
        let (day, value) = (local_day(zone, at), self.value.unwrap_or_default());
        let mut facts =
            vec![MetricFact::count_one(day, Measure::JobsDone), MetricFact::new(day, Measure::JobCents, value.0)];
        if let Some(cost) = self.cost {
            facts.extend([
                MetricFact::count_one(day, Measure::CostedJobs),
                MetricFact::new(day, Measure::CostedCents, value.0),
                MetricFact::new(day, Measure::CostCents, cost.0),
            ]);
        }
        MetricContribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_counts_when_completed_and_its_cost_when_known() {
        let zone = chrono_tz::America::Denver;
        let done = JobMetricInput {
            status: JobState::Completed,
            completed_at: "2026-09-18T05:30:00Z".parse().ok(),
            value: Some(Cents(100_000)),
            cost: None,
        };
        let fact_rows = |job: &JobMetricInput| {
            let contribution = job.build_contribution(zone);
            contribution
                .facts()
                .iter()
                .map(|fact| (fact.day.to_string(), fact.measure, fact.amount))
                .collect::<Vec<_>>()
        };
        let day = "2026-09-17".to_owned();
        let wanted = [(day.clone(), Measure::JobsDone, 1), (day.clone(), Measure::JobCents, 100_000)];
        assert_eq!(fact_rows(&done), wanted);
        let costed = JobMetricInput { cost: Some(Cents(30_000)), ..done.clone() };
        assert_eq!(
            fact_rows(&costed)[2..],
            [
                (day.clone(), Measure::CostedJobs, 1),
                (day.clone(), Measure::CostedCents, 100_000),
                (day.clone(), Measure::CostCents, 30_000)
            ]
        );
        let unpriced = JobMetricInput { value: None, ..done.clone() };
        assert_eq!(fact_rows(&unpriced), [(day, Measure::JobsDone, 1)]);
        for status in [JobState::Scheduled, JobState::InProgress, JobState::Cancelled] {
            assert_eq!(fact_rows(&JobMetricInput { status, ..costed.clone() }), [], "{status:?}");
        }
    }
}
