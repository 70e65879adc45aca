//! Database layer, the only code aware of the two engines: SQLite (one file, one machine) and PostgreSQL.
//!
//! One SQL text runs on both through [`q!`] and [`qb!`]; both accept `$1` placeholders. No SQL text calls the clock or
//! a random source. Transactions open only in handlers and tasks, and none stays open during a network call.
//!
//! A transaction records changed records ([`super::dirty`]) and emitted events ([`Tx::emit`]). The registered commit
//! hooks ([`Schema`]) read both at commit. A transaction that changed the demonstration business cannot commit, unless
//! it is its seeder.

use std::{any::Any, time::Duration};

use sqlx::{
    PgPool, Postgres, Sqlite, SqlitePool, Transaction, pool::PoolConnection, postgres::PgConnection,
    sqlite::SqliteConnection,
};

use crate::platform::{
    dirty::{DirtySet, Entity, Invalidation},
    error::{Error, Result},
    id::{DEMO_ORG, OrgId},
};

pub mod absence;
pub mod batch;
mod checkpoint;
mod commit_limit;
mod connect;
pub mod copy;
pub(crate) mod cursor;
mod empty_database;
mod events;
mod file_guard;
pub mod flush;
pub mod group_commit;
mod handlers;
mod point_read;
mod row;
pub mod rows;
mod schema;
pub mod slices;
pub mod statement;
mod statement_timer;
pub mod tenant_scope;
pub mod write_probe;
mod writer_turn;

use commit_limit::{COMMIT_LIMIT, LONG_COMMIT_LIMIT, commit_within};
pub use connect::DbConfig;
use events::TxEvents;
use flush::{PendingFlush, SharedFlush};
use group_commit::{GroupMember, GroupWriter, WriterStats};
pub use handlers::{Handler, Handlers};
pub use row::{batch_row, batch_rows, insert_row};
pub use schema::{CommitHook, Schema, describe_schema};
pub use writer_turn::WRITER_LOCKS;

#[derive(Clone, Debug)]
pub enum Db {
    /// Several readers and one writer connection, so that writers queue fairly here instead of in the busy timeout.
    /// `writer` opens the transactions on it.
    Sqlite { read: SqlitePool, write: SqlitePool, writer: GroupWriter, schema: &'static Schema },
    /// Readers plan each query separately (see `connect`).
    Postgres { read: PgPool, write: PgPool, flush: SharedFlush, schema: &'static Schema },
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
}

/// Dropping it rolls back.
enum WriteTx {
    Sqlite(GroupMember),
    Postgres(Transaction<'static, Postgres>),
}

enum ReadTx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// Dropping it rolls back.
pub struct Tx {
    driver: WriteTx,
    schema: &'static Schema,
    dirty: DirtySet,
    events: TxEvents,
    demo: DemoGuard,
    rows_at_commit: Vec<batch::Insert<'static>>,
    /// Its commit does not wait for the disk; this does ([`flush`]).
    late_flush: Option<PendingFlush>,
    /// How long PostgreSQL is waited for at the commit.
    commit_limit: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoGuard {
    Untouched,
    /// Changed: the transaction must not commit.
    Changed,
    /// The seeder's transaction: may commit.
    Seeding,
}

/// A consistent read snapshot for several statements. Keep it open only briefly.
pub struct Snapshot {
    driver: ReadTx,
    schema: &'static Schema,
}

pub enum ConnRef<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgConnection),
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
            PooledConn::Postgres(c) => ConnRef::Postgres(c),
        }
    }

    fn handlers(&self) -> Handlers {
        self.schema.handlers
    }
}

impl AsConn for Tx {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match &mut self.driver {
            WriteTx::Sqlite(member) => ConnRef::Sqlite(member.conn()),
            WriteTx::Postgres(t) => ConnRef::Postgres(t),
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
            ReadTx::Postgres(t) => ConnRef::Postgres(t),
        }
    }

    fn handlers(&self) -> Handlers {
        self.schema.handlers
    }
}

impl Tx {
    fn new(driver: WriteTx, schema: &'static Schema) -> Self {
        Self {
            driver,
            schema,
            dirty: DirtySet::default(),
            events: TxEvents::default(),
            demo: DemoGuard::Untouched,
            rows_at_commit: Vec::new(),
            late_flush: None,
            commit_limit: COMMIT_LIMIT,
        }
    }

    /// Marks a record as changed; [`Self::commit`] updates what is derived from it. Redundant beside a live event.
    pub fn mark_dirty(&mut self, org: OrgId, what: impl Into<Invalidation>) {
        self.guard_writable(org);
        self.dirty.mark_dirty(org, what.into());
    }

    pub fn record_new(&mut self, org: OrgId, entity: impl Into<Entity>) {
        self.guard_writable(org);
        self.dirty.record_new(org, entity.into());
    }

    /// Declares a change to a business's data. Needed only where nothing is announced, audited, queued or marked dirty,
    /// which all imply it.
    pub fn guard_writable(&mut self, org: OrgId) {
        if org == DEMO_ORG && self.demo == DemoGuard::Untouched {
            self.demo = DemoGuard::Changed;
        }
    }

    /// Permits this transaction to change the demonstration business: only for its seeder.
    pub fn allow_demo_seeding(&mut self) {
        self.demo = DemoGuard::Seeding;
    }

    /// Seeding transactions never queue tasks.
    #[must_use]
    pub fn is_seeding(&self) -> bool {
        self.demo == DemoGuard::Seeding
    }

    pub fn emit_event<E: Any + Send>(&mut self, org: OrgId, event: E) {
        self.guard_writable(org);
        self.events.push_event(event);
    }

    /// Events of one type so far, in order of emission.
    #[must_use]
    pub fn events<E: Any>(&self) -> &[E] {
        self.events.events_of_type()
    }

    pub fn take_events<E: Any>(&mut self) -> Vec<E> {
        self.events.take_events_of_type()
    }

    /// Rows of a commit hook that no later statement reads: written by the last statement before the commit.
    pub(crate) fn insert_at_commit(&mut self, rows: Vec<batch::Insert<'static>>) {
        self.rows_at_commit.extend(rows);
    }

    /// Rows of [`Self::insert_at_commit`], for the statement that takes them along.
    pub(crate) fn take_rows_at_commit(&mut self) -> Vec<batch::Insert<'static>> {
        std::mem::take(&mut self.rows_at_commit)
    }

    #[must_use]
    pub fn dirty_set(&self) -> &DirtySet {
        &self.dirty
    }

    pub fn take_dirty(&mut self) -> DirtySet {
        std::mem::take(&mut self.dirty)
    }

    /// Runs the commit hooks and commits; the change is on disk when this returns. Errors: [`Error::DemoReadOnly`] when
    /// the demonstration business was changed; the transaction is rolled back. [`Error::Unavailable`] when the server was
    /// lost or did not answer in time: whether the change is kept is not known then, and a repeat finds out by its key.
    pub async fn commit(mut self) -> Result<()> {
        if self.demo == DemoGuard::Changed {
            return Err(Error::DemoReadOnly);
        }
        for hook in self.schema.commit_hooks {
            if (hook.is_due)(&self) {
                (hook.run)(&mut self).await?;
            }
        }
        let rows = self.take_rows_at_commit();
        batch::insert_all(&mut self, &rows).await?;
        match self.driver {
            WriteTx::Sqlite(member) => member.commit().await?,
            WriteTx::Postgres(t) => commit_within(self.commit_limit, t.commit()).await?,
        }
        match self.late_flush {
            Some(flush) => flush.wait_for_disk().await,
            None => Ok(()),
        }
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
            Self::Postgres { read, .. } => PooledConn::Postgres(read.acquire().await?),
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
        let driver = match self {
            Self::Sqlite { writer, .. } => WriteTx::Sqlite(writer.begin(is_long).await?),
            Self::Postgres { write, .. } => WriteTx::Postgres(tenant_scope::begin_scoped(write, None, "").await?),
        };
        Ok(Tx { commit_limit, ..Tx::new(driver, self.schema()) })
    }

    /// Opens a write transaction for whose rows others wait: on PostgreSQL its commit releases them before the flush, and
    /// returns after it ([`flush`]). `reader` is a connection of [`Self::acquire_point_reader`], which it then runs on.
    pub async fn begin_contended(&self, reader: Option<Conn>) -> Result<Tx> {
        let Self::Postgres { write, flush, schema, .. } = self else {
            drop(reader);
            return self.begin().await;
        };
        let pending = flush.prepare_flush().await?;
        let conn = reader.and_then(|reader| match reader.driver {
            PooledConn::Postgres(conn) => Some(conn),
            PooledConn::Sqlite(_) => None,
        });
        let driver = tenant_scope::begin_scoped(write, conn, "; SET LOCAL synchronous_commit = off").await?;
        Ok(Tx { late_flush: Some(pending), ..Tx::new(WriteTx::Postgres(driver), schema) })
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
        const UNMOVED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let driver = match self {
            Self::Sqlite { read, writer, .. } => {
                writer.check_file()?;
                ReadTx::Sqlite(read.begin().await?)
            }
            Self::Postgres { read, .. } => ReadTx::Postgres(read.begin_with(UNMOVED).await?),
        };
        Ok(Snapshot { driver, schema: self.schema() })
    }
}

/// Locking suffix that skips rows held by another claimer. Empty on `SQLite`, which has one writer.
pub fn skip_locked_clause(conn: &mut dyn AsConn) -> &'static str {
    match conn.as_conn() {
        ConnRef::Sqlite(_) => "",
        ConnRef::Postgres(_) => " FOR UPDATE SKIP LOCKED",
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

/// Disables the idle timeout (see `connect`) for a transaction that waits while the other side of a database copy reads
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

/// Runs one SQL text on the engine of `$c`:
/// `q!(conn, fetch_optional as Lead, "SELECT … $1", id)`, `q!(conn, fetch_one scalar i64, "…")`, `q!(conn, execute, "…", id)`.
#[macro_export]
macro_rules! q {
    ($c:expr, execute, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.execute(conn).await
            }
        }
    };
    ($c:expr, $how:ident scalar $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.$how(conn).await.and_then($crate::platform::db::statement::Fetched::scalars::<$t>)
            }
        }
    };
    ($c:expr, $how:ident as $t:ty, $sql:expr $(, $a:expr)* $(,)?) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let statement = $crate::q!(@statement conn, $sql $(, $a)*);
                statement.$how(conn).await.and_then($crate::platform::db::statement::Fetched::records::<$t>)
            }
        }
    };
    (@statement $conn:ident, $sql:expr $(, $a:expr)*) => {
        $crate::platform::db::statement::Statement::new(&$conn, $sql, &[$(&::std::convert::identity($a)),*])
    };
}

/// As `q!`, for composed SQL: optional filters, several rows, lists.
/// `qb!(conn, fetch_all as Lead, |b| { b.push("… = ").push_bind(x); })`.
#[macro_export]
macro_rules! qb {
    ($c:expr, execute, |$b:ident| $body:block) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::platform::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().execute(conn).await
            }
        }
    };
    ($c:expr, $how:ident scalar $t:ty, |$b:ident| $body:block) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::platform::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().$how(conn).await.and_then($crate::platform::db::statement::Fetched::scalars::<$t>)
            }
        }
    };
    ($c:expr, $how:ident as $t:ty, |$b:ident| $body:block) => {
        match $crate::platform::db::AsConn::as_conn($c) {
            conn => {
                let mut $b = $crate::platform::db::statement::SqlBuilder::new(&conn);
                $body;
                $b.into_statement().$how(conn).await.and_then($crate::platform::db::statement::Fetched::records::<$t>)
            }
        }
    };
}

pub use crate::{q, qb};
