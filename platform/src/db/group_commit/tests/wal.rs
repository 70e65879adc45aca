//! Length of the WAL's file beside readers that overlap, and after a long one.

use std::{
    cell::Cell,
    path::{Path, PathBuf},
};

use sqlx::{
    ConnectOptions, Sqlite, Transaction,
    sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions},
};

use super::super::{slot::execute_sql, *};

/// From this length on the WAL is carried over.
const CHECKPOINT: u32 = 2_000_000;
const PAGE: u32 = 4096;
/// To this length the file shrinks. Both are in the proportion of the programs, which have 24 and 32 MB.
const SHRUNK: u64 = 2_800_000;
/// In the same proportion to 64 MB.
const BOUND: u64 = 5_000_000;
/// Longer than any test: a checkpoint that waits for a reader which does not end would be noticed.
const READERS: Duration = Duration::from_mins(5);

struct Wal {
    writer: GroupWriter,
    read: SqlitePool,
    /// Finds out whether the writer lock is held, without waiting.
    probe: SqliteConnection,
    file: PathBuf,
}

impl Wal {
    async fn new(folder: &Path) -> Self {
        let file = folder.join("t.db");
        let options = SqliteConnectOptions::new().filename(&file).create_if_missing(true).page_size(PAGE);
        let options = options.journal_mode(SqliteJournalMode::Wal).pragma("journal_size_limit", SHRUNK.to_string());
        // As a process whose commits make no checkpoint.
        let options = options.pragma("wal_autocheckpoint", "0").busy_timeout(READERS);
        let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await.unwrap();
        for sql in ["CREATE TABLE page (bytes BLOB)", "INSERT INTO page VALUES (randomblob(100000))"] {
            sqlx::query::<Sqlite>(sql).execute(&pool).await.unwrap();
        }
        let read = SqlitePoolOptions::new().max_connections(3).connect_with(options.clone()).await.unwrap();
        let probe = options.clone().busy_timeout(Duration::ZERO).connect().await.unwrap();
        let checkpoints = Checkpoints::for_database(&file, options, CHECKPOINT, PAGE);
        let (turns, guard) = (WriterTurns::for_database(&file), FileGuard::for_file(&file));
        let writer = GroupWriter::new(pool, turns, guard, checkpoints, READERS);
        Self { writer, read, probe, file: folder.join("t.db-wal") }
    }

    fn length(&self) -> u64 {
        std::fs::metadata(&self.file).unwrap().len()
    }

    /// A commit of 25 pages.
    async fn write_pages(&self) {
        let sql = "UPDATE page SET bytes = randomblob(100000)";
        sqlx::query::<Sqlite>(sql).execute(&self.writer.shared.pool).await.unwrap();
    }

    async fn begin_read(&self) -> Transaction<'static, Sqlite> {
        begin_read(&self.read).await
    }

    /// One checkpoint, if it is due. `current` ends once the writer is held for it, and from then on readers follow each
    /// other without a gap. Returns the last of them, and whether the writer was held.
    async fn checkpoint_beside(
        &mut self,
        current: Transaction<'static, Sqlite>,
    ) -> (Transaction<'static, Sqlite>, bool) {
        let Some(run) = self.writer.shared.checkpoints.begin_run() else { return (current, false) };
        let (Self { writer, read, probe, .. }, is_over) = (self, Cell::new(false));
        let checkpoint = async {
            writer.checkpoint_wal(&run).await;
            is_over.set(true);
        };
        let readers = async {
            let (mut current, mut was_held) = (current, false);
            while !is_over.get() {
                was_held = was_held || is_writer_held(probe).await;
                if was_held {
                    let next = begin_read(read).await;
                    current.rollback().await.unwrap();
                    current = next;
                }
            }
            (current, was_held)
        };
        tokio::join!(checkpoint, readers).1
    }
}

async fn begin_read(read: &SqlitePool) -> Transaction<'static, Sqlite> {
    let mut reader = read.begin().await.unwrap();
    let rows = sqlx::query_scalar::<Sqlite, i64>("SELECT COUNT(*) FROM page").fetch_one(&mut *reader).await.unwrap();
    assert_eq!(rows, 1);
    reader
}

async fn is_writer_held(probe: &mut SqliteConnection) -> bool {
    let is_held = execute_sql(probe, "BEGIN IMMEDIATE").await.is_err();
    if !is_held {
        execute_sql(probe, "ROLLBACK").await.unwrap();
    }
    is_held
}

#[tokio::test]
async fn overlapping_readers_do_not_keep_the_wal_from_beginning_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = Wal::new(folder.path()).await;
    let (mut current, mut longest, mut restarts) = (wal.begin_read().await, 0, 0);
    // 15 MB in all.
    for _ in 0..150 {
        wal.write_pages().await;
        let (last, was_held) = wal.checkpoint_beside(current).await;
        let next = wal.begin_read().await;
        last.rollback().await.unwrap();
        current = next;
        longest = longest.max(wal.length());
        restarts += u32::from(was_held);
    }
    assert!(longest < BOUND, "{longest} bytes after {restarts} restarts");
    assert!((4..30).contains(&restarts), "the writer is held about once in {CHECKPOINT} bytes: {restarts} times");
    current.rollback().await.unwrap();
}

#[tokio::test]
async fn long_reader_holds_no_writer_and_the_wal_shrinks_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = Wal::new(folder.path()).await;
    let mut long = wal.begin_read().await;
    for _ in 0..80 {
        wal.write_pages().await;
        let (still, was_held) = wal.checkpoint_beside(long).await;
        assert!(!was_held, "it would be held as long as the reader reads");
        long = still;
    }
    assert!(wal.length() > BOUND, "{}", wal.length());
    long.rollback().await.unwrap();
    let run = wal.writer.shared.checkpoints.begin_run().expect("the WAL is long");
    wal.writer.checkpoint_wal(&run).await;
    wal.write_pages().await;
    assert!(wal.length() <= SHRUNK, "{}", wal.length());
}
