//! Batched inserts: rows for several tables in one round trip.
//!
//! `SQLite` runs the statements one by one; PostgreSQL runs one statement of common table expressions (its foreign keys
//! are checked at the end of the statement). Both run inside the open transaction.

use std::{borrow::Cow, fmt::Write as _};

use sqlx::AssertSqlSafe;

use super::{
    AsConn, ConnRef, Tx,
    statement::{Bind, SqlBuilder, Statement},
};
use crate::{dirty::Invalidation, error::Result, id::OrgId};

pub type SqlValue<'a> = Box<dyn Bind<'a> + 'a>;

/// A row in column order: `values![org, id, now]`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::db::batch::SqlValue<'_>),*] };
}
pub use crate::values;

#[must_use = "rows are written by `insert_all`"]
pub struct Insert<'a> {
    /// `table (column, …)`
    into: Cow<'static, str>,
    rows: Vec<Vec<SqlValue<'a>>>,
    clash: Option<OnConflict>,
    of: Option<OrgId>,
    dirty: Vec<(OrgId, Invalidation)>,
}

#[derive(PartialEq, Eq)]
enum OnConflict {
    DoNothing { key: &'static str },
    Add { key: &'static str, columns: Vec<&'static str> },
    Replace { key: &'static str, columns: Vec<&'static str> },
}

impl<'a> Insert<'a> {
    /// `into` is the table and its columns: `"photo (org_id, id, …)"`.
    pub fn into(into: &'static str) -> Self {
        Self { into: into.into(), rows: Vec::new(), clash: None, of: None, dirty: Vec::new() }
    }

    /// For tables whose columns are known at run time only.
    pub fn into_dynamic_table(into: String) -> Self {
        Self { into: into.into(), rows: Vec::new(), clash: None, of: None, dirty: Vec::new() }
    }

    pub fn with_row(mut self, values: Vec<SqlValue<'a>>) -> Self {
        self.rows.push(values);
        self
    }

    pub fn with_rows(mut self, rows: impl IntoIterator<Item = Vec<SqlValue<'a>>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// Skips a row whose `key` exists.
    pub fn on_conflict_do_nothing(self, key: &'static str) -> Self {
        Self { clash: Some(OnConflict::DoNothing { key }), ..self }
    }

    /// Adds `columns` to the existing row when `key` exists.
    pub fn on_conflict_add(self, key: &'static str, columns: &[&'static str]) -> Self {
        Self { clash: Some(OnConflict::Add { key, columns: columns.to_vec() }), ..self }
    }

    /// Replaces `columns` of the existing row when `key` exists.
    pub fn on_conflict_replace(self, key: &'static str, columns: &[&'static str]) -> Self {
        Self { clash: Some(OnConflict::Replace { key, columns: columns.to_vec() }), ..self }
    }

    /// Whether it writes as many rows as `other` with the same text.
    fn has_shape_of(&self, other: &Self) -> bool {
        self.into == other.into && self.rows.len() == other.rows.len() && self.clash == other.clash
    }

    /// Adds the rows of an insert with the same text.
    fn with_rows_of(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self.of = self.of.or(other.of);
        self.dirty.extend(other.dirty);
        self
    }

    /// Declares the org as changed on the writing transaction.
    pub fn for_org(self, org: OrgId) -> Self {
        Self { of: Some(org), ..self }
    }

    pub fn marking_dirty(mut self, org: OrgId, what: impl IntoIterator<Item = Invalidation>) -> Self {
        self.of = Some(org);
        self.dirty.extend(what.into_iter().map(|one| (org, one)));
        self
    }

    /// Writes the rows into a composed text, for a clause that an `Insert` has not, without the conflict clause. The org
    /// is not declared as changed.
    pub fn push_to(&self, b: &mut SqlBuilder) {
        b.push("INSERT INTO ").push(&self.into).push(" ");
        b.push_values(&self.rows, |mut row, values| {
            for value in values {
                row.push_value(&**value);
            }
        });
    }

    fn write_sql(&self, sql: &mut String, bound: &mut usize) {
        let _ = write!(sql, "INSERT INTO {} VALUES ", self.into);
        for (i, row) in self.rows.iter().enumerate() {
            sql.push_str(if i == 0 { "(" } else { ", (" });
            for column in 0..row.len() {
                *bound += 1;
                let _ = write!(sql, "{}${bound}", if column == 0 { "" } else { ", " });
            }
            sql.push(')');
        }
        if let Some(clash) = &self.clash {
            self.write_on_conflict(sql, clash);
        }
    }

    fn write_on_conflict(&self, sql: &mut String, clash: &OnConflict) {
        let table = self.into.split(' ').next().unwrap_or_default();
        let (key, columns) = match clash {
            OnConflict::DoNothing { key } => {
                let _ = write!(sql, " ON CONFLICT ({key}) DO NOTHING");
                return;
            }
            OnConflict::Add { key, columns } | OnConflict::Replace { key, columns } => (key, columns),
        };
        let _ = write!(sql, " ON CONFLICT ({key}) DO UPDATE SET ");
        for (n, column) in columns.iter().enumerate() {
            let before = if n == 0 { "" } else { ", " };
            let _ = match clash {
                OnConflict::Add { .. } => write!(sql, "{before}{column} = {table}.{column} + excluded.{column}"),
                _ => write!(sql, "{before}{column} = excluded.{column}"),
            };
        }
    }
}

/// Writes in order, so parents must precede children. Inserts without rows are skipped.
pub async fn insert_all(tx: &mut Tx, inserts: &[Insert<'_>]) -> Result<()> {
    let some: Vec<&Insert<'_>> = inserts.iter().filter(|insert| !insert.rows.is_empty()).collect();
    if !some.is_empty() {
        execute_inserts(tx, &some).await?;
    }
    Ok(())
}

/// Most lists of one shape that share a statement.
const MERGED_LISTS: usize = 8;

/// Writes several lists of inserts, such as those of several requests: lists that differ in their values alone share a
/// statement. A statement takes 8, 4, 2 or 1 of them, so that its text comes again and finds its plan.
pub async fn insert_lists(tx: &mut Tx, lists: Vec<Vec<Insert<'_>>>) -> Result<()> {
    for mut rest in group_by_shape(lists) {
        while !rest.is_empty() {
            let later = rest.split_off(merged_count(rest.len()));
            let some = std::mem::replace(&mut rest, later);
            insert_all(&mut *tx, &merge_lists(some)).await?;
        }
    }
    Ok(())
}

/// The largest power of two within `waiting` and the limit.
fn merged_count(waiting: usize) -> usize {
    let most = waiting.clamp(1, MERGED_LISTS);
    1 << most.ilog2()
}

fn group_by_shape<'a>(lists: Vec<Vec<Insert<'a>>>) -> Vec<Vec<Vec<Insert<'a>>>> {
    let mut groups: Vec<Vec<Vec<Insert<'a>>>> = Vec::new();
    for list in lists {
        match groups.iter().position(|group| have_one_shape(&group[0], &list)) {
            Some(place) => groups[place].push(list),
            None => groups.push(vec![list]),
        }
    }
    groups
}

fn have_one_shape<'a>(list: &[Insert<'a>], other: &[Insert<'a>]) -> bool {
    list.len() == other.len() && list.iter().zip(other).all(|(one, other)| one.has_shape_of(other))
}

/// Place by place, so that parents still precede children.
fn merge_lists(lists: Vec<Vec<Insert<'_>>>) -> Vec<Insert<'_>> {
    let mut lists = lists.into_iter();
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |merged, list| merged.into_iter().zip(list).map(|(to, from)| to.with_rows_of(from)).collect())
}

/// Returns the number of new rows.
pub async fn insert_rows(tx: &mut Tx, insert: &Insert<'_>) -> Result<u64> {
    if insert.rows.is_empty() { Ok(0) } else { execute_inserts(tx, &[insert]).await }
}

/// The count is that of the last table on `SQLite`, of the first on PostgreSQL.
async fn execute_inserts(tx: &mut Tx, some: &[&Insert<'_>]) -> Result<u64> {
    for org in some.iter().filter_map(|insert| insert.of) {
        tx.guard_writable(org);
    }
    for (org, what) in some.iter().flat_map(|insert| &insert.dirty) {
        tx.mark_dirty(*org, *what);
    }
    let conn = tx.as_conn();
    let sql = match conn {
        ConnRef::Sqlite(_) => build_separate_statements(some),
        ConnRef::Postgres(_) => build_single_statement(some),
    };
    let values: Vec<&dyn Bind<'_>> =
        some.iter().flat_map(|insert| insert.rows.iter().flatten()).map(|value| &**value).collect();
    let statement = Statement::new(&conn, AssertSqlSafe(sql), &values);
    drop(values);
    Ok(statement.execute(conn).await?)
}

fn build_separate_statements(inserts: &[&Insert<'_>]) -> String {
    let (mut sql, mut bound) = (String::with_capacity(1024), 0);
    for insert in inserts {
        insert.write_sql(&mut sql, &mut bound);
        sql.push_str(";\n");
    }
    sql
}

/// PostgreSQL runs the statement's own insert first, then its common table expressions from the last to the first (no
/// promise of the documentation, but of every supported version). Listed backwards, the rows are locked in the order of
/// `inserts`; another order would make a deadlock possible, which the server ends.
fn build_single_statement(inserts: &[&Insert<'_>]) -> String {
    let mut bound = 0;
    let written = inserts.iter().map(|insert| {
        let mut sql = String::with_capacity(512);
        insert.write_sql(&mut sql, &mut bound);
        sql
    });
    let mut written: Vec<String> = written.collect();
    let own = written.remove(0);
    let mut sql = String::with_capacity(1024);
    for (i, part) in written.iter().rev().enumerate() {
        let _ = write!(sql, "{} part_{i} AS ({part})", if i == 0 { "WITH" } else { "," });
    }
    sql.push(' ');
    sql.push_str(&own);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{batch_row, batch_rows};

    fn two() -> [Insert<'static>; 2] {
        [
            Insert::into("a (x, y)").with_row(values![1_i64, "one"]).with_row(values![2_i64, "two"]),
            Insert::into("b (z)").with_row(values![true]).on_conflict_do_nothing("z"),
        ]
    }

    #[test]
    fn parameters_are_numbered_across_all_statements() {
        let inserts = two();
        let sql = build_separate_statements(&inserts.iter().collect::<Vec<_>>());
        assert_eq!(
            sql,
            "INSERT INTO a (x, y) VALUES ($1, $2), ($3, $4);\nINSERT INTO b (z) VALUES ($5) ON CONFLICT (z) DO NOTHING;\n"
        );
    }

    #[test]
    fn conflicting_row_is_added_to_or_replaced() {
        let sums = Insert::into("a (x, y, z)").with_row(values![1_i64, 2_i64, 3_i64]);
        let written = |insert: Insert<'_>| build_separate_statements(&[&insert]);
        assert_eq!(
            written(sums.on_conflict_add("x", &["y", "z"])),
            "INSERT INTO a (x, y, z) VALUES ($1, $2, $3) ON CONFLICT (x) DO UPDATE SET y = a.y + excluded.y, z = a.z + excluded.z;\n"
        );
        let whole = Insert::into("b (x, y)").with_row(values![1_i64, 2_i64]);
        assert_eq!(
            written(whole.on_conflict_replace("x", &["y"])),
            "INSERT INTO b (x, y) VALUES ($1, $2) ON CONFLICT (x) DO UPDATE SET y = excluded.y;\n"
        );
    }

    #[test]
    fn lists_of_one_shape_are_merged_place_by_place() {
        let lone = || vec![Insert::into("b (z)").with_row(values![false])];
        let groups = group_by_shape(vec![two().into(), lone(), two().into(), lone(), two().into()]);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
        let merged: Vec<Insert<'_>> = groups.into_iter().flat_map(merge_lists).collect();
        assert_eq!(
            build_separate_statements(&merged.iter().collect::<Vec<_>>()),
            "INSERT INTO a (x, y) VALUES ($1, $2), ($3, $4), ($5, $6), ($7, $8), ($9, $10), ($11, $12);\n\
             INSERT INTO b (z) VALUES ($13), ($14), ($15) ON CONFLICT (z) DO NOTHING;\n\
             INSERT INTO b (z) VALUES ($16), ($17);\n"
        );
        assert_eq!([1, 2, 3, 7, 8, 20].map(merged_count), [1, 2, 2, 4, 8, 8]);
    }

    #[test]
    fn named_columns_and_values_keep_their_order() {
        let y = "one";
        let row = batch_row!(a { x: 1_i64, y });
        let rows = batch_rows!([(2_i64, true), (3, false)].into_iter(), |(x, z)| b { x, z });
        assert_eq!(
            build_separate_statements(&[&row, &rows]),
            "INSERT INTO a (x, y) VALUES ($1, $2);\nINSERT INTO b (x, z) VALUES ($3, $4), ($5, $6);\n"
        );
    }

    #[test]
    fn all_in_one_builds_a_single_statement_that_runs_in_order() {
        let inserts = two();
        let sql = build_single_statement(&inserts.iter().collect::<Vec<_>>());
        assert_eq!(
            sql,
            "WITH part_0 AS (INSERT INTO b (z) VALUES ($5) ON CONFLICT (z) DO NOTHING) INSERT INTO a (x, y) VALUES ($1, $2), ($3, $4)"
        );
    }
}
