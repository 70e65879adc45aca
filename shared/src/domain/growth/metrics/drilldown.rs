//! Which requests are behind a figure: those whose facts it counts. Lists of leads are narrowed by it.

use serde::Deserialize;
use utoipa::ToSchema;

use super::{figures::Period, measure::Measure};

/// The requests that one figure counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behind {
    pub(crate) period: Period,
    pub(crate) what: What,
    pub(crate) source: Option<String>,
}

impl Behind {
    /// What is counted on these days; of one source only where it is known by source, none otherwise.
    #[must_use]
    pub fn new(period: Period, what: What, source: Option<String>) -> Option<Self> {
        (source.is_none() || what.has_source()).then_some(Self { period, what, source })
    }

    /// Whether what its requests come to is a figure too.
    #[must_use]
    pub fn has_amount(&self) -> bool {
        matches!(self.what, What::Sent | What::Won)
    }
}

/// What is counted, by its own day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// By the day they came in.
    Came,
    Answered(Answered),
    MissedCalls,
    RecoveredCalls,
    /// By the day the first visit that stands was planned.
    Booked,
    /// By the day their money was settled.
    Paid,
    /// For which something was done without a person, by the day it was.
    Automated,
    /// That were promised an answer by such a day, and got it from a person in time.
    Kept,
    /// And those that did not.
    Broken,
    /// With an estimate issued on such a day.
    Sent,
    /// With an estimate approved on such a day, whenever it was issued.
    Won,
    Lost,
}

impl What {
    fn has_source(self) -> bool {
        matches!(self, Self::Came | Self::Booked | Self::Won)
    }

    /// Where its facts stand.
    pub(crate) fn facts(self) -> Facts {
        match self {
            Self::Came => Facts::Lead(&[Measure::Leads]),
            Self::Answered(by) => Facts::Answer(by),
            Self::MissedCalls => Facts::Lead(&[Measure::MissedCalls]),
            Self::RecoveredCalls => Facts::Lead(&[Measure::RecoveredCalls]),
            Self::Booked => Facts::Lead(&[Measure::Booked]),
            Self::Paid => Facts::Lead(&[Measure::PaidLeads]),
            Self::Automated => Facts::Lead(&[Measure::AutoReplies, Measure::FollowUps, Measure::Schedulings]),
            Self::Kept => Facts::Lead(&[Measure::PromisesKept]),
            Self::Broken => Facts::Lead(&[Measure::PromisesBroken]),
            Self::Sent => Facts::Estimate { count: Measure::QuotesSent, cents: Some(Measure::QuotedCents) },
            Self::Won => Facts::Estimate { count: Measure::QuotesWon, cents: Some(Measure::WonCents) },
            Self::Lost => Facts::Estimate { count: Measure::QuotesLost, cents: None },
        }
    }
}

/// Rows in which facts stand by day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Facts {
    /// `metric_row` of leads.
    Lead(&'static [Measure]),
    /// `metric_row` of estimates: how many, and what they come to.
    Estimate { count: Measure, cents: Option<Measure> },
    /// `metric_answer`, which has a row for each request that waited.
    Answer(Answered),
}

/// Requests of some days by who answered them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AnsweredBy)]
pub enum Answered {
    /// A rule.
    Auto,
    /// A person.
    Human,
    /// Either.
    Any,
}

/// Selects what a figure counts, one row for each fact: the lead's id as `id`, how much it counts for as `counted`, and
/// what it comes to as `cents`. All of it is read by an index that begins with the business, the measure and the day.
macro_rules! facts_behind {
    ($b:ident, $org:expr, $behind:expr) => {
        let behind: &$crate::domain::growth::metrics::Behind = $behind;
        match behind.what.facts() {
            $crate::domain::growth::metrics::drilldown::Facts::Lead(measures) => {
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
            $crate::domain::growth::metrics::drilldown::Facts::Estimate { count, cents } => {
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
            $crate::domain::growth::metrics::drilldown::Facts::Answer(by) => {
                $b.push("SELECT a.lead_id AS id, 1 AS counted, 0 AS cents FROM metric_answer a WHERE a.org_id = ");
                $b.push_bind($org).push(match by {
                    $crate::domain::growth::metrics::drilldown::Answered::Auto => " AND a.auto_ms IS NOT NULL",
                    $crate::domain::growth::metrics::drilldown::Answered::Human => " AND a.human_ms IS NOT NULL",
                    $crate::domain::growth::metrics::drilldown::Answered::Any => {
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

    const ALL: [What; 12] = [
        What::Came,
        What::Answered(Answered::Auto),
        What::MissedCalls,
        What::RecoveredCalls,
        What::Booked,
        What::Paid,
        What::Automated,
        What::Kept,
        What::Broken,
        What::Sent,
        What::Won,
        What::Lost,
    ];

    #[test]
    fn every_list_is_made_of_facts_that_stand_in_rows() {
        for what in ALL {
            let (kind, measures) = match what.facts() {
                Facts::Lead(measures) => (EntityKind::Lead, measures.to_vec()),
                Facts::Estimate { count, cents } => (EntityKind::Estimate, [count].into_iter().chain(cents).collect()),
                Facts::Answer(_) => continue,
            };
            assert!(measures.iter().all(|measure| measure.listed_of() == Some(kind)), "{what:?}");
        }
    }

    #[test]
    fn a_source_is_asked_for_only_where_facts_have_one() {
        let period = Period::week("2026-09-17".parse().unwrap());
        for what in ALL {
            let with = Behind::new(period, what, Some("google".to_owned()));
            assert_eq!(with.is_some(), matches!(what, What::Came | What::Booked | What::Won), "{what:?}");
            assert!(Behind::new(period, what, None).is_some());
        }
    }
}
