//! Where the data lives, and the pools that lead there.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use sqlx::{
    ConnectOptions, Connection,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{
    Db, Schema, empty_database, file_guard::FileGuard, group_commit::GroupWriter, tenant_scope,
    writer_turn::WriterTurns,
};
use crate::platform::{
    config::Vars,
    error::{Error, Result},
    private_file,
};

/// How long a request waits for a free connection before it is told to come back (503).
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long `SQLite` waits for another process's write to end (trust: at least 5 s).
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// A process that stalls inside a transaction (a stopped machine, a frozen container) would hold its rows for ever;
/// PostgreSQL takes them back after this long. None of our transactions waits for anything but the database.
const IDLE_IN_TRANSACTION: (&str, &str) = ("idle_in_transaction_session_timeout", "10s");
/// A commit is on disk before it is answered, whatever the server, the database or the role says: a claim that a server
/// forgets when it crashes lets a text leave twice.
const DURABLE: (&str, &str) = ("synchronous_commit", "on");
/// Readers beside the one writer.
const SQLITE_READERS: u32 = 4;
/// Of the writer, in KiB: the pages that a group of leads changes, and the inner pages of the indexes they go to.
const WRITER_CACHE: &str = "-8000";
/// Pages of 4 KiB in the log before they are moved into the file. A lead changes a hundred pages, most of them those of
/// the lead before: the longer a checkpoint waits, the fewer are written twice. 16 MiB keep a restart short.
const CHECKPOINT_PAGES: &str = "4000";
/// Of each process: those that write, and those that only read.
const POSTGRES_WRITERS: u32 = 12;
const POSTGRES_READERS: u32 = 8;
/// A plan made for all businesses alike takes the largest for an average one: of 100,000 jobs it sorts all to show the
/// newest hundred. Whoever reads gets a plan for what is asked, which costs less than a millisecond; whoever writes
/// touches single rows, for which any plan is right.
const PLAN_EACH: (&str, &str) = ("plan_cache_mode", "force_custom_plan");

/// Where the data lives: `DATABASE_URL`.
#[derive(Clone, Debug)]
pub struct DbConfig {
    /// `sqlite://path/to/file.db` or `postgres://…`. May hold a password: never printed.
    url: String,
    /// `DATABASE_MIGRATE_URL`: the same database for the role that owns the tables, where another one serves.
    owner: Option<String>,
    /// `DATA_DIR`: where the rest of an install lies. None for a database that is named by its address alone.
    data_dir: Option<PathBuf>,
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
        let owner = vars.get("DATABASE_MIGRATE_URL");
        let is_owner = |owner: &String| is_postgres(owner) && PgConnectOptions::from_str(owner).is_ok();
        if owner.as_ref().is_some_and(|owner| !is_postgres(&url) || !is_owner(owner)) {
            vars.fault(
                "DATABASE_MIGRATE_URL",
                "must be postgres://owner:password@host/name, beside a DATABASE_URL of PostgreSQL",
            );
        }
        Self { url, owner, data_dir: Some(data_dir.to_path_buf()) }
    }

    /// Whether another role owns the tables than the one that serves.
    #[must_use]
    pub fn has_owner(&self) -> bool {
        self.owner.is_some()
    }

    /// The same database for the role that owns its tables.
    #[must_use]
    pub fn as_owner(&self) -> Self {
        let url = self.owner.clone().unwrap_or_else(|| self.url.clone());
        Self { url, owner: None, data_dir: self.data_dir.clone() }
    }

    /// The role that serves, where it is another than the owner.
    pub(super) fn serving_role(&self) -> Option<String> {
        let owner = self.owner.as_ref()?;
        let role = |url: &str| PgConnectOptions::from_str(url).ok().map(|options| options.get_username().to_owned());
        let (owner, serving) = (role(owner)?, role(&self.url)?);
        (owner != serving).then_some(serving)
    }

    /// The file in which everything lies; none on PostgreSQL.
    #[must_use]
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        if is_postgres(&self.url) {
            return None;
        }
        SqliteConnectOptions::from_str(&self.url).ok().map(|options| options.get_filename().to_path_buf())
    }

    /// The same database without regard to what the data folder says of it: for who puts a backup into an empty one.
    #[must_use]
    pub fn without_data_dir(&self) -> Self {
        Self { data_dir: None, ..self.clone() }
    }

    /// Marks the data folder as that of an install whose database has a schema: an empty one, or none, is refused beside it
    /// from now on.
    pub fn mark_installed(&self) {
        let file = self.sqlite_file();
        let is_kept = file.as_deref().is_none_or(is_a_file);
        if let Some(data_dir) = self.data_dir.as_deref().filter(|_| is_kept) {
            empty_database::mark(data_dir, file.as_deref());
        }
    }

    /// The database at this address.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), owner: None, data_dir: None }
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

impl Db {
    /// Opens the pools. The `SQLite` file and its folder are created when missing, unless an install was there.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the server does not answer or the file cannot be opened, [`Error::Refused`] when the
    /// database has lost all it held: it has no schema, and an install was here.
    pub async fn connect(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        Self::open(config, schema, true).await
    }

    /// Opens the pools of a database that somebody else creates: a `SQLite` file that is missing or empty is an error, and
    /// stays as it is.
    ///
    /// # Errors
    /// As for [`Self::connect`].
    pub async fn connect_existing(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        Self::open(config, schema, false).await
    }

    async fn open(config: &DbConfig, schema: &'static Schema, create: bool) -> Result<Self> {
        if is_postgres(&config.url) {
            return Self::open_postgres(config, schema).await;
        }
        Self::open_sqlite(config, schema, create).await
    }

    async fn open_postgres(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        let options = PgConnectOptions::from_str(&config.url)?.application_name("toolbox");
        let options = options.options([IDLE_IN_TRANSACTION, DURABLE]);
        reach(&options).await?;
        let pool = |most: u32| PgPoolOptions::new().max_connections(most).acquire_timeout(ACQUIRE_TIMEOUT);
        // Each connection is told whom it works for whenever it is taken. A dead one does not answer that either, so
        // it need not be asked besides whether it lives.
        let pool = |most: u32| {
            pool(most)
                .test_before_acquire(false)
                .before_acquire(|conn, _| Box::pin(async move { tenant_scope::tell(conn).await.map(|()| true) }))
                .after_connect(|conn, _| Box::pin(tenant_scope::tell(conn)))
        };
        let write = pool(POSTGRES_WRITERS).connect_with(options.clone());
        let read = pool(POSTGRES_READERS).connect_with(options.options([PLAN_EACH]));
        let (write, read) = tokio::try_join!(write, read)?;
        let db = Self::Postgres { read, write, schema };
        if let Some(data_dir) = &config.data_dir {
            if db.has_schema().await? {
                config.mark_installed();
            } else if empty_database::is_marked(data_dir) {
                db.close().await;
                return Err(empty_database::refusal_beside(data_dir));
            }
        }
        Ok(db)
    }

    async fn open_sqlite(config: &DbConfig, schema: &'static Schema, create: bool) -> Result<Self> {
        let options = sqlite_options(&config.url)?.create_if_missing(create);
        let file = options.get_filename().to_path_buf();
        let data_dir = config.data_dir.as_deref().filter(|_| is_a_file(&file));
        let installed = data_dir.filter(|data_dir| empty_database::shows_install(&file, data_dir));
        if is_a_file(&file) {
            empty_database::refuse(&file, create, installed)?;
        }
        if let Some(folder) = file.parent() {
            tokio::fs::create_dir_all(folder).await.map_err(|e| cannot_write(folder, &e))?;
        }
        protect(&file, create)?;
        // Transactions are opened by the group commit alone, which replaces a connection that it cannot account for.
        let write = SqlitePoolOptions::new().max_connections(1).acquire_timeout(BUSY_TIMEOUT);
        let write = write.connect_with(options.clone().pragma("cache_size", WRITER_CACHE)).await?;
        let read = SqlitePoolOptions::new().max_connections(SQLITE_READERS).acquire_timeout(ACQUIRE_TIMEOUT);
        let read = read.connect_with(options.clone().read_only(true).create_if_missing(false)).await?;
        let turns = WriterTurns::beside(&file);
        let writer = GroupWriter::new(write.clone(), turns, FileGuard::of(&file), BUSY_TIMEOUT);
        let db = Self::Sqlite { read, write, writer, schema };
        if data_dir.is_some() && db.has_schema().await? {
            config.mark_installed();
        } else if let Some(data_dir) = installed {
            db.close().await;
            return Err(empty_database::refusal(&file, data_dir));
        }
        Ok(db)
    }

    /// Closes all connections.
    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write, .. } => {
                read.close().await;
                write.close().await;
            }
            Self::Postgres { read, write, .. } => {
                read.close().await;
                write.close().await;
            }
        }
    }
}

/// One plain connection first: of a server that refuses it a pool says no more than that it waited in vain. What else goes
/// wrong the pools meet too, and try again where that may help.
async fn reach(options: &PgConnectOptions) -> Result<()> {
    let why = match tokio::time::timeout(ACQUIRE_TIMEOUT, options.connect()).await {
        Ok(Ok(conn)) => return Ok(conn.close().await?),
        Ok(Err(sqlx::Error::Io(e))) => e.to_string(),
        Ok(Err(_)) => return Ok(()),
        Err(_) => "it does not answer".to_owned(),
    };
    let at = |socket: &PathBuf| socket.display().to_string();
    let place = options.get_socket().map_or_else(|| format!("{}:{}", options.get_host(), options.get_port()), at);
    let advice = "start it, or correct the host and the port in DATABASE_URL";
    Err(Error::Unavailable(format!("PostgreSQL at {place} cannot be reached: {why}; {advice}")))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    let advice = "give it to the user that runs Toolbox, with the right to write";
    Error::Unavailable(format!("{} cannot be written: {error}; {advice}", path.display()))
}

/// The file and what `SQLite` puts beside it are read by their owner alone. It gives its logs the rights of the file.
fn protect(file: &Path, create: bool) -> Result<()> {
    if is_a_file(file) && (create || file.exists()) {
        private_file::prepare(file).map_err(|e| cannot_write(file, &e))?;
    }
    Ok(())
}

/// Whether it is no database in memory.
fn is_a_file(file: &Path) -> bool {
    let name = file.to_string_lossy();
    !name.is_empty() && !name.starts_with(":memory:") && !name.starts_with("file:sqlx-in-memory")
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
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .pragma("temp_store", "memory")
        // Rows that go are overwritten in their page; an erasure overwrites pages that become free as well.
        .pragma("secure_delete", "FAST"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sqlite_connections_overwrite_the_rows_that_go() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("toolbox.db").display());
        let db = Db::connect(&DbConfig::at(&url), &crate::ops::schema::SCHEMA).await.unwrap();
        let Db::Sqlite { write, .. } = &db else { panic!("not SQLite") };
        let set = sqlx::query_scalar::<sqlx::Sqlite, i64>("PRAGMA secure_delete").persistent(false);
        assert_eq!(set.fetch_one(write).await.unwrap(), 2, "FAST");
        db.close().await;
    }

    #[tokio::test]
    async fn connect_to_a_postgres_that_is_not_there_names_host_and_port_and_no_password() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("postgres://toolbox:hushhush@127.0.0.1:{free}/toolbox");
        let Err(Error::Unavailable(why)) = Db::connect(&DbConfig::at(&url), &crate::ops::schema::SCHEMA).await else {
            panic!("not away")
        };
        assert!(why.contains(&format!("127.0.0.1:{free} cannot be reached")) && !why.contains("hushhush"), "{why}");
    }
}
