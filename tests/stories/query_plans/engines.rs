//! Query plans of both databases, and the tables that they scan whole.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{
    AssertSqlSafe, Connection, Executor, PgConnection, Row, SqliteConnection, postgres::PgRow, sqlite::SqliteRow,
};
use tests::database::{Postgres, migrated_sqlite};

use super::{
    exempt::SMALL,
    sql_texts::{PlannedStatement, parameters},
};

const FILL: &str = include_str!("fill.sql");
const SQLITE_TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table'";
const SQLITE_INDEXES: &str = "SELECT name, tbl_name, '' FROM sqlite_schema WHERE type = 'index'";
const SQLITE_PLAIN: &str = "SELECT name FROM sqlite_schema
    WHERE type = 'index' AND sql IS NOT NULL AND sql NOT LIKE 'CREATE UNIQUE%'";
const POSTGRES_INDEXES: &str = "SELECT i.relname::text, t.relname::text, pg_get_indexdef(x.indexrelid, 1, TRUE)
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    WHERE t.relnamespace = current_schema()::regnamespace";

#[derive(Debug, Default)]
pub struct Answer {
    /// Tables that are scanned whole, each with the index used for the scan, or an empty name.
    pub whole: BTreeSet<(String, String)>,
    pub indexes: BTreeSet<String>,
}

struct Catalogue {
    tables: BTreeSet<String>,
    indexes: BTreeMap<String, (String, String)>,
}

/// SQLite's answer to each text; none where it cannot be parsed.
pub async fn sqlite(asked: &[PlannedStatement]) -> Vec<Option<Answer>> {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = SqliteConnection::connect(&migrated_sqlite(folder.path()).await).await.unwrap();
    let tables = ask_sqlite(&mut conn, SQLITE_TABLES).await.unwrap().iter().map(|row| row.get(0)).collect();
    let indexes = ask_sqlite(&mut conn, SQLITE_INDEXES).await.unwrap();
    let indexes = indexes.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    let catalogue = Catalogue { tables, indexes };
    let mut answers = Vec::new();
    for one in asked {
        let plan = ask_sqlite(&mut conn, &format!("EXPLAIN QUERY PLAN {}", one.text)).await;
        let lines = plan.map(|rows| rows.iter().map(|row| row.get("detail")).collect::<Vec<String>>());
        answers.push(lines.ok().map(|lines| catalogue.of_sqlite(&one.text, &lines)));
    }
    conn.close().await.unwrap();
    answers
}

/// The indexes that are not keys.
pub async fn plain_indexes() -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = SqliteConnection::connect(&migrated_sqlite(folder.path()).await).await.unwrap();
    let names = ask_sqlite(&mut conn, SQLITE_PLAIN).await.unwrap().iter().map(|row| row.get(0)).collect();
    conn.close().await.unwrap();
    names
}

/// PostgreSQL's answer to each text; none where it cannot be parsed.
pub async fn postgres(asked: &[PlannedStatement]) -> Vec<Option<Answer>> {
    let database = Postgres::migrated().await;
    let mut above = PgConnection::connect(&database.as_superuser()).await.unwrap();
    let small: Vec<&str> = SMALL.iter().flat_map(|(_, tables)| tables.iter().copied()).collect();
    ask_postgres(&mut above, &FILL.replace("small_tables", &small.join(","))).await.unwrap();
    let indexes = ask_postgres(&mut above, POSTGRES_INDEXES).await.unwrap();
    let indexes = indexes.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    above.close().await.unwrap();
    let catalogue = Catalogue { tables: BTreeSet::new(), indexes };
    let mut conn = PgConnection::connect(&database.url).await.unwrap();
    for set in ["toolbox.org = 'across'", "enable_seqscan = off", "plan_cache_mode = force_generic_plan"] {
        ask_postgres(&mut conn, &format!("SET {set}")).await.unwrap();
    }
    let mut answers = Vec::new();
    for one in asked {
        answers.push(plan(&mut conn, &one.text).await.map(|lines| catalogue.of_postgres(&lines)));
    }
    conn.close().await.unwrap();
    database.remove().await;
    answers
}

/// The generic plan of a text.
async fn plan(conn: &mut PgConnection, text: &str) -> Option<Vec<String>> {
    ask_postgres(conn, &format!("PREPARE asked AS {text}")).await.ok()?;
    let values = vec!["NULL"; parameters(text)].join(", ");
    let values = if values.is_empty() { values } else { format!("({values})") };
    let lines = ask_postgres(conn, &format!("EXPLAIN (COSTS OFF) EXECUTE asked{values}")).await;
    ask_postgres(conn, "DEALLOCATE asked").await.unwrap();
    Some(lines.ok()?.iter().map(|row| row.get(0)).collect())
}

/// Without binding: SQLite takes unbound values as NULL, and the plan does not depend on them.
async fn ask_sqlite(conn: &mut SqliteConnection, sql: &str) -> sqlx::Result<Vec<SqliteRow>> {
    conn.fetch_all(AssertSqlSafe(sql.to_owned())).await
}

async fn ask_postgres(conn: &mut PgConnection, sql: &str) -> sqlx::Result<Vec<PgRow>> {
    conn.fetch_all(AssertSqlSafe(sql.to_owned())).await
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

fn first(text: &str) -> String {
    words(text).next().unwrap_or_default().to_owned()
}

impl Catalogue {
    fn of_sqlite(&self, text: &str, lines: &[String]) -> Answer {
        let mut answer = Answer::default();
        for line in lines {
            let index = line.split_once("INDEX ").map(|(_, rest)| first(rest));
            let index = index.filter(|index| self.indexes.contains_key(index)).unwrap_or_default();
            if !index.is_empty() {
                answer.indexes.insert(index.clone());
            }
            let Some(rest) = line.strip_prefix("SCAN ") else { continue };
            let table = self.indexes.get(&index).map(|(table, _)| table.clone());
            let table = table.or_else(|| self.named(text, &first(rest)));
            answer.whole.extend(table.map(|table| (table, index)));
        }
        answer
    }

    /// The table with this name in a text; none where it names a subquery.
    fn named(&self, text: &str, name: &str) -> Option<String> {
        if self.tables.contains(name) {
            return Some(name.to_owned());
        }
        let sql_words: Vec<&str> = words(text).filter(|word| !word.eq_ignore_ascii_case("AS")).collect();
        let pair = sql_words.windows(2).find(|pair| pair[1] == name && self.tables.contains(pair[0]))?;
        Some(pair[0].to_owned())
    }

    fn of_postgres(&self, lines: &[String]) -> Answer {
        let mut answer = Answer::default();
        for (at, line) in lines.iter().enumerate() {
            if let Some((_, table)) = line.split_once("Seq Scan on ") {
                answer.whole.insert((first(table), String::new()));
            }
            let named = line.split_once("Bitmap Index Scan on ");
            let named = named.or_else(|| line.split_once(" using ").filter(|(scan, _)| scan.contains("Index ")));
            let Some(index) = named.map(|(_, rest)| first(rest)) else { continue };
            let Some((table, column)) = self.indexes.get(&index) else { continue };
            answer.indexes.insert(index.clone());
            if !lines.get(at + 1).is_some_and(|next| leads(next, column)) {
                answer.whole.insert((table.clone(), index));
            }
        }
        answer
    }
}

/// Whether an index is searched by its first column, instead of scanned.
fn leads(condition: &str, column: &str) -> bool {
    let Some(condition) = condition.trim_start().strip_prefix("Index Cond: ") else { return false };
    let condition_words: BTreeSet<String> = words(condition).map(str::to_ascii_lowercase).collect();
    words(column).map(str::to_ascii_lowercase).all(|word| word == "text" || condition_words.contains(&word))
}

#[test]
fn postgres_index_condition_off_leading_column_is_a_full_read() {
    assert!(leads("    Index Cond: ((org_id = $1) AND (id = $2))", "org_id"));
    assert!(leads("Index Cond: (lower(name) = ANY ($1))", "lower(name)"));
    assert!(!leads("Index Cond: (id = $2)", "org_id") && !leads("Filter: (org_id = $1)", "org_id"));
}
