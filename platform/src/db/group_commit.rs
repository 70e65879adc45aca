//! Group commit on `SQLite`: transactions waiting for the writer share one commit and one flush.
//!
//! The first member opens `BEGIN IMMEDIATE`; later ones run one after the other, each under a savepoint. A dropped
//! member is rolled back alone. A commit returns when the whole group is on disk, so `GroupMember::commit` is as
//! durable as a commit of its own. When the first member ends, a task queues behind the waiting ones to close the
//! group; a transaction without others behind it is committed at once.
//!
//! When `SQLite` rolls the transaction back by itself (a full disk), every waiting member gets an error. The same holds
//! when the file is missing from its path, because the commit would be lost with the file.

use std::{sync::Arc, time::Duration};

use sqlx::SqlitePool;
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::{
    checkpoint::{CheckpointRun, Checkpoints},
    file_guard::FileGuard,
    writer_turn::WriterTurns,
};
use crate::error::{Error, Result};

mod member;
mod slot;
mod stats;
#[cfg(test)]
mod tests;

pub(super) use member::GroupMember;
use member::MemberCleanup;
use slot::{WriterSlot, missing_group_error};
use stats::WriterCounters;
pub use stats::{HELD_BUCKETS_MS, WriterStats};

/// Age after which a group takes no more members.
const MAX_GROUP_AGE: Duration = Duration::from_millis(15);

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
        self.shared.counters.load_stats()
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
