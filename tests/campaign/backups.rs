//! `kill -9` of `api backup` at random moments: whatever is called a backup afterwards is whole.
//!
//! `KILLS` sets how many (50), `SEED` repeats the moments of an earlier run.

use std::{collections::BTreeSet, path::Path, time::Duration};

use shared::{
    ops::backup,
    platform::{
        clock::{Entropy, Origin},
        config::Vars,
        storage::{Storage, StorageConfig},
    },
};
use tests::{
    ground::{Business, Ground},
    processes::{Env, Program},
};

/// Enough that a backup takes longer than the shortest moments.
const LEADS: usize = 300;
const FILES: usize = 100;
const LONGEST: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_killed_again_and_again_never_leaves_a_part_that_looks_whole_on_sqlite() {
    campaign("SQLite", Ground::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_killed_again_and_again_never_leaves_a_part_that_looks_whole_on_postgres() {
    shared::platform::db::tenant_scope::across_businesses(Box::pin(async {
        campaign("PostgreSQL", Ground::postgres().await).await;
    }))
    .await;
}

async fn campaign(engine: &str, ground: Ground) {
    let mut vars = Vars::from_process();
    let kills = vars.parsed("KILLS", 50_usize, "a whole number");
    let seed = vars.parsed("SEED", u64::from_le_bytes(Origin::system().entropy.bytes()), "a whole number");
    vars.finish().unwrap();
    let chance = Entropy::seeded(seed);
    settle(&ground).await;
    let env: Env =
        [("BACKUP_KEEP", "1000"), ("DISK_FLOOR_BYTES", "0")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    let folder = ground.folder().join("backups");
    let mut whole = BTreeSet::new();
    let mut struck = 0;
    // The first copies every file; those after it take as long as this machine takes for one now.
    uninterrupted(&ground, &env).await;
    let usual = uninterrupted(&ground, &env).await;
    assert_eq!(verify_new(&folder, &mut whole).await, 2);
    for _ in 0..kills {
        let backup = Program::start_doing("api", &["backup"], &ground, &env);
        tokio::time::sleep(usual.mul_f64(chance.fraction())).await;
        backup.kill();
        struck += usize::from(verify_new(&folder, &mut whole).await == 0);
    }
    uninterrupted(&ground, &env).await;
    assert_eq!(verify_new(&folder, &mut whole).await, 1, "after all that the next one is made");
    println!("{engine}: {kills} kills, {struck} before it was whole, {} whole, seed {seed}", whole.len());
    assert!(struck * 4 >= kills, "only {struck} of {kills} kills hit a backup that was being made");
}

/// Makes one, and tells how long it took.
async fn uninterrupted(ground: &Ground, env: &Env) -> Duration {
    let mut backup = Program::start_doing("api", &["backup"], ground, env);
    assert!(backup.ended(LONGEST).await.success(), "{}", backup.log());
    backup.started().elapsed()
}

/// Leads and files, so that there is something to copy.
async fn settle(ground: &Ground) {
    let db = ground.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    for number in 0..LEADS {
        business.take_in(&db, number).await;
    }
    db.close().await;
    let config = StorageConfig::File { root: ground.folder().join("uploads"), floor: 0 };
    let storage = Storage::open(&config).unwrap();
    for number in 0..FILES {
        let key = format!("{}/{number}.jpg", business.profile.org.id);
        storage.put(&key, &vec![7; 64 * 1024]).await.unwrap();
    }
}

/// Reads all backups that were not there before. Returns how many they are.
async fn verify_new(folder: &Path, known: &mut BTreeSet<String>) -> usize {
    let mut new = 0;
    for name in backup::list(folder).await.unwrap() {
        if known.insert(name.clone()) {
            let read = backup::verify(&folder.join(&name)).await;
            assert!(read.is_ok(), "{name} looks whole and is not: {read:?}");
            new += 1;
        }
    }
    new
}
