//! Liveness of the programs on this machine: each process locks its own file in the data folder; the system releases the
//! lock when the process ends in any way. The file names the keys of the process's ring.
//!
//! A lock that can be taken proves a death. A missing file proves nothing: that process runs on another machine. The
//! leases of a worker tell when it is dead.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use crate::secret::SecretKey;

const ENDING: &str = ".alive";
/// Line of a process that reads the generated key again when another process replaces it.
const READS_KEY_FILE: &str = "secret.key";

fn liveness_path(data_dir: &Path, process: &str) -> PathBuf {
    data_dir.join(format!("{process}{ENDING}"))
}

/// Lock of this process, until it is dropped or the process dies.
#[derive(Debug)]
pub struct LivenessLock {
    path: PathBuf,
    _lock: File,
}

impl Drop for LivenessLock {
    fn drop(&mut self) {
        if let Err(e) = std::fs::remove_file(&self.path) {
            tracing::warn!(error = %e, "the file of this process stays; the next program that starts removes it");
        }
    }
}

/// Takes the lock of this process, whose name is its own. Errors: when the data folder is not writable.
pub fn acquire_lock(data_dir: &Path, process: &str, ring: &SecretKey) -> io::Result<LivenessLock> {
    let path = liveness_path(data_dir, process);
    loop {
        let mut lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
        match write_known_keys(&mut lock, &path, ring) {
            Ok(true) => return Ok(LivenessLock { path, _lock: lock }),
            Ok(false) => {}
            Err(e) => {
                // A disk without locks: an empty file would count as a live process that knows no key.
                let _ = std::fs::remove_file(&path);
                return Err(e);
            }
        }
    }
}

/// Locks the file. False when another process removed it before.
fn write_known_keys(file: &mut File, path: &Path, ring: &SecretKey) -> io::Result<bool> {
    file.lock()?;
    if !path.exists() {
        return Ok(false);
    }
    file.write_all(list_known_keys(ring).as_bytes())?;
    Ok(true)
}

fn list_known_keys(ring: &SecretKey) -> String {
    let mut lines = ring.key_names();
    if ring.reads_key_file() {
        lines.push(READS_KEY_FILE.to_owned());
    }
    lines.join("\n")
}

/// Live processes of this machine that could not open what is sealed with the current key of `ring`: they neither hold
/// it nor read the generated key again.
pub fn list_processes_without_key(data_dir: &Path, ring: &SecretKey) -> io::Result<Vec<String>> {
    let wanted = if ring.reads_key_file() { READS_KEY_FILE.to_owned() } else { ring.name() };
    let entries = match std::fs::read_dir(data_dir) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Some(process) = process_name(&path).filter(|process| !is_dead(data_dir, process)) else { continue };
        match std::fs::read_to_string(&path) {
            Ok(keys) if keys.lines().any(|key| key == wanted) => {}
            // It ended meanwhile.
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            // It lacks the key, or nothing tells which keys it knows: the file may belong to another user.
            Ok(_) | Err(_) => found.push(process.to_owned()),
        }
    }
    found.sort();
    Ok(found)
}

fn process_name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(ENDING)
}

/// Whether that process of this machine is dead.
#[must_use]
pub fn is_dead(data_dir: &Path, process: &str) -> bool {
    let path = liveness_path(data_dir, process);
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

/// Removes each file while its lock is held: a process that opens it meanwhile finds it gone once it has the lock.
pub fn remove_dead_files(data_dir: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(data_dir)? {
        let path = entry?.path();
        if process_name(&path).is_none() {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        if let Err(e) = std::fs::remove_file(&path)
            && e.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(path = %path.display(), error = %e, "the file of a dead process stays");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_is_dead_if_its_lock_is_free_and_not_if_the_file_is_missing() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(!is_dead(dir.path(), "elsewhere"));
        let alive = acquire_lock(dir.path(), "here", &SecretKey::new([1; 32])).expect("a lock");
        assert!(!is_dead(dir.path(), "here"));
        std::fs::write(liveness_path(dir.path(), "gone"), "").expect("a file");
        assert!(is_dead(dir.path(), "gone"));
        remove_dead_files(dir.path()).expect("tidied");
        assert!(!liveness_path(dir.path(), "gone").exists());
        drop(alive);
        assert!(!liveness_path(dir.path(), "here").exists());
    }

    #[test]
    fn live_processes_without_the_current_key_are_listed() {
        let dir = tempfile::tempdir().expect("a folder");
        let (old, new) = (SecretKey::new([1; 32]), SecretKey::new([2; 32]));
        let both = new.with_old_keys([[1; 32]]);
        let without_key = || list_processes_without_key(dir.path(), &both).expect("a list");
        let former = acquire_lock(dir.path(), "api-1", &old).expect("a lock");
        let _ready = acquire_lock(dir.path(), "worker-2", &old.with_old_keys([[2; 32]])).expect("a lock");
        std::fs::write(liveness_path(dir.path(), "worker-3"), old.name()).expect("a file");
        assert_eq!(without_key(), ["api-1"], "worker-2 knows both keys, worker-3 is dead");
        drop(former);
        assert!(without_key().is_empty());
    }

    #[test]
    fn live_process_with_unreadable_file_is_listed() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(liveness_path(dir.path(), "worker-1"), [0xff]).expect("a file");
        let held = File::open(liveness_path(dir.path(), "worker-1")).expect("a file");
        held.lock().expect("a lock");
        let found = list_processes_without_key(dir.path(), &SecretKey::new([1; 32])).expect("a list");
        assert_eq!(found, ["worker-1"]);
    }

    #[test]
    fn file_that_cannot_be_removed_does_not_stop_the_removal() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(liveness_path(dir.path(), "folder")).expect("a folder");
        std::fs::write(liveness_path(dir.path(), "gone"), "").expect("a file");
        remove_dead_files(dir.path()).expect("removed");
        assert!(!liveness_path(dir.path(), "gone").exists());
    }

    #[test]
    fn removal_during_starts_keeps_the_files_of_live_processes() {
        let dir = tempfile::tempdir().expect("a folder");
        let is_done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                    remove_dead_files(dir.path()).expect("removed");
                }
            });
            let ring = SecretKey::new([1; 32]);
            let alive: Vec<_> = (0..300).map(|n| acquire_lock(dir.path(), &format!("worker-{n}"), &ring)).collect();
            is_done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(alive.iter().flatten().filter(|lock| lock.path.exists()).count(), 300);
        });
    }
}
