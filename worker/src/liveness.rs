//! Which workers of this machine live: each holds the lock of a file of its own in the data folder, which the system
//! lets go when the process ends, however it ends.
//!
//! A lock that can be taken proves a death. A file that is not there proves nothing: that worker runs on another machine,
//! and its leases say when it is dead.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

const ENDING: &str = ".alive";

fn file_of(data_dir: &Path, worker: &str) -> PathBuf {
    data_dir.join(format!("{worker}{ENDING}"))
}

/// The sign that this worker lives, until it is dropped or the process dies.
#[derive(Debug)]
pub struct Alive {
    path: PathBuf,
    _lock: File,
}

impl Drop for Alive {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::warn!(error = %e, "the file of this worker stays; the next worker that starts removes it");
        }
    }
}

/// Takes the lock of this worker.
///
/// # Errors
/// When the data folder takes no file.
pub fn show(data_dir: &Path, worker: &str) -> io::Result<Alive> {
    let path = file_of(data_dir, worker);
    let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    lock.lock()?;
    Ok(Alive { path, _lock: lock })
}

/// Whether that worker of this machine is dead. Its file goes.
#[must_use]
pub fn is_dead(data_dir: &Path, worker: &str) -> bool {
    let path = file_of(data_dir, worker);
    let Ok(file) = File::open(&path) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(e)) => {
            tracing::debug!(error = %e, "this disk keeps no locks");
            false
        }
    }
}

/// Removes the files of workers that died.
pub fn tidy(data_dir: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(data_dir)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
        if name.is_some_and(|worker| is_dead(data_dir, worker)) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_dead_when_its_lock_can_be_taken_and_not_when_there_is_no_file() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(!is_dead(dir.path(), "elsewhere"));
        let alive = show(dir.path(), "here").expect("a lock");
        assert!(!is_dead(dir.path(), "here"));
        std::fs::write(file_of(dir.path(), "gone"), "").expect("a file");
        assert!(is_dead(dir.path(), "gone"));
        tidy(dir.path()).expect("tidied");
        assert!(!file_of(dir.path(), "gone").exists());
        drop(alive);
        assert!(!file_of(dir.path(), "here").exists());
    }
}
