//! The two roles of PostgreSQL: one owns the tables and migrates, the other serves and owns nothing.

use std::{path::Path, time::Duration};

use shared::{
    ops::schema::SCHEMA,
    platform::{
        config::EnvVars,
        db::{
            Db, DbConfig, q,
            tenant_scope::{self, RlsStatus},
        },
    },
};
use sqlx::{Connection, Executor, PgConnection};
use tests::{
    database::Postgres,
    processes::{api, start_worker},
    test_install::TestInstall,
};

const SOON: Duration = Duration::from_secs(20);
const OWNS_TABLES: &str = "the database role owns the tables";

/// An install with one role, as it was made before there were two.
const GIVE_TABLES_TO_SERVING_ROLE: &str = "DO $$
    DECLARE found record;
    BEGIN
        FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
            EXECUTE format('ALTER TABLE %I OWNER TO toolbox_app', found.tablename);
        END LOOP;
    END $$";

/// With the roles' names of the test server.
const DOCUMENTED_STATEMENT: &str = "REASSIGN OWNED BY toolbox_app TO toolbox";

async fn connect_and_load_status(url: &str) -> RlsStatus {
    let db = Db::connect(&DbConfig::from_url(url), &SCHEMA).await.unwrap();
    let status = tenant_scope::load_rls_status(&db).await.unwrap();
    db.close().await;
    status
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_with_role_that_owns_tables_warns_and_names_the_variable() {
    let test_install = TestInstall::postgres().await;
    let mut first = api(&test_install, &[]).await;
    first.program.logged(OWNS_TABLES, SOON).await;
    let log_text = first.program.log();
    let line = log_text.lines().find(|line| line.contains(OWNS_TABLES)).unwrap();
    assert!(line.contains("WARN") && line.contains("DATABASE_MIGRATE_URL"), "{line}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_with_owner_migrates_empty_database_and_both_programs_serve_without_owning() {
    let postgres = Postgres::empty().await;
    let mut serving = url::Url::parse(&postgres.url).unwrap();
    serving.set_username("toolbox_app").unwrap();
    let test_install = TestInstall::sqlite().with_database(serving.as_str());
    let mut worker = start_worker(&test_install, &[]);
    let owner = ("DATABASE_MIGRATE_URL".to_owned(), postgres.as_owner());
    let serves = api(&test_install, &[owner]).await;
    worker.logged("the worker is ready", SOON).await;
    assert!(!serves.program.log().contains(OWNS_TABLES), "{}", serves.program.log());
    assert_eq!(connect_and_load_status(serving.as_str()).await, RlsStatus::Enforced);
    drop((serves, worker));
    postgres.remove().await;
}

#[tokio::test]
async fn install_with_one_role_becomes_one_with_two_by_the_documented_statement() {
    let postgres = Postgres::migrated().await;
    let mut above = PgConnection::connect(&postgres.as_superuser()).await.unwrap();
    above.execute(GIVE_TABLES_TO_SERVING_ROLE).await.unwrap();
    assert_eq!(connect_and_load_status(&postgres.url).await, RlsStatus::OwnedTables);
    above.execute(DOCUMENTED_STATEMENT).await.unwrap();
    above.close().await.unwrap();

    let owns = postgres.as_owner();
    let pairs = [("DATABASE_URL", postgres.url.as_str()), ("DATABASE_MIGRATE_URL", owns.as_str())];
    let config = DbConfig::from_vars(&mut EnvVars::from_pairs(pairs), Path::new("/nowhere")).without_data_dir();
    let owner = Db::connect(&config.as_owner(), &SCHEMA).await.unwrap();
    owner.migrate_and_grant(&config).await.unwrap();
    owner.close().await;

    assert_eq!(connect_and_load_status(&postgres.url).await, RlsStatus::Enforced);
    let db = Db::connect(&config, &SCHEMA).await.unwrap();
    let sql = "SELECT COUNT(*) FROM org";
    assert_eq!(q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap(), 0);
    db.close().await;
    postgres.remove().await;
}
