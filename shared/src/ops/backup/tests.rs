//! Tests of backups: complete or absent, damage detected, and restored on a new machine.

use chrono::Duration;
use tempfile::TempDir;

use super::{
    restore::{RestoreTarget, restore_backup},
    *,
};
use crate::{
    ops::{
        schema::SCHEMA,
        send_freeze,
        system_status::{self, WorkerMetrics},
    },
    platform::{
        clock::{Clock, Entropy},
        db::q,
    },
};

struct Small {
    home: TempDir,
    db: Db,
    storage: Storage,
    origin: ClockRng,
    secret: SecretKey,
    fresh_key: SecretKey,
    config: BackupConfig,
}

impl Small {
    async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let origin = ClockRng { clock: Clock::manual_at(Clock::System.now()), entropy: Entropy::from_seed(1) };
        let db = Db::connect(&DbConfig::from_url(&sqlite_url(&home.path().join(DATABASE))), &SCHEMA).await.unwrap();
        db.migrate().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        crate::domain::tenancy::org::insert(&mut tx, &origin, "Acme Plumbing", "Plumber").await.unwrap();
        tx.commit().await.unwrap();
        let storage = Storage::in_memory();
        storage.put("0190-ab/leak.jpg", b"a photo").await.unwrap();
        std::fs::write(home.path().join("secret.key"), [7; 32]).unwrap();
        let config = BackupConfig { folder: home.path().join("backups"), keep: 2, is_daily: true };
        Self { home, db, storage, origin, secret: SecretKey::new([7; 32]), fresh_key: SecretKey::new([8; 32]), config }
    }

    fn ctx(&self) -> InstallContext<'_> {
        let Self { home, db, storage, origin, secret, .. } = self;
        InstallContext { db, storage, data_dir: home.path(), origin, secret }
    }

    /// A machine that generated its own key at its first start.
    fn place<'a>(&'a self, db: &'a DbConfig, storage: &'a Storage, data_dir: &'a Path) -> RestoreTarget<'a> {
        let (origin, secret) = (&self.origin, &self.fresh_key);
        let (is_secret_set, replaces, lost_key) = (false, false, false);
        RestoreTarget { db, storage, data_dir, backups: data_dir, origin, secret, is_secret_set, replaces, lost_key }
    }

    async fn backup(&self) -> CompletedBackup {
        self.origin.clock.advance(Duration::hours(24));
        log::run_backup_now(&self.ctx(), &self.config).await.unwrap()
    }
}

#[tokio::test]
async fn backup_contains_rows_files_and_keys() {
    let small = Small::new().await;
    let made = small.backup().await;
    assert_eq!(made.manifest.rows["org"], 1);
    assert_eq!(made.manifest.files["0190-ab/leak.jpg"].bytes, 7);
    assert_eq!(made.manifest.keys.keys().collect::<Vec<_>>(), ["secret.key"]);
    assert_eq!(verify_backup(&made.folder).await.unwrap(), made.manifest);
    assert_eq!(disk::list_file_names(&small.config.folder).await.unwrap(), [made.name], "no draft stays");
}

#[tokio::test]
async fn damaged_or_missing_part_fails_verification() {
    let small = Small::new().await;
    let id = "0190c0de-0000-7000-8000-000000000001";
    std::fs::write(small.home.path().join(LIST_FILE), format!("2026-09-17T15:00:00+00:00 {id} {id} {id}\nhalf a li"))
        .unwrap();
    let made = small.backup().await;
    let list = std::fs::read_to_string(made.folder.join(LIST_FILE)).unwrap();
    assert_eq!(list, format!("2026-09-17T15:00:00+00:00 {id} {id} {id}\n"), "without the torn line");
    let parts = [DATABASE, LIST_FILE].map(ToOwned::to_owned);
    for part in parts.into_iter().chain([format!("{FILES}/0190-ab/leak.jpg"), format!("{KEYS}/secret.key")]) {
        let path = made.folder.join(&part);
        let was = std::fs::read(&path).unwrap();
        let mut other = was.clone();
        let middle = other.len() / 2;
        other[middle] ^= 1;
        std::fs::write(&path, other).unwrap();
        assert!(matches!(verify_backup(&made.folder).await, Err(Error::Refused(_))), "{part}: one bit");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(verify_backup(&made.folder).await, Err(Error::Refused(_))), "{part}: gone");
        std::fs::write(&path, was).unwrap();
        verify_backup(&made.folder).await.unwrap();
    }
    std::fs::remove_file(made.folder.join(MANIFEST)).unwrap();
    assert!(matches!(verify_backup(&made.folder).await, Err(Error::Refused(_))), "the manifest is gone");
}

#[tokio::test]
async fn interrupted_draft_is_not_listed_and_next_backup_succeeds() {
    let small = Small::new().await;
    // Left by a killed process.
    let draft = small.config.folder.join(format!("{DRAFT_PREFIX}toolbox-20200101T000000Z"));
    std::fs::create_dir_all(&draft).unwrap();
    std::fs::write(draft.join(DATABASE), b"half a database").unwrap();
    assert!(list_backups(&small.config.folder).await.unwrap().is_empty());
    small.origin.clock.advance(Duration::days(2));
    let made = small.backup().await;
    assert_eq!(list_backups(&small.config.folder).await.unwrap(), [made.name]);
    assert!(!draft.exists(), "what was left is cleared away");
}

#[tokio::test]
async fn newest_backups_are_kept_and_unchanged_file_is_hard_linked() {
    let small = Small::new().await;
    let first = small.backup().await;
    let (second, third) = (small.backup().await, small.backup().await);
    assert_eq!(list_backups(&small.config.folder).await.unwrap(), [second.name.clone(), third.name.clone()]);
    assert!(!first.folder.exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of =
            |made: &CompletedBackup| std::fs::metadata(made.folder.join(FILES).join("0190-ab/leak.jpg")).unwrap().ino();
        assert_eq!(of(&second), of(&third));
    }
    verify_backup(&third.folder).await.unwrap();
}

#[tokio::test]
async fn restore_on_new_machine_recovers_data_and_freezes_sending() {
    let small = Small::new().await;
    let made = small.backup().await;
    let there = tempfile::tempdir().unwrap();
    let (config, storage) = (DbConfig::from_url(&sqlite_url(&there.path().join(DATABASE))), Storage::in_memory());
    let mut place = small.place(&config, &storage, there.path());
    let restored = restore_backup(&made.folder, &place).await.unwrap();
    assert_eq!((restored.manifest, restored.files, restored.set_aside), (made.manifest.clone(), 1, None));
    assert_eq!(storage.get("0190-ab/leak.jpg").await.unwrap(), "a photo");
    assert_eq!(std::fs::read(there.path().join("secret.key")).unwrap(), [7; 32]);
    let db = Db::connect_existing(&config, &SCHEMA).await.unwrap();
    let mut conn = db.acquire_reader().await.unwrap();
    let frozen = send_freeze::find_freeze(&mut conn).await.unwrap().unwrap();
    assert_eq!((frozen.why, frozen.copied_at), (send_freeze::FreezeReason::Restored, made.manifest.made_at));
    assert_eq!(q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM org").unwrap(), 1);
    drop(conn);
    db.close().await;
    let again = restore_backup(&made.folder, &place).await.unwrap_err();
    assert!(again.to_string().contains("--replace"), "{again}");
    place.replaces = true;
    let aside = restore_backup(&made.folder, &place).await.unwrap().set_aside.unwrap();
    assert!(aside.exists(), "nothing is thrown away");
}

#[tokio::test]
async fn restored_database_is_replaceable_although_a_worker_made_its_backup() {
    let small = Small::new().await;
    small.origin.clock.advance(Duration::hours(24));
    system_status::record_heartbeat(&small.db, &small.origin, "w1", &WorkerMetrics::default()).await.unwrap();
    let made = log::run_backup_now(&small.ctx(), &small.config).await.unwrap();
    let there = tempfile::tempdir().unwrap();
    let (config, storage) = (DbConfig::from_url(&sqlite_url(&there.path().join(DATABASE))), Storage::in_memory());
    let mut place = small.place(&config, &storage, there.path());
    place.replaces = true;
    restore_backup(&made.folder, &place).await.unwrap();
    assert!(restore_backup(&made.folder, &place).await.unwrap().set_aside.is_some());
    let db = Db::connect_existing(&config, &SCHEMA).await.unwrap();
    system_status::record_heartbeat(&db, &small.origin, "w2", &WorkerMetrics::default()).await.unwrap();
    db.close().await;
    let refused = restore_backup(&made.folder, &place).await.unwrap_err();
    assert!(refused.to_string().contains("killed less than two minutes ago"), "{refused}");
}

#[tokio::test]
async fn daily_backup_runs_once_a_day_and_retries_after_failure() {
    let mut small = Small::new().await;
    assert!(log::run_daily_backup(&small.ctx(), &small.config).await.unwrap().is_some());
    assert!(log::run_daily_backup(&small.ctx(), &small.config).await.unwrap().is_none(), "one was made today");
    small.origin.clock.advance(Duration::hours(24));
    // A file in place of the folder: writing fails.
    let good = std::mem::replace(&mut small.config.folder, small.home.path().join("secret.key"));
    log::run_daily_backup(&small.ctx(), &small.config).await.unwrap_err();
    small.config.folder = good;
    small.origin.clock.advance(Duration::hours(1));
    assert!(
        log::run_daily_backup(&small.ctx(), &small.config).await.unwrap().is_some(),
        "the failed one does not count"
    );
    let names = disk::list_file_names(&small.config.folder).await.unwrap();
    assert!(names.iter().all(|name| name.starts_with(NAME_PREFIX)), "what was put back for a try is gone: {names:?}");
    let states: Vec<_> = log::list_backup_runs(&mut small.db.acquire_reader().await.unwrap(), 9)
        .await
        .unwrap()
        .into_iter()
        .map(|one| one.state)
        .collect();
    assert_eq!(states, [log::BackupState::Good, log::BackupState::Failed, log::BackupState::Good]);
}

#[tokio::test]
async fn corrupted_file_in_old_backup_does_not_spread_to_next_one() {
    let small = Small::new().await;
    let first = small.backup().await;
    std::fs::write(first.folder.join(FILES).join("0190-ab/leak.jpg"), b"a phot\0").unwrap();
    let second = small.backup().await;
    assert_eq!(std::fs::read(second.folder.join(FILES).join("0190-ab/leak.jpg")).unwrap(), b"a photo");
    verify_backup(&second.folder).await.unwrap();
}

#[tokio::test]
async fn similarly_named_files_are_not_counted_as_backups() {
    let small = Small::new().await;
    let first = small.backup().await;
    for name in ["toolbox-acme-plumbing-2026-11-22.zip", "toolbox-zz", "toolbox-20261122T030000.000Z.tar"] {
        std::fs::write(small.config.folder.join(name), b"an export").unwrap();
    }
    let second = small.backup().await;
    assert_eq!(list_backups(&small.config.folder).await.unwrap(), [first.name, second.name]);
}

#[tokio::test]
async fn old_backups_stay_until_trial_restore_of_new_one_succeeds() {
    let mut small = Small::new().await;
    small.config.keep = 1;
    let first = small.backup().await;
    small.origin.clock.advance(Duration::hours(24));
    // A folder in place of the trial restore: it cannot be made.
    let new = backup_name(small.origin.now());
    std::fs::create_dir_all(small.config.folder.join(format!("{DRAFT_PREFIX}drill-{new}"))).unwrap();
    log::run_backup_now(&small.ctx(), &small.config).await.unwrap_err();
    assert_eq!(
        list_backups(&small.config.folder).await.unwrap(),
        [first.name],
        "the good one stays, the other has no name"
    );
}

#[tokio::test]
async fn interrupted_manual_backup_does_not_block_daily_one() {
    let small = Small::new().await;
    drop(tokio::time::timeout(std::time::Duration::ZERO, log::run_backup_now(&small.ctx(), &small.config)).await);
    small.origin.clock.advance(Duration::minutes(1));
    assert!(log::run_daily_backup(&small.ctx(), &small.config).await.unwrap().is_some());
}

#[tokio::test]
async fn restore_under_another_key_is_refused_unless_key_is_declared_lost() {
    let small = Small::new().await;
    let made = small.backup().await;
    let there = tempfile::tempdir().unwrap();
    let file = there.path().join("of/its/own/toolbox.db");
    let (config, storage) = (DbConfig::from_url(&sqlite_url(&file)), Storage::in_memory());
    let mut place = small.place(&config, &storage, there.path());
    place.is_secret_set = true;
    let refused = restore_backup(&made.folder, &place).await.unwrap_err();
    assert!(refused.to_string().contains("SECRET_KEY"), "{refused}");
    assert!(!file.exists() && storage.list_all().await.unwrap().is_empty(), "nothing was written");
    place.lost_key = true;
    restore_backup(&made.folder, &place).await.unwrap();
    assert!(file.exists());
    let left = disk::list_file_names(file.parent().unwrap()).await.unwrap();
    assert_eq!(left, [DATABASE], "it was worked on beside its place, and nothing of that stays");
}

#[tokio::test]
async fn trial_restore_on_demand_verifies_backup_and_leaves_nothing() {
    let small = Small::new().await;
    let made = small.backup().await;
    assert_eq!(super::restore::verify_and_drill(&made.folder, &small.origin).await.unwrap(), made.manifest);
    std::fs::write(made.folder.join(DATABASE), b"no database").unwrap();
    super::restore::verify_and_drill(&made.folder, &small.origin).await.unwrap_err();
    assert_eq!(disk::list_file_names(&small.config.folder).await.unwrap(), [made.name], "nothing of it stays");
}
