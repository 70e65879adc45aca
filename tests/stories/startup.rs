//! Starts of the programs on a database that they must not use, and the state after a clean stop.

use std::{
    fs,
    time::{Duration, Instant},
};

use shared::{
    ops::{
        schema::SCHEMA,
        system_status::{self, WorkerMetrics},
    },
    platform::{
        clock::Clock,
        db::{Db, DbConfig, q},
    },
};
use tests::{
    both_databases,
    database::Postgres,
    processes::{Program, Signal, api, free_port, http_client, start_worker, worker},
    test_install::{Business, TestInstall, phone},
};

const SOON: Duration = Duration::from_secs(20);

fn start_api(test_install: &TestInstall) -> Program {
    let address = format!("127.0.0.1:{}", free_port());
    Program::start("api", test_install, &[("BIND_ADDR".to_owned(), address)])
}

/// An install that ran here and was stopped cleanly.
async fn begins_and_stops(test_install: &TestInstall) {
    let mut first = api(test_install, &[]).await;
    first.program.tell(Signal::Term);
    assert!(first.program.ended(SOON).await.success(), "{}", first.program.log());
}

/// A command that ends with this message.
async fn is_refused(test_install: &TestInstall, words: &[&str], expected_log: &str) {
    let mut command = Program::start_doing("api", words, test_install, &[]);
    assert_eq!(command.ended(SOON).await.code(), Some(1), "{words:?}: {}", command.log());
    assert!(command.log().contains(expected_log), "{words:?}: {}", command.log());
}

/// The documented way to a new install.
async fn begins_anew_without_the_mark(test_install: &TestInstall, worker: &mut Program) {
    fs::remove_file(test_install.folder().join("installed")).unwrap();
    let new = api(test_install, &[]).await;
    worker.logged("the worker is ready", SOON).await;
    drop(new);
    assert!(test_install.folder().join("installed").exists());
}

/// Both programs' message about a database that a later version has migrated.
async fn a_newer_schema_is_refused(test_install: &TestInstall) {
    let db = test_install.open().await;
    let newer = db.newest_migration() + 1;
    let mut tx = db.begin().await.unwrap();
    let sql = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         SELECT $1, description, success, checksum, execution_time FROM _sqlx_migrations WHERE version = $2";
    q!(&mut tx, execute, sql, newer, newer - 1).unwrap();
    tx.commit().await.unwrap();
    db.close().await;
    for mut program in [start_api(test_install), start_worker(test_install, &[])] {
        let ended = program.ended(SOON).await;
        assert_eq!(ended.code(), Some(1), "{}", program.log());
        assert!(program.log().contains("the database is of a newer version of Toolbox"), "{}", program.log());
    }
}

/// A stop in the first moments, in which the API makes the schema.
async fn a_stop_at_once_ends_in_order(test_install: &TestInstall) {
    let starts: [fn(&TestInstall) -> Program; 2] = [start_api, |test_install| start_worker(test_install, &[])];
    for start in starts {
        let mut program = start(test_install);
        program.handles_stop(SOON).await;
        program.tell(Signal::Term);
        let ended = program.ended(SOON).await;
        assert!(ended.success(), "{ended}:\n{}", program.log());
    }
    // The schema is whole, or was not begun.
    begins_and_stops(test_install).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_in_the_first_moment_ends_in_order_on_sqlite() {
    a_stop_at_once_ends_in_order(&TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_in_the_first_moment_ends_in_order_on_postgres() {
    a_stop_at_once_ends_in_order(&TestInstall::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_refuse_to_start_on_newer_schema_on_sqlite() {
    a_newer_schema_is_refused(&TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_refuse_to_start_on_newer_schema_on_postgres() {
    a_newer_schema_is_refused(&TestInstall::postgres().await).await;
}

/// Both programs' message about a database that a former list of migrations has made.
async fn a_former_schema_is_refused(test_install: &TestInstall) {
    let db = test_install.open().await;
    let mut tx = db.begin().await.unwrap();
    let sql = "UPDATE _sqlx_migrations SET description = 'orgs', checksum = $1 WHERE version = 1";
    q!(&mut tx, execute, sql, b"another".to_vec()).unwrap();
    tx.commit().await.unwrap();
    db.close().await;
    for mut program in [start_api(test_install), start_worker(test_install, &[])] {
        let ended = program.ended(SOON).await;
        assert_eq!(ended.code(), Some(1), "{}", program.log());
        assert!(program.log().contains("made by an older commit of Toolbox"), "{}", program.log());
    }
    is_refused(test_install, &["migrate"], "made by an older commit of Toolbox").await;
    is_refused(test_install, &["export", "acme", "acme.zip"], "made by an older commit of Toolbox").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_refuse_to_start_on_former_schema_on_sqlite() {
    a_former_schema_is_refused(&TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_refuse_to_start_on_former_schema_on_postgres() {
    a_former_schema_is_refused(&TestInstall::postgres().await).await;
}

/// Both programs' message about a key that is not the database's, and the two ways out.
async fn another_key_is_refused(test_install: &TestInstall) {
    begins_and_stops(test_install).await;
    let key = test_install.folder().join("secret.key");
    let right = fs::read(&key).unwrap();
    fs::remove_file(&key).unwrap();
    for mut program in [start_api(test_install), start_worker(test_install, &[])] {
        let ended = program.ended(SOON).await;
        assert_eq!(ended.code(), Some(1), "{}", program.log());
        let log_text = program.log();
        assert!(log_text.contains("secret.key") && log_text.contains("--lost-key"), "{log_text}");
    }
    fs::write(&key, right).unwrap();
    let mut second = api(test_install, &[]).await;
    second.program.tell(Signal::Term);
    assert!(second.program.ended(SOON).await.success(), "{}", second.program.log());
    fs::remove_file(&key).unwrap();
    let mut lost = Program::start_doing("api", &["rotate-key", "--lost-key"], test_install, &[]);
    assert!(lost.ended(SOON).await.success(), "{}", lost.log());
    let third = api(test_install, &[]).await;
    let working = worker(test_install, &[]).await;
    drop((third, working));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_without_right_key_is_refused_until_restored_or_reset_on_sqlite() {
    another_key_is_refused(&TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_without_right_key_is_refused_until_restored_or_reset_on_postgres() {
    another_key_is_refused(&TestInstall::postgres().await).await;
}

/// Both programs run with the key of before only: nothing is sealed with a key that they could not open.
async fn rotation_under_running_programs_is_refused(test_install: &TestInstall) {
    let key = |name: &str, letter: &str| (name.to_owned(), letter.repeat(40));
    let (before, after) = ([key("SECRET_KEY", "a")], [key("SECRET_KEY", "b"), key("SECRET_KEY_OLD", "a")]);
    let mut serving = api(test_install, &before).await;
    let mut working = worker(test_install, &before).await;
    let rotates = async || {
        let mut command = Program::start_doing("api", &["rotate-key"], test_install, &after);
        let is_done = command.ended(SOON).await.success();
        (is_done, command.log())
    };
    let (is_done, log) = rotates().await;
    assert!(!is_done && log.contains("afterwards: api-") && log.contains(", worker-"), "{log}");
    for program in [&mut serving.program, &mut working] {
        program.tell(Signal::Term);
        assert!(program.ended(SOON).await.success(), "{}", program.log());
    }
    // Started anew with both keys, they are no obstacle.
    let again = api(test_install, &after).await;
    let (is_done, log) = rotates().await;
    assert!(is_done, "{log}");
    drop(again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotation_is_refused_while_programs_know_only_the_old_key_on_sqlite() {
    rotation_under_running_programs_is_refused(&TestInstall::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotation_is_refused_while_programs_know_only_the_old_key_on_postgres() {
    rotation_under_running_programs_is_refused(&TestInstall::postgres().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_on_emptied_database_exits_with_restore_hint() {
    let test_install = TestInstall::sqlite();
    begins_and_stops(&test_install).await;
    let file = test_install.folder().join("toolbox.db");
    fs::write(&file, "").unwrap();
    let mut again = start_api(&test_install);
    assert_eq!(again.ended(SOON).await.code(), Some(1), "{}", again.log());
    assert!(again.log().contains("api restore"), "{}", again.log());
    assert_eq!(fs::metadata(&file).unwrap().len(), 0, "nothing was begun anew");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn emptied_database_is_untouched_while_worker_waits_and_commands_fail() {
    let test_install = TestInstall::sqlite();
    begins_and_stops(&test_install).await;
    let file = test_install.folder().join("toolbox.db");
    fs::write(&file, "").unwrap();
    let mut worker = start_worker(&test_install, &[]);
    worker.logged("api restore", SOON).await;
    let commands: [&[&str]; 5] =
        [&["backup"], &["rotate-key"], &["audit", "verify"], &["let-through", "ann@acme.example"], &["seed-demo"]];
    for words in commands {
        is_refused(&test_install, words, "api restore").await;
    }
    assert_eq!(fs::metadata(&file).unwrap().len(), 0, "nobody wrote into it: {}", worker.log());
    let mut again = start_api(&test_install);
    assert_eq!(again.ended(SOON).await.code(), Some(1), "{}", again.log());
    worker.tell(Signal::Term);
    assert!(worker.ended(SOON).await.success(), "{}", worker.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_on_emptied_postgres_are_refused_until_install_mark_is_removed() {
    let test_install = TestInstall::postgres().await;
    begins_and_stops(&test_install).await;
    let test_install = test_install.with_database(&Postgres::empty().await.url);
    let mut again = start_api(&test_install);
    assert_eq!(again.ended(SOON).await.code(), Some(1), "{}", again.log());
    assert!(again.log().contains("api restore"), "{}", again.log());
    let mut worker = start_worker(&test_install, &[]);
    worker.logged("api restore", SOON).await;
    for words in [["migrate"], ["backup"]] {
        is_refused(&test_install, &words, "api restore").await;
    }
    let db = Db::connect(&DbConfig::from_url(test_install.url()), &SCHEMA).await.unwrap();
    let sql = "SELECT COUNT(*) FROM pg_class WHERE relname = '_sqlx_migrations'";
    assert_eq!(
        q!(&mut db.acquire_reader().await.unwrap(), fetch_one scalar i64, sql).unwrap(),
        0,
        "nothing was begun anew"
    );
    db.close().await;
    begins_anew_without_the_mark(&test_install, &mut worker).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_on_non_database_file_log_restore_hint() {
    let test_install = TestInstall::sqlite();
    fs::write(test_install.folder().join("toolbox.db"), [b'x'; 8192]).unwrap();
    for mut program in [start_api(&test_install), start_worker(&test_install, &[])] {
        program.logged("api restore", SOON).await;
    }
}

const DATABASE: [&str; 3] = ["toolbox.db", "toolbox.db-wal", "toolbox.db-shm"];

fn remove_database(test_install: &TestInstall) {
    for file in DATABASE {
        let removed = fs::remove_file(test_install.folder().join(file));
        assert!(removed.is_ok() || file != "toolbox.db", "{removed:?}");
    }
}

async fn status(asked: reqwest::RequestBuilder) -> u16 {
    asked.send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_database_file_is_logged_once_and_requests_get_503() {
    let test_install = TestInstall::sqlite();
    let mut api = api(&test_install, &[]).await;
    let mut worker = worker(&test_install, &[]).await;
    let db = test_install.open().await;
    Business::open(&db, "Acme").await;
    db.close().await;
    let client = http_client();
    let asks = async || {
        let form = reqwest::multipart::Form::new();
        let form = form.text("name", "Ann").text("phone", phone(1)).text("service", "plumbing").text("zip", "78701");
        status(client.post(format!("{}/api/leads/create", api.url)).multipart(form)).await
    };
    assert_eq!(asks().await, 201);
    remove_database(&test_install);
    assert_eq!(asks().await, 503, "a request that cannot be stored is not confirmed");
    let (began, ready) = (Instant::now(), format!("{}/readyz", api.url));
    while status(client.get(&ready)).await != 503 {
        assert!(began.elapsed() < SOON, "readyz stays 200");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for program in [&mut api.program, &mut worker] {
        program.logged("was removed or replaced while this program works with it", SOON).await;
        assert_eq!(program.log().matches("while this program works with it").count(), 1, "once: {}", program.log());
    }
    assert!(!test_install.folder().join("toolbox.db").exists(), "nothing was begun anew");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn starts_without_database_file_are_refused_until_mark_is_removed() {
    let test_install = TestInstall::sqlite();
    begins_and_stops(&test_install).await;
    remove_database(&test_install);
    let mut worker = start_worker(&test_install, &[]);
    worker.logged("is not there, but an install was here", SOON).await;
    let mut again = start_api(&test_install);
    assert_eq!(again.ended(SOON).await.code(), Some(1), "{}", again.log());
    assert!(again.log().contains("is not there, but an install was here"), "{}", again.log());
    let commands: [&[&str]; 4] = [&["migrate"], &["backup"], &["rotate-key"], &["seed-demo"]];
    for words in commands {
        is_refused(&test_install, words, "an install was here").await;
    }
    let mistyped = format!("sqlite://{}", test_install.folder().join("tooolbox.db").display());
    let mut elsewhere =
        Program::start_doing("api", &["migrate"], &test_install, &[("DATABASE_URL".to_owned(), mistyped)]);
    assert_eq!(elsewhere.ended(SOON).await.code(), Some(1), "{}", elsewhere.log());
    for file in ["toolbox.db", "tooolbox.db"] {
        assert!(!test_install.folder().join(file).exists(), "{file} was begun anew");
    }
    begins_anew_without_the_mark(&test_install, &mut worker).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_on_read_only_database_is_not_ready_and_says_why() {
    let test_install = TestInstall::sqlite();
    begins_and_stops(&test_install).await;
    let read_only = ("DATABASE_URL".to_owned(), format!("{}?mode=ro", test_install.url()));
    let mut worker = start_worker(&test_install, &[read_only]);
    worker.logged("must be able to write the database file", SOON).await;
    assert!(!worker.log().contains("the worker is ready"), "{}", worker.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_on_truncated_file_log_restore_hint() {
    let test_install = TestInstall::sqlite();
    begins_and_stops(&test_install).await;
    let file = fs::OpenOptions::new().write(true).open(test_install.folder().join("toolbox.db")).unwrap();
    file.set_len(100_000).unwrap();
    for mut program in [start_api(&test_install), start_worker(&test_install, &[])] {
        program.logged("api restore", SOON).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_with_unreachable_postgres_log_host_and_port_not_password() {
    let place = format!("127.0.0.1:{}", free_port());
    let test_install = TestInstall::sqlite().with_database(&format!("postgres://toolbox:hushhush@{place}/toolbox"));
    for mut program in [start_api(&test_install), start_worker(&test_install, &[])] {
        program.logged(&format!("PostgreSQL at {place} cannot be reached"), SOON).await;
        assert!(!program.log().contains("hushhush"), "{}", program.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_on_missing_postgres_database_log_instructions() {
    let test_install = TestInstall::postgres().await;
    let mut url = url::Url::parse(test_install.url()).unwrap();
    url.set_path("toolbox_test_that_nobody_made");
    let test_install = test_install.with_database(url.as_str());
    for mut program in [start_api(&test_install), start_worker(&test_install, &[])] {
        program.logged("correct its name in DATABASE_URL", SOON).await;
        assert!(program.log().contains("does not exist; make the database"), "{}", program.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clean_stop_of_both_programs_leaves_no_journal_and_no_active_worker() {
    let test_install = TestInstall::sqlite();
    let mut api = api(&test_install, &[]).await;
    let mut worker = worker(&test_install, &[]).await;
    let db = test_install.open().await;
    let began = Instant::now();
    while !is_at_work(&db).await {
        assert!(began.elapsed() < SOON, "it gives no sign of life:\n{}", worker.log());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    db.close().await;
    for program in [&mut worker, &mut api.program] {
        program.tell(Signal::Term);
        let ended = program.ended(SOON).await;
        assert!(ended.success(), "{ended}:\n{}", program.log());
    }
    let journal = test_install.folder().join("toolbox.db-wal");
    assert_eq!(fs::metadata(&journal).map_or(0, |file| file.len()), 0, "{}", api.program.log());
    let db = test_install.open().await;
    assert!(!is_at_work(&db).await, "{}", worker.log());
    db.close().await;
}

async fn is_at_work(db: &Db) -> bool {
    system_status::is_worker_alive(&mut db.acquire_reader().await.unwrap(), Clock::System.now()).await.unwrap()
}

both_databases! {
    async fn worker_sign_off_leaves_no_active_worker(app) {
        app.forgets_worker().await;
        system_status::record_heartbeat(&app.db, &app.origin, "w1", &WorkerMetrics::default()).await.unwrap();
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert!(system_status::is_worker_alive(&mut conn, app.now()).await.unwrap());
        drop(conn);
        system_status::record_worker_stopped(&app.db, &app.origin, "w1").await.unwrap();
        let mut conn = app.db.acquire_reader().await.unwrap();
        assert!(!system_status::is_worker_alive(&mut conn, app.now()).await.unwrap());
        drop(conn);
    }
}
