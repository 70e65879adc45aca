//! A fact: what one record contributes to one day. All figures are sums of facts.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::measure::{Measure, MeasureSums};

#[must_use]
pub fn local_day(zone: Tz, at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

/// One number on one day; with a source it also counts for that source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetricFact {
    pub day: NaiveDate,
    pub measure: Measure,
    pub source: Option<String>,
    pub amount: i64,
}

impl MetricFact {
    #[must_use]
    pub fn new(day: NaiveDate, measure: Measure, amount: i64) -> Self {
        Self { day, measure, source: None, amount }
    }

    #[must_use]
    pub fn count_one(day: NaiveDate, measure: Measure) -> Self {
        Self::new(day, measure, 1)
    }

    #[must_use]
    pub fn with_source(self, source: &str) -> Self {
        Self { source: Some(source.to_owned()), ..self }
    }
}

/// Time until a lead's first answers, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstResponse {
    pub day: NaiveDate,
    pub asked_at: DateTime<Utc>,
    pub auto_ms: Option<i64>,
    /// By a person; automatic messages never count here.
    pub human_ms: Option<i64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetricContribution {
    /// Sorted, one per kind, no zeros: equal contributions compare equal.
    facts: Vec<MetricFact>,
    pub answer: Option<FirstResponse>,
}

/// As it is stored: day, measure, amount, source.
#[derive(Serialize, Deserialize)]
struct StoredContribution {
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(NaiveDate, String, i64, Option<String>)>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    answer: Option<FirstResponse>,
}

impl MetricContribution {
    #[must_use]
    pub fn new(facts: impl IntoIterator<Item = MetricFact>, answer: Option<FirstResponse>) -> Self {
        let mut sums: BTreeMap<(NaiveDate, Measure, Option<String>), i64> = BTreeMap::new();
        for MetricFact { day, measure, source, amount } in facts {
            *sums.entry((day, measure, source)).or_default() += amount;
        }
        let some = sums.into_iter().filter(|(_, amount)| *amount != 0);
        let facts = some.map(|((day, measure, source), amount)| MetricFact { day, measure, source, amount }).collect();
        Self { facts, answer }
    }

    #[must_use]
    pub fn facts(&self) -> &[MetricFact] {
        &self.facts
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.answer.is_none()
    }

    pub(super) fn to_json(&self) -> serde_json::Result<String> {
        let facts = self.facts.iter();
        let facts = facts.map(|fact| (fact.day, fact.measure.name().to_owned(), fact.amount, fact.source.clone()));
        serde_json::to_string(&StoredContribution { facts: facts.collect(), answer: self.answer })
    }

    /// A measure known only to a newer version is left out; the recount after that version's start corrects it.
    pub(super) fn from_json(text: &str) -> serde_json::Result<Self> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let StoredContribution { facts, answer } = serde_json::from_str(text)?;
        let known_facts = facts.into_iter().filter_map(|(day, measure, amount, source)| {
            Some(MetricFact { day, measure: Measure::named(&measure)?, source, amount })
        });
        Ok(Self::new(known_facts, answer))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceSums {
    pub leads: i64,
    pub booked: i64,
    pub won: i64,
    /// Received less refunded.
    pub paid_cents: i64,
}

impl SourceSums {
    fn add_measure(&mut self, measure: Measure, amount: i64) {
        match measure {
            Measure::Leads => self.leads += amount,
            Measure::Booked => self.booked += amount,
            Measure::QuotesWon => self.won += amount,
            Measure::CollectedCents => self.paid_cents += amount,
            Measure::RefundedCents => self.paid_cents -= amount,
            _ => {}
        }
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            leads: self.leads - other.leads,
            booked: self.booked - other.booked,
            won: self.won - other.won,
            paid_cents: self.paid_cents - other.paid_cents,
        }
    }
}

/// Sums by day, and by day and source, or differences to be added to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MetricTotals {
    pub days: BTreeMap<NaiveDate, MeasureSums>,
    pub sources: BTreeMap<(NaiveDate, String), SourceSums>,
}

impl MetricTotals {
    pub fn add_contribution(&mut self, contribution: &MetricContribution) {
        self.add_signed(contribution, 1);
    }

    pub fn subtract_contribution(&mut self, contribution: &MetricContribution) {
        self.add_signed(contribution, -1);
    }

    fn add_signed(&mut self, contribution: &MetricContribution, sign: i64) {
        for fact in contribution.facts() {
            self.days.entry(fact.day).or_default().add(fact.measure, sign * fact.amount);
            if let Some(source) = &fact.source {
                self.sources
                    .entry((fact.day, source.clone()))
                    .or_default()
                    .add_measure(fact.measure, sign * fact.amount);
            }
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        let mut left = self.clone();
        for (day, sums) in &other.days {
            let mine = left.days.entry(*day).or_default();
            *mine = mine.minus(sums);
        }
        for (key, of) in &other.sources {
            let mine = left.sources.entry(key.clone()).or_default();
            *mine = mine.minus(*of);
        }
        left.without_zeros()
    }

    /// Drops zeros. A writer of a source locks its day first, so the day of a source stays even when zero.
    pub fn without_zeros(mut self) -> Self {
        self.sources.retain(|_, of| *of != SourceSums::default());
        let held: BTreeSet<NaiveDate> = self.sources.keys().map(|(day, _)| *day).collect();
        self.days.retain(|day, sums| !sums.is_zero() || held.contains(day));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, day).unwrap()
    }

    fn some() -> MetricContribution {
        let facts = [
            MetricFact::count_one(day(2), Measure::Leads).with_source("Website"),
            MetricFact::new(day(1), Measure::CollectedCents, 500).with_source("Website"),
            MetricFact::new(day(1), Measure::CollectedCents, 25).with_source("Website"),
            MetricFact::count_one(day(3), Measure::JobsDone),
            MetricFact::new(day(3), Measure::JobsDone, -1),
        ];
        let asked_at = DateTime::UNIX_EPOCH + chrono::Duration::days(20_700);
        MetricContribution::new(
            facts,
            Some(FirstResponse { day: day(2), asked_at, auto_ms: Some(3000), human_ms: None }),
        )
    }

    #[test]
    fn contribution_round_trips_and_ignores_unknown_measures() {
        let text = some().to_json().unwrap();
        assert_eq!(MetricContribution::from_json(&text).unwrap(), some(), "{text}");
        assert_eq!(some().facts().len(), 2, "equal facts are one, and what comes to nothing is none");
        assert_eq!(MetricContribution::from_json("").unwrap(), MetricContribution::default());
        assert_eq!(MetricContribution::from_json("{}").unwrap(), MetricContribution::default());
        let newer = r#"{"f":[["2026-11-02","moonwalks",1,null],["2026-11-02","leads",1,null]]}"#;
        assert_eq!(
            MetricContribution::from_json(newer).unwrap().facts(),
            [MetricFact::count_one(day(2), Measure::Leads)]
        );
        assert!(MetricContribution::from_json("[1]").is_err());
    }

    #[test]
    fn contribution_added_and_removed_leaves_empty_totals() {
        let mut totals = MetricTotals::default();
        totals.add_contribution(&some());
        assert_eq!(totals.days[&day(1)].get(Measure::CollectedCents), 525);
        assert_eq!(totals.sources[&(day(1), "Website".to_owned())].paid_cents, 525);
        assert_eq!(totals.sources[&(day(2), "Website".to_owned())].leads, 1);
        assert_eq!(totals.minus(&totals), MetricTotals::default());
        totals.subtract_contribution(&some());
        assert_eq!(totals.without_zeros(), MetricTotals::default());
    }

    #[test]
    fn source_change_keeps_day_in_totals() {
        let of = |source: &str| {
            MetricContribution::new([MetricFact::count_one(day(2), Measure::Leads).with_source(source)], None)
        };
        let mut totals = MetricTotals::default();
        totals.subtract_contribution(&of("Website"));
        totals.add_contribution(&of("google"));
        let totals = totals.without_zeros();
        assert_eq!(totals.days.keys().collect::<Vec<_>>(), [&day(2)]);
        assert_eq!(totals.sources.len(), 2);
    }

    #[test]
    fn business_day_follows_local_time_across_dst() {
        let zone = chrono_tz::America::Chicago;
        for (at, wanted) in [
            ("2026-11-01T04:59:59.999Z", "2026-10-31"),
            ("2026-11-01T05:00:00Z", "2026-11-01"),
            // The repeated hour, and the last instant of a 25-hour day.
            ("2026-11-01T07:30:00Z", "2026-11-01"),
            ("2026-11-02T05:59:59Z", "2026-11-01"),
            ("2026-11-02T06:00:00Z", "2026-11-02"),
            // A 23-hour day.
            ("2027-03-14T05:59:59Z", "2027-03-13"),
            ("2027-03-14T06:00:00Z", "2027-03-14"),
            ("2027-03-15T04:59:59Z", "2027-03-14"),
            ("2027-03-15T05:00:00Z", "2027-03-15"),
        ] {
            assert_eq!(local_day(zone, at.parse().unwrap()).to_string(), wanted, "{at}");
        }
    }
}
