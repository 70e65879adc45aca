//! Recompute: reads each record, derives its facts again, sums them and compares with the stored days. Differences are
//! corrected and reported; since every change settles its records, none are expected.
//!
//! It runs while the business works. Records are read without locks; only one that seems to differ is locked and
//! settled. Sums are compared at one instant; later settlements move facts and days alike, so the difference stays
//! valid. It runs in pieces and resumes when its worker dies.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{apply_dirty_records, fact::MetricTotals, load, measure::Measure, row, rules::VERSION, store};
use crate::{
    conflicts::ConflictCode,
    domain::tenancy::org,
    platform::{
        clock::ClockRng,
        db::{AsConn, Tx, q, qb},
        dirty::{Entity, EntityKind},
        error::{Error, Result},
        id::OrgId,
    },
};

mod compare;
mod plan;

pub use compare::{RecomputeDiff, compare_with_facts};
pub(crate) use plan::{create_backfill_plan, handle_recompute_of_org};
pub use plan::{enqueue_due_recomputes, schedule_outdated};

const CHUNK: i64 = 200;
const MAX_REPORTED: usize = 20;
/// The slower of two concurrent recomputes starts again.
const RECOUNT_SUPERSEDED: Error = ConflictCode::RecountSuperseded.into_error();
/// Retention of recompute results.
const CHECK_RETENTION: Duration = Duration::days(90);

/// Why everything is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = RecountCause)]
pub enum RecomputeCause {
    /// It never was.
    First,
    /// Nothing should differ.
    Nightly,
    /// The business has moved to another time zone: days begin at other instants.
    Zone,
    /// The program reckons otherwise than the one that counted last.
    Rules,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetricDiscrepancy {
    day: NaiveDate,
    /// The measure, or a source.
    of: String,
    off_by: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecomputeProgress {
    /// Index of the current kind in [`EntityKind::ALL`], and the last record read.
    kind: usize,
    after: Uuid,
    records: i64,
    wrong: BTreeSet<NaiveDate>,
    reported: Vec<MetricDiscrepancy>,
}

#[derive(Clone, Debug)]
pub struct RecomputeRun {
    org: OrgId,
    timezone: String,
    why: RecomputeCause,
    turn: i64,
    found: RecomputeProgress,
}

#[derive(FromRow)]
struct RecomputeRow {
    counted_at: Option<DateTime<Utc>>,
    counted_in: String,
    rules: i64,
    turn: i64,
    under_way: Option<String>,
    timezone: String,
}

pub async fn load_recompute(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<RecomputeRun>> {
    let row = q!(
        conn,
        fetch_optional as RecomputeRow,
        "SELECT r.counted_at, r.timezone AS counted_in, r.rules, r.turn, r.under_way, o.timezone
         FROM metric_recount r JOIN org o ON o.id = r.org_id WHERE r.org_id = $1",
        org
    )?;
    let recompute = row.map(|row| {
        let why = match row.counted_at {
            None => RecomputeCause::First,
            Some(_) if row.counted_in != row.timezone => RecomputeCause::Zone,
            Some(_) if row.rules != VERSION => RecomputeCause::Rules,
            Some(_) => RecomputeCause::Nightly,
        };
        // Unreadable progress restarts the recompute.
        let found = row.under_way.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        RecomputeRun { org, timezone: row.timezone, why, turn: row.turn, found }
    });
    Ok(recompute)
}

impl RecomputeRun {
    /// Reads the next records. Returns those whose facts differ; none at the end.
    pub async fn check_next_batch(&mut self, conn: &mut dyn AsConn) -> Result<Option<BTreeSet<Entity>>> {
        let zone = org::zone_named(&self.timezone);
        while let Some(kind) = EntityKind::ALL.get(self.found.kind).copied() {
            let ids = list_ids_after(&mut *conn, self.org, kind, self.found.after).await?;
            let Some(last) = ids.last().copied() else {
                self.found.kind += 1;
                self.found.after = Uuid::nil();
                continue;
            };
            let subjects: BTreeSet<Entity> = ids.iter().map(|id| Entity { kind, id: *id }).collect();
            let mut stored = store::load_stored(&mut *conn, self.org, kind, &ids).await?;
            let mut true_ones = load::load_contributions(&mut *conn, self.org, zone, &subjects).await?;
            self.found.after = last;
            self.found.records += i64::try_from(ids.len()).unwrap_or(i64::MAX);
            let differs = |subject: &Entity| {
                stored.remove(subject).unwrap_or_default() != true_ones.remove(subject).unwrap_or_default()
            };
            return Ok(Some(subjects.into_iter().filter(differs).collect()));
        }
        Ok(None)
    }

    /// Locks the suspects, reads them again, corrects them and saves the progress.
    pub async fn repair_records(&mut self, tx: &mut Tx, suspects: BTreeSet<Entity>) -> Result<()> {
        // First of all, as in `finish`: concurrent recomputes wait for each other here and nowhere else.
        self.save_progress(&mut *tx).await?;
        for subject in suspects {
            tx.mark_dirty(self.org, subject);
        }
        let mut totals = MetricTotals::default();
        for (_, change) in apply_dirty_records(&mut *tx).await? {
            totals.subtract_contribution(&change.before);
            totals.add_contribution(&change.after);
            let days = change.before.facts().iter().chain(change.after.facts()).map(|fact| fact.day);
            self.record_wrong_days(days);
        }
        self.record_discrepancies(&totals.without_zeros());
        self.save_progress(tx).await
    }

    /// Only in a nightly recompute is a difference a fault.
    fn record_wrong_days(&mut self, days: impl Iterator<Item = NaiveDate>) {
        if self.why == RecomputeCause::Nightly {
            self.found.wrong.extend(days);
        }
    }

    fn record_discrepancies(&mut self, totals: &MetricTotals) {
        if self.why != RecomputeCause::Nightly {
            return;
        }
        let days = totals.days.iter().flat_map(|(day, sums)| {
            let off = Measure::ALL.into_iter().map(|measure| (measure.name().to_owned(), sums.get(measure)));
            off.filter(|(_, off_by)| *off_by != 0).map(|(of, off_by)| MetricDiscrepancy { day: *day, of, off_by })
        });
        let sources = totals.sources.iter().map(|((day, source), of)| {
            let off_by = [of.leads, of.booked, of.won, of.paid_cents].into_iter().find(|off_by| *off_by != 0);
            MetricDiscrepancy { day: *day, of: format!("source {source}"), off_by: off_by.unwrap_or_default() }
        });
        let room = MAX_REPORTED.saturating_sub(self.found.reported.len());
        let faults: Vec<MetricDiscrepancy> = days.chain(sources).collect();
        self.found.wrong.extend(faults.iter().map(|fault| fault.day));
        self.found.reported.extend(faults.into_iter().take(room));
    }

    pub async fn save_progress(&self, tx: &mut Tx) -> Result<()> {
        let under_way =
            serde_json::to_string(&self.found).map_err(|e| Error::Internal(format!("a recount under way: {e}")))?;
        let sql = "UPDATE metric_recount SET under_way = $3 WHERE org_id = $1 AND turn = $2";
        if q!(tx, execute, sql, self.org, self.turn, under_way)? == 0 { Err(RECOUNT_SUPERSEDED) } else { Ok(()) }
    }

    /// # Errors
    /// [`Error::Conflict`] when another recompute of this business ended meanwhile and corrected the differences.
    pub async fn finish(mut self, tx: &mut Tx, origin: &ClockRng, off: RecomputeDiff) -> Result<()> {
        let ended = q!(
            &mut *tx,
            execute,
            "UPDATE metric_recount SET turn = turn + 1, counted_at = $3, timezone = $4, rules = $5, under_way = NULL
             WHERE org_id = $1 AND turn = $2",
            self.org,
            self.turn,
            origin.now(),
            &self.timezone,
            VERSION
        )?;
        if ended == 0 {
            return Err(RECOUNT_SUPERSEDED);
        }
        store::repair_answers(&mut *tx, self.org, &off.answers).await?;
        row::repair_rows(&mut *tx, self.org, &off.rows).await?;
        store::add_totals(&mut *tx, self.org, &off.totals).await?;
        self.record_discrepancies(&off.totals);
        self.record_wrong_days(off.days.into_iter());
        self.record_check(tx, origin).await
    }

    async fn record_check(self, tx: &mut Tx, origin: &ClockRng) -> Result<()> {
        let days_wrong = i64::try_from(self.found.wrong.len()).unwrap_or(i64::MAX);
        if days_wrong > 0 {
            tracing::error!(org = %self.org, days = days_wrong, "a recount found figures that were wrong, and mended them");
        }
        q!(
            &mut *tx,
            execute,
            "INSERT INTO metric_check (org_id, id, at, why, records, days_wrong, what) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.org,
            origin.uuid_v7(),
            origin.now(),
            self.why,
            self.found.records,
            days_wrong,
            Json(&self.found.reported)
        )?;
        let old = "DELETE FROM metric_check WHERE org_id = $1 AND at < $2";
        q!(tx, execute, old, self.org, origin.now() - CHECK_RETENTION)?;
        Ok(())
    }
}

/// Existing records, and deleted ones that left facts.
async fn list_ids_after(conn: &mut dyn AsConn, org: OrgId, kind: EntityKind, after: Uuid) -> Result<Vec<Uuid>> {
    let there = qb!(&mut *conn, fetch_all scalar Uuid, |b| {
        b.push("SELECT id FROM ").push(load::table_name(kind)).push(" WHERE org_id = ").push_bind(org);
        b.push(" AND id > ").push_bind(after).push(" ORDER BY id LIMIT ").push_bind(CHUNK);
    })?;
    let stored = q!(
        conn,
        fetch_all scalar Uuid,
        "SELECT subject_id FROM metric_fact WHERE org_id = $1 AND kind = $2 AND subject_id > $3
         ORDER BY subject_id LIMIT $4",
        org,
        kind,
        after,
        CHUNK
    )?;
    Ok(merge_sorted_ids(&there, &stored, usize::try_from(CHUNK).unwrap_or_default()))
}

/// Merges two sorted lists up to where both are known: a `full` list may continue after its last id.
fn merge_sorted_ids(there: &[Uuid], stored: &[Uuid], full: usize) -> Vec<Uuid> {
    let reached = [there, stored].into_iter().filter(|list| list.len() >= full).filter_map(|list| list.last()).min();
    let all: BTreeSet<Uuid> = there.iter().chain(stored).copied().collect();
    all.into_iter().filter(|id| reached.is_none_or(|last| id <= last)).collect()
}

/// What the last recount of a business has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FiguresCheck {
    pub at: DateTime<Utc>,
    pub why: RecomputeCause,
    /// How many days' figures were not what the records say. They are mended.
    pub days_wrong: i64,
}

pub async fn find_last_check(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<FiguresCheck>> {
    let sql = "SELECT at, why, days_wrong FROM metric_check WHERE org_id = $1 ORDER BY id DESC LIMIT 1";
    Ok(q!(conn, fetch_optional as FiguresCheck, sql, org)?)
}

/// Whether the whole history of a business is counted.
pub async fn is_counted(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM metric_recount WHERE org_id = $1 AND counted_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_id_lists_skip_no_entry() {
        let ids = |numbers: &[u128]| numbers.iter().map(|n| Uuid::from_u128(*n)).collect::<Vec<_>>();
        for (there, stored, wanted) in [
            (&[1, 2, 3][..], &[][..], &[1, 2, 3][..]),
            (&[], &[4], &[4]),
            (&[1, 2], &[2, 9], &[1, 2, 9]),
            // The second list goes on after 3: later ids of the first come with the next round.
            (&[1, 5], &[1, 2, 3], &[1, 2, 3]),
            (&[1, 2, 3], &[2, 5, 7], &[1, 2, 3]),
        ] {
            assert_eq!(merge_sorted_ids(&ids(there), &ids(stored), 3), ids(wanted), "{there:?} {stored:?}");
        }
    }
}
