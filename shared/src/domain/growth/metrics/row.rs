//! Facts as rows by day (`metric_row`), read by the lists behind the figures.
//!
//! Most figures of leads depend on days that no lead column holds: when the first valid visit was planned, whether a
//! missed call was recovered, the source. List filters in SQL would repeat every rule and scan calls, messages and
//! events. So the facts that lists need are kept by day. They are written from the same [`ContributionDelta`] as the
//! sums, under the same lock, by the same statement: a list finds what its figure counts. The nightly recount compares
//! them with the facts ([`super::recompute`]).
//!
//! Answers have their own rows (`metric_answer`). Days of jobs, invoices and payments are indexed columns with one
//! condition each; their lists filter by those.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use uuid::Uuid;

use super::{
    fact::{MetricContribution, MetricFact},
    measure::Measure,
    store::{CHUNK, ContributionDelta},
};
use crate::platform::{
    db::{
        Tx,
        batch::{Insert, values},
        qb,
    },
    dirty::{Entity, EntityKind},
    error::Result,
    id::OrgId,
};

/// Keys per statement: each is one condition, and SQLite takes a chain of at most 1,000.
const KEYS_PER_DELETE: usize = 200;

impl Measure {
    /// Kind whose facts of this measure are in `metric_row`; none when there are none.
    pub(super) fn listed_entity_kind(self) -> Option<EntityKind> {
        match self {
            Self::Leads
            | Self::Booked
            | Self::PaidLeads
            | Self::MissedCalls
            | Self::RecoveredCalls
            | Self::AutoReplies
            | Self::FollowUps
            | Self::Schedulings
            | Self::PromisesKept
            | Self::PromisesBroken
            | Self::RecoveredCallCents
            | Self::RecoveredReplyCents
            | Self::RecoveredFollowUpCents
            | Self::RecoveredReminderCents
            | Self::RecoveredReviewCents => Some(EntityKind::Lead),
            Self::QuotesSent | Self::QuotedCents | Self::QuotesWon | Self::WonCents | Self::QuotesLost => {
                Some(EntityKind::Estimate)
            }
            _ => None,
        }
    }
}

/// Unique: a subject has one fact of each kind per day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MetricRowKey {
    pub measure: Measure,
    pub day: NaiveDate,
    pub subject: Entity,
}

pub(super) type MetricRowValue = (i64, Option<String>);

pub(super) fn rows_from_contribution(
    subject: Entity,
    contribution: &MetricContribution,
) -> BTreeMap<MetricRowKey, MetricRowValue> {
    let listed = contribution.facts().iter().filter(|fact| fact.measure.listed_entity_kind() == Some(subject.kind));
    let row = |fact: &MetricFact| {
        let key = MetricRowKey { measure: fact.measure, day: fact.day, subject };
        (key, (fact.amount, fact.source.clone()))
    };
    listed.map(row).collect()
}

#[derive(Default)]
pub(super) struct MetricRowChanges {
    pub put: Vec<(MetricRowKey, MetricRowValue)>,
    pub gone: BTreeSet<MetricRowKey>,
}

impl MetricRowChanges {
    pub fn from_deltas(changes: &[ContributionDelta]) -> Self {
        let mut all = Self::default();
        for ContributionDelta { subject, before, after } in changes {
            let (mut before, after) =
                (rows_from_contribution(*subject, before), rows_from_contribution(*subject, after));
            for (key, worth) in after {
                if before.remove(&key).as_ref() != Some(&worth) {
                    all.put.push((key, worth));
                }
            }
            all.gone.extend(before.into_keys());
        }
        all
    }
}

pub(super) fn build_insert(org: OrgId, rows: &[(MetricRowKey, MetricRowValue)]) -> Insert<'static> {
    let rows = rows.iter().map(|(key, (amount, source))| {
        values![org, key.measure.name(), key.day, key.subject.id, *amount, source.clone()]
    });
    Insert::into("metric_row (org_id, measure, day, subject_id, amount, source)")
        .with_rows(rows)
        .on_conflict_replace("org_id, measure, day, subject_id", &["amount", "source"])
}

pub(super) async fn delete_rows(tx: &mut Tx, org: OrgId, keys: &BTreeSet<MetricRowKey>) -> Result<()> {
    let keys: Vec<&MetricRowKey> = keys.iter().collect();
    for some in keys.chunks(KEYS_PER_DELETE) {
        qb!(&mut *tx, execute, |b| {
            b.push("DELETE FROM metric_row WHERE org_id = ").push_bind(org).push(" AND (");
            for (n, key) in some.iter().enumerate() {
                b.push(if n == 0 { "(measure = " } else { " OR (measure = " }).push_bind(key.measure.name());
                b.push(" AND day = ").push_bind(key.day).push(" AND subject_id = ").push_bind(key.subject.id).push(")");
            }
            b.push(")");
        })?;
    }
    Ok(())
}

pub(super) async fn repair_rows(tx: &mut Tx, org: OrgId, wrong: &BTreeSet<MetricRowKey>) -> Result<()> {
    let subjects: BTreeSet<Entity> = wrong.iter().map(|key| key.subject).collect();
    let subjects: Vec<Entity> = subjects.into_iter().collect();
    for some in subjects.chunks(CHUNK) {
        let some: BTreeSet<Entity> = some.iter().copied().collect();
        let held = super::store::lock_contributions(&mut *tx, org, &some).await?;
        let mut summed: BTreeMap<MetricRowKey, MetricRowValue> =
            held.before.iter().flat_map(|(id, facts)| rows_from_contribution(*id, facts)).collect();
        let mut gone: BTreeSet<MetricRowKey> =
            wrong.iter().filter(|key| some.contains(&key.subject)).copied().collect();
        summed.retain(|key, _| gone.remove(key));
        let put: Vec<(MetricRowKey, MetricRowValue)> = summed.into_iter().collect();
        for rows in put.chunks(CHUNK) {
            crate::platform::db::batch::insert_rows(&mut *tx, &build_insert(org, rows)).await?;
        }
        delete_rows(&mut *tx, org, &gone).await?;
    }
    Ok(())
}

/// None for a measure known only to a newer version.
pub(super) fn parse_key(measure: &str, day: NaiveDate, subject: Uuid) -> Option<MetricRowKey> {
    let measure = Measure::named(measure)?;
    let subject = Entity { kind: measure.listed_entity_kind()?, id: subject };
    Some(MetricRowKey { measure, day, subject })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::id::LeadId;

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, day).unwrap()
    }

    #[test]
    fn changed_rows_are_written_and_vanished_rows_deleted() {
        let subject = Entity::from(LeadId(Uuid::from_u128(3)));
        let change = |before: Vec<MetricFact>, after: Vec<MetricFact>| {
            let [before, after] = [before, after].map(|facts| MetricContribution::new(facts, None));
            let MetricRowChanges { put, gone } =
                MetricRowChanges::from_deltas(&[ContributionDelta { subject, before, after }]);
            let key_text = |key: &MetricRowKey| format!("{} {}", key.day, key.measure.name());
            let put: Vec<_> = put.iter().map(|(key, (amount, _))| format!("{} {amount}", key_text(key))).collect();
            (put, gone.iter().map(key_text).collect::<Vec<_>>())
        };
        let lead = || MetricFact::count_one(day(1), Measure::Leads).with_source("Website");
        let none: Vec<String> = vec![];
        assert_eq!(change(vec![], vec![lead()]), (vec!["2026-11-01 leads 1".to_owned()], none.clone()));
        // A measure that no list uses has no row.
        let answered = vec![
            lead(),
            MetricFact::count_one(day(1), Measure::AutoReplied),
            MetricFact::count_one(day(1), Measure::JobsDone),
        ];
        assert_eq!(change(vec![lead()], answered), (none.clone(), none.clone()));
        let missed = MetricFact::count_one(day(2), Measure::MissedCalls);
        let twice = vec![lead(), missed.clone(), missed.clone()];
        assert_eq!(change(vec![lead(), missed], twice.clone()), (vec!["2026-11-02 missed_calls 2".to_owned()], none));
        let elsewhere = vec![MetricFact::count_one(day(1), Measure::Leads).with_source("google")];
        assert_eq!(
            change(twice, elsewhere),
            (vec!["2026-11-01 leads 1".to_owned()], vec!["2026-11-02 missed_calls".to_owned()])
        );
    }

    #[test]
    fn row_key_is_read_back_as_its_measure() {
        for measure in Measure::ALL.into_iter().filter(|measure| measure.listed_entity_kind().is_some()) {
            let found = parse_key(measure.name(), day(1), Uuid::from_u128(3)).unwrap();
            assert_eq!((found.measure, Some(found.subject.kind)), (measure, measure.listed_entity_kind()));
        }
        assert_eq!(parse_key("jobs_done", day(1), Uuid::nil()), None);
        assert_eq!(parse_key("what a newer program measures", day(1), Uuid::nil()), None);
    }
}
