//! Databases that a restore has set aside. They hold people who were erased since in clear, as the backups of their day do, and
//! go when those go.

use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Duration, NaiveDateTime, Utc};

use super::{BackupConfig, disk};
use crate::{ops::tenant_data::export::broken, platform::error::Result};

/// What stands between the name of the database and the time at which it was set aside.
const REPLACED: &str = ".replaced-";
const STAMP: &str = "%Y%m%dT%H%M%SZ";
/// How long a stamp is.
const STAMP_LENGTH: usize = 16;
/// What `SQLite` keeps beside a database goes with it.
const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// The stamp of a restore.
pub(super) fn stamp(now: DateTime<Utc>) -> String {
    now.format(STAMP).to_string()
}

/// What the database in `file` is called once it is set aside.
pub(super) fn name(file: &Path, stamp: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(REPLACED);
    name.push(stamp);
    PathBuf::from(name)
}

/// For how many days one stays: a backup is made each day, and `BACKUP_KEEP` of them are kept.
#[must_use]
pub fn days_kept(config: &BackupConfig) -> i64 {
    i64::try_from(config.keep).unwrap_or(1_000)
}

/// Removes those of the databases in `files` whose time is over.
///
/// # Errors
/// When a folder cannot be read, or a file stays.
pub async fn remove_old(config: &BackupConfig, files: &[PathBuf], now: DateTime<Utc>) -> Result<()> {
    let limit = now - Duration::days(days_kept(config));
    for file in files {
        let above = file.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Some(database) = file.file_name().and_then(|name| name.to_str()) else { continue };
        for name in disk::names(above).await? {
            if set_aside_at(&name, database).is_some_and(|at| at < limit) {
                remove(&above.join(&name)).await?;
            }
        }
    }
    Ok(())
}

async fn remove(path: &Path) -> Result<()> {
    match tokio::fs::remove_file(path).await {
        Ok(()) => tracing::info!(file = %path.display(), "removed what a restore had set aside"),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(broken(&e)),
    }
    Ok(())
}

/// When what is called so was set aside; none when it is no such file of this database.
fn set_aside_at(name: &str, database: &str) -> Option<DateTime<Utc>> {
    let rest = name.strip_prefix(database)?.strip_prefix(REPLACED)?;
    let (stamp, ending) = rest.split_at_checked(STAMP_LENGTH)?;
    let at = NaiveDateTime::parse_from_str(stamp, STAMP).ok()?;
    ENDINGS.contains(&ending).then(|| at.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn remove_old_takes_what_was_set_aside_before_the_last_backup_that_is_kept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("toolbox.db");
        let now = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let config = BackupConfig { folder: folder.path().join("backups"), keep: 7, is_daily: true };
        let aside = |days: i64| name(&file, &stamp(now - Duration::days(days)));
        let (old, new) = (aside(8), aside(6));
        let log = PathBuf::from(format!("{}-wal", old.display()));
        let others = ["toolbox.db", "toolbox.db.replaced-by-hand", "other.db.replaced-20200101T000000Z"];
        let others = others.map(|name| folder.path().join(name));
        for path in [&old, &new, &log].into_iter().chain(&others) {
            std::fs::write(path, "x").unwrap();
        }
        remove_old(&config, std::slice::from_ref(&file), now).await.unwrap();
        assert!(!old.exists() && !log.exists(), "gone with its log");
        assert!(new.exists() && others.iter().all(|path| path.exists()));
    }
}
