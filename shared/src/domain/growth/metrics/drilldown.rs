//! Drill-down: the leads whose facts a figure counts. Lists of leads are filtered by it.

use serde::Deserialize;
use utoipa::ToSchema;

use super::measure::Measure;
use crate::platform::period::Period;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrilldownFilter {
    pub(crate) period: Period,
    pub(crate) what: DrilldownMetric,
    pub(crate) source: Option<String>,
}

impl DrilldownFilter {
    /// None for a source when the figure is not known by source.
    #[must_use]
    pub fn new(period: Period, what: DrilldownMetric, source: Option<String>) -> Option<Self> {
        (source.is_none() || what.has_source()).then_some(Self { period, what, source })
    }

    #[must_use]
    pub fn has_amount(&self) -> bool {
        matches!(self.what, DrilldownMetric::Sent | DrilldownMetric::Won)
    }
}

/// What is counted, by its own day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrilldownMetric {
    Came,
    Answered(AnsweredBy),
    MissedCalls,
    RecoveredCalls,
    /// By the day the first valid visit was planned.
    Booked,
    Paid,
    /// By the day of an automatic action.
    Automated,
    /// Answers promised for such a day and given by a person in time.
    Kept,
    /// Promised answers that were not.
    Broken,
    Sent,
    /// With an estimate approved on such a day, whenever it was issued.
    Won,
    Lost,
}

impl DrilldownMetric {
    fn has_source(self) -> bool {
        matches!(self, Self::Came | Self::Booked | Self::Won)
    }

    pub(crate) fn fact_rows(self) -> DrilldownRows {
        match self {
            Self::Came => DrilldownRows::Lead(&[Measure::Leads]),
            Self::Answered(by) => DrilldownRows::Answer(by),
            Self::MissedCalls => DrilldownRows::Lead(&[Measure::MissedCalls]),
            Self::RecoveredCalls => DrilldownRows::Lead(&[Measure::RecoveredCalls]),
            Self::Booked => DrilldownRows::Lead(&[Measure::Booked]),
            Self::Paid => DrilldownRows::Lead(&[Measure::PaidLeads]),
            Self::Automated => DrilldownRows::Lead(&[Measure::AutoReplies, Measure::FollowUps, Measure::Schedulings]),
            Self::Kept => DrilldownRows::Lead(&[Measure::PromisesKept]),
            Self::Broken => DrilldownRows::Lead(&[Measure::PromisesBroken]),
            Self::Sent => DrilldownRows::Estimate { count: Measure::QuotesSent, cents: Some(Measure::QuotedCents) },
            Self::Won => DrilldownRows::Estimate { count: Measure::QuotesWon, cents: Some(Measure::WonCents) },
            Self::Lost => DrilldownRows::Estimate { count: Measure::QuotesLost, cents: None },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DrilldownRows {
    /// `metric_row` of leads.
    Lead(&'static [Measure]),
    /// `metric_row` of estimates: their number and their sum.
    Estimate { count: Measure, cents: Option<Measure> },
    /// `metric_answer`, one row per lead that waited.
    Answer(AnsweredBy),
}

/// Requests of some days by who answered them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// A rule.
    Auto,
    /// A person.
    Human,
    /// Either.
    Any,
}

/// One row per fact: the lead's `id`, `counted`, and `cents`. Uses an index that begins with business, measure and day.
macro_rules! facts_behind {
    ($b:ident, $org:expr, $behind:expr) => {
        let behind: &$crate::domain::growth::metrics::DrilldownFilter = $behind;
        match behind.what.fact_rows() {
            $crate::domain::growth::metrics::drilldown::DrilldownRows::Lead(measures) => {
                $b.push(
                    "SELECT r.subject_id AS id, r.amount AS counted, 0 AS cents FROM metric_row r WHERE r.org_id = ",
                );
                $b.push_bind($org).push(" AND r.measure IN (");
                let mut names = $b.separated(", ");
                for measure in measures {
                    names.push_bind(measure.name());
                }
                $b.push(")");
                $crate::domain::growth::metrics::drilldown::on_days!($b, "r", behind);
            }
            $crate::domain::growth::metrics::drilldown::DrilldownRows::Estimate { count, cents } => {
                let (count, cents) = (count.name(), cents.map($crate::domain::growth::metrics::Measure::name));
                $b.push("SELECT e.lead_id AS id, CASE WHEN r.measure = ").push_bind(count);
                $b.push(" THEN r.amount ELSE 0 END AS counted, CASE WHEN r.measure = ").push_bind(cents);
                $b.push(
                    " THEN r.amount ELSE 0 END AS cents FROM metric_row r CROSS JOIN estimate e
                     WHERE e.org_id = r.org_id AND e.id = r.subject_id AND r.org_id = ",
                );
                $b.push_bind($org).push(" AND r.measure IN (").push_bind(count).push(", ").push_bind(cents).push(")");
                $crate::domain::growth::metrics::drilldown::on_days!($b, "r", behind);
            }
            $crate::domain::growth::metrics::drilldown::DrilldownRows::Answer(by) => {
                $b.push("SELECT a.lead_id AS id, 1 AS counted, 0 AS cents FROM metric_answer a WHERE a.org_id = ");
                $b.push_bind($org).push(match by {
                    $crate::domain::growth::metrics::drilldown::AnsweredBy::Auto => " AND a.auto_ms IS NOT NULL",
                    $crate::domain::growth::metrics::drilldown::AnsweredBy::Human => " AND a.human_ms IS NOT NULL",
                    $crate::domain::growth::metrics::drilldown::AnsweredBy::Any => {
                        " AND (a.auto_ms IS NOT NULL OR a.human_ms IS NOT NULL)"
                    }
                });
                $crate::domain::growth::metrics::drilldown::on_days!($b, "a", behind);
            }
        }
    };
}

macro_rules! on_days {
    ($b:ident, $table:literal, $behind:expr) => {
        $b.push(concat!(" AND ", $table, ".day >= ")).push_bind($behind.period.from);
        $b.push(concat!(" AND ", $table, ".day <= ")).push_bind($behind.period.to);
        if let Some(source) = &$behind.source {
            $b.push(concat!(" AND ", $table, ".source = ")).push_bind(source);
        }
    };
}
pub(crate) use {facts_behind, on_days};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::dirty::EntityKind;

    const ALL: [DrilldownMetric; 12] = [
        DrilldownMetric::Came,
        DrilldownMetric::Answered(AnsweredBy::Auto),
        DrilldownMetric::MissedCalls,
        DrilldownMetric::RecoveredCalls,
        DrilldownMetric::Booked,
        DrilldownMetric::Paid,
        DrilldownMetric::Automated,
        DrilldownMetric::Kept,
        DrilldownMetric::Broken,
        DrilldownMetric::Sent,
        DrilldownMetric::Won,
        DrilldownMetric::Lost,
    ];

    #[test]
    fn drilldown_lists_use_measures_kept_in_rows() {
        for what in ALL {
            let (kind, measures) = match what.fact_rows() {
                DrilldownRows::Lead(measures) => (EntityKind::Lead, measures.to_vec()),
                DrilldownRows::Estimate { count, cents } => {
                    (EntityKind::Estimate, [count].into_iter().chain(cents).collect())
                }
                DrilldownRows::Answer(_) => continue,
            };
            assert!(measures.iter().all(|measure| measure.listed_entity_kind() == Some(kind)), "{what:?}");
        }
    }

    #[test]
    fn source_filter_is_accepted_only_for_facts_with_source() {
        let period = Period::week_ending("2026-09-17".parse().unwrap());
        for what in ALL {
            let with = DrilldownFilter::new(period, what, Some("google".to_owned()));
            assert_eq!(
                with.is_some(),
                matches!(what, DrilldownMetric::Came | DrilldownMetric::Booked | DrilldownMetric::Won),
                "{what:?}"
            );
            assert!(DrilldownFilter::new(period, what, None).is_some());
        }
    }
}
