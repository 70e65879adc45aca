//! An install that is brought up on a new machine with the programs' own commands: from a backup, on another
//! database, or as the archive of one business. All data is there, links already sent still open, and no message is
//! sent twice.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use shared::{
    domain::tenancy::account::totp,
    ops::{
        backup,
        tenant_data::{self, TableOwner, TableSpec, digest::TableChecksum},
    },
    platform::{
        clock::ClockRng,
        db::{Db, q, rows, tenant_scope::across_tenants},
        id::LeadId,
        tasks::{self, NewTask, TaskKind},
    },
};
use tests::{
    fake_smtp::FakeSmtp,
    fake_twilio::FakeTwilio,
    http::pixel,
    processes::{self, Api, Env, Program, http_client, through},
    test_install::{TestInstall, email, phone},
};

const EMAIL: &str = "olive@acme.example";
const PASSWORD: &str = "copper-elbow-joint";
const LONG: Duration = Duration::from_mins(2);
const SOON: Duration = Duration::from_secs(30);
/// Tables that the freeze of a copy changes; all others must be equal.
const CHANGED: [&str; 9] =
    ["send_freeze", "audit_event", "audit_head", "session", "one_time_token", "message", "task", "alert", "backup"];

/// An install with one business: its owner signs in with an authenticator app, and a customer was sent an estimate.
struct Old {
    test_install: TestInstall,
    /// The path of the customer's link.
    link: String,
    app: totp::TotpSecret,
}

fn plain() -> Env {
    [("DISK_FLOOR_BYTES", "0"), ("BACKUPS", "off")].map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

struct Browser<'a> {
    api: &'a Api,
    cookie: Option<String>,
}

impl Browser<'_> {
    async fn post(&mut self, path: &str, body: &Value) -> Value {
        let mut asked = http_client().post(format!("{}{path}", self.api.url)).header("x-toolbox-client", "web");
        if let Some(cookie) = &self.cookie {
            asked = asked.header("cookie", cookie);
        }
        let answer = asked.json(body).send().await.unwrap();
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {text}");
        if let Some(cookie) = headers.get("set-cookie") {
            self.cookie = cookie.to_str().unwrap().split(';').next().map(ToOwned::to_owned);
        }
        serde_json::from_str(&text).unwrap_or_default()
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        let mut asked = http_client().get(format!("{}{path}", self.api.url));
        if let Some(cookie) = &self.cookie {
            asked = asked.header("cookie", cookie);
        }
        let answer = asked.send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
    }
}

async fn asks(api: &Api, number: usize) {
    let part = reqwest::multipart::Part::bytes(pixel()).file_name("leak.png");
    let form = reqwest::multipart::Form::new()
        .text("name", format!("Visitor {number}"))
        .text("phone", phone(number))
        .text("email", email(number))
        .text("service", "plumbing")
        .text("zip", "78701")
        .part("photos", part);
    let sent = http_client().post(format!("{}/api/leads/create", api.url)).multipart(form).send().await.unwrap();
    assert!(sent.status().is_success(), "{:?}", sent.text().await);
}

async fn first_lead(test_install: &TestInstall) -> LeadId {
    let db = test_install.open().await;
    let sql = "SELECT id FROM lead ORDER BY id LIMIT 1";
    let lead = q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar LeadId, sql).unwrap();
    db.close().await;
    lead
}

impl Old {
    async fn new(test_install: TestInstall) -> Self {
        let api = processes::api(&test_install, &plain()).await;
        let mut office = Browser { api: &api, cookie: None };
        let owner = json!({"name": "Olive", "email": EMAIL, "password": PASSWORD, "orgName": "Acme Plumbing"});
        office.post("/api/auth/register", &owner).await;
        office.post("/api/auth/login", &owner).await;
        asks(&api, 1).await;
        asks(&api, 2).await;
        let lead = first_lead(&test_install).await;
        office.post(&format!("/api/leads/{lead}/estimate"), &json!({"quotedTotal": 350.25})).await;
        let link = Self::link(&office, lead).await;
        let begun = office.post("/api/account/second-factor", &Value::Null).await;
        let app = totp::TotpSecret::from_base32(begun["secret"].as_str().unwrap()).unwrap();
        let code = json!({"code": app.code_at(ClockRng::system().now())});
        office.post("/api/account/second-factor/confirm", &code).await;
        assert_eq!(office.get(&link).await.0, 200, "{link}");
        drop(office);
        api.program.kill();
        Self { test_install, link, app }
    }

    /// The estimate has a link once its PDF is drawn.
    async fn link(office: &Browser<'_>, lead: LeadId) -> String {
        let (_, shown) = office.get(&format!("/api/leads/{lead}/estimates")).await;
        let link = shown[0]["link"].as_str().unwrap_or_else(|| panic!("{shown}"));
        link[link.find("/p/").unwrap()..].to_owned()
    }

    /// Checks the customer's link and the owner's sign-in with password and code.
    async fn opens_all(&self, api: &Api) {
        let mut stranger = Browser { api, cookie: None };
        assert_eq!(stranger.get(&self.link).await.0, 200, "the customer's link");
        let ticket = stranger.post("/api/auth/login", &json!({"email": EMAIL, "password": PASSWORD})).await;
        // The code of this 30-second step may have been used on the old machine.
        let next = self.app.code_at(ClockRng::system().now() + chrono::Duration::seconds(30));
        stranger.post("/api/auth/login/code", &json!({"ticket": ticket["ticket"], "code": next})).await;
        assert_eq!(stranger.get("/api/auth/me").await.1["email"], EMAIL);
    }
}

async fn does(test_install: &TestInstall, words: &[&str], env: &Env) {
    let mut program = Program::start_doing("api", words, test_install, env);
    let ended = program.ended(LONG).await;
    assert!(ended.success(), "api {words:?}: {}", program.log());
}

async fn worths(db: &Db, which: impl Fn(&TableSpec) -> bool) -> Vec<(&'static str, TableChecksum)> {
    let mut conn = db.acquire_reader().await.unwrap();
    let mut found = Vec::new();
    for one in tenant_data::all_tables().filter(|one| which(one) && !CHANGED.contains(&one.table)) {
        let shape = rows::load_table_shape(&mut conn, one.table).await.unwrap();
        let shape =
            if one.whose == TableOwner::Business { one.exported_shape(&mut conn).await.unwrap() } else { shape };
        found.push((one.table, TableChecksum::compute_from_db(&mut conn, &shape, None).await.unwrap()));
    }
    found
}

fn are_equal(here: &[(&str, TableChecksum)], there: &[(&str, TableChecksum)]) {
    assert!(here.iter().any(|(table, worth)| *table == "estimate" && worth.rows == 1 && !worth.sums.is_empty()));
    for ((table, ours), (_, theirs)) in here.iter().zip(there) {
        assert_eq!(ours.describe_difference(theirs), None, "{table}");
    }
}

/// The fakes, which hold everything that arrived.
struct Witnesses {
    twilio: FakeTwilio,
    smtp: FakeSmtp,
}

impl Witnesses {
    async fn new() -> Self {
        Self { twilio: FakeTwilio::start().await, smtp: FakeSmtp::start().await }
    }

    fn message_count(&self) -> usize {
        self.twilio.messages().len() + self.smtp.letters().len()
    }

    async fn assert_no_messages(&self, test_install: &TestInstall, db: &Db) {
        let worker = processes::worker(test_install, &through(&self.twilio, &self.smtp)).await;
        a_round(db).await;
        worker.kill();
        assert_eq!(self.message_count(), 0, "{:?} {:?}", self.twilio.messages(), self.smtp.letters());
    }
}

/// Waits until the worker has done everything that is due.
async fn a_round(db: &Db) {
    let origin = ClockRng::system();
    let task = NewTask {
        org: None,
        kind: TaskKind::Noop,
        subject: None,
        run_at: origin.now(),
        unique_key: format!("round:{}", origin.uuid_v7()),
    };
    let key = task.unique_key.clone();
    let mut tx = db.begin().await.unwrap();
    tasks::enqueue(&mut tx, &origin, vec![task]).await.unwrap();
    tx.commit().await.unwrap();
    let sql = "SELECT COUNT(*) FROM task WHERE unique_key = $1 AND status = 'done'";
    let began = std::time::Instant::now();
    while q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql, key.as_str()).unwrap() == 0 {
        assert!(began.elapsed() < SOON, "the worker does nothing");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn last_backup(test_install: &TestInstall) -> PathBuf {
    let folder = test_install.folder().join("backups");
    folder.join(backup::list_backups(&folder).await.unwrap().pop().unwrap())
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

async fn restored(from: TestInstall, to: TestInstall) {
    let old = Old::new(from).await;
    does(&old.test_install, &["backup"], &plain()).await;
    does(&old.test_install, &["backup", "drill"], &plain()).await;
    let made = last_backup(&old.test_install).await;
    does(&to, &["restore", text(&made)], &plain()).await;
    let (here, there) = (old.test_install.open().await, to.open().await);
    are_equal(&worths(&here, |_| true).await, &worths(&there, |_| true).await);
    let witnesses = Witnesses::new().await;
    witnesses.assert_no_messages(&to, &there).await;
    does(&to, &["release-outbox"], &plain()).await;
    witnesses.assert_no_messages(&to, &there).await;
    let api = processes::api(&to, &plain()).await;
    old.opens_all(&api).await;
    api.program.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_backup_restores_on_a_new_machine() {
    restored(TestInstall::sqlite(), TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_backup_restores_on_a_new_machine() {
    across_tenants(Box::pin(async {
        restored(TestInstall::postgres().await, TestInstall::postgres().await).await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn business_export_is_imported_on_a_new_machine() {
    across_tenants(Box::pin(async {
        let (old, to) = (Old::new(TestInstall::sqlite()).await, TestInstall::postgres().await);
        let file = old.test_install.folder().join("acme.zip");
        does(&old.test_install, &["export", "acme-plumbing", text(&file)], &plain()).await;
        does(&to, &["import-export", text(&file)], &plain()).await;
        let (here, there) = (old.test_install.open().await, to.open().await);
        let is_taken = |one: &TableSpec| one.whose == TableOwner::Business;
        are_equal(&worths(&here, is_taken).await, &worths(&there, is_taken).await);
        let witnesses = Witnesses::new().await;
        witnesses.assert_no_messages(&to, &there).await;
        does(&to, &["release-outbox"], &plain()).await;
        witnesses.assert_no_messages(&to, &there).await;
        let api = processes::api(&to, &plain()).await;
        let stranger = Browser { api: &api, cookie: None };
        assert_eq!(stranger.get(&old.link).await.0, 404, "links are signed with the key of the old install");
        api.program.kill();
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moved_install_keeps_its_data_and_old_database_refuses_requests() {
    across_tenants(Box::pin(async {
        let (mut old, to) = (Old::new(TestInstall::sqlite()).await, TestInstall::postgres().await);
        let mut env = plain();
        env.push(("NEW_DATABASE_URL".to_owned(), to.url().to_owned()));
        does(&old.test_install, &["move"], &env).await;
        let (here, there) = (old.test_install.open().await, to.open().await);
        are_equal(&worths(&here, |_| true).await, &worths(&there, |_| true).await);

        let has_moved = |status: reqwest::StatusCode, body: &str| status.as_u16() == 503 && body.contains("has moved");
        let left = processes::api_whose_readiness(&old.test_install, &plain(), has_moved).await;
        let answer = http_client().post(format!("{}/api/auth/login", left.url)).header("x-toolbox-client", "web");
        let answer = answer.json(&json!({"email": EMAIL, "password": PASSWORD})).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 503);
        left.program.kill();
        let witnesses = Witnesses::new().await;
        witnesses.assert_no_messages(&old.test_install, &here).await;

        // The same data folder and keys; only the database differs.
        old.test_install = old.test_install.with_database(to.url());
        let api = processes::api(&old.test_install, &plain()).await;
        old.opens_all(&api).await;
        api.program.kill();
    }))
    .await;
}
