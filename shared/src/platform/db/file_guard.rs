//! Whether the file of a `SQLite` database still lies where it was opened. One that was removed or replaced takes writes
//! for as long as it is open, and all of them are gone when the program stops: nobody may be told that they are kept.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The device of a file, and its number there.
type Identity = (u64, u64);

/// The file that this process has open.
#[derive(Clone, Debug)]
pub(super) struct FileGuard(Option<Arc<Opened>>);

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    identity: Identity,
    /// It was gone at the last look: each change is said once.
    is_gone: AtomicBool,
}

impl FileGuard {
    /// For the database that was just opened from `file`; one in memory has no file.
    pub fn of(file: &Path) -> Self {
        let opened =
            |identity| Arc::new(Opened { path: file.to_path_buf(), identity, is_gone: AtomicBool::new(false) });
        Self(identity(file).map(opened))
    }

    /// # Errors
    /// In words for the log, when another file is there now, or none.
    pub fn check(&self) -> Result<(), String> {
        let Some(opened) = &self.0 else { return Ok(()) };
        let is_gone = identity(&opened.path) != Some(opened.identity);
        if opened.is_gone.swap(is_gone, Ordering::Relaxed) != is_gone {
            opened.say(is_gone);
        }
        if is_gone {
            Err(format!("the database file {} was removed or replaced", opened.path.display()))
        } else {
            Ok(())
        }
    }
}

impl Opened {
    fn say(&self, is_gone: bool) {
        let (file, process) = (self.path.display(), std::process::id());
        if is_gone {
            tracing::error!(
                "the database file {file} was removed or replaced while this program works with it; nothing is written \
                 any more. Stop both programs, put the file or the last backup back (api restore <folder> --replace), \
                 and start again. Where you place another file by hand, move {file}-wal and {file}-shm away first, or \
                 they are written into it. Before the stop, what the removed file and its -wal held can still be copied \
                 from /proc/{process}/fd"
            );
        } else {
            tracing::info!("the database file {file} is back in its place");
        }
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    path.exists().then_some((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_of_a_file_that_was_removed_or_replaced_fails_until_it_is_back() {
        let folder = tempfile::tempdir().unwrap();
        let (file, aside) = (folder.path().join("t.db"), folder.path().join("t.db.bad"));
        fs::write(&file, "x").unwrap();
        let guard = FileGuard::of(&file);
        assert!(guard.check().is_ok());
        fs::rename(&file, &aside).unwrap();
        assert!(guard.check().is_err(), "removed");
        fs::write(&file, "x").unwrap();
        assert!(guard.check().is_err(), "replaced");
        fs::rename(&aside, &file).unwrap();
        assert!(guard.check().is_ok(), "put back");
    }

    #[test]
    fn check_of_a_database_in_memory_never_fails() {
        assert!(FileGuard::of(Path::new(":memory:")).check().is_ok());
    }
}
