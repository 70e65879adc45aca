//! Databases set aside by a restore. They hold people erased since in clear text, as backups of their time do, and are
//! deleted when those are.

use std::{
    io,
    path::{Path, PathBuf},
};

use chrono::{DateTime, Duration, NaiveDateTime, Utc};

use super::{BackupConfig, disk};
use crate::{ops::tenant_data::export::map_io_error, platform::error::Result};

/// Text between the name of the database and the time it was set aside.
const REPLACED_INFIX: &str = ".replaced-";
const STAMP_FORMAT: &str = "%Y%m%dT%H%M%SZ";
const STAMP_LENGTH: usize = 16;
/// The files that `SQLite` keeps beside a database go with it.
const DATABASE_FILE_SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

pub(super) fn format_stamp(now: DateTime<Utc>) -> String {
    now.format(STAMP_FORMAT).to_string()
}

pub(super) fn replaced_database_path(file: &Path, stamp: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(REPLACED_INFIX);
    name.push(stamp);
    PathBuf::from(name)
}

/// Days until deletion: a backup is made each day, and `BACKUP_KEEP` of them are kept.
#[must_use]
pub fn retention_days(config: &BackupConfig) -> i64 {
    i64::try_from(config.keep).unwrap_or(1_000)
}

/// Deletes the expired ones of the databases in `files`.
/// Errors: when a folder cannot be read, or a file stays.
pub async fn prune_replaced_databases(config: &BackupConfig, files: &[PathBuf], now: DateTime<Utc>) -> Result<()> {
    let limit = now - Duration::days(retention_days(config));
    for file in files {
        let above = file.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let Some(database) = file.file_name().and_then(|name| name.to_str()) else { continue };
        for name in disk::list_file_names(above).await? {
            if parse_replaced_at(&name, database).is_some_and(|at| at < limit) {
                remove_if_exists(&above.join(&name)).await?;
            }
        }
    }
    Ok(())
}

async fn remove_if_exists(path: &Path) -> Result<()> {
    match tokio::fs::remove_file(path).await {
        Ok(()) => tracing::info!(file = %path.display(), "removed what a restore had set aside"),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(map_io_error(&e)),
    }
    Ok(())
}

/// Time it was set aside; none when it is no such file of this database.
fn parse_replaced_at(name: &str, database: &str) -> Option<DateTime<Utc>> {
    let rest = name.strip_prefix(database)?.strip_prefix(REPLACED_INFIX)?;
    let (stamp, ending) = rest.split_at_checked(STAMP_LENGTH)?;
    let at = NaiveDateTime::parse_from_str(stamp, STAMP_FORMAT).ok()?;
    DATABASE_FILE_SUFFIXES.contains(&ending).then(|| at.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn remove_old_deletes_only_files_set_aside_before_oldest_kept_backup() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("toolbox.db");
        let now = DateTime::UNIX_EPOCH + Duration::days(20_000);
        let config = BackupConfig { folder: folder.path().join("backups"), keep: 7, is_daily: true };
        let aside = |days: i64| replaced_database_path(&file, &format_stamp(now - Duration::days(days)));
        let (old, new) = (aside(8), aside(6));
        let log = PathBuf::from(format!("{}-wal", old.display()));
        let others = ["toolbox.db", "toolbox.db.replaced-by-hand", "other.db.replaced-20200101T000000Z"];
        let others = others.map(|name| folder.path().join(name));
        for path in [&old, &new, &log].into_iter().chain(&others) {
            std::fs::write(path, "x").unwrap();
        }
        prune_replaced_databases(&config, std::slice::from_ref(&file), now).await.unwrap();
        assert!(!old.exists() && !log.exists(), "gone with its log");
        assert!(new.exists() && others.iter().all(|path| path.exists()));
    }
}
