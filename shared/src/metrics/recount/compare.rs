//! The facts summed, beside what the days say.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    db::{AsConn, Snapshot, q, qb},
    error::Result,
    id::OrgId,
    metrics::{
        fact::{Answer, Contribution, OfSource, Totals},
        measure::{DAYS, Day},
        subject::{Kind, Subject},
    },
};

/// Rows of one page.
const PAGE: i64 = 1_000;

/// What the days, the sources and the answers are off by.
#[derive(Clone, Debug, Default)]
pub struct Off {
    /// To be added.
    pub(super) totals: Totals,
    /// The leads whose answers are not what their facts say.
    pub(super) answers: BTreeSet<Subject>,
    pub(super) answer_days: BTreeSet<NaiveDate>,
}

impl Off {
    /// Whether the sums are what the facts say.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.totals == Totals::default() && self.answers.is_empty()
    }
}

#[derive(FromRow)]
struct FactRow {
    kind: Kind,
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
struct AnswerRow {
    lead_id: Uuid,
    day: NaiveDate,
    asked_at: DateTime<Utc>,
    auto_ms: Option<i64>,
    human_ms: Option<i64>,
}

/// Compares all facts of a business with its sums, as both stand at one instant.
pub async fn compare(snapshot: &mut Snapshot, org: OrgId) -> Result<Off> {
    let (facts, answers) = summed(&mut *snapshot, org).await?;
    let totals = facts.minus(&stored(&mut *snapshot, org).await?);
    let mut off = Off { totals, ..Off::default() };
    compare_answers(snapshot, org, answers, &mut off).await?;
    Ok(off)
}

async fn summed(conn: &mut impl AsConn, org: OrgId) -> Result<(Totals, BTreeMap<Uuid, Answer>)> {
    let (mut totals, mut answers) = (Totals::default(), BTreeMap::new());
    for kind in Kind::ALL {
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
                totals.add(&facts);
                answers.extend(facts.answer.filter(|_| row.kind == Kind::Lead).map(|answer| (row.subject_id, answer)));
            }
            after = last;
        }
    }
    Ok((totals, answers))
}

async fn stored(conn: &mut impl AsConn, org: OrgId) -> Result<Totals> {
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
    conn: &mut impl AsConn,
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
                off.answers.insert(Subject { kind: Kind::Lead, id: lead_id });
                off.answer_days.extend(should.map(|answer| answer.day).into_iter().chain([day]));
            }
        }
        after = last;
    }
    for (id, answer) in wanted {
        off.answers.insert(Subject { kind: Kind::Lead, id });
        off.answer_days.insert(answer.day);
    }
    Ok(())
}
