//! Daily reports while the workers that make them are killed repeatedly: every business gets one report of its day.

use std::{collections::HashMap, time::Duration};

use shared::{
    domain::{messaging::message::MessageStatus, tenancy::org},
    platform::{
        clock::{ClockRng, Entropy},
        db::{Db, q},
    },
};
use tests::{
    fake_smtp::{self, FakeSmtp},
    fake_twilio::FakeTwilio,
    processes::{start_worker, through, worker},
    test_install::{Business, TestInstall},
};

use crate::ledger::{at_rest, tasks};

const BUSINESSES: usize = 24;
const KILLS: usize = 8;
const CATCH_UP: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_killed_while_reports_are_due_sends_each_once_on_sqlite() {
    morning("SQLite", TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_killed_while_reports_are_due_sends_each_once_on_postgres() {
    shared::platform::db::tenant_scope::across_tenants(Box::pin(async {
        morning("PostgreSQL", TestInstall::postgres().await).await;
    }))
    .await;
}

async fn morning(engine: &str, install: TestInstall) {
    let seed = u64::from_le_bytes(ClockRng::system().entropy.random_bytes());
    let chance = Entropy::from_seed(seed);
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    // A slow mail server: a kill in this window leaves the message in doubt.
    for _ in 0..BUSINESSES * 4 {
        smtp.script(fake_smtp::Fault::Tarpit { millis: millis(&chance, 5, 30) });
    }
    let db = install.open().await;
    for n in 0..BUSINESSES {
        Business::open(&db, &format!("Business {n}")).await;
    }
    let seven = is_seven(&db).await;
    let mut env = through(&twilio, &smtp);
    env.push(("WORKER_LEASE_SECONDS".to_owned(), "1".to_owned()));
    let mut at_work = 0;
    for _ in 0..KILLS {
        let worker = worker(&install, &env).await;
        tokio::time::sleep(Duration::from_millis(millis(&chance, 20, 250))).await;
        worker.kill();
        at_work += usize::from(unsent(&db).await > 0);
    }
    // Two workers, so that they also compete for the same tasks.
    let (last, other) = (start_worker(&install, &env), start_worker(&install, &env));
    every_one_is_planned(&db).await;
    at_rest(&db, CATCH_UP).await;
    last.kill();
    other.kill();
    assert_eq!(tasks(&db, "dead").await, 0);
    let (sent, unknown) = count_sent_reports(&db, &smtp, seven).await;
    println!(
        "{engine}: {BUSINESSES} reports, {KILLS} kills ({at_work} with messages unsent), {sent} sent, {unknown} unknown, seed {seed}"
    );
    assert!(at_work > 0, "no kill came in time");
    db.close().await;
}

fn millis(chance: &Entropy, least: u64, most: u64) -> u64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    let step = (chance.random_fraction() * (most - least + 1) as f64) as u64;
    least + step
}

async fn is_seven(db: &Db) -> chrono::DateTime<chrono::Utc> {
    let due = ClockRng::system().now() - chrono::Duration::seconds(1);
    let due = chrono::DateTime::from_timestamp_millis(due.timestamp_millis()).unwrap();
    let mut tx = db.begin().await.unwrap();
    let planned = q!(&mut tx, execute, "UPDATE pulse_plan SET next_at = $1", due).unwrap();
    assert_eq!(usize::try_from(planned).unwrap(), BUSINESSES);
    tx.commit().await.unwrap();
    due
}

async fn unsent(db: &Db) -> i64 {
    let mut conn = db.acquire_reader().await.unwrap();
    let sql = "SELECT (SELECT COUNT(*) FROM org) - (SELECT COUNT(*) FROM message WHERE status IN ('sent', 'unknown'))";
    q!(&mut conn, fetch_one scalar i64, sql).unwrap()
}

async fn every_one_is_planned(db: &Db) {
    let sql = "SELECT COUNT(*) FROM pulse WHERE outcome <> 'waiting'";
    let began = std::time::Instant::now();
    while q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap()
        < i64::try_from(BUSINESSES).unwrap()
    {
        assert!(began.elapsed() < CATCH_UP, "some report is not made");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Compares the stored reports with the mails that arrived. Returns how many were sent, and how many are in doubt.
async fn count_sent_reports(db: &Db, smtp: &FakeSmtp, seven: chrono::DateTime<chrono::Utc>) -> (usize, usize) {
    let mut arrived: HashMap<String, usize> = HashMap::new();
    for letter in smtp.letters() {
        let id = letter.header("Message-ID").expect("every letter has an id");
        let id = id.trim_start_matches('<').split('@').next().unwrap_or_default().to_owned();
        *arrived.entry(id).or_default() += 1;
    }
    let mut conn = db.acquire_reader().await.unwrap();
    let sql = "SELECT period_key FROM pulse ORDER BY org_id";
    let periods = q!(&mut conn, fetch_all scalar String, sql).unwrap();
    let today = seven.with_timezone(&org::DEFAULT_TIMEZONE).date_naive();
    assert_eq!(periods, vec![format!("daily:{today}"); BUSINESSES], "one period, once for each");
    let sql = "SELECT id, status FROM message WHERE kind = 'pulse'";
    let messages = q!(&mut conn, fetch_all as (shared::platform::id::MessageId, MessageStatus), sql).unwrap();
    assert_eq!(messages.len(), BUSINESSES, "one letter for each");
    let (mut sent, mut unknown) = (0, 0);
    for (id, status) in messages {
        match (status, arrived.get(&id.to_string()).copied().unwrap_or_default()) {
            (MessageStatus::Sent, 1) => sent += 1,
            (MessageStatus::Unknown, 0 | 1) => unknown += 1,
            (status, times) => panic!("{id} is {status:?} and arrived {times} times"),
        }
    }
    assert!(arrived.values().sum::<usize>() <= sent + unknown);
    (sent, unknown)
}
