//! `kill -9` of `api backup` at random moments: every file that has a backup's name afterwards is complete.
//!
//! `KILLS` sets how many (50), `SEED` repeats the moments of an earlier run.

use std::{collections::BTreeSet, path::Path, time::Duration};

use shared::{
    ops::backup,
    platform::{
        clock::{ClockRng, Entropy},
        config::EnvVars,
        storage::{Storage, StorageConfig},
    },
};
use tests::{
    processes::{Env, Program},
    test_install::{Business, TestInstall},
};

const LEADS: usize = 300;
const FILES: usize = 100;
const LONGEST: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_killed_repeatedly_leaves_no_valid_looking_part_on_sqlite() {
    campaign("SQLite", TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backup_killed_repeatedly_leaves_no_valid_looking_part_on_postgres() {
    shared::platform::db::tenant_scope::across_tenants(Box::pin(async {
        campaign("PostgreSQL", TestInstall::postgres().await).await;
    }))
    .await;
}

async fn campaign(engine: &str, install: TestInstall) {
    let mut vars = EnvVars::from_process();
    let kills = vars.parse_or("KILLS", 50_usize, "a whole number");
    let seed = vars.parse_or("SEED", u64::from_le_bytes(ClockRng::system().entropy.random_bytes()), "a whole number");
    vars.into_result().unwrap();
    let chance = Entropy::from_seed(seed);
    settle(&install).await;
    let env: Env =
        [("BACKUP_KEEP", "1000"), ("DISK_FLOOR_BYTES", "0")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    let folder = install.folder().join("backups");
    let mut whole = BTreeSet::new();
    let mut struck = 0;
    // The first backup copies every file; the second gives the usual duration of later ones on this machine.
    uninterrupted(&install, &env).await;
    let usual = uninterrupted(&install, &env).await;
    assert_eq!(verify_new(&folder, &mut whole).await, 2);
    for _ in 0..kills {
        let backup = Program::start_doing("api", &["backup"], &install, &env);
        tokio::time::sleep(usual.mul_f64(chance.random_fraction())).await;
        backup.kill();
        struck += usize::from(verify_new(&folder, &mut whole).await == 0);
    }
    uninterrupted(&install, &env).await;
    assert_eq!(verify_new(&folder, &mut whole).await, 1, "after all that the next one is made");
    println!("{engine}: {kills} kills, {struck} before it was whole, {} whole, seed {seed}", whole.len());
    assert!(struck * 4 >= kills, "only {struck} of {kills} kills hit a backup that was being made");
}

async fn uninterrupted(install: &TestInstall, env: &Env) -> Duration {
    let mut backup = Program::start_doing("api", &["backup"], install, env);
    assert!(backup.ended(LONGEST).await.success(), "{}", backup.log());
    backup.started().elapsed()
}

async fn settle(install: &TestInstall) {
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    for number in 0..LEADS {
        business.take_in(&db, number).await;
    }
    db.close().await;
    let config = StorageConfig::File { root: install.folder().join("uploads"), floor: 0 };
    let storage = Storage::open(&config).unwrap();
    for number in 0..FILES {
        let key = format!("{}/{number}.jpg", business.profile.org.id);
        storage.put(&key, &vec![7; 64 * 1024]).await.unwrap();
    }
}

/// Verifies all backups that were not there before. Returns their number.
async fn verify_new(folder: &Path, known: &mut BTreeSet<String>) -> usize {
    let mut new = 0;
    for name in backup::list_backups(folder).await.unwrap() {
        if known.insert(name.clone()) {
            let read = backup::verify_backup(&folder.join(&name)).await;
            assert!(read.is_ok(), "{name} looks whole and is not: {read:?}");
            new += 1;
        }
    }
    new
}
