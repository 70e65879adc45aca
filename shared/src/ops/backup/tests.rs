//! Backups of a small install: whole or not there, damaged ones recognised, and put back on a machine that never saw it.

use chrono::Duration;
use tempfile::TempDir;

use super::{
    restore::{Place, restore},
    *,
};
use crate::{
    ops::{schema::SCHEMA, send_freeze},
    platform::{
        clock::{Clock, Entropy},
        db::q,
    },
};

/// An install with one business and one file.
struct Small {
    home: TempDir,
    db: Db,
    storage: Storage,
    origin: Origin,
    secret: SecretKey,
    fresh_key: SecretKey,
    config: BackupConfig,
}

impl Small {
    async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let origin = Origin { clock: Clock::manual(Clock::System.now()), entropy: Entropy::seeded(1) };
        let db = Db::connect(&DbConfig::at(&sqlite_address(&home.path().join(DATABASE))), &SCHEMA).await.unwrap();
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

    fn house(&self) -> House<'_> {
        let Self { home, db, storage, origin, secret, .. } = self;
        House { db, storage, data_dir: home.path(), origin, secret }
    }

    /// A machine that has made a key of its own at its first start.
    fn place<'a>(&'a self, db: &'a DbConfig, storage: &'a Storage, data_dir: &'a Path) -> Place<'a> {
        let (origin, secret) = (&self.origin, &self.fresh_key);
        Place { db, storage, data_dir, origin, secret, is_secret_set: false, replaces: false, lost_key: false }
    }

    async fn backup(&self) -> Made {
        self.origin.clock.advance(Duration::hours(24));
        log::now(&self.house(), &self.config).await.unwrap()
    }
}

#[tokio::test]
async fn a_backup_holds_the_rows_the_files_and_the_keys() {
    let small = Small::new().await;
    let made = small.backup().await;
    assert_eq!(made.manifest.rows["org"], 1);
    assert_eq!(made.manifest.files["0190-ab/leak.jpg"].bytes, 7);
    assert_eq!(made.manifest.keys.keys().collect::<Vec<_>>(), ["secret.key"]);
    assert_eq!(verify(&made.folder).await.unwrap(), made.manifest);
    assert_eq!(disk::names(&small.config.folder).await.unwrap(), [made.name], "no draft stays");
}

#[tokio::test]
async fn whatever_is_damaged_is_found() {
    let small = Small::new().await;
    let made = small.backup().await;
    for part in [DATABASE.to_owned(), format!("{FILES}/0190-ab/leak.jpg"), format!("{KEYS}/secret.key")] {
        let path = made.folder.join(&part);
        let was = std::fs::read(&path).unwrap();
        let mut other = was.clone();
        let middle = other.len() / 2;
        other[middle] ^= 1;
        std::fs::write(&path, other).unwrap();
        assert!(matches!(verify(&made.folder).await, Err(Error::Clash(_))), "{part}: one bit");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(verify(&made.folder).await, Err(Error::Clash(_))), "{part}: gone");
        std::fs::write(&path, was).unwrap();
        verify(&made.folder).await.unwrap();
    }
    std::fs::remove_file(made.folder.join(MANIFEST)).unwrap();
    assert!(matches!(verify(&made.folder).await, Err(Error::Clash(_))), "the manifest is gone");
}

#[tokio::test]
async fn one_that_is_broken_off_has_no_name_and_the_next_one_is_made() {
    let small = Small::new().await;
    // What a process leaves that was killed at its work.
    let draft = small.config.folder.join(format!("{DRAFT}toolbox-20200101T000000Z"));
    std::fs::create_dir_all(&draft).unwrap();
    std::fs::write(draft.join(DATABASE), b"half a database").unwrap();
    assert!(list(&small.config.folder).await.unwrap().is_empty());
    small.origin.clock.advance(Duration::days(2));
    let made = small.backup().await;
    assert_eq!(list(&small.config.folder).await.unwrap(), [made.name]);
    assert!(!draft.exists(), "what was left is cleared away");
}

#[tokio::test]
async fn the_newest_are_kept_and_an_unchanged_file_lies_there_once() {
    let small = Small::new().await;
    let first = small.backup().await;
    let (second, third) = (small.backup().await, small.backup().await);
    assert_eq!(list(&small.config.folder).await.unwrap(), [second.name.clone(), third.name.clone()]);
    assert!(!first.folder.exists());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let of = |made: &Made| std::fs::metadata(made.folder.join(FILES).join("0190-ab/leak.jpg")).unwrap().ino();
        assert_eq!(of(&second), of(&third));
    }
    verify(&third.folder).await.unwrap();
}

#[tokio::test]
async fn it_is_put_back_on_a_machine_that_never_saw_it_and_sends_nothing() {
    let small = Small::new().await;
    let made = small.backup().await;
    let there = tempfile::tempdir().unwrap();
    let (config, storage) = (DbConfig::at(&sqlite_address(&there.path().join(DATABASE))), Storage::in_memory());
    let mut place = small.place(&config, &storage, there.path());
    let restored = restore(&made.folder, &place).await.unwrap();
    assert_eq!((restored.manifest, restored.files, restored.set_aside), (made.manifest.clone(), 1, None));
    assert_eq!(storage.get("0190-ab/leak.jpg").await.unwrap(), "a photo");
    assert_eq!(std::fs::read(there.path().join("secret.key")).unwrap(), [7; 32]);
    let db = Db::connect_existing(&config, &SCHEMA).await.unwrap();
    let mut conn = db.read().await.unwrap();
    let frozen = send_freeze::frozen(&mut conn).await.unwrap().unwrap();
    assert_eq!((frozen.why, frozen.copied_at), (send_freeze::Why::Restored, made.manifest.made_at));
    assert_eq!(q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM org").unwrap(), 1);
    drop(conn);
    db.close().await;
    let again = restore(&made.folder, &place).await.unwrap_err();
    assert!(again.to_string().contains("--replace"), "{again}");
    place.replaces = true;
    let aside = restore(&made.folder, &place).await.unwrap().set_aside.unwrap();
    assert!(aside.exists(), "nothing is thrown away");
}

#[tokio::test]
async fn one_a_day_is_due_and_a_failure_is_tried_again() {
    let mut small = Small::new().await;
    assert!(log::daily(&small.house(), &small.config).await.unwrap().is_some());
    assert!(log::daily(&small.house(), &small.config).await.unwrap().is_none(), "one was made today");
    small.origin.clock.advance(Duration::hours(24));
    // A file where the folder should be: nothing can be written there.
    let good = std::mem::replace(&mut small.config.folder, small.home.path().join("secret.key"));
    log::daily(&small.house(), &small.config).await.unwrap_err();
    small.config.folder = good;
    small.origin.clock.advance(Duration::hours(1));
    assert!(log::daily(&small.house(), &small.config).await.unwrap().is_some(), "the failed one does not count");
    let names = disk::names(&small.config.folder).await.unwrap();
    assert!(names.iter().all(|name| name.starts_with(NAME)), "what was put back for a try is gone: {names:?}");
    let states: Vec<_> =
        log::list(&mut small.db.read().await.unwrap(), 9).await.unwrap().into_iter().map(|one| one.state).collect();
    assert_eq!(states, [log::State::Good, log::State::Failed, log::State::Good]);
}

#[tokio::test]
async fn a_byte_that_rots_in_an_old_backup_does_not_spoil_the_next_one() {
    let small = Small::new().await;
    let first = small.backup().await;
    std::fs::write(first.folder.join(FILES).join("0190-ab/leak.jpg"), b"a phot\0").unwrap();
    let second = small.backup().await;
    assert_eq!(std::fs::read(second.folder.join(FILES).join("0190-ab/leak.jpg")).unwrap(), b"a photo");
    verify(&second.folder).await.unwrap();
}

#[tokio::test]
async fn what_is_called_alike_is_no_backup_and_costs_none() {
    let small = Small::new().await;
    let first = small.backup().await;
    for name in ["toolbox-acme-plumbing-2026-11-22.zip", "toolbox-zz", "toolbox-20261122T030000.000Z.tar"] {
        std::fs::write(small.config.folder.join(name), b"an export").unwrap();
    }
    let second = small.backup().await;
    assert_eq!(list(&small.config.folder).await.unwrap(), [first.name, second.name]);
}

#[tokio::test]
async fn the_old_ones_stay_until_the_new_one_was_put_back_for_a_try() {
    let mut small = Small::new().await;
    small.config.keep = 1;
    let first = small.backup().await;
    small.origin.clock.advance(Duration::hours(24));
    // A folder where the try would be: it cannot be made.
    let new = name(small.origin.now());
    std::fs::create_dir_all(small.config.folder.join(format!("{DRAFT}drill-{new}"))).unwrap();
    log::now(&small.house(), &small.config).await.unwrap_err();
    assert_eq!(list(&small.config.folder).await.unwrap(), [first.name], "the good one stays, the other has no name");
}

#[tokio::test]
async fn one_that_was_stopped_at_a_keyboard_does_not_stand_in_the_way_of_todays() {
    let small = Small::new().await;
    drop(tokio::time::timeout(std::time::Duration::ZERO, log::now(&small.house(), &small.config)).await);
    small.origin.clock.advance(Duration::minutes(1));
    assert!(log::daily(&small.house(), &small.config).await.unwrap().is_some());
}

#[tokio::test]
async fn a_backup_is_not_put_back_under_another_key_unless_somebody_says_that_it_is_lost() {
    let small = Small::new().await;
    let made = small.backup().await;
    let there = tempfile::tempdir().unwrap();
    let file = there.path().join("of/its/own/toolbox.db");
    let (config, storage) = (DbConfig::at(&sqlite_address(&file)), Storage::in_memory());
    let mut place = small.place(&config, &storage, there.path());
    place.is_secret_set = true;
    let refused = restore(&made.folder, &place).await.unwrap_err();
    assert!(refused.to_string().contains("SECRET_KEY"), "{refused}");
    assert!(!file.exists() && storage.list_all().await.unwrap().is_empty(), "nothing was written");
    place.lost_key = true;
    restore(&made.folder, &place).await.unwrap();
    assert!(file.exists());
    let left = disk::names(file.parent().unwrap()).await.unwrap();
    assert_eq!(left, [DATABASE], "it was worked on beside its place, and nothing of that stays");
}

#[tokio::test]
async fn a_backup_is_put_back_for_a_try_whenever_somebody_asks() {
    let small = Small::new().await;
    let made = small.backup().await;
    assert_eq!(super::restore::try_out(&made.folder, &small.origin).await.unwrap(), made.manifest);
    std::fs::write(made.folder.join(DATABASE), b"no database").unwrap();
    super::restore::try_out(&made.folder, &small.origin).await.unwrap_err();
    assert_eq!(disk::names(&small.config.folder).await.unwrap(), [made.name], "nothing of it stays");
}
