//! The facts summed, beside what the days say.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    domain::growth::metrics::{
        fact::{Answer, Contribution, OfSource, Totals},
        measure::{DAYS, Day},
        row::{self, Key, Worth},
    },
    platform::{
        db::{AsConn, Snapshot, q, qb},
        dirty::{Entity, EntityKind},
        error::Result,
        id::OrgId,
    },
};

/// Rows of one page.
const PAGE: i64 = 1_000;

/// What the days, the sources, the answers and the rows are off by.
#[derive(Clone, Debug, Default)]
pub struct Off {
    /// To be added.
    pub(super) totals: Totals,
    /// The leads whose answers are not what their facts say.
    pub(super) answers: BTreeSet<Entity>,
    /// The rows that are not what the facts say, those that are missing among them.
    pub(super) rows: BTreeSet<Key>,
    /// The days of these answers and rows.
    pub(super) days: BTreeSet<NaiveDate>,
}

impl Off {
    /// Whether the sums are what the facts say.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.totals == Totals::default() && self.answers.is_empty() && self.rows.is_empty()
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
struct ListedRow {
    measure: String,
    day: NaiveDate,
    subject_id: Uuid,
    amount: i64,
    source: Option<String>,
}

/// All facts of a business.
#[derive(Default)]
struct Summed {
    totals: Totals,
    answers: BTreeMap<Uuid, Answer>,
    rows: BTreeMap<Key, Worth>,
}

#[derive(FromRow)]
struct AnswerRow {
    lead_id: Uuid,
    day: NaiveDate,
    asked_at: DateTime<Utc>,
    auto_ms: Option<i64>,
    human_ms: Option<i64>,
}

/// Compares all facts of a business with its sums, as both stand at one instant.
pub async fn compare(snapshot: &mut Snapshot, org: OrgId) -> Result<Off> {
    let facts = summed(&mut *snapshot, org).await?;
    let totals = facts.totals.minus(&stored(&mut *snapshot, org).await?);
    let mut off = Off { totals, ..Off::default() };
    compare_answers(&mut *snapshot, org, facts.answers, &mut off).await?;
    compare_rows(snapshot, org, facts.rows, &mut off).await?;
    Ok(off)
}

async fn summed(conn: &mut dyn AsConn, org: OrgId) -> Result<Summed> {
    let mut all = Summed::default();
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
                // Unreadable, it counts for nothing: the look at its record has found it before.
                let facts = Contribution::read(&row.facts).unwrap_or_default();
                all.totals.add(&facts);
                all.rows.extend(row::of(Entity { kind: row.kind, id: row.subject_id }, &facts));
                let answer = facts.answer.filter(|_| row.kind == EntityKind::Lead);
                all.answers.extend(answer.map(|answer| (row.subject_id, answer)));
            }
            after = last;
        }
    }
    Ok(all)
}

async fn stored(conn: &mut dyn AsConn, org: OrgId) -> Result<Totals> {
    let days = qb!(&mut *conn, fetch_all as Day, |b| {
        b.push(DAYS).push_bind(org);
    })?;
    let sources = q!(
        conn,
        fetch_all as SourceRow,
        "SELECT day, source, leads, booked, won, paid_cents FROM metric_source_day WHERE org_id = $1",
        org
    )?;
    let sources = sources.into_iter().map(|row| {
        let of = OfSource { leads: row.leads, booked: row.booked, won: row.won, paid_cents: row.paid_cents };
        ((row.day, row.source), of)
    });
    Ok(Totals { days: days.into_iter().map(|day| (day.day, day.sums)).collect(), sources: sources.collect() })
}

async fn compare_answers(
    conn: &mut dyn AsConn,
    org: OrgId,
    mut wanted: BTreeMap<Uuid, Answer>,
    off: &mut Off,
) -> Result<()> {
    let mut after = Uuid::nil();
    loop {
        let rows = q!(
            &mut *conn,
            fetch_all as AnswerRow,
            "SELECT lead_id, day, asked_at, auto_ms, human_ms FROM metric_answer WHERE org_id = $1 AND lead_id > $2
             ORDER BY lead_id LIMIT $3",
            org,
            after,
            PAGE
        )?;
        let Some(last) = rows.last().map(|row| row.lead_id) else { break };
        for AnswerRow { lead_id, day, asked_at, auto_ms, human_ms } in rows {
            let stands = Answer { day, asked_at, auto_ms, human_ms };
            let should = wanted.remove(&lead_id);
            if should != Some(stands) {
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
    mut wanted: BTreeMap<Key, Worth>,
    off: &mut Off,
) -> Result<()> {
    let mut after = (String::new(), NaiveDate::default(), Uuid::nil());
    loop {
        let rows = q!(
            &mut *conn,
            fetch_all as ListedRow,
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
        for ListedRow { measure, day, subject_id, amount, source } in rows {
            let Some(key) = row::key(&measure, day, subject_id) else { continue };
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
