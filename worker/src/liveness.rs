//! Liveness of workers on this machine: each locks its own file in the data folder; the system releases the lock when
//! the process ends in any way.
//!
//! A lock that can be taken proves a death. A missing file proves nothing: that worker runs on another machine, and its
//! leases tell when it is dead.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

const ENDING: &str = ".alive";

fn liveness_path(data_dir: &Path, worker: &str) -> PathBuf {
    data_dir.join(format!("{worker}{ENDING}"))
}

/// Lock of this worker, until it is dropped or the process dies.
#[derive(Debug)]
pub struct LivenessLock {
    path: PathBuf,
    _lock: File,
}

impl Drop for LivenessLock {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::warn!(error = %e, "the file of this worker stays; the next worker that starts removes it");
        }
    }
}

/// Takes the lock of this worker. Errors: when the data folder is not writable.
pub fn acquire_lock(data_dir: &Path, worker: &str) -> io::Result<LivenessLock> {
    let path = liveness_path(data_dir, worker);
    let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
    lock.lock()?;
    Ok(LivenessLock { path, _lock: lock })
}

/// Whether that worker of this machine is dead. Removes its file then.
#[must_use]
pub fn is_dead(data_dir: &Path, worker: &str) -> bool {
    let path = liveness_path(data_dir, worker);
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

pub fn remove_dead_files(data_dir: &Path) -> io::Result<()> {
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
    fn worker_is_dead_if_its_lock_is_free_and_not_if_the_file_is_missing() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(!is_dead(dir.path(), "elsewhere"));
        let alive = acquire_lock(dir.path(), "here").expect("a lock");
        assert!(!is_dead(dir.path(), "here"));
        std::fs::write(liveness_path(dir.path(), "gone"), "").expect("a file");
        assert!(is_dead(dir.path(), "gone"));
        remove_dead_files(dir.path()).expect("tidied");
        assert!(!liveness_path(dir.path(), "gone").exists());
        drop(alive);
        assert!(!liveness_path(dir.path(), "here").exists());
    }
}
