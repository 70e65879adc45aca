//! Counting everything anew: each record is read and its facts reckoned as if for the first time, then the facts are
//! summed and compared with the days. What differs is mended, and told: where every change settles what it touched,
//! nothing differs.
//!
//! It goes on while the business works. A record is looked at without holding anything, and only one that seems to differ
//! is held and settled. The sums are compared as they stood at one instant; whatever is settled meanwhile moves facts and
//! days alike, so the difference is still the difference when it is added. It is done in pieces, and goes on where it
//! stood when its worker died.

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, types::Json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{fact::Totals, load, measure::Measure, row, rules::VERSION, settle, store};
use crate::{
    domain::tenancy::org,
    platform::{
        clock::Origin,
        db::{AsConn, Tx, q, qb},
        dirty::{Entity, EntityKind},
        error::{Error, Result},
        id::OrgId,
    },
};

mod compare;
mod plan;

pub use compare::{Off, compare};
pub(crate) use plan::{arrived, begin, soon};
pub use plan::{plan, rules_changed};

/// Records that are looked at together.
const CHUNK: i64 = 200;
/// Of what was wrong so much is written down.
const MOST_TOLD: usize = 20;
/// Whoever counts beside another begins anew.
const ENDED: Error = Error::Conflict("Another recount of this business ended meanwhile.");
/// What a recount has found is kept for so long.
const KEEP: Duration = Duration::days(90);

/// Why everything is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = RecountCause)]
pub enum Why {
    /// It never was.
    First,
    /// Nothing should differ.
    Nightly,
    /// The business has moved to another time zone: days begin at other instants.
    Zone,
    /// The program reckons otherwise than the one that counted last.
    Rules,
}

/// A number that was not what the records say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fault {
    day: NaiveDate,
    /// The measure, or a source.
    of: String,
    /// What had to be added.
    off_by: i64,
}

/// How far a recount has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    /// The kind of record it is at, by its place in [`EntityKind::ALL`], and the last one that was looked at.
    kind: usize,
    after: Uuid,
    records: i64,
    wrong: BTreeSet<NaiveDate>,
    told: Vec<Fault>,
}

/// A recount of one business that is under way.
#[derive(Clone, Debug)]
pub struct Recount {
    org: OrgId,
    timezone: String,
    why: Why,
    turn: i64,
    found: Found,
}

#[derive(FromRow)]
struct Row {
    counted_at: Option<DateTime<Utc>>,
    counted_in: String,
    rules: i64,
    turn: i64,
    under_way: Option<String>,
    timezone: String,
}

/// The recount of a business, where it stands; none when there is no such business.
pub async fn open(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Recount>> {
    let row = q!(
        conn,
        fetch_optional as Row,
        "SELECT r.counted_at, r.timezone AS counted_in, r.rules, r.turn, r.under_way, o.timezone
         FROM metric_recount r JOIN org o ON o.id = r.org_id WHERE r.org_id = $1",
        org
    )?;
    let recount = row.map(|row| {
        let why = match row.counted_at {
            None => Why::First,
            Some(_) if row.counted_in != row.timezone => Why::Zone,
            Some(_) if row.rules != VERSION => Why::Rules,
            Some(_) => Why::Nightly,
        };
        // What cannot be read is begun anew.
        let found = row.under_way.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        Recount { org, timezone: row.timezone, why, turn: row.turn, found }
    });
    Ok(recount)
}

impl Recount {
    /// Looks at the next records. Returns those whose facts are not what is stored; none at the end of all.
    pub async fn look(&mut self, conn: &mut dyn AsConn) -> Result<Option<BTreeSet<Entity>>> {
        let zone = org::zone_named(&self.timezone);
        while let Some(kind) = EntityKind::ALL.get(self.found.kind).copied() {
            let ids = ids_after(&mut *conn, self.org, kind, self.found.after).await?;
            let Some(last) = ids.last().copied() else {
                self.found.kind += 1;
                self.found.after = Uuid::nil();
                continue;
            };
            let subjects: BTreeSet<Entity> = ids.iter().map(|id| Entity { kind, id: *id }).collect();
            let mut stored = store::stored(&mut *conn, self.org, kind, &ids).await?;
            let mut true_ones = load::contributions(&mut *conn, self.org, zone, &subjects).await?;
            self.found.after = last;
            self.found.records += i64::try_from(ids.len()).unwrap_or(i64::MAX);
            let differs = |subject: &Entity| {
                stored.remove(subject).unwrap_or_default() != true_ones.remove(subject).unwrap_or_default()
            };
            return Ok(Some(subjects.into_iter().filter(differs).collect()));
        }
        Ok(None)
    }

    /// Holds records that seem to differ, looks once more, and puts right what does. Writes down how far it has come.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub async fn mend(&mut self, tx: &mut Tx, suspects: BTreeSet<Entity>) -> Result<()> {
        // First of all, as `finish` does: of two recounts one waits for the other here, and nowhere else.
        self.save(&mut *tx).await?;
        for subject in suspects {
            tx.mark_dirty(self.org, subject);
        }
        let mut totals = Totals::default();
        for (_, change) in settle(&mut *tx).await? {
            totals.take_away(&change.before);
            totals.add(&change.after);
            let days = change.before.facts().iter().chain(change.after.facts()).map(|fact| fact.day);
            self.note_days(days);
        }
        self.note(&totals.settled());
        self.save(tx).await
    }

    /// Only where nothing should have differed is it a fault that something did.
    fn note_days(&mut self, days: impl Iterator<Item = NaiveDate>) {
        if self.why == Why::Nightly {
            self.found.wrong.extend(days);
        }
    }

    fn note(&mut self, totals: &Totals) {
        if self.why != Why::Nightly {
            return;
        }
        let days = totals.days.iter().flat_map(|(day, sums)| {
            let off = Measure::ALL.into_iter().map(|measure| (measure.name().to_owned(), sums.get(measure)));
            off.filter(|(_, off_by)| *off_by != 0).map(|(of, off_by)| Fault { day: *day, of, off_by })
        });
        let sources = totals.sources.iter().map(|((day, source), of)| {
            let off_by = [of.leads, of.booked, of.won, of.paid_cents].into_iter().find(|off_by| *off_by != 0);
            Fault { day: *day, of: format!("source {source}"), off_by: off_by.unwrap_or_default() }
        });
        let room = MOST_TOLD.saturating_sub(self.found.told.len());
        let faults: Vec<Fault> = days.chain(sources).collect();
        self.found.wrong.extend(faults.iter().map(|fault| fault.day));
        self.found.told.extend(faults.into_iter().take(room));
    }

    /// Writes down how far it has come, for whoever goes on with it.
    ///
    /// # Errors
    /// As for [`Self::finish`].
    pub async fn save(&self, tx: &mut Tx) -> Result<()> {
        let under_way =
            serde_json::to_string(&self.found).map_err(|e| Error::Internal(format!("a recount under way: {e}")))?;
        let sql = "UPDATE metric_recount SET under_way = $3 WHERE org_id = $1 AND turn = $2";
        if q!(tx, execute, sql, self.org, self.turn, under_way)? == 0 { Err(ENDED) } else { Ok(()) }
    }

    /// Adds what the days were off by, and tells what was found.
    ///
    /// # Errors
    /// [`Error::Conflict`] when another recount of this business ended meanwhile: what differed is mended already.
    pub async fn finish(mut self, tx: &mut Tx, origin: &Origin, off: Off) -> Result<()> {
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
            return Err(ENDED);
        }
        store::mend_answers(&mut *tx, self.org, &off.answers).await?;
        row::mend(&mut *tx, self.org, &off.rows).await?;
        store::add(&mut *tx, self.org, &off.totals).await?;
        self.note(&off.totals);
        self.note_days(off.days.into_iter());
        self.tell(tx, origin).await
    }

    async fn tell(self, tx: &mut Tx, origin: &Origin) -> Result<()> {
        let days_wrong = i64::try_from(self.found.wrong.len()).unwrap_or(i64::MAX);
        if days_wrong > 0 {
            tracing::error!(org = %self.org, days = days_wrong, "a recount found figures that were wrong, and mended them");
        }
        q!(
            &mut *tx,
            execute,
            "INSERT INTO metric_check (org_id, id, at, why, records, days_wrong, what) VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.org,
            origin.uuid(),
            origin.now(),
            self.why,
            self.found.records,
            days_wrong,
            Json(&self.found.told)
        )?;
        let old = "DELETE FROM metric_check WHERE org_id = $1 AND at < $2";
        q!(tx, execute, old, self.org, origin.now() - KEEP)?;
        Ok(())
    }
}

/// The next records of a kind, those that are there and those that have left facts behind.
async fn ids_after(conn: &mut dyn AsConn, org: OrgId, kind: EntityKind, after: Uuid) -> Result<Vec<Uuid>> {
    let there = qb!(&mut *conn, fetch_all scalar Uuid, |b| {
        b.push("SELECT id FROM ").push(load::table_of(kind)).push(" WHERE org_id = ").push_bind(org);
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
    Ok(merged(&there, &stored, usize::try_from(CHUNK).unwrap_or_default()))
}

/// Two sorted lists as one, as far as both are known: one that is `full` may go on behind its last.
fn merged(there: &[Uuid], stored: &[Uuid], full: usize) -> Vec<Uuid> {
    let known = [there, stored].into_iter().filter(|list| list.len() >= full).filter_map(|list| list.last()).min();
    let all: BTreeSet<Uuid> = there.iter().chain(stored).copied().collect();
    all.into_iter().filter(|id| known.is_none_or(|last| id <= last)).collect()
}

/// What the last recount of a business has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromRow, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FiguresCheck)]
pub struct Check {
    pub at: DateTime<Utc>,
    pub why: Why,
    /// How many days' figures were not what the records say. They are mended.
    pub days_wrong: i64,
}

/// None while there was none.
pub async fn last_check(conn: &mut dyn AsConn, org: OrgId) -> Result<Option<Check>> {
    let sql = "SELECT at, why, days_wrong FROM metric_check WHERE org_id = $1 ORDER BY id DESC LIMIT 1";
    Ok(q!(conn, fetch_optional as Check, sql, org)?)
}

/// Whether all that a business has ever done is in its figures.
pub async fn is_counted(conn: &mut dyn AsConn, org: OrgId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM metric_recount WHERE org_id = $1 AND counted_at IS NOT NULL)";
    Ok(q!(conn, fetch_one scalar bool, sql, org)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lists_are_walked_together_without_leaving_anybody_out() {
        let ids = |numbers: &[u128]| numbers.iter().map(|n| Uuid::from_u128(*n)).collect::<Vec<_>>();
        for (there, stored, wanted) in [
            (&[1, 2, 3][..], &[][..], &[1, 2, 3][..]),
            (&[], &[4], &[4]),
            (&[1, 2], &[2, 9], &[1, 2, 9]),
            // The second goes on behind 3: what the first has behind it comes with the next round.
            (&[1, 5], &[1, 2, 3], &[1, 2, 3]),
            (&[1, 2, 3], &[2, 5, 7], &[1, 2, 3]),
        ] {
            assert_eq!(merged(&ids(there), &ids(stored), 3), ids(wanted), "{there:?} {stored:?}");
        }
    }
}
