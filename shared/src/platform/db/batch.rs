//! Rows for several tables in one round trip: what an event leaves behind goes to the database together.
//!
//! `SQLite` runs the statements one after the other, PostgreSQL as one statement whose parts are common table
//! expressions (its foreign keys are checked at the end of the statement). Both run inside the open transaction.

use std::{borrow::Cow, fmt::Write as _};

use sqlx::AssertSqlSafe;

use super::{
    AsConn, ConnRef, Tx,
    statement::{Bind, Statement},
};
use crate::platform::{dirty::Invalidation, error::Result, id::OrgId};

/// One value of a row.
pub type Value<'a> = Box<dyn Bind<'a> + 'a>;

/// A row's values, in the order of its columns: `values![org, id, now]`.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::platform::db::batch::Value<'_>),*] };
}
pub use crate::values;

/// Rows for one table.
#[must_use = "rows are written by `insert_all`"]
pub struct Insert<'a> {
    /// `table (column, …)`
    into: Cow<'static, str>,
    rows: Vec<Vec<Value<'a>>>,
    clash: Option<Clash>,
    /// Whose rows these are, where they say so.
    of: Option<OrgId>,
    /// Records that change with these rows.
    dirty: Vec<(OrgId, Invalidation)>,
}

/// What becomes of a row whose key is already there.
#[derive(Clone, Copy)]
enum Clash {
    /// It is left out.
    Stays { key: &'static str },
    /// These columns of it are added to what stands there.
    Adds { key: &'static str, columns: &'static [&'static str] },
    /// These columns of it take the place of what stands there.
    Replaces { key: &'static str, columns: &'static [&'static str] },
}

impl<'a> Insert<'a> {
    /// `into` is the table and its columns: `"photo (org_id, id, …)"`.
    pub fn into(into: &'static str) -> Self {
        Self { into: into.into(), rows: Vec::new(), clash: None, of: None, dirty: Vec::new() }
    }

    /// The same for a table whose columns the database named.
    pub(super) fn into_named(into: String) -> Self {
        Self { into: into.into(), rows: Vec::new(), clash: None, of: None, dirty: Vec::new() }
    }

    pub fn row(mut self, values: Vec<Value<'a>>) -> Self {
        self.rows.push(values);
        self
    }

    pub fn rows(mut self, rows: impl IntoIterator<Item = Vec<Value<'a>>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// Leaves out a row whose `columns` are already there.
    pub fn unless_there(self, key: &'static str) -> Self {
        Self { clash: Some(Clash::Stays { key }), ..self }
    }

    /// Adds `columns` to those of a row whose `key` is already there.
    pub fn adding(self, key: &'static str, columns: &'static [&'static str]) -> Self {
        Self { clash: Some(Clash::Adds { key, columns }), ..self }
    }

    /// Puts `columns` in the place of those of a row whose `key` is already there.
    pub fn replacing(self, key: &'static str, columns: &'static [&'static str]) -> Self {
        Self { clash: Some(Clash::Replaces { key, columns }), ..self }
    }

    /// Notes on the transaction that writes the rows whose they are.
    pub fn of(self, org: OrgId) -> Self {
        Self { of: Some(org), ..self }
    }

    /// Notes on the transaction that writes the rows which records change with them.
    pub fn marking_dirty(mut self, org: OrgId, what: impl IntoIterator<Item = Invalidation>) -> Self {
        self.of = Some(org);
        self.dirty.extend(what.into_iter().map(|one| (org, one)));
        self
    }

    fn write(&self, sql: &mut String, bound: &mut usize) {
        let _ = write!(sql, "INSERT INTO {} VALUES ", self.into);
        for (i, row) in self.rows.iter().enumerate() {
            sql.push_str(if i == 0 { "(" } else { ", (" });
            for column in 0..row.len() {
                *bound += 1;
                let _ = write!(sql, "{}${bound}", if column == 0 { "" } else { ", " });
            }
            sql.push(')');
        }
        if let Some(clash) = self.clash {
            self.write_clash(sql, clash);
        }
    }

    fn write_clash(&self, sql: &mut String, clash: Clash) {
        let table = self.into.split(' ').next().unwrap_or_default();
        let (key, columns) = match clash {
            Clash::Stays { key } => {
                let _ = write!(sql, " ON CONFLICT ({key}) DO NOTHING");
                return;
            }
            Clash::Adds { key, columns } | Clash::Replaces { key, columns } => (key, columns),
        };
        let _ = write!(sql, " ON CONFLICT ({key}) DO UPDATE SET ");
        for (n, column) in columns.iter().enumerate() {
            let before = if n == 0 { "" } else { ", " };
            let _ = match clash {
                Clash::Adds { .. } => write!(sql, "{before}{column} = {table}.{column} + excluded.{column}"),
                _ => write!(sql, "{before}{column} = excluded.{column}"),
            };
        }
    }
}

/// Writes all rows, parents before children. Tables without rows are passed over.
pub async fn insert_all(tx: &mut Tx, inserts: &[Insert<'_>]) -> Result<()> {
    let some: Vec<&Insert<'_>> = inserts.iter().filter(|insert| !insert.rows.is_empty()).collect();
    if !some.is_empty() {
        run(tx, &some).await?;
    }
    Ok(())
}

/// Writes rows of one table. Returns how many were not there.
pub async fn insert(tx: &mut Tx, insert: &Insert<'_>) -> Result<u64> {
    if insert.rows.is_empty() { Ok(0) } else { run(tx, &[insert]).await }
}

/// The count is that of the last table.
async fn run(tx: &mut Tx, some: &[&Insert<'_>]) -> Result<u64> {
    for org in some.iter().filter_map(|insert| insert.of) {
        tx.guard_writable(org);
    }
    for (org, what) in some.iter().flat_map(|insert| &insert.dirty) {
        tx.mark_dirty(*org, *what);
    }
    let conn = tx.as_conn();
    let sql = match conn {
        ConnRef::Sqlite(_) => one_after_the_other(some),
        ConnRef::Postgres(_) => all_in_one(some),
    };
    let values: Vec<&dyn Bind<'_>> =
        some.iter().flat_map(|insert| insert.rows.iter().flatten()).map(|value| &**value).collect();
    let statement = Statement::new(&conn, AssertSqlSafe(sql), &values);
    drop(values);
    Ok(statement.execute(conn).await?)
}

fn one_after_the_other(inserts: &[&Insert<'_>]) -> String {
    let (mut sql, mut bound) = (String::with_capacity(1024), 0);
    for insert in inserts {
        insert.write(&mut sql, &mut bound);
        sql.push_str(";\n");
    }
    sql
}

fn all_in_one(inserts: &[&Insert<'_>]) -> String {
    let (mut sql, mut bound) = (String::with_capacity(1024), 0);
    for (i, insert) in inserts[..inserts.len() - 1].iter().enumerate() {
        let _ = write!(sql, "{} part_{i} AS (", if i == 0 { "WITH" } else { "," });
        insert.write(&mut sql, &mut bound);
        sql.push(')');
    }
    sql.push(' ');
    inserts[inserts.len() - 1].write(&mut sql, &mut bound);
    sql
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> [Insert<'static>; 2] {
        [
            Insert::into("a (x, y)").row(values![1_i64, "one"]).row(values![2_i64, "two"]),
            Insert::into("b (z)").row(values![true]).unless_there("z"),
        ]
    }

    #[test]
    fn parameters_are_counted_through_all_statements() {
        let inserts = two();
        let sql = one_after_the_other(&inserts.iter().collect::<Vec<_>>());
        assert_eq!(
            sql,
            "INSERT INTO a (x, y) VALUES ($1, $2), ($3, $4);\nINSERT INTO b (z) VALUES ($5) ON CONFLICT (z) DO NOTHING;\n"
        );
    }

    #[test]
    fn a_row_that_is_there_is_added_to_or_replaced() {
        let sums = Insert::into("a (x, y, z)").row(values![1_i64, 2_i64, 3_i64]);
        let written = |insert: Insert<'_>| one_after_the_other(&[&insert]);
        assert_eq!(
            written(sums.adding("x", &["y", "z"])),
            "INSERT INTO a (x, y, z) VALUES ($1, $2, $3) ON CONFLICT (x) DO UPDATE SET y = a.y + excluded.y, z = a.z + excluded.z;\n"
        );
        let whole = Insert::into("b (x, y)").row(values![1_i64, 2_i64]);
        assert_eq!(
            written(whole.replacing("x", &["y"])),
            "INSERT INTO b (x, y) VALUES ($1, $2) ON CONFLICT (x) DO UPDATE SET y = excluded.y;\n"
        );
    }

    #[test]
    fn postgresql_gets_one_statement() {
        let inserts = two();
        let sql = all_in_one(&inserts.iter().collect::<Vec<_>>());
        assert_eq!(
            sql,
            "WITH part_0 AS (INSERT INTO a (x, y) VALUES ($1, $2), ($3, $4)) INSERT INTO b (z) VALUES ($5) ON CONFLICT (z) DO NOTHING"
        );
    }
}
