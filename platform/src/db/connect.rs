//! Database configuration and connection pools.

use std::{
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use sqlx::{
    ConnectOptions,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use super::{
    Db, Schema,
    checkpoint::{Checkpoints, READER_WAIT},
    empty_database,
    file_guard::FileGuard,
    group_commit::GroupWriter,
    pooler::Pooler,
    server_settings::ServerSettings,
    writer_turn::WriterTurns,
};
use crate::{
    config::EnvVars,
    error::{Error, Result},
    private_file,
};

/// Wait for a free connection; then the request gets a 503.
pub(super) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// `SQLite`'s wait for another process's write (trust: at least 5 s).
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const SQLITE_READERS: u32 = 4;
/// Cache of the writer; negative means KiB. Holds the pages changed by a group of leads, and inner index pages.
const WRITER_CACHE: &str = "-8000";
/// Page size of a new `SQLite` file. A lead changes the last page of some sixty tables and indexes, and the WAL takes
/// whole pages: pages of 4 KiB (`SQLite`'s own size) make it write three times as many bytes.
const PAGE_SIZE: u32 = 1024;
/// WAL length before a checkpoint. A lead changes about a hundred pages, mostly those of the lead before, so a later
/// checkpoint writes fewer pages twice. 24 MiB keep a restart short.
const CHECKPOINT_BYTES: u32 = 24_000 * 1024;
/// Length to which the WAL's file shrinks when it begins anew after a long reader. A little more than a checkpoint
/// leaves: a file that keeps its length is written without being lengthened. In bytes.
const WAL_FILE_LIMIT: &str = "33554432";
/// WAL pages at which a commit runs the checkpoint itself, because none was made beside it.
const LATE_CHECKPOINT_PAGES: &str = "40000";

#[derive(Clone, Debug)]
pub struct DbConfig {
    /// `sqlite://path/to/file.db` or `postgres://…`. May contain a password: never print it.
    pub(super) url: String,
    /// `DATABASE_MIGRATE_URL`: the same database with the role that owns the tables, if that is another one.
    owner: Option<String>,
    /// `DATA_DIR`: the install's other files. None for a database given by address alone.
    pub(super) data_dir: Option<PathBuf>,
    pub(super) server: ServerSettings,
}

impl DbConfig {
    /// Reads `DATABASE_URL`; unset means `sqlite://<DATA_DIR>/toolbox.db`.
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path) -> Self {
        let url =
            vars.get("DATABASE_URL").unwrap_or_else(|| format!("sqlite://{}", data_dir.join("toolbox.db").display()));
        let fits = if is_postgres(&url) {
            PgConnectOptions::from_str(&url).is_ok()
        } else {
            url.starts_with("sqlite:") && SqliteConnectOptions::from_str(&url).is_ok()
        };
        if !fits {
            vars.record_invalid(
                "DATABASE_URL",
                "must be sqlite://path/to/file.db or postgres://user:password@host/name",
            );
        }
        let owner = vars.get("DATABASE_MIGRATE_URL");
        let is_owner = |owner: &String| is_postgres(owner) && PgConnectOptions::from_str(owner).is_ok();
        if owner.as_ref().is_some_and(|owner| !is_postgres(&url) || !is_owner(owner)) {
            vars.record_invalid(
                "DATABASE_MIGRATE_URL",
                "must be postgres://owner:password@host/name, beside a DATABASE_URL of PostgreSQL",
            );
        }
        let server = ServerSettings::from_vars(vars, is_postgres(&url));
        Self { url, owner, data_dir: Some(data_dir.to_path_buf()), server }
    }

    /// Whether `DATABASE_MIGRATE_URL` names another role.
    #[must_use]
    pub fn has_owner(&self) -> bool {
        self.owner.is_some()
    }

    #[must_use]
    pub fn as_owner(&self) -> Self {
        match &self.owner {
            Some(owner) => {
                Self { url: owner.clone(), owner: None, server: self.server.without_pooler(), ..self.clone() }
            }
            None => self.clone(),
        }
    }

    pub(super) fn serving_role(&self) -> Option<String> {
        let owner = self.owner.as_ref()?;
        let role = |url: &str| PgConnectOptions::from_str(url).ok().map(|options| options.get_username().to_owned());
        let (owner, serving) = (role(owner)?, role(&self.url)?);
        (owner != serving).then_some(serving)
    }

    /// None on PostgreSQL.
    #[must_use]
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        if is_postgres(&self.url) {
            return None;
        }
        SqliteConnectOptions::from_str(&self.url).ok().map(|options| options.get_filename().to_path_buf())
    }

    /// Ignores the data folder's install mark: for restoring a backup into an empty database.
    #[must_use]
    pub fn without_data_dir(&self) -> Self {
        Self { data_dir: None, ..self.clone() }
    }

    /// Marks the data folder as installed once the schema exists. From then on an empty or missing database is refused.
    pub fn mark_installed(&self) {
        let file = self.sqlite_file();
        let is_kept = file.as_deref().is_none_or(is_on_disk);
        if let Some(data_dir) = self.data_dir.as_deref().filter(|_| is_kept) {
            empty_database::ensure_install_marker(data_dir, file.as_deref());
        }
    }

    #[must_use]
    pub fn from_url(url: &str) -> Self {
        Self { url: url.to_owned(), owner: None, data_dir: None, server: ServerSettings::default() }
    }

    /// For tests: as behind a pooler in transaction mode, with server connections that keep nothing from one transaction
    /// to the next. The address itself leads to the server.
    #[must_use]
    pub fn with_discarded_sessions(mut self) -> Self {
        let listen_url = Some(self.url.clone());
        self.server =
            ServerSettings { pooler: Pooler::Transaction, listen_url, discards_sessions: true, ..self.server };
        self
    }

    pub(super) fn is_pooled(&self) -> bool {
        self.server.pooler == Pooler::Transaction
    }
}

pub(super) fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres:") || url.starts_with("postgresql:")
}

impl Db {
    /// Opens the pools. Creates a missing `SQLite` file and its folder, unless the data folder shows an earlier
    /// install. Errors: [`Error::Unavailable`] when the server does not answer or the file cannot be opened,
    /// [`Error::Refused`] when the database has no schema although an install was here.
    pub async fn connect(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        Self::open_pools(config, schema, true).await
    }

    /// Opens the pools of a database created by another process: a missing or empty `SQLite` file is an error and is
    /// not changed. Errors: as for [`Self::connect`].
    pub async fn connect_existing(config: &DbConfig, schema: &'static Schema) -> Result<Self> {
        Self::open_pools(config, schema, false).await
    }

    async fn open_pools(config: &DbConfig, schema: &'static Schema, create: bool) -> Result<Self> {
        if is_postgres(&config.url) {
            // Boxed: the future of every caller would hold the state of three connections being opened.
            return Box::pin(Self::open_postgres(config, schema)).await;
        }
        Self::open_sqlite(config, schema, create).await
    }

    async fn open_sqlite(config: &DbConfig, schema: &'static Schema, create: bool) -> Result<Self> {
        let options = sqlite_options(&config.url)?.create_if_missing(create);
        let file = options.get_filename().to_path_buf();
        let data_dir = config.data_dir.as_deref().filter(|_| is_on_disk(&file));
        let installed = data_dir.filter(|data_dir| empty_database::has_prior_install(&file, data_dir));
        if is_on_disk(&file) {
            empty_database::reject_empty_database(&file, create, installed)?;
        }
        if let Some(folder) = file.parent() {
            tokio::fs::create_dir_all(folder).await.map_err(|e| not_writable_error(folder, &e))?;
        }
        protect_sqlite_file(&file, create)?;
        // Only the group commit opens transactions; it replaces a connection in an unknown state.
        let write = SqlitePoolOptions::new().max_connections(1).acquire_timeout(BUSY_TIMEOUT);
        let write = write.connect_with(options.clone().pragma("cache_size", WRITER_CACHE)).await?;
        let guard = FileGuard::for_file(&file);
        let read = SqlitePoolOptions::new().max_connections(SQLITE_READERS).acquire_timeout(ACQUIRE_TIMEOUT);
        let read = reject_other_file(read, &guard)
            .connect_with(options.clone().read_only(true).create_if_missing(false))
            .await?;
        let turns = WriterTurns::for_database(&file);
        let checkpoints = if is_on_disk(&file) {
            let page_size = sqlx::query_scalar("PRAGMA page_size").persistent(false).fetch_one(&write).await?;
            Checkpoints::for_database(&file, options.busy_timeout(READER_WAIT), CHECKPOINT_BYTES, page_size)
        } else {
            Checkpoints::NONE
        };
        let writer = GroupWriter::new(write.clone(), turns, guard, checkpoints, BUSY_TIMEOUT);
        let db = Self::Sqlite { read, write, writer, schema };
        if data_dir.is_some() && db.has_schema().await? {
            config.mark_installed();
        } else if let Some(data_dir) = installed {
            db.close().await;
            return Err(empty_database::empty_database_error(&file, data_dir));
        }
        Ok(db)
    }

    pub async fn close(&self) {
        match self {
            Self::Sqlite { read, write, writer, .. } => {
                read.close().await;
                writer.close_checkpoints().await;
                write.close().await;
            }
            Self::Postgres { read, write, direct, reports, flush, .. } => {
                flush.close_connection().await;
                direct.close().await;
                if let Some(reports) = reports {
                    reports.close().await;
                }
                read.close().await;
                write.close().await;
            }
        }
    }
}

fn not_writable_error(path: &Path, error: &std::io::Error) -> Error {
    let advice = "give it to the user that runs Toolbox, with the right to write";
    Error::Unavailable(format!("{} cannot be written: {error}; {advice}", path.display()))
}

/// Owner-only permissions for the file; `SQLite` gives its logs the same ones.
fn protect_sqlite_file(file: &Path, create: bool) -> Result<()> {
    if is_on_disk(file) && (create || file.exists()) {
        private_file::ensure_private_file(file).map_err(|e| not_writable_error(file, &e))?;
    }
    Ok(())
}

/// False for a database in memory.
fn is_on_disk(file: &Path) -> bool {
    let name = file.to_string_lossy();
    !name.is_empty() && !name.starts_with(":memory:") && !name.starts_with("file:sqlx-in-memory")
}

/// Options of every connection: WAL, `synchronous=FULL` (a 2xx follows only after the commit is on disk), foreign keys,
/// and a busy timeout, because the API and the worker are two processes on one file.
/// A reader that connects while another file lies at the path would read that file, also after the right one is back,
/// and would share its `-shm` with the others under two names.
fn reject_other_file(pool: SqlitePoolOptions, guard: &FileGuard) -> SqlitePoolOptions {
    let guard = guard.clone();
    pool.after_connect(move |_, _| {
        let checked = guard.check_in_place().map_err(|why| sqlx::Error::Io(std::io::Error::other(why)));
        Box::pin(std::future::ready(checked))
    })
}

fn sqlite_options(url: &str) -> Result<SqliteConnectOptions> {
    Ok(SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        // An existing file keeps its own.
        .page_size(PAGE_SIZE)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .statement_cache_capacity(256)
        .pragma("cache_size", "-2000")
        .pragma("wal_autocheckpoint", LATE_CHECKPOINT_PAGES)
        .pragma("journal_size_limit", WAL_FILE_LIMIT)
        .pragma("temp_store", "memory")
        // Overwrites deleted rows in their page; an erasure also overwrites freed pages.
        .pragma("secure_delete", "FAST")
        // `statement_timer` logs the slow ones.
        .disable_statement_logging())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn new_sqlite_file_has_small_pages_a_bounded_wal_and_secure_delete() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}", folder.path().join("toolbox.db").display());
        let db = Db::connect(&DbConfig::from_url(&url), &crate::db::schema::BARE_SCHEMA).await.unwrap();
        let Db::Sqlite { write, .. } = &db else { panic!("not SQLite") };
        let set = sqlx::query_scalar::<sqlx::Sqlite, i64>("PRAGMA secure_delete").persistent(false);
        assert_eq!(set.fetch_one(write).await.unwrap(), 2, "FAST");
        let size = sqlx::query_scalar::<sqlx::Sqlite, i64>("PRAGMA page_size").persistent(false);
        assert_eq!(size.fetch_one(write).await.unwrap(), i64::from(PAGE_SIZE));
        let limit = sqlx::query_scalar::<sqlx::Sqlite, i64>("PRAGMA journal_size_limit").persistent(false);
        let limit = limit.fetch_one(write).await.unwrap();
        assert!((i64::from(CHECKPOINT_BYTES)..64_000_000).contains(&limit), "{limit}");
        db.close().await;
    }

    #[tokio::test]
    async fn replaced_file_is_not_read_and_the_right_one_serves_again() {
        let folder = tempfile::tempdir().unwrap();
        let (file, aside) = (folder.path().join("toolbox.db"), folder.path().join("aside.db"));
        let url = format!("sqlite://{}", file.display());
        let db = Db::connect(&DbConfig::from_url(&url), &crate::db::schema::BARE_SCHEMA).await.unwrap();
        drop(db.acquire_reader().await.unwrap());
        std::fs::copy(&file, folder.path().join("copy.db")).unwrap();
        std::fs::rename(&file, &aside).unwrap();
        std::fs::rename(folder.path().join("copy.db"), &file).unwrap();
        assert!(matches!(db.acquire_reader().await, Err(Error::Unavailable(_))));
        assert!(matches!(db.begin_snapshot().await, Err(Error::Unavailable(_))));
        let Db::Sqlite { read, .. } = &db else { panic!("not SQLite") };
        assert_eq!(read.size(), 1, "nothing connected to the other file");
        std::fs::rename(&aside, &file).unwrap();
        drop(db.acquire_reader().await.unwrap());
        db.close().await;
    }

    #[tokio::test]
    async fn unreachable_postgres_error_names_host_and_port_but_no_password() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("postgres://toolbox:hushhush@127.0.0.1:{free}/toolbox");
        let Err(Error::Unavailable(why)) =
            Db::connect(&DbConfig::from_url(&url), &crate::db::schema::BARE_SCHEMA).await
        else {
            panic!("not away")
        };
        assert!(why.contains(&format!("127.0.0.1:{free} cannot be reached")) && !why.contains("hushhush"), "{why}");
    }
}
