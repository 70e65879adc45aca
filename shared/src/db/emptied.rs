//! A database file of no bytes where an install was: to start on it would be to start a new install beside the photos and
//! keys of the old one.

use std::{fs, path::Path, time::Duration};

use super::WRITER_LOCKS;
use crate::error::{Error, Result};

/// What is in these folders of the data folder was put there by an install at work.
const FOLDERS: [&str; 3] = ["uploads", "backups", "mail"];
/// Generated at the first start, right before the database.
const KEYS: [&str; 2] = ["secret.key", "vapid.key"];
/// A first start makes the keys and the database within this time.
const FIRST_START: Duration = Duration::from_mins(1);

/// Refuses an empty `file` when something shows that it was not always empty. A file that an operator made for a new
/// install is taken.
///
/// # Errors
/// [`Error::Refused`], with the way to restore.
pub(super) fn refuse(file: &Path, data_dir: &Path) -> Result<()> {
    let is_empty = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == 0);
    if is_empty && (was_written(file) || has_files(data_dir) || has_old_key(file, data_dir)) {
        return Err(Error::Refused(format!(
            "the database {} holds nothing, but an install was here. Put its last backup back: api restore <folder> \
             --replace. If this is to be a new install, remove the file",
            file.display()
        )));
    }
    Ok(())
}

/// Whether a process has had a turn at its writer.
fn was_written(file: &Path) -> bool {
    WRITER_LOCKS.iter().any(|ending| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).exists()
    })
}

fn has_files(data_dir: &Path) -> bool {
    FOLDERS.iter().any(|name| fs::read_dir(data_dir.join(name)).is_ok_and(|mut inside| inside.next().is_some()))
}

/// Whether a key is older than the file: it was made for an install before.
fn has_old_key(file: &Path, data_dir: &Path) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let Some(emptied) = written(file) else { return false };
    KEYS.iter().filter_map(|name| written(&data_dir.join(name))).any(|made| {
        let age = emptied.duration_since(made);
        age.is_ok_and(|age| age > FIRST_START)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A data folder with an empty database.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("toolbox.db"), "").unwrap();
        fs::create_dir(folder.path().join("uploads")).unwrap();
        folder
    }

    fn is_refused(folder: &Path) -> bool {
        refuse(&folder.join("toolbox.db"), folder).is_err()
    }

    #[test]
    fn an_empty_file_of_a_first_start_is_taken() {
        let folder = folder();
        fs::write(folder.path().join("secret.key"), [7; 32]).unwrap();
        assert!(!is_refused(folder.path()));
        fs::remove_file(folder.path().join("toolbox.db")).unwrap();
        assert!(!is_refused(folder.path()), "and one that is not there");
    }

    #[test]
    fn an_empty_file_beside_photos_locks_or_an_old_key_is_refused() {
        let (photos, locks, key) = (folder(), folder(), folder());
        fs::write(photos.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(is_refused(photos.path()));
        fs::write(locks.path().join("toolbox.db-now"), "").unwrap();
        assert!(is_refused(locks.path()));
        let file = fs::File::create(key.path().join("secret.key")).unwrap();
        let emptied = fs::metadata(key.path().join("toolbox.db")).unwrap().modified().unwrap();
        file.set_modified(emptied - FIRST_START * 2).unwrap();
        assert!(is_refused(key.path()));
    }

    #[test]
    fn a_file_that_holds_something_is_not_looked_into() {
        let folder = folder();
        fs::write(folder.path().join("toolbox.db-now"), "").unwrap();
        fs::write(folder.path().join("toolbox.db"), "SQLite format 3").unwrap();
        assert!(!is_refused(folder.path()));
    }
}
