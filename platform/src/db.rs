//! Database layer, the only code aware of the two engines: SQLite (one file, one machine) and PostgreSQL.
//!
//! One SQL text runs on both through [`q!`] and [`qb!`]; both accept `$1` placeholders. No SQL text calls the clock or
//! a random source. Transactions open only in handlers and tasks, and none stays open during a network call.
//!
//! A transaction records changed records ([`super::dirty`]) and emitted events ([`Tx::emit_event`]). The registered
//! commit hooks ([`Schema`]) read both at commit. A transaction that changed the demonstration business cannot commit,
//! unless it is its seeder.

use sqlx::{
    PgPool, Postgres, Sqlite, SqlitePool, Transaction, pool::PoolConnection, postgres::PgConnection,
    sqlite::SqliteConnection,
};

use crate::{error::Result, spans::TransactionSpan};

pub mod batch;
pub mod batched_delete;
mod checkpoint;
mod commit_limit;
mod connect;
pub mod copy;
pub mod cursor;
mod empty_database;
mod events;
mod file_guard;
pub mod flush;
pub mod group_commit;
mod handlers;
mod point_read;
mod pooler;
mod postgres;
mod query;
mod report_read;
mod row;
pub mod rows;
mod schema;
mod server_settings;
pub mod statement;
mod statement_timer;
pub mod tenant_scope;
mod tx;
pub mod unavailability;
pub mod write_probe;
mod writer_turn;

pub use crate::{q, qb};
use commit_limit::{COMMIT_LIMIT, LONG_COMMIT_LIMIT};
pub use connect::DbConfig;
use flush::SharedFlush;
use group_commit::{GroupWriter, WriterStats};
pub use handlers::{Handler, Handlers};
pub use pooler::SessionMode;
pub use report_read::ReportReader;
pub use row::{batch_row, batch_rows, insert_row};
pub use schema::{CommitHook, Schema, describe_schema};
use tenant_scope::ScopedTx;
pub use tx::Tx;
use tx::WriteTx;
pub use writer_turn::WRITER_LOCKS;

#[derive(Clone, Debug)]
pub enum Db {
    /// Several readers and one writer connection, so that writers queue fairly here instead of in the busy timeout.
    /// `writer` opens the transactions on it.
    Sqlite { read: SqlitePool, write: SqlitePool, writer: GroupWriter, schema: &'static Schema },
    /// Readers plan each query separately (see `postgres`). `direct` keeps its sessions, for LISTEN and migrations; it
    /// opens a connection when one is asked for. `reports` leads to a replica.
    Postgres {
        read: PgPool,
        write: PgPool,
        direct: PgPool,
        reports: Option<PgPool>,
        flush: SharedFlush,
        sessions: SessionMode,
        schema: &'static Schema,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Sqlite,
    Postgres,
}

pub struct Conn {
    driver: PooledConn,
    schema: &'static Schema,
}

enum PooledConn {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
    /// Behind a pooler in transaction mode: only a transaction stays on one server connection.
    PostgresTx(ScopedTx),
}

enum ReadTx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(ScopedTx),
}

/// A consistent read snapshot for several statements. Keep it open only briefly.
pub struct Snapshot {
    driver: ReadTx,
    schema: &'static Schema,
}

pub enum ConnRef<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(PgRef<'a>),
}

pub struct PgRef<'a> {
    conn: &'a mut PgConnection,
    /// Whether a prepared statement is found again by its name ([`SessionMode`]).
    has_named_statements: bool,
}

pub trait AsConn: Send {
    fn as_conn(&mut self) -> ConnRef<'_>;

    /// What later domains have registered for earlier ones.
    fn handlers(&self) -> Handlers;
}

impl AsConn for Conn {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match &mut self.driver {
            PooledConn::Sqlite(c) => ConnRef::Sqlite(c),
            PooledConn::Postgres(conn) => ConnRef::Postgres(PgRef { conn, has_named_statements: true }),
            PooledConn::PostgresTx(t) => t.as_conn(),
        }
    }

    fn handlers(&self) -> Handlers {
        self.schema.handlers
    }
}

impl AsConn for Snapshot {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match &mut self.driver {
            ReadTx::Sqlite(t) => ConnRef::Sqlite(t),
            ReadTx::Postgres(t) => t.as_conn(),
        }
    }

    fn handlers(&self) -> Handlers {
        self.schema.handlers
    }
}

impl Db {
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            Self::Sqlite { .. } => Engine::Sqlite,
            Self::Postgres { .. } => Engine::Postgres,
        }
    }

    /// Whether transactions that wait at one moment share a commit by themselves ([`group_commit`]).
    #[must_use]
    pub fn shares_commits(&self) -> bool {
        matches!(self, Self::Sqlite { .. })
    }

    #[must_use]
    pub fn schema(&self) -> &'static Schema {
        match self {
            Self::Sqlite { schema, .. } | Self::Postgres { schema, .. } => schema,
        }
    }

    pub async fn acquire_reader(&self) -> Result<Conn> {
        let driver = match self {
            Self::Sqlite { read, writer, .. } => {
                writer.check_file()?;
                PooledConn::Sqlite(read.acquire().await?)
            }
            Self::Postgres { read, sessions, .. } => postgres::acquire_in(read, *sessions, postgres::READER).await?,
        };
        Ok(Conn { driver, schema: self.schema() })
    }

    /// Opens a write transaction. On `SQLite`, waiting transactions share one commit ([`group_commit`]).
    pub async fn begin(&self) -> Result<Tx> {
        self.open_tx(false).await
    }

    /// For transactions longer than a request: import, removal, sweep. Transactions opened earlier do not wait for it.
    pub async fn begin_long(&self) -> Result<Tx> {
        self.open_tx(true).await
    }

    async fn open_tx(&self, is_long: bool) -> Result<Tx> {
        let commit_limit = if is_long { LONG_COMMIT_LIMIT } else { COMMIT_LIMIT };
        let span = TransactionSpan::open_span();
        let driver = match self {
            Self::Sqlite { writer, .. } => WriteTx::Sqlite(writer.begin(is_long).await?),
            Self::Postgres { write, sessions, .. } => {
                WriteTx::Postgres(postgres::WRITER.begin_tx(write, *sessions).await?)
            }
        };
        Ok(Tx::from_driver(driver, self.schema(), span).with_commit_limit(commit_limit))
    }

    /// Opens a write transaction for whose rows others wait: on PostgreSQL its commit releases them before the flush,
    /// and returns after it ([`flush`]).
    pub async fn begin_contended(&self) -> Result<Tx> {
        let Self::Postgres { write, flush, sessions, schema, .. } = self else { return self.begin().await };
        let span = TransactionSpan::open_span();
        let pending = flush.prepare_flush().await?;
        let driver = postgres::CONTENDED_WRITER.begin_tx(write, *sessions).await?;
        Ok(Tx::from_driver(WriteTx::Postgres(driver), schema, span).with_late_flush(pending))
    }

    /// False while the `SQLite` file is missing from its path or replaced; all writes are then refused.
    #[must_use]
    pub fn is_file_in_place(&self) -> bool {
        match self {
            Self::Sqlite { writer, .. } => writer.is_file_in_place(),
            Self::Postgres { .. } => true,
        }
    }

    /// Hold time and count of the `SQLite` writer; none on PostgreSQL, which has no single writer.
    #[must_use]
    pub fn writer_stats(&self) -> Option<WriterStats> {
        match self {
            Self::Sqlite { writer, .. } => Some(writer.stats()),
            Self::Postgres { .. } => None,
        }
    }

    pub async fn begin_snapshot(&self) -> Result<Snapshot> {
        let driver = match self {
            Self::Sqlite { read, writer, .. } => {
                writer.check_file()?;
                ReadTx::Sqlite(read.begin().await?)
            }
            Self::Postgres { read, sessions, .. } => {
                ReadTx::Postgres(postgres::SNAPSHOT.begin_tx(read, *sessions).await?)
            }
        };
        Ok(Snapshot { driver, schema: self.schema() })
    }
}

/// Locking suffix that skips rows held by another claimer. Empty on `SQLite`, which has one writer.
#[must_use]
pub fn skip_locked_clause(tx: &Tx) -> &'static str {
    match tx.driver {
        WriteTx::Sqlite(_) => "",
        WriteTx::Postgres(_) => " FOR UPDATE SKIP LOCKED",
    }
}

/// Suffix that locks the rows read until the transaction ends. Empty on `SQLite`, which has one writer.
pub fn for_update_clause(tx: &mut Tx) -> &'static str {
    match tx.driver {
        WriteTx::Sqlite(_) => "",
        WriteTx::Postgres(_) => " FOR UPDATE",
    }
}

/// Transaction-scoped advisory lock, for counting followed by inserting. No-op on `SQLite`, which has one writer.
pub async fn acquire_advisory_lock(tx: &mut Tx, lock: i64) -> Result<()> {
    if let WriteTx::Postgres(_) = tx.driver {
        q!(tx, execute, "SELECT pg_advisory_xact_lock($1)", lock)?;
    }
    Ok(())
}

/// Disables the idle timeout (see `postgres`) for a transaction that waits while the other side of a database copy reads
/// or writes. `SQLite` has no such timeout.
pub async fn disable_idle_timeout(conn: &mut dyn AsConn) -> Result<()> {
    let is_postgres = matches!(conn.as_conn(), ConnRef::Postgres(_));
    if is_postgres {
        q!(conn, execute, "SET LOCAL idle_in_transaction_session_timeout = 0")?;
    }
    Ok(())
}

/// `LIKE` pattern for `needle` anywhere, with wildcards escaped. Use with `ESCAPE '\'`.
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
