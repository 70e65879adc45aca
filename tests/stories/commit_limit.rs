//! The wait for a commit of PostgreSQL, with a trigger that waits at the commit for a lock of another transaction.

use std::time::Duration as Real;

use shared::{
    ops::schema::SCHEMA,
    platform::{
        db::{Db, acquire_advisory_lock, q, tenant_scope},
        error::Error,
        throttle::{self, WindowLimit},
    },
};
use tests::app::TestApp;

const LOCK: i64 = 4711;

async fn add_waiting_trigger(app: &TestApp) {
    let function = "CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(4711); RETURN NULL; END $$";
    let trigger = "CREATE CONSTRAINT TRIGGER waiting AFTER INSERT ON sign_in_throttle DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait_at_commit()";
    let owner = Db::connect(&app.owner().unwrap(), &SCHEMA).await.unwrap();
    let mut tx = owner.begin().await.unwrap();
    q!(&mut tx, execute, function).unwrap();
    q!(&mut tx, execute, trigger).unwrap();
    tx.commit().await.unwrap();
    owner.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commit_that_postgres_does_not_confirm_in_time_is_unavailable() {
    tenant_scope::across_tenants(Box::pin(async {
        let app = TestApp::on_postgres().await;
        add_waiting_trigger(&app).await;
        let mut holder = app.db.begin().await.unwrap();
        acquire_advisory_lock(&mut holder, LOCK).await.unwrap();
        let mut stalled = app.db.begin().await.unwrap().with_commit_limit(Real::from_millis(50));
        let (secret, limit) = (&app.settings.secret, WindowLimit::per_hour(1));
        throttle::count_action(&mut stalled, &app.origin, secret, "a story", "here", limit).await.unwrap();
        // Shorter than the limit that no test shortens.
        let ended = tokio::time::timeout(Real::from_secs(9), stalled.commit()).await.expect("the commit is given up");
        assert!(matches!(ended, Err(Error::Unavailable(_))), "{ended:?}");
        holder.commit().await.unwrap();
        app.finish().await;
    }))
    .await;
}
