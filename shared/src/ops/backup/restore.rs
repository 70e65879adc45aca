//! Restore of a backup, on a new machine or in place of a broken install. The restored install sends nothing until it
//! is released, since it only knows the state at the time of the backup ([`crate::ops::send_freeze`]).

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::{
    BackupManifest, CompletedBackup, DATABASE, DRAFT_PREFIX, FILES, GENERATED_KEY_FILES, KEYS, disk,
    known_erasures::KnownErasures, matches_key_fingerprint, replaced_database, sqlite_url, verify_backup,
};
use crate::{
    ops::{
        db_transfer,
        key_rotation::lost_key,
        schema::SCHEMA,
        send_freeze::{self, FreezeReason},
        system_status,
        tenant_data::export::map_io_error,
    },
    platform::{
        clock::ClockRng,
        db::{Db, DbConfig, q},
        error::{Error, Result},
        id::CustomerId,
        private_file,
        secret::SecretKey,
        storage::Storage,
    },
};

/// Generated key that signs links and encrypts the keys of other services.
const SECRET_KEY_FILE: &str = "secret.key";
const WRONG_KEY_MESSAGE: &str = "SECRET_KEY is not the one that this backup was made with: no link that customers hold would open, \
no sealed key, no second factor. Set the right one; if it is lost, say --lost-key";
const WORKER_ALIVE_MESSAGE: &str = "a worker runs on this database, or was killed less than two minutes ago. Stop \
both programs first";

#[derive(Clone, Copy, Debug)]
pub struct RestoreTarget<'a> {
    pub db: &'a DbConfig,
    pub storage: &'a Storage,
    pub data_dir: &'a Path,
    /// `BACKUP_DIR`, where the backup need not be. A list of erasures is there.
    pub backups: &'a Path,
    pub origin: &'a ClockRng,
    /// Key that the install would use.
    pub secret: &'a SecretKey,
    /// Whether it is set in the environment: then a generated one in the backup is of no use.
    pub is_secret_set: bool,
    /// Sets an existing database aside. Without it that is an error.
    pub replaces: bool,
    /// Continues although the key is another. Without it that is an error.
    pub lost_key: bool,
}

#[derive(Clone, Debug)]
pub struct RestoreReport {
    pub manifest: BackupManifest,
    pub files: usize,
    pub set_aside: Option<PathBuf>,
    pub erasures: RepeatedErasures,
}

/// What a restore did about the people who were erased after the backup.
#[derive(Clone, Debug, Default)]
pub struct RepeatedErasures {
    /// Records that the backup still knew.
    pub erased: usize,
    /// Merges that were undone, because only one of the two people was erased: the record that stayed, and the other.
    pub parted: Vec<[CustomerId; 2]>,
    /// Where no list of erasures was found; empty when one was.
    pub without_list: Vec<PathBuf>,
}

/// Restores a backup, once all of it was verified. The database gets its name last.
/// Errors: [`Error::Refused`], in words for the operator: when the backup is damaged, the key is another one, a database
/// is there already, or a worker runs on it.
pub async fn restore_backup(folder: &Path, place: &RestoreTarget<'_>) -> Result<RestoreReport> {
    let manifest = verify_backup(folder).await?;
    ensure_key_matches(folder, &manifest, place).await?;
    let stamp = replaced_database::format_stamp(place.origin.now());
    ensure_replaceable(place).await?;
    let work = work_dir(place).join(format!("restoring-{stamp}.db"));
    let put = restore_into(folder, &manifest, place, (&work, &stamp)).await;
    if put.is_err() {
        remove_work_copy(&work).await;
    }
    let (files, set_aside, erasures) = put?;
    Ok(RestoreReport { manifest, files, set_aside, erasures })
}

/// Working copy in the folder of the database itself, so that the final rename cannot fail half-way.
fn work_dir(place: &RestoreTarget<'_>) -> PathBuf {
    let above = place.db.sqlite_file().and_then(|file| file.parent().map(Path::to_path_buf));
    match above {
        None => place.data_dir.to_path_buf(),
        Some(above) if above.as_os_str().is_empty() => PathBuf::from("."),
        Some(above) => above,
    }
}

async fn restore_into(
    folder: &Path,
    manifest: &BackupManifest,
    place: &RestoreTarget<'_>,
    (work, stamp): (&Path, &str),
) -> Result<(usize, Option<PathBuf>, RepeatedErasures)> {
    for above in work.parent().into_iter().chain([place.data_dir]) {
        tokio::fs::create_dir_all(above).await.map_err(|e| map_io_error(&e))?;
    }
    copy_private_file(&folder.join(DATABASE), work).await?;
    migrate_and_freeze(work, place.origin, manifest.made_at).await?;
    if place.lost_key {
        adopt_key(folder, manifest, place, work).await?;
    }
    let secret = effective_key(folder, manifest, place).await?;
    let known = KnownErasures::find_since(folder, manifest.made_at, place).await?;
    // What may refuse comes before the files.
    let parted = known.part_merges(place, work, &secret).await?;
    let files = restore_files(folder, manifest, place.storage).await?;
    let erased = known.reapply_to(place, work, &secret).await?;
    known.copy_to_lists(place)?;
    let erasures = RepeatedErasures { erased, parted, without_list: known.without_list };
    restore_keys(folder, manifest, place.data_dir, stamp)?;
    let set_aside = match place.db.sqlite_file() {
        Some(file) => {
            let set_aside = replace_database_file(work, &file, stamp).await?;
            place.db.mark_installed();
            set_aside
        }
        None => restore_rows(work, place.db).await?,
    };
    Ok((files, set_aside, erasures))
}

/// Makes the key in use that of the database; both programs start with it.
async fn adopt_key(folder: &Path, manifest: &BackupManifest, place: &RestoreTarget<'_>, work: &Path) -> Result<()> {
    let secret = effective_key(folder, manifest, place).await?;
    let db = Db::connect_existing(&DbConfig::from_url(&sqlite_url(work)), &SCHEMA).await?;
    let abandoned = lost_key::abandon_lost_key(&db, place.origin, &secret).await;
    db.close().await;
    for (what, count) in abandoned?.to_enter_again().into_iter().filter(|(_, count)| *count > 0) {
        tracing::warn!(count, what, "the key of these is lost: they must be entered again");
    }
    disk::remove_sqlite_sidecars(work).await?;
    disk::sync_file(work).await
}

async fn copy_private_file(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (from.to_path_buf(), to.to_path_buf());
    let copied = tokio::task::spawn_blocking(move || private_file::copy_private_file(&from, &to)).await;
    copied.map_err(|e| Error::Internal(format!("a copy: {e}")))?.map_err(|e| map_io_error(&e))
}

/// Removes an unused copy. Where that fails, it stays under a name of its own.
async fn remove_work_copy(work: &Path) {
    let removed = match disk::remove_sqlite_sidecars(work).await {
        Ok(()) => tokio::fs::remove_file(work).await.map_err(|e| map_io_error(&e)),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if work.exists() => tracing::warn!(error = %e, copy = %work.display(), "a copy stays behind"),
        _ => {}
    }
}

/// Compares the key in use with the mark in the backup, before anything is written.
async fn ensure_key_matches(folder: &Path, manifest: &BackupManifest, place: &RestoreTarget<'_>) -> Result<()> {
    let Some(mark) = &manifest.key_check else { return Ok(()) };
    if place.lost_key {
        return Ok(());
    }
    let key = effective_key(folder, manifest, place).await?;
    if matches_key_fingerprint(&key, manifest.made_at, mark) {
        Ok(())
    } else {
        Err(Error::Refused(WRONG_KEY_MESSAGE.to_owned()))
    }
}

/// The key that the install will use. One in the backup replaces the one generated by this start.
async fn effective_key(folder: &Path, manifest: &BackupManifest, place: &RestoreTarget<'_>) -> Result<SecretKey> {
    let is_brought = manifest.keys.contains_key(SECRET_KEY_FILE) && !place.is_secret_set;
    let brought = if is_brought { disk::read_if_exists(&folder.join(KEYS).join(SECRET_KEY_FILE)).await? } else { None };
    let brought = brought.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).map(SecretKey::new);
    Ok(brought.unwrap_or_else(|| place.secret.clone()))
}

/// Verifies a backup and restores its database on trial. Fails with the errors of a restore.
pub async fn verify_and_drill(folder: &Path, origin: &ClockRng) -> Result<BackupManifest> {
    let manifest = verify_backup(folder).await?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made = CompletedBackup { name, folder: folder.to_path_buf(), manifest };
    run_restore_drill(&made, origin).await?;
    Ok(made.manifest)
}

/// Restores the database on trial in a temporary folder beside the backup: opens it, migrates it, and compares it with
/// the manifest. Fails with the errors of a restore.
pub async fn run_restore_drill(made: &CompletedBackup, origin: &ClockRng) -> Result<()> {
    let above = made.folder.parent().unwrap_or(&made.folder);
    let scratch = above.join(format!("{DRAFT_PREFIX}drill-{}", made.name));
    disk::create_private_dir(&scratch).await?;
    let drilled = restore_scratch_copy(made, &scratch.join(DATABASE), origin).await;
    disk::remove_draft_dir(&scratch).await;
    drilled
}

async fn restore_scratch_copy(made: &CompletedBackup, work: &Path, origin: &ClockRng) -> Result<()> {
    copy_private_file(&made.folder.join(DATABASE), work).await?;
    migrate_and_freeze(work, origin, made.manifest.made_at).await?;
    let db = Db::connect_existing(&DbConfig::from_url(&sqlite_url(work)), &SCHEMA).await?;
    let is_current = db.is_schema_current().await?;
    let mut conn = db.acquire_reader().await?;
    let businesses = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM org")?;
    let is_frozen = send_freeze::find_freeze(&mut conn).await?.is_some();
    drop(conn);
    db.close().await;
    if is_current && is_frozen && made.manifest.rows.get("org") == Some(&businesses) {
        return Ok(());
    }
    Err(Error::Refused("the backup was put back for a try, and was not what it should be".to_owned()))
}

/// Migrates the copy and freezes its sending, before anything can work with it.
async fn migrate_and_freeze(work: &Path, origin: &ClockRng, made_at: DateTime<Utc>) -> Result<()> {
    let db = Db::connect_existing(&DbConfig::from_url(&sqlite_url(work)), &SCHEMA).await?;
    db.migrate().await?;
    let mut tx = db.begin().await?;
    send_freeze::freeze_sending(&mut tx, origin, FreezeReason::Restored, made_at).await?;
    system_status::delete_copied_heartbeats(&mut tx).await?;
    tx.commit().await?;
    db.close().await;
    disk::remove_sqlite_sidecars(work).await?;
    disk::sync_file(work).await
}

async fn ensure_replaceable(place: &RestoreTarget<'_>) -> Result<()> {
    let Some(file) = place.db.sqlite_file() else { return Ok(()) };
    if !file.exists() {
        return Ok(());
    }
    if !place.replaces {
        let words = "is there already. Stop both programs, and say --replace to have it set aside";
        return Err(Error::Refused(format!("{} {words}", file.display())));
    }
    let Ok(db) = Db::connect_existing(place.db, &SCHEMA).await else { return Ok(()) };
    let is_alive = async { system_status::is_worker_alive(&mut db.acquire_reader().await?, place.origin.now()).await };
    // A database too broken to be queried is a reason for the restore.
    let is_alive = is_alive.await.unwrap_or(false);
    db.close().await;
    if is_alive {
        return Err(Error::Refused(WORKER_ALIVE_MESSAGE.to_owned()));
    }
    Ok(())
}

/// Gives the copy the database's name. The previous database is set aside with its log, since the log would be read
/// into the new one.
async fn replace_database_file(work: &Path, file: &Path, stamp: &str) -> Result<Option<PathBuf>> {
    let aside = replaced_database::replaced_database_path(file, stamp);
    let was_there = file.exists();
    let (old, new) = (disk::sqlite_sidecar_paths(file), disk::sqlite_sidecar_paths(&aside));
    for (old, new) in old.iter().zip(&new) {
        if old.exists() {
            disk::rename_durably(old, new).await?;
        }
    }
    if was_there {
        disk::rename_durably(file, &aside).await?;
    }
    let put = disk::rename_durably(work, file).await;
    if put.is_err() && was_there && !file.exists() {
        // Puts the previous database back.
        for (old, new) in std::iter::once((file, aside.as_path())).chain(zip_paths(&old, &new)) {
            if new.exists() {
                disk::rename_durably(new, old).await?;
            }
        }
    }
    put?;
    Ok(was_there.then_some(aside))
}

fn zip_paths<'a>(old: &'a [PathBuf; 2], new: &'a [PathBuf; 2]) -> impl Iterator<Item = (&'a Path, &'a Path)> {
    old.iter().zip(new).map(|(old, new)| (old.as_path(), new.as_path()))
}

/// Copies the rows into an empty PostgreSQL database, frozen from the start.
async fn restore_rows(work: &Path, to: &DbConfig) -> Result<Option<PathBuf>> {
    let owner = to.as_owner().without_data_dir();
    let (from, config) = (Db::connect_existing(&DbConfig::from_url(&sqlite_url(work)), &SCHEMA).await?, to);
    let to = Db::connect(&owner, &SCHEMA).await?;
    to.migrate_and_grant(config).await?;
    let copied = db_transfer::copy_all_rows(&from, &to).await;
    from.close().await;
    to.close().await;
    copied?;
    config.mark_installed();
    disk::remove_sqlite_sidecars(work).await?;
    tokio::fs::remove_file(work).await.map_err(|e| map_io_error(&e))?;
    Ok(None)
}

async fn restore_files(folder: &Path, manifest: &BackupManifest, storage: &Storage) -> Result<usize> {
    let mut put = 0;
    for (key, _) in manifest.files.iter().filter(|(_, kept)| kept.sha256.is_some()) {
        let path = folder.join(FILES).join(key);
        let bytes = tokio::fs::read(path).await.map_err(|e| map_io_error(&e))?;
        storage.put(key, &bytes).await?;
        put += 1;
    }
    Ok(put)
}

/// Restores the generated keys. A different one is set aside: this start has generated it.
fn restore_keys(folder: &Path, manifest: &BackupManifest, data_dir: &Path, stamp: &str) -> Result<()> {
    // Fixed names only: a manifest may be forged.
    for name in GENERATED_KEY_FILES.into_iter().filter(|name| manifest.keys.contains_key(*name)) {
        let bytes = std::fs::read(folder.join(KEYS).join(name)).map_err(|e| map_io_error(&e))?;
        private_file::replace_with_backup(data_dir, name, &bytes, stamp).map_err(|e| map_io_error(&e))?;
    }
    Ok(())
}
