//! A disk that fills up: confirmed requests are kept, others are refused with a message, and work continues when
//! there is space again.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use axum::http::StatusCode;
use futures::future::join_all;
use reqwest::{
    Client, Response,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use shared::{
    domain::tenancy::{account, trust_level},
    platform::{
        clock::ClockRng,
        db::{Db, q, qb},
        storage::StorageConfig,
    },
};
use tests::{
    app::TestApp,
    http::{Multipart, pixel},
    processes::{Program, Signal, free_port, http_client},
    test_install::{TestInstall, email, phone},
};

mod readiness;

const SOON: Duration = Duration::from_secs(20);
const LEADS: &str = "/api/leads/create";
const OWNER: &str = "olive@acme.example";

/// Queries that must return zero: halves of a request without their other half.
const HALVES: [&str; 6] = [
    "SELECT COUNT(*) FROM lead l WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.lead_id = l.id)",
    "SELECT COUNT(*) FROM lead l WHERE NOT EXISTS (SELECT 1 FROM lead_inquiry t WHERE t.lead_id = l.id)",
    "SELECT COUNT(*) FROM message m WHERE NOT EXISTS (SELECT 1 FROM task t WHERE t.subject_id = m.id)",
    "SELECT COUNT(*) FROM customer c WHERE NOT EXISTS (SELECT 1 FROM lead l WHERE l.customer_id = c.id)",
    "SELECT COUNT(*) FROM audit_event a WHERE a.action = 'lead_submitted'
        AND NOT EXISTS (SELECT 1 FROM lead l WHERE l.id = a.subject_id)",
    "SELECT COUNT(*) FROM idempotency WHERE answer = 'null'",
];

/// A program that survives a write beyond its limit: the write fails, as on a full disk, and no signal kills it.
fn start(name: &str, test_install: &TestInstall, env: &[(String, String)]) -> Program {
    let own = std::env::current_exe().unwrap();
    let real = own.ancestors().map(|folder| folder.join(name)).find(|path| path.is_file());
    let real = real.unwrap_or_else(|| panic!("{name} is not built; type: cargo build -p api -p worker"));
    let script = test_install.folder().join(format!("unlimited-{name}"));
    fs::write(&script, format!("#!/bin/sh\ntrap '' XFSZ\nexec '{}'\n", real.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    Program::start(script.to_str().unwrap(), test_install, env)
}

/// Limits the size of every file that this program writes.
fn limit(program: &Program, bytes: &str) {
    let (pid, fsize) = (format!("--pid={}", program.pid()), format!("--fsize={bytes}:"));
    let exit_status = Command::new("prlimit").args([&pid, &fsize]).status().expect("prlimit, of util-linux");
    assert!(exit_status.success(), "prlimit {pid} {fsize}");
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

struct FullDiskInstall {
    test_install: TestInstall,
    api: Program,
    url: String,
    client: Client,
    cookie: String,
}

impl FullDiskInstall {
    async fn opens() -> Self {
        let test_install = TestInstall::sqlite();
        let (api, url) = Self::serve(&test_install).await;
        let mut install = Self { test_install, api, url, client: http_client(), cookie: String::new() };
        let owner = json!({"name": "Olive", "email": OWNER, "password": "Correct-Horse-9!", "orgName": "Acme"});
        let made = install.client.post(install.at("/api/auth/register")).json(&owner).send().await.unwrap();
        assert_eq!(made.status(), StatusCode::CREATED, "{:?}", made.text().await);
        let opened = install.client.post(install.at("/api/auth/login")).json(&owner).send().await.unwrap();
        let cookie = opened.headers()["set-cookie"].to_str().unwrap();
        cookie.split(';').next().unwrap().clone_into(&mut install.cookie);
        install.is_trusted().await;
        install
    }

    /// Trusted by the operator: until the owner's address is proven, the business sends nothing.
    async fn is_trusted(&self) {
        let db = self.test_install.open().await;
        let mut tx = db.begin().await.unwrap();
        let account = account::find_by_email(&mut tx, OWNER).await.unwrap().unwrap();
        trust_level::mark_trusted(&mut tx, &ClockRng::system(), account.org_id).await.unwrap();
        tx.commit().await.unwrap();
        db.close().await;
    }

    async fn serve(test_install: &TestInstall) -> (Program, String) {
        let address = format!("127.0.0.1:{}", free_port());
        let url = format!("http://{address}");
        let env = [("BIND_ADDR", address), ("PUBLIC_URL", url.clone()), ("DISK_FLOOR_BYTES", "0".to_owned())];
        let mut api = start("api", test_install, &env.map(|(name, value)| (name.to_owned(), value)));
        api.logged("the database is ready", SOON).await;
        (api, url)
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Checkpoints the WAL into the database and truncates it.
    async fn empties_journal(&self) {
        let db = self.test_install.open().await;
        let Db::Sqlite { write, .. } = &db else { panic!("a file") };
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(write).await.unwrap();
        // The limit is per file. The WAL is made the largest file; otherwise it could grow by the database's size.
        let larger = i64::try_from(size(&self.test_install.folder().join("toolbox.db"))).unwrap();
        sqlx::query("CREATE TABLE filler AS SELECT zeroblob($1) AS bytes").bind(larger).execute(write).await.unwrap();
        db.close().await;
    }

    /// Size at which commits fail: the larger of the WAL and the database.
    fn journal(&self) -> u64 {
        size(&self.test_install.folder().join("toolbox.db-wal"))
            .max(size(&self.test_install.folder().join("toolbox.db")))
    }

    /// Visitor `number` sends the form, always with the same key. The lead's id when it was confirmed.
    async fn asks(&self, number: usize, photos: usize) -> Option<String> {
        let mut form = Form::new();
        for (name, value) in [("name", format!("Visitor {number}")), ("phone", phone(number)), ("email", email(number))]
        {
            form = form.text(name, value);
        }
        form = form.text("service", "plumbing").text("zip", "78701");
        for _ in 0..photos {
            form = form.part("photos", Part::bytes(pixel()).file_name("leak.png"));
        }
        let request = self.client.post(self.at(LEADS)).header("idempotency-key", format!("visit {number}"));
        confirmed(request.multipart(form).send().await.unwrap()).await
    }

    async fn readiness(&self) -> StatusCode {
        self.client.get(self.at("/readyz")).send().await.unwrap().status()
    }

    /// Waits for readiness, whose answer is cached for seconds.
    async fn is_ready_again(&self) {
        let began = std::time::Instant::now();
        while self.readiness().await != StatusCode::OK {
            assert!(began.elapsed() < SOON, "it is not ready again:\n{}", self.api.log());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn list(&self) -> BTreeSet<String> {
        let asked = self.client.get(self.at("/api/leads/acme?limit=500")).header("cookie", &self.cookie);
        let answer = asked.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "what is there can be read:\n{}", self.api.log());
        let leads: Value = answer.json().await.unwrap();
        leads.as_array().unwrap().iter().map(|lead| lead["id"].as_str().unwrap().to_owned()).collect()
    }

    async fn restarts(&mut self) {
        self.api.tell(Signal::Term);
        let ended = self.api.ended(SOON).await;
        assert!(ended.success(), "{ended}:\n{}", self.api.log());
        (self.api, self.url) = Self::serve(&self.test_install).await;
    }

    async fn redraws_photos(&self, db: &Db) {
        let mut worker = start("worker", &self.test_install, &[("DISK_FLOOR_BYTES".to_owned(), "0".to_owned())]);
        let began = std::time::Instant::now();
        while number(db, "SELECT COUNT(*) FROM photo_upload").await > 0 {
            assert!(began.elapsed() < SOON, "photos still wait:\n{}", worker.log());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        worker.tell(Signal::Term);
        assert!(worker.ended(SOON).await.success(), "{}", worker.log());
    }

    /// All files in the photo folder, incomplete ones too.
    fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for org in fs::read_dir(self.test_install.folder().join("uploads")).unwrap() {
            found.extend(fs::read_dir(org.unwrap().path()).unwrap().map(|file| file.unwrap().path()));
        }
        found
    }
}

/// The id of a confirmed lead; none when it was refused with a message and a time to retry.
async fn confirmed(answer: Response) -> Option<String> {
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body: Value = answer.json().await.unwrap_or_default();
    if status == StatusCode::CREATED {
        return Some(body["id"].as_str().unwrap().to_owned());
    }
    let code = if status == StatusCode::INSUFFICIENT_STORAGE { "storage_full" } else { "unavailable" };
    assert!(matches!(status.as_u16(), 503 | 507), "{status}: {body}");
    assert_eq!((headers["content-type"].to_str().unwrap(), &body["code"]), ("application/problem+json", &code.into()));
    assert!(body["detail"].as_str().is_some_and(|words| words.len() > 20), "{body}");
    let seconds = headers.get("retry-after").and_then(|v| v.to_str().ok()?.parse::<u32>().ok());
    assert!(seconds.is_some_and(|seconds| seconds > 0), "{headers:?}");
    None
}

async fn number(db: &Db, sql: &str) -> i64 {
    let mut conn = db.acquire_reader().await.unwrap();
    qb!(&mut conn, fetch_one scalar i64, |b| {
        b.push(sql);
    })
    .unwrap()
}

async fn nothing_is_half_written(db: &Db, leads: usize) {
    assert_eq!(usize::try_from(number(db, "SELECT COUNT(*) FROM lead").await), Ok(leads));
    for sql in HALVES {
        assert_eq!(number(db, sql).await, 0, "{sql}");
    }
    assert_eq!(number(db, "SELECT COUNT(*) FROM pragma_foreign_key_check").await, 0);
    assert_eq!(number(db, "SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_leads_survive_a_full_disk_and_intake_resumes() {
    let mut install = FullDiskInstall::opens().await;
    let mut taken: BTreeSet<String> = install.asks(0, 1).await.into_iter().collect();
    assert_eq!((taken.len(), install.files().len()), (1, 1), "the photo as it came");

    // A WAL that was full is written from its beginning again, and would take all requests.
    install.empties_journal().await;
    limit(&install.api, &(install.journal() + 400_000).to_string());
    // In rounds: requests that wait at one moment share a commit and its pages, and all of them might fit.
    let mut answers = Vec::new();
    for round in (1..25).collect::<Vec<_>>().chunks(6) {
        answers.extend(join_all(round.iter().map(|&n| install.asks(n, n % 2))).await);
    }
    let refused: Vec<usize> = (1..25).filter(|n| answers[n - 1].is_none()).collect();
    taken.extend(answers.into_iter().flatten());
    println!("{} were confirmed before the disk was full, {} refused", taken.len(), refused.len());
    assert!(taken.len() > 1 && refused.len() > 1, "the disk filled up in the middle");
    assert_eq!(install.list().await, taken);

    // Not one more byte, not even in the log: an answer does not depend on its log line.
    limit(&install.api, "10");
    let files = install.files();
    for n in [refused[0], 25, 26] {
        assert_eq!(install.asks(n, 2).await, None);
    }
    assert_eq!(install.list().await, taken);
    assert_eq!(install.files(), files, "no part of a photo stays behind");
    let ready = install.readiness().await;
    assert!(matches!(ready.as_u16(), 503 | 507), "{ready}");

    limit(&install.api, "unlimited");
    install.is_ready_again().await;
    for &n in &refused {
        let again = install.asks(n, n % 2).await.expect("the same process takes it now");
        assert_eq!(install.asks(n, n % 2).await.as_ref(), Some(&again));
        assert!(taken.insert(again));
    }
    assert_eq!(taken.len(), 25);
    assert_eq!(install.list().await, taken);
    install.restarts().await;
    assert_eq!(install.list().await, taken);
    let db = install.test_install.open().await;
    nothing_is_half_written(&db, 25).await;
    install.redraws_photos(&db).await;
    // A failed commit leaves whole files for the sweep, since its outcome is unknown at that moment.
    let files = install.files();
    for key in keys(&db).await {
        assert!(files.contains(&install.test_install.folder().join("uploads").join(&key)), "{key} is gone");
    }
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let is_jpeg = bytes.starts_with(&[0xff, 0xd8]) && bytes.ends_with(&[0xff, 0xd9]);
        assert!(is_jpeg || bytes == pixel(), "{} is half", file.display());
    }
}

async fn keys(db: &Db) -> Vec<String> {
    let mut conn = db.acquire_reader().await.unwrap();
    let sql = "SELECT full_key FROM photo UNION ALL SELECT thumb_key FROM photo";
    let keys = q!(&mut conn, fetch_all scalar String, sql).unwrap();
    assert_eq!(keys.len(), 26, "13 photos and their small ones");
    keys
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_on_full_disk_waits_and_resumes_when_space_returns() {
    let install = FullDiskInstall::opens().await;
    let mut worker = start("worker", &install.test_install, &[]);
    worker.logged("the worker is ready", SOON).await;
    // Less than one page of the WAL, wherever the worker writes next.
    limit(&worker, "1024");
    install.asks(1, 0).await.expect("the API has room");
    worker.logged("disk I/O error", SOON).await;
    limit(&worker, "unlimited");
    let db = install.test_install.open().await;
    let began = std::time::Instant::now();
    while number(&db, "SELECT COUNT(*) FROM message WHERE status NOT IN ('filed', 'not_sent')").await > 0 {
        assert!(began.elapsed() < SOON, "the worker does not take up work again:\n{}", worker.log());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    worker.tell(Signal::Term);
    assert!(worker.ended(SOON).await.success(), "{}", worker.log());
    let answered =
        "SELECT COUNT(*) FROM message WHERE status = 'filed' AND lead_id IS NOT NULL AND kind = 'auto_reply'";
    assert_eq!(number(&db, answered).await, 1, "the customer is answered by email");
    nothing_is_half_written(&db, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_without_free_pages_refuses_whole_request_and_recovers() {
    let app = TestApp::on_sqlite().await;
    app.org("Acme Plumbing").await;
    let client = app.client().here();
    let form = |n: usize| Multipart::ann("acme-plumbing").text("phone", &phone(n)).text("email", &email(n));
    let mut taken = 0;
    pages(&app, 1).await;
    let refusal = loop {
        let answer = client.post_form(LEADS, form(taken).text("notes", &"water ".repeat(300))).await;
        if answer.status != StatusCode::CREATED {
            break answer;
        }
        taken += 1;
        assert!(taken < 200, "the database never filled up");
    };
    assert_eq!((refusal.problem().0, refusal.problem().1.as_str()), (507, "storage_full"));
    assert!(refusal.header("retry-after").parse::<u32>().unwrap() > 0);
    nothing_is_half_written(&app.db, taken).await;
    pages(&app, 4_000_000).await;
    for n in 500..503 {
        assert_eq!(client.post_form(LEADS, form(n)).await.status, StatusCode::CREATED, "there is room again");
    }
    nothing_is_half_written(&app.db, taken + 3).await;
    app.run_tasks().await;
    app.finish().await;
}

/// The maximum number of pages; below the current size it means no growth.
async fn pages(app: &TestApp, most: u32) {
    let Db::Sqlite { write, .. } = &app.db else { panic!("not SQLite") };
    let sql = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {most}"));
    sqlx::query(sql).execute(write).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_photo_storage_refuses_photos_and_takes_lead_without_them() {
    let mut app = TestApp::on_sqlite().await;
    app.org("Acme Plumbing").await;
    let root = app.settings.data_dir.join("uploads");
    app.settings.storage = StorageConfig::File { root: root.clone(), floor: u64::MAX };
    let client = app.client().here();
    let refusal = client.post_form(LEADS, Multipart::ann("acme-plumbing").photo("leak.png", &pixel())).await;
    assert_eq!((refusal.problem().0, refusal.problem().1.as_str()), (507, "storage_full"));
    assert!(refusal.json()["detail"].as_str().unwrap().contains("without photos"));
    assert!(refusal.header("retry-after").parse::<u32>().unwrap() > 0);
    nothing_is_half_written(&app.db, 0).await;
    assert_eq!(fs::read_dir(root).unwrap().count(), 0);
    assert_eq!(client.post_form(LEADS, Multipart::ann("acme-plumbing")).await.status, StatusCode::CREATED);
    nothing_is_half_written(&app.db, 1).await;
    app.run_tasks().await;
    app.finish().await;
}
