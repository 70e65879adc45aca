//! A backup of a gigabyte while leads come in, and its restoration to a running install (trust requirements 83, 84).

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use shared::{
    domain::tenancy::org,
    ops::{backup, send_freeze},
    platform::{
        clock::{ClockRng, Entropy},
        db::{Db, q, qb},
        id::OrgId,
    },
};
use tests::{
    processes::{Env, Program, api},
    test_install::TestInstall,
};
use uuid::Uuid;

use crate::figures::{Figures, Goal, quantile};

/// About a gigabyte of either database, with indexes.
const LEADS: usize = 380_000;
const AT_ONCE: usize = 200;
/// Letters of a lead's notes: below the size that PostgreSQL moves to TOAST and compresses.
const NOTES: usize = 1_800;
const QUIET: Duration = Duration::from_secs(10);
/// Pause between two leads: a business writes occasionally, not at the disk's speed.
const PAUSE: Duration = Duration::from_millis(5);
const LONGEST: Duration = Duration::from_mins(30);
/// The goals: the slowdown of writes meanwhile, and the time until the copy serves.
const SLOWER: f64 = 2.0;
const BACK_SECONDS: f64 = 300.0;

/// Fills the database, writes during a backup, and restores it elsewhere.
pub async fn backup_and_back(engine: &str, [test_install, elsewhere]: [TestInstall; 2], figures: &mut Figures) {
    let db = test_install.open().await;
    let org = fill(&db).await;
    let (mut quiet, _) = write_while(&db, org, async || tokio::time::sleep(QUIET).await).await;
    let (mut meanwhile, seconds) = write_while(&db, org, async || {
        let mut making = Program::start_doing("api", &["backup"], &test_install, &floorless());
        assert!(making.ended(LONGEST).await.success(), "{}", making.log());
    })
    .await;
    let (folder, bytes) = newest(&test_install).await;
    let limit = quantile(&mut quiet, 0.95);
    figures.add(engine, "size of the backup", bytes, "MB", Goal::None);
    figures.add(engine, "a backup, made and read back", seconds, "s", Goal::None);
    figures.add(engine, "a lead's commit, p95, no backup", limit, "ms", Goal::None);
    let slowed = Goal::AtMost(limit * SLOWER);
    figures.add(engine, "  while a backup is made", quantile(&mut meanwhile, 0.95), "ms", slowed);
    db.close().await;
    let seconds = back(&folder, &elsewhere).await;
    figures.add(engine, "from the backup to an install that serves", seconds, "s", Goal::AtMost(BACK_SECONDS));
}

/// The machine's own disk may be fuller than the limit of an install.
fn floorless() -> Env {
    vec![("DISK_FLOOR_BYTES".to_owned(), "0".to_owned())]
}

/// Seconds until the copy answers; it must have every lead, and sends nothing.
async fn back(folder: &std::path::Path, elsewhere: &TestInstall) -> f64 {
    let began = Instant::now();
    let words = ["restore", folder.to_str().expect("a plain path"), "--replace"];
    let mut restore = Program::start_doing("api", &words, elsewhere, &floorless());
    assert!(restore.ended(LONGEST).await.success(), "{}", restore.log());
    let serving = api(elsewhere, &floorless()).await;
    let seconds = began.elapsed().as_secs_f64();
    drop(serving);
    let db = elsewhere.open().await;
    let mut conn = db.acquire_reader().await.expect("a connection");
    let leads = q!(&mut conn, fetch_one scalar i64, "SELECT COUNT(*) FROM lead").expect("a count");
    assert!(usize::try_from(leads).is_ok_and(|leads| leads >= LEADS), "{leads}");
    assert!(send_freeze::find_freeze(&mut conn).await.expect("the outbox").is_some(), "it waits to be released");
    drop(conn);
    db.close().await;
    seconds
}

async fn newest(test_install: &TestInstall) -> (PathBuf, f64) {
    let folder = test_install.folder().join("backups");
    let name = backup::list_backups(&folder).await.expect("the backups").pop().expect("a backup");
    let made = folder.join(name);
    let manifest = backup::read_manifest(&made).await.expect("its manifest");
    #[expect(clippy::cast_precision_loss, reason = "megabytes to read")]
    let megabytes = manifest.total_bytes() as f64 / 1e6;
    (made, megabytes)
}

/// The milliseconds of each lead's commit while other work runs, and that work's duration in seconds.
async fn write_while(db: &Db, org: OrgId, something: impl AsyncFnOnce()) -> (Vec<f64>, f64) {
    let (origin, began, mut times) = (ClockRng::system(), Instant::now(), Vec::new());
    let customer = customer(db, org).await;
    let writes = async {
        loop {
            let one = Instant::now();
            insert(db, &origin, org, customer, 1).await;
            times.push(one.elapsed().as_secs_f64() * 1000.0);
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::select! {
        () = something() => {}
        () = writes => unreachable!("it is written for ever"),
    }
    (times, began.elapsed().as_secs_f64())
}

async fn customer(db: &Db, org: OrgId) -> Uuid {
    let find = "SELECT id FROM customer WHERE org_id = $1";
    q!(&mut db.acquire_reader().await.expect("a connection"), fetch_one scalar Uuid, find, org).expect("a customer")
}

async fn fill(db: &Db) -> OrgId {
    let origin = ClockRng::system();
    let mut tx = db.begin().await.expect("a transaction");
    let org = org::insert(&mut tx, &origin, "Acme Plumbing", "Plumbing").await.expect("an org").id;
    let add = "INSERT INTO customer (org_id, id, name, created_at) VALUES ($1, $2, 'Ann', $3)";
    let customer = origin.uuid_v7();
    q!(&mut tx, execute, add, org, customer, origin.now()).expect("a customer");
    tx.commit().await.expect("a commit");
    for _ in 0..LEADS.div_ceil(AT_ONCE) {
        insert(db, &origin, org, customer, AT_ONCE).await;
    }
    org
}

async fn insert(db: &Db, origin: &ClockRng, org: OrgId, customer: Uuid, count: usize) {
    let mut tx = db.begin().await.expect("a transaction");
    let now = origin.now();
    qb!(&mut tx, execute, |b| {
        b.push(
            "INSERT INTO lead (org_id, id, customer_id, form, name, phone, service, zip, notes, source, attribution,
                 stage, needs_attention, touch_count, missed_calls, photo_count, search, created_at, last_touch_at) ",
        );
        b.push_values(0..count, |mut row, _| {
            row.push_bind(org).push_bind(origin.uuid_v7()).push_bind(customer).push_bind("lead").push_bind("Ann Smith");
            row.push_bind("(512) 555-0142").push_bind("plumbing").push_bind("78701").push_bind(notes(&origin.entropy));
            row.push_bind("Website").push_bind(serde_json::json!({})).push_bind("new").push_bind(false);
            row.push_bind(1_i64).push_bind(0_i64).push_bind(0_i64).push_bind("ann smith\nplumbing");
            row.push_bind(now).push_bind(now);
        });
    })
    .expect("leads");
    tx.commit().await.expect("a commit");
}

/// Random, so that it cannot be compressed.
fn notes(chance: &Entropy) -> String {
    let bytes: [u8; NOTES / 2] = chance.random_bytes();
    bytes.iter().fold(String::with_capacity(NOTES), |mut hex, byte| {
        hex.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
        hex.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        hex
    })
}
