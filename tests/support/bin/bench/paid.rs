//! Daily pages of a business, new and with 100,000 requests and jobs: no list may grow slower.
//!
//! Two installs are asked in turns, so that both have the same conditions.

use std::time::Instant;

use reqwest::{Client, header::COOKIE};
use serde_json::Value;
use shared::{
    domain::tenancy::{
        account::{self, NewAccount, RegistrationOutcome},
        audit::AuditActor,
        org, session, trust_level,
    },
    platform::{
        clock::ClockRng,
        db::{Db, Engine, q},
        id::OrgId,
        live::{self, Topic},
    },
};
use tests::{
    addresses::email,
    processes::{Api, api, http_client},
    test_install::TestInstall,
};

use crate::{
    business_history::{self, BusinessHistory},
    figures::{Figures, Goal, quantile},
};

const FEW: u64 = 1_000;
const MANY: u64 = 100_000;
const BESIDE: usize = 1_000;
/// Requests of a second business: some are booked, some done, some paid.
const OF_ONE_BESIDE: std::ops::Range<u64> = 590..630;
const BESIDE_PER_COMMIT: usize = 25;
const LOOKS: usize = 300;
const WARM: usize = 20;
/// The slowdown that years of work may cause for the slowest answer.
const SLOWER: f64 = 1.5;
/// Limit for pages that read every row, to count or to search.
const GROWN_MS: f64 = 150.0;

struct BenchBusiness {
    /// Keeps the folder and the database.
    _ground: TestInstall,
    db: Db,
    org: OrgId,
    api: Api,
    client: Client,
    token: String,
    slug: String,
    requests: u64,
}

pub async fn lists(engine: &str, grounds: [TestInstall; 2], figures: &mut Figures) {
    let [new, old] = grounds;
    let businesses = [BenchBusiness::open(new, FEW, 0).await, BenchBusiness::open(old, MANY, BESIDE).await];
    for Look { name, path, when, limit } in looks() {
        let mut times = [Vec::with_capacity(LOOKS), Vec::with_capacity(LOOKS)];
        let mut rows = [0, 0];
        for n in 0..WARM + LOOKS {
            for (at, business) in businesses.iter().enumerate() {
                if matches!(when, When::AfterChange) {
                    business.changes().await;
                }
                let from = Instant::now();
                rows[at] = business.look(&path(business)).await;
                if n >= WARM {
                    times[at].push(from.elapsed().as_secs_f64() * 1000.0);
                }
            }
        }
        assert_eq!(rows[0], rows[1], "{name}: both answers are equally long");
        let [few, many] = times.each_mut().map(|times| quantile(times, 0.99));
        figures.add(engine, &format!("{name}, p99, 1,000 leads and jobs"), few, "ms", Goal::None);
        let limit = limit.unwrap_or(few * SLOWER);
        figures.add(engine, "  100,000, and 1,000 firms beside", many, "ms", Goal::AtMost(limit));
    }
}

struct Look {
    name: &'static str,
    path: fn(&BenchBusiness) -> String,
    when: When,
    /// In milliseconds, for pages that grow by their nature.
    limit: Option<f64>,
}

#[derive(Clone, Copy)]
enum When {
    Always,
    /// Totals are counted again.
    AfterChange,
}

fn look(name: &'static str, path: fn(&BenchBusiness) -> String) -> Look {
    Look { name, path, when: When::Always, limit: None }
}

fn changed(name: &'static str, path: fn(&BenchBusiness) -> String) -> Look {
    Look { when: When::AfterChange, limit: Some(GROWN_MS), ..look(name, path) }
}

fn looks() -> [Look; 15] {
    [
        look("newest 100 leads", |business| format!("/api/leads/{}", business.slug)),
        look("newest 100 paid leads", |business| format!("/api/leads/{}?stage=Paid", business.slug)),
        look("100 old leads", |business| format!("/api/leads/{}?cursor={}", business.slug, business.old())),
        look("leads board", |_| "/api/pipeline".to_owned()),
        look("newest 100 jobs", |business| format!("/api/jobs?orgId={}", business.slug)),
        look("100 old jobs", |business| format!("/api/jobs?cursor={}", business.old())),
        look("tiles of the jobs", |_| "/api/jobs/summary".to_owned()),
        look("a week of 60 jobs, 8 crews", |_| {
            format!("/api/schedule?days=7&from={}", business_history::monday(ClockRng::system().now()))
        }),
        look("newest 50 customers", |_| "/api/customers".to_owned()),
        look("newest 100 invoices", |_| "/api/invoices".to_owned()),
        look("100 paid invoices", |_| "/api/invoices?status=paid".to_owned()),
        Look {
            limit: Some(GROWN_MS),
            ..look("one customer by name", |_| "/api/customers?q=visitor%20000100".to_owned())
        },
        changed("newest 100 leads after a change", |business| format!("/api/leads/{}", business.slug)),
        changed("leads board after a change", |_| "/api/pipeline".to_owned()),
        changed("newest 100 jobs after a change", |business| format!("/api/jobs?orgId={}", business.slug)),
    ]
}

impl BenchBusiness {
    async fn open(install: TestInstall, requests: u64, beside: usize) -> Self {
        let (db, origin, began) = (install.open().await, ClockRng::system(), Instant::now());
        let (org, token) = owner(&db, &origin).await;
        BusinessHistory::with_crews(&db, &origin, org.0).await.works(&db, 0..requests).await;
        for some in (0..beside).collect::<Vec<_>>().chunks(BESIDE_PER_COMMIT) {
            let mut tx = db.begin().await.expect("a transaction");
            for n in some {
                let other = org::insert(&mut tx, &origin, &format!("Firm {n}"), "Plumbing").await.expect("an org");
                let ages: Vec<u64> = OF_ONE_BESIDE.rev().collect();
                BusinessHistory::small(&origin, other.id).works_in(&mut tx, &ages).await;
            }
            tx.commit().await.expect("a commit");
        }
        settle(&db).await;
        eprintln!("  {requests} leads and jobs and {beside} firms were stored in {:?}", began.elapsed());
        let api = api(&install, &[]).await;
        Self { _ground: install, db, org: org.0, api, client: http_client(), token, slug: org.1, requests }
    }

    /// Deep in a list, with more than a page left in the new business too.
    fn old(&self) -> String {
        let from = business_history::asked_at(ClockRng::system().now(), self.requests / 5 * 2);
        format!("{}_{:032}", from.timestamp_millis(), 0)
    }

    /// Invalidates cached totals.
    async fn changes(&self) {
        let mut tx = self.db.begin().await.expect("a transaction");
        live::publish_event(&mut tx, &ClockRng::system(), self.org, Topic::Lead, self.org.0, None)
            .await
            .expect("an event");
        tx.commit().await.expect("a commit");
    }

    /// Returns the length of the answer's list.
    async fn look(&self, path: &str) -> usize {
        let asked = self.client.get(format!("{}{path}", self.api.url)).header(COOKIE, format!("sid={}", self.token));
        let answer = asked.send().await.expect("an answer");
        let status = answer.status();
        let body = answer.bytes().await.expect("its body");
        assert!(status.is_success(), "{path}: {status}");
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        let list = body.as_array().or_else(|| body["jobs"].as_array());
        list.map_or(1, Vec::len)
    }
}

async fn owner(db: &Db, origin: &ClockRng) -> ((OrgId, String), String) {
    let new = NewAccount {
        name: "Olive Owner".into(),
        email: email("owner@acme.example"),
        password: String::new(),
        org_name: "Acme Plumbing".into(),
        industry: "Plumbing".into(),
    };
    let mut tx = db.begin().await.expect("a transaction");
    let made = account::register(&mut tx, origin, &new, "no password").await.expect("a business");
    let RegistrationOutcome::New { org, .. } = made else { panic!("the address was known") };
    trust_level::mark_trusted(&mut tx, origin, org).await.expect("it is trusted");
    let account = account::find_by_email(&mut tx, new.email.as_str()).await.expect("a look").expect("the owner");
    let token = session::create_session(&mut tx, origin, &account, &AuditActor::default()).await.expect("a session");
    let org = org::find(&mut tx, org).await.expect("a look").expect("the org");
    tx.commit().await.expect("a commit");
    ((org.id, org.slug), token)
}

/// PostgreSQL's own maintenance within a minute of so many new rows. `SQLite` has none.
async fn settle(db: &Db) {
    if db.engine() == Engine::Postgres {
        let mut conn = db.acquire_reader().await.expect("a connection");
        q!(&mut conn, execute, "VACUUM ANALYZE").expect("its housekeeping");
    }
}
