//! One schema on two databases, and SQLite settings that hold on every connection.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use shared::{
    ops::schema::SCHEMA,
    platform::db::{Db, DbConfig, describe_schema, q, tenant_scope},
};
use sqlx::{PgPool, SqliteConnection, SqlitePool};
use tests::{
    app::TestApp,
    both_databases,
    database::{Postgres, sqlite_url},
};
use uuid::Uuid;

#[tokio::test]
async fn both_databases_have_the_same_tables_and_columns() {
    tenant_scope::across_tenants(Box::pin(async {
        let (sqlite, postgres) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        let (ours, theirs) = (describe_schema(&sqlite.db).await.unwrap(), describe_schema(&postgres.db).await.unwrap());
        assert!(ours.len() > 100, "only {} columns were compared", ours.len());
        assert_eq!(ours, theirs);
        sqlite.finish().await;
        postgres.finish().await;
    }))
    .await;
}

#[tokio::test]
async fn both_databases_have_the_same_keys_indexes_and_checks() {
    tenant_scope::across_tenants(Box::pin(async {
        let (sqlite, postgres) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        let (Db::Sqlite { read, .. }, Db::Postgres { read: pool, .. }) = (&sqlite.db, &postgres.db) else {
            panic!("two of a kind")
        };
        let (ours, theirs) = (Promises::of_sqlite(read).await, Promises::of_postgres(pool).await);
        assert!(ours.keys.len() > 20 && ours.indexes.len() > 15, "{ours:#?}");
        assert!(ours.references.len() > 15 && ours.checks.len() > 5, "{ours:#?}");
        assert_eq!(ours.keys, theirs.keys);
        assert_eq!(ours.indexes, theirs.indexes);
        assert_eq!(ours.references, theirs.references);
        assert_eq!(ours.checks, theirs.checks);
        assert_eq!(ours.deferred, theirs.deferred);
        sqlite.finish().await;
        postgres.finish().await;
    }))
    .await;
}

/// Constraints beyond columns, from the catalogue of a database in a common form: sorted lines.
#[derive(Debug, Default)]
struct Promises {
    keys: BTreeSet<String>,
    indexes: BTreeSet<String>,
    /// Foreign keys: columns, target, and the action on delete.
    references: BTreeSet<String>,
    /// Per table, with the allowed values; equal ones of a table count separately.
    checks: Vec<String>,
    /// Tables, with the number of foreign keys that are checked only at commit.
    deferred: BTreeSet<(String, i64)>,
}

/// Table, name, kind (`pk`, `u`, or `c` for an explicitly created one), unique, condition, columns.
type Index = (String, String, String, bool, Option<String>, String);

const SQLITE_INDEXES: &str = "
    SELECT t.name, l.name, l.origin, l.\"unique\", substr(i.sql, nullif(instr(i.sql, ' WHERE '), 0)),
        group_concat(coalesce(x.name, 'expression') || iif(x.\"desc\", ' desc', ''), ', ' ORDER BY x.seqno)
    FROM sqlite_schema t, pragma_index_list(t.name) l, pragma_index_xinfo(l.name) x
    LEFT JOIN sqlite_schema i ON i.type = 'index' AND i.name = l.name
    WHERE t.type = 'table' AND t.name NOT LIKE '\\_sqlx%' ESCAPE '\\' AND x.key = 1 GROUP BY t.name, l.name";
const POSTGRES_INDEXES: &str = "
    SELECT t.relname::text, i.relname::text,
        CASE WHEN x.indisprimary THEN 'pk' WHEN c.oid IS NOT NULL THEN 'u' ELSE 'c' END,
        x.indisunique, pg_get_expr(x.indpred, x.indrelid),
        (SELECT string_agg(coalesce(a.attname, 'expression')
                || CASE WHEN x.indoption[k - 1] & 1 = 1 THEN ' desc' ELSE '' END, ', ' ORDER BY k)
            FROM generate_series(1, x.indnkeyatts) k
            LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[k - 1])
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid AND c.contype = 'u'
    WHERE t.relnamespace = current_schema()::regnamespace AND t.relname NOT LIKE '\\_sqlx%' ESCAPE '\\'";

const SQLITE_REFERENCES: &str = "
    SELECT t.name || ' (' || group_concat(f.\"from\", ', ' ORDER BY f.seq) || ') to ' || f.\"table\" || ' ('
        || group_concat(f.\"to\", ', ' ORDER BY f.seq) || ') on delete ' || lower(f.on_delete)
    FROM sqlite_schema t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table' GROUP BY t.name, f.id";
const POSTGRES_REFERENCES: &str = "
    SELECT c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' ORDER BY k) || ') to ' || c.confrelid::regclass
        || ' (' || string_agg(b.attname, ', ' ORDER BY k) || ') on delete ' || CASE c.confdeltype
            WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'a' THEN 'no action' ELSE c.confdeltype::text END
    FROM pg_constraint c, generate_subscripts(c.conkey, 1) k, pg_attribute a, pg_attribute b
    WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace
        AND a.attrelid = c.conrelid AND a.attnum = c.conkey[k] AND b.attrelid = c.confrelid AND b.attnum = c.confkey[k]
    GROUP BY c.oid, c.conrelid, c.confrelid, c.confdeltype";

const SQLITE_TABLES: &str =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY name";
const POSTGRES_CHECKS: &str = "
    SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'c' AND connamespace = current_schema()::regnamespace";
const POSTGRES_DEFERRED: &str = "
    SELECT conrelid::regclass::text, COUNT(*) FROM pg_constraint
    WHERE condeferred AND connamespace = current_schema()::regnamespace GROUP BY 1";

impl Promises {
    async fn of_sqlite(pool: &SqlitePool) -> Self {
        let mut found = Self::default();
        found.sort_indexes(sqlx::query_as(SQLITE_INDEXES).fetch_all(pool).await.unwrap());
        let references: Vec<String> = sqlx::query_scalar(SQLITE_REFERENCES).fetch_all(pool).await.unwrap();
        found.references = references.into_iter().collect();
        let tables: Vec<(String, String)> = sqlx::query_as(SQLITE_TABLES).fetch_all(pool).await.unwrap();
        for (table, sql) in tables {
            // SQLite's catalogue keeps only the table's text for checks and deferred keys.
            let late = sql.matches("DEFERRABLE INITIALLY DEFERRED").count();
            found.deferred.extend((late > 0).then(|| (table.clone(), i64::try_from(late).unwrap())));
            found.checks.extend(sql.split("CHECK (").skip(1).map(|rest| check(&table, within_parentheses(rest))));
        }
        found.checks.sort();
        found
    }

    async fn of_postgres(pool: &PgPool) -> Self {
        let mut found = Self::default();
        found.sort_indexes(sqlx::query_as(POSTGRES_INDEXES).fetch_all(pool).await.unwrap());
        let references: Vec<String> = sqlx::query_scalar(POSTGRES_REFERENCES).fetch_all(pool).await.unwrap();
        found.references = references.into_iter().collect();
        let deferred: Vec<(String, i64)> = sqlx::query_as(POSTGRES_DEFERRED).fetch_all(pool).await.unwrap();
        found.deferred = deferred.into_iter().collect();
        let checks: Vec<(String, String)> = sqlx::query_as(POSTGRES_CHECKS).fetch_all(pool).await.unwrap();
        found.checks = checks.iter().map(|(table, sql)| check(table, sql.trim_start_matches("CHECK "))).collect();
        found.checks.sort();
        found
    }

    fn sort_indexes(&mut self, indexes: Vec<Index>) {
        for (table, name, kind, unique, condition, columns) in indexes {
            let values = condition.map(|sql| format!(" where {}", check("", &sql))).unwrap_or_default();
            match kind.as_str() {
                "pk" => self.keys.insert(format!("{table} ({columns}) is the primary key")),
                "u" => self.keys.insert(format!("{table} ({columns}) is unique")),
                _ => self.indexes.insert(format!("{name} on {table} ({columns}), unique: {unique}{values}")),
            };
        }
    }
}

/// The table, the first name in the condition, and its values, as either database writes them.
fn check(table: &str, sql: &str) -> String {
    let sql = sql.trim_start_matches(" WHERE ");
    let column: String =
        sql.trim_start_matches('(').chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let values: BTreeSet<&str> = sql.split('\'').skip(1).step_by(2).collect();
    format!("{table} {column}: {values:?}")
}

fn within_parentheses(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    &text[..end.unwrap()]
}

#[tokio::test]
async fn migrations_run_from_empty_and_repeat_changes_nothing() {
    tenant_scope::across_tenants(Box::pin(async {
        let folder = tempfile::tempdir().unwrap();
        let postgres = Postgres::empty().await;
        for url in [sqlite_url(folder.path()), postgres.url.clone()] {
            let db = Db::connect(&DbConfig::from_url(&url), &SCHEMA).await.unwrap();
            assert!(!db.is_schema_current().await.unwrap(), "{url} is not empty");
            db.migrate().await.unwrap();
            let schema = describe_schema(&db).await.unwrap();
            assert!(db.is_schema_current().await.unwrap());
            db.migrate().await.unwrap();
            assert_eq!(describe_schema(&db).await.unwrap(), schema);
            db.close().await;
        }
        postgres.remove().await;
    }))
    .await;
}

/// Last migration of the list as it was started. It stays when later ones are added.
const BASELINE: i64 = 10;

async fn migrate_to_baseline(db: &Db) {
    match db {
        Db::Sqlite { write, .. } => SCHEMA.migrations.run_to(BASELINE, write).await.unwrap(),
        Db::Postgres { write, .. } => SCHEMA.migrations.run_to(BASELINE, write).await.unwrap(),
    }
}

async fn count_businesses(db: &Db) -> i64 {
    let sql = "SELECT COUNT(*) FROM org WHERE slug = 'acme' AND name = 'Acme'";
    q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
}

#[tokio::test]
async fn database_of_the_first_migration_is_brought_up_to_date() {
    tenant_scope::across_tenants(Box::pin(async {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let servers = [Postgres::empty().await, Postgres::empty().await];
        let sqlite = folders.each_ref().map(|folder| sqlite_url(folder.path()));
        let postgres = servers.each_ref().map(|server| server.url.clone());
        for [first, new] in [sqlite, postgres] {
            let db = Db::connect(&DbConfig::from_url(&first), &SCHEMA).await.unwrap();
            migrate_to_baseline(&db).await;
            let at: DateTime<Utc> = "2026-11-20T12:00:00Z".parse().unwrap();
            let mut tx = db.begin().await.unwrap();
            let business = "INSERT INTO org (id, slug, name, industry, timezone, created_at)
                VALUES ($1, 'acme', 'Acme', 'plumbing', 'America/Chicago', $2)";
            q!(&mut tx, execute, business, Uuid::from_u128(7), at).unwrap();
            tx.commit().await.unwrap();
            db.migrate().await.unwrap();
            assert!(db.is_schema_current().await.unwrap());
            let newest = Db::connect(&DbConfig::from_url(&new), &SCHEMA).await.unwrap();
            newest.migrate().await.unwrap();
            assert_eq!(describe_schema(&db).await.unwrap(), describe_schema(&newest).await.unwrap());
            assert_eq!(count_businesses(&db).await, 1);
            db.close().await;
            newest.close().await;
        }
        for server in servers {
            server.remove().await;
        }
    }))
    .await;
}

#[tokio::test]
async fn database_of_a_former_list_of_migrations_is_refused_with_instructions() {
    tenant_scope::across_tenants(Box::pin(async {
        let folder = tempfile::tempdir().unwrap();
        let postgres = Postgres::empty().await;
        for url in [sqlite_url(folder.path()), postgres.url.clone()] {
            let db = Db::connect(&DbConfig::from_url(&url), &SCHEMA).await.unwrap();
            migrate_to_baseline(&db).await;
            let mut tx = db.begin().await.unwrap();
            let former = "UPDATE _sqlx_migrations SET description = 'orgs', checksum = $1 WHERE version = 1";
            q!(&mut tx, execute, former, b"another".to_vec()).unwrap();
            tx.commit().await.unwrap();
            let error = db.migrate().await.unwrap_err().to_string();
            assert!(error.contains("api export") && error.contains("api import-export"), "{error}");
            assert_eq!(db.ensure_supported_schema().await.unwrap_err().to_string(), error);
            db.close().await;
        }
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schema_created_concurrently_is_complete_and_tenant_scoped() {
    let folder = tempfile::tempdir().unwrap();
    let postgres = Postgres::empty().await;
    for url in [sqlite_url(folder.path()), postgres.url.clone()] {
        tenant_scope::across_tenants(Box::pin(async {
            let config = DbConfig::from_url(&url);
            let (one, other) =
                (Db::connect(&config, &SCHEMA).await.unwrap(), Db::connect(&config, &SCHEMA).await.unwrap());
            let (first, second) = tokio::join!(one.migrate(), other.migrate());
            first.unwrap();
            second.unwrap();
            assert!(one.is_schema_current().await.unwrap());
            let rls_status = tenant_scope::load_rls_status(&one).await.unwrap();
            assert!(!matches!(rls_status, tenant_scope::RlsStatus::MissingPolicies(_)), "{rls_status:?}");
            one.close().await;
            other.close().await;
        }))
        .await;
    }
    postgres.remove().await;
}

#[tokio::test]
async fn sqlite_connections_sync_check_foreign_keys_and_wait_when_busy() {
    let app = TestApp::on_sqlite().await;
    let again = Db::connect_existing(&app.settings.db, &SCHEMA).await.unwrap();
    for db in [&app.db, &again] {
        let Db::Sqlite { read, write, .. } = db else { panic!("not SQLite") };
        for (pool, size) in [(read, 4), (write, 1)] {
            assert_eq!(pool.options().get_max_connections(), size);
            let mut all = Vec::new();
            for _ in 0..size {
                all.push(pool.acquire().await.unwrap());
            }
            for conn in &mut all {
                assert_eq!(pragma(conn, "PRAGMA synchronous").await, "2");
                assert_eq!(pragma(conn, "PRAGMA journal_mode").await, "wal");
                assert_eq!(pragma(conn, "PRAGMA foreign_keys").await, "1");
                let patience: u32 = pragma(conn, "PRAGMA busy_timeout").await.parse().unwrap();
                assert!(patience >= 5000, "{patience} ms");
            }
        }
    }
    again.close().await;
    app.finish().await;
}

#[tokio::test]
async fn postgres_connections_commit_synchronously_despite_database_default() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let owner = Db::connect(&DbConfig::from_url(&postgres.as_owner()), &SCHEMA).await.unwrap();
        let says_otherwise = "DO $$ BEGIN
            EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$";
        let mut tx = owner.begin().await.unwrap();
        q!(&mut tx, execute, says_otherwise).unwrap();
        tx.commit().await.unwrap();
        owner.close().await;
        let db = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        let Db::Postgres { read, write, .. } = &db else { panic!("it is PostgreSQL") };
        for pool in [read, write] {
            let asked = sqlx::query_scalar::<_, String>("SELECT current_setting('synchronous_commit')");
            assert_eq!(asked.fetch_one(pool).await.unwrap(), "on");
        }
        db.close().await;
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test]
async fn flush_commit_returns_after_wal_is_on_disk() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let db = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        let at: DateTime<Utc> = "2026-11-20T12:00:00Z".parse().unwrap();
        for process in 0..10_i64 {
            let mut tx = db.begin_contended().await.unwrap();
            let row = "INSERT INTO write_probe (process, proved_at) VALUES ($1, $2)";
            q!(&mut tx, execute, row, process, at).unwrap();
            let written = "SELECT CAST(pg_current_wal_insert_lsn() - '0/0' AS BIGINT)";
            let written = q!(&mut tx, fetch_one scalar i64, written).unwrap();
            tx.commit().await.unwrap();
            let flushed = "SELECT CAST(pg_current_wal_flush_lsn() - '0/0' AS BIGINT)";
            let flushed = q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, flushed).unwrap();
            assert!(flushed >= written, "{flushed} of {written}");
        }
        db.close().await;
        postgres.remove().await;
    }))
    .await;
}

/// A server that crashed between the two commits has ended this connection too.
#[tokio::test]
async fn late_flush_confirms_nothing_after_its_connection_was_lost() {
    tenant_scope::across_tenants(Box::pin(async {
        let postgres = Postgres::migrated().await;
        let db = Db::connect(&DbConfig::from_url(&postgres.url), &SCHEMA).await.unwrap();
        let at: DateTime<Utc> = "2026-11-20T12:00:00Z".parse().unwrap();
        let written = async |process: i64| {
            let mut tx = db.begin_contended().await.unwrap();
            let row = "INSERT INTO write_probe (process, proved_at) VALUES ($1, $2)";
            q!(&mut tx, execute, row, process, at).unwrap();
            tx
        };
        written(1).await.commit().await.unwrap();
        let open = written(2).await;
        let ended = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database()
             AND pid <> pg_backend_pid() AND query LIKE '%pg_logical_emit_message%'";
        let ended = q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, ended).unwrap();
        assert_eq!(ended, 1);
        assert!(open.commit().await.is_err());
        written(3).await.commit().await.unwrap();
        db.close().await;
        postgres.remove().await;
    }))
    .await;
}

async fn pragma(conn: &mut SqliteConnection, sql: &'static str) -> String {
    use sqlx::{Row, ValueRef};
    let row = sqlx::query(sql).fetch_one(conn).await.unwrap();
    assert!(!row.try_get_raw(0).unwrap().is_null());
    row.try_get::<String, _>(0).unwrap_or_else(|_| row.get::<i64, _>(0).to_string())
}

both_databases! {
    async fn test_app_starts_without_tasks_at_fixed_time(app) {
        assert_eq!((app.now(), app.run_tasks().await), (tests::app::beginning(), 0));
    }
}
