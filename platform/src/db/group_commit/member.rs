//! Member of a group: one transaction of a caller.

use sqlx::sqlite::SqliteConnection;
use tokio::sync::OwnedMappedMutexGuard;

use super::{
    GroupWriter,
    slot::{CommitGroup, GroupOutcome, UnfinishedMember, WriterSlot},
};
use crate::error::{Error, Result};

/// Dropping it rolls back its own work only.
pub(in crate::db) struct GroupMember {
    pub(super) group: OwnedMappedMutexGuard<WriterSlot, CommitGroup>,
    // Dropped after the guard: the cleanup needs the slot.
    pub(super) cleanup: MemberCleanup,
}

/// Cleans the slot when a transaction is dropped; otherwise the writer would stay held until the next one begins.
pub(super) struct MemberCleanup {
    pub(super) writer: GroupWriter,
    pub(super) is_due: bool,
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

impl GroupMember {
    pub(in crate::db) fn conn(&mut self) -> &mut SqliteConnection {
        &mut self.group.conn
    }

    /// Returns when the whole group is on disk. Errors: when the commit failed; nothing of the member is kept then.
    pub(in crate::db) async fn commit(self) -> Result<()> {
        let Self { mut group, mut cleanup } = self;
        group.is_savepoint_left = group.unfinished == Some(UnfinishedMember::Savepoint);
        group.unfinished = None;
        cleanup.is_due = false;
        group.members += 1;
        let writer = cleanup.writer.clone();
        writer.shared.counters.record_transaction();
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
