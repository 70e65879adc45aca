//! A database without a schema where an install was: to start on it would be to start a new install beside the photos and
//! keys of the old one. Beside a `SQLite` file what lies there says so; for a database on PostgreSQL, which lies elsewhere,
//! the data folder bears a mark.

use std::{fs, io::Write, path::Path, time::Duration};

use super::WRITER_LOCKS;
use crate::{
    error::{Error, Result},
    private_file,
};

/// What is in these folders of the data folder was put there by an install at work.
const FOLDERS: [&str; 3] = ["uploads", "backups", "mail"];
/// Generated at the first start, right before the database.
const KEYS: [&str; 2] = ["secret.key", "vapid.key"];
/// A first start makes the keys and the database within this time.
const FIRST_START: Duration = Duration::from_mins(1);
/// The file of the data folder by which it is known that its install's database is on PostgreSQL and had a schema.
const MARK: &str = "installed";
const MARK_SAYS: &str =
    "The database of this install is on PostgreSQL. While this file is here, Toolbox starts on no empty one.\n";

/// Whether a `file` that is there was not always empty, by what lies beside it. An empty one that an operator made for a
/// new install is taken, and so is a place without a file.
pub(super) fn shows_install(file: &Path, data_dir: &Path) -> bool {
    file.exists() && (was_written(file) || has_files(data_dir) || has_old_key(file, data_dir))
}

/// Refuses a `file` of no bytes. Only a start that may `create` takes one, and only where no install was.
///
/// # Errors
/// [`Error::Refused`], with the way to restore; [`Error::Unavailable`] where a new install has not begun.
pub(super) fn refuse(file: &Path, create: bool, was_installed: bool) -> Result<()> {
    let is_empty = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == 0);
    match (is_empty, was_installed, create) {
        (false, ..) | (true, false, true) => Ok(()),
        (true, true, _) => Err(refusal(file)),
        (true, false, false) => {
            Err(Error::Unavailable(format!("the database {} is empty: start api serve first", file.display())))
        }
    }
}

/// What the operator reads.
pub(super) fn refusal(file: &Path) -> Error {
    Error::Refused(format!(
        "the database {} holds nothing, but an install was here. Put its last backup back: api restore <folder> \
         --replace. If this is to be a new install, remove the file",
        file.display()
    ))
}

pub(super) fn is_marked(data_dir: &Path) -> bool {
    data_dir.join(MARK).exists()
}

/// Puts the mark there. A start does not fail for the lack of it.
pub(super) fn mark(data_dir: &Path) {
    if is_marked(data_dir) {
        return;
    }
    let written = private_file::folder(data_dir)
        .and_then(|()| private_file::create(&data_dir.join(MARK), false))
        .and_then(|mut file| file.write_all(MARK_SAYS.as_bytes()));
    if let Err(e) = written {
        tracing::warn!(error = %e, "the data folder could not be marked: an emptied database would not be noticed");
    }
}

/// What the operator reads of a database on PostgreSQL.
pub(super) fn refusal_beside(data_dir: &Path) -> Error {
    Error::Refused(format!(
        "the database holds nothing, but an install was here. Correct DATABASE_URL, or put the last backup back: api \
         restore <folder>. If this is to be a new install, remove {}",
        data_dir.join(MARK).display()
    ))
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
    use crate::db::{Db, DbConfig};

    /// A data folder with an empty database.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("toolbox.db"), "").unwrap();
        fs::create_dir(folder.path().join("uploads")).unwrap();
        folder
    }

    fn is_refused(folder: &Path) -> bool {
        let file = folder.join("toolbox.db");
        refuse(&file, true, shows_install(&file, folder)).is_err()
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
    fn an_empty_file_is_opened_by_nobody_who_does_not_create() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        assert!(matches!(refuse(&file, false, false), Err(Error::Unavailable(_))));
        assert!(matches!(refuse(&file, false, true), Err(Error::Refused(_))));
        fs::remove_file(&file).unwrap();
        assert!(refuse(&file, false, true).is_ok(), "one that is not there is SQLite's to refuse");
    }

    #[tokio::test]
    async fn a_database_without_a_schema_is_refused_beside_photos_alone() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        fs::remove_file(&file).unwrap();
        let url = format!("sqlite://{}", file.display());
        let mut vars = crate::config::Vars::from_pairs([("DATABASE_URL", url.as_str())]);
        let config = DbConfig::from_vars(&mut vars, folder.path());
        let db = Db::connect(&config).await.unwrap();
        db.close().await;
        assert_ne!(fs::metadata(&file).unwrap().len(), 0);
        Db::connect(&config).await.unwrap().close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(matches!(Db::connect(&config).await, Err(Error::Refused(_))));
        assert!(matches!(Db::connect_existing(&config).await, Err(Error::Refused(_))));
        fs::remove_file(folder.path().join("uploads/leak.jpg")).unwrap();
        let db = Db::connect(&config).await.unwrap();
        db.migrate().await.unwrap();
        db.close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        Db::connect(&config).await.unwrap().close().await;
    }

    #[test]
    fn emptied_mark_put_twice_is_there_and_names_itself_in_the_refusal() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("var");
        assert!(!is_marked(&data_dir));
        mark(&data_dir);
        mark(&data_dir);
        assert!(is_marked(&data_dir));
        let words = refusal_beside(&data_dir).to_string();
        assert!(words.contains("api restore") && words.contains("var/installed"), "{words}");
    }

    #[test]
    fn a_file_that_holds_something_is_not_looked_into() {
        let folder = folder();
        fs::write(folder.path().join("toolbox.db-now"), "").unwrap();
        fs::write(folder.path().join("toolbox.db"), "SQLite format 3").unwrap();
        assert!(!is_refused(folder.path()));
    }
}
