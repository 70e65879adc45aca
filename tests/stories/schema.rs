//! One schema on two databases, and a SQLite that keeps its promises on every connection.

use shared::db::{Db, DbConfig, describe_schema};
use sqlx::SqliteConnection;
use tests::{
    app::TestApp,
    both_databases,
    database::{Postgres, sqlite_url},
};

#[tokio::test]
async fn both_databases_have_the_same_tables_and_columns() {
    let (sqlite, postgres) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
    let (ours, theirs) = (describe_schema(&sqlite.db).await.unwrap(), describe_schema(&postgres.db).await.unwrap());
    assert!(ours.len() > 100, "the comparison saw only {} columns", ours.len());
    assert_eq!(ours, theirs);
    sqlite.finish().await;
    postgres.finish().await;
}

#[tokio::test]
async fn every_migration_runs_from_empty_and_a_second_time_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let postgres = Postgres::empty().await;
    for url in [sqlite_url(folder.path()), postgres.url.clone()] {
        let db = Db::connect(&DbConfig::at(&url)).await.unwrap();
        assert!(!db.is_current().await.unwrap(), "{url} is not empty");
        db.migrate().await.unwrap();
        let schema = describe_schema(&db).await.unwrap();
        assert!(db.is_current().await.unwrap());
        db.migrate().await.unwrap();
        assert_eq!(describe_schema(&db).await.unwrap(), schema);
        db.close().await;
    }
    postgres.remove().await;
}

#[tokio::test]
async fn every_sqlite_connection_waits_for_the_disk_checks_keys_and_is_patient() {
    let app = TestApp::on_sqlite().await;
    let again = Db::connect_existing(&app.settings.db).await.unwrap();
    for db in [&app.db, &again] {
        let Db::Sqlite { read, write } = db else { panic!("not SQLite") };
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

async fn pragma(conn: &mut SqliteConnection, sql: &'static str) -> String {
    use sqlx::{Row, ValueRef};
    let row = sqlx::query(sql).fetch_one(conn).await.unwrap();
    assert!(!row.try_get_raw(0).unwrap().is_null());
    row.try_get::<String, _>(0).unwrap_or_else(|_| row.get::<i64, _>(0).to_string())
}

both_databases! {
    async fn a_story_begins_with_no_work_and_at_a_fixed_time(app) {
        assert_eq!((app.now(), app.run_tasks().await), (tests::app::beginning(), 0));
    }
}
