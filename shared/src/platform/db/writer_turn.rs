//! Turns at `SQLite`'s writer between processes.
//!
//! `SQLite` lets a process that finds the writer taken sleep for up to 100 ms and try again: a process that writes without
//! a pause comes first every time. Two lock files beside the database put the processes in a line: who wants to write
//! waits for `next`, then for `now`, and lets `next` go once it has `now`. A process that writes again finds `next` taken
//! by the one that waits, and goes behind it.
//!
//! The line is a courtesy. `SQLite`'s own lock decides who writes; who has waited for [`PATIENCE`] goes on without a turn,
//! so a process that was stopped while it waited stops nobody else.

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

/// How long a turn is waited for: longer than any transaction of ours lasts.
const PATIENCE: Duration = Duration::from_millis(250);

/// What the names of the lock files end in, behind that of the database.
pub const WRITER_LOCKS: [&str; 2] = ["-next", "-now"];

/// The lock files of one database.
#[derive(Clone, Debug)]
pub(super) struct WriterTurns {
    files: Option<Arc<Files>>,
}

#[derive(Debug)]
struct Files {
    next: PathBuf,
    now: PathBuf,
    /// A thread still waits for a turn that nobody wants any more.
    is_stuck: AtomicBool,
}

/// A turn, until it is dropped. The lock is let go when the file closes, also when the process dies.
#[derive(Debug)]
pub(super) struct Turn {
    _now: File,
}

impl WriterTurns {
    /// For the database in `file`; a database in memory has no second process.
    pub fn beside(file: &Path) -> Self {
        let is_a_file = !file.as_os_str().is_empty() && !file.starts_with(":memory:");
        let named = |ending: &str| {
            let mut name = file.as_os_str().to_owned();
            name.push(ending);
            PathBuf::from(name)
        };
        let files = || {
            Arc::new(Files {
                next: named(WRITER_LOCKS[0]),
                now: named(WRITER_LOCKS[1]),
                is_stuck: AtomicBool::new(false),
            })
        };
        Self { files: is_a_file.then(files) }
    }

    /// Waits for the turn of this process. None when there is no line, or it does not move.
    pub async fn take(&self) -> Option<Turn> {
        let files = self.files.as_ref()?;
        if let Some(turn) = files.at_once() {
            return Some(turn);
        }
        if files.is_stuck.swap(true, Ordering::AcqRel) {
            return None;
        }
        let waiting = files.clone();
        let turn = tokio::task::spawn_blocking(move || {
            let turn = waiting.in_line();
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

impl Files {
    fn at_once(&self) -> Option<Turn> {
        let next = open(&self.next).ok()?;
        next.try_lock().ok()?;
        let now = open(&self.now).ok()?;
        now.try_lock().ok()?;
        Some(Turn { _now: now })
    }

    fn in_line(&self) -> io::Result<Turn> {
        let next = open(&self.next)?;
        next.lock()?;
        let now = open(&self.now)?;
        now.lock()?;
        Ok(Turn { _now: now })
    }
}

/// Opened anew for each turn: a lock belongs to the opened file, and two turns of one process must not share it.
fn open(path: &Path) -> io::Result<File> {
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
    async fn a_second_process_gets_its_turn_when_the_first_ends() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        // Two lines over the same files, as two processes have them.
        let (one, other) = (WriterTurns::beside(&file), WriterTurns::beside(&file));
        let first = one.take().await.expect("the turn is free");
        let (second, ()) = tokio::join!(other.take(), async { drop(first) });
        assert!(second.is_some());
    }

    #[tokio::test]
    async fn who_waits_comes_before_who_has_just_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t.db");
        let (busy, waits) = (WriterTurns::beside(&file), WriterTurns::beside(&file));
        let first = busy.take().await.expect("the turn is free");
        let files = waits.files.clone().unwrap();
        let waiting = std::thread::spawn(move || files.in_line());
        // It stands in line as soon as `next` is taken.
        let next = open(&busy.files.as_ref().unwrap().next).unwrap();
        while next.try_lock().is_ok() {
            next.unlock().unwrap();
            std::thread::yield_now();
        }
        drop(first);
        assert!(busy.files.as_ref().unwrap().at_once().is_none(), "another is before it");
        drop(waiting.join().unwrap().unwrap());
        assert!(busy.take().await.is_some());
    }

    #[tokio::test]
    async fn a_database_in_memory_has_no_line() {
        assert!(WriterTurns::beside(Path::new(":memory:")).take().await.is_none());
    }
}
