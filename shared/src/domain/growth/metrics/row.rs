//! Facts as rows beside their day (`metric_row`): where the lists behind the figures find what a figure counts.
//!
//! A figure of requests is a sum of facts, and no column of a lead tells the day of most of them: when the first visit
//! that stands was planned, whether a missed call was recovered, where a request came from. Were a list narrowed by
//! conditions of its own, every rule would stand there a second time in SQL, and look through calls, messages and events
//! besides. So the facts themselves are kept by day, and only those that a list of requests asks for. They are written
//! from the same [`Change`] as the sums of the days, under the same hold, by the same statement: what a list finds is what
//! its figure has counted. Each night's recount compares them with the facts ([`super::recount`]).
//!
//! Answers have their own rows (`metric_answer`). The days of jobs, invoices and payments stand in columns with an index,
//! and their rules are one condition each: their lists are narrowed by those.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use uuid::Uuid;

use super::{
    fact::{Contribution, Fact},
    measure::Measure,
    store::{CHUNK, Change},
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

/// Keys of one statement: each is a condition of its own, and SQLite takes no deeper a chain of them than 1,000.
const KEYS: usize = 200;

impl Measure {
    /// Whose facts of this kind stand in `metric_row`; none when nobody's do.
    pub(super) fn listed_of(self) -> Option<EntityKind> {
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

/// Which fact it is. A subject has one of each kind on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub measure: Measure,
    pub day: NaiveDate,
    pub subject: Entity,
}

/// How much it counts for, and for which source.
pub(super) type Worth = (i64, Option<String>);

/// The facts of a subject that stand as rows.
pub(super) fn of(subject: Entity, contribution: &Contribution) -> BTreeMap<Key, Worth> {
    let listed = contribution.facts().iter().filter(|fact| fact.measure.listed_of() == Some(subject.kind));
    let row = |fact: &Fact| {
        let key = Key { measure: fact.measure, day: fact.day, subject };
        (key, (fact.amount, fact.source.clone()))
    };
    listed.map(row).collect()
}

/// What some changes have made of the rows.
#[derive(Default)]
pub(super) struct Changed {
    /// New, or worth something else.
    pub put: Vec<(Key, Worth)>,
    pub gone: BTreeSet<Key>,
}

impl Changed {
    pub fn by(changes: &[Change]) -> Self {
        let mut all = Self::default();
        for Change { subject, before, after } in changes {
            let (mut before, after) = (of(*subject, before), of(*subject, after));
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

pub(super) fn insert(org: OrgId, rows: &[(Key, Worth)]) -> Insert<'static> {
    let rows = rows.iter().map(|(key, (amount, source))| {
        values![org, key.measure.name(), key.day, key.subject.id, *amount, source.clone()]
    });
    Insert::into("metric_row (org_id, measure, day, subject_id, amount, source)")
        .rows(rows)
        .replacing("org_id, measure, day, subject_id", &["amount", "source"])
}

pub(super) async fn forget(tx: &mut Tx, org: OrgId, keys: &BTreeSet<Key>) -> Result<()> {
    let keys: Vec<&Key> = keys.iter().collect();
    for some in keys.chunks(KEYS) {
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

/// Makes these rows what the facts of their subjects say.
pub(super) async fn mend(tx: &mut Tx, org: OrgId, wrong: &BTreeSet<Key>) -> Result<()> {
    let subjects: BTreeSet<Entity> = wrong.iter().map(|key| key.subject).collect();
    let subjects: Vec<Entity> = subjects.into_iter().collect();
    for some in subjects.chunks(CHUNK) {
        let some: BTreeSet<Entity> = some.iter().copied().collect();
        let held = super::store::hold(&mut *tx, org, &some).await?;
        let mut told: BTreeMap<Key, Worth> = held.before.iter().flat_map(|(id, facts)| of(*id, facts)).collect();
        let mut gone: BTreeSet<Key> = wrong.iter().filter(|key| some.contains(&key.subject)).copied().collect();
        told.retain(|key, _| gone.remove(key));
        let put: Vec<(Key, Worth)> = told.into_iter().collect();
        for rows in put.chunks(CHUNK) {
            crate::platform::db::batch::insert(&mut *tx, &insert(org, rows)).await?;
        }
        forget(&mut *tx, org, &gone).await?;
    }
    Ok(())
}

/// A row as it is stored; none of a measure that only a newer program knows.
pub(super) fn key(measure: &str, day: NaiveDate, subject: Uuid) -> Option<Key> {
    let measure = Measure::named(measure)?;
    let subject = Entity { kind: measure.listed_of()?, id: subject };
    Some(Key { measure, day, subject })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::id::LeadId;

    fn day(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, day).unwrap()
    }

    #[test]
    fn only_what_has_changed_is_written_and_what_is_no_more_goes() {
        let subject = Entity::from(LeadId(Uuid::from_u128(3)));
        let change = |before: Vec<Fact>, after: Vec<Fact>| {
            let [before, after] = [before, after].map(|facts| Contribution::new(facts, None));
            let Changed { put, gone } = Changed::by(&[Change { subject, before, after }]);
            let said = |key: &Key| format!("{} {}", key.day, key.measure.name());
            let put: Vec<_> = put.iter().map(|(key, (amount, _))| format!("{} {amount}", said(key))).collect();
            (put, gone.iter().map(said).collect::<Vec<_>>())
        };
        let lead = || Fact::one(day(1), Measure::Leads).from("Website");
        let none: Vec<String> = vec![];
        assert_eq!(change(vec![], vec![lead()]), (vec!["2026-11-01 leads 1".to_owned()], none.clone()));
        // What nobody lists stands in no row.
        let answered = vec![lead(), Fact::one(day(1), Measure::AutoReplied), Fact::one(day(1), Measure::JobsDone)];
        assert_eq!(change(vec![lead()], answered), (none.clone(), none.clone()));
        let missed = Fact::one(day(2), Measure::MissedCalls);
        let twice = vec![lead(), missed.clone(), missed.clone()];
        assert_eq!(change(vec![lead(), missed], twice.clone()), (vec!["2026-11-02 missed_calls 2".to_owned()], none));
        let elsewhere = vec![Fact::one(day(1), Measure::Leads).from("google")];
        assert_eq!(
            change(twice, elsewhere),
            (vec!["2026-11-01 leads 1".to_owned()], vec!["2026-11-02 missed_calls".to_owned()])
        );
    }

    #[test]
    fn each_row_is_read_as_the_fact_it_was() {
        for measure in Measure::ALL.into_iter().filter(|measure| measure.listed_of().is_some()) {
            let found = key(measure.name(), day(1), Uuid::from_u128(3)).unwrap();
            assert_eq!((found.measure, Some(found.subject.kind)), (measure, measure.listed_of()));
        }
        assert_eq!(key("jobs_done", day(1), Uuid::nil()), None);
        assert_eq!(key("what a newer program measures", day(1), Uuid::nil()), None);
    }
}
