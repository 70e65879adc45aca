//! Check that the open `SQLite` file is still at its path. A removed or replaced file accepts writes while it is open,
//! and they are lost when the program stops, so they must not be acknowledged.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Device and inode.
type FileIdentity = (u64, u64);

#[derive(Clone, Debug)]
pub(super) struct FileGuard(Option<Arc<OpenedFile>>);

#[derive(Debug)]
struct OpenedFile {
    path: PathBuf,
    identity: FileIdentity,
    /// Missing at the last check; each change is logged once.
    is_gone: AtomicBool,
}

impl FileGuard {
    /// For the database just opened from `file`; an in-memory database has no file.
    pub fn for_file(file: &Path) -> Self {
        let opened =
            |identity| Arc::new(OpenedFile { path: file.to_path_buf(), identity, is_gone: AtomicBool::new(false) });
        Self(identity(file).map(opened))
    }

    /// Errors: text for the log when the file is missing or another one.
    pub fn check_in_place(&self) -> Result<(), String> {
        let Some(opened) = &self.0 else { return Ok(()) };
        let is_gone = identity(&opened.path) != Some(opened.identity);
        if opened.is_gone.swap(is_gone, Ordering::Relaxed) != is_gone {
            opened.log_change(is_gone);
        }
        if is_gone {
            Err(format!("the database file {} was removed or replaced", opened.path.display()))
        } else {
            Ok(())
        }
    }
}

impl OpenedFile {
    fn log_change(&self, is_gone: bool) {
        let (file, process) = (self.path.display(), std::process::id());
        if is_gone {
            tracing::error!(
                "the database file {file} was removed or replaced while this program works with it; nothing is written \
                 now. Stop both programs, put the file or the last backup back (api restore <folder> --replace), \
                 and start again. If you put another file there, move {file}-wal and {file}-shm away first, or \
                 they are written into it. Before the stop, what the removed file and its -wal held can still be copied \
                 from /proc/{process}/fd"
            );
        } else {
            tracing::info!("the database file {file} is back");
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<FileIdentity> {
    path.exists().then_some((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_of_removed_or_replaced_file_fails_until_it_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        let (file, aside) = (folder.path().join("t.db"), folder.path().join("t.db.bad"));
        fs::write(&file, "x").unwrap();
        let guard = FileGuard::for_file(&file);
        assert!(guard.check_in_place().is_ok());
        fs::rename(&file, &aside).unwrap();
        assert!(guard.check_in_place().is_err(), "removed");
        fs::write(&file, "x").unwrap();
        assert!(guard.check_in_place().is_err(), "replaced");
        fs::rename(&aside, &file).unwrap();
        assert!(guard.check_in_place().is_ok(), "put back");
    }

    #[test]
    fn check_of_a_database_in_memory_never_fails() {
        assert!(FileGuard::for_file(Path::new(":memory:")).check_in_place().is_ok());
    }
}
