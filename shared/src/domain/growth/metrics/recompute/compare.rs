//! Comparison of summed facts with the stored days.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::growth::metrics::{
        fact::{FirstResponse, MetricContribution, MetricTotals, SourceSums},
        measure::{DAYS, MetricDay},
        row::{self, MetricRowKey, MetricRowValue},
    },
    platform::{
        db::{AsConn, Snapshot, q, qb},
        dirty::{Entity, EntityKind},
        error::Result,
        id::OrgId,
    },
};

const PAGE: i64 = 1_000;

#[derive(Clone, Debug, Default)]
pub struct RecomputeDiff {
    pub(super) totals: MetricTotals,
    /// Leads whose answers differ from their facts.
    pub(super) answers: BTreeSet<Entity>,
    /// Rows that differ from the facts or are missing.
    pub(super) rows: BTreeSet<MetricRowKey>,
    pub(super) days: BTreeSet<NaiveDate>,
}

impl RecomputeDiff {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.totals == MetricTotals::default() && self.answers.is_empty() && self.rows.is_empty()
    }
}

#[derive(FromRow)]
struct FactRow {
    kind: EntityKind,
    subject_id: Uuid,
    facts: String,
}

#[derive(FromRow)]
struct SourceRow {
    day: NaiveDate,
    source: String,
    leads: i64,
    booked: i64,
    won: i64,
    paid_cents: i64,
}

#[derive(FromRow)]
struct MetricListRow {
    measure: String,
    day: NaiveDate,
    subject_id: Uuid,
    amount: i64,
    source: Option<String>,
}

#[derive(Default)]
struct FactTotals {
    totals: MetricTotals,
    answers: BTreeMap<Uuid, FirstResponse>,
    rows: BTreeMap<MetricRowKey, MetricRowValue>,
}

#[derive(FromRow)]
struct StoredResponseRow {
    lead_id: Uuid,
    day: NaiveDate,
    asked_at: DateTime<Utc>,
    auto_ms: Option<i64>,
    human_ms: Option<i64>,
}

/// Compares facts and sums at one instant.
pub async fn compare_with_facts(snapshot: &mut Snapshot, org: OrgId) -> Result<RecomputeDiff> {
    let facts = sum_facts(&mut *snapshot, org).await?;
    let totals = facts.totals.minus(&load_stored_totals(&mut *snapshot, org).await?);
    let mut off = RecomputeDiff { totals, ..RecomputeDiff::default() };
    compare_answers(&mut *snapshot, org, facts.answers, &mut off).await?;
    compare_rows(snapshot, org, facts.rows, &mut off).await?;
    Ok(off)
}

async fn sum_facts(conn: &mut dyn AsConn, org: OrgId) -> Result<FactTotals> {
    let mut all = FactTotals::default();
    for kind in EntityKind::ALL {
        let mut after = Uuid::nil();
        loop {
            let rows = q!(
                &mut *conn,
                fetch_all as FactRow,
                "SELECT kind, subject_id, facts FROM metric_fact WHERE org_id = $1 AND kind = $2 AND subject_id > $3
                 ORDER BY subject_id LIMIT $4",
                org,
                kind,
                after,
                PAGE
            )?;
            let Some(last) = rows.last().map(|row| row.subject_id) else { break };
            for row in rows {
                // Unreadable facts count as none; the check of their record has found them already.
                let facts = MetricContribution::from_json(&row.facts).unwrap_or_default();
                all.totals.add_contribution(&facts);
                all.rows.extend(row::rows_from_contribution(Entity { kind: row.kind, id: row.subject_id }, &facts));
                let answer = facts.answer.filter(|_| row.kind == EntityKind::Lead);
                all.answers.extend(answer.map(|answer| (row.subject_id, answer)));
            }
            after = last;
        }
    }
    Ok(all)
}

async fn load_stored_totals(conn: &mut dyn AsConn, org: OrgId) -> Result<MetricTotals> {
    let days = qb!(&mut *conn, fetch_all as MetricDay, |b| {
        b.push(DAYS).push_bind(org);
    })?;
    let sources = q!(
        conn,
        fetch_all as SourceRow,
        "SELECT day, source, leads, booked, won, paid_cents FROM metric_source_day WHERE org_id = $1",
        org
    )?;
    let sources = sources.into_iter().map(|row| {
        let of = SourceSums { leads: row.leads, booked: row.booked, won: row.won, paid_cents: row.paid_cents };
        ((row.day, row.source), of)
    });
    Ok(MetricTotals { days: days.into_iter().map(|day| (day.day, day.sums)).collect(), sources: sources.collect() })
}

async fn compare_answers(
    conn: &mut dyn AsConn,
    org: OrgId,
    mut wanted: BTreeMap<Uuid, FirstResponse>,
    off: &mut RecomputeDiff,
) -> Result<()> {
    let mut after = Uuid::nil();
    loop {
        let rows = q!(
            &mut *conn,
            fetch_all as StoredResponseRow,
            "SELECT lead_id, day, asked_at, auto_ms, human_ms FROM metric_answer WHERE org_id = $1 AND lead_id > $2
             ORDER BY lead_id LIMIT $3",
            org,
            after,
            PAGE
        )?;
        let Some(last) = rows.last().map(|row| row.lead_id) else { break };
        for StoredResponseRow { lead_id, day, asked_at, auto_ms, human_ms } in rows {
            let stored = FirstResponse { day, asked_at, auto_ms, human_ms };
            let should = wanted.remove(&lead_id);
            if should != Some(stored) {
                off.answers.insert(Entity { kind: EntityKind::Lead, id: lead_id });
                off.days.extend(should.map(|answer| answer.day).into_iter().chain([day]));
            }
        }
        after = last;
    }
    for (id, answer) in wanted {
        off.answers.insert(Entity { kind: EntityKind::Lead, id });
        off.days.insert(answer.day);
    }
    Ok(())
}

async fn compare_rows(
    conn: &mut dyn AsConn,
    org: OrgId,
    mut wanted: BTreeMap<MetricRowKey, MetricRowValue>,
    off: &mut RecomputeDiff,
) -> Result<()> {
    let mut after = (String::new(), NaiveDate::default(), Uuid::nil());
    loop {
        let rows = q!(
            &mut *conn,
            fetch_all as MetricListRow,
            "SELECT measure, day, subject_id, amount, source FROM metric_row
             WHERE org_id = $1 AND (measure, day, subject_id) > ($2, $3, $4) ORDER BY measure, day, subject_id LIMIT $5",
            org,
            &after.0,
            after.1,
            after.2,
            PAGE
        )?;
        let Some(last) = rows.last() else { break };
        after = (last.measure.clone(), last.day, last.subject_id);
        for MetricListRow { measure, day, subject_id, amount, source } in rows {
            let Some(key) = row::parse_key(&measure, day, subject_id) else { continue };
            if wanted.remove(&key) != Some((amount, source)) {
                off.days.insert(key.day);
                off.rows.insert(key);
            }
        }
    }
    for key in wanted.into_keys() {
        off.days.insert(key.day);
        off.rows.insert(key);
    }
    Ok(())
}
