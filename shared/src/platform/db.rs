//! The only room that knows there are two databases: SQLite (one file, one machine) and PostgreSQL.
//!
//! One SQL text runs on both through [`q!`] and [`qb!`]; `$1` placeholders work in either. No SQL text calls the clock
//! or a random source. Transactions open in handlers and tasks only, and none stays open during a network call.
//!
//! A transaction keeps which records it has changed ([`super::dirty`]) and the events that its code tells others
//! ([`Tx::emit`]). Commit hooks, which the programs register ([`Schema`]), read them when it commits. A transaction that has
//! changed the demonstration does not commit, unless it is the one that seeds it.

use std::any::Any;

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
mod connect;
pub mod copy;
pub(crate) mod cursor;
mod empty_database;
mod events;
mod file_guard;
pub mod flush;
pub mod group_commit;
mod point_read;
pub mod rows;
mod schema;
pub mod slices;
pub mod statement;
pub mod tenant_scope;
pub mod write_proof;
mod writer_turn;

pub use connect::DbConfig;
use events::Events;
use group_commit::{GroupWriter, Member, WriterStats};
pub use schema::{CommitHook, Schema, describe_schema};
pub use writer_turn::WRITER_LOCKS;

/// A handle on the database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// Many readers and one writer connection, so that writers queue fairly here and not in the busy timeout.
    /// `writer` opens the transactions on it.
    Sqlite { read: SqlitePool, write: SqlitePool, writer: GroupWriter, schema: &'static Schema },
    /// Who only reads gets a plan for each question (`connect` says why).
    Postgres { read: PgPool, write: PgPool, schema: &'static Schema },
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

/// A write transaction of one driver. Dropping it rolls back.
enum Driver {
    Sqlite(Member),
    Postgres(Transaction<'static, Postgres>),
}

/// A read transaction of one driver.
enum Reading {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// An open write transaction. Dropping it rolls back.
pub struct Tx {
    driver: Driver,
    schema: &'static Schema,
    dirty: DirtySet,
    events: Events,
    demo: DemoGuard,
}

/// What a transaction has to do with the demonstration's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoGuard {
    /// Nothing.
    Untouched,
    /// It has changed something of it, and must not commit.
    Changed,
    /// It is the one that seeds it.
    Seeding,
}

/// The database as it stood at one instant, for reading in several statements. To be kept for a short time only.
pub struct Snapshot(Reading);

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

impl AsConn for Tx {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match &mut self.driver {
            Driver::Sqlite(member) => ConnRef::Sqlite(member.conn()),
            Driver::Postgres(t) => ConnRef::Postgres(t),
        }
    }
}

impl AsConn for Snapshot {
    fn as_conn(&mut self) -> ConnRef<'_> {
        match &mut self.0 {
            Reading::Sqlite(t) => ConnRef::Sqlite(t),
            Reading::Postgres(t) => ConnRef::Postgres(t),
        }
    }
}

impl Tx {
    fn new(driver: Driver, schema: &'static Schema) -> Self {
        Self { driver, schema, dirty: DirtySet::default(), events: Events::default(), demo: DemoGuard::Untouched }
    }

    /// Notes that a record has changed: what is derived from it is brought up to date by [`Self::commit`]. Whatever leaves a
    /// live event need not say so itself.
    pub fn mark_dirty(&mut self, org: OrgId, what: impl Into<Invalidation>) {
        self.guard_writable(org);
        self.dirty.mark_dirty(org, what.into());
    }

    /// The same for a record that this very transaction has just created.
    pub fn record_new(&mut self, org: OrgId, entity: impl Into<Entity>) {
        self.guard_writable(org);
        self.dirty.record_new(org, entity.into());
    }

    /// Notes that this changes something of a business. Whatever is announced, audited, queued or marked dirty says so by
    /// itself; only what leaves none of these has to.
    pub fn guard_writable(&mut self, org: OrgId) {
        if org == DEMO_ORG && self.demo == DemoGuard::Untouched {
            self.demo = DemoGuard::Changed;
        }
    }

    /// From now on this may change the demonstration's business: for its seeder alone.
    pub fn seeds_demo(&mut self) {
        self.demo = DemoGuard::Seeding;
    }

    /// Whether it is the one that seeds the demonstration: of that nothing is ever queued.
    #[must_use]
    pub fn is_seeding(&self) -> bool {
        self.demo == DemoGuard::Seeding
    }

    /// Tells the commit hooks something about a business's data.
    pub fn emit<E: Any + Send>(&mut self, org: OrgId, event: E) {
        self.guard_writable(org);
        self.events.push(event);
    }

    /// The events of one type so far, in the order in which they were told.
    #[must_use]
    pub fn events<E: Any>(&self) -> &[E] {
        self.events.of()
    }

    /// The same; they are not told again.
    pub fn take_events<E: Any>(&mut self) -> Vec<E> {
        self.events.take()
    }

    /// What was changed and created so far.
    #[must_use]
    pub fn dirty(&self) -> &DirtySet {
        &self.dirty
    }

    /// The same; it is not settled again.
    pub fn take_dirty(&mut self) -> DirtySet {
        std::mem::take(&mut self.dirty)
    }

    /// Runs the commit hooks and makes the change durable: when this returns, it is on disk.
    ///
    /// # Errors
    /// [`Error::DemoReadOnly`] when it has changed something of the demonstration; nothing of it stays then.
    pub async fn commit(mut self) -> Result<()> {
        if self.demo == DemoGuard::Changed {
            return Err(Error::DemoReadOnly);
        }
        for hook in self.schema.commit_hooks {
            if (hook.is_due)(&self) {
                (hook.run)(&mut self).await?;
            }
        }
        match self.driver {
            Driver::Sqlite(member) => member.commit().await?,
            Driver::Postgres(t) => t.commit().await?,
        }
        Ok(())
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

    /// What the programs have registered.
    #[must_use]
    pub fn schema(&self) -> &'static Schema {
        match self {
            Self::Sqlite { schema, .. } | Self::Postgres { schema, .. } => schema,
        }
    }

    /// A connection for reading.
    pub async fn read(&self) -> Result<Conn> {
        Ok(match self {
            Self::Sqlite { read, .. } => Conn::Sqlite(read.acquire().await?),
            Self::Postgres { read, .. } => Conn::Postgres(read.acquire().await?),
        })
    }

    /// Opens a write transaction. On `SQLite` those that wait at the same time share one commit ([`group_commit`]).
    pub async fn begin(&self) -> Result<Tx> {
        self.open_tx(false).await
    }

    /// The same for a transaction that lasts longer than a request's: an import, a removal, a sweep. No other waits for
    /// it to end that was there before it.
    pub async fn begin_long(&self) -> Result<Tx> {
        self.open_tx(true).await
    }

    async fn open_tx(&self, is_long: bool) -> Result<Tx> {
        let driver = match self {
            Self::Sqlite { writer, .. } => Driver::Sqlite(writer.begin(is_long).await?),
            Self::Postgres { write, .. } => Driver::Postgres(write.begin().await?),
        };
        Ok(Tx::new(driver, self.schema()))
    }

    /// False while the file of a `SQLite` database is not where it was opened: every write is refused then.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        match self {
            Self::Sqlite { writer, .. } => writer.is_in_place(),
            Self::Postgres { .. } => true,
        }
    }

    /// How long this process has held `SQLite`'s writer, and how often; none on PostgreSQL, which has no single writer.
    #[must_use]
    pub fn writer_stats(&self) -> Option<WriterStats> {
        match self {
            Self::Sqlite { writer, .. } => Some(writer.stats()),
            Self::Postgres { .. } => None,
        }
    }

    /// Everything as it stands now, whatever is written meanwhile.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        const UNMOVED: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(Snapshot(match self {
            Self::Sqlite { read, .. } => Reading::Sqlite(read.begin().await?),
            Self::Postgres { read, .. } => Reading::Postgres(read.begin_with(UNMOVED).await?),
        }))
    }
}

/// The suffix by which claimers pass over rows that another claimer holds. `SQLite` has one writer and needs none.
pub fn skip_locked(conn: &mut dyn AsConn) -> &'static str {
    match conn.as_conn() {
        ConnRef::Sqlite(_) => "",
        ConnRef::Postgres(_) => " FOR UPDATE SKIP LOCKED",
    }
}

/// The suffix by which a reader holds the rows it reads until its transaction ends. `SQLite` has one writer and needs none.
pub fn row_lock(tx: &mut Tx) -> &'static str {
    match tx.driver {
        Driver::Sqlite(_) => "",
        Driver::Postgres(_) => " FOR UPDATE",
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

/// Lets a transaction wait for longer than others may (`connect`): one that is half of a copy between two databases waits
/// while the other half reads or writes. `SQLite` ends none of its own accord.
pub async fn may_wait(conn: &mut dyn AsConn) -> Result<()> {
    let is_postgres = matches!(conn.as_conn(), ConnRef::Postgres(_));
    if is_postgres {
        q!(conn, execute, "SET LOCAL idle_in_transaction_session_timeout = 0")?;
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

/// Runs one SQL text on whichever database `$c` is:
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

/// The same for a text that is put together: optional filters, several rows, lists.
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
