//! Checkpoints of the `SQLite` WAL beside the writer: on its own connection, so that no request waits for them.
//!
//! `SQLite`'s automatic checkpoint runs inside a commit, which then takes as long as the writing and flushing of some
//! ten thousand pages. Here most pages are carried over while others commit (PASSIVE, which waits for nobody). Only those
//! that came meanwhile are carried over with the writer held, because the WAL begins anew only when none is left.
//!
//! That step is a RESTART and no second PASSIVE. A PASSIVE checkpoint stops at the snapshot of the oldest reader, and the
//! next writer begins the WAL anew only if no reader is in it at that moment (`walRestartLog` of sqlite3.c): while short
//! readers overlap without a gap, neither ever happens, and the WAL grows. RESTART holds the writer lock and waits by the
//! busy handler for the readers of before; later ones read the database file alone, so the wait is as long as one short
//! read. [`READER_WAIT`] bounds it, and with it the time for which a writer is held. FULL would not wait for readers of
//! the newest snapshot, and TRUNCATE makes the next commits lengthen the file again.
//!
//! A long reader (an export, a backup) is not waited for: it leaves more pages behind than [`CheckpointRun::carry_over`]
//! lets the writer be held for. The WAL grows until it ends. The file then shrinks by `journal_size_limit` (`connect`),
//! with the first commit after a restart. `connect` keeps the automatic checkpoint at a greater length, for a process
//! whose checkpoints fail.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sqlx::{
    Sqlite, SqlitePool,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};

/// Pause between two attempts: a long reader may keep the WAL from being carried over.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a restart waits for readers, with the writer held.
pub const READER_WAIT: Duration = Duration::from_millis(15);
/// Part of the length from which the WAL is carried over: fewer pages are written and flushed with the writer held.
const HELD_PART: i64 = 8;

#[derive(Clone, Debug)]
pub(super) struct Checkpoints(Option<Arc<WalFile>>);

#[derive(Debug)]
struct WalFile {
    path: PathBuf,
    /// Length in pages, and in bytes, from which the WAL is carried over.
    pages: u32,
    bytes: u64,
    /// Connected when the WAL is long for the first time.
    pool: SqlitePool,
    is_running: AtomicBool,
}

/// Ends when dropped.
pub(super) struct CheckpointRun(Arc<WalFile>);

impl Drop for CheckpointRun {
    fn drop(&mut self) {
        self.0.is_running.store(false, Ordering::Release);
    }
}

impl Checkpoints {
    /// None for a database in memory.
    pub const NONE: Self = Self(None);

    /// For a WAL longer than `bytes`, in pages of `page_size`. The busy timeout of `options` is the wait for readers.
    pub fn for_database(file: &Path, options: SqliteConnectOptions, bytes: u32, page_size: u32) -> Self {
        let mut path = file.as_os_str().to_owned();
        path.push("-wal");
        let pool = SqlitePoolOptions::new().max_connections(1).min_connections(0);
        Self(Some(Arc::new(WalFile {
            path: path.into(),
            pages: bytes / page_size.max(1),
            bytes: bytes.into(),
            pool: pool.connect_lazy_with(options.create_if_missing(false)),
            is_running: AtomicBool::new(false),
        })))
    }

    /// None while the WAL is short, or another run is under way. The file keeps its length when the WAL begins anew: the
    /// run finds out how much of it is in use.
    pub fn begin_run(&self) -> Option<CheckpointRun> {
        let wal = self.0.as_ref()?;
        let is_long = std::fs::metadata(&wal.path).is_ok_and(|file| file.len() >= wal.bytes);
        let is_mine = is_long && !wal.is_running.swap(true, Ordering::AcqRel);
        is_mine.then(|| CheckpointRun(wal.clone()))
    }

    pub async fn close_connection(&self) {
        if let Some(wal) = &self.0 {
            wal.pool.close().await;
        }
    }
}

impl CheckpointRun {
    /// Whether the WAL is long and a page of it is not carried over. It stays long where a reader was at work when it
    /// could have begun anew: the next run gives it another chance.
    pub async fn is_due(&self) -> bool {
        let length = self.ask("PRAGMA wal_checkpoint(NOOP)").await;
        length.is_some_and(|(_, written, carried)| written >= i64::from(self.0.pages) && written > carried)
    }

    /// Carries over what is committed, while others go on. Returns whether so few pages are left that the writer may be
    /// held for them.
    pub async fn carry_over(&self) -> bool {
        let most = i64::from(self.0.pages) / HELD_PART;
        // The second time for those that came during the first.
        for _ in 0..2 {
            let is_done = self.ask("PRAGMA wal_checkpoint(PASSIVE)").await.is_some_and(|(is_busy, ..)| is_busy == 0);
            let length = if is_done { self.ask("PRAGMA wal_checkpoint(NOOP)").await } else { None };
            let Some((_, written, carried)) = length else { return false };
            if written - carried <= most {
                return true;
            }
        }
        false
    }

    /// Carries over the rest and lets the WAL begin anew, with the writer held. Returns whether it does: another reader
    /// may have taken too long.
    pub async fn restart_wal(&self) -> bool {
        self.ask("PRAGMA wal_checkpoint(RESTART)").await.is_some_and(|(is_busy, ..)| is_busy == 0)
    }

    pub async fn pause_before_next(self) {
        tokio::time::sleep(PAUSE).await;
    }

    /// Busy or not, pages in the WAL, pages carried over. A failure costs nothing but the length of the WAL.
    async fn ask(&self, sql: &'static str) -> Option<(i64, i64, i64)> {
        let asked = sqlx::query_as::<Sqlite, (i64, i64, i64)>(sql).fetch_one(&self.0.pool).await;
        asked.inspect_err(|e| tracing::debug!(error = %e, "no checkpoint")).ok()
    }
}
