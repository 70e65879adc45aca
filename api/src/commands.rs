//! What an operator does to a whole install from the command line: backups, moving, taking a business in and out. Each
//! says what it did, or why it did nothing, in words for the one who typed it.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use shared::{
    domain::tenancy::{
        account::password::Hasher,
        audit::{self, Action, Actor},
    },
    ops::{
        backup::{
            self, House, log,
            restore::{self, Place},
        },
        db_transfer,
        schema::SCHEMA,
        send_freeze,
        settings::Settings,
        tenant_data::{
            archive::{self, Opened},
            export, import, removal,
        },
    },
    platform::{
        clock::Origin,
        config::Vars,
        db::{Db, DbConfig},
        id::OrgId,
        private_file,
        storage::Storage,
    },
};
use tokio::{io::AsyncWriteExt, sync::mpsc::channel};

/// Where `api move` goes.
const NEW_DATABASE: &str = "NEW_DATABASE_URL";

/// So long a move waits for what is under way in an API that was not stopped.
const SETTLE: Duration = Duration::from_secs(3);

/// What was done, or what went wrong, for the operator.
pub type Said = Result<String, String>;

pub(crate) async fn database(settings: &Settings) -> Result<Db, String> {
    Db::connect_existing(&settings.db, &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))
}

fn storage(settings: &Settings) -> Result<Storage, String> {
    Storage::open(&settings.storage).map_err(|e| format!("STORAGE_URL: {e}"))
}

/// Makes a backup now.
///
/// # Errors
/// Why there is none.
pub async fn backup(settings: &Settings, origin: &Origin) -> Said {
    let (db, storage) = (database(settings).await?, storage(settings)?);
    let (data_dir, secret) = (&settings.data_dir, &settings.secret);
    let house = House { db: &db, storage: &storage, data_dir, origin, secret };
    let made = log::now(&house, &settings.backup).await.map_err(|e| format!("there is no backup: {e}"))?;
    db.close().await;
    let (rows, files) = (made.manifest.all_rows(), made.manifest.files.len());
    Ok(format!(
        "{}\n{rows} rows, {files} files, {} bytes, read back and whole",
        made.folder.display(),
        made.manifest.all_bytes()
    ))
}

/// Reads all of a backup.
///
/// # Errors
/// What of it is damaged.
pub async fn verify_backup(folder: &Path) -> Said {
    let manifest = backup::verify(folder).await.map_err(|e| e.to_string())?;
    Ok(format!("whole: {} rows and {} files as of {}", manifest.all_rows(), manifest.files.len(), manifest.made_at))
}

/// Puts a backup back for a try, in a folder that goes again: the last one, or the one that is named.
///
/// # Errors
/// What would stand in the way of a restore.
pub async fn drill(settings: &Settings, origin: &Origin, folder: Option<&Path>) -> Said {
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => last_backup(settings).await?,
    };
    let manifest = restore::try_out(&folder, origin).await.map_err(|e| format!("{}: {e}", folder.display()))?;
    let (rows, files) = (manifest.all_rows(), manifest.files.len());
    Ok(format!("{}\nwas put back for a try, as of {}: {rows} rows, {files} files", folder.display(), manifest.made_at))
}

async fn last_backup(settings: &Settings) -> Result<PathBuf, String> {
    let above = &settings.backup.folder;
    let last = backup::list(above).await.map_err(|e| e.to_string())?.pop();
    last.map(|name| above.join(name)).ok_or_else(|| format!("there is no backup in {}", above.display()))
}

/// What an operator allows a restore to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// A database that is there is set aside.
    pub replaces: bool,
    /// The key with which the backup was made is lost.
    pub lost_key: bool,
}

impl Allowed {
    /// Reads `--replace` and `--lost-key`; none when there is another word.
    #[must_use]
    pub fn read(words: &[&str]) -> Option<Self> {
        words.iter().try_fold(Self::default(), |allowed, word| match *word {
            "--replace" => Some(Self { replaces: true, ..allowed }),
            "--lost-key" => Some(Self { lost_key: true, ..allowed }),
            _ => None,
        })
    }
}

/// Puts a backup back. Nothing is sent until it is released.
///
/// # Errors
/// Why nothing was put back.
pub async fn restore(settings: &Settings, origin: &Origin, folder: &Path, allowed: Allowed) -> Said {
    let storage = storage(settings)?;
    let place = Place {
        db: &settings.db,
        storage: &storage,
        data_dir: &settings.data_dir,
        origin,
        secret: &settings.secret,
        is_secret_set: Vars::from_process().get("SECRET_KEY").is_some(),
        replaces: allowed.replaces,
        lost_key: allowed.lost_key,
    };
    let restored = restore::restore(folder, &place).await.map_err(|e| e.to_string())?;
    let mut words = format!(
        "put back as of {}: {} rows, {} files",
        restored.manifest.made_at,
        restored.manifest.all_rows(),
        restored.files
    );
    if let Some(aside) = restored.set_aside {
        let days = backup::aside::days_kept(&settings.backup);
        let _ = write!(
            words,
            "\nthe database that was there lies at {}; people who were erased may still be in it, and the worker removes it \
             after {days} days (BACKUP_KEEP). Copy it elsewhere if you need it longer",
            aside.display()
        );
    }
    words.push_str("\neverybody signs in anew, and nothing is sent until you say: api release-outbox");
    Ok(words)
}

/// Lets a restored install send again.
///
/// # Errors
/// When the database does not answer.
pub async fn release_outbox(settings: &Settings, origin: &Origin) -> Said {
    let db = database(settings).await?;
    let mut tx = db.begin().await.map_err(|e| e.to_string())?;
    let was_frozen = send_freeze::release(&mut tx, origin).await.map_err(|e| e.to_string())?;
    tx.commit().await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(if was_frozen { "messages are sent again" } else { "nothing was held back" }.to_owned())
}

/// Writes all of a business into an archive.
///
/// # Errors
/// Why there is none.
pub async fn export(settings: &Settings, origin: &Origin, business: &str, to: &Path) -> Said {
    let (db, storage) = (database(settings).await?, storage(settings)?);
    let org =
        removal::named(&mut db.read().await.map_err(|e| e.to_string())?, business).await.map_err(|e| e.to_string())?;
    let of = (origin.uuid(), origin.now());
    let spool = export::spool(&db, &settings.data_dir, of, org.id).await.map_err(|e| e.to_string())?;
    let zone = org.zone();
    let (pieces, mut received) = channel(1);
    let packing = tokio::spawn(async move { archive::pack(spool, &storage, zone, &pieces).await });
    let file = private_file::create(to, true).map_err(|e| format!("{}: {e}", to.display()))?;
    let mut file = tokio::fs::File::from_std(file);
    while let Some(piece) = received.recv().await {
        file.write_all(&piece.map_err(|e| e.to_string())?).await.map_err(|e| e.to_string())?;
    }
    packing.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
    file.sync_all().await.map_err(|e| e.to_string())?;
    write_down(&db, origin, org.id, Action::BusinessExported).await.map_err(|e| e.to_string())?;
    db.close().await;
    Ok(format!("{} is in {}", org.name, to.display()))
}

/// What an operator does to one business stands in its audit log.
async fn write_down(db: &Db, origin: &Origin, org: OrgId, action: Action) -> shared::platform::error::Result<()> {
    let mut tx = db.begin().await?;
    audit::record(&mut tx, origin, &Actor::default(), org, action, None).await?;
    tx.commit().await
}

/// Takes a business in from an archive, and gives its owner a password.
///
/// # Errors
/// Why it was not taken in.
pub async fn import_export(settings: &Settings, origin: &Origin, from: &Path) -> Said {
    let db = Db::connect(&settings.db.as_owner(), &SCHEMA).await.map_err(|e| format!("DATABASE_URL: {e}"))?;
    db.migrate_for(&settings.db).await.map_err(|e| e.to_string())?;
    settings.db.mark_installed();
    let mut opened = Opened::open(from).map_err(|e| e.to_string())?;
    let by = (origin, &settings.secret);
    let arrived = import::import(&db, &storage(settings)?, by, &mut opened).await.map_err(|e| e.to_string())?;
    let password = URL_SAFE_NO_PAD.encode(origin.entropy.bytes::<15>());
    let hasher = Hasher::new(origin.entropy.clone());
    let owner = import::let_owner_in(&db, &hasher, arrived.org, password.clone()).await.map_err(|e| e.to_string())?;
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

/// Removes a business with all it has.
///
/// # Errors
/// Why it is still there.
pub async fn delete_business(settings: &Settings, origin: &Origin, business: &str, is_sure: bool) -> Said {
    let (db, storage) = (database(settings).await?, storage(settings)?);
    let org =
        removal::named(&mut db.read().await.map_err(|e| e.to_string())?, business).await.map_err(|e| e.to_string())?;
    if !is_sure {
        return Err(format!("{} would be gone for good. Say it again with --yes", org.name));
    }
    let (data_dir, secret) = (&settings.data_dir, &settings.secret);
    let house = removal::House { db: &db, storage: &storage, data_dir, origin, secret };
    let removed = removal::remove(&house, org.id).await.map_err(|e| e.to_string())?;
    // Its audit log is gone with it: that it was removed stands in the list of those that were, and here.
    tracing::warn!(org = %org.id, "a business was removed by the operator");
    db.close().await;
    let kept = removed.opt_outs;
    Ok(format!(
        "{} is gone: {} rows and {} files. {kept} addresses that asked for no messages are kept as hashes.",
        removed.name, removed.rows, removed.files
    ))
}

/// Moves the install to the database that `NEW_DATABASE_URL` names.
///
/// # Errors
/// Why it stays where it is.
pub async fn relocate(settings: &Settings, origin: &Origin) -> Said {
    let url = Vars::from_process().get(NEW_DATABASE).ok_or_else(|| format!("{NEW_DATABASE} is not set"))?;
    let from = database(settings).await?;
    from.migrate().await.map_err(|e| e.to_string())?;
    let to = Db::connect(&DbConfig::at(&url), &SCHEMA).await.map_err(|e| format!("{NEW_DATABASE}: {e}"))?;
    to.migrate().await.map_err(|e| format!("{NEW_DATABASE}: {e}"))?;
    let compared = db_transfer::relocate(&from, &to, origin, SETTLE).await.map_err(|e| e.to_string())?;
    from.close().await;
    to.close().await;
    let mut words = String::from("moved, and every table comes to the same:\n");
    for (table, worth) in compared.iter().filter(|(_, worth)| worth.rows > 0) {
        let _ = writeln!(words, "  {:>9}  {table}", worth.rows);
    }
    words.push_str("set DATABASE_URL to the new one and start both programs; the old database sends nothing any more");
    Ok(words)
}
