//! A database without a schema, or no database, where an install was: to start on it would be to start a new install beside
//! the photos and keys of the old one. The data folder bears a mark once its install's database has a schema; beside an
//! empty `SQLite` file of an earlier version what lies there says so.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use super::WRITER_LOCKS;
use crate::platform::{
    error::{Error, Result},
    private_file,
};

/// What is in these folders of the data folder was put there by an install at work.
const FOLDERS: [&str; 3] = ["uploads", "backups", "mail"];
/// Generated at the first start, right before the database.
const KEYS: [&str; 2] = ["secret.key", "vapid.key"];
/// A first start makes the keys and the database within this time.
const FIRST_START: Duration = Duration::from_mins(1);
/// The file of the data folder by which it is known that its install's database had a schema. It says where that is.
const MARK: &str = "installed";

/// Whether an install was where the database is to be in `file`: by the mark, or by what lies beside a file that is there.
/// Without a mark an empty file that an operator made for a new install is taken, and so is a place without a file.
pub(super) fn shows_install(file: &Path, data_dir: &Path) -> bool {
    is_marked(data_dir) || file.exists() && (was_written(file) || has_files(data_dir) || has_old_key(file, data_dir))
}

/// Refuses a `file` of no bytes, or none, where an install was. An empty one is taken only by a start that may `create`.
///
/// # Errors
/// [`Error::Refused`], with the way to restore; [`Error::Unavailable`] where a new install has not begun.
pub(super) fn refuse(file: &Path, create: bool, installed: Option<&Path>) -> Result<()> {
    let is_empty = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == 0);
    let is_missing = !file.exists();
    let not_begun = |state| format!("the database {} is {state}: start api serve first", file.display());
    match installed {
        Some(data_dir) if is_empty || is_missing => Err(refusal(file, data_dir)),
        None if is_empty && !create => Err(Error::Unavailable(not_begun("empty"))),
        None if is_missing && !create => Err(Error::Unavailable(not_begun("not there"))),
        _ => Ok(()),
    }
}

/// What the operator reads.
pub(super) fn refusal(file: &Path, data_dir: &Path) -> Error {
    let mark = data_dir.join(MARK);
    let (state, to_remove) = match (file.exists(), mark.exists()) {
        (false, _) => ("is not there", mark.display().to_string()),
        (true, true) => ("holds nothing", format!("the file and {}", mark.display())),
        (true, false) => ("holds nothing", "the file".to_owned()),
    };
    Error::Refused(format!(
        "the database {} {state}, but an install was here. Correct DATABASE_URL, or put the last backup back: api restore \
         <folder> --replace. If this is to be a new install, remove {to_remove}",
        file.display()
    ))
}

pub(super) fn is_marked(data_dir: &Path) -> bool {
    data_dir.join(MARK).exists()
}

/// What the mark says of the database in this file, or of one on PostgreSQL.
fn mark_says(file: Option<&Path>) -> String {
    let place = file.map_or_else(
        || "on PostgreSQL".to_owned(),
        |file| fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf()).display().to_string(),
    );
    format!(
        "The database of this install is {place}. While this file is here, Toolbox starts on no empty or missing one.\n"
    )
}

/// Puts the mark there, or lets it name the database with which the install works now. A start does not fail for the lack
/// of it.
pub(super) fn mark(data_dir: &Path, file: Option<&Path>) {
    let says = mark_says(file);
    if fs::read_to_string(data_dir.join(MARK)).is_ok_and(|there| there == says) {
        return;
    }
    if let Err(e) = write_mark(data_dir, &says) {
        tracing::warn!(error = %e, "the data folder could not be marked: a lost database would not be noticed");
    }
}

fn write_mark(data_dir: &Path, says: &str) -> io::Result<()> {
    private_file::folder(data_dir)?;
    private_file::create(&data_dir.join(MARK), false)?.write_all(says.as_bytes())
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
    use crate::platform::db::{Db, DbConfig};

    /// A data folder with an empty database.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("toolbox.db"), "").unwrap();
        fs::create_dir(folder.path().join("uploads")).unwrap();
        folder
    }

    fn is_refused(folder: &Path) -> bool {
        let file = folder.join("toolbox.db");
        refuse(&file, true, shows_install(&file, folder).then_some(folder)).is_err()
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
    fn an_empty_or_missing_file_beside_the_mark_is_refused_until_the_mark_is_removed() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        mark(folder.path(), Some(&file));
        let words = refusal(&file, folder.path()).to_string();
        assert!(is_refused(folder.path()) && words.contains("the file and "), "{words}");
        fs::remove_file(&file).unwrap();
        let words = refusal(&file, folder.path()).to_string();
        assert!(is_refused(folder.path()) && words.contains("is not there") && words.contains("/installed"), "{words}");
        fs::remove_file(folder.path().join(MARK)).unwrap();
        assert!(!is_refused(folder.path()));
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
        assert!(matches!(refuse(&file, false, None), Err(Error::Unavailable(_))));
        assert!(matches!(refuse(&file, false, Some(folder.path())), Err(Error::Refused(_))));
        fs::remove_file(&file).unwrap();
        assert!(matches!(refuse(&file, false, Some(folder.path())), Err(Error::Refused(_))));
        assert!(matches!(refuse(&file, false, None), Err(Error::Unavailable(_))), "nor one that is not there");
    }

    #[tokio::test]
    async fn a_database_without_a_schema_is_refused_beside_photos_alone() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        fs::remove_file(&file).unwrap();
        let url = format!("sqlite://{}", file.display());
        let mut vars = crate::platform::config::Vars::from_pairs([("DATABASE_URL", url.as_str())]);
        let config = DbConfig::from_vars(&mut vars, folder.path());
        let db = Db::connect(&config, &crate::ops::schema::SCHEMA).await.unwrap();
        db.close().await;
        assert_ne!(fs::metadata(&file).unwrap().len(), 0);
        Db::connect(&config, &crate::ops::schema::SCHEMA).await.unwrap().close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(matches!(Db::connect(&config, &crate::ops::schema::SCHEMA).await, Err(Error::Refused(_))));
        assert!(matches!(Db::connect_existing(&config, &crate::ops::schema::SCHEMA).await, Err(Error::Refused(_))));
        fs::remove_file(folder.path().join("uploads/leak.jpg")).unwrap();
        let db = Db::connect(&config, &crate::ops::schema::SCHEMA).await.unwrap();
        db.migrate().await.unwrap();
        db.close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(!is_marked(folder.path()));
        Db::connect(&config, &crate::ops::schema::SCHEMA).await.unwrap().close().await;
        assert!(is_marked(folder.path()));
        for ending in ["", "-wal", "-shm"] {
            drop(fs::remove_file(folder.path().join(format!("toolbox.db{ending}"))));
        }
        assert!(matches!(Db::connect(&config, &crate::ops::schema::SCHEMA).await, Err(Error::Refused(_))));
        assert!(matches!(Db::connect_existing(&config, &crate::ops::schema::SCHEMA).await, Err(Error::Refused(_))));
        assert!(!file.exists(), "nothing was begun anew");
    }

    #[test]
    fn mark_after_a_move_names_the_database_that_the_install_works_with_now() {
        let folder = folder();
        let said = || fs::read_to_string(folder.path().join(MARK)).unwrap();
        mark(folder.path(), Some(&folder.path().join("toolbox.db")));
        assert!(said().contains("toolbox.db"));
        mark(folder.path(), None);
        assert!(said().contains("PostgreSQL"));
    }

    #[test]
    fn emptied_mark_put_twice_is_there_and_names_itself_in_the_refusal() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("var");
        assert!(!is_marked(&data_dir));
        mark(&data_dir, None);
        mark(&data_dir, None);
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
