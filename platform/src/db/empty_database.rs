//! Detection of an empty or missing database beside an existing install: starting on it would create a new install
//! beside the old photos and keys. The data folder gets a mark once the database has a schema; an empty `SQLite` file
//! of an earlier version without a mark is judged by the files beside it.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    time::Duration,
};

use super::WRITER_LOCKS;
use crate::{
    error::{Error, Result},
    private_file,
};

/// Folders of the data folder that only a working install fills.
const INSTALL_DIRS: [&str; 3] = ["uploads", "backups", "mail"];
/// Generated at the first start, just before the database.
const KEY_FILES: [&str; 2] = ["secret.key", "vapid.key"];
/// Time within which a first start creates the keys and the database.
const FIRST_START: Duration = Duration::from_mins(1);
/// Mark file in the data folder: the database had a schema. Its content is the database location.
const INSTALL_MARKER: &str = "installed";

/// Whether the data folder belongs to an install: by the mark, or by the files beside an existing `file`. Without a
/// mark, an empty file made by the operator for a new install is accepted, and so is a missing file.
pub(super) fn has_prior_install(file: &Path, data_dir: &Path) -> bool {
    is_install_marked(data_dir)
        || file.exists() && (has_writer_locks(file) || has_install_files(data_dir) || has_old_key(file, data_dir))
}

/// Refuses an empty or missing `file` where an install was; only a start that may `create` accepts an empty one.
/// Errors: [`Error::Refused`], with the way to restore; [`Error::Unavailable`] when the install has not been created
/// yet.
pub(super) fn reject_empty_database(file: &Path, create: bool, installed: Option<&Path>) -> Result<()> {
    let is_empty = fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() == 0);
    let is_missing = !file.exists();
    let not_begun = |state| format!("the database {} is {state}: start api serve first", file.display());
    match installed {
        Some(data_dir) if is_empty || is_missing => Err(empty_database_error(file, data_dir)),
        None if is_empty && !create => Err(Error::Unavailable(not_begun("empty"))),
        None if is_missing && !create => Err(Error::Unavailable(not_begun("not there"))),
        _ => Ok(()),
    }
}

pub(super) fn empty_database_error(file: &Path, data_dir: &Path) -> Error {
    let mark = data_dir.join(INSTALL_MARKER);
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

pub(super) fn is_install_marked(data_dir: &Path) -> bool {
    data_dir.join(INSTALL_MARKER).exists()
}

fn install_marker_text(file: Option<&Path>) -> String {
    let place = file.map_or_else(
        || "on PostgreSQL".to_owned(),
        |file| fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf()).display().to_string(),
    );
    format!(
        "The database of this install is {place}. While this file is here, Toolbox starts on no empty or missing one.\n"
    )
}

/// Writes or updates the mark. Failure does not stop the start.
pub(super) fn ensure_install_marker(data_dir: &Path, file: Option<&Path>) {
    let says = install_marker_text(file);
    if fs::read_to_string(data_dir.join(INSTALL_MARKER)).is_ok_and(|there| there == says) {
        return;
    }
    if let Err(e) = write_install_marker(data_dir, &says) {
        tracing::warn!(error = %e, "the data folder could not be marked: a lost database would not be noticed");
    }
}

fn write_install_marker(data_dir: &Path, says: &str) -> io::Result<()> {
    private_file::create_private_dir(data_dir)?;
    private_file::create_private_file(&data_dir.join(INSTALL_MARKER), false)?.write_all(says.as_bytes())
}

pub(super) fn empty_postgres_error(data_dir: &Path) -> Error {
    Error::Refused(format!(
        "the database holds nothing, but an install was here. Correct DATABASE_URL, or put the last backup back: api \
         restore <folder>. If this is to be a new install, remove {}",
        data_dir.join(INSTALL_MARKER).display()
    ))
}

/// Whether the writer's lock files exist: a process has written to it.
fn has_writer_locks(file: &Path) -> bool {
    WRITER_LOCKS.iter().any(|ending| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).exists()
    })
}

fn has_install_files(data_dir: &Path) -> bool {
    INSTALL_DIRS.iter().any(|name| fs::read_dir(data_dir.join(name)).is_ok_and(|mut inside| inside.next().is_some()))
}

/// A key older than the file comes from an earlier install.
fn has_old_key(file: &Path, data_dir: &Path) -> bool {
    let written = |path: &Path| fs::metadata(path).and_then(|found| found.modified()).ok();
    let Some(emptied) = written(file) else { return false };
    KEY_FILES.iter().filter_map(|name| written(&data_dir.join(name))).any(|made| {
        let age = emptied.duration_since(made);
        age.is_ok_and(|age| age > FIRST_START)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, DbConfig};

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("toolbox.db"), "").unwrap();
        fs::create_dir(folder.path().join("uploads")).unwrap();
        folder
    }

    fn is_refused(folder: &Path) -> bool {
        let file = folder.join("toolbox.db");
        reject_empty_database(&file, true, has_prior_install(&file, folder).then_some(folder)).is_err()
    }

    #[test]
    fn empty_or_missing_file_on_first_start_is_accepted() {
        let folder = folder();
        fs::write(folder.path().join("secret.key"), [7; 32]).unwrap();
        assert!(!is_refused(folder.path()));
        fs::remove_file(folder.path().join("toolbox.db")).unwrap();
        assert!(!is_refused(folder.path()), "and one that is not there");
    }

    #[test]
    fn empty_or_missing_file_beside_mark_is_refused_until_mark_is_removed() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        ensure_install_marker(folder.path(), Some(&file));
        let words = empty_database_error(&file, folder.path()).to_string();
        assert!(is_refused(folder.path()) && words.contains("the file and "), "{words}");
        fs::remove_file(&file).unwrap();
        let words = empty_database_error(&file, folder.path()).to_string();
        assert!(is_refused(folder.path()) && words.contains("is not there") && words.contains("/installed"), "{words}");
        fs::remove_file(folder.path().join(INSTALL_MARKER)).unwrap();
        assert!(!is_refused(folder.path()));
    }

    #[test]
    fn empty_file_beside_photos_lock_or_old_key_is_refused() {
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
    fn empty_or_missing_file_is_refused_when_opened_without_create() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        assert!(matches!(reject_empty_database(&file, false, None), Err(Error::Unavailable(_))));
        assert!(matches!(reject_empty_database(&file, false, Some(folder.path())), Err(Error::Refused(_))));
        fs::remove_file(&file).unwrap();
        assert!(matches!(reject_empty_database(&file, false, Some(folder.path())), Err(Error::Refused(_))));
        assert!(
            matches!(reject_empty_database(&file, false, None), Err(Error::Unavailable(_))),
            "nor one that is not there"
        );
    }

    #[tokio::test]
    async fn database_without_schema_is_refused_beside_photos_or_mark() {
        let folder = folder();
        let file = folder.path().join("toolbox.db");
        fs::remove_file(&file).unwrap();
        let url = format!("sqlite://{}", file.display());
        let mut vars = crate::config::EnvVars::from_pairs([("DATABASE_URL", url.as_str())]);
        let config = DbConfig::from_vars(&mut vars, folder.path());
        let db = Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await.unwrap();
        db.close().await;
        assert_ne!(fs::metadata(&file).unwrap().len(), 0);
        Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await.unwrap().close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(matches!(Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await, Err(Error::Refused(_))));
        assert!(matches!(Db::connect_existing(&config, &crate::db::schema::BARE_SCHEMA).await, Err(Error::Refused(_))));
        fs::remove_file(folder.path().join("uploads/leak.jpg")).unwrap();
        let db = Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await.unwrap();
        db.migrate().await.unwrap();
        db.close().await;
        fs::write(folder.path().join("uploads/leak.jpg"), "x").unwrap();
        assert!(!is_install_marked(folder.path()));
        Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await.unwrap().close().await;
        assert!(is_install_marked(folder.path()));
        for ending in ["", "-wal", "-shm"] {
            drop(fs::remove_file(folder.path().join(format!("toolbox.db{ending}"))));
        }
        assert!(matches!(Db::connect(&config, &crate::db::schema::BARE_SCHEMA).await, Err(Error::Refused(_))));
        assert!(matches!(Db::connect_existing(&config, &crate::db::schema::BARE_SCHEMA).await, Err(Error::Refused(_))));
        assert!(!file.exists(), "nothing was begun anew");
    }

    #[test]
    fn mark_after_a_move_names_the_current_database() {
        let folder = folder();
        let marker_text = || fs::read_to_string(folder.path().join(INSTALL_MARKER)).unwrap();
        ensure_install_marker(folder.path(), Some(&folder.path().join("toolbox.db")));
        assert!(marker_text().contains("toolbox.db"));
        ensure_install_marker(folder.path(), None);
        assert!(marker_text().contains("PostgreSQL"));
    }

    #[test]
    fn mark_is_idempotent_and_named_in_the_refusal() {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().join("var");
        assert!(!is_install_marked(&data_dir));
        ensure_install_marker(&data_dir, None);
        ensure_install_marker(&data_dir, None);
        assert!(is_install_marked(&data_dir));
        let words = empty_postgres_error(&data_dir).to_string();
        assert!(words.contains("api restore") && words.contains("var/installed"), "{words}");
    }

    #[test]
    fn file_with_content_is_not_inspected() {
        let folder = folder();
        fs::write(folder.path().join("toolbox.db-now"), "").unwrap();
        fs::write(folder.path().join("toolbox.db"), "SQLite format 3").unwrap();
        assert!(!is_refused(folder.path()));
    }
}
