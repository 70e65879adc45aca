//! Backups of the whole install: its database in one `SQLite` file whichever database it works with, its files, and the
//! keys that were generated for it. Each is a folder that gets its name only when everything in it is on the disk and was
//! read back (trust requirement 83): whatever has such a name is whole, however often the power fails.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ops::{db_transfer, schema::SCHEMA, tenant_data},
    platform::{
        clock::Origin,
        config::Vars,
        db::{Db, DbConfig, copy::Copy, rows},
        error::{Error, Result},
        private_file,
        secret::SecretKey,
        storage::Storage,
    },
};

pub mod aside;
mod disk;
mod files;
pub mod log;
pub mod restore;
mod verify;

pub use verify::{read_manifest, verify};

/// The shape of a backup. It is raised when an older program could not read it any more.
pub const FORMAT: u32 = 1;
/// What every whole backup is called by, and what it is called before it is whole.
const NAME: &str = "toolbox-";
const DRAFT: &str = ".making-";
/// What follows the name.
const STAMP: &str = "%Y%m%dT%H%M%S%.3fZ";
/// The purpose under which the key leaves its mark.
const KEY_CHECK: &str = "backup";
/// What lies in its folder.
pub const DATABASE: &str = "toolbox.db";
pub const MANIFEST: &str = "manifest.json";
pub const FILES: &str = "files";
pub const KEYS: &str = "keys";
/// Keys that are generated into the data folder. Those that the environment holds are the operator's to keep.
const GENERATED: [&str; 3] = ["secret.key", crate::platform::secret::OLD_FILE, "vapid.key"];
/// A draft that nobody has touched for so long is what a process that died has left.
const STALE: chrono::Duration = chrono::Duration::days(1);
const USUAL_KEEP: usize = 7;

/// What the environment says about backups.
#[derive(Clone, Debug)]
pub struct BackupConfig {
    /// `BACKUP_DIR`, default `<DATA_DIR>/backups`. Better on another disk.
    pub folder: PathBuf,
    /// `BACKUP_KEEP`, default 7: how many of them are kept.
    pub keep: usize,
    /// `BACKUPS`, default on: whether the worker makes one each day.
    pub is_daily: bool,
}

impl BackupConfig {
    /// Faults are noted in `vars` under the variable's name.
    pub fn from_vars(vars: &mut Vars, data_dir: &Path) -> Self {
        let folder = vars.get("BACKUP_DIR").map_or_else(|| data_dir.join("backups"), PathBuf::from);
        let keep = vars.parsed("BACKUP_KEEP", USUAL_KEEP, "a whole number from 1 to 1000");
        if !(1..=1_000).contains(&keep) {
            vars.fault("BACKUP_KEEP", "must be a whole number from 1 to 1000");
        }
        let is_daily = vars.switch("BACKUPS", true);
        Self { folder, keep, is_daily }
    }
}

/// All that an install keeps: what is backed up, and what a business is removed from.
#[derive(Clone, Copy, Debug)]
pub struct House<'a> {
    pub db: &'a Db,
    pub storage: &'a Storage,
    /// Where the generated keys lie, and letters as files.
    pub data_dir: &'a Path,
    pub origin: &'a Origin,
    /// The key that the install works with: of it a mark goes along, by which a restore knows it again.
    pub secret: &'a SecretKey,
}

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub format: u32,
    /// When the copy of the database was begun.
    pub made_at: DateTime<Utc>,
    /// The newest migration of the database.
    pub schema: i64,
    pub database: Whole,
    /// How many rows each table has.
    pub rows: BTreeMap<String, i64>,
    /// By key.
    pub files: BTreeMap<String, Kept>,
    /// The generated keys, by name.
    pub keys: BTreeMap<String, Whole>,
    /// A mark of the key that the install worked with, from which nobody finds the key; none in backups of old versions.
    #[serde(default)]
    pub key_check: Option<String>,
}

/// A file of the backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whole {
    pub bytes: u64,
    pub sha256: String,
}

/// A file of the file store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub bytes: u64,
    /// None when it lies in a bucket, which keeps its files itself: then it is listed and not copied.
    pub sha256: Option<String>,
}

/// A backup that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub name: String,
    pub folder: PathBuf,
    pub manifest: Manifest,
}

impl Manifest {
    /// Of all tables.
    #[must_use]
    pub fn all_rows(&self) -> i64 {
        self.rows.values().sum()
    }

    /// Of the database and the files that were copied.
    #[must_use]
    pub fn all_bytes(&self) -> u64 {
        let copied = self.files.values().filter(|file| file.sha256.is_some());
        self.database.bytes + copied.map(|file| file.bytes).sum::<u64>()
    }
}

/// What a key leaves in the manifest of a backup that was made at this instant.
fn key_mark(secret: &SecretKey, made_at: DateTime<Utc>) -> String {
    hex(&secret.blur(KEY_CHECK, &made_at.to_rfc3339()))
}

/// Whether a key of the ring left that mark.
fn is_key_mark(secret: &SecretKey, made_at: DateTime<Utc>, mark: &str) -> bool {
    secret.blurs(KEY_CHECK, &made_at.to_rfc3339()).iter().any(|bytes| hex(bytes) == mark)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `toolbox-20261122T030000.000Z`: by name they stand in the order of their time. To the millisecond, so that one that
/// follows at once on one that was broken off finds its place free.
fn name(at: DateTime<Utc>) -> String {
    format!("{NAME}{}", at.format(STAMP))
}

/// Whether something in the folder is called as a backup is: exports of businesses are called alike.
fn is_name(text: &str) -> bool {
    text.strip_prefix(NAME).is_some_and(|rest| NaiveDateTime::parse_from_str(rest, STAMP).is_ok())
}

/// Makes a backup, reads it back, and gives it its name.
///
/// # Errors
/// [`Error::StorageFull`] when the disk is full, [`Error::Clash`] when what was read back is not what was written.
/// Nothing that looks like a backup stays then.
pub async fn make(house: &House<'_>, config: &BackupConfig) -> Result<Made> {
    let at = house.origin.now();
    let name = name(at);
    let draft = config.folder.join(format!("{DRAFT}{name}"));
    let folder = config.folder.join(&name);
    disk::make_private_folder(&draft).await?;
    // Each backup in it is private by itself; its names are nobody's business either.
    if let Err(e) = private_file::close_to_others(&config.folder) {
        tracing::warn!(error = %e, "BACKUP_DIR stays readable for others");
    }
    match make_whole(house, config, (&draft, &folder), at).await {
        Ok(manifest) => Ok(Made { name, folder, manifest }),
        Err(e) => {
            disk::discard(&draft).await;
            Err(e)
        }
    }
}

async fn make_whole(
    house: &House<'_>,
    config: &BackupConfig,
    (draft, folder): (&Path, &Path),
    at: DateTime<Utc>,
) -> Result<Manifest> {
    let before = newest(&config.folder).await?;
    let manifest = fill(house, draft, before.as_ref(), at).await?;
    verify(draft).await?;
    disk::rename(draft, folder).await?;
    Ok(manifest)
}

/// Writes everything into the draft, the manifest last.
async fn fill(house: &House<'_>, draft: &Path, before: Option<&Made>, at: DateTime<Utc>) -> Result<Manifest> {
    let database = draft.join(DATABASE);
    copy_database(house.db, &database).await?;
    // The database first: a file that it names is removed a day after its row at the earliest.
    let files = files::copy(house.storage, &draft.join(FILES), before).await?;
    let keys = copy_keys(house.data_dir, &draft.join(KEYS)).await?;
    let mut copy = Copy::open(&database).await?;
    let manifest = Manifest {
        format: FORMAT,
        made_at: at,
        schema: copy.schema().await?,
        rows: count(&mut copy).await?,
        database: disk::whole(&database).await?,
        files,
        keys,
        key_check: Some(key_mark(house.secret, at)),
    };
    copy.close().await?;
    let text = serde_json::to_vec_pretty(&manifest).map_err(|e| Error::Internal(format!("the manifest: {e}")))?;
    disk::write(&draft.join(MANIFEST), &text).await?;
    disk::sync_folder(draft).await?;
    Ok(manifest)
}

/// The database in one file. PostgreSQL's rows are copied into a new one, and compared.
async fn copy_database(db: &Db, path: &Path) -> Result<()> {
    if !db.copy_into(path).await? {
        let copy = Db::connect(&DbConfig::at(&sqlite_address(path)), &SCHEMA).await?;
        copy.migrate().await?;
        let copied = db_transfer::copy(db, &copy).await;
        // Closing it brings what stands in its log into the file.
        copy.close().await;
        copied?;
        disk::remove_log(path).await?;
    }
    disk::sync(path).await
}

pub(crate) fn sqlite_address(path: &Path) -> String {
    format!("sqlite://{}", path.display())
}

/// How many rows each table of a copy has.
async fn count(copy: &mut Copy) -> Result<BTreeMap<String, i64>> {
    let mut counts = BTreeMap::new();
    for belonging in tenant_data::all() {
        // A backup that an older version has made lacks the tables that came later.
        let Ok(shape) = rows::shape(copy, belonging.table).await else { continue };
        counts.insert(belonging.table.to_owned(), rows::count(copy, &shape, None).await?);
    }
    Ok(counts)
}

async fn copy_keys(data_dir: &Path, to: &Path) -> Result<BTreeMap<String, Whole>> {
    let mut keys = BTreeMap::new();
    disk::make_private_folder(to).await?;
    for name in GENERATED {
        let Some(bytes) = disk::read_if_there(&data_dir.join(name)).await? else { continue };
        disk::write(&to.join(name), &bytes).await?;
        keys.insert(name.to_owned(), disk::whole(&to.join(name)).await?);
    }
    disk::sync_folder(to).await?;
    Ok(keys)
}

/// The names of all whole backups, the oldest first.
///
/// # Errors
/// When the folder cannot be read; one that is not there has none.
pub async fn list(folder: &Path) -> Result<Vec<String>> {
    let mut names = disk::names(folder).await?;
    names.retain(|name| is_name(name));
    names.sort();
    Ok(names)
}

/// The last one, as far as its manifest can be read.
async fn newest(folder: &Path) -> Result<Option<Made>> {
    let Some(name) = list(folder).await?.pop() else { return Ok(None) };
    let folder = folder.join(&name);
    Ok(read_manifest(&folder).await.ok().map(|manifest| Made { name, folder, manifest }))
}

/// Takes its name from one that could not be put back for a try: nobody is to rely on it. It goes a day later.
async fn unname(made: &Made) -> Result<()> {
    disk::rename(&made.folder, &made.folder.with_file_name(format!("{DRAFT}{}", made.name))).await
}

/// Keeps the newest ones, and removes the drafts of processes that died.
async fn remove_old(config: &BackupConfig, now: DateTime<Utc>) -> Result<()> {
    let names = list(&config.folder).await?;
    let too_many = names.len().saturating_sub(config.keep);
    for name in &names[..too_many] {
        // First it loses its name: a removal that is broken off must not leave a part that looks whole.
        let doomed = config.folder.join(format!("{DRAFT}old-{name}"));
        disk::rename(&config.folder.join(name), &doomed).await?;
        disk::discard(&doomed).await;
    }
    for name in disk::names(&config.folder).await?.into_iter().filter(|name| name.starts_with(DRAFT)) {
        let path = config.folder.join(name);
        if disk::touched(&path).await? < now - STALE {
            disk::discard(&path).await;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
