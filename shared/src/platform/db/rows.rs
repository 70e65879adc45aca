//! Rows of any table as they are: read in the order of their key, and written back, on either database. For what moves
//! whole businesses and whole installs; whoever works with one kind of row has a type for it.

use sqlx::{AssertSqlSafe, Row as _, types::Json};

use super::{
    AsConn, ConnRef, Engine, Tx, batch, q,
    statement::{Rows, SqlBuilder, Statement},
};
use crate::platform::{
    error::{Error, Result},
    id::OrgId,
};

mod cell;

pub use cell::Cell;

/// What either database can take in one statement, with room to spare (`SQLite`: 32,766).
const MOST_BOUND: usize = 30_000;
/// Rows of one statement.
const MOST_ROWS: usize = 500;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Id,
    Text,
    Instant,
    Day,
    Whole,
    Flag,
    Bytes,
    Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub holds: Holds,
}

/// A table as the database itself describes it: its columns by name, and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub table: String,
    pub columns: Vec<Column>,
    /// The places of the key's columns among `columns`, in the order of the key.
    key: Vec<usize>,
}

/// One row: its cells in the order of [`Shape::columns`].
pub type Cells = Vec<Cell>;

impl Holds {
    /// By the type's name, as the migrations have it or as PostgreSQL says it.
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "uuid" => Self::Id,
            "text" => Self::Text,
            "timestamptz" | "timestamp with time zone" => Self::Instant,
            "date" => Self::Day,
            "bigint" => Self::Whole,
            "boolean" => Self::Flag,
            "bytea" => Self::Bytes,
            "jsonb" => Self::Json,
            _ => return None,
        })
    }
}

const SQLITE_COLUMNS: &str = "SELECT name, type, pk FROM pragma_table_info($1)";
const POSTGRES_COLUMNS: &str = "
    SELECT a.attname::text, format_type(a.atttypid, NULL)::text, COALESCE((
        SELECT k.place FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (number, place)
        WHERE i.indrelid = a.attrelid AND i.indisprimary AND k.number = a.attnum), 0)
    FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped";

/// Reads how a table looks.
///
/// # Errors
/// [`Error::Internal`] when there is no such table, or it has no key or a column of a kind that no migration has used.
pub async fn shape(conn: &mut dyn AsConn, table: &str) -> Result<Shape> {
    let sql = match engine(conn) {
        Engine::Sqlite => SQLITE_COLUMNS,
        Engine::Postgres => POSTGRES_COLUMNS,
    };
    let mut found = q!(conn, fetch_all as (String, String, i64), sql, table.to_owned())?;
    found.sort();
    let mut key: Vec<(i64, usize)> =
        found.iter().enumerate().filter(|(_, column)| column.2 > 0).map(|(at, column)| (column.2, at)).collect();
    key.sort_unstable();
    if key.is_empty() {
        return Err(Error::Internal(format!("{table} is no table with a key")));
    }
    let column = |(name, kind, _): (String, String, i64)| match Holds::named(&kind) {
        Some(holds) => Ok(Column { name, holds }),
        None => Err(Error::Internal(format!("{table}.{name} holds {kind}, which nobody reads here"))),
    };
    let columns = found.into_iter().map(column).collect::<Result<_>>()?;
    Ok(Shape { table: table.to_owned(), columns, key: key.into_iter().map(|(_, at)| at).collect() })
}

fn engine(conn: &mut dyn AsConn) -> Engine {
    match conn.as_conn() {
        ConnRef::Sqlite(_) => Engine::Sqlite,
        ConnRef::Postgres(_) => Engine::Postgres,
    }
}

impl Shape {
    /// A table for a test.
    #[cfg(test)]
    pub(crate) fn of(table: &str, columns: &[(&str, Holds)], key: &[&str]) -> Self {
        let place = |name: &&str| columns.iter().position(|(column, _)| column == name);
        let key = key.iter().filter_map(place).collect();
        let columns = columns.iter().map(|(name, holds)| Column { name: (*name).to_owned(), holds: *holds });
        Self { table: table.to_owned(), columns: columns.collect(), key }
    }

    /// The same table with these columns only, for rows that say nothing of the others. None when one is not there.
    #[must_use]
    pub fn only(&self, names: &[String]) -> Option<Self> {
        let place = |name: &String| self.columns.iter().position(|column| column.name == *name);
        let places: Vec<usize> = names.iter().map(place).collect::<Option<_>>()?;
        let key = self.key.iter().map(|at| places.iter().position(|place| place == at)).collect::<Option<_>>()?;
        let columns = places.iter().map(|at| self.columns[*at].clone()).collect();
        Some(Self { table: self.table.clone(), columns, key })
    }

    /// The names of its columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// The place of this column.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The table's name among the database's own words.
    fn quoted(&self) -> String {
        format!("\"{}\"", self.table)
    }

    fn list(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        names.join(", ")
    }

    fn key_list(&self) -> String {
        let names: Vec<String> = self.key.iter().map(|at| format!("\"{}\"", self.columns[*at].name)).collect();
        names.join(", ")
    }

    /// Whose rows these are is said by this column.
    pub(crate) fn owner(&self) -> &'static str {
        if self.table == "org" { "id" } else { "org_id" }
    }
}

/// The cells of a row of either driver.
macro_rules! cells {
    ($row:expr, $shape:expr) => {{
        let mut cells = Vec::with_capacity($shape.columns.len());
        for (at, column) in $shape.columns.iter().enumerate() {
            cells.push(match column.holds {
                Holds::Id => Cell::Id($row.try_get(at)?),
                Holds::Text => Cell::Text($row.try_get(at)?),
                Holds::Instant => Cell::Instant($row.try_get(at)?),
                Holds::Day => Cell::Day($row.try_get(at)?),
                Holds::Whole => Cell::Whole($row.try_get(at)?),
                Holds::Flag => Cell::Flag($row.try_get(at)?),
                Holds::Bytes => Cell::Bytes($row.try_get(at)?),
                Holds::Json => {
                    let json: Option<Json<serde_json::Value>> = $row.try_get(at)?;
                    Cell::Json(json.map(|json| json.0))
                }
            });
        }
        cells
    }};
}

/// Pushes the text that reads the next rows; the same for both drivers.
macro_rules! push_page {
    ($b:ident, $shape:expr, $of:expr, $after:expr, $limit:expr) => {
        $b.push("SELECT ").push($shape.list()).push(" FROM ").push($shape.quoted()).push(" WHERE TRUE");
        if let Some(org) = $of {
            $b.push(" AND ").push($shape.owner()).push(" = ").push_bind(org);
        }
        if let Some(last) = $after {
            $b.push(" AND (").push($shape.key_list()).push(") > (");
            for (n, at) in $shape.key.iter().enumerate() {
                if n > 0 {
                    $b.push(", ");
                }
                match last[*at].clone() {
                    Cell::Id(id) => $b.push_bind(id),
                    Cell::Text(text) => $b.push_bind(text),
                    Cell::Instant(at) => $b.push_bind(at),
                    Cell::Day(day) => $b.push_bind(day),
                    Cell::Whole(number) => $b.push_bind(number),
                    Cell::Flag(flag) => $b.push_bind(flag),
                    Cell::Bytes(bytes) => $b.push_bind(bytes),
                    Cell::Json(json) => $b.push_bind(json.map(Json)),
                };
            }
            $b.push(")");
        }
        $b.push(" ORDER BY ").push($shape.key_list()).push(" LIMIT ").push_bind($limit);
    };
}

/// The rows of one business that fit a condition of the program's own, in which `$2` is `of`.
pub async fn matching(
    conn: &mut dyn AsConn,
    shape: &Shape,
    condition: &'static str,
    (org, of): (OrgId, uuid::Uuid),
    limit: i64,
) -> Result<Vec<Cells>> {
    let (list, table, key) = (shape.list(), shape.quoted(), shape.key_list());
    let sql = format!("SELECT {list} FROM {table} WHERE org_id = $1 AND ({condition}) ORDER BY {key} LIMIT $3");
    let conn = conn.as_conn();
    let statement = Statement::new(&conn, AssertSqlSafe(sql), &[&org, &of, &limit]);
    read(statement.fetch_all(conn).await?, shape)
}

/// The next `limit` rows after `after` (none: the first ones) of a table: of one business, or of all.
pub async fn page(
    conn: &mut dyn AsConn,
    shape: &Shape,
    of: Option<OrgId>,
    after: Option<&[Cell]>,
    limit: i64,
) -> Result<Vec<Cells>> {
    let conn = conn.as_conn();
    let mut b = SqlBuilder::new(&conn);
    push_page!(b, shape, of, after, limit);
    read(b.into_statement().fetch_all(conn).await?, shape)
}

fn read(rows: Rows, shape: &Shape) -> Result<Vec<Cells>> {
    let mut page = Vec::new();
    match rows {
        Rows::Sqlite(rows) => {
            for row in rows {
                page.push(cells!(row, shape));
            }
        }
        Rows::Postgres(rows) => {
            for row in rows {
                page.push(cells!(row, shape));
            }
        }
    }
    Ok(page)
}

/// Writes rows as they are, parents before children. Nothing else happens: no event, no figure, no task.
pub async fn write(tx: &mut Tx, shape: &Shape, rows: Vec<Cells>) -> Result<()> {
    let most = (MOST_BOUND / shape.columns.len().max(1)).clamp(1, MOST_ROWS);
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(most).map(|cells| cells.into_iter().map(Cell::bound).collect());
        let insert = batch::Insert::into_named(format!("{} ({})", shape.quoted(), shape.list())).rows(some);
        batch::insert(tx, &insert).await?;
    }
    Ok(())
}

/// Removes all rows of one business from a table. Returns how many they were.
pub async fn remove(tx: &mut Tx, shape: &Shape, of: OrgId) -> Result<u64> {
    Ok(super::qb!(tx, execute, |b| {
        b.push("DELETE FROM ").push(shape.quoted()).push(" WHERE ").push(shape.owner()).push(" = ").push_bind(of);
    })?)
}

/// How many rows a table has: of one business, or of all.
pub async fn count(conn: &mut dyn AsConn, shape: &Shape, of: Option<OrgId>) -> Result<i64> {
    Ok(super::qb!(conn, fetch_one scalar i64, |b| {
        b.push("SELECT COUNT(*) FROM ").push(shape.quoted()).push(" WHERE TRUE");
        if let Some(org) = of {
            b.push(" AND ").push(shape.owner()).push(" = ").push_bind(org);
        }
    })?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        let columns = [("body", Holds::Text), ("id", Holds::Id), ("org_id", Holds::Id)];
        Shape::of("lead", &columns, &["org_id", "id"])
    }

    #[test]
    fn a_narrower_shape_keeps_its_key_and_one_without_its_key_is_none() {
        let names = ["id", "org_id"].map(str::to_owned);
        let narrow = shape().only(&names).unwrap();
        assert_eq!((narrow.list().as_str(), narrow.key_list().as_str()), ("\"id\", \"org_id\"", "\"org_id\", \"id\""));
        assert_eq!(shape().only(&["body".to_owned()]), None, "rows without a key cannot be told apart");
        assert_eq!(shape().only(&["id", "org_id", "colour"].map(str::to_owned)), None);
    }

    #[test]
    fn every_type_of_the_migrations_is_known_by_both_names() {
        for (ours, theirs) in [
            ("UUID", "uuid"),
            ("TEXT", "text"),
            ("TIMESTAMPTZ", "timestamp with time zone"),
            ("DATE", "date"),
            ("BIGINT", "bigint"),
            ("BOOLEAN", "boolean"),
            ("BYTEA", "bytea"),
            ("JSONB", "jsonb"),
        ] {
            assert!(Holds::named(ours).is_some() && Holds::named(ours) == Holds::named(theirs), "{ours}");
        }
        assert_eq!(Holds::named("DOUBLE PRECISION"), None);
    }
}
