//! A job that was done: what it is worth, and what it has cost.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::{
    domain::{
        growth::metrics::{
            fact::{Contribution, Fact, day_of},
            measure::Measure,
        },
        work::job::Status,
    },
    platform::money::Cents,
};

/// A crew's booked job.
#[derive(Clone, Debug)]
pub struct Job {
    pub status: Status,
    pub completed_at: Option<DateTime<Utc>>,
    pub value: Option<Cents>,
    /// The sum of its costs; none while none was noted.
    pub cost: Option<Cents>,
}

impl Job {
    /// On the day it was completed. One that is opened again was not.
    #[must_use]
    pub fn contribution(&self, zone: Tz) -> Contribution {
        let (Status::Completed, Some(at)) = (self.status, self.completed_at) else { return Contribution::default() };
        let (day, value) = (day_of(zone, at), self.value.unwrap_or_default());
        let mut facts = vec![Fact::one(day, Measure::JobsDone), Fact::new(day, Measure::JobCents, value.0)];
        if let Some(cost) = self.cost {
            facts.extend([
                Fact::one(day, Measure::CostedJobs),
                Fact::new(day, Measure::CostedCents, value.0),
                Fact::new(day, Measure::CostCents, cost.0),
            ]);
        }
        Contribution::new(facts, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_done_counts_and_its_costs_once_they_are_known() {
        let zone = chrono_tz::America::Denver;
        let done = Job {
            status: Status::Completed,
            completed_at: "2026-09-18T05:30:00Z".parse().ok(),
            value: Some(Cents(100_000)),
            cost: None,
        };
        let said = |job: &Job| {
            let said = job.contribution(zone);
            said.facts().iter().map(|fact| (fact.day.to_string(), fact.measure, fact.amount)).collect::<Vec<_>>()
        };
        let day = "2026-09-17".to_owned();
        let wanted = [(day.clone(), Measure::JobsDone, 1), (day.clone(), Measure::JobCents, 100_000)];
        assert_eq!(said(&done), wanted);
        let costed = Job { cost: Some(Cents(30_000)), ..done.clone() };
        assert_eq!(
            said(&costed)[2..],
            [
                (day.clone(), Measure::CostedJobs, 1),
                (day.clone(), Measure::CostedCents, 100_000),
                (day.clone(), Measure::CostCents, 30_000)
            ]
        );
        let unpriced = Job { value: None, ..done.clone() };
        assert_eq!(said(&unpriced), [(day, Measure::JobsDone, 1)]);
        for status in [Status::Scheduled, Status::InProgress, Status::Cancelled] {
            assert_eq!(said(&Job { status, ..costed.clone() }), [], "{status:?}");
        }
    }
}
