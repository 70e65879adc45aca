//! Queue of processes for the `SQLite` writer.
//!
//! `SQLite` lets a process that finds the writer busy sleep up to 100 ms and retry, so a process that writes with short
//! pauses always wins. Two lock files beside the database form a queue: a writer waits for `next`, then for `now`, and
//! releases `next` once it has `now`. A process that writes again finds `next` held by the waiting one and queues
//! behind it.
//!
//! The queue is advisory; `SQLite`'s own lock decides. After [`PATIENCE`] a process continues without its turn, so a
//! stopped process cannot block the others.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Longer than any of our transactions.
const PATIENCE: Duration = Duration::from_millis(250);

pub const WRITER_LOCKS: [&str; 2] = ["-next", "-now"];

#[derive(Clone, Debug)]
pub(super) struct WriterTurns {
    files: Option<Arc<LockFiles>>,
}

#[derive(Debug)]
struct LockFiles {
    next: PathBuf,
    now: PathBuf,
    /// A thread is still waiting for an abandoned turn.
    is_stuck: AtomicBool,
}

/// Released on drop; the lock also ends when the process dies.
#[derive(Debug)]
pub(super) struct WriterTurn {
    _now: File,
}

impl WriterTurns {
    /// An in-memory database has no second process and needs no files.
    pub fn for_database(file: &Path) -> Self {
        let is_a_file = !file.as_os_str().is_empty() && !file.starts_with(":memory:");
        let named = |ending: &str| {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let files = || {
            Arc::new(LockFiles {
                next: named(WRITER_LOCKS[0]),
                now: named(WRITER_LOCKS[1]),
                is_stuck: AtomicBool::new(false),
            })
        };
        Self { files: is_a_file.then(files) }
    }

    /// None when there are no lock files, or the wait is too long.
    pub async fn acquire_turn(&self) -> Option<WriterTurn> {
        let files = self.files.as_ref()?;
        if let Some(turn) = files.try_acquire() {
            return Some(turn);
        }
        if files.is_stuck.swap(true, Ordering::AcqRel) {
            return None;
        }
        let waiting = files.clone();
        let turn = tokio::task::spawn_blocking(move || {
            let turn = waiting.acquire_blocking();
            waiting.is_stuck.store(false, Ordering::Release);
            turn
        });
        match tokio::time::timeout(PATIENCE, turn).await {
            Ok(Ok(Ok(turn))) => Some(turn),
            Ok(Ok(Err(e))) => {
                tracing::debug!(error = %e, "the line of writers cannot be used");
                None
            }
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

impl LockFiles {
    fn try_acquire(&self) -> Option<WriterTurn> {
        let next = open_lock_file(&self.next).ok()?;
        next.try_lock().ok()?;
        let now = open_lock_file(&self.now).ok()?;
        now.try_lock().ok()?;
        Some(WriterTurn { _now: now })
    }

    fn acquire_blocking(&self) -> io::Result<WriterTurn> {
        let next = open_lock_file(&self.next)?;
        next.lock()?;
        let now = open_lock_file(&self.now)?;
        now.lock()?;
        Ok(WriterTurn { _now: now })
    }
}

/// Opened anew for each turn: a lock belongs to the open file, and two turns of one process must not share it.
fn open_lock_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn second_process_gets_the_turn_when_the_first_releases_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        // Two queues over the same files, as in two processes.
        let (one, other) = (WriterTurns::for_database(&file), WriterTurns::for_database(&file));
        let first = one.acquire_turn().await.expect("the turn is free");
        let (second, ()) = tokio::join!(other.acquire_turn(), async { drop(first) });
        assert!(second.is_some());
    }

    #[tokio::test]
    async fn waiting_writer_takes_precedence_over_the_last_writer() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let (busy, waits) = (WriterTurns::for_database(&file), WriterTurns::for_database(&file));
        let first = busy.acquire_turn().await.expect("the turn is free");
        let files = waits.files.clone().unwrap();
        let waiting = std::thread::spawn(move || files.acquire_blocking());
        // It is queued as soon as `next` is taken.
        let next = open_lock_file(&busy.files.as_ref().unwrap().next).unwrap();
        while next.try_lock().is_ok() {
            next.unlock().unwrap();
            std::thread::yield_now();
        }
        drop(first);
        assert!(busy.files.as_ref().unwrap().try_acquire().is_none(), "another is before it");
        drop(waiting.join().unwrap().unwrap());
        assert!(busy.acquire_turn().await.is_some());
    }

    #[tokio::test]
    async fn in_memory_database_has_no_writer_queue() {
        assert!(WriterTurns::for_database(Path::new(":memory:")).acquire_turn().await.is_none());
    }
}
