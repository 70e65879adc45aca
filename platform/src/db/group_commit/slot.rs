//! Slot of the writer: the open group, and the statements that open, join and end it.

use std::time::{Duration, Instant};

use sqlx::{Sqlite, pool::PoolConnection, sqlite::SqliteConnection};
use tokio::sync::watch;

use super::WriterShared;
use crate::{
    db::{statement_timer::StatementTimer, writer_turn::WriterTurn},
    error::{Error, Result},
    failure_log,
};

/// Number of members after which a group takes no more.
const MAX_MEMBERS: u32 = 64;

#[derive(Debug, Default)]
pub(super) struct WriterSlot {
    pub(super) group: Option<CommitGroup>,
    /// Groups opened so far; identifies the group of a closing task.
    opened: u64,
}

#[derive(Debug)]
pub(super) struct CommitGroup {
    pub(super) number: u64,
    pub(super) conn: PoolConnection<Sqlite>,
    _turn: Option<WriterTurn>,
    pub(super) ended: watch::Sender<Option<GroupOutcome>>,
    /// Members that have ended well and wait for the commit.
    pub(super) members: u32,
    /// Work of a member that has not ended; rolled back before anything else runs.
    pub(super) unfinished: Option<UnfinishedMember>,
    /// The savepoint of an ended member still exists; the next member or the commit releases it.
    pub(super) is_savepoint_left: bool,
    began: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnfinishedMember {
    /// First member: the transaction has only its work.
    Whole,
    /// Later member whose savepoint is being set: no work yet, and the savepoint may not exist.
    Joining,
    /// Later member: its work follows the savepoint.
    Savepoint,
}

/// Outcome of a group; a driver error cannot be cloned for several members.
#[derive(Clone, Debug)]
pub(super) enum GroupOutcome {
    Committed,
    DiskFull,
    Unavailable(String),
    Internal(String),
}

impl CommitGroup {
    pub(super) fn is_full(&self, longest: Duration) -> bool {
        self.members >= MAX_MEMBERS || (self.members > 0 && self.began.elapsed() >= longest)
    }
}

impl WriterSlot {
    pub(super) async fn open_group(&mut self, shared: &WriterShared) -> Result<()> {
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

    pub(super) async fn join_group(&mut self) -> Result<()> {
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
    pub(super) async fn rollback_unfinished(&mut self) {
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

    pub(super) async fn commit_group(&mut self, shared: &WriterShared) {
        let Some(group) = &mut self.group else { return };
        let committed = execute_sql(&mut group.conn, "COMMIT").await;
        let end = match &committed {
            Ok(()) => shared.file.check_in_place().map_or_else(GroupOutcome::Unavailable, |()| GroupOutcome::Committed),
            Err(e) => {
                let why = GroupOutcome::from_driver_error(e);
                match &why {
                    GroupOutcome::DiskFull | GroupOutcome::Unavailable(_) => failure_log::log_write_failure(e),
                    _ => {
                        tracing::warn!(error = %e, members = group.members, "a group of transactions could not be committed");
                    }
                }
                if let Err(e) = execute_sql(&mut group.conn, "ROLLBACK").await {
                    tracing::debug!(error = %e, "nothing was left to roll back");
                }
                group.conn.close_on_drop();
                why
            }
        };
        if matches!(end, GroupOutcome::Committed) {
            failure_log::log_write_success();
        }
        shared.counters.record_commit(group.began.elapsed());
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

pub(super) fn missing_group_error() -> Error {
    Error::Internal("a transaction without its group".to_owned())
}

pub(super) async fn execute_sql(
    conn: &mut SqliteConnection,
    sql: &'static str,
) -> std::result::Result<(), sqlx::Error> {
    let _timer = StatementTimer::start_timer(sql);
    sqlx::query::<Sqlite>(sql).execute(conn).await.map(|_| ())
}
