//! Storage of contributions and their sums: locked, read and changed together.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use uuid::Uuid;

use super::{
    fact::{FirstResponse, MetricContribution, MetricTotals, SourceSums},
    measure::{Measure, MeasureSums},
    row,
};
use crate::{
    domain::tenancy::audit,
    platform::{
        db::{
            AsConn, Tx,
            batch::{Insert, SqlValue, insert_all, insert_rows, values},
            qb,
        },
        dirty::{Entity, EntityKind},
        error::{Error, Result},
        id::OrgId,
    },
};

/// Rows per statement; with all columns well below the limits of both databases.
pub(super) const CHUNK: usize = 400;
/// Days that one transaction usually touches.
const FEW_DAYS: usize = 8;
const EMPTY_FACTS: &str = "";

pub(super) struct LockedContributions {
    pub timezone: Option<String>,
    pub before: BTreeMap<Entity, MetricContribution>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContributionDelta {
    pub subject: Entity,
    pub before: MetricContribution,
    pub after: MetricContribution,
}

/// Locks the rows of these subjects until the transaction ends, in order: a concurrent change of a subject waits here
/// and reads it afterwards.
pub(super) async fn lock_contributions(
    tx: &mut Tx,
    org: OrgId,
    subjects: &BTreeSet<Entity>,
) -> Result<LockedContributions> {
    let subjects: Vec<Entity> = subjects.iter().copied().collect();
    let mut held = LockedContributions { timezone: None, before: BTreeMap::new() };
    for some in subjects.chunks(CHUNK) {
        let rows = qb!(&mut *tx, fetch_all as (EntityKind, Uuid, String, String), |b| {
            b.push("INSERT INTO metric_fact (org_id, kind, subject_id, facts) ");
            b.push_values(some, |mut row, subject| {
                row.push_bind(org).push_bind(subject.kind).push_bind(subject.id).push_bind(EMPTY_FACTS);
            });
            b.push(" ON CONFLICT (org_id, kind, subject_id) DO UPDATE SET facts = metric_fact.facts");
            b.push(" RETURNING kind, subject_id, facts, (SELECT o.timezone FROM org o WHERE o.id = ");
            b.push_bind(org).push(")");
        })?;
        for (kind, id, facts, timezone) in rows {
            held.timezone = Some(timezone);
            held.before.insert(Entity { kind, id }, parse_contribution(org, kind, &facts));
        }
    }
    Ok(held)
}

/// Unreadable facts count as none: no work fails because of a figure, and the next recount finds the difference.
fn parse_contribution(org: OrgId, kind: EntityKind, facts: &str) -> MetricContribution {
    MetricContribution::from_json(facts).unwrap_or_else(|e| {
        tracing::error!(%org, ?kind, error = %e, "a stored fact cannot be read");
        MetricContribution::default()
    })
}

pub(super) async fn load_stored(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: EntityKind,
    ids: &[Uuid],
) -> Result<BTreeMap<Entity, MetricContribution>> {
    let mut found = BTreeMap::new();
    for some in ids.chunks(CHUNK) {
        let rows = qb!(&mut *conn, fetch_all as (Uuid, String), |b| {
            b.push("SELECT subject_id, facts FROM metric_fact WHERE org_id = ").push_bind(org);
            b.push(" AND kind = ").push_bind(kind).push(" AND subject_id IN (");
            let mut list = b.separated(", ");
            for id in some {
                list.push_bind(*id);
            }
            b.push(")");
        })?;
        found.extend(rows.into_iter().map(|(id, facts)| (Entity { kind, id }, parse_contribution(org, kind, &facts))));
    }
    Ok(found)
}

/// Stores changes and adds them to days and rows. The caller holds the subjects, and writes the rows that are returned:
/// nothing but the commit waits for them.
pub(super) async fn store_deltas(
    tx: &mut Tx,
    org: OrgId,
    changes: &[ContributionDelta],
) -> Result<Vec<Insert<'static>>> {
    let mut totals = MetricTotals::default();
    for change in changes {
        totals.subtract_contribution(&change.before);
        totals.add_contribution(&change.after);
    }
    write_totals(tx, org, &totals.without_zeros(), changes).await
}

/// Adds to days and sources. Days come first, in order: a writer of a source holds its day.
pub(super) async fn add_totals(tx: &mut Tx, org: OrgId, totals: &MetricTotals) -> Result<()> {
    let rows = write_totals(&mut *tx, org, totals, &[]).await?;
    insert_all(tx, &rows).await
}

/// Returns the rows of the last chunk, which are still to be written.
async fn write_totals(
    tx: &mut Tx,
    org: OrgId,
    totals: &MetricTotals,
    changes: &[ContributionDelta],
) -> Result<Vec<Insert<'static>>> {
    let days: Vec<(&NaiveDate, &MeasureSums)> = totals.days.iter().collect();
    let mut first = Vec::new();
    // The row of a day is what all commits of a business wait for on PostgreSQL: it is written by the last statement.
    if days.len() <= FEW_DAYS {
        first.push(build_day_insert(org, &days));
    } else {
        audit::lock_chain_heads(&mut *tx).await?;
        for some in days.chunks(CHUNK) {
            insert_rows(tx, &build_day_insert(org, some)).await?;
        }
    }
    let sources: Vec<(&(NaiveDate, String), &SourceSums)> = totals.sources.iter().collect();
    let rows = row::MetricRowChanges::from_deltas(changes);
    let longest = changes.len().max(sources.len()).max(rows.put.len());
    let mut unwritten = Vec::new();
    for round in 0..longest.div_ceil(CHUNK).max(first.len()) {
        insert_all(&mut *tx, &unwritten).await?;
        let changes = chunk_at(changes, round);
        let rows = row::build_insert(org, chunk_at(&rows.put, round));
        let sources = build_source_insert(org, chunk_at(&sources, round));
        let mut inserts = std::mem::take(&mut first);
        inserts.extend([build_fact_insert(org, changes)?, build_changed_answer_insert(org, changes), sources, rows]);
        unwritten = inserts;
        // Other rows than those that are still to be written.
        delete_removed_answers(&mut *tx, org, changes).await?;
    }
    row::delete_rows(tx, org, &rows.gone).await?;
    Ok(unwritten)
}

/// Only measures that change: a lead changes one of forty, and each named column costs a place in the plan.
fn build_day_insert(org: OrgId, days: &[(&NaiveDate, &MeasureSums)]) -> Insert<'static> {
    let mut changed: Vec<Measure> =
        Measure::ALL.into_iter().filter(|measure| days.iter().any(|(_, sums)| sums.get(*measure) != 0)).collect();
    if changed.is_empty() {
        // The day is locked all the same, for its sources.
        changed.push(Measure::Leads);
    }
    let rows = days.iter().map(|(day, sums)| {
        let mut row = values![org, **day];
        row.extend(changed.iter().map(|measure| Box::new(sums.get(*measure)) as SqlValue<'_>));
        row
    });
    let columns: Vec<&'static str> = changed.iter().map(|measure| measure.name()).collect();
    Insert::into_dynamic_table(format!("metric_day (org_id, day, {})", columns.join(", ")))
        .with_rows(rows)
        .on_conflict_add("org_id, day", &columns)
}

fn chunk_at<T>(all: &[T], round: usize) -> &[T] {
    let from = all.len().min(round * CHUNK);
    &all[from..all.len().min(from + CHUNK)]
}

fn build_fact_insert(org: OrgId, changes: &[ContributionDelta]) -> Result<Insert<'static>> {
    let mut rows = Vec::with_capacity(changes.len());
    for ContributionDelta { subject, after, .. } in changes {
        let facts = after.to_json().map_err(|e| Error::Internal(format!("a fact: {e}")))?;
        rows.push(values![org, subject.kind, subject.id, facts]);
    }
    let into = Insert::into("metric_fact (org_id, kind, subject_id, facts)").with_rows(rows);
    Ok(into.on_conflict_replace("org_id, kind, subject_id", &["facts"]))
}

fn build_changed_answer_insert(org: OrgId, changes: &[ContributionDelta]) -> Insert<'static> {
    let others = changes.iter().filter(|change| change.before.answer != change.after.answer);
    build_answer_insert(org, others.filter_map(|change| Some((change.subject.id, change.after.answer?))))
}

fn build_answer_insert(org: OrgId, answers: impl Iterator<Item = (Uuid, FirstResponse)>) -> Insert<'static> {
    let rows =
        answers.map(|(lead, answer)| values![org, lead, answer.day, answer.asked_at, answer.auto_ms, answer.human_ms]);
    Insert::into("metric_answer (org_id, lead_id, day, asked_at, auto_ms, human_ms)")
        .with_rows(rows)
        .on_conflict_replace("org_id, lead_id", &["day", "asked_at", "auto_ms", "human_ms"])
}

pub(super) async fn repair_answers(tx: &mut Tx, org: OrgId, leads: &BTreeSet<Entity>) -> Result<()> {
    let leads: Vec<Entity> = leads.iter().copied().collect();
    for some in leads.chunks(CHUNK) {
        let held = lock_contributions(&mut *tx, org, &some.iter().copied().collect()).await?;
        let gone: Vec<Uuid> = some.iter().map(|lead| lead.id).collect();
        delete_answers(&mut *tx, org, &gone).await?;
        let answers = held.before.iter().filter_map(|(lead, facts)| Some((lead.id, facts.answer?)));
        insert_rows(&mut *tx, &build_answer_insert(org, answers)).await?;
    }
    Ok(())
}

async fn delete_removed_answers(tx: &mut Tx, org: OrgId, changes: &[ContributionDelta]) -> Result<()> {
    let gone = changes.iter().filter(|change| change.before.answer.is_some() && change.after.answer.is_none());
    let gone: Vec<Uuid> = gone.map(|change| change.subject.id).collect();
    delete_answers(tx, org, &gone).await
}

async fn delete_answers(tx: &mut Tx, org: OrgId, leads: &[Uuid]) -> Result<()> {
    for some in leads.chunks(CHUNK) {
        qb!(&mut *tx, execute, |b| {
            b.push("DELETE FROM metric_answer WHERE org_id = ").push_bind(org).push(" AND lead_id IN (");
            let mut list = b.separated(", ");
            for lead in some {
                list.push_bind(*lead);
            }
            b.push(")");
        })?;
    }
    Ok(())
}

fn build_source_insert(org: OrgId, sources: &[(&(NaiveDate, String), &SourceSums)]) -> Insert<'static> {
    let rows = sources
        .iter()
        .map(|((day, source), of)| values![org, *day, source.clone(), of.leads, of.booked, of.won, of.paid_cents]);
    Insert::into("metric_source_day (org_id, day, source, leads, booked, won, paid_cents)")
        .with_rows(rows)
        .on_conflict_add("org_id, day, source", &["leads", "booked", "won", "paid_cents"])
}
