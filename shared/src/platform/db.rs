//! The only room that knows there are two databases: SQLite (one file, one machine) and PostgreSQL.
//!
//! One SQL text runs on both through [`q!`] and [`qb!`]; `$1` placeholders work in either. No SQL text calls the clock
//! or a random source. Transactions open in handlers and tasks only, and none stays open during a network call.
//!
//! A transaction keeps what it has touched of the owner's figures, and settles it when it commits ([`crate::domain::growth::metrics`]);
//! so it does with what the leads it touched were promised ([`crate::domain::messaging::response_sla`]), and with its lines of the audit log
//! ([`crate::domain::tenancy::audit`]). One that has touched the demonstration's business does not commit, unless it is the one that
//! seeds it.

use std::collections::BTreeSet;

use sqlx::{
    PgPool, Postgres, Sqlite, SqlitePool, Transaction, pool::PoolConnection, postgres::PgConnection,
    sqlite::SqliteConnection,
};

use crate::{
    domain::{
        growth::metrics::{self, Contribution, Subject, Touch, Touched},
        messaging::response_sla,
        tenancy::audit::chain::{self, Entry},
    },
    ops::demo_seed::DEMO,
    platform::{
        error::{Error, Result},
        id::{CustomerId, LeadId, OrgId},
    },
};

pub mod absence;
pub mod batch;
mod connect;
pub mod copy;
pub(crate) mod cursor;
mod emptied;
mod file_guard;
pub mod flush;
pub mod group_commit;
mod look_up;
pub mod rows;
mod schema;
pub mod second_wall;
pub mod slices;
pub mod statement;
pub mod write_proof;
mod writer_turn;

pub use connect::DbConfig;
use group_commit::{GroupWriter, Member, WriterStats};
pub use schema::describe_schema;
pub use writer_turn::WRITER_LOCKS;

/// A handle on the database. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// Many readers and one writer connection, so that writers queue fairly here and not in the busy timeout.
    /// `writer` opens the transactions on it.
    Sqlite { read: SqlitePool, write: SqlitePool, writer: GroupWriter },
    /// Who only reads gets a plan for each question (`connect` says why).
    Postgres { read: PgPool, write: PgPool },
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
    touched: Touched,
    /// Lines of the audit log, in the order of the deeds.
    entries: Vec<Entry>,
    demo: Wall,
}

/// How a transaction stands to the demonstration's business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wall {
    /// It has nothing to do with it.
    Apart,
    /// It has changed something of it, and must not commit.
    Touched,
    /// It is the one that seeds it.
    Seeds,
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
    fn new(driver: Driver) -> Self {
        Self { driver, touched: Touched::default(), entries: Vec::new(), demo: Wall::Apart }
    }

    /// Notes that this changes what `what` contributes to the owner's figures: they are made true by [`Self::commit`].
    /// Whatever leaves a live event need not say so itself.
    pub fn touch(&mut self, org: OrgId, what: impl Into<Touch>) {
        self.changes(org);
        self.touched.touch(org, what.into());
    }

    /// Notes that this changes something of a business. Whatever is announced, audited, queued or touched says so by
    /// itself; only what leaves none of these has to.
    pub fn changes(&mut self, org: OrgId) {
        if org == DEMO && self.demo == Wall::Apart {
            self.demo = Wall::Touched;
        }
    }

    /// From now on this may change the demonstration's business: for its seeder alone.
    pub(crate) fn seeds_demo(&mut self) {
        self.demo = Wall::Seeds;
    }

    /// The same for what this very transaction has just made: what it contributes is known, and need not be read.
    pub(crate) fn born(&mut self, org: OrgId, subject: impl Into<Subject>, contribution: Contribution) {
        self.changes(org);
        self.touched.born(org, subject.into(), contribution);
    }

    /// Whether it is the one that seeds the demonstration: of that nothing is ever queued.
    pub(crate) fn is_seeding(&self) -> bool {
        self.demo == Wall::Seeds
    }

    /// Keeps a line of the audit log for [`Self::commit`].
    pub(crate) fn write_down(&mut self, entry: Entry) {
        self.changes(entry.org_id);
        self.entries.push(entry);
    }

    /// The lines that were kept so far; they are not written again.
    pub(crate) fn take_entries(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// What was touched so far; it is not settled again.
    pub(crate) fn take_touched(&mut self) -> Touched {
        std::mem::take(&mut self.touched)
    }

    /// The leads that were touched so far, and the customers all of whose leads were.
    pub(crate) fn touched_leads(&self) -> Vec<(OrgId, BTreeSet<LeadId>, BTreeSet<CustomerId>)> {
        self.touched.leads()
    }

    /// Makes the change durable: when this returns, it is on disk, and the owner's figures with it.
    ///
    /// # Errors
    /// [`Error::DemoReadOnly`] when it has changed something of the demonstration; nothing of it stays then.
    pub async fn commit(mut self) -> Result<()> {
        if self.demo == Wall::Touched {
            return Err(Error::DemoReadOnly);
        }
        if !self.touched.is_empty() {
            // Boxed: few transactions carry it, and every handler's future would hold it. The promises come first: what
            // became of them is counted.
            Box::pin(response_sla::settle(&mut self)).await?;
            Box::pin(metrics::settle(&mut self)).await?;
        }
        // Last of all, and with nothing after it but the commit: from here on the business's other writers wait.
        if !self.entries.is_empty() {
            Box::pin(chain::append(&mut self)).await?;
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
        Ok(Tx::new(match self {
            Self::Sqlite { writer, .. } => Driver::Sqlite(writer.begin(is_long).await?),
            Self::Postgres { write, .. } => Driver::Postgres(write.begin().await?),
        }))
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
