//! Readiness and lead intake while the database cannot be written.

use std::time::Duration;

use axum::http::StatusCode;
use shared::{ops::schema::SCHEMA, platform::db::Db};
use tests::{app::TestApp, http::Multipart};

use super::LEADS;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readyz_and_lead_intake_on_read_only_database_return_503() {
    let app = TestApp::on_sqlite().await;
    app.org("Acme Plumbing").await;
    let client = app.client().here();
    let Db::Sqlite { write, .. } = &app.db else { panic!("not SQLite") };
    sqlx::query("PRAGMA query_only = ON").execute(write).await.unwrap();
    let answer = client.get("/readyz").await;
    assert_eq!((answer.problem().0, answer.problem().1.as_str()), (503, "unavailable"));
    let metrics = String::from_utf8(client.get("/metrics").await.body).unwrap();
    assert!(
        metrics.contains("toolbox_database_up 1\n") && metrics.contains("toolbox_database_writable 0\n"),
        "{metrics}"
    );
    let refusal = client.post_form(LEADS, Multipart::ann("acme-plumbing")).await;
    assert_eq!((refusal.problem().0, refusal.problem().1.as_str()), (503, "unavailable"));
    sqlx::query("PRAGMA query_only = OFF").execute(write).await.unwrap();
    assert_eq!(client.post_form(LEADS, Multipart::ann("acme-plumbing")).await.status, StatusCode::CREATED);
    app.run_tasks().await;
    app.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readyz_during_stalled_write_transaction_returns_503_within_seconds() {
    let app = TestApp::on_sqlite().await;
    let client = app.client().here();
    let other = Db::connect(&app.settings.db, &SCHEMA).await.unwrap();
    let stalled = other.begin().await.unwrap();
    let began = std::time::Instant::now();
    assert_eq!(client.get("/readyz").await.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    drop(stalled);
    other.close().await;
    app.finish().await;
}
