//! A fact: what one record contributes to one day. All figures are sums of facts.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::measure::{Measure, Sums};

/// The day of an instant, as the business's own calendar has it.
#[must_use]
pub fn day_of(zone: Tz, at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

/// One number on one day; with a source it counts for that source as well.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    pub day: NaiveDate,
    pub measure: Measure,
    pub source: Option<String>,
    pub amount: i64,
}

impl Fact {
    #[must_use]
    pub fn new(day: NaiveDate, measure: Measure, amount: i64) -> Self {
        Self { day, measure, source: None, amount }
    }

    #[must_use]
    pub fn one(day: NaiveDate, measure: Measure) -> Self {
        Self::new(day, measure, 1)
    }

    #[must_use]
    pub fn from(self, source: &str) -> Self {
        Self { source: Some(source.to_owned()), ..self }
    }
}

/// How long a request waited for its first answers, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub day: NaiveDate,
    pub asked_at: DateTime<Utc>,
    /// By a rule.
    pub auto_ms: Option<i64>,
    /// By a person. What a rule said never counts as theirs.
    pub human_ms: Option<i64>,
}

/// Everything that one record contributes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contribution {
    /// Sorted, each kind of fact once, and none of nothing: two equal contributions are equal.
    facts: Vec<Fact>,
    pub answer: Option<Answer>,
}

/// As it is stored: day, measure, amount, source.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(rename = "f", default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(NaiveDate, String, i64, Option<String>)>,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
}

impl Contribution {
    #[must_use]
    pub fn new(facts: impl IntoIterator<Item = Fact>, answer: Option<Answer>) -> Self {
        let mut sums: BTreeMap<(NaiveDate, Measure, Option<String>), i64> = BTreeMap::new();
        for Fact { day, measure, source, amount } in facts {
            *sums.entry((day, measure, source)).or_default() += amount;
        }
        let some = sums.into_iter().filter(|(_, amount)| *amount != 0);
        let facts = some.map(|((day, measure, source), amount)| Fact { day, measure, source, amount }).collect();
        Self { facts, answer }
    }

    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.answer.is_none()
    }

    /// As it stands in `metric_fact`.
    ///
    /// # Errors
    /// None that could happen: what is written holds nothing that JSON has not.
    pub(super) fn write(&self) -> serde_json::Result<String> {
        let facts = self.facts.iter();
        let facts = facts.map(|fact| (fact.day, fact.measure.name().to_owned(), fact.amount, fact.source.clone()));
        serde_json::to_string(&Stored { facts: facts.collect(), answer: self.answer })
    }

    /// What was stored. A measure that only a newer program knows is left out: the recount that follows its start
    /// counts for both.
    ///
    /// # Errors
    /// When somebody else has written there.
    pub(super) fn read(text: &str) -> serde_json::Result<Self> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let Stored { facts, answer } = serde_json::from_str(text)?;
        let known = facts.into_iter().filter_map(|(day, measure, amount, source)| {
            Some(Fact { day, measure: Measure::named(&measure)?, source, amount })
        });
        Ok(Self::new(known, answer))
    }
}

/// What a day has of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfSource {
    pub leads: i64,
    pub booked: i64,
    pub won: i64,
    /// What came in, less what went back.
    pub paid_cents: i64,
}

impl OfSource {
    fn add(&mut self, measure: Measure, amount: i64) {
        match measure {
            Measure::Leads => self.leads += amount,
            Measure::Booked => self.booked += amount,
            Measure::QuotesWon => self.won += amount,
            Measure::CollectedCents => self.paid_cents += amount,
            Measure::RefundedCents => self.paid_cents -= amount,
            _ => {}
        }
    }

    /// What has to be added to `other` so that it is this.
    pub(super) fn minus(self, other: Self) -> Self {
        Self {
            leads: self.leads - other.leads,
            booked: self.booked - other.booked,
            won: self.won - other.won,
            paid_cents: self.paid_cents - other.paid_cents,
        }
    }
}

/// Sums by day, and by day and source: all of a business, or what has to be added to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub days: BTreeMap<NaiveDate, Sums>,
    pub sources: BTreeMap<(NaiveDate, String), OfSource>,
}

impl Totals {
    pub fn add(&mut self, contribution: &Contribution) {
        self.count(contribution, 1);
    }

    pub fn take_away(&mut self, contribution: &Contribution) {
        self.count(contribution, -1);
    }

    fn count(&mut self, contribution: &Contribution, sign: i64) {
        for fact in contribution.facts() {
            self.days.entry(fact.day).or_default().add(fact.measure, sign * fact.amount);
            if let Some(source) = &fact.source {
                self.sources.entry((fact.day, source.clone())).or_default().add(fact.measure, sign * fact.amount);
            }
        }
    }

    /// What has to be added to `other` so that it is this.
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
        left.settled()
    }

    /// Without what is nothing. Whoever adds to a source holds its day first, so that one stays.
    pub fn settled(mut self) -> Self {
        self.sources.retain(|_, of| *of != OfSource::default());
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

    fn some() -> Contribution {
        let facts = [
            Fact::one(day(2), Measure::Leads).from("Website"),
            Fact::new(day(1), Measure::CollectedCents, 500).from("Website"),
            Fact::new(day(1), Measure::CollectedCents, 25).from("Website"),
            Fact::one(day(3), Measure::JobsDone),
            Fact::new(day(3), Measure::JobsDone, -1),
        ];
        let asked_at = DateTime::UNIX_EPOCH + chrono::Duration::days(20_700);
        Contribution::new(facts, Some(Answer { day: day(2), asked_at, auto_ms: Some(3000), human_ms: None }))
    }

    #[test]
    fn what_was_written_is_read_as_it_was() {
        let text = some().write().unwrap();
        assert_eq!(Contribution::read(&text).unwrap(), some(), "{text}");
        assert_eq!(some().facts().len(), 2, "equal facts are one, and what comes to nothing is none");
        assert_eq!(Contribution::read("").unwrap(), Contribution::default());
        assert_eq!(Contribution::read("{}").unwrap(), Contribution::default());
        let newer = r#"{"f":[["2026-11-02","moonwalks",1,null],["2026-11-02","leads",1,null]]}"#;
        assert_eq!(Contribution::read(newer).unwrap().facts(), [Fact::one(day(2), Measure::Leads)]);
        assert!(Contribution::read("[1]").is_err());
    }

    #[test]
    fn what_is_added_and_taken_away_again_is_nothing() {
        let mut totals = Totals::default();
        totals.add(&some());
        assert_eq!(totals.days[&day(1)].get(Measure::CollectedCents), 525);
        assert_eq!(totals.sources[&(day(1), "Website".to_owned())].paid_cents, 525);
        assert_eq!(totals.sources[&(day(2), "Website".to_owned())].leads, 1);
        assert_eq!(totals.minus(&totals), Totals::default());
        totals.take_away(&some());
        assert_eq!(totals.settled(), Totals::default());
    }

    #[test]
    fn what_changes_its_source_only_holds_its_day_all_the_same() {
        let of = |source: &str| Contribution::new([Fact::one(day(2), Measure::Leads).from(source)], None);
        let mut totals = Totals::default();
        totals.take_away(&of("Website"));
        totals.add(&of("google"));
        let totals = totals.settled();
        assert_eq!(totals.days.keys().collect::<Vec<_>>(), [&day(2)]);
        assert_eq!(totals.sources.len(), 2);
    }

    #[test]
    fn the_day_is_the_businesss_own_also_when_the_clocks_change() {
        let zone = chrono_tz::America::Chicago;
        for (at, wanted) in [
            ("2026-11-01T04:59:59.999Z", "2026-10-31"),
            ("2026-11-01T05:00:00Z", "2026-11-01"),
            // The hour that comes twice, and the last of a day of twenty-five.
            ("2026-11-01T07:30:00Z", "2026-11-01"),
            ("2026-11-02T05:59:59Z", "2026-11-01"),
            ("2026-11-02T06:00:00Z", "2026-11-02"),
            // A day of twenty-three.
            ("2027-03-14T05:59:59Z", "2027-03-13"),
            ("2027-03-14T06:00:00Z", "2027-03-14"),
            ("2027-03-15T04:59:59Z", "2027-03-14"),
            ("2027-03-15T05:00:00Z", "2027-03-15"),
        ] {
            assert_eq!(day_of(zone, at.parse().unwrap()).to_string(), wanted, "{at}");
        }
    }
}
