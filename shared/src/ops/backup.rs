//! Backups of the whole install: the database as one `SQLite` file whichever engine is in use, the files, and the
//! generated keys. Each is a folder that gets its name only after all of it is on the disk and was read back (trust
//! requirement 83): a folder with such a name is complete, also after power failures.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    ops::{
        db_transfer,
        erasure::list::{LIST_FILE, read_sound_lines},
        schema::SCHEMA,
        tenant_data,
    },
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{Db, DbConfig, copy::SqliteCopy, rows},
        error::{Error, Result},
        private_file,
        secret::SecretKey,
        storage::Storage,
    },
};

mod disk;
mod files;
mod known_erasures;
pub mod log;
pub mod replaced_database;
pub mod restore;
mod verify;

pub use verify::{read_manifest, verify_backup};

/// Format version. It is raised when an older program could no longer read it.
pub const FORMAT: u32 = 1;
/// Name prefixes of a complete and of an incomplete backup.
const NAME_PREFIX: &str = "toolbox-";
const DRAFT_PREFIX: &str = ".making-";
const TIMESTAMP_FORMAT: &str = "%Y%m%dT%H%M%S%.3fZ";
/// Purpose of the key mark.
const KEY_CHECK_PURPOSE: &str = "backup";
pub const DATABASE: &str = "toolbox.db";
pub const MANIFEST: &str = "manifest.json";
pub const FILES: &str = "files";
pub const KEYS: &str = "keys";
/// Keys generated into the data folder. Keys set in the environment are kept by the operator.
const GENERATED_KEY_FILES: [&str; 3] = ["secret.key", crate::platform::secret::key_file::OLD_KEY_FILE, "vapid.key"];
/// Age from which a draft counts as left by a crashed process.
const STALE_DRAFT_AGE: chrono::Duration = chrono::Duration::days(1);
const DEFAULT_KEEP: usize = 7;

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
    /// Errors are recorded in `vars` under the variable's name.
    pub fn from_vars(vars: &mut EnvVars, data_dir: &Path) -> Self {
        let folder = vars.get("BACKUP_DIR").map_or_else(|| data_dir.join("backups"), PathBuf::from);
        let keep = vars.parse_or("BACKUP_KEEP", DEFAULT_KEEP, "a whole number from 1 to 1000");
        if !(1..=1_000).contains(&keep) {
            vars.record_invalid("BACKUP_KEEP", "must be a whole number from 1 to 1000");
        }
        let is_daily = vars.parse_on_off("BACKUPS", true);
        Self { folder, keep, is_daily }
    }
}

/// Everything an install stores: the input of backups and of the removal of a business.
#[derive(Clone, Copy, Debug)]
pub struct InstallContext<'a> {
    pub db: &'a Db,
    pub storage: &'a Storage,
    /// Holds the generated keys, and emails written as files.
    pub data_dir: &'a Path,
    pub origin: &'a ClockRng,
    /// Key in use: the backup stores a mark of it, by which a restore recognises it.
    pub secret: &'a SecretKey,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupManifest {
    pub format: u32,
    /// Start of the copy of the database.
    pub made_at: DateTime<Utc>,
    pub schema: i64,
    pub database: FileChecksum,
    /// Number of rows of each table.
    pub rows: BTreeMap<String, i64>,
    /// By storage key.
    pub files: BTreeMap<String, BackedUpFile>,
    pub keys: BTreeMap<String, FileChecksum>,
    /// Copy of the list of erasures; none in backups of old versions.
    #[serde(default)]
    pub erasures: Option<FileChecksum>,
    /// Mark of the key in use, from which the key cannot be derived; none in backups of old versions.
    #[serde(default)]
    pub key_check: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChecksum {
    pub bytes: u64,
    pub sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackedUpFile {
    pub bytes: u64,
    /// None when it is in a bucket, which keeps its files itself: it is listed and not copied.
    pub sha256: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedBackup {
    pub name: String,
    pub folder: PathBuf,
    pub manifest: BackupManifest,
}

impl BackupManifest {
    #[must_use]
    pub fn total_rows(&self) -> i64 {
        self.rows.values().sum()
    }

    /// Database and copied files.
    #[must_use]
    pub fn total_bytes(&self) -> u64 {
        let copied = self.files.values().filter(|file| file.sha256.is_some());
        self.database.bytes + copied.map(|file| file.bytes).sum::<u64>()
    }
}

/// Mark of a key, specific to the time of the backup.
fn key_fingerprint(secret: &SecretKey, made_at: DateTime<Utc>) -> String {
    encode_hex(&secret.keyed_hash(KEY_CHECK_PURPOSE, &made_at.to_rfc3339()))
}

/// Checks every key of the ring.
fn matches_key_fingerprint(secret: &SecretKey, made_at: DateTime<Utc>, mark: &str) -> bool {
    secret.keyed_hashes(KEY_CHECK_PURPOSE, &made_at.to_rfc3339()).iter().any(|bytes| encode_hex(bytes) == mark)
}

fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// `toolbox-20261122T030000.000Z`: names sort by time. Milliseconds, so that a backup right after an aborted one does
/// not collide with it.
fn backup_name(at: DateTime<Utc>) -> String {
    format!("{NAME_PREFIX}{}", at.format(TIMESTAMP_FORMAT))
}

/// Exports of businesses have similar names.
fn is_backup_name(text: &str) -> bool {
    text.strip_prefix(NAME_PREFIX).is_some_and(|rest| NaiveDateTime::parse_from_str(rest, TIMESTAMP_FORMAT).is_ok())
}

/// Writes a backup, reads it back, then names it.
/// Errors: [`Error::StorageFull`] when the disk is full, [`Error::Refused`] when what was read back is not what was
/// written. No folder named like a backup stays then.
pub async fn create_backup(ctx: &InstallContext<'_>, config: &BackupConfig) -> Result<CompletedBackup> {
    let at = ctx.origin.now();
    let name = backup_name(at);
    let draft = config.folder.join(format!("{DRAFT_PREFIX}{name}"));
    let folder = config.folder.join(&name);
    disk::create_private_dir(&draft).await?;
    // Each backup in it is private by itself; this hides their names too.
    if let Err(e) = private_file::restrict_dir(&config.folder) {
        tracing::warn!(error = %e, "BACKUP_DIR stays readable for others");
    }
    match write_and_verify(ctx, config, (&draft, &folder), at).await {
        Ok(manifest) => Ok(CompletedBackup { name, folder, manifest }),
        Err(e) => {
            disk::remove_draft_dir(&draft).await;
            Err(e)
        }
    }
}

async fn write_and_verify(
    ctx: &InstallContext<'_>,
    config: &BackupConfig,
    (draft, folder): (&Path, &Path),
    at: DateTime<Utc>,
) -> Result<BackupManifest> {
    let before = find_latest_backup(&config.folder).await?;
    let manifest = write_contents(ctx, draft, before.as_ref(), at).await?;
    verify_backup(draft).await?;
    disk::rename_durably(draft, folder).await?;
    Ok(manifest)
}

/// Writes everything into the draft, the manifest last.
async fn write_contents(
    ctx: &InstallContext<'_>,
    draft: &Path,
    before: Option<&CompletedBackup>,
    at: DateTime<Utc>,
) -> Result<BackupManifest> {
    let database = draft.join(DATABASE);
    copy_database(ctx.db, &database).await?;
    // The database first: a file that it names is removed a day after its row at the earliest.
    let files = files::copy_stored_files(ctx.storage, &draft.join(FILES), before).await?;
    let keys = copy_keys(ctx.data_dir, &draft.join(KEYS)).await?;
    let erasures = copy_erasure_list(ctx.data_dir, draft).await?;
    let mut copy = SqliteCopy::open(&database).await?;
    let manifest = BackupManifest {
        format: FORMAT,
        made_at: at,
        schema: copy.schema_version().await?,
        rows: count_table_rows(&mut copy).await?,
        database: disk::compute_file_checksum(&database).await?,
        files,
        keys,
        erasures: Some(erasures),
        key_check: Some(key_fingerprint(ctx.secret, at)),
    };
    copy.close().await?;
    let text = serde_json::to_vec_pretty(&manifest).map_err(|e| Error::Internal(format!("the manifest: {e}")))?;
    disk::write_private_file(&draft.join(MANIFEST), &text).await?;
    disk::sync_dir(draft).await?;
    Ok(manifest)
}

/// The database in one file. The rows of PostgreSQL are copied into a new one, and compared.
async fn copy_database(db: &Db, path: &Path) -> Result<()> {
    if !db.vacuum_into(path).await? {
        let copy = Db::connect(&DbConfig::from_url(&sqlite_url(path)), &SCHEMA).await?;
        copy.migrate().await?;
        let copied = db_transfer::copy_all_rows(db, &copy).await;
        // Closing moves the content of its log into the file.
        copy.close().await;
        copied?;
        disk::remove_sqlite_sidecars(path).await?;
    }
    disk::sync_file(path).await
}

pub(crate) fn sqlite_url(path: &Path) -> String {
    format!("sqlite://{}", path.display())
}

async fn count_table_rows(copy: &mut SqliteCopy) -> Result<BTreeMap<String, i64>> {
    let mut counts = BTreeMap::new();
    for belonging in tenant_data::all_tables() {
        // A backup of an older version lacks later tables.
        let Ok(shape) = rows::load_table_shape(copy, belonging.table).await else { continue };
        counts.insert(belonging.table.to_owned(), rows::count_rows(copy, &shape, None).await?);
    }
    Ok(counts)
}

async fn copy_keys(data_dir: &Path, to: &Path) -> Result<BTreeMap<String, FileChecksum>> {
    let mut keys = BTreeMap::new();
    disk::create_private_dir(to).await?;
    for name in GENERATED_KEY_FILES {
        let Some(bytes) = disk::read_if_exists(&data_dir.join(name)).await? else { continue };
        disk::write_private_file(&to.join(name), &bytes).await?;
        keys.insert(name.to_owned(), disk::compute_file_checksum(&to.join(name)).await?);
    }
    disk::sync_dir(to).await?;
    Ok(keys)
}

/// Copy of the list, in the folder of the backup: it tells a restore of an older backup who was erased since. A list that
/// cannot be read fails erasures, which tell the owner; it does not fail a backup.
async fn copy_erasure_list(data_dir: &Path, draft: &Path) -> Result<FileChecksum> {
    let mut readable = Vec::new();
    for folder in [data_dir, draft.parent().unwrap_or(draft)].map(Path::to_path_buf) {
        match read_sound_lines(std::slice::from_ref(&folder)) {
            Ok(_) => readable.push(folder),
            Err(e) => {
                tracing::warn!(folder = %folder.display(), error = %e, "the list of erasures here is not backed up");
            }
        }
    }
    let lines = read_sound_lines(&readable)?;
    let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    let path = draft.join(LIST_FILE);
    disk::write_private_file(&path, text.as_bytes()).await?;
    disk::compute_file_checksum(&path).await
}

/// Names of all complete backups, oldest first.
/// Errors: when the folder cannot be read; one that is not there has none.
pub async fn list_backups(folder: &Path) -> Result<Vec<String>> {
    let mut names = disk::list_file_names(folder).await?;
    names.retain(|name| is_backup_name(name));
    names.sort();
    Ok(names)
}

/// None also when its manifest cannot be read.
async fn find_latest_backup(folder: &Path) -> Result<Option<CompletedBackup>> {
    let Some(name) = list_backups(folder).await?.pop() else { return Ok(None) };
    let folder = folder.join(&name);
    Ok(read_manifest(&folder).await.ok().map(|manifest| CompletedBackup { name, folder, manifest }))
}

/// Removes the name of a backup that failed the trial restore, so that it is not relied on. It is deleted a day later.
async fn demote_to_draft(made: &CompletedBackup) -> Result<()> {
    disk::rename_durably(&made.folder, &made.folder.with_file_name(format!("{DRAFT_PREFIX}{}", made.name))).await
}

/// Keeps the newest ones, and removes drafts of crashed processes.
async fn prune_old_backups(config: &BackupConfig, now: DateTime<Utc>) -> Result<()> {
    let names = list_backups(&config.folder).await?;
    let too_many = names.len().saturating_sub(config.keep);
    for name in &names[..too_many] {
        // Renamed first: an aborted removal must not leave a part that looks complete.
        let doomed = config.folder.join(format!("{DRAFT_PREFIX}old-{name}"));
        disk::rename_durably(&config.folder.join(name), &doomed).await?;
        disk::remove_draft_dir(&doomed).await;
    }
    for name in disk::list_file_names(&config.folder).await?.into_iter().filter(|name| name.starts_with(DRAFT_PREFIX)) {
        let path = config.folder.join(name);
        if disk::modified_at(&path).await? < now - STALE_DRAFT_AGE {
            disk::remove_draft_dir(&path).await;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
