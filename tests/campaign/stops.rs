//! A worker that is stopped by a signal, one that starts with much work waiting, one that is stalled past its lease, and an
//! API that dies while forms are being sent.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use serde_json::json;
use shared::{
    domain::intake::lead::LeadReceipt,
    platform::db::{Db, q},
};
use tests::{
    fake_smtp::FakeSmtp,
    fake_twilio::{FakeTwilio, Fault},
    processes::{self, Env, Program, Signal, api, http_client, through, worker},
    test_install::{Business, TestInstall, email, phone},
};

use crate::ledger::{at_rest, balance, tasks};

const SOON: Duration = Duration::from_secs(20);

struct Stage {
    install: TestInstall,
    db: Db,
    business: Business,
    twilio: FakeTwilio,
    smtp: FakeSmtp,
    env: Env,
}

impl Stage {
    async fn on(install: TestInstall) -> Self {
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        let db = install.open().await;
        let business = Business::open(&db, "Acme Plumbing").await;
        let mut env = through(&twilio, &smtp);
        env.push(("WORKER_LEASE_SECONDS".to_owned(), "1".to_owned()));
        Self { install, db, business, twilio, smtp, env }
    }

    async fn take_in(&self, leads: usize) -> Vec<LeadReceipt> {
        let mut accepted = Vec::with_capacity(leads);
        for number in 0..leads {
            accepted.push(self.business.take_in(&self.db, number).await);
        }
        accepted
    }

    /// Stops the worker's process in its call, when both emails are done, and outside of any transaction: a stopped
    /// process that holds the lock of a SQLite file blocks all others.
    async fn stall(&self, worker: &Program) {
        while tasks(&self.db, "done").await < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        loop {
            worker.tell(Signal::Stop);
            if let Ok(lock) = tokio::time::timeout(Duration::from_millis(300), self.db.begin()).await {
                drop(lock.unwrap());
                return;
            }
            worker.tell(Signal::Cont);
        }
    }

    async fn asked(&self, texts: usize) -> Duration {
        let began = Instant::now();
        let arrived = tokio::time::timeout(SOON, self.twilio.wait_for_requests(texts)).await;
        assert!(arrived.is_ok(), "{} of {texts} texts", self.twilio.requests().len());
        began.elapsed()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_on_sigterm_finishes_its_work_and_next_takes_over_on_sqlite() {
    stop_with_waiting_work(TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_on_sigterm_finishes_its_work_and_next_takes_over_on_postgres() {
    shared::platform::db::tenant_scope::across_tenants(Box::pin(async {
        stop_with_waiting_work(TestInstall::postgres().await).await;
    }))
    .await;
}

async fn stop_with_waiting_work(install: TestInstall) {
    let stage = Stage::on(install).await;
    for _ in 0..60 {
        stage.twilio.script(Fault::AcceptThenHang { millis: 300 });
    }
    let accepted = stage.take_in(60).await;

    let mut first = worker(&stage.install, &stage.env).await;
    stage.asked(5).await;
    let stop_sent_at = Instant::now();
    first.tell(Signal::Term);
    let status = first.ended(Duration::from_secs(15)).await;
    println!("the worker ended {:?} after SIGTERM, with {status}", stop_sent_at.elapsed());
    assert!(status.success(), "{status}\n{}", first.log());
    assert_eq!(tasks(&stage.db, "running").await, 0, "nothing waits for a lease to run out");
    assert!(tasks(&stage.db, "ready").await > 0, "it was stopped in the middle of work");

    let before = stage.twilio.requests().len();
    let second = processes::start_worker(&stage.install, &stage.env);
    stage.asked(before + 1).await;
    let taken_up = second.started().elapsed();
    println!("the next worker called the provider {taken_up:?} after its start");
    assert!(taken_up < Duration::from_secs(5), "{taken_up:?}");
    at_rest(&stage.db, SOON).await;
    let account = balance(&stage.db, &accepted, &stage.twilio, &stage.smtp).await;
    assert_eq!((account.sent, account.unknown), (account.messages, 0), "an orderly stop leaves no doubt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_worker_records_nothing_after_takeover_on_sqlite() {
    stall(TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_worker_records_nothing_after_takeover_on_postgres() {
    shared::platform::db::tenant_scope::across_tenants(Box::pin(async { stall(TestInstall::postgres().await).await }))
        .await;
}

async fn stall(install: TestInstall) {
    let stage = Stage::on(install).await;
    // Long enough for a busy machine: the answer must not come before the worker is stopped.
    stage.twilio.script(Fault::AcceptThenHang { millis: 8000 });
    let mut stalled = worker(&stage.install, &stage.env).await;
    let accepted = stage.take_in(1).await;
    stage.asked(1).await;
    stage.stall(&stalled).await;

    let _other = worker(&stage.install, &stage.env).await;
    at_rest(&stage.db, SOON).await;
    assert_eq!(text_of(&stage.db).await, ("unknown".to_owned(), "started".to_owned()));

    stalled.tell(Signal::Cont);
    stalled.logged("was taken from this worker before it could record", SOON).await;
    assert_eq!(text_of(&stage.db).await, ("unknown".to_owned(), "started".to_owned()));
    assert_eq!(stage.twilio.received().len(), 1, "the handset rang once");
    balance(&stage.db, &accepted, &stage.twilio, &stage.smtp).await;
}

/// The state of the only text, and the result of its last try: on a busy machine a first try may have been held up so
/// long that it was given up before the request was sent.
async fn text_of(db: &Db) -> (String, String) {
    let mut conn = db.acquire_reader().await.unwrap();
    q!(
        &mut conn,
        fetch_one as (String, String),
        "SELECT m.status, a.outcome FROM message m JOIN message_attempt a ON a.org_id = m.org_id AND a.message_id = m.id
         WHERE m.channel = 'sms' ORDER BY a.number DESC LIMIT 1"
    )
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_requests_survive_an_api_kill_on_sqlite() {
    kill_the_api(TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_requests_survive_an_api_kill_on_postgres() {
    shared::platform::db::tenant_scope::across_tenants(Box::pin(async {
        kill_the_api(TestInstall::postgres().await).await;
    }))
    .await;
}

async fn kill_the_api(install: TestInstall) {
    let stage = Stage::on(install).await;
    let _worker = worker(&stage.install, &stage.env).await;
    let (client, confirmed, mut accepted) = (http_client(), Arc::new(AtomicUsize::new(0)), Vec::new());
    for round in 0..5 {
        let api = api(&stage.install, &stage.env).await;
        let ask = |n: usize| {
            tokio::spawn(ask_until_it_dies(client.clone(), api.url.clone(), round * 8 + n, confirmed.clone()))
        };
        let visitors: Vec<_> = (0..8).map(ask).collect();
        let began = Instant::now();
        while confirmed.load(SeqCst) < (round + 1) * 10 {
            assert!(began.elapsed() < SOON, "the API confirms nothing:\n{}", api.program.log());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        api.program.kill();
        for visitor in visitors {
            accepted.extend(visitor.await.unwrap());
        }
    }
    println!("{} requests were confirmed by APIs that were then killed", accepted.len());
    at_rest(&stage.db, SOON * 2).await;
    balance(&stage.db, &accepted, &stage.twilio, &stage.smtp).await;
}

/// One visitor after another until the API is gone. Only confirmed requests count, not the one that it died on.
async fn ask_until_it_dies(
    client: reqwest::Client,
    url: String,
    line: usize,
    all: Arc<AtomicUsize>,
) -> Vec<LeadReceipt> {
    let mut confirmed = Vec::new();
    for number in line * 1000..(line + 1) * 1000 {
        let form = json!({
            "customerName": format!("Visitor {number}"), "email": email(number), "phone": phone(number),
            "serviceType": "Plumbing Repair",
        });
        let Ok(answer) = client.post(format!("{url}/api/quotes/create")).json(&form).send().await else { break };
        assert_eq!(answer.status(), 201, "{:?}", answer.text().await);
        let Ok(receipt) = answer.json().await else { break };
        confirmed.push(receipt);
        all.fetch_add(1, SeqCst);
    }
    confirmed
}
