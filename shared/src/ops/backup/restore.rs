//! Putting a backup back: onto a machine that never saw the install, or in place of one that is broken. What comes up sends
//! nothing until somebody releases it, for it knows only what was so when the backup was made ([`crate::ops::send_freeze`]).

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::{
    DATABASE, DRAFT, FILES, GENERATED, KEYS, Made, Manifest, aside, disk, is_key_mark, sqlite_address, verify,
};
use crate::{
    ops::{
        db_transfer, erasure,
        key_rotation::mark,
        schema::SCHEMA,
        send_freeze::{self, Why},
        system_status,
        tenant_data::export::broken,
    },
    platform::{
        clock::Origin,
        db::{Db, DbConfig, q},
        error::{Error, Result},
        private_file,
        secret::SecretKey,
        storage::Storage,
    },
};

/// The one of the generated keys by which links are signed and keys of other services sealed.
const SECRET: &str = "secret.key";
const OTHER_KEY: &str = "SECRET_KEY is not the one that this backup was made with: no link that customers hold would open, \
no sealed key, no second factor. Set the right one; if it is lost, say --lost-key";

/// Where it is put.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub db: &'a DbConfig,
    pub storage: &'a Storage,
    pub data_dir: &'a Path,
    pub origin: &'a Origin,
    /// The key that the install would work with.
    pub secret: &'a SecretKey,
    /// Whether it stands in the environment: then a generated one that the backup has is of no use.
    pub is_secret_set: bool,
    /// Whether a database that is there is set aside. Without it that is an error.
    pub replaces: bool,
    /// Whether it goes on although the key is another. Without it that is an error.
    pub lost_key: bool,
}

/// What was put back.
#[derive(Clone, Debug)]
pub struct Restored {
    pub manifest: Manifest,
    /// Files that were put into the store.
    pub files: usize,
    /// Where the database lies that was there before.
    pub set_aside: Option<PathBuf>,
}

/// Puts a backup back, once all of it was read and found whole. The database gets its name last of all.
///
/// # Errors
/// [`Error::Clash`], in words for the operator: when the backup is damaged, the key is another one, a database is there
/// already, or a worker is at work on it.
pub async fn restore(folder: &Path, place: &Place<'_>) -> Result<Restored> {
    let manifest = verify(folder).await?;
    refuse_another_key(folder, &manifest, place).await?;
    let stamp = aside::stamp(place.origin.now());
    refuse_while_at_work(place).await?;
    let work = beside_the_database(place).join(format!("restoring-{stamp}.db"));
    let put = put_back(folder, &manifest, place, (&work, &stamp)).await;
    if put.is_err() {
        discard(&work).await;
    }
    let (files, set_aside) = put?;
    Ok(Restored { manifest, files, set_aside })
}

/// Where the copy is worked on: in the folder of the database itself, or giving it its name could fail half-way.
fn beside_the_database(place: &Place<'_>) -> PathBuf {
    let above = place.db.sqlite_file().and_then(|file| file.parent().map(Path::to_path_buf));
    match above {
        None => place.data_dir.to_path_buf(),
        Some(above) if above.as_os_str().is_empty() => PathBuf::from("."),
        Some(above) => above,
    }
}

async fn put_back(
    folder: &Path,
    manifest: &Manifest,
    place: &Place<'_>,
    (work, stamp): (&Path, &str),
) -> Result<(usize, Option<PathBuf>)> {
    for above in work.parent().into_iter().chain([place.data_dir]) {
        tokio::fs::create_dir_all(above).await.map_err(|e| broken(&e))?;
    }
    copy_private(&folder.join(DATABASE), work).await?;
    freeze(work, place.origin, manifest.made_at).await?;
    if place.lost_key {
        take_up_key(folder, manifest, place, work).await?;
    }
    let files = put_files(folder, manifest, place.storage).await?;
    erase_anew(folder, manifest, place, work).await?;
    put_keys(folder, manifest, place.data_dir, stamp)?;
    let set_aside = match place.db.sqlite_file() {
        Some(file) => {
            let set_aside = put_file(work, &file, stamp).await?;
            place.db.mark_installed();
            set_aside
        }
        None => put_rows(work, place.db).await?,
    };
    Ok((files, set_aside))
}

/// The key that the install will work with becomes that of the database: both programs start with it.
async fn take_up_key(folder: &Path, manifest: &Manifest, place: &Place<'_>, work: &Path) -> Result<()> {
    let secret = working_key(folder, manifest, place).await?;
    let db = Db::connect_existing(&DbConfig::at(&sqlite_address(work)), &SCHEMA).await?;
    let mut tx = db.begin().await?;
    mark::put(&mut tx, place.origin, &secret).await?;
    tx.commit().await?;
    db.close().await;
    disk::remove_log(work).await?;
    disk::sync(work).await
}

/// Whoever was erased since the backup was made is erased again, before anybody works with what came up.
async fn erase_anew(folder: &Path, manifest: &Manifest, place: &Place<'_>, work: &Path) -> Result<()> {
    let beside = folder.parent().unwrap_or(folder).to_path_buf();
    let erasures = erasure::list::after(&[place.data_dir.to_path_buf(), beside.clone()], manifest.made_at)?;
    if erasures.is_empty() {
        return Ok(());
    }
    let secret = working_key(folder, manifest, place).await?;
    let db = Db::connect_existing(&DbConfig::at(&sqlite_address(work)), &SCHEMA).await?;
    let house = erasure::House {
        db: &db,
        storage: place.storage,
        data_dir: place.data_dir,
        origin: place.origin,
        secret: &secret,
        backups: &beside,
    };
    let erased = erasure::again(&house, &erasures).await;
    db.close().await;
    tracing::info!(people = erased?, "erased again whom the backup still knew");
    disk::remove_log(work).await?;
    disk::sync(work).await
}

async fn copy_private(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (from.to_path_buf(), to.to_path_buf());
    let copied = tokio::task::spawn_blocking(move || private_file::copy(&from, &to)).await;
    copied.map_err(|e| Error::Internal(format!("a copy: {e}")))?.map_err(|e| broken(&e))
}

/// Removes the copy that became nothing. What cannot be removed lies there under a name of its own.
async fn discard(work: &Path) {
    let removed = match disk::remove_log(work).await {
        Ok(()) => tokio::fs::remove_file(work).await.map_err(|e| broken(&e)),
        Err(e) => Err(e),
    };
    match removed {
        Err(e) if work.exists() => tracing::warn!(error = %e, copy = %work.display(), "a copy stays behind"),
        _ => {}
    }
}

/// Compares the key that the install would work with against the mark in the backup, before anything is written.
async fn refuse_another_key(folder: &Path, manifest: &Manifest, place: &Place<'_>) -> Result<()> {
    let Some(mark) = &manifest.key_check else { return Ok(()) };
    if place.lost_key {
        return Ok(());
    }
    let key = working_key(folder, manifest, place).await?;
    if is_key_mark(&key, manifest.made_at, mark) { Ok(()) } else { Err(Error::Clash(OTHER_KEY.to_owned())) }
}

/// The key that the install will work with. One that the backup brings along replaces the one that this very start has
/// generated.
async fn working_key(folder: &Path, manifest: &Manifest, place: &Place<'_>) -> Result<SecretKey> {
    let is_brought = manifest.keys.contains_key(SECRET) && !place.is_secret_set;
    let brought = if is_brought { disk::read_if_there(&folder.join(KEYS).join(SECRET)).await? } else { None };
    let brought = brought.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).map(SecretKey::new);
    Ok(brought.unwrap_or_else(|| place.secret.clone()))
}

/// Reads all of a backup, and puts its database back for a try.
///
/// # Errors
/// What would have stood in the way of a restore.
pub async fn try_out(folder: &Path, origin: &Origin) -> Result<Manifest> {
    let manifest = verify(folder).await?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made = Made { name, folder: folder.to_path_buf(), manifest };
    drill(&made, origin).await?;
    Ok(made.manifest)
}

/// Puts a backup's database back beside itself, to see that it can be: opened, brought to this version, and found to hold
/// what the backup says, in a folder that goes again.
///
/// # Errors
/// What would have stood in the way of a restore.
pub async fn drill(made: &Made, origin: &Origin) -> Result<()> {
    let above = made.folder.parent().unwrap_or(&made.folder);
    let scratch = above.join(format!("{DRAFT}drill-{}", made.name));
    disk::make_private_folder(&scratch).await?;
    let drilled = put_back_beside(made, &scratch.join(DATABASE), origin).await;
    disk::discard(&scratch).await;
    drilled
}

async fn put_back_beside(made: &Made, work: &Path, origin: &Origin) -> Result<()> {
    copy_private(&made.folder.join(DATABASE), work).await?;
    freeze(work, origin, made.manifest.made_at).await?;
    let db = Db::connect_existing(&DbConfig::at(&sqlite_address(work)), &SCHEMA).await?;
    let is_current = db.is_current().await?;
    let mut conn = db.read().await?;
    let businesses = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM org")?;
    let is_frozen = send_freeze::frozen(&mut conn).await?.is_some();
    drop(conn);
    db.close().await;
    if is_current && is_frozen && made.manifest.rows.get("org") == Some(&businesses) {
        return Ok(());
    }
    Err(Error::Clash("the backup was put back for a try, and was not what it should be".to_owned()))
}

/// Brings the copy to this version's schema, and keeps it from sending. It is done before anything could work with it.
async fn freeze(work: &Path, origin: &Origin, made_at: DateTime<Utc>) -> Result<()> {
    let db = Db::connect_existing(&DbConfig::at(&sqlite_address(work)), &SCHEMA).await?;
    db.migrate().await?;
    let mut tx = db.begin().await?;
    send_freeze::freeze(&mut tx, origin, Why::Restored, made_at).await?;
    tx.commit().await?;
    db.close().await;
    disk::remove_log(work).await?;
    disk::sync(work).await
}

/// Whether what is there may be set aside.
async fn refuse_while_at_work(place: &Place<'_>) -> Result<()> {
    let Some(file) = place.db.sqlite_file() else { return Ok(()) };
    if !file.exists() {
        return Ok(());
    }
    if !place.replaces {
        let words = "is there already. Stop both programs, and say --replace to have it set aside";
        return Err(Error::Clash(format!("{} {words}", file.display())));
    }
    let Ok(db) = Db::connect_existing(place.db, &SCHEMA).await else { return Ok(()) };
    let is_alive = async { system_status::is_at_work(&mut db.read().await?, place.origin.now()).await };
    // A database that is too broken to be asked is the reason why somebody restores.
    let is_alive = is_alive.await.unwrap_or(false);
    db.close().await;
    if is_alive {
        return Err(Error::Clash("a worker is at work on this database. Stop both programs first".to_owned()));
    }
    Ok(())
}

/// Gives the copy the database's name. What had it is set aside, with the log that belongs to it: a log of another
/// database beside it would be read into it.
async fn put_file(work: &Path, file: &Path, stamp: &str) -> Result<Option<PathBuf>> {
    let aside = aside::name(file, stamp);
    let was_there = file.exists();
    let (old, new) = (disk::beside(file), disk::beside(&aside));
    for (old, new) in old.iter().zip(&new) {
        if old.exists() {
            disk::rename(old, new).await?;
        }
    }
    if was_there {
        disk::rename(file, &aside).await?;
    }
    let put = disk::rename(work, file).await;
    if put.is_err() && was_there && !file.exists() {
        // Better the old one than none.
        for (old, new) in std::iter::once((file, aside.as_path())).chain(names(&old, &new)) {
            if new.exists() {
                disk::rename(new, old).await?;
            }
        }
    }
    put?;
    Ok(was_there.then_some(aside))
}

fn names<'a>(old: &'a [PathBuf; 2], new: &'a [PathBuf; 2]) -> impl Iterator<Item = (&'a Path, &'a Path)> {
    old.iter().zip(new).map(|(old, new)| (old.as_path(), new.as_path()))
}

/// Copies the rows into an empty PostgreSQL database, frozen from the first instant.
async fn put_rows(work: &Path, to: &DbConfig) -> Result<Option<PathBuf>> {
    let owner = to.as_owner().without_data_dir();
    let (from, config) = (Db::connect_existing(&DbConfig::at(&sqlite_address(work)), &SCHEMA).await?, to);
    let to = Db::connect(&owner, &SCHEMA).await?;
    to.migrate_for(config).await?;
    let copied = db_transfer::copy(&from, &to).await;
    from.close().await;
    to.close().await;
    copied?;
    config.mark_installed();
    disk::remove_log(work).await?;
    tokio::fs::remove_file(work).await.map_err(|e| broken(&e))?;
    Ok(None)
}

async fn put_files(folder: &Path, manifest: &Manifest, storage: &Storage) -> Result<usize> {
    let mut put = 0;
    for (key, _) in manifest.files.iter().filter(|(_, kept)| kept.sha256.is_some()) {
        let path = folder.join(FILES).join(key);
        let bytes = tokio::fs::read(path).await.map_err(|e| broken(&e))?;
        storage.put(key, &bytes).await?;
        put += 1;
    }
    Ok(put)
}

/// Puts the generated keys back. One that is there and differs is set aside: this very start has made it.
fn put_keys(folder: &Path, manifest: &Manifest, data_dir: &Path, stamp: &str) -> Result<()> {
    // No other name: a manifest is a file that anybody may have written.
    for name in GENERATED.into_iter().filter(|name| manifest.keys.contains_key(*name)) {
        let bytes = std::fs::read(folder.join(KEYS).join(name)).map_err(|e| broken(&e))?;
        private_file::replace(data_dir, name, &bytes, stamp).map_err(|e| broken(&e))?;
    }
    Ok(())
}
