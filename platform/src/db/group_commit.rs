//! Group commit on `SQLite`: transactions waiting for the writer share one commit and one flush.
//!
//! The first member opens `BEGIN IMMEDIATE`; later ones run one after the other, each under a savepoint. A dropped
//! member is rolled back alone. A commit returns when the whole group is on disk, so [`GroupMember::commit`] is as durable
//! as a commit of its own. When the first member ends, a task queues behind the waiting ones to close the group; a
//! transaction without others behind it is committed at once.
//!
//! When `SQLite` rolls the transaction back by itself (a full disk), every waiting member gets an error. The same holds
//! when the file is missing from its path, because the commit would be lost with the file.

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
    checkpoint::{CheckpointRun, Checkpoints},
    file_guard::FileGuard,
    statement_timer::StatementTimer,
    writer_turn::{WriterTurn, WriterTurns},
};
use crate::error::{Error, Result};

#[cfg(test)]
mod tests;

/// Limits after which a group takes no more members.
const MAX_GROUP_AGE: Duration = Duration::from_millis(15);
const MAX_MEMBERS: u32 = 64;
/// Histogram bounds of writer hold times in [`WriterStats`], in milliseconds.
pub const HELD_BUCKETS_MS: [u64; 8] = [1, 2, 5, 10, 20, 50, 100, 1_000];

/// Opens the write transactions of one process.
#[derive(Clone, Debug)]
pub struct GroupWriter {
    shared: Arc<WriterShared>,
    /// Fair (FIFO).
    slot: Arc<Mutex<WriterSlot>>,
}

#[derive(Debug)]
struct WriterShared {
    pool: SqlitePool,
    turns: WriterTurns,
    file: FileGuard,
    checkpoints: Checkpoints,
    patience: Duration,
    longest: Duration,
    counters: WriterCounters,
}

#[derive(Debug, Default)]
struct WriterSlot {
    group: Option<CommitGroup>,
    /// Groups opened so far; identifies the group of a closing task.
    opened: u64,
}

#[derive(Debug)]
struct CommitGroup {
    number: u64,
    conn: PoolConnection<Sqlite>,
    _turn: Option<WriterTurn>,
    ended: watch::Sender<Option<GroupOutcome>>,
    /// Members that have ended well and wait for the commit.
    members: u32,
    /// Work of a member that has not ended; rolled back before anything else runs.
    unfinished: Option<UnfinishedMember>,
    /// The savepoint of an ended member still exists; the next member or the commit releases it.
    is_savepoint_left: bool,
    began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnfinishedMember {
    /// First member: the transaction has only its work.
    Whole,
    /// Later member whose savepoint is being set: no work yet, and the savepoint may not exist.
    Joining,
    /// Later member: its work follows the savepoint.
    Savepoint,
}

/// Outcome of a group; a driver error cannot be cloned for several members.
#[derive(Clone, Debug)]
enum GroupOutcome {
    Committed,
    DiskFull,
    Unavailable(String),
    Internal(String),
}

/// Dropping it rolls back its own work only.
pub struct GroupMember {
    group: OwnedMappedMutexGuard<WriterSlot, CommitGroup>,
    // Dropped after the guard: the cleanup needs the slot.
    cleanup: MemberCleanup,
}

/// Cleans the slot when a transaction is dropped; otherwise the writer would stay held until the next one begins.
struct MemberCleanup {
    writer: GroupWriter,
    is_due: bool,
}

impl Drop for MemberCleanup {
    fn drop(&mut self) {
        if !self.is_due {
            return;
        }
        // No runtime: the process is ending, and the connection closes with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let slot = self.writer.slot.clone();
            runtime.spawn(async move { slot.lock_owned().await.rollback_unfinished().await });
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterStats {
    pub transactions: u64,
    /// Commits, one flush each.
    pub commits: u64,
    pub held_ms: u64,
    /// By [`HELD_BUCKETS_MS`]; the last counts longer times.
    pub held: [u64; HELD_BUCKETS_MS.len() + 1],
}

#[derive(Debug, Default)]
struct WriterCounters {
    transactions: AtomicU64,
    commits: AtomicU64,
    held_us: AtomicU64,
    held: [AtomicU64; HELD_BUCKETS_MS.len() + 1],
}

impl GroupWriter {
    pub(super) fn new(
        pool: SqlitePool,
        turns: WriterTurns,
        file: FileGuard,
        checkpoints: Checkpoints,
        patience: Duration,
    ) -> Self {
        let (longest, counters) = (MAX_GROUP_AGE, WriterCounters::default());
        let shared = WriterShared { pool, turns, file, checkpoints, patience, longest, counters };
        Self { shared: Arc::new(shared), slot: Arc::default() }
    }

    /// Waits for earlier transactions to end. A long one starts a new group, so that earlier ones do not wait for it.
    /// Errors: [`Error::Unavailable`] when the writer was not free in time, or the file is missing from its path.
    pub(super) async fn begin(&self, is_long: bool) -> Result<GroupMember> {
        let waited = tokio::time::timeout(self.shared.patience, self.slot.clone().lock_owned()).await;
        // Declared before the slot, so that it is dropped after it.
        let cleanup = MemberCleanup { writer: self.clone(), is_due: waited.is_ok() };
        let mut slot = waited.map_err(|_| sqlx::Error::PoolTimedOut)?;
        slot.rollback_unfinished().await;
        if is_long || slot.group.as_ref().is_some_and(|group| group.is_full(self.shared.longest)) {
            slot.commit_group(&self.shared).await;
        }
        if slot.group.is_none() {
            slot.open_group(&self.shared).await?;
        } else {
            slot.join_group().await?;
        }
        let group = OwnedMutexGuard::try_map(slot, |slot| slot.group.as_mut()).map_err(|_| missing_group_error())?;
        Ok(GroupMember { group, cleanup })
    }

    pub(super) fn is_file_in_place(&self) -> bool {
        self.check_file().is_ok()
    }

    /// Errors: [`Error::Unavailable`] when the file is missing from its path or another one.
    pub(super) fn check_file(&self) -> Result<()> {
        self.shared.file.check_in_place().map_err(Error::Unavailable)
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

    /// Closes group `number` after all currently waiting transactions.
    async fn close_after_waiters(self, number: u64) {
        let mut slot = self.slot.clone().lock_owned().await;
        slot.rollback_unfinished().await;
        if slot.group.as_ref().is_some_and(|group| group.number == number) {
            slot.commit_group(&self.shared).await;
        }
        drop(slot);
        self.checkpoint_when_due().await;
    }

    async fn checkpoint_when_due(&self) {
        if let Some(run) = self.shared.checkpoints.begin_run() {
            self.checkpoint_wal(&run).await;
            run.pause_before_next().await;
        }
    }

    async fn checkpoint_wal(&self, run: &CheckpointRun) {
        // A connection made now would open another file.
        if self.is_file_in_place() && run.is_due().await && run.carry_over().await {
            let mut slot = self.slot.clone().lock_owned().await;
            slot.rollback_unfinished().await;
            slot.commit_group(&self.shared).await;
            // In line with the other process, whose transaction the restart would otherwise find.
            let turn = self.shared.turns.acquire_turn().await;
            if !run.restart_wal().await {
                tracing::debug!("the WAL is read: it begins anew with a later checkpoint");
            }
            drop((turn, slot));
        }
    }

    pub(super) async fn close_checkpoints(&self) {
        self.shared.checkpoints.close_connection().await;
    }
}

impl CommitGroup {
    fn is_full(&self, longest: Duration) -> bool {
        self.members >= MAX_MEMBERS || (self.members > 0 && self.began.elapsed() >= longest)
    }
}

impl WriterSlot {
    async fn open_group(&mut self, shared: &WriterShared) -> Result<()> {
        shared.file.check_in_place().map_err(Error::Unavailable)?;
        let turn = shared.turns.acquire_turn().await;
        let conn = shared.pool.acquire().await?;
        let (ended, _) = watch::channel(None);
        self.opened += 1;
        // Stored before `BEGIN`: a caller cancelled meanwhile leaves a group to clean up.
        let group = self.group.insert(CommitGroup {
            number: self.opened,
            conn,
            _turn: turn,
            ended,
            members: 0,
            unfinished: Some(UnfinishedMember::Whole),
            is_savepoint_left: false,
            began: Instant::now(),
        });
        let begun = execute_sql(&mut group.conn, "BEGIN IMMEDIATE").await;
        group.began = Instant::now();
        if let Err(e) = begun {
            self.group = None;
            return Err(e.into());
        }
        Ok(())
    }

    async fn join_group(&mut self) -> Result<()> {
        let Some(group) = &mut self.group else { return Err(missing_group_error()) };
        group.unfinished = Some(UnfinishedMember::Joining);
        let left = std::mem::take(&mut group.is_savepoint_left);
        let sql = if left { "RELEASE member; SAVEPOINT member" } else { "SAVEPOINT member" };
        if let Err(e) = execute_sql(&mut group.conn, sql).await {
            let why = GroupOutcome::from_driver_error(&e);
            self.abandon_group(why);
            return Err(e.into());
        }
        group.unfinished = Some(UnfinishedMember::Savepoint);
        Ok(())
    }

    /// Rolls back a dropped member's work. The group continues without it.
    async fn rollback_unfinished(&mut self) {
        let Some(group) = &mut self.group else { return };
        match group.unfinished {
            None => {}
            // A leftover empty savepoint ends with the commit.
            Some(UnfinishedMember::Joining) => group.unfinished = None,
            Some(UnfinishedMember::Whole) => {
                // Fails when there is nothing to roll back: SQLite did so already, or it never began.
                if let Err(e) = execute_sql(&mut group.conn, "ROLLBACK").await {
                    tracing::debug!(error = %e, "nothing was left to roll back");
                    group.conn.close_on_drop();
                }
                self.group = None;
            }
            Some(UnfinishedMember::Savepoint) => {
                let undone = match execute_sql(&mut group.conn, "ROLLBACK TO member").await {
                    Ok(()) => execute_sql(&mut group.conn, "RELEASE member").await,
                    Err(e) => Err(e),
                };
                match undone {
                    Ok(()) => group.unfinished = None,
                    // SQLite rolled back the whole transaction on a full disk: the other members' work is lost too.
                    Err(e) => self.abandon_group(GroupOutcome::from_lost_savepoint(&e)),
                }
            }
        }
    }

    async fn commit_group(&mut self, shared: &WriterShared) {
        let Some(group) = &mut self.group else { return };
        let committed = execute_sql(&mut group.conn, "COMMIT").await;
        let end = match &committed {
            Ok(()) => shared.file.check_in_place().map_or_else(GroupOutcome::Unavailable, |()| GroupOutcome::Committed),
            Err(e) => {
                tracing::warn!(error = %e, members = group.members, "a group of transactions could not be committed");
                if let Err(e) = execute_sql(&mut group.conn, "ROLLBACK").await {
                    tracing::debug!(error = %e, "nothing was left to roll back");
                }
                group.conn.close_on_drop();
                GroupOutcome::from_driver_error(e)
            }
        };
        shared.counters.record_commit(group);
        group.ended.send_replace(Some(end));
        self.group = None;
    }

    fn abandon_group(&mut self, why: GroupOutcome) {
        if let Some(mut group) = self.group.take() {
            group.conn.close_on_drop();
            group.ended.send_replace(Some(why));
        }
    }
}

impl GroupMember {
    pub(super) fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.group.conn
    }

    /// Returns when the whole group is on disk. Errors: when the commit failed; nothing of the member is kept then.
    pub(super) async fn commit(self) -> Result<()> {
        let Self { mut group, mut cleanup } = self;
        group.is_savepoint_left = group.unfinished == Some(UnfinishedMember::Savepoint);
        group.unfinished = None;
        cleanup.is_due = false;
        group.members += 1;
        let writer = cleanup.writer.clone();
        writer.shared.counters.transactions.fetch_add(1, Ordering::Relaxed);
        let mut ended = group.ended.subscribe();
        if group.members == 1 {
            tokio::spawn(writer.close_after_waiters(group.number));
        }
        drop(group);
        let end = ended.wait_for(Option::is_some).await.map(|end| end.clone());
        match end {
            Ok(Some(GroupOutcome::Committed)) => Ok(()),
            Ok(Some(GroupOutcome::DiskFull)) => Err(Error::StorageFull),
            Ok(Some(GroupOutcome::Unavailable(why))) => Err(Error::Unavailable(why)),
            Ok(Some(GroupOutcome::Internal(why))) => Err(Error::Internal(why)),
            Ok(None) | Err(_) => Err(Error::Unavailable("the writer was closed".to_owned())),
        }
    }
}

impl GroupOutcome {
    fn from_driver_error(error: &sqlx::Error) -> Self {
        match Error::from_driver(error) {
            Error::StorageFull => Self::DiskFull,
            Error::Unavailable(why) => Self::Unavailable(why),
            other => Self::Internal(other.to_string()),
        }
    }

    /// The savepoint is missing: the member's error ended the transaction and was reported to it; the others may retry.
    fn from_lost_savepoint(error: &sqlx::Error) -> Self {
        Self::Unavailable(format!("the transaction was rolled back: {error}"))
    }
}

impl WriterCounters {
    fn record_commit(&self, group: &CommitGroup) {
        let held = group.began.elapsed();
        let (ms, us) = (held.as_millis(), u64::try_from(held.as_micros()).unwrap_or(u64::MAX));
        let class = HELD_BUCKETS_MS.iter().position(|bound| ms < u128::from(*bound)).unwrap_or(HELD_BUCKETS_MS.len());
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.held_us.fetch_add(us, Ordering::Relaxed);
        if let Some(count) = self.held.get(class) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn missing_group_error() -> Error {
    Error::Internal("a transaction without its group".to_owned())
}

async fn execute_sql(conn: &mut SqliteConnection, sql: &'static str) -> std::result::Result<(), sqlx::Error> {
    let _timer = StatementTimer::start_timer(sql);
    sqlx::query::<Sqlite>(sql).execute(conn).await.map(|_| ())
}
