//! A fresh database for every story: a copy of a migrated one, as a file or on a PostgreSQL server.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
};

use sha2::{Digest, Sha256};
use shared::{
    ops::schema::SCHEMA,
    platform::{
        config::EnvVars,
        db::{Db, DbConfig},
    },
};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// Migrated once per server; every story gets a copy.
const TEMPLATE: &str = "toolbox_template";
/// Any number, the same in all test processes: only one of them makes the template.
const TEMPLATE_LOCK: i64 = 7_305_111;
/// A role that may end any connection.
const SUPERUSER: &str = "TOOLBOX_TEST_POSTGRES_SUPERUSER";
/// The serving role, which owns nothing.
const APP: &str = "TOOLBOX_TEST_POSTGRES_APP";
const HOW_TO: &str = "TOOLBOX_TEST_POSTGRES or TOOLBOX_TEST_POSTGRES_SUPERUSER is not set. Type: tests/with-postgres.sh cargo nextest run -p tests";

#[must_use]
pub fn sqlite_url(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("toolbox.db").display())
}

/// A file in `folder` at the newest schema: a copy, since a migration takes longer than most stories.
pub async fn migrated_sqlite(folder: &Path) -> String {
    std::fs::copy(sqlite_template().await, folder.join("toolbox.db")).expect("a copy of the template");
    sqlite_url(folder)
}

/// Made once for each schema and renamed when complete: with concurrent makers any result will do.
async fn sqlite_template() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built = root.join("target");
    let template = built.join(format!("stories-{}.db", schema(&root.join("migrations"))));
    if !template.exists() {
        std::fs::create_dir_all(&built).expect("the folder of what is built");
        let folder = tempfile::tempdir_in(&built).expect("a temporary folder");
        let db = Db::connect(&DbConfig::from_url(&sqlite_url(folder.path())), &SCHEMA).await.expect("a new file");
        db.migrate().await.expect("the migrations run from empty");
        db.close().await;
        assert!(!folder.path().join("toolbox.db-wal").exists(), "all data is in one file");
        std::fs::rename(folder.path().join("toolbox.db"), &template).expect("the template put in place");
    }
    template
}

/// A hash of the migrations, in 16 characters.
fn schema(migrations: &Path) -> String {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(migrations).expect("the migrations").map(|file| file.expect("a migration").path()).collect();
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        hash.update(std::fs::read(file).expect("a migration"));
    }
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The server's own database, from which others are made.
#[must_use]
pub fn postgres_server() -> String {
    named("TOOLBOX_TEST_POSTGRES")
}

fn named(variable: &str) -> String {
    env_value(variable).expect(HOW_TO)
}

fn env_value(variable: &str) -> Option<String> {
    let set = std::env::vars_os().find(|(name, _)| name == variable);
    set.and_then(|(_, url)| url.into_string().ok())
}

#[derive(Debug)]
pub struct Postgres {
    name: String,
    pub url: String,
}

impl Postgres {
    pub async fn empty() -> Self {
        Self::create(&mut admin().await, "").await
    }

    pub async fn migrated() -> Self {
        let mut admin = admin().await;
        make_template(&mut admin).await;
        let made = Self::create(&mut admin, &format!(" TEMPLATE {TEMPLATE}")).await;
        Self { url: with_path(&named(APP), &made.name), ..made }
    }

    #[must_use]
    pub fn as_owner(&self) -> String {
        at(&self.name)
    }

    async fn create(admin: &mut PgConnection, template: &str) -> Self {
        let name = format!("toolbox_test_{}", uuid::Uuid::new_v4().simple());
        run(admin, format!("CREATE DATABASE {name}{template} STRATEGY file_copy")).await;
        Self { url: at(&name), name }
    }

    /// For a role that bypasses all policies.
    #[must_use]
    pub fn as_superuser(&self) -> String {
        with_path(&named(SUPERUSER), &self.name)
    }

    /// Removes the database despite connections. Autovacuum may connect at any time, and a superuser's connection
    /// takes a moment to end: only a superuser may end those.
    pub async fn remove(self) {
        let mut admin = match env_value(SUPERUSER) {
            Some(server) => PgConnection::connect(&server).await.expect("the PostgreSQL server answers its superuser"),
            None => admin().await,
        };
        run(&mut admin, format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }
}

async fn admin() -> PgConnection {
    PgConnection::connect(&postgres_server()).await.expect("the PostgreSQL server of TOOLBOX_TEST_POSTGRES answers")
}

fn at(name: &str) -> String {
    with_path(&postgres_server(), name)
}

fn with_path(server: &str, name: &str) -> String {
    let mut url = url::Url::from_str(server).expect("the server's address is one");
    url.set_path(name);
    url.to_string()
}

/// Built under another name and renamed when complete, so that no half-made schema is copied.
async fn make_template(admin: &mut PgConnection) {
    sqlx::query("SELECT pg_advisory_lock($1)").bind(TEMPLATE_LOCK).execute(&mut *admin).await.expect("a lock");
    let there: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
        .bind(TEMPLATE)
        .fetch_one(&mut *admin)
        .await
        .expect("the list of databases");
    if !there {
        run(admin, format!("DROP DATABASE IF EXISTS {TEMPLATE}_draft")).await;
        run(admin, format!("CREATE DATABASE {TEMPLATE}_draft")).await;
        let db = Db::connect(&DbConfig::from_url(&at(&format!("{TEMPLATE}_draft"))), &SCHEMA)
            .await
            .expect("the new database");
        db.migrate_and_grant(&both_roles(&format!("{TEMPLATE}_draft"))).await.expect("the migrations run from empty");
        db.close().await;
        run(admin, format!("ALTER DATABASE {TEMPLATE}_draft RENAME TO {TEMPLATE}")).await;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)").bind(TEMPLATE_LOCK).execute(admin).await.expect("the lock given back");
}

/// Addresses of the serving role and of the owner.
fn both_roles(name: &str) -> DbConfig {
    let (serves, owns) = (with_path(&named(APP), name), at(name));
    let mut vars = EnvVars::from_pairs([("DATABASE_URL", serves.as_str()), ("DATABASE_MIGRATE_URL", owns.as_str())]);
    DbConfig::from_vars(&mut vars, Path::new("."))
}

async fn run(admin: &mut PgConnection, sql: String) {
    let done = admin.execute(AssertSqlSafe(sql.clone())).await;
    done.unwrap_or_else(|e| panic!("{sql}: {e}"));
}
