//! The kill campaign: `kill -9` of the worker at random moments while leads keep coming in.
//!
//! `KILLS` sets how many (50), `SEED` repeats the moments of an earlier run.

use std::time::Duration;

use shared::{
    domain::intake::lead::LeadReceipt,
    platform::{
        clock::{ClockRng, Entropy},
        config::EnvVars,
        db::Db,
    },
};
use tests::{
    fake_smtp::{self, FakeSmtp},
    fake_twilio::{self, FakeTwilio},
    processes::{Env, start_worker, through, worker},
    test_install::{Business, TestInstall},
};
use tokio::sync::watch;

use crate::ledger::{self, at_rest, balance, is_any_on_its_way};

/// Limit for the remaining work after the last kill.
const CATCH_UP: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_killed_repeatedly_loses_and_duplicates_nothing_on_sqlite() {
    campaign("SQLite", TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_killed_repeatedly_loses_and_duplicates_nothing_on_postgres() {
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
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    take_their_time(&twilio, &smtp, &chance, kills);
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    let mut env = through(&twilio, &smtp);
    env.push(("WORKER_LEASE_SECONDS".to_owned(), "1".to_owned()));

    let (enough, is_enough) = watch::channel(false);
    let visitors = tokio::spawn(shared::platform::db::tenant_scope::propagate_tenant(keep_asking(
        db.clone(),
        business,
        chance.clone(),
        is_enough,
    )));
    let struck = kill_workers(kills, &install, &env, &db, &chance).await;
    enough.send_replace(true);
    let accepted = visitors.await.unwrap();

    let last = start_worker(&install, &env);
    at_rest(&db, CATCH_UP).await;
    let caught_up = last.started().elapsed();
    last.kill();
    // The last kill may have hit a text that was in doubt and had just been sent again.
    while is_any_on_its_way(&db).await {
        let last = start_worker(&install, &env);
        at_rest(&db, CATCH_UP).await;
        last.kill();
    }
    let account = balance(&db, &accepted, &twilio, &smtp).await;
    let leads = accepted.len();
    println!(
        "{engine}: {kills} kills ({struck} during work), {leads} leads, {} messages, {} sent, {} unknown, \
         {} kept for the morning, no task dead, {caught_up:?} to catch up, seed {seed}",
        account.messages, account.sent, account.unknown, account.held
    );
    assert_eq!(account.messages, leads * ledger::MESSAGES_PER_LEAD);
    assert_eq!(account.messages, account.sent + account.unknown + account.held, "the providers refused nothing");
    assert!(struck * 4 >= kills, "only {struck} of {kills} kills hit a worker that was at work");
    db.close().await;
}

/// Answers that take 5 to 20 ms, as from a nearby provider: a kill in this window leaves the message in doubt.
fn take_their_time(twilio: &FakeTwilio, smtp: &FakeSmtp, chance: &Entropy, kills: usize) {
    for _ in 0..kills * 120 {
        twilio.script(fake_twilio::Fault::AcceptThenHang { millis: between(chance, 5, 20) });
        smtp.script(fake_smtp::Fault::Tarpit { millis: between(chance, 2, 5) });
    }
}

async fn keep_asking(db: Db, business: Business, chance: Entropy, enough: watch::Receiver<bool>) -> Vec<LeadReceipt> {
    let mut accepted = Vec::new();
    while !*enough.borrow() {
        for _ in 0..between(&chance, 1, 5) {
            accepted.push(business.take_in(&db, accepted.len()).await);
        }
        tokio::time::sleep(Duration::from_millis(between(&chance, 20, 200))).await;
    }
    accepted
}

/// Starts a worker, kills it after a moment, and starts the next at once. Returns how many died holding a task.
async fn kill_workers(kills: usize, install: &TestInstall, env: &Env, db: &Db, chance: &Entropy) -> usize {
    let mut struck = 0;
    for _ in 0..kills {
        let worker = worker(install, env).await;
        tokio::time::sleep(Duration::from_millis(between(chance, 20, 700))).await;
        let name = format!("worker-{}-%", worker.pid());
        worker.kill();
        struck += usize::from(ledger::holds_a_task(db, &name).await);
    }
    struck
}

pub fn between(chance: &Entropy, least: u64, most: u64) -> u64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
    let step = (chance.random_fraction() * (most - least + 1) as f64) as u64;
    least + step
}
