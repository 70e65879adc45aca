//! Operator commands for a whole install: backup, restore, move, export and import of a business. Each returns a text
//! for the operator: what was done, or why nothing was.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use shared::{
    domain::tenancy::{
        account::password::PasswordHashPool,
        audit::{self, AuditAction, AuditActor},
    },
    ops::{
        backup::{
            self, InstallContext, log,
            restore::{self, RepeatedErasures, RestoreTarget},
        },
        db_transfer,
        schema::SCHEMA,
        send_freeze,
        settings::InstallSettings,
        tenant_data::{
            archive::{self, ExportArchive},
            export, import, removal,
        },
    },
    platform::{
        clock::ClockRng,
        config::EnvVars,
        db::{Db, DbConfig},
        id::OrgId,
        private_file,
        storage::Storage,
    },
};
use tokio::{io::AsyncWriteExt, sync::mpsc::channel};

/// Target of `api move`.
const NEW_DATABASE: &str = "NEW_DATABASE_URL";

/// How long a move waits for requests under way in an API that was not stopped.
const SETTLE: Duration = Duration::from_secs(3);

/// Result text for the operator.
pub type CommandResult = Result<String, String>;

/// Errors: in words for the operator, also when the database is not of this version's list of migrations.
pub async fn connect_database(settings: &InstallSettings) -> Result<Db, String> {
    let db = Db::connect_existing(&settings.db, &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    db.ensure_supported_schema().await.map_err(|e| e.to_string())?;
    Ok(db)
}

fn open_storage(settings: &InstallSettings) -> Result<Storage, String> {
    Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))
}

pub async fn create_backup(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let (db, storage) = (connect_database(settings).await?, open_storage(settings)?);
    let (data_dir, secret) = (&settings.data_dir, &settings.secret);
    let ctx = InstallContext { db: &db, storage: &storage, data_dir, origin, secret };
    let made = log::run_backup_now(&ctx, &settings.backup).await.map_err(|e| format!("there is no backup: {e}"))?;
    db.close().await;
    let (rows, files) = (made.manifest.total_rows(), made.manifest.files.len());
    Ok(format!(
        "{}\n{rows} rows, {files} files, {} bytes, read back and whole",
        made.folder.display(),
        made.manifest.total_bytes()
    ))
}

/// Reads all of a backup. The error names the damage.
pub async fn verify_backup(folder: &Path) -> CommandResult {
    let manifest = backup::verify_backup(folder).await.map_err(|e| e.to_string())?;
    Ok(format!("whole: {} rows and {} files as of {}", manifest.total_rows(), manifest.files.len(), manifest.made_at))
}

/// Trial restore of the last or the named backup, into a folder that is removed afterwards. The error says what would
/// prevent a restore.
pub async fn run_restore_drill(settings: &InstallSettings, origin: &ClockRng, folder: Option<&Path>) -> CommandResult {
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => find_last_backup(settings).await?,
    };
    let manifest =
        restore::verify_and_drill(&folder, origin).await.map_err(|e| format!("{}: {e}", folder.display()))?;
    let (rows, files) = (manifest.total_rows(), manifest.files.len());
    Ok(format!("{}\nwas put back for a try, as of {}: {rows} rows, {files} files", folder.display(), manifest.made_at))
}

async fn find_last_backup(settings: &InstallSettings) -> Result<PathBuf, String> {
    let above = &settings.backup.folder;
    let last = backup::list_backups(above).await.map_err(|e| e.to_string())?.pop();
    last.map(|name| above.join(name)).ok_or_else(|| format!("there is no backup in {}", above.display()))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct RestoreOptions {
    /// Set an existing database aside
    #[arg(long = "replace")]
    pub replaces: bool,
    /// Go on without the key that the backup was made with
    #[arg(long)]
    pub lost_key: bool,
}

/// Restores a backup. Nothing is sent until the outbox is released.
pub async fn restore_backup(
    settings: &InstallSettings,
    origin: &ClockRng,
    folder: &Path,
    allowed: RestoreOptions,
) -> CommandResult {
    let storage = open_storage(settings)?;
    let place = RestoreTarget {
        db: &settings.db,
        storage: &storage,
        data_dir: &settings.data_dir,
        backups: &settings.backup.folder,
        origin,
        secret: &settings.secret,
        is_secret_set: EnvVars::from_process().get("SECRET_KEY").is_some(),
        replaces: allowed.replaces,
        lost_key: allowed.lost_key,
    };
    let restored = restore::restore_backup(folder, &place).await.map_err(|e| e.to_string())?;
    let mut words = format!(
        "put back as of {}: {} rows, {} files",
        restored.manifest.made_at,
        restored.manifest.total_rows(),
        restored.files
    );
    if let Some(aside) = restored.set_aside {
        let days = backup::replaced_database::retention_days(&settings.backup);
        let _ = write!(
            words,
            "\nthe database that was there lies at {}; people who were erased may still be in it, and the worker removes it \
             after {days} days (BACKUP_KEEP). Copy it elsewhere if you need it longer",
            aside.display()
        );
    }
    words.push_str(&describe_repeated_erasures(&restored.erasures));
    words.push_str("\neveryone has to sign in again, and nothing is sent until you run: api release-outbox");
    Ok(words)
}

/// Who was erased again, whose merges were undone for that, and that no list said so. Each on a line of its own.
fn describe_repeated_erasures(done: &RepeatedErasures) -> String {
    let mut words = String::new();
    if done.erased > 0 {
        let noun = if done.erased == 1 { "record" } else { "records" };
        let _ = write!(words, "\nerased again, because they were erased after this backup: {} {noun}", done.erased);
    }
    for [kept, gone] in &done.parted {
        let _ = write!(
            words,
            "\ncustomers {kept} and {gone} were merged in this backup. They are separate records now, because not \
             everyone of their merges was erased since. Merge them again if they are one person"
        );
    }
    if !done.without_list.is_empty() {
        let folders: Vec<String> = done.without_list.iter().map(|folder| folder.display().to_string()).collect();
        let _ = write!(
            words,
            "\nno erasures.list was found in {}: people who were erased after this backup may be back. If there were \
             any, put the list of the lost install into one of these folders and restore again with --replace, or erase \
             these people again before you release the outbox",
            folders.join(", ")
        );
    }
    words
}

/// Lets a restored install send again.
pub async fn release_send_freeze(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let db = connect_database(settings).await?;
    let mut tx = db.begin().await.map_err(|e| e.to_string())?;
    let was_frozen = send_freeze::release_freeze(&mut tx, origin).await.map_err(|e| e.to_string())?;
    tx.commit().await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(if was_frozen { "messages are sent again" } else { "nothing was held back" }.to_owned())
}

/// Writes all data of a business into an archive.
pub async fn export_business(
    settings: &InstallSettings,
    origin: &ClockRng,
    business: &str,
    to: &Path,
) -> CommandResult {
    let (db, storage) = (connect_database(settings).await?, open_storage(settings)?);
    let org = removal::find_org_by_slug_or_id(&mut db.acquire_reader().await.map_err(|e| e.to_string())?, business)
        .await
        .map_err(|e| e.to_string())?;
    let of = (origin.uuid_v7(), origin.now());
    let spool = export::write_spool(&db, &settings.data_dir, of, org.id).await.map_err(|e| e.to_string())?;
    let zone = org.zone();
    let (pieces, mut received) = channel(1);
    let packing = tokio::spawn(async move { archive::stream_archive(spool, &storage, zone, &pieces).await });
    let file = private_file::create_private_file(to, true).map_err(|e| format!("{}: {e}", to.display()))?;
    let mut file = tokio::fs::File::from_std(file);
    while let Some(piece) = received.recv().await {
        file.write_all(&piece.map_err(|e| e.to_string())?).await.map_err(|e| e.to_string())?;
    }
    packing.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
    file.sync_all().await.map_err(|e| e.to_string())?;
    record_audit(&db, origin, org.id, AuditAction::BusinessExported).await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(format!("{} is in {}", org.name, to.display()))
}

/// Records an operator's action in the audit log of the business.
async fn record_audit(
    db: &Db,
    origin: &ClockRng,
    org: OrgId,
    action: AuditAction,
) -> shared::platform::error::Result<()> {
    let mut tx = db.begin().await?;
    audit::record(&mut tx, origin, &AuditActor::default(), org, action, None).await?;
    tx.commit().await
}

/// Imports a business from an archive and gives its owner a password.
pub async fn import_business(settings: &InstallSettings, origin: &ClockRng, from: &Path) -> CommandResult {
    let db = Db::connect(&settings.db.as_owner(), &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    db.migrate_and_grant(&settings.db).await.map_err(|e| e.to_string())?;
    settings.db.mark_installed();
    let mut opened = ExportArchive::open(from).map_err(|e| e.to_string())?;
    let by = (origin, &settings.secret);
    let arrived =
        import::import_archive(&db, &open_storage(settings)?, by, &mut opened).await.map_err(|e| e.to_string())?;
    let password = URL_SAFE_NO_PAD.encode(origin.entropy.random_bytes::<15>());
    let hasher = PasswordHashPool::new(origin.entropy.clone());
    let owner =
        import::set_owner_password(&db, &hasher, arrived.org, password.clone()).await.map_err(|e| e.to_string())?;
    db.close().await;
    let mut words = format!("{} came in, and all of it as it was packed:\n", arrived.name);
    for (table, rows) in &arrived.tables {
        let _ = writeln!(words, "  {rows:>9}  {table}");
    }
    let _ = writeln!(words, "  {:>9}  files, {} bytes", arrived.files, arrived.bytes);
    if !arrived.missing.is_empty() {
        let _ = writeln!(words, "  {:>9}  files were lost already where it comes from", arrived.missing.len());
    }
    let _ = writeln!(words, "{owner} signs in with {password} and should change it");
    words.push_str("nothing is sent until you say: api release-outbox");
    Ok(words)
}

pub async fn delete_business(
    settings: &InstallSettings,
    origin: &ClockRng,
    business: &str,
    is_sure: bool,
) -> CommandResult {
    let (db, storage) = (connect_database(settings).await?, open_storage(settings)?);
    let org = removal::find_org_by_slug_or_id(&mut db.acquire_reader().await.map_err(|e| e.to_string())?, business)
        .await
        .map_err(|e| e.to_string())?;
    if !is_sure {
        return Err(format!("{} would be deleted permanently. Run it again with --yes", org.name));
    }
    let (data_dir, secret) = (&settings.data_dir, &settings.secret);
    let ctx = removal::InstallContext { db: &db, storage: &storage, data_dir, origin, secret };
    let removed = removal::remove_org(&ctx, org.id).await.map_err(|e| e.to_string())?;
    // The audit log is deleted with the business: the removal is recorded in the list of removed businesses and here.
    tracing::warn!(org = %org.id, "a business was removed by the operator");
    db.close().await;
    let kept = removed.opt_outs;
    Ok(format!(
        "{} is gone: {} rows and {} files. {kept} addresses that asked for no messages are kept as hashes.",
        removed.name, removed.rows, removed.files
    ))
}

/// Moves the install to the database named by `NEW_DATABASE_URL`.
pub async fn transfer_database(settings: &InstallSettings, origin: &ClockRng) -> CommandResult {
    let url = EnvVars::from_process().get(NEW_DATABASE).ok_or_else(|| format!("{NEW_DATABASE} is not set"))?;
    let from = connect_database(settings).await?;
    from.migrate().await.map_err(|e| e.to_string())?;
    let to = Db::connect(&DbConfig::from_url(&url), &SCHEMA).await.map_err(|e| format!("{NEW_DATABASE}: {e}"))?;
    to.migrate().await.map_err(|e| format!("{NEW_DATABASE}: {e}"))?;
    let compared = db_transfer::move_install(&from, &to, origin, SETTLE).await.map_err(|e| e.to_string())?;
    from.close().await;
    to.close().await;
    let mut words = String::from("moved, and every table comes to the same:\n");
    for (table, worth) in compared.iter().filter(|(_, worth)| worth.rows > 0) {
        let _ = writeln!(words, "  {:>9}  {table}", worth.rows);
    }
    words.push_str("set DATABASE_URL to the new one and start both programs; the old database no longer sends");
    Ok(words)
}
