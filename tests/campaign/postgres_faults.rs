//! The campaign of PostgreSQL faults: its own server is killed, stopped, exhausted of connections and held up while
//! leads come in and two workers send.
//!
//! `FAULTS` sets how many runs (3), `SEED` repeats the faults and moments of an earlier campaign.

use std::{collections::BTreeMap, time::Duration};

use shared::{
    domain::intake::lead::LeadReceipt,
    platform::{
        clock::{ClockRng, Entropy},
        config::EnvVars,
        db::{Db, tenant_scope},
    },
};
use tests::{
    fake_smtp::{self, FakeSmtp},
    fake_twilio::{self, FakeTwilio},
    processes::{Env, Program, Signal, start_worker, through, worker},
    test_install::{Business, TestInstall},
};
use tokio::sync::watch;

use crate::{
    kills::between,
    ledger::{self, Account, at_rest, balance, is_any_on_its_way},
    server::{Server, signal},
};

/// A few minutes on one server: long enough to settle doubts, too short for a promise to become due.
const RUNS_OF_ONE: usize = 20;
/// The remaining work must shrink within this time: the sweep for messages runs once a minute.
const CATCH_UP: Duration = Duration::from_secs(150);
const STOPS_WITHIN: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    /// `kill -9` of the postmaster and its children.
    Killed,
    /// `pg_ctl stop -m immediate`.
    StoppedAtOnce,
    /// `pg_terminate_backend` of every connection.
    Terminated,
    /// Another client holds all connections.
    Exhausted,
    /// Some of the backend processes are stopped with a signal.
    HeldUp,
}

const FAULTS: [Fault; 5] = [Fault::Killed, Fault::StoppedAtOnce, Fault::Terminated, Fault::Exhausted, Fault::HeldUp];

struct Campaign {
    server: Server,
    install: TestInstall,
    env: Env,
    twilio: FakeTwilio,
    smtp: FakeSmtp,
    business: Business,
    chance: Entropy,
    accepted: Vec<LeadReceipt>,
    /// Visitors so far, unanswered ones too: each has its own number.
    visitors: usize,
    struck: BTreeMap<Fault, usize>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_faults_while_texts_are_sent_lose_and_duplicate_nothing() {
    tenant_scope::across_tenants(Box::pin(campaign())).await;
}

async fn campaign() {
    let mut vars = EnvVars::from_process();
    let runs = vars.parse_or("FAULTS", 3_usize, "a whole number");
    let seed = vars.parse_or("SEED", u64::from_le_bytes(ClockRng::system().entropy.random_bytes()), "a whole number");
    vars.into_result().unwrap();
    let chance = Entropy::from_seed(seed);
    let mut left = runs;
    while left > 0 {
        let Some(server) = Server::start_new().await else {
            println!("skipped: PostgreSQL's server is not installed on this machine");
            return;
        };
        let of_one = left.min(RUNS_OF_ONE);
        println!("PostgreSQL: {of_one} of {left} runs that are left, seed {seed}");
        Campaign::new(server, chance.clone()).await.runs(of_one).await;
        left -= of_one;
    }
}

impl Campaign {
    async fn new(server: Server, chance: Entropy) -> Self {
        let (twilio, smtp) = (FakeTwilio::start().await, FakeSmtp::start().await);
        let install = TestInstall::sqlite().with_database(&server.url());
        let db = install.open().await;
        let business = Business::open(&db, "Acme Plumbing").await;
        db.close().await;
        let mut env = through(&twilio, &smtp);
        // Leases end while the server is down.
        env.push(("WORKER_LEASE_SECONDS".to_owned(), "2".to_owned()));
        let (accepted, struck) = (Vec::new(), BTreeMap::new());
        Self { server, install, env, twilio, smtp, business, chance, accepted, visitors: 0, struck }
    }

    async fn runs(mut self, runs: usize) {
        let mut account = Account::default();
        for _ in 0..runs {
            account = Box::pin(self.run()).await;
        }
        let (leads, refused) = (self.accepted.len(), self.visitors - self.accepted.len());
        println!(
            "PostgreSQL: {:?}, {leads} leads and {refused} without an answer, {} messages, {} sent, {} unknown, {} kept for \
             the morning",
            self.struck, account.messages, account.sent, account.unknown, account.held
        );
        assert!(leads > 0, "no request was answered");
        assert!(account.messages >= leads * ledger::MESSAGES_PER_LEAD);
        assert_eq!(account.messages, account.sent + account.unknown + account.held, "the providers refused nothing");
    }

    /// One to three faults while leads come in, then idle time, then the comparison.
    async fn run(&mut self) -> Account {
        self.take_their_time();
        let db = self.install.open().await;
        let workers = [worker(&self.install, &self.env).await, worker(&self.install, &self.env).await];
        let (enough, is_enough) = watch::channel(false);
        let (business, first) = (self.business.clone(), self.visitors);
        let visitors = keep_asking(db.clone(), business, first, self.chance.clone(), is_enough);
        let visitors = tokio::spawn(tenant_scope::propagate_tenant(visitors));
        for _ in 0..between(&self.chance, 1, 3) {
            self.wait(20, 500).await;
            self.strike().await;
        }
        enough.send_replace(true);
        let (accepted, asked) = visitors.await.unwrap();
        self.accepted.extend(accepted);
        self.visitors += asked;
        // The faults have broken this pool's connections.
        db.close().await;
        let db = self.install.open().await;
        at_rest(&db, CATCH_UP).await;
        stop(workers).await;
        while is_any_on_its_way(&db).await {
            let last = start_worker(&self.install, &self.env);
            at_rest(&db, CATCH_UP).await;
            stop([last]).await;
        }
        let account = balance(&db, &self.accepted, &self.twilio, &self.smtp).await;
        assert_eq!(ledger::doubts_without_cause(&db).await, 0, "in doubt though it is known how it ended");
        db.close().await;
        account
    }

    /// Answers that take as long as from a nearby provider: a fault in this window leaves the message in doubt.
    fn take_their_time(&self) {
        for _ in 0..40 {
            self.twilio.script(fake_twilio::Fault::AcceptThenHang { millis: between(&self.chance, 5, 60) });
            self.smtp.script(fake_smtp::Fault::Tarpit { millis: between(&self.chance, 2, 5) });
        }
    }

    async fn wait(&self, least: u64, most: u64) {
        tokio::time::sleep(Duration::from_millis(between(&self.chance, least, most))).await;
    }

    async fn strike(&mut self) {
        let turn = usize::try_from(between(&self.chance, 0, FAULTS.len() as u64 - 1)).unwrap();
        let fault = FAULTS[turn];
        *self.struck.entry(fault).or_default() += 1;
        match fault {
            Fault::Killed => {
                self.server.kill();
                self.wait(0, 3_000).await;
                self.server.start().await;
            }
            Fault::StoppedAtOnce => {
                self.server.stop_at_once();
                self.wait(0, 3_000).await;
                self.server.start().await;
            }
            Fault::Terminated => self.server.terminate_backends().await,
            Fault::Exhausted => {
                self.server.terminate_backends().await;
                let taken = self.server.take_all_connections().await;
                self.wait(100, 3_000).await;
                drop(taken);
            }
            Fault::HeldUp => {
                let mut backends = self.server.backends().await;
                backends.retain(|_| between(&self.chance, 0, 1) == 1);
                signal("STOP", &backends);
                self.wait(100, 3_000).await;
                signal("CONT", &backends);
            }
        }
    }
}

async fn stop<const N: usize>(workers: [Program; N]) {
    for worker in &workers {
        worker.tell(Signal::Term);
    }
    for mut worker in workers {
        let ended = worker.ended(STOPS_WITHIN).await;
        assert!(ended.success(), "{ended}:\n{}", worker.log());
    }
}

/// One visitor after another until stopped. Returns those that got an answer, and the number of all.
async fn keep_asking(
    db: Db,
    business: Business,
    first: usize,
    chance: Entropy,
    enough: watch::Receiver<bool>,
) -> (Vec<LeadReceipt>, usize) {
    let (mut accepted, mut asked) = (Vec::new(), 0);
    while !*enough.borrow() {
        accepted.extend(business.try_take_in(&db, first + asked).await.ok());
        asked += 1;
        tokio::time::sleep(Duration::from_millis(between(&chance, 20, 150))).await;
    }
    (accepted, asked)
}
