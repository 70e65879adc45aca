//! Three API and three worker processes on one PostgreSQL, through `PgBouncer` where it is installed. They are killed
//! while leads come in at all of them; every lead is there once, and every message leaves once.
//!
//! `LOAD=full` takes 2,000 leads, `SEED` repeats the moments of an earlier run.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use futures::future::join_all;
use serde_json::json;
use shared::{
    domain::{
        intake::lead::LeadReceipt,
        tenancy::{account, audit::AuditActor, session},
    },
    platform::{
        clock::{ClockRng, Entropy},
        config::EnvVars,
        db::{Db, q, tenant_scope},
        id::AccountId,
    },
};
use tests::{
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    load_size,
    people::NO_PASSWORD,
    processes::{Api, Env, Program, api, http_client, through, worker},
    test_install::{Business, TestInstall, email, phone},
};

use crate::{
    kills::between,
    ledger::{self, at_rest, balance, is_any_on_its_way},
    pooler::PgBouncer,
};

const REPLICAS: usize = 3;
/// Visitors that ask at one time.
const LINES: usize = 8;
/// A visitor who is not answered gives up.
const PATIENCE: Duration = Duration::from_mins(1);
const CATCH_UP: Duration = Duration::from_secs(150);
const SOON: Duration = Duration::from_secs(10);
/// Streams of one account are bounded.
const STREAMS_PER_ACCOUNT: usize = 20;
const IDLE_STREAMS: usize = 500;
const MOST_MEGABYTES: f64 = 30.0;

type Addresses = Arc<Mutex<Vec<String>>>;

struct Cluster {
    install: TestInstall,
    env: Env,
    apis: Vec<Api>,
    workers: Vec<Program>,
    /// Where the APIs listen now.
    addresses: Addresses,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leads_to_three_replicas_arrive_once_while_processes_are_killed() {
    tenant_scope::across_tenants(Box::pin(campaign())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_event_streams_cost_little_memory() {
    tenant_scope::across_tenants(Box::pin(idle_streams())).await;
}

async fn campaign() {
    let mut vars = EnvVars::from_process();
    let seed = vars.parse_or("SEED", u64::from_le_bytes(ClockRng::system().entropy.random_bytes()), "a whole number");
    vars.into_result().unwrap();
    let (leads, chance) = (load_size(200, 2_000), Entropy::from_seed(seed));
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let install = TestInstall::postgres().await;
    let pooler = PgBouncer::start_before(install.url()).await;
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    let mut cluster = Cluster::start(install, environment(&twilio, &smtp, pooler.as_ref())).await;
    let next = Arc::new(AtomicUsize::new(0));
    let visitors: Vec<_> =
        (0..LINES).map(|_| tokio::spawn(ask_in_turn(cluster.addresses.clone(), next.clone(), leads))).collect();
    let mut kills = 0;
    while next.load(SeqCst) < leads {
        tokio::time::sleep(Duration::from_millis(between(&chance, 200, 900))).await;
        cluster.kill_one(&chance).await;
        kills += 1;
    }
    let mut accepted: Vec<LeadReceipt> = Vec::with_capacity(leads);
    for visitor in visitors {
        accepted.extend(visitor.await.unwrap());
    }
    cluster.shows_a_lead_to_all(&db, &business, leads).await;
    at_rest(&db, CATCH_UP).await;
    while is_any_on_its_way(&db).await {
        at_rest(&db, CATCH_UP).await;
    }
    let account = balance(&db, &accepted, &twilio, &smtp).await;
    let through = if pooler.is_some() { "through PgBouncer" } else { "without a pooler (pgbouncer is not in PATH)" };
    println!(
        "replicas: {} leads, {kills} kills, {} messages, {} sent, {} unknown, {through}, seed {seed}",
        accepted.len(),
        account.messages,
        account.sent,
        account.unknown
    );
    assert_eq!(accepted.len(), leads);
    // One more was asked for by the check of live events.
    assert_eq!(account.messages, (leads + 1) * ledger::MESSAGES_PER_LEAD, "every lead is there once");
    assert_eq!(account.messages, account.sent + account.unknown + account.held, "the providers refused nothing");
    drop(cluster);
    db.close().await;
}

/// Six processes with these pools stay below PostgreSQL's default of 100 connections.
fn environment(twilio: &FakeTwilio, smtp: &FakeSmtp, pooler: Option<&PgBouncer>) -> Env {
    let mut env = through(twilio, smtp);
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    env.push(set("WORKER_LEASE_SECONDS", "2"));
    env.push(set("DATABASE_WRITE_CONNECTIONS", "8"));
    env.push(set("DATABASE_READ_CONNECTIONS", "4"));
    if let Some(pooler) = pooler {
        env.push(set("DATABASE_URL", pooler.url()));
        env.push(set("DATABASE_POOLER", "transaction"));
    }
    env
}

impl Cluster {
    async fn start(install: TestInstall, mut env: Env) -> Self {
        if env.iter().any(|(name, _)| name == "DATABASE_POOLER") {
            env.push(("DATABASE_LISTEN_URL".to_owned(), install.url().to_owned()));
        }
        let (mut apis, mut workers) = (Vec::new(), Vec::new());
        // One after another: the first makes the install's keys.
        for _ in 0..REPLICAS {
            apis.push(api(&install, &env).await);
            workers.push(worker(&install, &env).await);
        }
        let addresses = Arc::new(Mutex::new(apis.iter().map(|api| api.url.clone()).collect()));
        Self { install, env, apis, workers, addresses }
    }

    /// Kills a process and starts another in its place.
    async fn kill_one(&mut self, chance: &Entropy) {
        let replica = usize::try_from(between(chance, 0, REPLICAS as u64 - 1)).unwrap();
        if between(chance, 0, 1) == 0 {
            self.workers.remove(replica).kill();
            self.workers.push(worker(&self.install, &self.env).await);
        } else {
            self.apis.remove(replica).program.kill();
            self.apis.push(api(&self.install, &self.env).await);
            let now = self.apis.iter().map(|api| api.url.clone()).collect();
            *self.addresses.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }

    /// A lead that one API takes in shows on a page of every API.
    async fn shows_a_lead_to_all(&self, db: &Db, business: &Business, number: usize) {
        let token = sign_in(db, business, 1).await.remove(0);
        let (client, mut pages) = (http_client(), Vec::new());
        for api in &self.apis {
            pages.push(Stream::open(&client, &api.url, &token).await);
        }
        let receipt = ask(&client, &self.apis[0].url, number).await.expect("the lead is taken in");
        for mut page in pages {
            page.hears(&receipt.id.to_string()).await;
        }
    }
}

/// One visitor after another, until all have asked. A visitor without an answer repeats the request at another API.
async fn ask_in_turn(addresses: Addresses, next: Arc<AtomicUsize>, leads: usize) -> Vec<LeadReceipt> {
    let (client, mut accepted) = (http_client(), Vec::new());
    loop {
        let number = next.fetch_add(1, SeqCst);
        if number >= leads {
            return accepted;
        }
        let (began, mut turn) = (Instant::now(), number);
        loop {
            let url = addresses.lock().unwrap_or_else(PoisonError::into_inner)[turn % REPLICAS].clone();
            if let Some(receipt) = ask(&client, &url, number).await {
                accepted.push(receipt);
                break;
            }
            assert!(began.elapsed() < PATIENCE, "visitor {number} is not answered");
            tokio::time::sleep(Duration::from_millis(20)).await;
            turn += 1;
        }
    }
}

/// None when the API is gone or cannot take it now.
async fn ask(client: &reqwest::Client, url: &str, number: usize) -> Option<LeadReceipt> {
    let form = json!({
        "customerName": format!("Visitor {number}"), "email": email(number), "phone": phone(number),
        "serviceType": "Plumbing Repair",
    });
    let request =
        client.post(format!("{url}/api/quotes/create")).header("idempotency-key", format!("visitor-{number}"));
    let answer = request.json(&form).send().await.ok()?;
    let status = answer.status();
    assert!(status == 201 || status.is_server_error(), "{status}: {:?}", answer.text().await);
    if status == 201 { answer.json().await.ok() } else { None }
}

/// Sessions of that many new accounts of the business.
async fn sign_in(db: &Db, business: &Business, accounts: usize) -> Vec<String> {
    let (origin, org) = (ClockRng::system(), business.profile.org.id);
    let mut tokens = Vec::with_capacity(accounts);
    let mut tx = db.begin().await.unwrap();
    for _ in 0..accounts {
        let id = AccountId(origin.uuid_v7());
        let email = format!("{}@staff.example", id.0.simple());
        let insert = "INSERT INTO account (id, org_id, email, name, role, password_hash, two_factor_enabled, is_active,
                created_at, password_changed_at) VALUES ($1, $2, $3, 'Sam Staff', 'office', $5, FALSE, TRUE, $4, $4)";
        q!(&mut tx, execute, insert, id, org, &email, origin.now(), NO_PASSWORD).unwrap();
        let account = account::find_by_email(&mut tx, &email).await.unwrap().expect("the account is there");
        tokens.push(session::create_session(&mut tx, &origin, &account, &AuditActor::default()).await.unwrap());
    }
    tx.commit().await.unwrap();
    tokens
}

/// Live events of one open page.
struct Stream {
    answer: reqwest::Response,
    heard: String,
}

impl Stream {
    /// Returns once the first bytes have come.
    async fn open(client: &reqwest::Client, url: &str, token: &str) -> Self {
        let request = client.get(format!("{url}/api/events")).header("cookie", format!("sid={token}"));
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let mut stream = Self { answer, heard: String::new() };
        stream.read_on().await;
        stream
    }

    async fn read_on(&mut self) {
        let part = tokio::time::timeout(SOON, self.answer.chunk()).await.expect("the stream is not silent");
        let bytes = part.expect("the stream goes on").expect("the stream has no end");
        self.heard.push_str(&String::from_utf8_lossy(&bytes));
    }

    async fn hears(&mut self, words: &str) {
        let began = Instant::now();
        while !self.heard.contains(words) {
            assert!(began.elapsed() < SOON, "no {words} in {}", self.heard);
            self.read_on().await;
        }
    }
}

async fn idle_streams() {
    let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
    let install = TestInstall::postgres().await;
    let db = install.open().await;
    let business = Business::open(&db, "Acme Plumbing").await;
    let api = api(&install, &environment(&twilio, &smtp, None)).await;
    let tokens = sign_in(&db, &business, IDLE_STREAMS / STREAMS_PER_ACCOUNT).await;
    let client = http_client();
    // What the first stream of each account makes once is not the cost of a stream.
    drop(join_all(tokens.iter().map(|token| Stream::open(&client, &api.url, token))).await);
    let before = megabytes(&api.program);
    let mut open = Vec::with_capacity(IDLE_STREAMS);
    for _ in 0..STREAMS_PER_ACCOUNT - 1 {
        open.extend(join_all(tokens.iter().map(|token| Stream::open(&client, &api.url, token))).await);
    }
    let per_stream = (megabytes(&api.program) - before) / f64::from(u32::try_from(open.len()).unwrap());
    let all = per_stream * f64::from(u32::try_from(IDLE_STREAMS).unwrap());
    println!("{IDLE_STREAMS} idle event streams cost {all:.1} MB");
    assert!(all < MOST_MEGABYTES, "{IDLE_STREAMS} idle event streams cost {all:.1} MB");
    drop(open);
    db.close().await;
}

fn megabytes(program: &Program) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).expect("a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number of kilobytes");
    kilobytes / 1024.0
}
