//! Write transaction: the changes that it records, and its commit.

use std::{any::Any, time::Duration};

use super::{
    AsConn, ConnRef, Handlers, Schema, batch,
    commit_limit::{COMMIT_LIMIT, commit_within},
    events::TxEvents,
    flush::PendingFlush,
    group_commit::GroupMember,
    tenant_scope::ScopedTx,
};
use crate::{
    dirty::{DirtySet, Entity, Invalidation},
    error::{Error, Result},
    failure_log,
    id::{DEMO_ORG, OrgId},
    spans::TransactionSpan,
};

/// Dropping it rolls back.
pub(super) enum WriteTx {
    Sqlite(GroupMember),
    Postgres(ScopedTx),
}

/// Dropping it rolls back.
pub struct Tx {
    pub(super) driver: WriteTx,
    schema: &'static Schema,
    dirty: DirtySet,
    events: TxEvents,
    demo: DemoGuard,
    rows_at_commit: Vec<batch::Insert<'static>>,
    /// Its commit does not wait for the disk; this does ([`super::flush`]).
    late_flush: Option<PendingFlush>,
    /// How long PostgreSQL is waited for at the commit.
    commit_limit: Duration,
    span: TransactionSpan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoGuard {
    Untouched,
    /// Changed: the transaction must not commit.
    Changed,
    /// The seeder's transaction: may commit.
    Seeding,
}

impl AsConn for Tx {
    /// Asked for once by each statement.
    fn as_conn(&mut self) -> ConnRef<'_> {
        self.span.count_statement();
        match &mut self.driver {
            WriteTx::Sqlite(member) => ConnRef::Sqlite(member.conn()),
            WriteTx::Postgres(t) => t.as_conn(),
        }
    }

    fn handlers(&self) -> Handlers {
        self.schema.handlers
    }
}

impl Tx {
    /// `span` was opened before the driver waited for its connection.
    pub(super) fn from_driver(driver: WriteTx, schema: &'static Schema, mut span: TransactionSpan) -> Self {
        span.mark_begun();
        Self {
            driver,
            schema,
            dirty: DirtySet::default(),
            events: TxEvents::default(),
            demo: DemoGuard::Untouched,
            rows_at_commit: Vec::new(),
            late_flush: None,
            commit_limit: COMMIT_LIMIT,
            span,
        }
    }

    /// How long the commit waits for PostgreSQL.
    #[must_use]
    pub fn with_commit_limit(self, commit_limit: Duration) -> Self {
        Self { commit_limit, ..self }
    }

    /// For a commit that does not wait for the disk.
    pub(super) fn with_late_flush(self, flush: PendingFlush) -> Self {
        Self { late_flush: Some(flush), ..self }
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
    pub fn insert_at_commit(&mut self, rows: Vec<batch::Insert<'static>>) {
        self.rows_at_commit.extend(rows);
    }

    /// Rows of [`Self::insert_at_commit`], for the statement that takes them along.
    pub fn take_rows_at_commit(&mut self) -> Vec<batch::Insert<'static>> {
        std::mem::take(&mut self.rows_at_commit)
    }

    #[must_use]
    pub fn dirty_set(&self) -> &DirtySet {
        &self.dirty
    }

    pub fn take_dirty(&mut self) -> DirtySet {
        std::mem::take(&mut self.dirty)
    }

    /// Runs the commit hooks ahead of [`Self::commit`], which follows at once. After an error here nothing is kept, which
    /// after an error of the commit itself is not known.
    pub async fn run_commit_hooks(&mut self) -> Result<()> {
        if self.demo == DemoGuard::Changed {
            return Err(Error::DemoReadOnly);
        }
        for hook in self.schema.commit_hooks {
            if (hook.is_due)(self) {
                (hook.run)(self).await?;
            }
        }
        let rows = self.take_rows_at_commit();
        batch::insert_all(self, &rows).await
    }

    /// Runs the commit hooks and commits; the change is on disk when this returns. Errors: [`Error::DemoReadOnly`] when
    /// the demonstration business was changed; the transaction is rolled back. [`Error::Unavailable`] when the server was
    /// lost or did not answer in time: whether the change is kept is not known then, and a repeat finds out by its key.
    pub async fn commit(mut self) -> Result<()> {
        self.run_commit_hooks().await?;
        match self.driver {
            WriteTx::Sqlite(member) => member.commit().await?,
            WriteTx::Postgres(t) => {
                commit_within(self.commit_limit, t.into_driver().commit()).await?;
                failure_log::log_write_success();
            }
        }
        self.span.mark_committed();
        match self.late_flush {
            Some(flush) => flush.wait_for_disk().await,
            None => Ok(()),
        }
    }
}
