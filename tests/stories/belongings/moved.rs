//! An install moves from one database to another, and is put back from a backup of either.

use std::time::Duration as StdDuration;

use chrono::Duration;
use shared::{
    ops::{
        backup::{self, BackupConfig, House, restore::Place},
        db_transfer,
        schema::SCHEMA,
        send_freeze::{self, Why},
        tenant_data,
    },
    platform::db::{Db, DbConfig, may_wait, q, rows, tenant_scope},
};
use tests::{app::TestApp, both_databases, database::Postgres};

use super::{is_the_same, lively, worths};

/// A story stops its programs before it moves.
const AT_ONCE: StdDuration = StdDuration::ZERO;

async fn whole_rows(db: &Db, table: &str) -> i64 {
    let mut conn = db.read().await.unwrap();
    let shape = rows::shape(&mut conn, table).await.unwrap();
    rows::count(&mut conn, &shape, None).await.unwrap()
}

async fn is_silent(db: &Db) -> bool {
    send_freeze::frozen(&mut db.read().await.unwrap()).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_install_moves_from_sqlite_to_postgresql_with_every_row() {
    tenant_scope::across_businesses(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        let shop = lively(&app).await;
        app.seeds_demo().await;
        let postgres = Postgres::migrated().await;
        let to = Db::connect(&DbConfig::at(&postgres.url), &SCHEMA).await.unwrap();
        let compared = db_transfer::relocate(&app.db, &to, &app.origin, AT_ONCE).await.unwrap();
        assert_eq!(compared.len(), tenant_data::all().count());
        for (table, worth) in &compared {
            let expected = if *table == "outbox_freeze" { 1 } else { whole_rows(&app.db, table).await };
            assert_eq!(worth.rows, expected, "{table}");
        }
        is_the_same(&worths(&app.db, shop.id()).await, &worths(&to, shop.id()).await);
        assert_eq!((is_silent(&app.db).await, is_silent(&to).await), (true, false), "exactly one of the two speaks");
        let again = db_transfer::relocate(&app.db, &to, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(again.to_string().contains("earlier move"), "{again}");
        to.close().await;
        postgres.remove().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_fails_leaves_everything_as_it_was() {
    tenant_scope::across_businesses(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        lively(&app).await;
        let full = TestApp::on_postgres().await;
        full.org("Best Roofing").await;
        db_transfer::relocate(&app.db, &full.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert_eq!((is_silent(&app.db).await, is_silent(&full.db).await), (false, false));
        full.run_tasks().await;
        full.finish().await;
        app.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_that_was_broken_off_is_named_and_goes_on_once_somebody_has_said_so() {
    tenant_scope::across_businesses(Box::pin(async {
        let app = TestApp::on_sqlite().await;
        lively(&app).await;
        // What a process leaves that was killed at its work.
        app.within(async |tx| send_freeze::freeze(tx, &app.origin, Why::Moved, app.now()).await).await.unwrap();
        let to = TestApp::on_postgres().await;
        let refused = db_transfer::relocate(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(refused.to_string().contains("api release-outbox"), "{refused}");
        app.within(async |tx| send_freeze::release(tx, &app.origin).await).await.unwrap();
        db_transfer::relocate(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        assert_eq!((is_silent(&app.db).await, is_silent(&to.db).await), (true, false));
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_moves_while_a_worker_is_at_work() {
    tenant_scope::across_businesses(Box::pin(async {
        let (app, to) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        lively(&app).await;
        shared::ops::system_status::sign(
            &app.db,
            &app.origin,
            "worker",
            &shared::ops::system_status::WorkerFigures::default(),
        )
        .await
        .unwrap();
        let refused = db_transfer::relocate(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap_err();
        assert!(refused.to_string().contains("Stop both programs"), "{refused}");
        assert!(!is_silent(&app.db).await, "it goes on as before");
        app.advance(Duration::minutes(3));
        db_transfer::relocate(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        to.run_tasks().await;
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_install_that_moves_is_still_to_be_released() {
    tenant_scope::across_businesses(Box::pin(async {
        let (app, to) = (TestApp::on_sqlite().await, TestApp::on_postgres().await);
        lively(&app).await;
        app.within(async |tx| send_freeze::freeze(tx, &app.origin, Why::Restored, app.now()).await).await.unwrap();
        db_transfer::relocate(&app.db, &to.db, &app.origin, AT_ONCE).await.unwrap();
        let why = async |db: &Db| send_freeze::frozen(&mut db.read().await.unwrap()).await.unwrap().unwrap().why;
        assert_eq!((why(&app.db).await, why(&to.db).await), (Why::Moved, Why::Restored));
        to.finish().await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_side_of_a_copy_is_cut_off_while_it_waits_for_the_other() {
    tenant_scope::across_businesses(Box::pin(async {
        let (from, to) = (TestApp::on_postgres().await, TestApp::on_postgres().await);
        lively(&from).await;
        // PostgreSQL itself says so the moment a row arrives whose transaction could be cut off for waiting.
        let watch = "CREATE FUNCTION is_patient() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF current_setting('idle_in_transaction_session_timeout') <> '0' THEN RAISE 'it would be cut off'; END IF;
            RETURN NEW; END $$";
        let set = "CREATE TRIGGER patient BEFORE INSERT ON org FOR EACH ROW EXECUTE FUNCTION is_patient()";
        let owner = Db::connect(&to.owner().unwrap(), &SCHEMA).await.unwrap();
        let mut tx = owner.begin().await.unwrap();
        q!(&mut tx, execute, watch).unwrap();
        q!(&mut tx, execute, set).unwrap();
        tx.commit().await.unwrap();
        owner.close().await;
        let copied = db_transfer::copy(&from.db, &to.db).await;
        assert!(copied.is_ok(), "{copied:?}");
        let mut source = from.db.snapshot().await.unwrap();
        let asked = "SELECT current_setting('idle_in_transaction_session_timeout')";
        assert_eq!(q!(&mut source, fetch_one scalar String, asked).unwrap(), "10s", "as a rule nobody waits");
        may_wait(&mut source).await.unwrap();
        assert_eq!(q!(&mut source, fetch_one scalar String, asked).unwrap(), "0");
        drop(source);
        from.finish().await;
        to.finish().await;
    }))
    .await;
}

both_databases! {
    async fn a_backup_of_either_database_is_put_back_on_either(app) {
        let shop = lively(app).await;
        let home = tempfile::tempdir().unwrap();
        let config = BackupConfig { folder: home.path().join("backups"), keep: 7, is_daily: true };
        let house = House {
            db: &app.db,
            storage: &app.context.storage,
            data_dir: &app.settings.data_dir,
            origin: &app.origin,
            secret: &app.settings.secret,
        };
        let made = backup::log::now(&house, &config).await.unwrap();
        let here = worths(&app.db, shop.id()).await;
        let postgres = Postgres::empty().await;
        let sqlite = backup_address(&home);
        for url in [sqlite, postgres.url.clone()] {
            let there = TestApp::on_sqlite().await;
            let place = Place {
                db: &DbConfig::at(&url),
                storage: &there.context.storage,
                data_dir: home.path(),
                origin: &app.origin,
                secret: &app.settings.secret,
                is_secret_set: true,
                replaces: false,
                lost_key: false,
            };
            let restored = backup::restore::restore(&made.folder, &place).await.unwrap();
            assert!(restored.files > 1);
            let db = Db::connect_existing(&DbConfig::at(&url), &SCHEMA).await.unwrap();
            assert!(db.is_current().await.unwrap());
            is_the_same(&here, &worths(&db, shop.id()).await);
            let frozen = send_freeze::frozen(&mut db.read().await.unwrap()).await.unwrap().unwrap();
            assert_eq!((frozen.why, frozen.copied_at), (Why::Restored, made.manifest.made_at));
            db.close().await;
            there.finish().await;
        }
        postgres.remove().await;
    }
}

fn backup_address(home: &tempfile::TempDir) -> String {
    format!("sqlite://{}", home.path().join("restored.db").display())
}
