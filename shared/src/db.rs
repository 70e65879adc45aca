//! The only file that knows there are two databases: SQLite (one file, one machine) and PostgreSQL.
//!
//! One SQL text runs on both through [`q!`] and [`qb!`]; `$1` placeholders work in either. No SQL text calls the clock
//! or a random source. Transactions open in handlers and tasks only, and none stays open during a network call.
//!
//! A transaction keeps what it has touched of the owner's figures, and settles it when it commits ([`crate::metrics`]).

pub mod batch;
pub(crate) mod cursor;

use std::{borrow::Cow, path::Path, str::FromStr, time::Duration};

use sqlx::{
    Connection, PgPool, Postgres, Sqlite, SqlitePool, Transaction,
    migrate::Migrator,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgConnection, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    config::Vars,
    error::{Error, Result},
    id::OrgId,
    metrics::{self, Contribution, Subject, Touch, Touched},
};

/// The migrations, embedded in both programs.
static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// How long a request waits for a free connection before it is told to come back (503).
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long `SQLite` waits for another process's write to end (trust: at least 5 s).
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// A process that stalls inside a transaction (a stopped machine, a frozen container) would hold its rows for ever;
/// PostgreSQL takes them back after this long. None of our transactions waits for anything but the database.
const IDLE_IN_TRANSACTION: (&str, &str) = ("idle_in_transaction_session_timeout", "10s");
/// Readers beside the one writer.
const SQLITE_READERS: u32 = 4;
const POSTGRES_CONNECTIONS: u32 = 16;

/// Where the data lives: `DATABASE_URL`.
#[derive(Clone, Debug)]
pub struct DbConfig {
    /// `sqlite://path/to/file.db` or `postgres://…`. May hold a password: never printed.
    url: String,
}

impl DbConfig {
    /// Reads `DATABASE_URL`; unset means `sqlite://<DATA_DIR>/toolbox.db`.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path) -> Self {
        let url =
            vars.get("DATABASE_URL").unwrap_or_else(|| format!("sqlite://{}", data_dir.join("toolbox.db").display()));
        let fits = if is_postgres(&url) {
            PgConnectOptions::from_str(&url).is_ok()
        } else {
            url.starts_with("sqlite:") && SqliteConnectOptions::from_str(&url).is_ok()
        };
        if !fits {
            vars.fault("DATABASE_URL", "must be sqlite://path/to/file.db or postgres://user:password@host/name");
        }
        Self { url }
    }

    /// A database for a test.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned() }
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

/// A handle on the database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// Many readers and one writer connection, so that writers queue fairly here and not in the busy timeout.
    Sqlite {
        read: SqlitePool,
        write: SqlitePool,
    },
    Postgres(PgPool),
}

/// Which of the two it is: for metrics and for the few texts that only one of them has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// A pooled connection outside a transaction, for reading.
pub enum Conn {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
}

/// A transaction of one driver. Dropping it rolls back.
enum Driver {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// An open write transaction. Dropping it rolls back.
pub struct Tx {
    driver: Driver,
    touched: Touched,
}

/// The database as it stood at one instant, for reading in several statements. To be kept for a short time only.
pub struct Snapshot(Driver);

/// A borrowed driver connection: what [`q!`] runs on.
pub enum ConnRef<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgConnection),
}

/// Whatever a store function can run on.
pub trait AsConn: Send {
    fn as_conn(&mut self) -> ConnRef<'_>;
}

impl AsConn for Conn {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match self {
            Self::Sqlite(c) => ConnRef::Sqlite(c),
            Self::Postgres(c) => ConnRef::Postgres(c),
        }
    }
}

impl AsConn for Driver {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match self {
            Self::Sqlite(t) => ConnRef::Sqlite(t),
            Self::Postgres(t) => ConnRef::Postgres(t),
        }
    }
}

impl AsConn for Tx {
    fn as_conn(&mut self) -> ConnRef<'_> {
        self.driver.as_conn()
    }
}

impl AsConn for Snapshot {
    fn as_conn(&mut self) -> ConnRef<'_> {
        self.0.as_conn()
    }
}

impl Tx {
    fn new(driver: Driver) -> Self {
        Self { driver, touched: Touched::default() }
    }

    /// Notes that this changes what `what` contributes to the owner's figures: they are made true by [`Self::commit`].
    /// Whatever leaves a live event need not say so itself.
    pub fn touch(&mut self, org: OrgId, what: impl Into<Touch>) {
        self.touched.touch(org, what.into());
    }

    /// The same for what this very transaction has just made: what it contributes is known, and need not be read.
    pub(crate) fn born(&mut self, org: OrgId, subject: impl Into<Subject>, contribution: Contribution) {
        self.touched.born(org, subject.into(), contribution);
    }

    /// What was touched so far; it is not settled again.
    pub(crate) fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }

    /// Makes the change durable: when this returns, it is on disk, and the owner's figures with it.
    pub async fn commit(mut self) -> Result<()> {
        if !self.touched.is_empty() {
            // Boxed: few transactions carry it, and every handler's future would hold it.
            Box::pin(metrics::settle(&mut self)).await?;
        }
        match self.driver {
            Driver::Sqlite(t) => t.commit().await?,
            Driver::Postgres(t) => t.commit().await?,
        }
        Ok(())
    }
}

impl Db {
    /// Opens the pools. The `SQLite` file and its folder are created when missing.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the server does not answer or the file cannot be opened.
    pub async fn connect(config: &DbConfig) -> Result<Self> {
        Self::open(config, true).await
    }

    /// Opens the pools of a database that somebody else creates: a missing `SQLite` file is an error.
    pub async fn connect_existing(config: &DbConfig) -> Result<Self> {
        Self::open(config, false).await
    }

    async fn open(config: &DbConfig, create: bool) -> Result<Self> {
        if is_postgres(&config.url) {
            let options = PgConnectOptions::from_str(&config.url)?.application_name("toolbox");
            let options = options.options([IDLE_IN_TRANSACTION]);
            let pool = PgPoolOptions::new().max_connections(POSTGRES_CONNECTIONS).acquire_timeout(ACQUIRE_TIMEOUT);
            return Ok(Self::Postgres(pool.connect_with(options).await?));
        }
        let options = sqlite_options(&config.url)?.create_if_missing(create);
        if let Some(folder) = options.get_filename().parent() {
            tokio::fs::create_dir_all(folder).await.map_err(|e| Error::Unavailable(format!("the data folder: {e}")))?;
        }
        // A full disk makes SQLite end a transaction by itself, which the driver cannot know: its own end then fails,
        // and it would begin none on this connection ever again. Such a connection is replaced.
        let write = SqlitePoolOptions::new().max_connections(1).acquire_timeout(BUSY_TIMEOUT);
        let write = write.before_acquire(|conn, _| Box::pin(async move { Ok(!conn.is_in_transaction()) }));
        let write = write.connect_with(options.clone()).await?;
        let read = SqlitePoolOptions::new().max_connections(SQLITE_READERS).acquire_timeout(ACQUIRE_TIMEOUT);
        let read = read.connect_with(options.read_only(true).create_if_missing(false)).await?;
        Ok(Self::Sqlite { read, write })
    }

    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite { .. } => Engine::Sqlite,
            Self::Postgres(_) => Engine::Postgres,
        }
    }

    /// A connection for reading.
    pub async fn read(&self) -> Result<Conn> {
        Ok(match self {
            Self::Sqlite { read, .. } => Conn::Sqlite(read.acquire().await?),
            Self::Postgres(pool) => Conn::Postgres(pool.acquire().await?),
        })
    }

    /// Opens a write transaction. On `SQLite` it is `BEGIN IMMEDIATE`: a transaction that began as a reader could not
    /// become a writer while another process writes (`SQLITE_BUSY_SNAPSHOT`).
    pub async fn begin(&self) -> Result<Tx> {
        Ok(Tx::new(match self {
            Self::Sqlite { write, .. } => Driver::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres(pool) => Driver::Postgres(pool.begin().await?),
        }))
    }

    /// Everything as it stands now, whatever is written meanwhile.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        const UNMOVED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(Snapshot(match self {
            Self::Sqlite { read, .. } => Driver::Sqlite(read.begin().await?),
            Self::Postgres(pool) => Driver::Postgres(pool.begin_with(UNMOVED).await?),
        }))
    }

    /// Brings the schema to the newest version.
    pub async fn migrate(&self) -> Result<()> {
        match self {
            Self::Sqlite { write, .. } => MIGRATIONS.run(write).await?,
            Self::Postgres(pool) => MIGRATIONS.run(pool).await?,
        }
        Ok(())
    }

    /// Whether the database answers and its schema is at the newest version of this program.
    pub async fn is_current(&self) -> Result<bool> {
        let newest = MIGRATIONS.iter().map(|m| m.version).max().unwrap_or_default();
        let mut conn = self.read().await?;
        let there = q!(
            &mut conn,
            fetch_one scalar Option<i64>,
            "SELECT MAX(version) FROM _sqlx_migrations WHERE success = TRUE"
        );
        match there {
            Ok(version) => Ok(version.is_some_and(|v| v >= newest)),
            // Before the first migration the table itself is missing: that is an answer, not a fault.
            Err(sqlx::Error::Database(_)) => Ok(false),
            Err(e) => Err(e.into()),
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

/// Every connection of every pool gets these: WAL, `synchronous=FULL` (a 2xx leaves only after the commit is on disk),
/// foreign keys, and a busy timeout, because the API and the worker are two processes on one file.
fn sqlite_options(url: &str) -> Result<SqliteConnectOptions> {
    Ok(SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .statement_cache_capacity(256)
        .pragma("cache_size", "-2000")
        .pragma("temp_store", "memory"))
}

/// The suffix by which claimers pass over rows that another claimer holds. `SQLite` has one writer and needs none.
pub fn skip_locked(conn: &mut impl AsConn) -> &'static str {
    match conn.as_conn() {
        ConnRef::Sqlite(_) => "",
        ConnRef::Postgres(_) => " FOR UPDATE SKIP LOCKED",
    }
}

/// Lets one transaction at a time past this point, until it ends: for what is counted and then added to. `SQLite` has
/// one writer and needs nothing.
pub async fn one_at_a_time(tx: &mut Tx, lock: i64) -> Result<()> {
    if let Driver::Postgres(_) = tx.driver {
        q!(tx, execute, "SELECT pg_advisory_xact_lock($1)", lock)?;
    }
    Ok(())
}

/// A `LIKE` pattern that finds `needle` anywhere, with its own wildcards made literal. Use with `ESCAPE '\'`.
#[must_use]
pub fn like_anywhere(needle: &str) -> String {
    let mut pattern = String::with_capacity(needle.len() + 2);
    pattern.push('%');
    for c in needle.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

/// Names columns as the two schemas do, for the test that compares them.
pub async fn describe_schema(db: &Db) -> Result<Vec<(String, String, bool)>> {
    let mut conn = db.read().await?;
    let text: Cow<'static, str> = match db.engine() {
        Engine::Sqlite => "SELECT m.name, p.name, p.\"notnull\" = 1 OR p.pk > 0 FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
        Engine::Postgres => "SELECT table_name::text, column_name::text, is_nullable = 'NO' FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_sqlx%' ESCAPE '\\' ORDER BY 1, 2".into(),
    };
    Ok(qb!(&mut conn, fetch_all as (String, String, bool), |b| {
        b.push(text.as_ref());
    })?)
}

/// Runs one SQL text on whichever database `$c` is:
/// `q!(conn, fetch_optional as Lead, "SELECT … $1", id)`, `q!(conn, fetch_one scalar i64, "…")`, `q!(conn, execute, "…", id)`.
#[macro_export]
macro_rules! q {
    ($c:expr, execute, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => sqlx::query::<sqlx::Sqlite>($sql)$(.bind($a))*.execute(c).await.map(|r| r.rows_affected()),
            $crate::db::ConnRef::Postgres(c) => sqlx::query::<sqlx::Postgres>($sql)$(.bind($a))*.execute(c).await.map(|r| r.rows_affected()),
        }
    };
    ($c:expr, $how:ident scalar $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => sqlx::query_scalar::<sqlx::Sqlite, $t>($sql)$(.bind($a))*.$how(c).await,
            $crate::db::ConnRef::Postgres(c) => sqlx::query_scalar::<sqlx::Postgres, $t>($sql)$(.bind($a))*.$how(c).await,
        }
    };
    ($c:expr, $how:ident as $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => sqlx::query_as::<sqlx::Sqlite, $t>($sql)$(.bind($a))*.$how(c).await,
            $crate::db::ConnRef::Postgres(c) => sqlx::query_as::<sqlx::Postgres, $t>($sql)$(.bind($a))*.$how(c).await,
        }
    };
}

/// The same for a text that is put together: optional filters, several rows, lists.
/// `qb!(conn, fetch_all as Lead, |b| { b.push("… = ").push_bind(x); })`.
#[macro_export]
macro_rules! qb {
    ($c:expr, execute, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Sqlite>::new("");
                $body;
                $b.build().execute(c).await.map(|r| r.rows_affected())
            }
            $crate::db::ConnRef::Postgres(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Postgres>::new("");
                $body;
                $b.build().execute(c).await.map(|r| r.rows_affected())
            }
        }
    };
    ($c:expr, $how:ident scalar $t:ty, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Sqlite>::new("");
                $body;
                $b.build_query_scalar::<$t>().$how(c).await
            }
            $crate::db::ConnRef::Postgres(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Postgres>::new("");
                $body;
                $b.build_query_scalar::<$t>().$how(c).await
            }
        }
    };
    ($c:expr, $how:ident as $t:ty, |$b:ident| $body:block) => {
        match $crate::db::AsConn::as_conn($c) {
            $crate::db::ConnRef::Sqlite(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Sqlite>::new("");
                $body;
                $b.build_query_as::<$t>().$how(c).await
            }
            $crate::db::ConnRef::Postgres(c) => {
                let mut $b = sqlx::QueryBuilder::<sqlx::Postgres>::new("");
                $body;
                $b.build_query_as::<$t>().$how(c).await
            }
        }
    };
}
pub use crate::{q, qb};
