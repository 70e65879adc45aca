//! Generic rows of any table, read in key order and written back on either engine. For moving whole businesses and
//! installs; other code has typed rows.

use sqlx::{AssertSqlSafe, Row as _, types::Json};

use super::{
    AsConn, ConnRef, Engine, Tx, batch, q,
    statement::{DbRows, SqlBuilder, Statement},
};
use crate::{
    error::{Error, Result},
    id::OrgId,
};

mod cell;

pub use cell::Cell;

/// Bound values per statement, below the engines' limits (`SQLite`: 32,766).
const MAX_BOUND: usize = 30_000;
const MAX_ROWS: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
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
pub struct DbColumn {
    pub name: String,
    pub holds: ColumnType,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableShape {
    pub table: String,
    pub columns: Vec<DbColumn>,
    /// Indexes of the key's columns in `columns`, in key order.
    key: Vec<usize>,
}

pub type RowCells = Vec<Cell>;

impl ColumnType {
    /// Type name as in the migrations or as reported by PostgreSQL.
    fn from_sql_type(name: &str) -> Option<Self> {
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

/// Errors: [`Error::Internal`] when the table is missing, has no key, or has a column type no migration uses.
pub async fn load_table_shape(conn: &mut dyn AsConn, table: &str) -> Result<TableShape> {
    let sql = match engine_of(conn) {
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
    let column = |(name, kind, _): (String, String, i64)| match ColumnType::from_sql_type(&kind) {
        Some(holds) => Ok(DbColumn { name, holds }),
        None => Err(Error::Internal(format!("{table}.{name} holds {kind}, which is not read here"))),
    };
    let columns = found.into_iter().map(column).collect::<Result<_>>()?;
    Ok(TableShape { table: table.to_owned(), columns, key: key.into_iter().map(|(_, at)| at).collect() })
}

fn engine_of(conn: &mut dyn AsConn) -> Engine {
    match conn.as_conn() {
        ConnRef::Sqlite(_) => Engine::Sqlite,
        ConnRef::Postgres(_) => Engine::Postgres,
    }
}

impl TableShape {
    /// For tests: other shapes are read from the database.
    #[must_use]
    pub fn for_tests(table: &str, columns: &[(&str, ColumnType)], key: &[&str]) -> Self {
        let place = |name: &&str| columns.iter().position(|(column, _)| column == name);
        let key = key.iter().filter_map(place).collect();
        let columns = columns.iter().map(|(name, holds)| DbColumn { name: (*name).to_owned(), holds: *holds });
        Self { table: table.to_owned(), columns: columns.collect(), key }
    }

    #[must_use]
    pub fn select_columns(&self, names: &[String]) -> Option<Self> {
        let place = |name: &String| self.columns.iter().position(|column| column.name == *name);
        let places: Vec<usize> = names.iter().map(place).collect::<Option<_>>()?;
        let key = self.key.iter().map(|at| places.iter().position(|place| place == at)).collect::<Option<_>>()?;
        let columns = places.iter().map(|at| self.columns[*at].clone()).collect();
        Some(Self { table: self.table.clone(), columns, key })
    }

    /// The same columns, called otherwise.
    #[must_use]
    pub fn rename_columns(mut self, name: impl Fn(&str) -> String) -> Self {
        for column in &mut self.columns {
            column.name = name(&column.name);
        }
        self
    }

    #[must_use]
    pub fn column_names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    #[must_use]
    pub fn column_index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

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

    #[must_use]
    pub fn owner(&self) -> &'static str {
        if self.table == "org" { "id" } else { "org_id" }
    }
}

macro_rules! cells {
    ($row:expr, $shape:expr) => {{
        let mut cells = Vec::with_capacity($shape.columns.len());
        for (at, column) in $shape.columns.iter().enumerate() {
            cells.push(match column.holds {
                ColumnType::Id => Cell::Id($row.try_get(at)?),
                ColumnType::Text => Cell::Text($row.try_get(at)?),
                ColumnType::Instant => Cell::Instant($row.try_get(at)?),
                ColumnType::Day => Cell::Day($row.try_get(at)?),
                ColumnType::Whole => Cell::Whole($row.try_get(at)?),
                ColumnType::Flag => Cell::Flag($row.try_get(at)?),
                ColumnType::Bytes => Cell::Bytes($row.try_get(at)?),
                ColumnType::Json => {
                    let json: Option<Json<serde_json::Value>> = $row.try_get(at)?;
                    Cell::Json(json.map(|json| json.0))
                }
            });
        }
        cells
    }};
}

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

/// Rows of one business matching a fixed condition, in which `$2` is `for_tests`.
pub async fn load_matching(
    conn: &mut dyn AsConn,
    shape: &TableShape,
    condition: &'static str,
    (org, of): (OrgId, uuid::Uuid),
    limit: i64,
) -> Result<Vec<RowCells>> {
    let sql = matching_sql(shape, condition);
    let conn = conn.as_conn();
    let statement = Statement::new(&conn, AssertSqlSafe(sql), &[&org, &of, &limit]);
    decode_rows(statement.fetch_all(conn).await?, shape)
}

/// As [`load_matching`], where `$2` is a text.
pub async fn load_matching_text(
    conn: &mut dyn AsConn,
    shape: &TableShape,
    condition: &'static str,
    (org, of): (OrgId, &str),
    limit: i64,
) -> Result<Vec<RowCells>> {
    let sql = matching_sql(shape, condition);
    let conn = conn.as_conn();
    let statement = Statement::new(&conn, AssertSqlSafe(sql), &[&org, &of, &limit]);
    decode_rows(statement.fetch_all(conn).await?, shape)
}

fn matching_sql(shape: &TableShape, condition: &'static str) -> String {
    let (list, table, key) = (shape.list(), shape.quoted(), shape.key_list());
    format!("SELECT {list} FROM {table} WHERE org_id = $1 AND ({condition}) ORDER BY {key} LIMIT $3")
}

/// The next `limit` rows after `after` (none: from the start), of one business or of all.
pub async fn load_page(
    conn: &mut dyn AsConn,
    shape: &TableShape,
    of: Option<OrgId>,
    after: Option<&[Cell]>,
    limit: i64,
) -> Result<Vec<RowCells>> {
    let conn = conn.as_conn();
    let mut b = SqlBuilder::new(&conn);
    push_page!(b, shape, of, after, limit);
    decode_rows(b.into_statement().fetch_all(conn).await?, shape)
}

fn decode_rows(rows: DbRows, shape: &TableShape) -> Result<Vec<RowCells>> {
    let mut page = Vec::new();
    match rows {
        DbRows::Sqlite(rows) => {
            for row in rows {
                page.push(cells!(row, shape));
            }
        }
        DbRows::Postgres(rows) => {
            for row in rows {
                page.push(cells!(row, shape));
            }
        }
    }
    Ok(page)
}

/// Writes rows without events, figures or tasks. Parents must precede children.
pub async fn write_rows(tx: &mut Tx, shape: &TableShape, rows: Vec<RowCells>) -> Result<()> {
    let most = (MAX_BOUND / shape.columns.len().max(1)).clamp(1, MAX_ROWS);
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some = rows.by_ref().take(most).map(|cells| cells.into_iter().map(Cell::into_bind_value).collect());
        let insert =
            batch::Insert::into_dynamic_table(format!("{} ({})", shape.quoted(), shape.list())).with_rows(some);
        batch::insert_rows(tx, &insert).await?;
    }
    Ok(())
}

pub async fn delete_by_org(tx: &mut Tx, shape: &TableShape, of: OrgId) -> Result<u64> {
    Ok(super::qb!(tx, execute, |b| {
        b.push("DELETE FROM ").push(shape.quoted()).push(" WHERE ").push(shape.owner()).push(" = ").push_bind(of);
    })?)
}

/// Of one business, or of all.
pub async fn count_rows(conn: &mut dyn AsConn, shape: &TableShape, of: Option<OrgId>) -> Result<i64> {
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

    fn shape() -> TableShape {
        let columns = [("body", ColumnType::Text), ("id", ColumnType::Id), ("org_id", ColumnType::Id)];
        TableShape::for_tests("lead", &columns, &["org_id", "id"])
    }

    #[test]
    fn narrowed_shape_keeps_its_key_and_is_none_without_it() {
        let names = ["id", "org_id"].map(str::to_owned);
        let narrow = shape().select_columns(&names).unwrap();
        assert_eq!((narrow.list().as_str(), narrow.key_list().as_str()), ("\"id\", \"org_id\"", "\"org_id\", \"id\""));
        assert_eq!(shape().select_columns(&["body".to_owned()]), None, "rows without a key cannot be identified");
        assert_eq!(shape().select_columns(&["id", "org_id", "colour"].map(str::to_owned)), None);
    }

    #[test]
    fn every_migration_column_type_is_known_by_both_names() {
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
            assert!(
                ColumnType::from_sql_type(ours).is_some()
                    && ColumnType::from_sql_type(ours) == ColumnType::from_sql_type(theirs),
                "{ours}"
            );
        }
        assert_eq!(ColumnType::from_sql_type("DOUBLE PRECISION"), None);
    }
}
