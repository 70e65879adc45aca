//! Group commit on `SQLite`: transactions that wait for the writer at the same time share one commit and one flush.
//!
//! The first of a group opens `BEGIN IMMEDIATE`; those behind it work under a savepoint each, one after the other. A
//! member that is dropped is rolled back alone. A commit returns when the whole group is on disk: what
//! [`Member::commit`] promises is what a commit of its own promised. The group is closed by a task that lines up behind
//! those that wait when its first member has ended, so a transaction that waits for nobody is committed at once.
//!
//! When `SQLite` takes the transaction back by itself (a full disk), every member that waits for it is told so. So it is when
//! the file is not at its place any more: what was committed then is lost with the file.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sqlx::{Sqlite, SqlitePool, pool::PoolConnection, sqlite::SqliteConnection};
use tokio::sync::{Mutex, OwnedMappedMutexGuard, OwnedMutexGuard, watch};

use super::{
    file_guard::FileGuard,
    writer_turn::{Turn, WriterTurns},
};
use crate::platform::error::{Error, Result};

#[cfg(test)]
mod tests;

/// A group takes no more members after this time, and not more than so many.
const LONGEST: Duration = Duration::from_millis(15);
const MOST_MEMBERS: u32 = 64;
/// Upper bounds of the classes in which [`WriterStats`] counts how long the writer was held, in milliseconds.
pub const HELD_CLASSES_MS: [u64; 8] = [1, 2, 5, 10, 20, 50, 100, 1_000];

/// Opens the write transactions of one process.
#[derive(Clone, Debug)]
pub struct GroupWriter {
    shared: Arc<Shared>,
    /// Fair: first come, first served.
    slot: Arc<Mutex<Slot>>,
}

#[derive(Debug)]
struct Shared {
    pool: SqlitePool,
    turns: WriterTurns,
    file: FileGuard,
    patience: Duration,
    longest: Duration,
    counters: Counters,
}

/// The writer, with the group that is open on it.
#[derive(Debug, Default)]
struct Slot {
    group: Option<Group>,
    /// Groups opened so far: tells apart the one that a closing task is for.
    opened: u64,
}

#[derive(Debug)]
struct Group {
    /// Which it is, counted from the start of the process.
    number: u64,
    conn: PoolConnection<Sqlite>,
    _turn: Option<Turn>,
    ended: watch::Sender<Option<End>>,
    /// Members that have ended well, and wait for the commit.
    members: u32,
    /// What the transaction holds of a member that has not ended: it is taken back before anything else is done.
    unfinished: Option<Unfinished>,
    /// The savepoint of a member that has ended well still stands: the next member ends it, or the commit.
    is_savepoint_left: bool,
    began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unfinished {
    /// The first: there is nothing in the transaction but its work.
    Whole,
    /// A later one whose savepoint is being set: it has no work yet, and whether the savepoint stands is not known.
    Joining,
    /// A later one: its work is what came after the savepoint.
    Savepoint,
}

/// How a group ended; an error of the driver cannot be handed to several.
#[derive(Clone, Debug)]
enum End {
    Committed,
    DiskFull,
    Unavailable(String),
    Internal(String),
}

/// One transaction of a group. Dropping it rolls its own work back.
pub struct Member {
    group: OwnedMappedMutexGuard<Slot, Group>,
    // Behind the guard: what it starts needs the slot.
    cleanup: Cleanup,
}

/// Tidies the slot when a transaction is dropped: without it the writer would be held until the next one begins.
struct Cleanup {
    writer: GroupWriter,
    is_due: bool,
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        if !self.is_due {
            return;
        }
        // Without a runtime the process ends, and its connection with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let slot = self.writer.slot.clone();
            runtime.spawn(async move { slot.lock_owned().await.tidy().await });
        }
    }
}

/// What the writer of one process has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Transactions of callers.
    pub transactions: u64,
    /// Commits, each with one flush.
    pub commits: u64,
    pub held_ms: u64,
    /// By [`HELD_CLASSES_MS`], and the last for what is above.
    pub held: [u64; HELD_CLASSES_MS.len() + 1],
}

#[derive(Debug, Default)]
struct Counters {
    transactions: AtomicU64,
    commits: AtomicU64,
    held_us: AtomicU64,
    held: [AtomicU64; HELD_CLASSES_MS.len() + 1],
}

impl GroupWriter {
    pub(super) fn new(pool: SqlitePool, turns: WriterTurns, file: FileGuard, patience: Duration) -> Self {
        let shared = Shared { pool, turns, file, patience, longest: LONGEST, counters: Counters::default() };
        Self { shared: Arc::new(shared), slot: Arc::default() }
    }

    /// A transaction, as soon as those before it have ended. A long one begins a group: nobody who was before it waits
    /// for it.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the writer did not get free in time, or the file is not at its place any more.
    pub(super) async fn begin(&self, is_long: bool) -> Result<Member> {
        let waited = tokio::time::timeout(self.shared.patience, self.slot.clone().lock_owned()).await;
        // Declared before the slot, so that it is dropped behind it.
        let cleanup = Cleanup { writer: self.clone(), is_due: waited.is_ok() };
        let mut slot = waited.map_err(|_| sqlx::Error::PoolTimedOut)?;
        slot.tidy().await;
        if is_long || slot.group.as_ref().is_some_and(|group| group.is_full(self.shared.longest)) {
            slot.close(&self.shared).await;
        }
        if slot.group.is_none() {
            slot.open(&self.shared).await?;
        } else {
            slot.join().await?;
        }
        let group = OwnedMutexGuard::try_map(slot, |slot| slot.group.as_mut()).map_err(|_| no_group())?;
        Ok(Member { group, cleanup })
    }

    /// Whether what is committed now is kept.
    pub(super) fn is_in_place(&self) -> bool {
        self.shared.file.check().is_ok()
    }

    #[must_use]
    pub fn stats(&self) -> WriterStats {
        let counters = &self.shared.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WriterStats {
            transactions: read(&counters.transactions),
            commits: read(&counters.commits),
            held_ms: read(&counters.held_us) / 1_000,
            held: std::array::from_fn(|class| counters.held.get(class).map_or(0, read)),
        }
    }

    /// Closes group `number` behind all that wait for the writer now.
    async fn close_behind(self, number: u64) {
        let mut slot = self.slot.clone().lock_owned().await;
        slot.tidy().await;
        if slot.group.as_ref().is_some_and(|group| group.number == number) {
            slot.close(&self.shared).await;
        }
    }
}

impl Group {
    fn is_full(&self, longest: Duration) -> bool {
        self.members >= MOST_MEMBERS || (self.members > 0 && self.began.elapsed() >= longest)
    }
}

impl Slot {
    /// Opens a group, and its first member with it.
    async fn open(&mut self, shared: &Shared) -> Result<()> {
        shared.file.check().map_err(Error::Unavailable)?;
        let turn = shared.turns.take().await;
        let conn = shared.pool.acquire().await?;
        let (ended, _) = watch::channel(None);
        self.opened += 1;
        // It stands here before it is begun: a caller that goes away meanwhile leaves something to tidy.
        let group = self.group.insert(Group {
            number: self.opened,
            conn,
            _turn: turn,
            ended,
            members: 0,
            unfinished: Some(Unfinished::Whole),
            is_savepoint_left: false,
            began: Instant::now(),
        });
        let begun = run(&mut group.conn, "BEGIN IMMEDIATE").await;
        group.began = Instant::now();
        if let Err(e) = begun {
            self.group = None;
            return Err(e.into());
        }
        Ok(())
    }

    async fn join(&mut self) -> Result<()> {
        let Some(group) = &mut self.group else { return Err(no_group()) };
        group.unfinished = Some(Unfinished::Joining);
        let left = std::mem::take(&mut group.is_savepoint_left);
        let sql = if left { "RELEASE member; SAVEPOINT member" } else { "SAVEPOINT member" };
        if let Err(e) = run(&mut group.conn, sql).await {
            let why = End::of(&e);
            self.lose(why);
            return Err(e.into());
        }
        group.unfinished = Some(Unfinished::Savepoint);
        Ok(())
    }

    /// Takes back what a member left that was dropped. The group goes on without it.
    async fn tidy(&mut self) {
        let Some(group) = &mut self.group else { return };
        match group.unfinished {
            None => {}
            // An empty savepoint that is left over ends with the commit.
            Some(Unfinished::Joining) => group.unfinished = None,
            Some(Unfinished::Whole) => {
                // It fails where there is nothing to take back: SQLite has done so, or it never began.
                if let Err(e) = run(&mut group.conn, "ROLLBACK").await {
                    tracing::debug!(error = %e, "nothing was left to roll back");
                    group.conn.close_on_drop();
                }
                self.group = None;
            }
            Some(Unfinished::Savepoint) => {
                let undone = match run(&mut group.conn, "ROLLBACK TO member").await {
                    Ok(()) => run(&mut group.conn, "RELEASE member").await,
                    Err(e) => Err(e),
                };
                match undone {
                    Ok(()) => group.unfinished = None,
                    // SQLite took the whole back when the disk was full: of the others nothing is left either.
                    Err(e) => self.lose(End::taken_back(&e)),
                }
            }
        }
    }

    /// Commits the group, and tells its members.
    async fn close(&mut self, shared: &Shared) {
        let Some(group) = &mut self.group else { return };
        let committed = run(&mut group.conn, "COMMIT").await;
        let end = match &committed {
            Ok(()) => shared.file.check().map_or_else(End::Unavailable, |()| End::Committed),
            Err(e) => {
                tracing::warn!(error = %e, members = group.members, "a group of transactions could not be committed");
                if let Err(e) = run(&mut group.conn, "ROLLBACK").await {
                    tracing::debug!(error = %e, "nothing was left to roll back");
                }
                group.conn.close_on_drop();
                End::of(e)
            }
        };
        shared.counters.note(group);
        group.ended.send_replace(Some(end));
        self.group = None;
    }

    /// The transaction is gone, and with it what its members did.
    fn lose(&mut self, why: End) {
        if let Some(mut group) = self.group.take() {
            group.conn.close_on_drop();
            group.ended.send_replace(Some(why));
        }
    }
}

impl Member {
    pub(super) fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.group.conn
    }

    /// Waits until it is on disk, together with the rest of the group.
    ///
    /// # Errors
    /// When it is not, and then nothing of it is.
    pub(super) async fn commit(self) -> Result<()> {
        let Self { mut group, mut cleanup } = self;
        group.is_savepoint_left = group.unfinished == Some(Unfinished::Savepoint);
        group.unfinished = None;
        cleanup.is_due = false;
        group.members += 1;
        let writer = cleanup.writer.clone();
        writer.shared.counters.transactions.fetch_add(1, Ordering::Relaxed);
        let mut ended = group.ended.subscribe();
        if group.members == 1 {
            tokio::spawn(writer.close_behind(group.number));
        }
        drop(group);
        let end = ended.wait_for(Option::is_some).await.map(|end| end.clone());
        match end {
            Ok(Some(End::Committed)) => Ok(()),
            Ok(Some(End::DiskFull)) => Err(Error::StorageFull),
            Ok(Some(End::Unavailable(why))) => Err(Error::Unavailable(why)),
            Ok(Some(End::Internal(why))) => Err(Error::Internal(why)),
            Ok(None) | Err(_) => Err(Error::Unavailable("the writer was closed".to_owned())),
        }
    }
}

impl End {
    fn of(error: &sqlx::Error) -> Self {
        match Error::from_driver(error) {
            Error::StorageFull => Self::DiskFull,
            Error::Unavailable(why) => Self::Unavailable(why),
            other => Self::Internal(other.to_string()),
        }
    }

    /// The savepoint is not there: what the member met ended the transaction. It was told why; the others may try again.
    fn taken_back(error: &sqlx::Error) -> Self {
        Self::Unavailable(format!("the transaction was taken back: {error}"))
    }
}

impl Counters {
    fn note(&self, group: &Group) {
        let held = group.began.elapsed();
        let (ms, us) = (held.as_millis(), u64::try_from(held.as_micros()).unwrap_or(u64::MAX));
        let class = HELD_CLASSES_MS.iter().position(|bound| ms < u128::from(*bound)).unwrap_or(HELD_CLASSES_MS.len());
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.held_us.fetch_add(us, Ordering::Relaxed);
        if let Some(count) = self.held.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn no_group() -> Error {
    Error::Internal("a transaction without its group".to_owned())
}

async fn run(conn: &mut SqliteConnection, sql: &'static str) -> std::result::Result<(), sqlx::Error> {
    sqlx::query::<Sqlite>(sql).execute(conn).await.map(|_| ())
}
