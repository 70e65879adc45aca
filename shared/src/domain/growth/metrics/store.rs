//! Where contributions and their sums stand: held, read, and moved together.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use uuid::Uuid;

use super::{
    fact::{Answer, Contribution, OfSource, Totals},
    measure::{COLUMNS, Measure, Sums, TABLE},
    row,
};
use crate::platform::{
    db::{
        AsConn, ConnRef, Tx,
        batch::{Insert, Value, insert, insert_all, values},
        qb,
    },
    dirty::{Entity, EntityKind},
    error::{Error, Result},
    id::OrgId,
};

/// Rows of one statement: with all their columns well below what either database takes.
pub(super) const CHUNK: usize = 400;
/// Days that one piece of work touches.
const FEW: usize = 8;
/// Nobody has contributed there yet.
const NOTHING: &str = "";

/// Subjects that are held, with what they contributed until now.
pub(super) struct Held {
    /// The zone of the business; none when it has no subject.
    pub timezone: Option<String>,
    pub before: BTreeMap<Entity, Contribution>,
}

/// What a subject contributed, and contributes now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub subject: Entity,
    pub before: Contribution,
    pub after: Contribution,
}

/// Holds the rows of these subjects until the transaction ends, in their order: of two transactions that changed one
/// subject the second waits here, and reads it after the first.
pub(super) async fn hold(tx: &mut Tx, org: OrgId, subjects: &BTreeSet<Entity>) -> Result<Held> {
    let subjects: Vec<Entity> = subjects.iter().copied().collect();
    let mut held = Held { timezone: None, before: BTreeMap::new() };
    for some in subjects.chunks(CHUNK) {
        let rows = qb!(&mut *tx, fetch_all as (EntityKind, Uuid, String, String), |b| {
            b.push("INSERT INTO metric_fact (org_id, kind, subject_id, facts) ");
            b.push_values(some, |mut row, subject| {
                row.push_bind(org).push_bind(subject.kind).push_bind(subject.id).push_bind(NOTHING);
            });
            b.push(" ON CONFLICT (org_id, kind, subject_id) DO UPDATE SET facts = metric_fact.facts");
            b.push(" RETURNING kind, subject_id, facts, (SELECT o.timezone FROM org o WHERE o.id = ");
            b.push_bind(org).push(")");
        })?;
        for (kind, id, facts, timezone) in rows {
            held.timezone = Some(timezone);
            held.before.insert(Entity { kind, id }, read(org, kind, &facts));
        }
    }
    Ok(held)
}

/// What stands there. What cannot be read counts for nothing: no work is refused over a figure, and the next recount
/// finds that the days say otherwise.
fn read(org: OrgId, kind: EntityKind, facts: &str) -> Contribution {
    Contribution::read(facts).unwrap_or_else(|e| {
        tracing::error!(%org, ?kind, error = %e, "a stored fact cannot be read");
        Contribution::default()
    })
}

/// What these subjects contributed when they were last settled. Those that never were are left out.
pub(super) async fn stored(
    conn: &mut dyn AsConn,
    org: OrgId,
    kind: EntityKind,
    ids: &[Uuid],
) -> Result<BTreeMap<Entity, Contribution>> {
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
        found.extend(rows.into_iter().map(|(id, facts)| (Entity { kind, id }, read(org, kind, &facts))));
    }
    Ok(found)
}

/// Stores what changed, and adds it to the days and their rows. The caller holds the subjects.
pub(super) async fn write(tx: &mut Tx, org: OrgId, changes: &[Change]) -> Result<()> {
    let mut totals = Totals::default();
    for change in changes {
        totals.take_away(&change.before);
        totals.add(&change.after);
    }
    add_days(tx, org, &totals.settled(), changes).await
}

/// Adds to the days, and to those of the sources. The days come first, in order: who adds to a source holds its day.
pub(super) async fn add(tx: &mut Tx, org: OrgId, totals: &Totals) -> Result<()> {
    add_days(tx, org, totals, &[]).await
}

async fn add_days(tx: &mut Tx, org: OrgId, totals: &Totals, changes: &[Change]) -> Result<()> {
    let days: Vec<(&NaiveDate, &Sums)> = totals.days.iter().collect();
    let mut first = Vec::new();
    // PostgreSQL keeps no order within one statement; SQLite does, and is asked once.
    if days.len() <= FEW && matches!(tx.as_conn(), ConnRef::Sqlite(_)) {
        first.push(of_days(org, &days));
    } else {
        for some in days.chunks(CHUNK) {
            insert(tx, &of_days(org, some)).await?;
        }
    }
    let sources: Vec<(&(NaiveDate, String), &OfSource)> = totals.sources.iter().collect();
    let rows = row::Changed::by(changes);
    let longest = changes.len().max(sources.len()).max(rows.put.len());
    for round in 0..longest.div_ceil(CHUNK).max(first.len()) {
        let changes = part(changes, round);
        let rows = row::insert(org, part(&rows.put, round));
        let sources = of_sources(org, part(&sources, round));
        let mut inserts = std::mem::take(&mut first);
        inserts.extend([facts(org, changes)?, answers(org, changes), sources, rows]);
        insert_all(tx, &inserts).await?;
        drop_answers(tx, org, changes).await?;
    }
    row::forget(tx, org, &rows.gone).await
}

fn of_days(org: OrgId, days: &[(&NaiveDate, &Sums)]) -> Insert<'static> {
    let rows = days.iter().map(|(day, sums)| {
        let mut row = values![org, **day];
        row.extend(Measure::ALL.map(|measure| Box::new(sums.get(measure)) as Value<'_>));
        row
    });
    Insert::into(TABLE).rows(rows).adding("org_id, day", COLUMNS)
}

fn part<T>(all: &[T], round: usize) -> &[T] {
    let from = all.len().min(round * CHUNK);
    &all[from..all.len().min(from + CHUNK)]
}

fn facts(org: OrgId, changes: &[Change]) -> Result<Insert<'static>> {
    let mut rows = Vec::with_capacity(changes.len());
    for Change { subject, after, .. } in changes {
        let facts = after.write().map_err(|e| Error::Internal(format!("a fact: {e}")))?;
        rows.push(values![org, subject.kind, subject.id, facts]);
    }
    let into = Insert::into("metric_fact (org_id, kind, subject_id, facts)").rows(rows);
    Ok(into.replacing("org_id, kind, subject_id", &["facts"]))
}

/// The answers that changed. A business has one for each lead.
fn answers(org: OrgId, changes: &[Change]) -> Insert<'static> {
    let others = changes.iter().filter(|change| change.before.answer != change.after.answer);
    answer_rows(org, others.filter_map(|change| Some((change.subject.id, change.after.answer?))))
}

fn answer_rows(org: OrgId, answers: impl Iterator<Item = (Uuid, Answer)>) -> Insert<'static> {
    let rows =
        answers.map(|(lead, answer)| values![org, lead, answer.day, answer.asked_at, answer.auto_ms, answer.human_ms]);
    Insert::into("metric_answer (org_id, lead_id, day, asked_at, auto_ms, human_ms)")
        .rows(rows)
        .replacing("org_id, lead_id", &["day", "asked_at", "auto_ms", "human_ms"])
}

/// Makes the answers of these leads what their facts say.
pub(super) async fn mend_answers(tx: &mut Tx, org: OrgId, leads: &BTreeSet<Entity>) -> Result<()> {
    let leads: Vec<Entity> = leads.iter().copied().collect();
    for some in leads.chunks(CHUNK) {
        let held = hold(&mut *tx, org, &some.iter().copied().collect()).await?;
        let gone: Vec<Uuid> = some.iter().map(|lead| lead.id).collect();
        forget_answers(&mut *tx, org, &gone).await?;
        let told = held.before.iter().filter_map(|(lead, facts)| Some((lead.id, facts.answer?)));
        insert(&mut *tx, &answer_rows(org, told)).await?;
    }
    Ok(())
}

/// Of requests that wait for no answer any more.
async fn drop_answers(tx: &mut Tx, org: OrgId, changes: &[Change]) -> Result<()> {
    let gone = changes.iter().filter(|change| change.before.answer.is_some() && change.after.answer.is_none());
    let gone: Vec<Uuid> = gone.map(|change| change.subject.id).collect();
    forget_answers(tx, org, &gone).await
}

/// No such lead waits, or ever waited, for an answer.
async fn forget_answers(tx: &mut Tx, org: OrgId, leads: &[Uuid]) -> Result<()> {
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

fn of_sources(org: OrgId, sources: &[(&(NaiveDate, String), &OfSource)]) -> Insert<'static> {
    let rows = sources
        .iter()
        .map(|((day, source), of)| values![org, *day, source.clone(), of.leads, of.booked, of.won, of.paid_cents]);
    Insert::into("metric_source_day (org_id, day, source, leads, booked, won, paid_cents)")
        .rows(rows)
        .adding("org_id, day, source", &["leads", "booked", "won", "paid_cents"])
}
